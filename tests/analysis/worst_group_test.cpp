#include "analysis/errors.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

namespace {

/// Runs of three levels and a number, and how far each is off, as a share of its time.
struct JudgedDesign {
  ModelSpec spec;
  Design runs;
  std::vector<double> errors;

  Eigen::VectorXd predicted() const {
    Eigen::VectorXd out = runs.time;
    for (std::size_t row = 0; row < runs.rows; ++row)
      out[index(row)] *= 1 + errors[row];
    return out;
  }
};

constexpr std::size_t kRows = 90;

/// A new configuration each, errors normal with a deviation of 10 %.
JudgedDesign judged_design(std::uint64_t seed) {
  JudgedDesign out;
  out.spec.categorical = {{"kind", {"a", "b", "c"}}};
  out.spec.intrinsic = {{.column = "size", .low = 1, .high = 90}};
  out.runs.rows = kRows;
  out.runs.time = Eigen::VectorXd::Constant(index(kRows), 2.0);
  RandomStream random(seed, "worst group");
  LevelFactor kinds{3, {}};
  NumericFactor sizes;
  for (std::size_t row = 0; row < kRows; ++row) {
    kinds.codes.push_back(static_cast<std::uint32_t>(row % 3));
    sizes.values.push_back(static_cast<double>(row + 1));
    sizes.codes.push_back(static_cast<std::uint32_t>(row));
    out.errors.push_back(0.1 * random.normal());
  }
  out.runs.categorical = {kinds};
  out.runs.intrinsic = {sizes};
  return out;
}

std::optional<WorstGroup> worst_of(const JudgedDesign& design) {
  return worst_group(design.spec, design.runs, design.predicted());
}

}  // namespace

TEST_CASE("the level with the largest errors is named with them", "[page]") {
  JudgedDesign design = judged_design(1);
  double inside = 0;
  double outside = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    if (row % 3 == 1)
      design.errors[row] *= 3;
    (row % 3 == 1 ? inside : outside) += std::abs(design.errors[row]);
  }
  const auto worst = worst_of(design);
  REQUIRE(worst);
  CHECK(worst->column == "kind");
  CHECK(worst->values == "b");
  CHECK(worst->mape == Approx(100 * inside / 30));
  CHECK(worst->mape_of_the_rest == Approx(100 * outside / 60));
}

TEST_CASE("the low or high end of a numeric column can be the worst group, its middle cannot",
          "[page]") {
  JudgedDesign design = judged_design(2);
  for (std::size_t row = 80; row < kRows; ++row)
    design.errors[row] = 0.5;
  const auto worst = worst_of(design);
  REQUIRE(worst);
  CHECK(worst->column == "size");
  CHECK(worst->values == "81 .. 90");

  design = judged_design(2);
  for (std::size_t row = 40; row < 50; ++row)
    design.errors[row] = 0.5;
  CHECK_FALSE(worst_of(design));
}

TEST_CASE("a group that is surely but little worse, or much worse by one run, is not named",
          "[page]") {
  JudgedDesign design = judged_design(3);
  for (std::size_t row = 0; row < kRows; ++row)
    design.errors[row] = row % 3 == 0 ? 0.13 : 0.10;
  CHECK_FALSE(worst_of(design));
  for (std::size_t row = 0; row < kRows; ++row)
    design.errors[row] = row % 3 == 0 ? 0.16 : 0.10;
  CHECK(worst_of(design));

  design = judged_design(3);
  design.errors[4] = 20;
  CHECK_FALSE(worst_of(design));
}

TEST_CASE("by chance a group is named once in a hundred times, also with repeated runs", "[page]") {
  // At most 1 % over all groups of a file; more than 8 of 200 have a probability of 2e-4 then.
  std::size_t named = 0;
  std::size_t named_of_repeated = 0;
  for (std::uint64_t seed = 100; seed < 300; ++seed) {
    JudgedDesign design = judged_design(seed);
    named += worst_of(design) ? 1U : 0U;
    // Ten sizes, so that there are 30 configurations; three runs of each have its error.
    for (std::size_t row = 0; row < kRows; ++row) {
      design.runs.intrinsic[0].codes[row] = static_cast<std::uint32_t>(row / 9);
      design.errors[row] = design.errors[row % 3 + 9 * (row / 9)];
    }
    named_of_repeated += worst_of(design) ? 1U : 0U;
  }
  CHECK(named <= 8);
  CHECK(named_of_repeated <= 8);
}
