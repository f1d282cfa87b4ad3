#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perfmodel {

/// How far predictions are from measurements. Times in the unit of the data; percentages as such.
struct Metrics {
  std::size_t rows = 0;
  double mae = 0;            ///< Eq. (8): mean |t - y|
  double mape_percent = 0;   ///< Eq. (12) times 100: 100 * mean(|t - y| / t)
  double smape_percent = 0;  ///< 100 * mean(2 |t - y| / (|t| + |y|)), Extra-P's definition
  double mse = 0;
  double rmse = 0;
  double r2 = 0;  ///< 1 - RSS / TSS; NaN where all measured times are equal
};

/// The figures under the names that every file we write gives them.
inline constexpr std::array<std::pair<std::string_view, double Metrics::*>, 6> kNamedMetrics = {
    {{"mae", &Metrics::mae},
     {"mape_percent", &Metrics::mape_percent},
     {"smape_percent", &Metrics::smape_percent},
     {"mse", &Metrics::mse},
     {"rmse", &Metrics::rmse},
     {"r2", &Metrics::r2}}};

/// Both vectors have one entry per row; measured times are > 0. Rows count `runs` times where that
/// is not empty: the figures are those of a row per run, to the last bit.
Metrics compute_metrics(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted,
                        std::span<const std::uint64_t> runs = {});

/// Row indices of the three parts of a data set.
struct Split {
  std::vector<std::size_t> train;
  std::vector<std::size_t> validation;
  std::vector<std::size_t> test;
};

/// Shares of train : validation : test as the user wrote them, "60:20:20" or "80:20" (train :
/// test).
struct SplitShares {
  double train = 1;
  double validation = 0;
  double test = 0;
};

/// Throws UsageError where the text is not two or three non-negative numbers with a positive first.
SplitShares parse_split(std::string_view text);

/// A random split of these rows; the same rows in the same order and the same seed give the same
/// split. Part sizes are round(share * rows), the test part takes the rest; each part keeps the
/// order. Throws UsageError where a part that was asked for would be empty.
Split split_rows(std::span<const std::size_t> rows, const SplitShares& shares, std::uint64_t seed);

/// A cell that is not a number in a column that began with numbers.
struct BadCell {
  std::size_t row;   ///< index of the row in the table
  std::string text;  ///< as it stands in the file
};

/// One named column. Numeric columns hold `numbers`; text columns hold `codes` into `levels`.
struct Column {
  enum class Kind { numeric, text };

  std::string name;
  Kind kind = Kind::numeric;
  std::vector<double> numbers;       ///< one per row; NaN where a bad cell stands
  std::vector<std::uint32_t> codes;  ///< one per row, index into `levels`
  std::vector<std::string> levels;   ///< distinct texts in order of first appearance
  std::vector<BadCell> bad_cells;    ///< numeric columns only: every cell that is not a number
  std::string formula{};  ///< of a derived column; empty where the column stands in the file

  bool is_numeric() const { return kind == Kind::numeric; }
  /// The cell as text: the level, or the shortest form of the number.
  std::string text(std::size_t row) const;
};

/// How the cells of a file were written, for output that repeats its lines.
struct CellStyle {
  char separator = ',';
  std::string decimal_comma{};  ///< a number that was read with one: "0,5"; empty: there is none
};

/// Measured runs or configurations: named columns of equal length, and where each row stood.
/// Nothing here knows which column is the time; that is the business of `Roles`.
struct Table {
  std::string source;  ///< file name for messages
  std::vector<Column> columns;
  std::vector<std::uint32_t> lines;    ///< line number (from 1) in the source of each row
  CellStyle style{};                   ///< of the first file
  std::vector<std::string> sources{};  ///< of a table from several files, these
  std::vector<std::uint32_t> file{};   ///< and of each row the index of its file; else empty
  /// Of a table whose equal rows are merged: how many runs each row stands for; else empty.
  std::vector<std::uint64_t> runs{};

  std::size_t rows() const { return lines.size(); }
  /// The rows of the file, merged ones counted one by one.
  std::size_t measured_runs() const;
  /// Null where there is no such column.
  const Column* find(std::string_view name) const;
  /// Throws InputError: "no column 'batchsize' in runs.csv; did you mean 'batch_size'?"
  const Column& at(std::string_view name) const;
  std::vector<std::string> names() const;
  /// The sentence that `at` throws, for those who gather several.
  std::string no_column(std::string_view name) const;
  /// "runs.csv:41"
  std::string where(std::size_t row) const;
};

/// The chosen rows of a table, in that order. Levels that none of them has are gone.
Table take_rows(const Table& table, std::span<const std::size_t> rows);

/// Told how many bytes of all have been read, from one thread at a time.
using ReadProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Reads a file with a header line and separated columns (RFC 4180 quotes, LF or CRLF, byte-order
/// mark). "-" is standard input. Blank lines are skipped, blanks around unquoted fields do not
/// count. Where no `separator` is given, comma, semicolon, tab and '|' are recognised; between
/// others than commas, numbers may have decimal commas.
///
/// A column is numeric where its first cell is a number; cells of it that are not are kept as bad
/// cells, so that whoever uses the column can name them. Columns in `text_columns` are text
/// whatever they hold; names that the file lacks do no harm. Throws InputError with file, line and
/// column where the file has the wrong shape: no header, a duplicate or empty column name, too few
/// or too many fields, an open quote (also of a quoted line break), a file that is UTF-16, uses
/// bare carriage returns, or holds NUL bytes or texts that are not UTF-8; no data row.
Table read_csv(const std::string& path, const std::set<std::string>& text_columns = {},
               std::optional<char> separator = {});

/// The same for a file that was read already, as read_csv does with its bytes; for callers that
/// need the bytes as well. `source` names them in messages.
Table parse_csv(std::string_view bytes, const std::string& source,
                const std::set<std::string>& text_columns = {}, std::optional<char> separator = {});

/// A file that was read already.
struct CsvText {
  std::string_view bytes;
  std::string source;
  /// Lines of the file that are not among the bytes, behind the first row: others are counted with
  /// them.
  std::uint32_t left_out = 0;
};

/// Several files as one table: they have the same columns, in any order.
Table parse_csv(std::span<const CsvText> files, const std::set<std::string>& text_columns,
                std::optional<char> separator, const ReadProgress& progress = {});

}  // namespace perfmodel
