#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/spec.hpp"

namespace perfmodel {

/// The numeric inputs that change with each scale, according to the identities that hold among the
/// inputs in every row, and those of grown_together(). An input that follows from a scale changes
/// with it, over any number of identities, whether or not a flag names it. A scale that itself
/// follows from other columns changes the first of them that is no scale, or else the first.
std::vector<Tie> ties_of(const Table& table, const ModelSpec& spec);

/// The numeric inputs that grew with a scale, or fell with it, in all runs but for a few, within 2
/// % and by the same factor: what each of the two does cannot be told from these runs.
std::vector<Tie> grown_together(const Table& table, const ModelSpec& spec);

/// A total that was set through its value per worker: local batches of 11 sizes on 1 to 64 GPUs
/// give 197 global batch sizes.
struct TotalPerWorker {
  std::string total;           ///< "global_batch"
  std::string workers;         ///< "num_gpus"
  std::size_t values = 0;      ///< number of distinct values of the total
  std::size_t per_worker = 0;  ///< the same of total / workers; at most 2/3 of `values`

  /// "global_batch_per_num_gpus"
  std::string column() const { return total + "_per_" + workers; }
};

/// The batch or total among the numeric inputs with the fewest distinct values per worker. nullopt
/// if another input, possibly a derived one, already is the value per worker, if the names cannot
/// occur in a formula, or if the column exists.
std::optional<TotalPerWorker> find_total_per_worker(const Table& table, const Roles& roles);

/// Replaces such a total by its value per worker, as a derived column that is added to the table,
/// with a notice: that value stays within its measured range if the number of workers leaves its
/// own.
void count_total_per_worker(Table& table, Roles& roles);

}  // namespace perfmodel
