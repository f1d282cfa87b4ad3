#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel {

/// A table as plain CSV with the lines of the file in which it was written: lines that are no rows
/// are blank, so that messages name the lines of the file.
struct WrittenTable {
  std::string csv;
  std::vector<std::string> notices;  ///< a sentence per difference from the file
};

/// Returns the table of a text that is no plain CSV but written for people; nullopt if it is plain
/// CSV, if nothing is known about it, or if it has more than 1 MiB. `source` names the file in
/// messages; `separator`: if the user names it.
///
/// - Tables in Markdown or of a terminal, with text around them; columns aligned by blanks.
/// - Titles above the header; two header lines; a line of units below, which become parts of names.
/// - Comments, repeated headers, totals and notes at the end, blank columns, a first column of
///   texts without a name.
/// - Numbers with an uncertainty, or all with the same word behind them.
///
/// Throws InputError for several tables in one file, and for columns that blanks do not separate.
std::optional<WrittenTable> written_table(std::string_view bytes, const std::string& source,
                                          std::optional<char> separator);

}  // namespace perfmodel
