#include "perfmodel/spec.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"

#include "support/catch.hpp"
#include "support/csv_text.hpp"

namespace perfmodel {
namespace {

using test::table_of;
using Texts = std::vector<std::string>;

constexpr std::string_view kSpecRuns =
    "filters,padding,mode,workers,time_ms\n"
    "64,valid,16,1,0.1\n"
    "4,same,8,2,0.2\n"
    "16,same,b,2,0.3\n"
    "8,valid,a,4,0.3\n";

TEST_CASE("a spec has the inputs in the order of the roles, levels sorted", "[spec]") {
  RoleRequest request;
  request.categorical = {"mode"};
  const Table table = table_of(kSpecRuns, {"mode"});
  const std::vector<std::size_t> training{0, 1};
  const ModelSpec spec = make_spec(table, resolve_roles(table, request), training);

  CHECK(spec.target == "time_ms");
  CHECK(spec.unit == "ms");
  REQUIRE(spec.intrinsic.size() == 1);
  CHECK(spec.intrinsic[0].column == "filters");
  REQUIRE(spec.categorical.size() == 2);
  CHECK(spec.categorical[0].column == "padding");
  CHECK(spec.categorical[0].levels == Texts{"same", "valid"});
  CHECK(spec.categorical[1].column == "mode");
  CHECK(spec.categorical[1].levels == Texts{"8", "16", "a", "b"});
  REQUIRE(spec.extrinsic.size() == 1);
  CHECK(spec.extrinsic[0].column == "workers");
  CHECK(spec.level_count() == 6);
}

TEST_CASE("ranges come from the training rows, levels from all", "[spec]") {
  const Table table = table_of(
      "x,padding,gpus,time_s\n"
      "5,same,1,1\n"
      "3,same,2,1\n"
      "9,valid,8,1\n");
  const std::vector<std::size_t> training{0, 1};
  const ModelSpec spec = make_spec(table, resolve_roles(table, {}), training);
  CHECK(spec.intrinsic[0].low == 3);
  CHECK(spec.intrinsic[0].high == 5);
  CHECK(spec.extrinsic[0].low == 1);
  CHECK(spec.extrinsic[0].high == 2);
  CHECK(spec.categorical[0].levels == Texts{"same", "valid"});
}

TEST_CASE("the levels of a numeric column are the shortest texts of its numbers", "[spec]") {
  RoleRequest request;
  request.categorical = {"lr", "bias"};
  const Table table = table_of("lr,bias,x,gpus,time_s\n0.10,1,1,1,1\n1e-3,-0,2,2,1\n0.1,0,3,1,1\n");
  const std::vector<std::size_t> training{0, 1, 2};
  const ModelSpec spec = make_spec(table, resolve_roles(table, request), training);
  CHECK(spec.categorical[0].levels == Texts{"0.001", "0.1"});
  CHECK(spec.categorical[1].levels == Texts{"0", "1"});
  // A column read as text keeps levels that differ only in spelling.
  request.categorical = {"version"};
  const Table texts =
      table_of("version,x,gpus,time_s\n1.10,1,1,1\n1.1,2,2,1\n1.9,3,1,1\n", {"version"});
  CHECK(make_spec(texts, resolve_roles(texts, request), training).categorical[0].levels ==
        Texts{"1.1", "1.10", "1.9"});
}

}  // namespace
}  // namespace perfmodel
