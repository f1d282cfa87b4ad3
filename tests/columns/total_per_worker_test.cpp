#include "roles/derived.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;
using Strings = std::vector<std::string>;
using test::table_of;

namespace {

struct Grid {
  std::string total = "global_batch";
  std::string workers = "num_gpus";
  std::vector<int> each = {32, 45, 64, 91};  ///< what a worker has
  bool is_set_as_total = false;              ///< these are totals
};

/// A run for each number of workers and each batch.
Table runs_of(const Grid& grid, const std::string& order = "total first") {
  const auto row_of = [&](const auto& total, const auto& workers, const auto& width,
                          const auto& time) {
    return order == "total first" ? test::csv_row(total, workers, width, time)
                                  : test::csv_row(workers, total, width, time);
  };
  std::string csv = row_of(grid.total, grid.workers, "width", "time_s");
  int row = 0;
  for (const int workers : {1, 2, 3, 4, 6, 8})
    for (const int batch : grid.each) {
      const int total = grid.is_set_as_total ? batch : batch * workers;
      csv += row_of(total, workers, 32 + row * row % 5, 1 + row % 3);
      ++row;
    }
  return table_of(csv);
}

std::optional<TotalPerWorker> found_in(const Table& table, const RoleRequest& request = {}) {
  return find_total_per_worker(table, resolve_roles(table, request));
}

RoleRequest with_scales(const Strings& scales) {
  RoleRequest request;
  request.extrinsic = scales;
  return request;
}

}  // namespace

TEST_CASE("a total that was set by what each worker has is found", "[total-per-worker]") {
  const auto found = found_in(runs_of({}));
  REQUIRE(found);
  CHECK(found->total == "global_batch");
  CHECK(found->workers == "num_gpus");
  CHECK(found->column() == "global_batch_per_num_gpus");
  CHECK(found->per_worker == 4);
  CHECK(found->values == 20);  // 64, 128, 192 and 256 are two each

  const auto reversed = found_in(runs_of({}, "workers first"));
  REQUIRE(reversed);
  CHECK(reversed->column() == found->column());
}

TEST_CASE("a total is left where it was set as one, or nothing says that it is one",
          "[total-per-worker]") {
  CHECK_FALSE(found_in(runs_of({.is_set_as_total = true})));
  CHECK_FALSE(
      found_in(runs_of({.each = {64}, .is_set_as_total = true}), with_scales({"num_gpus"})));
  CHECK_FALSE(found_in(runs_of({.total = "filters"})));
  CHECK_FALSE(found_in(runs_of({.total = "local_batch"})));
  CHECK_FALSE(found_in(runs_of({.total = "total_gpus", .workers = "num_nodes"})));
  CHECK_FALSE(found_in(runs_of({.workers = "layers"}), with_scales({"layers"})));
  CHECK(found_in(runs_of({.total = "batch_size", .workers = "ranks"})));
  CHECK(found_in(runs_of({.total = "total_tokens", .workers = "mpi_procs"}),
                 with_scales({"total_tokens", "mpi_procs"})));
}

TEST_CASE("a total is left where another input says what each worker has", "[total-per-worker]") {
  std::string csv = "global_batch,local_batch,num_gpus,time_s\n";
  int row = 0;
  for (const int gpus : {1, 2, 3, 4, 6, 8})
    for (const int batch : {32, 45, 64, 91})
      csv += test::csv_row(batch * gpus, batch, gpus, 1 + row++ % 3);
  const Table table = table_of(csv);
  CHECK_FALSE(found_in(table));  // global_batch is left out
  CHECK(found_in(table, with_scales({"global_batch", "num_gpus"})));
  CHECK_FALSE(found_in(table, with_scales({"global_batch", "local_batch", "num_gpus"})));
}

TEST_CASE("a column of that name, or names that no formula can have, leave a total as it is",
          "[total-per-worker]") {
  CHECK_FALSE(
      found_in(runs_of({.total = "Global Batch"}), with_scales({"Global Batch", "num_gpus"})));
  Table table = runs_of({});
  table.columns[2].name = "global_batch_per_num_gpus";  // of another meaning
  CHECK_FALSE(found_in(table));
}

TEST_CASE("the share of each worker becomes a derived column in place of the total",
          "[total-per-worker]") {
  Table table = runs_of({});
  Roles roles = resolve_roles(table, with_scales({"global_batch", "num_gpus"}));
  const std::size_t notices = roles.notices.size();
  count_total_per_worker(table, roles);
  CHECK(roles.extrinsic == Strings{"global_batch_per_num_gpus", "num_gpus"});
  REQUIRE(roles.derived.size() == 1);
  CHECK(roles.derived[0].definition() == "global_batch_per_num_gpus = global_batch / num_gpus");
  const std::vector<double>& each = table.at("global_batch_per_num_gpus").numbers;
  CHECK(std::vector(each.begin(), each.begin() + 6) == std::vector<double>{32, 45, 64, 91, 32, 45});
  REQUIRE(roles.notices.size() == notices + 1);
  CHECK(roles.notices.back() ==
        "Column 'global_batch' counts per 'num_gpus', as it was set: 4 different values in place "
        "of 20. --keep-totals leaves it as it is.");

  Table other = runs_of({.is_set_as_total = true});
  Roles same = resolve_roles(other, {});
  const std::size_t columns = other.columns.size();
  count_total_per_worker(other, same);
  CHECK(other.columns.size() == columns);
  CHECK(same.derived.empty());
}

TEST_CASE("a column that the user derived already is not derived again", "[total-per-worker]") {
  const auto found_beside = [](const std::string& definition) {
    RoleRequest request = with_scales({"global_batch", "num_gpus"});
    request.derived = {parse_derived(definition)};
    return found_in(derive_as_requested(runs_of({}), request.derived), request);
  };
  CHECK_FALSE(found_beside("mine = global_batch / num_gpus"));
  CHECK_FALSE(found_beside("mine = 1 / (num_gpus / global_batch)"));
  CHECK(found_beside("other = global_batch * num_gpus"));
  // What is computed is neither a total nor a number of workers.
  CHECK(found_beside("num_nodes = num_gpus / global_batch")->workers == "num_gpus");
}
