#include "roles/left_out.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/runs_text.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::Contains;
using test::table_of;
using Texts = std::vector<std::string>;

constexpr int kIdentityRuns = 72;

/// A grid of four counts of workers, three batches, three depths, two precisions.
struct GridRun {
  double gpus;
  double batch;
  double depth;
  std::string precision;
  int row;
};

GridRun grid_run(int row) {
  return {double(1 << (row % 4)), 12. + row / 4 % 3 * 5, 3. + row / 12 % 3 * 4,
          row / 36 == 0 ? "fp16" : "fp32", row};
}

/// The roles of such runs with these columns for `gpus` and `batch` and one more.
template <class Value>
Roles roles_of_grid(const Texts& names, Value value, const RoleRequest& request = {}) {
  std::string csv = names[0] + "," + names[1] + ",depth,precision," + names[2] + ",time_s\n";
  for (int row = 0; row < kIdentityRuns; ++row) {
    const GridRun run = grid_run(row);
    csv += test::csv_row(run.gpus, run.batch, run.depth, run.precision, value(run),
                         1 + 0.3 * std::sin(3. * row * row));
  }
  return resolve_roles(table_of(csv), request);
}

std::string identity_notice(const std::string& column, const std::string& law) {
  return "Column '" + column + "' is " + law +
         " in every row and is left out; name it in --intrinsic or --extrinsic to keep it.";
}

Texts inputs_of(const Roles& roles) {
  Texts inputs = roles.extrinsic;
  inputs.insert(inputs.end(), roles.intrinsic.begin(), roles.intrinsic.end());
  return inputs;
}

TEST_CASE("of a total, its parts stay: the workers and what each does", "[roles][identities]") {
  // A batch without a qualifier is the whole one where another is per worker; of nodes, workers and
  // workers per node the nodes follow.
  const auto [names, inputs, follows, law] = GENERATE(table<Texts, Texts, std::string, std::string>(
      {{{"num_gpus", "local_batch", "global_batch"},
        {"num_gpus", "local_batch", "depth"},
        "global_batch",
        "local_batch * num_gpus"},
       {{"workers", "batch_size_per_worker", "batch_size"},
        {"workers", "batch_size_per_worker", "depth"},
        "batch_size",
        "batch_size_per_worker * workers"},
       {{"nodes", "gpus_per_node", "num_gpus"},
        {"num_gpus", "gpus_per_node", "depth"},
        "nodes",
        "num_gpus / gpus_per_node"}}));
  const Roles roles = roles_of_grid(names, [](const GridRun& run) { return run.gpus * run.batch; });
  CHECK(inputs_of(roles) == inputs);
  CHECK_THAT(roles.notices, Contains(std::vector{identity_notice(follows, law)}));
}

TEST_CASE("a number of a scale follows from the scale", "[roles][identities]") {
  struct Case {
    std::string column;
    double (*value)(const GridRun&);
    std::string law;
  };
  const Case item =
      GENERATE(Case{"slots", [](const GridRun& run) { return 8 * run.gpus; }, "8 * num_gpus"},
               Case{"nodes", [](const GridRun& run) { return run.gpus / 4; }, "num_gpus / 4"},
               Case{"share", [](const GridRun& run) { return 256 / run.gpus; }, "256 / num_gpus"},
               Case{"squares", [](const GridRun& run) { return 3 * run.gpus * run.gpus; },
                    "proportional to num_gpus^2"},
               Case{"log2_gpus", [](const GridRun& run) { return 1 + std::log2(run.gpus); },
                    "logarithmic in num_gpus"},
               Case{"memory",
                    [](const GridRun& run) { return run.gpus * (run.precision == "fp16" ? 2 : 3); },
                    "num_gpus times a number for each precision"},
               Case{"layers", [](const GridRun& run) { return run.gpus * run.batch * run.depth; },
                    "depth * local_batch * num_gpus"});
  const Roles roles = roles_of_grid({"num_gpus", "local_batch", item.column}, item.value);
  INFO(item.column);
  CHECK(inputs_of(roles) == Texts{"num_gpus", "local_batch", "depth"});
  CHECK_THAT(roles.notices, Contains(std::vector{identity_notice(item.column, item.law)}));
}

TEST_CASE("a column that others determine only approximately is kept", "[roles][identities]") {
  using Value = double (*)(const GridRun&);
  const Value value = GENERATE(
      Value([](const GridRun& run) { return run.gpus * run.batch + (run.row == 40 ? 1 : 0); }),
      Value([](const GridRun& run) { return run.gpus * run.batch * (1 + 0.01 * (run.row % 2)); }),
      Value([](const GridRun& run) { return run.gpus + run.batch + (run.row == 40 ? 1 : 0); }),
      Value([](const GridRun& run) { return 5. + (run.row * run.row) % 7; }));
  const Roles roles = roles_of_grid({"num_gpus", "local_batch", "x"}, value);
  CHECK(inputs_of(roles) == Texts{"num_gpus", "local_batch", "depth", "x"});
}

