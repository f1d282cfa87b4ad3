#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/table.hpp"
#include "support/temporary_directory.hpp"

namespace perfmodel::test {

/// A file with the given bytes that is gone when the test ends.
class CsvFile {
 public:
  explicit CsvFile(std::string_view bytes) : path_(directory_.write("runs.csv", bytes)) {}

  const std::string& path() const { return path_; }

 private:
  TemporaryDirectory directory_;
  std::string path_;
};

/// The table that read_csv makes of a text, as if it stood in "runs.csv".
Table table_of(std::string_view csv, const std::set<std::string>& text_columns = {});

/// The cells of each line of a CSV without quotes, those of the header first.
std::vector<std::vector<std::string>> csv_cells(const std::string& csv);

}  // namespace perfmodel::test
