#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfmodel/reading.hpp"

namespace perfmodel {

/// Rows of named cells, as readers of other formats than CSV collect them. Columns are those of all
/// rows, in the order in which they first appear; a row has blank cells where it has none.
class NamedRows {
 public:
  using Cell = std::pair<std::string, std::string>;  ///< column, text

  /// Throws std::length_error for more columns than parse_csv() reads.
  void add(const std::vector<Cell>& row);
  /// Declares that a column is a measured result, which is no input of a model of another result.
  void add_result(const std::string& column);
  /// Adds a sentence about what of the file is not in the rows.
  void add_notice(const std::string& sentence) { notices_.push_back(sentence); }

  bool empty() const { return rows_.empty(); }
  const std::vector<std::string>& results() const { return results_; }
  const std::vector<std::string>& notices() const { return notices_; }
  /// The rows as a CSV file of commas; line breaks within cells become blanks.
  std::string csv() const;

 private:
  std::vector<std::string> names_;
  std::map<std::string, std::size_t, std::less<>> place_;
  std::vector<std::vector<std::pair<std::size_t, std::string>>> rows_;  ///< column, text
  std::vector<std::string> results_;
  std::vector<std::string> notices_;
};

/// A reader of a family of formats, which a tool adds; the first one that recognises a file reads
/// it.
struct Reader {
  InputFormat family;
  std::string_view words;  ///< "an SQLite database"
  bool (*recognises)(std::string_view bytes);
  /// `source` names the file in messages. Throws InputError for a damaged file, with the place in
  /// it, and std::length_error for too many columns.
  NamedRows (*read)(std::string_view bytes, const std::string& source, const InputOptions& options);
};

/// A reader of tables that are no CSV yet, but become one; nullopt for other files.
struct TableReader {
  bool (*recognises)(std::string_view beginning);
  std::optional<std::string> (*as_csv)(std::string_view bytes, const std::string& source);
};

/// A file of runs as CSV text.
struct SourceText {
  std::string csv;
  std::string source;                    ///< the file's name in messages
  std::string sha256{};                  ///< digest of the file's bytes if these are not `csv`
  std::vector<std::string> results{};    ///< the columns that the format declares as results
  std::vector<std::string> notices{};    ///< sentences about what of the file is not in `csv`
  std::vector<std::string> described{};  ///< the columns that facts in the file describe
  InputOptions read_as{};                ///< the options, with those of the fit that apply
};

/// The beginning of a line that import adds to a CSV whose cells do not tell all: the other lines
/// are a run each, whatever they look like, and these columns are results, or described by facts.
inline constexpr std::string_view kImportLine = "# perfmodel import";

std::string import_line(std::span<const std::string> results,
                        std::span<const std::string> described);

/// Reads such lines of `file.csv`, of which joined files have several, and makes them blank; false
/// if there are none.
bool take_import_lines(SourceText& file);

/// Reads a file of any known format; "-" is standard input. Plain CSV is handed on unchanged, and a
/// table that was written for people as written_table() has it; the rows of other formats, which
/// NamedRows describes, are written as CSV, and `source` says so, since messages then name lines of
/// that text.
///
/// Throws InputError if the file cannot be read or is damaged, UsageError if an option does not
/// apply to its format.
SourceText read_source(const std::string& path, const InputOptions& options);
/// The same of the bytes of a file. `source`: its name in messages.
SourceText read_source_bytes(std::string bytes, const std::string& source,
                             const InputOptions& options);

/// Whether a file that begins with these bytes is read as CSV as it is.
bool is_plain_csv(std::string_view beginning, const InputOptions& options);

}  // namespace perfmodel
