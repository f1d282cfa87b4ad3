#include "compare/comparison.hpp"

#include "perfmodel/error.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/rows.hpp"

using namespace perfmodel;
using perfmodel::test::table_of;

namespace {

Table runs() {
  return table_of("batch,kind,time\n8,a,1\n64,a,2\n16,a,3\n32,b,4\n128,b,5\n8,b,6\n");
}

Extrapolation split_runs(const Table& table, std::string_view column, std::optional<double> limit) {
  return split_by_value(table, test::rows_between(0, table.rows()), column, limit);
}

}  // namespace

TEST_CASE("extrapolation trains on the lower values and tests on the higher ones") {
  const Extrapolation by_default = split_runs(runs(), "batch", std::nullopt);
  CHECK(by_default.limit == 32);  // 3 of 5 values
  CHECK(by_default.split.train == std::vector<std::size_t>{0, 2, 3, 5});
  CHECK(by_default.split.test == std::vector<std::size_t>{1, 4});
  CHECK(split_runs(runs(), "batch", 8.0).split.train == std::vector<std::size_t>{0, 5});
  const Extrapolation two_values = split_runs(table_of("n,time\n1,2\n2,1\n"), "n", std::nullopt);
  CHECK(two_values.limit == 1);
}

TEST_CASE("extrapolation refuses texts, single values and limits that leave nothing") {
  CHECK_THROWS_WITH(split_runs(runs(), "kind", std::nullopt),
                    "column 'kind' in runs.csv holds texts; only numbers can be extrapolated");
  CHECK_THROWS_AS(split_runs(runs(), "batches", std::nullopt), InputError);
  CHECK_THROWS_WITH(split_runs(runs(), "batch", 128.0),
                    "--extrapolate batch:128: runs.csv has values from 8 to 128, so one side would "
                    "have no rows");
  CHECK_THROWS_AS(split_runs(table_of("n,time\n1,2\n1,1\n"), "n", std::nullopt), UsageError);
}
