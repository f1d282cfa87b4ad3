#include "roles/left_out.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "perfmodel/columns.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/runs_text.hpp"

namespace perfmodel {
namespace {

using test::table_of;
using Texts = std::vector<std::string>;

constexpr int kByProductRuns = 60;

/// Three filters, four counts of GPUs, five batches, and a time that nobody could guess.
struct ByProductRun {
  double filters;
  double gpus;
  double batch;
  double time;
};

ByProductRun by_product_run(int row) {
  const double filters = 8 << (row % 3);
  const double gpus = 1 << (row / 3 % 4);
  const double batch = 16 << (row / 12 % 5);
  const double noise = 1 + 0.2 * std::sin(7.3 * row * row);
  return {filters, gpus, batch, 0.01 * std::sqrt(filters) * batch / std::pow(gpus, 0.7) * noise};
}

/// The roles of such runs with one more column.
template <class Value>
Roles roles_with(const std::string& column, Value value, const RoleRequest& request = {}) {
  std::string csv = "filters,gpus,batch_size," + column + ",time_s\n";
  for (int row = 0; row < kByProductRuns; ++row) {
    const ByProductRun run = by_product_run(row);
    csv += test::csv_row(run.filters, run.gpus, run.batch, value(run, row), run.time);
  }
  return resolve_roles(table_of(csv), request);
}

double wobble(int row) {
  return 1 + 0.3 * std::sin(3.1 * row * row + 1);
}

TEST_CASE("a result by its name that has a value of its own in most rows is no input",
          "[roles][by-products]") {
  const std::string name = GENERATE("mfu", "gpu_util", "loss", "forward_ms");
  const Roles roles = roles_with(name, [](const ByProductRun&, int row) { return wobble(row); });
  CHECK(roles.intrinsic == Texts{"filters"});
  CHECK(roles.notices[2] == "Column '" + name +
                                "' looks like a result of the runs, not an input, and is left "
                                "out; pass --intrinsic " +
                                name + ",filters to keep it.");
}

TEST_CASE("the digits of a measurement make a result of any name, round values a setting",
          "[roles][by-products]") {
  using Run = ByProductRun;
  const auto [name, value, is_input] =
      GENERATE(table<std::string, double (*)(const Run&, int), bool>({
          {"seq_len", [](const Run&, int row) { return 128. * (1 << row / 2 % 4); }, true},
          {"x", [](const Run&, int row) { return 10. * (1 + row / 2 % 4); }, true},
          {"seq_len", [](const Run&, int row) { return wobble(row); }, false},
          {"x",
           [](const Run& run, int row) {
             return run.batch / run.time * (1 + 0.03 * std::cos(2.2 * row));
           },
           false},
      }));
  INFO(name);
  CHECK(roles_with(name, value).intrinsic ==
        (is_input ? Texts{"filters", name} : Texts{"filters"}));
}

TEST_CASE("a column that follows from the time is no input, whatever its name",
          "[roles][by-products]") {
  using Run = ByProductRun;
  const auto [law, value] = GENERATE(table<std::string, double (*)(const Run&, int)>({
      {"1 / time_s", [](const Run& run, int) { return 1 / run.time; }},
      {"batch_size / time_s", [](const Run& run, int) { return run.batch / run.time; }},
      {"gpus * time_s", [](const Run& run, int) { return run.gpus * run.time / 3600; }},
      {"batch_size * filters / time_s",
       [](const Run& run,
          int row) { return run.batch * run.filters / run.time * (1 + 0.009 * std::cos(2.2 * row)); }},
  }));
  const Roles roles = roles_with("x", value);
  CHECK(roles.intrinsic == Texts{"filters"});
  CHECK(roles.notices[2] == "Column 'x' is " + law + ", up to a factor, in every row.");
}

TEST_CASE("an input that the time is proportional to stays", "[roles][by-products]") {
  std::string csv = "size,gpus,time_s\n";
  for (int row = 0; row < 40; ++row) {
    const double size = 100 + row % 7 * 50;
    const double gpus = 1 << (row / 7);
    csv += test::csv_row(size, gpus, size / gpus);
  }
  CHECK(resolve_roles(table_of(csv), {}).intrinsic == Texts{"size"});
}

TEST_CASE("a flag keeps a column that looks like a result", "[roles][by-products]") {
  RoleRequest request;
  request.intrinsic = Texts{"filters", "steps_per_s"};
  const auto rate = [](const ByProductRun& run, int) { return 1 / run.time; };
  CHECK(roles_with("steps_per_s", rate, request).intrinsic == Texts{"filters", "steps_per_s"});
  CHECK(roles_with("steps_per_s", rate).intrinsic == Texts{"filters"});
  request = {};
  request.extrinsic = Texts{"steps_per_s"};
  CHECK(roles_with("steps_per_s", rate, request).extrinsic == Texts{"steps_per_s"});
}

TEST_CASE("the last input stays, though it looks like a result", "[roles][by-products]") {
  RoleRequest request;
  request.target = "time_s";
  request.extrinsic = Texts{};
  const Roles roles = resolve_roles(
      table_of("forward_ms,time_s\n1.5,1.75\n2.5,2.75\n3.5,3\n4.25,9\n5.5,5\n"), request);
  CHECK(roles.intrinsic == Texts{"forward_ms"});
}

TEST_CASE("texts are no results", "[roles][by-products]") {
  std::string csv = "loss,gpus,time_s\n";
  for (int row = 0; row < 12; ++row)
    csv += test::csv_row(std::string(row % 2 == 0 ? "hinge" : "mse"), 1 + row % 3, wobble(row));
  CHECK(resolve_roles(table_of(csv), {}).categorical == Texts{"loss"});
}

}  // namespace
}  // namespace perfmodel
