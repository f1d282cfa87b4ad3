#include "support/csv_text.hpp"

#include <sstream>

#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel::test {

Table table_of(std::string_view csv, const std::set<std::string>& text_columns) {
  const CsvFile file(csv);
  Table table = read_csv(file.path(), text_columns);
  table.source = "runs.csv";
  return table;
}

std::vector<std::vector<std::string>> csv_cells(const std::string& csv) {
  std::vector<std::vector<std::string>> out;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream row(line);
    out.emplace_back();
    for (std::string cell; std::getline(row, cell, ',');)
      out.back().push_back(cell);
  }
  return out;
}

}  // namespace perfmodel::test
