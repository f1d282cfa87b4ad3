#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/columns.hpp"
#include "table/cells.hpp"

namespace perfmodel {

/// The words of a column's name, units in brackets among them, see name_parts(): "step", "time" and
/// "ms" of "Step Time (ms)".
std::vector<std::string> name_words(std::string_view name);

/// The unit of time that a word says: "ms" for "msec"; empty if it says none. Some do so only where
/// it is clear that a unit stands there: "min" and "h".
std::string unit_of_time(std::string_view word, bool is_clear);

/// True if a name ends in a unit of time: "epoch_s", "gpu_time_us". Some settings do so as well.
bool has_time_unit(std::string_view name);

/// True if a column of this name usually holds a scale: "gpus", "num_workers", "mpi_procs",
/// "batch-size".
bool is_scale_name(std::string_view name);

/// The unit in the name of a time column, "ms" for "step_time_ms" and "Step Time (ms)"; empty if
/// there is none.
std::string unit_of(std::string_view name);

/// True if the unit in the name is in brackets.
bool has_bracketed_unit(std::string_view name);

/// True if a name denotes a total over all workers: "global_batch", "total_tokens".
bool is_total_name(const std::string& name);

/// True if a name denotes a quantity per worker or other unit: "local_batch", "gpus_per_node",
/// "samples_per_gpu".
bool is_per_something_name(const std::string& name);

bool is_batch_name(const std::string& name);

/// True if a name is that of a number of workers that share the work: "gpus", "num_procs".
bool is_worker_count_name(const std::string& name);

/// True if a name denotes the work of one worker: a batch ("local_batch") or a quantity per worker
/// ("neurons_per_proc"), but not a property of the machine ("gpus_per_node", "mem_per_core").
bool is_work_per_worker_name(const std::string& name);

/// True if a name denotes the rate of one worker: "tokens_per_s_per_gpu".
bool is_rate_of_one_worker_name(const std::string& name);

/// Properties of the cells of a column.
struct ColumnFacts {
  std::size_t numbers = 0;    ///< cells that are numbers
  std::size_t texts = 0;      ///< all others, blank cells among them
  bool constant = false;      ///< the same value in all rows
  bool zero_one = false;      ///< only the numbers 0 and 1, and both occur
  bool all_positive = false;  ///< all numbers are > 0

  /// True if the texts are mistakes among numbers rather than levels.
  bool mostly_numbers() const { return numbers > texts; }
  bool mixed() const { return numbers > 0 && texts > 0; }
};

ColumnFacts facts_of(const Column& column);

enum class Part { open, target, extrinsic, intrinsic, categorical, ignored, constant, left_out };

/// The role of a column while roles are being determined.
struct ColumnPart {
  const Column* column;
  Part part = Part::open;
  bool by_flag = false;  ///< named by the user rather than inferred
  ColumnFacts facts;     ///< not set if the column is ignored on request

  bool is_input() const {
    return part == Part::intrinsic || part == Part::extrinsic || part == Part::categorical;
  }
  /// True if it is a categorical input. Until roles are final, such columns are intrinsic.
  bool is_levels() const {
    return part == Part::categorical ||
           (part == Part::intrinsic && !by_flag && (!column->is_numeric() || facts.zero_one));
  }
  /// True if it is a numeric input.
  bool is_number() const { return is_input() && !is_levels(); }
};

/// Removes the thousands separators (commas, blanks, underscores or apostrophes) of a number:
/// "1024" of "1,024" or "1_024". nullopt for any other text.
std::optional<std::string> without_group_marks(std::string_view text);

/// True if the text is a number with a suffix for thousands, millions, ...: "16k", "1.5M".
bool has_size_letter(std::string_view text);

/// True if a reader would take all texts of a column for numbers, although parse_number() does not.
bool holds_written_numbers(const Column& column);

std::size_t distinct_values(const Column& column);

/// True if all numbers are integers.
bool is_whole(const Column& column);

/// A column that is a constant times a product of powers of others.
struct ColumnProduct {
  std::string column;
  std::vector<Factor> factors;
};

/// Expresses each column by the columns that it follows from, recursively, down to independent
/// columns (origins). The factors of a product may themselves be given only by later products, the
/// order in which identities are found.
class MovingColumns {
 public:
  explicit MovingColumns(const std::vector<ColumnProduct>& products);

  /// The independent columns that a column is a product of; the column itself if it is independent.
  std::vector<Factor> origins(const std::string& column) const;

  /// The power of `origin` in the column; 0 if it does not depend on it.
  int power(const std::string& column, const std::string& origin) const;

 private:
  std::map<std::string, std::vector<Factor>> origins_;
};

/// The rows in which a column has no value: of numbers, those with a missing cell; of texts, the
/// blank ones; of both, all missing ones if no other text is among them, else 0.
std::size_t missing_cells(const Column& column);
/// Whether so many rows lack a usable value that the column is left out rather than these rows, or
/// that it is no slip.
constexpr bool is_gap(std::size_t missing, std::size_t rows) {
  return missing > 1 && 10 * missing > rows;
}

/// Whether all texts of a column are numbers in a format that is not parsed: "1,5", "12 %".
bool holds_numbers_as_written(const Column& column);

/// Whether a column of texts has one of its own in nearly every row, of ten or more.
bool names_the_rows(const Column& column);

/// If a column spells a truth value in several ways, such as "True" and "TRUE", rewrites its truth
/// values as "true" and "false". Returns a sentence for each such column.
std::vector<std::string> unify_truth_values(Table& table);

}  // namespace perfmodel
