#include "cli/runs/configurations_csv.hpp"

#include "cli/terminal/csv_echo.hpp"

namespace perfmodel::cli {
namespace {

std::string line_of(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += (i == 0 ? "" : ",") + csv_field(cells[i]);
  return line + "\n";
}

}  // namespace

std::string csv_header(const plan::Space& space, const std::vector<std::string>& further) {
  auto cells = space.names();
  cells.insert(cells.end(), further.begin(), further.end());
  return line_of(cells);
}

std::string csv_line(const plan::Space& space, const plan::Configuration& configuration,
                     const std::vector<std::string>& further) {
  std::vector<std::string> cells;
  for (std::size_t c = 0; c < space.columns.size(); ++c)
    cells.push_back(space.columns[c].text(configuration[c]));
  cells.insert(cells.end(), further.begin(), further.end());
  return line_of(cells);
}

}  // namespace perfmodel::cli
