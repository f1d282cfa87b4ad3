#include "suggest/plan.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <vector>

#include "fit/fit.hpp"
#include "support/catch.hpp"
#include "support/rows.hpp"
#include "support/sum_runs.hpp"

using namespace perfmodel;
using namespace perfmodel::plan;
using Catch::Approx;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Rows 0 .. 39 were measured, 40 .. 59 can be, 60 .. 119 are the space.
struct Campaign {
  FittedModel model;
  Design all;
  std::vector<std::size_t> measured = test::rows_between(0, 40);
  std::vector<std::size_t> possible = test::rows_between(40, 60);
  Design space = take_rows(all, test::rows_between(60, 120));

  Belief belief() const { return {model, space, take_rows(all, measured)}; }
  double mean_deviation() const {
    const Belief now = belief();
    return (now.variances(now.at(space)).array() + now.noise()).sqrt().mean();
  }
  NextRuns next(const VectorXd& costs, std::size_t count) const {
    return next_runs(belief(), space, take_rows(all, possible), costs, count);
  }
};

Campaign campaign_of_sum() {
  const test::SumRuns runs = test::sum_runs(120, 0, 5);
  FittedModel model = runs.truth;
  model.known.metrics.train.mape_percent = 5;
  return {.model = model, .all = runs.design};
}

Campaign campaign_of_gp() {
  const test::SumRuns runs = test::sum_runs(120, 0.05, 5);
  return {.model = fit(runs.spec, take_rows(runs.design, test::rows_between(0, 40)),
                       test::product_and_gp()),
          .all = runs.design};
}

void check_gains(Campaign campaign) {
  const auto candidates = static_cast<Index>(campaign.possible.size());
  const VectorXd costs = VectorXd::LinSpaced(candidates, 1, 3);
  const double before = campaign.mean_deviation();
  // Every candidate measured for its own sake, by a belief that begins again.
  VectorXd gains(candidates);
  for (Index i = 0; i < candidates; ++i) {
    Campaign after = campaign;
    after.measured.push_back(campaign.possible[static_cast<std::size_t>(i)]);
    gains[i] = before - after.mean_deviation();
  }
  const NextRuns found = campaign.next(costs, 3);
  REQUIRE(found.runs.size() == 3);
  CHECK(found.deviation == Approx(before).epsilon(1e-9));
  Index best = 0;
  gains.cwiseQuotient(costs).maxCoeff(&best);
  CHECK(found.runs[0].candidate == static_cast<std::size_t>(best));
  // One after another, each on top of those before it.
  for (const NextRun& run : found.runs) {
    const double now = campaign.mean_deviation();
    campaign.measured.push_back(campaign.possible[run.candidate]);
    CHECK(run.deviation_gain == Approx(now - campaign.mean_deviation()).epsilon(1e-6));
    CHECK(run.deviation_gain > 0);
  }
}

}  // namespace

TEST_CASE("a run reduces the deviation to that of a belief that knows it",
          "[plan][suggest][process]") {
  check_gains(campaign_of_sum());
  check_gains(campaign_of_gp());
}

TEST_CASE("next runs weigh what they tell against what they cost", "[plan][suggest]") {
  const Campaign campaign = campaign_of_sum();
  VectorXd costs = VectorXd::Ones(20);
  const std::size_t best = campaign.next(costs, 1).runs[0].candidate;
  costs[static_cast<Index>(best)] = 1e6;
  const NextRuns dear = campaign.next(costs, 20);
  REQUIRE(dear.runs.size() == 20);
  CHECK(dear.runs[0].candidate != best);
  CHECK(dear.runs[19].candidate == best);
  std::vector<bool> seen(20, false);
  for (const NextRun& run : dear.runs) {
    CHECK_FALSE(seen[run.candidate]);
    seen[run.candidate] = true;
  }
}

TEST_CASE("the covariances of a sum are those of its constants", "[plan][suggest]") {
  // The same by conditioning the times on the runs instead of the constants.
  const Campaign campaign = campaign_of_sum();
  FittedModel fresh = campaign.model;
  fresh.provenance.rows = 0;
  const Belief prior(fresh, campaign.space, std::nullopt);
  const Places known = prior.at(take_rows(campaign.all, campaign.measured));
  const Places space = prior.at(campaign.space);
  MatrixXd covariance = prior.covariance(known, known);
  covariance.diagonal().array() += prior.noise();
  const MatrixXd shared = prior.covariance(known, space);
  const MatrixXd expected =
      prior.covariance(space, space) - shared.transpose() * covariance.inverse() * shared;
  const Belief posterior = campaign.belief();
  const Places at = posterior.at(campaign.space);
  CHECK((posterior.covariance(at, at) - expected).cwiseAbs().maxCoeff() <
        1e-6 * expected.diagonal().maxCoeff());
  CHECK((posterior.variances(at) - posterior.covariance(at, at).diagonal()).cwiseAbs().maxCoeff() <
        1e-12);
  CHECK(posterior.noise() == Approx(std::acos(-1.0) / 2 * 0.05 * 0.05));
}

TEST_CASE("a process remembers which configurations it was fitted to", "[plan][process]") {
  const Campaign campaign = campaign_of_gp();
  const Design training = take_rows(campaign.all, campaign.measured);
  const auto belief = campaign.model.form->gp_belief(campaign.model.spec);
  REQUIRE(belief);
  CHECK(belief->runs.sum() == 40);
  // As its own runs, so these.
  const Belief own(campaign.model, campaign.space, std::nullopt);
  const Belief given(campaign.model, campaign.space, training);
  const VectorXd variances = own.variances(own.at(campaign.space));
  CHECK((variances - given.variances(given.at(campaign.space))).cwiseAbs().maxCoeff() <
        1e-6 * variances.maxCoeff());
  // Where they were measured, more is known than one run tells; nothing is without any run.
  CHECK(own.variances(own.at(training)).maxCoeff() < own.noise());
  CHECK(own.variances(own.at(training)).minCoeff() > 0);
}
