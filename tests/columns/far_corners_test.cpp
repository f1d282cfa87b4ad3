#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "perfmodel/design.hpp"
#include "perfmodel/unmeasured.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;

namespace {

using Values = std::vector<double>;

struct Pairs {
  Values a;
  Values b;

  void add(double of_a, double of_b) {
    a.push_back(of_a);
    b.push_back(of_b);
  }
};

NumericInput input_of(const std::string& column, const Values& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  NumericInput input{.column = column, .low = *low, .high = *high};
  if (*low == 0)
    input.zero = ZeroValue{.unit = 1};
  return input;
}

/// The regions of two columns with so few rows that none is expected in a pair of cells.
std::vector<UnmeasuredRegion> corners_of(const Pairs& pairs) {
  ModelSpec spec;
  spec.intrinsic = {input_of("a", pairs.a), input_of("b", pairs.b)};
  Design design;
  design.rows = pairs.a.size();
  design.intrinsic = {{.values = pairs.a, .codes = {}}, {.values = pairs.b, .codes = {}}};
  return find_unmeasured(spec, design);
}

bool is_far(const std::vector<UnmeasuredRegion>& regions, double a, double b) {
  return std::any_of(
      regions.begin(), regions.end(),
      [&](const UnmeasuredRegion& region) {
        const RegionPart& of_a = region.parts[0];
        const RegionPart& of_b = region.parts[1];
        return of_a.low <= a && a <= of_a.high && of_b.low <= b && b <= of_b.high;
      });
}

/// a = 4 .. 64 at b = 10, and b = 10 .. 50 at a = 4.
Pairs crossing_lines() {
  Pairs out;
  for (const double a : {4., 8., 16., 32., 64.})
    out.add(a, 10);
  for (const double b : {20., 30., 40., 50.})
    out.add(4, b);
  return out;
}

}  // namespace

TEST_CASE("the corner between two lines that cross is not measured", "[unmeasured]") {
  const std::vector<UnmeasuredRegion> regions = corners_of(crossing_lines());
  REQUIRE(regions.size() == 1);
  CHECK(to_text(regions[0]) == "a in 19 .. 64 with b in 24.7 .. 50");
  CHECK(is_far(regions, 64, 50));
  CHECK(is_far(regions, 32, 30));
  Pairs runs = crossing_lines();
  for (std::size_t row = 0; row < runs.a.size(); ++row)
    CHECK(!is_far(regions, runs.a[row], runs.b[row]));
  CHECK(!is_far(regions, 8, 20));
  // A run in the corner takes it away.
  runs.add(64, 50);
  CHECK(corners_of(runs).empty());
}

TEST_CASE("a full grid leaves no corner, however its values lie", "[unmeasured]") {
  const std::vector<Values> columns = {{1, 2},       {1, 2, 4, 8},  {1, 1000},  {0, 1},
                                       {0, 1, 2, 8}, {1, 2, 65536}, {999, 1001}};
  for (const Values& of_a : columns) {
    for (const Values& of_b : columns) {
      Pairs runs;
      for (const double a : of_a)
        for (const double b : of_b)
          runs.add(a, b);
      CAPTURE(of_a, of_b);
      CHECK(corners_of(runs).empty());
    }
  }
}

TEST_CASE("in random rows a corner is far about as often as by chance", "[unmeasured]") {
  // A corner is far where none of n rows falls into its quarter: 0.75^n, 1.4 % for 15 rows, at each
  // of four corners, and not once in a million for 50.
  RandomStream random(5, "corners");
  std::size_t few = 0;
  for (int draw = 0; draw < 400; ++draw) {
    for (const std::size_t rows : {15U, 50U}) {
      Pairs runs;
      for (std::size_t row = 0; row < rows; ++row)
        runs.add(std::exp(4 * random.uniform()), std::exp(3 * random.uniform()));
      const std::size_t regions = corners_of(runs).size();
      if (rows == 50)
        CHECK(regions == 0);
      else
        few += regions > 0 ? 1U : 0U;
    }
  }
  // The rows seldom reach the ends of their range, which makes quarters of what they span fuller.
  CHECK(few <= 40);
}

TEST_CASE("rows at the ends of a diagonal leave both corners beside it", "[unmeasured]") {
  Pairs runs;
  for (const double nodes : {1., 1.5, 12., 16.})
    runs.add(nodes, 4 * nodes);
  const std::vector<UnmeasuredRegion> regions = corners_of(runs);
  CHECK(is_far(regions, 16, 4));
  CHECK(is_far(regions, 1, 64));
  CHECK(!is_far(regions, 3, 12));  // rows lie on all sides
}

TEST_CASE("edges of narrow columns are not rounded away", "[unmeasured]") {
  Pairs runs;
  for (const double a : {1000., 1000.1, 1000.2, 1000.3, 1000.4})
    runs.add(a, 1);
  runs.add(1000, 2);
  const std::vector<UnmeasuredRegion> regions = corners_of(runs);
  CHECK(is_far(regions, 1000.4, 2));
  CHECK(!is_far(regions, 1000.1, 2));
}

TEST_CASE("what few rows leave out is among the regions of a model", "[unmeasured]") {
  std::string csv = "a,b,gpus,time_s\n";
  const Pairs lines = crossing_lines();
  for (std::size_t row = 0; row < lines.a.size(); ++row)
    for (const int gpus : {1, 2})
      csv += test::csv_row(lines.a[row], lines.b[row], gpus, lines.a[row]);
  const test::PaperRuns runs = test::runs_of(test::table_of(csv));
  const std::vector<UnmeasuredRegion> regions = find_unmeasured(runs.spec, runs.design);
  REQUIRE(regions.size() == 1);
  CHECK(to_text(regions[0]) == "a in 19 .. 64 with b in 24.7 .. 50");
}
