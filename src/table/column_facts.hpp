#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// The words of a column's name in lower case, whatever holds them together: "samples_per_s",
/// "Step Time (ms)", "gpuUtil"; a slash reads "per".
std::vector<std::string> name_words(std::string_view name);

/// The same without words of statistics and of percentages at either end: "loss" of "mean_loss",
/// "gpu util" of "gpu_util_p99".
std::vector<std::string> words_of_quantity(std::string_view name);

/// Whether a cell in place of a time says that its run failed.
bool says_failed(const std::string& cell);

/// Whether a column of this name usually holds a measured time: "time_s", "Iteration Time (ms)",
/// "t".
bool is_time_name(std::string_view name);

/// Whether a name ends in a unit of time: "epoch_s", "gpu_time_us". Settings can do so as well.
bool has_time_unit(std::string_view name);

/// Whether a column of this name usually holds a scale: "gpus", "num_workers", "mpi_procs",
/// "batch-size".
bool is_scale_name(std::string_view name);

/// The unit in the name of a time column, "ms" for "step_time_ms" and "Step Time (ms)"; empty where
/// there is none.
std::string unit_of(std::string_view name);

/// Whether it stands in brackets.
bool has_bracketed_unit(std::string_view name);

/// Whether a name speaks of all workers together: "global_batch", "total_tokens".
bool is_total_name(const std::string& name);

/// Whether a name speaks of one worker: "local_batch", "gpus_per_node", "samples_per_gpu".
bool is_per_something_name(const std::string& name);

/// Whether a name is that of a batch size.
bool is_batch_name(const std::string& name);

/// Whether a name counts workers that share the work: "gpus", "num_procs".
bool is_worker_count_name(const std::string& name);

/// Whether a name is that of the work of one worker: a batch ("local_batch"), or what is counted
/// per worker ("neurons_per_proc"), but for the machine itself ("gpus_per_node", "mem_per_core").
bool is_work_per_worker_name(const std::string& name);

/// Whether a rate is that of one worker: "tokens_per_s_per_gpu".
bool is_rate_of_one_worker_name(const std::string& name);

/// What the cells of a column have in common.
struct ColumnFacts {
  std::size_t numbers = 0;    ///< cells that are numbers
  std::size_t texts = 0;      ///< all others, blank cells among them
  bool constant = false;      ///< one value in all rows
  bool zero_one = false;      ///< numbers only, 0 and 1 both, nothing else
  bool all_positive = false;  ///< every cell that is a number is > 0
  bool negative = false;      ///< one is < 0
  std::size_t levels = 0;     ///< distinct texts of a text column; 0 for a numeric one

  /// A column whose few texts are slips among numbers, not levels.
  bool mostly_numbers() const { return numbers > texts; }
  bool mixed() const { return numbers > 0 && texts > 0; }
};

ColumnFacts facts_of(const Column& column);

/// For each level of a text column, whether it is a number.
std::vector<bool> numeric_levels(const Column& column);

enum class Part { open, target, extrinsic, intrinsic, categorical, ignored, constant, left_out };

/// The part of one column while roles are being settled.
struct ColumnPart {
  const Column* column;
  Part part = Part::open;
  bool by_flag = false;  ///< the user named it; otherwise it is inferred
  ColumnFacts facts;     ///< not filled for a column that is ignored on request

  bool is_input() const {
    return part == Part::intrinsic || part == Part::extrinsic || part == Part::categorical;
  }
  /// An input of levels: texts are, before roles are settled, among the intrinsic columns.
  bool is_levels() const {
    return part == Part::categorical ||
           (part == Part::intrinsic && !by_flag && (!column->is_numeric() || facts.zero_one));
  }
  /// An input of numbers.
  bool is_number() const { return is_input() && !is_levels(); }
};

/// "1024" of a number whose thousands are parted by commas, blanks, underscores or apostrophes:
/// "1,024", "1_024". Nothing of any other text.
std::optional<std::string> without_group_marks(std::string_view text);

/// Whether this is a number with a letter for its thousands, millions, ...: "16k", "1.5M".
bool has_size_letter(std::string_view text);

/// Whether all texts of a column are numbers to people, though not to parse_number().
bool holds_written_numbers(const Column& column);

/// A column of numbers > 0 as logarithms: products and quotients are sums and differences there.
struct LogColumn {
  const ColumnPart* part;
  std::vector<double> logarithms;
  bool is_whole = false;  ///< all its numbers are whole ones

  const std::string& name() const { return part->column->name; }
};

struct SignedColumn {
  const LogColumn* column;
  int power;  ///< 1 or -1
};

/// Whether the product of these powers is the same in every row, but for a share of `agreement`
/// above or below. Most rows of most products are never looked at.
bool is_same_everywhere(const std::vector<SignedColumn>& product, double agreement);

/// Columns whose every cell is a number > 0, that vary, in the order of their names.
std::vector<LogColumn> log_columns(const std::vector<const ColumnPart*>& parts);

/// "num_gpus * local_batch", "batch_size / time_s", "1 / time_s".
std::string product_text(const std::vector<Factor>& factors);

std::size_t distinct_values(const Column& column);

/// Whether all numbers are whole ones.
bool is_whole(const Column& column);

/// A column that is a product of powers of others, times a number.
struct ColumnProduct {
  std::string column;
  std::vector<Factor> factors;
};

/// By which power of the others' values each column moves: a column of a product follows all the
/// way down to columns that follow from none. A product is of columns that later ones give or none:
/// as identities are found.
class MovingColumns {
 public:
  explicit MovingColumns(const std::vector<ColumnProduct>& products);

  /// What a column is of, none of which follows from others; itself where it follows from none.
  std::vector<Factor> origins(const std::string& column) const;

  /// By which power of `origin` the column moves where the other origins stay; 0 where it stays.
  int power(const std::string& column, const std::string& origin) const;

 private:
  std::map<std::string, std::vector<Factor>> origins_;
};

/// Of "true", "TRUE", "False", ...; nothing for other texts.
std::optional<bool> truth_value(std::string_view text);

/// Where a column has one truth value in several spellings, "True" and "TRUE", its truth values
/// become "true" and "false". Returns a sentence for each such column.
std::vector<std::string> unify_truth_values(Table& table);

}  // namespace perfmodel
