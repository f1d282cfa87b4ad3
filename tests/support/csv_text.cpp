#include "support/csv_text.hpp"

#include "perfmodel/error.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel::test {

Table table_of(std::string_view csv, const std::set<std::string>& text_columns) {
  const CsvFile file(csv);
  Table table = read_csv(file.path(), text_columns);
  table.source = "runs.csv";
  return table;
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
