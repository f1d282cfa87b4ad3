#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/table.hpp"

namespace perfmodel {

/// Called with the bytes read so far and in total, by one thread at a time.
using ReadProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Reads a file with a header line and separated columns (RFC 4180 quotes, LF or CRLF, byte-order
/// mark). "-" is standard input. Blank lines are skipped and blanks around unquoted fields ignored.
/// Without `separator`, comma, semicolon, tab and '|' are recognised; unless commas separate,
/// numbers may have decimal commas.
///
/// A column is numeric if its first cell is a number; its other cells that are no numbers are kept
/// as bad cells, for error messages of those who use the column. Columns in `text_columns` are text
/// whatever they contain; names that the file does not have are ignored. Throws InputError with
/// file, line and column if the file is malformed: no header, a duplicate or empty column name, too
/// few or too many fields, an open quote (also before a line break), UTF-16, bare carriage returns,
/// NUL bytes, texts that are not UTF-8, or no data row.
Table read_csv(const std::string& path, const std::set<std::string>& text_columns = {},
               std::optional<char> separator = {});

/// As read_csv(), for callers that need the bytes of the file, too. `source`: its name in messages.
Table parse_csv(std::string_view bytes, const std::string& source,
                const std::set<std::string>& text_columns = {}, std::optional<char> separator = {});

/// The formats of files of runs, which are recognised by their content. JSON lines are JSON.
enum class InputFormat {
  csv,
  json,
  google_benchmark,
  hyperfine,
  asv,
  extrap,
  sqlite,
  go_benchmark,
  pytest_benchmark,
  jmh,
  fio,
  criterion,
  seff
};

constexpr auto texts_of(InputFormat) {
  using enum InputFormat;
  return std::to_array<EnumText<InputFormat>>({{csv, "csv"},
                                               {json, "json"},
                                               {google_benchmark, "google-benchmark"},
                                               {hyperfine, "hyperfine"},
                                               {asv, "asv"},
                                               {extrap, "extrap"},
                                               {sqlite, "sqlite"},
                                               {go_benchmark, "go-benchmark"},
                                               {pytest_benchmark, "pytest-benchmark"},
                                               {jmh, "jmh"},
                                               {fio, "fio"},
                                               {criterion, "criterion"},
                                               {seff, "seff"}});
}

/// A file of facts about the texts of a column, such as the bandwidth of each device.
struct FactsFile {
  std::string column;  ///< of the runs and of the file, in which each text has one row
  std::string path;
  std::string csv{};  ///< its content as CSV, if it was read already
};

/// How to read a file of runs; what is not given is recognised by its content.
struct InputOptions {
  std::optional<char> separator{};      ///< of the columns of CSV
  std::optional<char> decimal{};        ///< the decimal mark of CSV, ',' or '.'
  std::optional<InputFormat> format{};  ///< csv: as it is
  /// Of an SQLite database: a study of Optuna, an experiment of MLflow, or a table or view.
  std::string table{};
  std::string sql{};               ///< a query of an SQLite database
  std::vector<FactsFile> facts{};  ///< appended to each row as columns
  /// Of the fit whose model reads the file: they hold for what is not given here, as far as they
  /// apply to the file.
  std::shared_ptr<const InputOptions> of_fit{};
};

/// A file that was read already.
struct CsvText {
  std::string_view bytes;
  std::string source;
  /// Lines that follow the first row of the file but are not in `bytes`; line numbers count them.
  std::uint32_t left_out = 0;
  std::optional<char> decimal{};  ///< as CellStyle has it
  std::optional<char> separator{};
};

/// Several files as one table; they must have the same columns, in any order.
Table parse_csv(std::span<const CsvText> files, const std::set<std::string>& text_columns,
                std::optional<char> separator, const ReadProgress& progress = {});

/// Excluded runs: those with this cell in the measured column, which says that they failed.
struct FailedRuns {
  std::string file;  ///< base name
  std::string cell;  ///< "NA", "0"; may be blank
  std::size_t rows = 0;
  std::vector<std::uint32_t> lines;  ///< the first five
};

/// True for blank, NA, nan, none, failed, error, oom, timeout and the like, and numbers <= 0. What
/// may be a typing error ("1,5") is none, to be rejected later.
bool says_failed(const std::string& cell);
/// The same of cells that are no numbers.
bool tells_failure(const std::string& cell);
/// Whether some of the runs were ended at a limit of what was measured: of time, or of memory.
bool were_cut(const std::vector<FailedRuns>& failed, const Column& measured);

/// Separates the rows with a time or throughput in this column from those that failed: whose cell,
/// if it is no number > 0, is such a one.
struct WithoutFailed {
  Table table;
  std::vector<FailedRuns> failed;
  Table failed_rows;  ///< the rows that were separated
};
WithoutFailed without_failed_runs(const Table& table, const std::string& column,
                                  const std::set<std::string>& text_columns,
                                  bool (*is_failed)(const std::string& cell) = says_failed);

/// "runs.csv: 3 of 20 rows failed and are left out: 'time_s' is blank in 2 (lines 4 and 9) and
/// \"NA\" in 1 (line 7)". `rows`: number of rows including the failed ones.
std::string words_for(const std::vector<FailedRuns>& failed, const std::string& column,
                      std::size_t rows);

/// What becomes of the runs whose time says that they failed. Told: those with no number (blank,
/// "OOM") are dropped, those with a number <= 0 refused. Censored: those that were ended at a limit
/// count as longer than it, the others are dropped.
enum class FailedRunsAre { told, refused, dropped, censored };

constexpr auto texts_of(FailedRunsAre) {
  using enum FailedRunsAre;
  return std::to_array<EnumText<FailedRunsAre>>(
      {{told, "told"}, {refused, "refuse"}, {dropped, "drop"}, {censored, "censor"}});
}

/// The cells of the runs that are dropped: tells_failure() or says_failed().
constexpr auto dropped_if(FailedRunsAre how) {
  return how == FailedRunsAre::told ? tells_failure : says_failed;
}

/// How files of runs are read and which of their runs count. The fit keeps it in the model, for
/// which further runs are read likewise.
struct ReadingRules {
  InputOptions input = {};
  FailedRunsAre failed = FailedRunsAre::told;
  std::optional<std::string> limit = {};   ///< as in RoleRequest
  std::optional<std::string> status = {};  ///< as in RoleRequest

  /// Whether nothing was asked for.
  bool empty() const {
    return !input.separator && !input.decimal && !input.format && input.table.empty() &&
           input.sql.empty() && input.facts.empty() && failed == FailedRunsAre::told && !limit &&
           !status;
  }
};

}  // namespace perfmodel
