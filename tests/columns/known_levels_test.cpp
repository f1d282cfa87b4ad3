#include "columns/design.hpp"

#include "support/catch.hpp"
#include "support/csv_text.hpp"

using namespace perfmodel;

TEST_CASE("rows with levels that a model does not know are told apart", "[levels]") {
  ModelSpec spec;
  spec.categorical = {{"gpu", {"a100", "v100"}}, {"version", {"1", "2"}}, {"absent", {"x"}}};
  const Table table = test::table_of(
      "gpu,version,time_s\na100,1,1\nh100,2,1\n,1,1\nv100,1.0,1\nh100,3,1\n", {"gpu", "version"});
  const KnownLevelRows known = rows_of_known_levels(table, spec);
  // A blank cell is no level, and "1.0" is "1".
  CHECK(known.rows == std::vector<std::size_t>{0, 2, 3});
  REQUIRE(known.unknown.size() == 2);
  CHECK(known.unknown[0].column == "gpu");
  CHECK(known.unknown[0].level == "h100");
  CHECK(known.unknown[0].rows == 2);
  CHECK(known.unknown[0].line == 3);
  CHECK(known.unknown[1].column == "version");
  CHECK(known.unknown[1].level == "3");
  CHECK(known.unknown[1].rows == 1);
  CHECK(known.unknown[1].line == 6);
}
