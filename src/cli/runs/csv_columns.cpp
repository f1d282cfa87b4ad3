#include "cli/runs/csv_columns.hpp"

#include <algorithm>

#include "cli/terminal/csv_echo.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {

void refuse_taken_names(const Table& table, const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (table.find(name) != nullptr) {
      throw InputError(table.source + ": the column '" + name +
                       "' is already there; rename or remove it");
    }
  }
}

void append_columns(std::string_view bytes, const Table& table,
                    const std::vector<std::string>& names,
                    const std::function<std::vector<std::string>(std::size_t row)>& cells,
                    OutputFile& output) {
  const CellStyle& style = table.style;
  LineEcho lines(bytes);
  output.write(lines.header());
  for (const auto& name : names)
    output.write(style.separator + csv_field(name, style.separator));
  output.write("\n");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    output.write(lines.line(table.lines[row]));
    for (std::string& cell : cells(row)) {
      if (!style.decimal_comma.empty())
        std::replace(cell.begin(), cell.end(), '.', ',');
      output.write(style.separator + cell);
    }
    output.write("\n");
  }
}

}  // namespace perfmodel::cli
