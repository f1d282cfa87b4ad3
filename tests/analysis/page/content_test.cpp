#include "analysis/page/content.hpp"
#include "fit/sum/form/sum_form.hpp"

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"
#include "support/multi_runs.hpp"

using namespace perfmodel;
using namespace perfmodel::page;
using test::multi_runs;
using test::MultiRuns;

namespace {

struct Judged {
  MultiRuns runs;
  Eigen::VectorXd predicted;
};

Judged judged_runs(std::size_t rows, double noise) {
  Judged out{multi_runs(rows, noise, 3), {}};
  out.predicted = predict(out.runs.truth, out.runs.design);
  return out;
}

Content content_of_runs(const Judged& judged) {
  const MultiRuns& runs = judged.runs;
  return content_of({runs.truth,
                     "perfmodel",
                     "model.json",
                     {"runs.csv", runs.design.rows, "abc"},
                     runs.table.lines,
                     runs.design,
                     judged.predicted,
                     compute_metrics(runs.design.time, judged.predicted),
                     {}});
}

const ScaleCurve& curve_along(const Content& content, const std::string& column) {
  return *std::find_if(
      content.curves.begin(), content.curves.end(),
      [&](const ScaleCurve& curve) { return curve.column == column; });
}

}  // namespace

TEST_CASE("the shares of a sum are those of its terms and add up", "[report]") {
  const Judged judged = judged_runs(200, 0.05);
  const Content content = content_of_runs(judged);
  const Eigen::MatrixXd parts = multi_parts(judged.runs.spec, sum_form(judged.runs.truth).structure,
                                            judged.runs.truth.constants, judged.runs.design);
  REQUIRE(content.shares.size() == 2);  // C is 0
  double sum = 0;
  for (const Share& share : content.shares) {
    const Eigen::Index term = share.name == "term 1" ? 0 : 1;
    CHECK(share.percent == Catch::Approx(100 * parts.col(term).sum() / parts.sum()));
    CHECK(share.formula.find("filters^") != std::string::npos);
    sum += share.percent;
  }
  CHECK(sum == Catch::Approx(100));
  CHECK(content.shares[0].percent >= content.shares[1].percent);
}

TEST_CASE("a curve is what the model predicts along its column", "[report]") {
  const Judged judged = judged_runs(200, 0.05);
  const Content content = content_of_runs(judged);
  const ScaleCurve& curve = curve_along(content, "gpus");
  CHECK(curve.scales == std::vector<double>{1, 2, 4, 8});
  CHECK(curve.within.front().x == 1);
  CHECK(curve.within.back().x == 8);
  CHECK(curve.extrapolated.front().x == 8);
  CHECK(curve.extrapolated.back().x == 32);
  Configuration moved = content.typical.configuration;
  for (const Point& point : curve.within) {
    moved.extrinsic[0] = point.x;
    CHECK(point.y == predict(judged.runs.truth, design_of(moved, judged.runs.spec))[0]);
  }
  // Communication begins above one GPU: the curve has the time on both sides of the step.
  CHECK(curve.within[1].x == std::nextafter(1.0, 8.0));
  CHECK(curve.within[1].y > curve.within[0].y);
  CHECK(content.powers[0].column == "gpus");
}

TEST_CASE("the runs of each scale lie where their ratios put them", "[report]") {
  const Judged judged = judged_runs(400, 0.1);
  const Content content = content_of_runs(judged);
  const ScaleCurve& curve = curve_along(content, "gpus");
  REQUIRE(curve.groups.size() == 4);
  std::size_t rows = 0;
  for (const ScaleGroup& group : curve.groups) {
    rows += group.rows;
    Configuration moved = content.typical.configuration;
    moved.extrinsic[0] = group.scale;
    const double time = predict(judged.runs.truth, design_of(moved, judged.runs.spec))[0];
    // Noise of 10 %: the median of a hundred ratios is within 0.1 * 1.25 / 10 * 4 of 1.
    CHECK(group.middle / time == Catch::Approx(1).margin(0.05));
    CHECK(group.lower < group.middle);
    CHECK(group.middle < group.upper);
    CHECK(std::log(group.upper / group.lower) == Catch::Approx(0.135).margin(0.07));
  }
  CHECK(rows == 400);
}

TEST_CASE("near runs have the typical configuration but for the scale", "[report]") {
  const Judged judged = judged_runs(400, 0.05);
  const Content content = content_of_runs(judged);
  const Configuration& typical = content.typical.configuration;
  const Design& design = judged.runs.design;
  std::size_t expected = 0;
  for (std::size_t row = 0; row < design.rows; ++row) {
    const bool near = design.intrinsic[0].value(row) == typical.intrinsic[0] &&
                      design.categorical[0].codes[row] == typical.levels[0] &&
                      design.extrinsic[1].value(row) == typical.extrinsic[1];
    expected += near ? 1U : 0U;
  }
  REQUIRE(expected > 0);
  const ScaleCurve& curve = curve_along(content, "gpus");
  REQUIRE(curve.near_runs);
  CHECK(curve.near_runs->inside == expected);
}

TEST_CASE("effects compare the ends of the ranges and the levels", "[report]") {
  const Content content = content_of_runs(judged_runs(200, 0));
  const auto effect = [&](const std::string& column) {
    return *std::find_if(content.effects.begin(), content.effects.end(),
                         [&](const Effect& each) { return each.column == column; });
  };
  CHECK(content.effects.size() == 4);
  CHECK(effect("activation").fast == "relu");
  CHECK(effect("activation").slow == "tanh");
  CHECK(effect("filters").fast == "4");
  CHECK(effect("filters").slow == "64");
  CHECK(content.effects[0].ratio() >= content.effects[1].ratio());
  for (const Effect& each : content.effects)
    CHECK(each.ratio() >= 1);
}

TEST_CASE("constants of a sum are listed by term with nothing left out", "[report]") {
  const Judged judged = judged_runs(100, 0.05);
  const Content content = content_of_runs(judged);
  REQUIRE(content.constants.size() == 3);
  std::size_t next = 0;
  const std::vector<std::string> names = constant_names(judged.runs.truth);
  for (const ConstantGroup& group : content.constants) {
    for (const ConstantRow& row : group.constants) {
      CHECK(row.name == names[next]);
      CHECK(row.value == judged.runs.truth.constants[static_cast<Eigen::Index>(next)]);
      CHECK(row.status == ConstantStatus::unknown);
      ++next;
    }
  }
  CHECK(next == names.size());
  CHECK(content.constants.back().name == "C");
}
