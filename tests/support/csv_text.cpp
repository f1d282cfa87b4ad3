#include "support/csv_text.hpp"

#include <sstream>

#include "perfmodel/error.hpp"
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

std::string csv_error(std::string_view bytes) {
  const CsvFile file(bytes);
  try {
    read_csv(file.path());
  } catch (const InputError& error) {
    std::string message = error.what();
    for (std::size_t at = 0; (at = message.find(file.path(), at)) != std::string::npos;)
      message.replace(at, file.path().size(), "runs.csv");
    return message;
  }
  return "(none)";
}

}  // namespace perfmodel::test
