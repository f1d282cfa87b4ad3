#include "perfmodel/unmeasured.hpp"
#include "perfmodel/design.hpp"

#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;

namespace {

/// Runs over batch sizes and workers of which a condition picks the measured ones, three times
/// each.
template <class Condition>
test::PaperRuns grid(const Condition& measured) {
  std::string csv = "filters,activation,workers,batch_size,time_s\n";
  for (int repeat = 0; repeat < 3; ++repeat)
    for (const int filters : {4, 8, 16})
      for (const char* activation : {"relu", "tanh"})
        for (const int workers : {1, 2, 4, 8})
          for (const int batch : {8, 16, 32, 64, 128})
            if (measured(workers, batch, activation))
              csv += test::csv_row(filters, activation, workers, batch, "1");
  return test::runs_of(test::table_of(csv));
}

std::vector<std::string> texts(const test::PaperRuns& runs) {
  std::vector<std::string> out;
  for (const UnmeasuredRegion& region : find_unmeasured(runs.spec, runs.design))
    out.push_back(to_text(region));
  return out;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("the corner that a plan left out and a level that was measured at some values are found",
          "[unmeasured]") {
  CHECK(texts(grid([](int, int, const std::string&) { return true; })).empty());
  CHECK(texts(grid([](int workers, int batch, const std::string&) {
          return workers < 4 || batch > 16;
        })) == Texts{"workers in 4 .. 8 with batch_size in 8 .. 16"});
  CHECK(texts(grid([](int workers, int, const std::string& activation) {
          return workers < 8 || activation == "relu";
        })) == Texts{"activation = tanh with workers = 8"});
}

TEST_CASE("a random plan of the usual size leaves nothing unmeasured", "[unmeasured]") {
  for (const std::size_t rows : {50U, 100U, 900U}) {
    const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, rows, 0, 3);
    CAPTURE(rows);
    CHECK(texts(runs) == Texts{});
  }
}

TEST_CASE("a level without a training row is a region of its own", "[unmeasured]") {
  const test::PaperRuns runs = grid([](int, int, const std::string&) { return true; });
  std::vector<std::size_t> relu_rows;
  for (std::size_t row = 0; row < runs.design.rows; ++row)
    if (runs.table.find("activation")->text(row) == "relu")
      relu_rows.push_back(row);
  const auto regions = find_unmeasured(runs.spec, take_rows(runs.design, relu_rows));
  REQUIRE(regions.size() == 1);
  CHECK(to_text(regions.front()) == "activation = tanh");
  const std::vector<bool> inside = rows_in_region(regions.front(), runs.spec, runs.design);
  for (std::size_t row = 0; row < runs.design.rows; ++row)
    CHECK(inside[row] == (runs.table.find("activation")->text(row) == "tanh"));
}

TEST_CASE("two columns of very many levels need no table of all their pairs", "[unmeasured]") {
  constexpr std::size_t levels = 400'000;  // 1.3 TB of pairs
  ModelSpec spec;
  Design design;
  design.rows = levels;
  for (const char* column : {"host", "job"}) {
    spec.categorical.push_back({column, std::vector<std::string>(levels, "some")});
    design.categorical.push_back({.levels = levels, .codes = {}});
    for (std::size_t row = 0; row < levels; ++row)
      design.categorical.back().codes.push_back(static_cast<std::uint32_t>(row));
  }
  CHECK(find_unmeasured(spec, design).empty());
}
