#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// A line of a file, without its end.
struct NumberedLine {
  std::string text;
  std::uint32_t number = 0;
};

/// The table of the header, which comes first, and some of the lines of a file, as parse_csv()
/// makes it of all. Throws what that does.
Table table_of_lines(std::span<const NumberedLine> lines, const std::string& source,
                     const std::set<std::string>& text_columns, const CellStyle& style);

}  // namespace perfmodel
