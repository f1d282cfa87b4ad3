#include "support/csv_text.hpp"

#include <unistd.h>

#include <fstream>
#include <stdexcept>

#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv.hpp"

namespace perfmodel::test {

CsvFile::CsvFile(std::string_view bytes) {
  std::string name = (std::filesystem::temp_directory_path() / "perfmodel-test-XXXXXX").string();
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) {
    throw std::runtime_error("cannot make a temporary file");
  }
  close(descriptor);
  path_ = name;
  std::ofstream(path_, std::ios::binary).write(bytes.data(), std::ssize(bytes));
}

CsvFile::~CsvFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

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
    for (std::size_t at = 0; (at = message.find(file.path(), at)) != std::string::npos;) {
      message.replace(at, file.path().size(), "runs.csv");
    }
    return message;
  }
  return "(none)";
}

}  // namespace perfmodel::test
