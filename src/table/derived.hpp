#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// Which numeric inputs move with which scales, by the identities that hold among the inputs in
/// every row: what follows from a scale moves along, over however many identities and whoever named
/// it. A scale that itself follows from others moves the first of these that is not one, or else
/// the first.
std::vector<Tie> ties_of(const Table& table, const ModelSpec& spec);

/// A total that was set by what each worker has of it: local batches of 11 sizes on 1 to 64 GPUs
/// make 197 global ones.
struct TotalPerWorker {
  std::string total;           ///< "global_batch"
  std::string workers;         ///< "num_gpus"
  std::size_t values = 0;      ///< different ones of the total
  std::size_t per_worker = 0;  ///< of total / workers: at most two thirds of these

  /// "global_batch_per_num_gpus"
  std::string column() const { return total + "_per_" + workers; }
};

/// Among the numeric inputs, the batch or total with the fewest different values per worker. None
/// where another input, which may be a derived one, says already what each worker has, where no
/// formula can have the names, or where the column exists.
std::optional<TotalPerWorker> find_total_per_worker(const Table& table, const Roles& roles);

/// Puts what each worker has in place of such a total, as a derived column: it stays within its
/// range where the number of workers leaves its own. A notice says so. The table gets the column.
void count_total_per_worker(Table& table, Roles& roles);

}  // namespace perfmodel
