#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "perfmodel/data/table.hpp"
#include "perfmodel/io/csv/read_progress.hpp"

namespace perfmodel {

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
