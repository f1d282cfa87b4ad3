#include "roles/derived.hpp"

#include <string>

#include "perfmodel/columns.hpp"
#include "perfmodel/design.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;
using test::table_of;

namespace {

/// global_batch = local_batch * num_gpus, num_nodes = num_gpus / 4.
std::string tied_runs() {
  std::string csv = "local_batch,global_batch,num_nodes,num_gpus,width,time_s\n";
  int row = 0;
  for (const int gpus : {4, 8, 16, 32})
    for (const int batch : {8, 16, 64}) {
      const std::string width = std::to_string(32 + 7 * (row * row % 5));
      csv += test::csv_row(batch, batch * gpus, gpus / 4, gpus, width, 1 + row++ % 3);
    }
  return csv;
}

ModelSpec spec_of(const std::string& csv, const RoleRequest& request) {
  return test::runs_of(table_of(csv), request).spec;
}

}  // namespace

TEST_CASE("columns that follow from a scale are tied to it where flags keep them", "[central]") {
  CHECK(spec_of(tied_runs(), {}).ties.empty());  // what follows is left out
  RoleRequest request;
  request.intrinsic = {"local_batch", "global_batch", "width"};
  request.extrinsic = {"num_gpus", "num_nodes"};
  const ModelSpec spec = spec_of(tied_runs(), request);
  const auto tie = [&](const std::string& scale, const std::string& column) {
    for (const Tie& item : spec.ties)
      if (item.scale == scale && item.column == column)
        return item.power;
    return 0;
  };
  CHECK(tie("num_gpus", "global_batch") == 1);
  CHECK(tie("num_gpus", "num_nodes") == 1);
  CHECK(tie("num_nodes", "num_gpus") == 1);
  CHECK(tie("num_nodes", "global_batch") == 1);
  CHECK(spec.ties.size() == 4);

  // local_batch, global_batch, width; num_gpus, num_nodes in the order of the file
  Configuration at{{16, 128, 32}, {}, {8, 2}};
  if (spec.extrinsic[0].column == "num_nodes")
    std::swap(at.extrinsic[0], at.extrinsic[1]);
  const std::size_t gpus = spec.extrinsic[0].column == "num_gpus" ? 0 : 1;
  const auto moved = with_scale(spec, at, gpus, 16);
  REQUIRE(moved);
  CHECK(moved->intrinsic == std::vector<double>{16, 256, 32});
  CHECK(moved->extrinsic[gpus] == 16);
  CHECK(moved->extrinsic[1 - gpus] == 4);
}

TEST_CASE("columns tied over several identities all move, whichever is the scale", "[central]") {
  std::string csv = "nodes,num_gpus,global_batch,layers,time_s\n";
  int row = 0;
  for (const int nodes : {1, 2, 4, 8})
    for (const int layers : {12, 24, 48})
      csv += test::csv_row(nodes, 8 * nodes, 128 * nodes, layers, 1 + row++ % 5);
  RoleRequest request;
  request.extrinsic = {"nodes", "num_gpus", "global_batch"};
  const ModelSpec spec = spec_of(csv, request);
  CHECK(spec.ties.size() == 6);
  for (std::size_t scale = 0; scale < 3; ++scale) {
    const Configuration at{{24}, {}, {2, 16, 256}};
    const auto moved = with_scale(spec, at, scale, 4 * at.extrinsic[scale]);
    REQUIRE(moved);
    CHECK(moved->extrinsic == std::vector<double>{8, 64, 1024});
    CHECK(moved->intrinsic == std::vector<double>{24});
  }
}

namespace {

/// The law of `column` among runs on these GPUs; empty where there is none.
std::string step_law(const std::vector<int>& gpus, const std::vector<int>& column) {
  std::string csv = "gpus,used,width,time_s\n";
  for (std::size_t row = 0; row < gpus.size(); ++row)
    for (const int width : {10, 11, 17})
      csv += test::csv_row(gpus[row], column[row], width, 1 + row);
  RoleRequest request;
  request.extrinsic = {"gpus"};
  for (const std::string& notice : resolve_roles(table_of(csv), request).notices)
    if (notice.starts_with("Column 'used' is ceil("))
      return notice.substr(17, notice.find(" in every row") - 17);
  return "";
}

}  // namespace

TEST_CASE("of several sizes of a step that fit, a full one that was measured is taken",
          "[central][steps]") {
  CHECK(step_law({1, 2, 4, 8, 16, 32}, {1, 1, 1, 1, 2, 4}) == "ceil(gpus / 8)");
  CHECK(step_law({2, 3, 6, 12}, {1, 1, 1, 2}) == "ceil(gpus / 6)");
  // From 20 / 3 to below 10 all fit.
  CHECK(step_law({3, 4, 12, 20}, {1, 1, 2, 3}) == "ceil(gpus / 8)");
  // From 20 / 3 to below 7.5: no power of two.
  CHECK(step_law({3, 4, 15, 20}, {1, 1, 3, 3}) == "ceil(gpus / 7)");
  CHECK(step_law({1, 3, 6, 100, 150}, {256, 86, 43, 3, 2}).empty());  // a value for each
  CHECK(step_law({1, 3, 100, 127, 150}, {256, 86, 3, 3, 2}) == "ceil(256 / gpus)");
  // Evidence of too few runs, or not of all, makes no step.
  CHECK(step_law({1, 4, 16}, {1, 1, 2}).empty());
  CHECK(step_law({1, 2, 4, 16}, {1, 1, 1, 2}) == "ceil(gpus / 8)");
  CHECK(step_law({1, 2, 4, 16, 32}, {1, 1, 1, 3, 3}).empty());
  CHECK(step_law({1, 2, 4, 8, 16}, {1, 2, 1, 1, 2}).empty());
}

TEST_CASE("nodes and racks are steps in the GPUs, not in one another", "[central][steps]") {
  std::string csv = "b_gpus,a_racks,c_nodes,time_s\n";
  for (const int gpus : {1, 4, 8, 9, 16, 24, 32, 40, 64, 96})
    csv += test::csv_row(gpus, (gpus + 31) / 32, (gpus + 7) / 8, 1 + gpus % 3);
  RoleRequest request;
  request.extrinsic = {"a_racks", "b_gpus", "c_nodes"};
  const ModelSpec spec = spec_of(csv, request);
  REQUIRE(spec.ties.size() == 2);
  for (const Tie& tie : spec.ties) {
    CHECK(tie.scale == "b_gpus");
    CHECK(tie.divisor == (tie.column == "a_racks" ? 32 : 8));
    CHECK(spec.follows(tie.column));
  }
  CHECK_FALSE(spec.follows("b_gpus"));
  Configuration at{{}, {}, {}};
  for (const NumericInput& scale : spec.extrinsic)
    at.extrinsic.push_back(scale.column == "b_gpus" ? 8 : 1);
  for (std::size_t j = 0; j < 3; ++j)
    if (spec.extrinsic[j].column == "b_gpus") {
      const auto moved = with_scale(spec, at, j, 200);
      REQUIRE(moved);
      for (std::size_t k = 0; k < 3; ++k)
        CHECK(moved->extrinsic[k] == (spec.extrinsic[k].column == "b_gpus"    ? 200
                                      : spec.extrinsic[k].column == "a_racks" ? 7
                                                                              : 25));
    }
}
