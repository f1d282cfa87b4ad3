#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "columns/design.hpp"
#include "fit/fit.hpp"
#include "scaling/scaling.hpp"
#include "support/catch.hpp"
#include "support/sum_runs.hpp"
#include "trust/next_runs.hpp"

using namespace perfmodel;
using Catch::Approx;

TEST_CASE("the scales to measure first are those of a belief that knows one run more",
          "[scaling][process]") {
  const test::SumRuns runs = test::sum_runs(60, 0.05, 7);
  const FittedModel model = fit(runs.spec, runs.design, test::product_and_gp());
  const auto is_gpus = [](const NumericInput& input) { return input.column == "gpus"; };
  const auto scale = std::ranges::find_if(model.spec.extrinsic, is_gpus);
  REQUIRE(scale != model.spec.extrinsic.end());
  const auto place = static_cast<std::size_t>(scale - model.spec.extrinsic.begin());
  const perfmodel::Configuration centre = configuration_of(runs.design, 0);
  const auto at = [&](const std::vector<double>& scales) {
    std::vector<perfmodel::Configuration> configurations(scales.size(), centre);
    for (std::size_t i = 0; i < scales.size(); ++i)
      configurations[i].extrinsic[place] = scales[i];
    return design_of(configurations, model.spec);
  };
  const std::vector<double> scales = {1, 2, 4, 8, 16, 32};
  const Eigen::VectorXd times = predict(model, at(scales));
  std::vector<scaling::Timing> timings;
  for (std::size_t i = 0; i < scales.size(); ++i)
    timings.push_back({scales[i], times[static_cast<Eigen::Index>(i)], 1});
  const scaling::ScalingStudy study = scaling::study(timings, scaling::Kind::strong, 0.5);
  const scaling::Forecast found = scaling::forecast({model, *scale, at, study, std::nullopt, true});
  REQUIRE(study.pays_no_more_at);
  CHECK(found.aims == std::vector<double>{*study.pays_until, *study.pays_no_more_at});
  CHECK(found.speedups.empty());

  const Design aims = at(found.aims);
  const Design measured = at({1, 2, 4, 8});
  const auto deviation_with = [&](std::vector<double> more) {
    std::vector<perfmodel::Configuration> known;
    for (std::size_t row = 0; row < runs.design.rows; ++row)
      known.push_back(configuration_of(runs.design, row));
    for (const double each : more) {
      known.push_back(centre);
      known.back().extrinsic[place] = each;
    }
    const plan::Belief belief(model, measured, design_of(known, model.spec));
    return (belief.variances(belief.at(aims)).array() + belief.noise()).sqrt().mean();
  };
  const double before = deviation_with({});
  std::vector<double> chosen;
  for (const scaling::ScaleToMeasure& each : found.measure_first) {
    const double now = deviation_with(chosen);
    double best = 0;
    double worth = -1;
    for (std::size_t i = 0; i < scales.size(); ++i) {
      std::vector<double> with = chosen;
      with.push_back(scales[i]);
      const double cost = times[static_cast<Eigen::Index>(i)] * scales[i];
      const double gain = now - deviation_with(with);
      if (std::ranges::find(chosen, scales[i]) == chosen.end() && gain / cost > worth) {
        worth = gain / cost;
        best = scales[i];
      }
    }
    CHECK(each.scale == best);
    chosen.push_back(each.scale);
    CHECK(each.gain == Approx((now - deviation_with(chosen)) / before).epsilon(1e-4));
  }
  CHECK(chosen.size() == 3);
}

TEST_CASE("bisection finds the last whole scale at which a condition holds", "[scaling]") {
  for (int last = 3; last < 40; ++last)
    CHECK(scaling::last_whole_scale(
              3, 40, [&](double scale) { return scale <= last; }) == last);
  CHECK(scaling::last_whole_scale(
            0.75, 4, [](double scale) { return scale < 2.5; }) == 2);
  CHECK(scaling::last_whole_scale(0.75, 1, [](double) { return false; }) == 0.75);
}
