#include "perfmodel/table.hpp"
#include "perfmodel/error.hpp"

#include <cmath>

#include "support/catch.hpp"

namespace perfmodel {
namespace {

Table small_table() {
  Table table;
  table.source = "runs.csv";
  table.columns = {{.name = "batch_size",
                    .kind = Column::Kind::numeric,
                    .numbers = {32, -0.0, std::nan(""), 0.1},
                    .codes = {},
                    .levels = {},
                    .bad_cells = {{2, "1,5"}}},
                   {.name = "padding",
                    .kind = Column::Kind::text,
                    .numbers = {},
                    .codes = {1, 0, 1, 1},
                    .levels = {"same", "valid"},
                    .bad_cells = {}}};
  table.lines = {2, 3, 41, 42};
  return table;
}

TEST_CASE("a cell has a text, whatever it holds, and a row is named by file and line", "[table]") {
  const Table table = small_table();
  const Column& numbers = table.at("batch_size");
  CHECK(numbers.text(0) == "32");
  CHECK(numbers.text(1) == "0");
  CHECK(numbers.text(2) == "1,5");
  CHECK(numbers.text(3) == "0.1");
  CHECK(table.at("padding").text(0) == "valid");
  CHECK(table.at("padding").text(1) == "same");
  CHECK(table.where(2) == "runs.csv:41");
  CHECK(table.rows() == 4);
}

TEST_CASE("columns are found by name, and if there is none, the one that was meant is suggested",
          "[table]") {
  const Table table = small_table();
  CHECK(table.find("padding") == &table.columns[1]);
  CHECK(table.find("Padding") == nullptr);
  CHECK(table.names() == std::vector<std::string>{"batch_size", "padding"});
  CHECK_THROWS_MATCHES(
      small_table().at("batchsize"), InputError,
      Catch::Matchers::Message("no column 'batchsize' in runs.csv; did you mean 'batch_size'?"));
  CHECK_THROWS_MATCHES(small_table().at("dropout"), InputError,
                       Catch::Matchers::Message("no column 'dropout' in runs.csv; there are "
                                                "'batch_size' and 'padding'"));
}

}  // namespace
}  // namespace perfmodel
