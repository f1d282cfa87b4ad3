#include "table/derived.hpp"

#include <numeric>
#include <string>

#include "perfmodel/columns.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"

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
      csv += std::to_string(batch) + "," + std::to_string(batch * gpus) + "," +
             std::to_string(gpus / 4) + "," + std::to_string(gpus) + "," + width + "," +
             std::to_string(1 + row++ % 3) + "\n";
    }
  return csv;
}

ModelSpec spec_of(const RoleRequest& request) {
  const Table table = table_of(tied_runs());
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return make_spec(table, resolve_roles(table, request), rows);
}

}  // namespace

TEST_CASE("columns that follow from a scale are tied to it where flags keep them", "[central]") {
  CHECK(spec_of({}).ties.empty());  // what follows is left out
  RoleRequest request;
  request.intrinsic = {"local_batch", "global_batch", "width"};
  request.extrinsic = {"num_gpus", "num_nodes"};
  const ModelSpec spec = spec_of(request);
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
      csv += std::to_string(nodes) + "," + std::to_string(8 * nodes) + "," +
             std::to_string(128 * nodes) + "," + std::to_string(layers) + "," +
             std::to_string(1 + row++ % 5) + "\n";
  const Table table = table_of(csv);
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  RoleRequest request;
  request.extrinsic = {"nodes", "num_gpus", "global_batch"};
  const ModelSpec spec = make_spec(table, resolve_roles(table, request), rows);
  CHECK(spec.ties.size() == 6);
  for (std::size_t scale = 0; scale < 3; ++scale) {
    const Configuration at{{24}, {}, {2, 16, 256}};
    const auto moved = with_scale(spec, at, scale, 4 * at.extrinsic[scale]);
    REQUIRE(moved);
    CHECK(moved->extrinsic == std::vector<double>{8, 64, 1024});
    CHECK(moved->intrinsic == std::vector<double>{24});
  }
}