TEST_CASE("columns with too few different rows to judge are left alone", "[roles][identities]") {
  // Two values each: any two such columns are a power of one another.
  const Roles two =
      resolve_roles(table_of("workers,filters,time_s\n1,8,1\n2,16,2\n1,8,3\n2,16,4\n"), {});
  CHECK(inputs_of(two) == Texts{"workers", "filters"});
  // Three values in three rows.
  const Roles three =
      resolve_roles(table_of("workers,filters,time_s\n1,8,1\n2,16,2\n4,32,3\n"), {});
  CHECK(inputs_of(three) == Texts{"workers", "filters"});
  // Four rows of three columns.
  const Roles four = resolve_roles(
      table_of("workers,filters,kernel,time_s\n1,8,8,1\n2,8,16,2\n1,4,4,3\n2,4,8,4\n"), {});
  CHECK(inputs_of(four) == Texts{"workers", "filters", "kernel"});
}

TEST_CASE("a column that a flag names stays, and another follows", "[roles][identities]") {
  const auto product = [](const GridRun& run) { return run.gpus * run.batch; };
  const Texts names{"num_gpus", "local_batch", "global_batch"};
  RoleRequest request;
  request.extrinsic = Texts{"num_gpus", "global_batch"};
  const Roles two = roles_of_grid(names, product, request);
  CHECK(inputs_of(two) == Texts{"num_gpus", "global_batch", "depth"});
  CHECK_THAT(two.notices,
             Contains(std::vector{identity_notice("local_batch", "global_batch / num_gpus")}));
  request.extrinsic = names;
  CHECK(inputs_of(roles_of_grid(names, product, request)) ==
        Texts{"num_gpus", "local_batch", "global_batch", "depth"});
}

TEST_CASE("columns that --derive computes and what they are of stay", "[roles][identities]") {
  Table table =
      table_of("gpus,x,y,time_s\n1,2,3,1\n2,2,5,2\n4,3,3,3\n1,3,5,4\n2,4,3,5\n4,4,5,6\n1,2,5,7\n");
  RoleRequest request;
  request.derived = {parse_derived("xy = x * y")};
  table = derive_as_requested(table, request.derived);
  CHECK(inputs_of(resolve_roles(table, request)) == Texts{"gpus", "x", "y", "xy"});
}

TEST_CASE("the order of the columns does not choose", "[roles][identities]") {
  std::string one = "heads,hidden,gpus,time_s\n";
  std::string other = "time_s,gpus,hidden,heads\n";
  for (int row = 0; row < 12; ++row) {
    const std::string heads = std::to_string(4 + row % 3 * 4);
    const std::string hidden = std::to_string(64 * (4 + row % 3 * 4));
    const std::string gpus = std::to_string(1 << (row / 3));
    one += test::csv_row(heads, hidden, gpus, 1 + 0.1 * (row * row % 5));
    other += test::csv_row(1 + 0.1 * (row * row % 5), gpus, hidden, heads);
  }
  CHECK(inputs_of(resolve_roles(table_of(one), {})) == Texts{"gpus", "hidden"});
  CHECK(inputs_of(resolve_roles(table_of(other), {})) == Texts{"gpus", "hidden"});
}

TEST_CASE("whole numbers that are a sum of others and of their products follow from them",
          "[roles][identities]") {
  const auto left_out = [](const std::string& csv) {
    return mapped(resolve_roles(table_of(csv), {}).left_out,
                  [](const LeftOut& item) { return item.column + " = " + item.identity; });
  };
  CHECK(left_out("prompt,b,kv,t_s\n512,1,544,.742\n512,2,1088,1.108\n512,4,2176,1.818\n"
                 "4096,1,4128,3.112\n4096,2,8256,5.868\n4096,4,16512,11.349\n") ==
        Texts{"kv = 32 * b + b * prompt"});
  CHECK(left_out("size,depth,tokens,t_s\n100,10,110,.7\n100,20,120,.9\n100,40,140,1.1\n"
                 "300,10,310,2.1\n300,20,320,2.4\n300,40,340,2.9\n") ==
        Texts{"tokens = depth + size"});
  // With another number in one of the rows it is none.
  CHECK(left_out("size,depth,tokens,t_s\n100,10,110,.7\n100,20,120,.9\n100,40,140,1.1\n"
                 "300,10,310,2.1\n300,20,320,2.4\n300,40,341,2.9\n") !=
        Texts{"tokens = depth + size"});
}

}  // namespace
}  // namespace perfmodel
