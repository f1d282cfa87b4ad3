#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfmodel/error.hpp"

namespace perfmodel {

/// Errors of predictions. Times in the unit of the data, percentages as such.
struct Metrics {
  std::size_t rows = 0;
  double mae = 0;            ///< Eq. (8): mean |t - y|
  double mape_percent = 0;   ///< Eq. (12) times 100: 100 * mean(|t - y| / t)
  double smape_percent = 0;  ///< 100 * mean(2 |t - y| / (|t| + |y|)), as defined by Extra-P
  double mse = 0;
  double rmse = 0;
  double r2 = 0;  ///< 1 - RSS / TSS; NaN if all measured times are equal
};

/// The metrics under their names in all output files.
inline constexpr std::array<std::pair<std::string_view, double Metrics::*>, 6> kNamedMetrics = {
    {{"mae", &Metrics::mae},
     {"mape_percent", &Metrics::mape_percent},
     {"smape_percent", &Metrics::smape_percent},
     {"mse", &Metrics::mse},
     {"rmse", &Metrics::rmse},
     {"r2", &Metrics::r2}}};

/// Both vectors have one entry per row; measured times are > 0.
Metrics compute_metrics(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted);

/// Row indices of the three splits of a data set.
struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation;
  std::vector<std::size_t> test;
};

/// Shares of train : validation : test as given by the user, "60:20:20" or "80:20" (train : test).
struct SplitShares {
  double train = 1;
  double validation = 0;
  double test = 0;
};

/// Throws UsageError unless the text is two or three numbers >= 0 of which the first is > 0.
SplitShares parse_split(std::string_view text);

/// A random split of these rows; the same rows in the same order and the same seed give the same
/// split. Sizes are round(share * rows), and the test split takes the rest; the order of rows is
/// kept. Throws UsageError if a split with a share > 0 would be empty.
Split split_rows(std::span<const std::size_t> rows, const SplitShares& shares, std::uint64_t seed);

/// A cell that is not a number in a numeric column.
struct BadCell {
  std::size_t row;   ///< index of the row in the table
  std::string text;  ///< as in the file
};

/// A named column. Numeric columns hold `numbers`; text columns hold `codes` into `levels`.
struct Column {
  enum class Kind { numeric, text };

  std::string name;
  Kind kind = Kind::numeric;
  std::vector<double> numbers;       ///< one per row; NaN for a bad cell
  std::vector<std::uint32_t> codes;  ///< one per row, index into `levels`
  std::vector<std::string> levels;   ///< distinct texts in order of first appearance
  std::vector<BadCell> bad_cells;    ///< numeric columns only: every cell that is not a number
  std::string formula{};             ///< of a derived column; empty for a column of the file
  /// "s", "B" or "%" if the cells are quantities with units; empty: the numbers as in the file.
  std::string unit{};
  /// The first such cell, "1m 30s". Without a unit: that of numbers as in the file, "ms", where a
  /// column of units says the same one of all; else empty.
  std::string with_unit{};
  double last_digit = 0;  ///< place of the last digit of the cells: 0.01 for "2.50"; 0: unknown

  bool is_numeric() const { return kind == Kind::numeric; }
  /// The cell as text: the level, or the shortest form of the number.
  std::string text(std::size_t row) const;
};

/// How the cells of a file were written, for output that repeats its lines.
struct CellStyle {
  char separator = ',';
  std::string decimal_comma{};  ///< example of a number with one, "0,5"; empty if there is none
  /// ',' or '.' if the user names it: the other one marks thousands.
  std::optional<char> decimal{};
  /// For each column with marks of thousands, which were removed: "\"1,024\" of 'n' is 1024".
  std::vector<std::string> thousands{};
};

/// Measured runs or configurations: named columns of equal length, and the origin of each row. A
/// table does not know which column is the time; that is determined by `Roles`.
struct Table {
  std::string source;  ///< file name for messages
  std::vector<Column> columns;
  std::vector<std::uint32_t> lines;    ///< per row: line number (from 1) in the source
  CellStyle style{};                   ///< of the first file
  std::vector<std::string> sources{};  ///< of a table from several files: their names
  std::vector<std::uint32_t> file{};   ///< per row: index into `sources`; empty for a single file
  /// Per row, the time at which the run would have been ended, infinite if never; empty: no limits.
  /// A run whose time is at its limit was cut off, and would have taken longer.
  std::vector<double> limits{};

  std::size_t rows() const { return lines.size(); }
  /// Null if there is no such column.
  const Column* find(std::string_view name) const;
  /// Throws InputError: "no column 'batchsize' in runs.csv; did you mean 'batch_size'?"
  const Column& at(std::string_view name) const;
  std::vector<std::string> names() const;
  /// The message that `at` throws, for callers that collect several.
  std::string no_column(std::string_view name) const;
  /// "runs.csv:41"
  std::string where(std::size_t row) const;
};

/// The chosen rows of a table, in the order of `rows`, without levels that none of them has.
Table take_rows(const Table& table, std::span<const std::size_t> rows);

}  // namespace perfmodel
