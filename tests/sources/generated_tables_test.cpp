#include <array>
#include <string>

#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "sources/source.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/generated_tables.hpp"
#include "support/property.hpp"

namespace perfmodel {
namespace {

/// Whether a fit would refuse the table: a text that is no failure in a column of numbers.
bool has_bad_cell(const Table& table) {
  for (const Column& column : table.columns)
    for (const BadCell& cell : column.bad_cells)
      if (!says_failed(cell.text))
        return true;
  return false;
}

bool is_same(const Table& table, const test::GeneratedTable& truth) {
  if (table.names() != truth.names || table.rows() != truth.cells.size())
    return false;
  for (std::size_t row = 0; row < table.rows(); ++row)
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string read = table.columns[i].text(row);
      const std::string& written = truth.cells[row][i];
      const auto number = parse_number(read);
      if (number ? number != parse_number(written) : read != written)
        return false;
    }
  return true;
}

}  // namespace

TEST_CASE("generated tables are read as what they stand for, or refused", "[written][property]") {
  std::size_t all = 0;
  std::size_t refused = 0;
  test::for_each_case(
      "generated tables",
      [&](RandomStream& random) {
        const test::GeneratedTable truth = test::generated_table(random);
        const test::CsvFile file(truth.text);
        INFO(truth.text);
        ++all;
        try {
          const SourceText source = read_source(file.path(), {});
          const Table table =
              parse_csv(std::array{CsvText{source.csv, "sheet", 0, {}}}, {}, std::nullopt);
          if (has_bad_cell(table))
            ++refused;
          else
            REQUIRE(is_same(table, truth));
        } catch (const InputError& error) {
          ++refused;
          REQUIRE_FALSE(std::string(error.what()).empty());
        }
      },
      2000);
  CHECK(10 * refused <= all);
}

}  // namespace perfmodel
