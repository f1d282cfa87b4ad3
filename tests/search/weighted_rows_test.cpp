#include "search/losses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/reading.hpp"
#include "perfmodel/table.hpp"
#include "search/global_search.hpp"
#include "search/scaled_model.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"
#include "table/expressions.hpp"

using namespace perfmodel;
using Eigen::VectorXd;
using test::PaperRuns;

namespace {

constexpr Loss kMergedLosses[] = {Loss::mae, Loss::mape, Loss::mse, Loss::rmsle};

PaperRuns distinct_runs() {
  return test::paper_runs(test::Framework::mxnet, 150, 0.05, 21);
}

/// Each row as often as `times` says, in random order, its time multiplied by noise of this size.
Design replicated(const Design& design, const std::vector<std::size_t>& times, double noise,
                  std::uint64_t seed) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < design.rows; ++row)
    rows.insert(rows.end(), times[row], row);
  RandomStream random(seed, "replicates");
  random.shuffle(std::span(rows));
  Design out = take_rows(design, rows);
  for (double& time : out.time)
    time *= std::exp(noise * random.uniform(-1, 1));
  return out;
}

/// Between one and five, so that no divisor is common to all.
std::vector<std::size_t> unequal_counts(std::size_t rows) {
  std::vector<std::size_t> out;
  for (std::size_t row = 0; row < rows; ++row)
    out.push_back(1 + row % 5);
  return out;
}

VectorXd random_point(const SearchSpace& space, RandomStream& random) {
  const optimise::Bounds& box = space.coordinates();
  VectorXd out(box.size());
  for (Eigen::Index i = 0; i < out.size(); ++i)
    out[i] = random.uniform(box.lower[i], box.upper[i]);
  return out;
}

double cost_at(const WeightedRows& rows, const SearchSpace& space, const FitOptions& options,
               const Design& measured, const VectorXd& coordinates, double abandon_above) {
  const Objective objective(rows, space, {space, measured, options}, options);
  std::vector<double> cost(1);
  const std::vector<double> bound(1, abandon_above);
  objective(coordinates, bound, cost);
  return cost[0];
}

/// Of the predictions of raw constants, run by run.
double mean_loss(Loss loss, const PaperRuns& runs, const Design& measured, const VectorXd& raw) {
  const VectorXd predicted = predict_terms(runs.spec, raw, measured);
  double sum = 0;
  for (Eigen::Index run = 0; run < predicted.size(); ++run) {
    const double t = measured.time[run];
    const double y = predicted[run];
    const double log_ratio = std::log(t) - std::log(y);
    sum += loss == Loss::mae    ? std::abs(t - y)
           : loss == Loss::mape ? std::abs(t - y) / t
           : loss == Loss::mse  ? (t - y) * (t - y)
                                : log_ratio * log_ratio;
  }
  const double mean = sum / static_cast<double>(measured.rows);
  return loss == Loss::rmsle ? std::sqrt(mean) : mean;
}

}  // namespace

TEST_CASE("equal runs become one row with their number as weight", "[fit][weights]") {
  const PaperRuns runs = distinct_runs();
  const std::vector<std::size_t> counts = unequal_counts(runs.design.rows);
  const Design measured = replicated(runs.design, counts, 0, 1);
  for (const Loss loss : kMergedLosses) {
    CAPTURE(to_text(loss));
    const WeightedRows rows = WeightedRows::merged(measured, loss);
    CHECK(rows.size() == runs.design.rows);
    CHECK(rows.total_weight() == static_cast<double>(measured.rows));
    CHECK(rows.scatter() == 0);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      // Times of these runs are all different: they tell which row it is.
      const auto same = std::find(runs.design.time.begin(), runs.design.time.end(),
                                  rows.design().time[index(row)]);
      REQUIRE(same != runs.design.time.end());
      CHECK(rows.weight(row) ==
            static_cast<double>(counts[static_cast<std::size_t>(same - runs.design.time.begin())]));
    }
  }
}

TEST_CASE("runs that differ in time alone are merged for squared losses only", "[fit][weights]") {
  const PaperRuns runs = distinct_runs();
  const Design measured = replicated(runs.design, unequal_counts(runs.design.rows), 0.1, 2);
  for (const Loss loss : kMergedLosses) {
    CAPTURE(to_text(loss));
    const bool squared = loss == Loss::mse || loss == Loss::rmsle;
    const WeightedRows rows = WeightedRows::merged(measured, loss);
    CHECK(rows.size() == (squared ? runs.design.rows : measured.rows));
    CHECK((rows.scatter() > 0) == squared);
  }
}

TEST_CASE("few equal runs stay as they are", "[fit][weights]") {
  const PaperRuns runs = distinct_runs();
  std::vector<std::size_t> counts(runs.design.rows, 1);
  counts[3] = 4;
  const Design measured = replicated(runs.design, counts, 0, 3);
  const WeightedRows rows = WeightedRows::merged(measured, Loss::mae);
  CHECK(&rows.design() == &measured);
  CHECK(rows.weights().size() == 0);
}

TEST_CASE("a common divisor of all weights is left out", "[fit][weights]") {
  const PaperRuns runs = distinct_runs();
  const Design measured =
      replicated(runs.design, std::vector<std::size_t>(runs.design.rows, 6), 0.1, 4);
  const WeightedRows rows = WeightedRows::merged(measured, Loss::mse);
  CHECK(rows.weights().size() == 0);
  CHECK(rows.total_weight() == static_cast<double>(runs.design.rows));
}

TEST_CASE("the cost of merged rows is the mean loss over all runs", "[fit][weights]") {
  const PaperRuns runs = distinct_runs();
  RandomStream random(5);
  for (const double noise : {0.0, 0.2}) {
    const Design measured = replicated(runs.design, unequal_counts(runs.design.rows), noise, 5);
    for (const Loss loss : kMergedLosses) {
      FitOptions options;
      options.loss = loss;
      const SearchSpace space(runs.spec, measured, options);
      const WeightedRows rows = WeightedRows::merged(measured, loss);
      for (int k = 0; k < 10; ++k) {
        const VectorXd at = random_point(space, random);
        const VectorXd raw = space.raw_from_scaled(space.scaled_from_coordinates(at));
        const double expected = mean_loss(loss, runs, measured, raw);
        CAPTURE(to_text(loss), noise);
        const double infinity = std::numeric_limits<double>::infinity();
        CHECK(cost_at(rows, space, options, measured, at, infinity) ==
              Catch::Approx(expected).epsilon(1e-11));
      }
    }
  }
}

TEST_CASE("giving up a candidate over merged rows never changes whether it wins",
          "[fit][weights]") {
  const PaperRuns runs = distinct_runs();
  const Design measured = replicated(runs.design, unequal_counts(runs.design.rows), 0.5, 6);
  RandomStream random(6);
  for (const Loss loss : {Loss::mse, Loss::rmsle}) {
    FitOptions options;
    options.loss = loss;
    options.penalty.l2 = 1e-3;
    const SearchSpace space(runs.spec, measured, options);
    const WeightedRows rows = WeightedRows::merged(measured, loss);
    for (int k = 0; k < 20; ++k) {
      const VectorXd at = random_point(space, random);
      const double cost =
          cost_at(rows, space, options, measured, at, std::numeric_limits<double>::infinity());
      CHECK(cost_at(rows, space, options, measured, at, cost) == cost);
      CHECK(cost_at(rows, space, options, measured, at, 0.999 * cost) > 0.999 * cost);
    }
  }
}

TEST_CASE("the exact finish of merged rows ends where that of all runs does",
          "[fit][weights][whole-fits]") {
  const PaperRuns runs = distinct_runs();
  for (const double noise : {0.0, 0.2}) {
    const Design measured = replicated(runs.design, unequal_counts(runs.design.rows), noise, 7);
    for (const Loss loss : kMergedLosses) {
      FitOptions options;
      options.loss = loss;
      // A penalty is no part of the scatter: where the loss is a root, only the right scatter
      // balances them.
      options.penalty.l2 = loss == Loss::rmsle ? 1e-6 : 0;
      const SearchSpace space(runs.spec, measured, options);
      const Regulariser penalty(space, measured, options);
      const VectorXd start = space.scaled_from_raw(fit(runs.spec, runs.design, {}).constants);
      const Optimum all = polish(measured, space, penalty, options, start);
      const Optimum merged =
          polish(WeightedRows::merged(measured, loss), space, penalty, options, start);
      CAPTURE(to_text(loss), noise);
      CHECK(merged.cost == Catch::Approx(all.cost).epsilon(1e-9));
    }
  }
}

TEST_CASE("measuring every run again with the same result changes no bit of a constant",
          "[fit][weights][whole-fits]") {
  const PaperRuns runs = distinct_runs();
  std::vector<std::size_t> rows(3 * runs.design.rows);
  for (std::size_t k = 0; k < rows.size(); ++k)
    rows[k] = k % runs.design.rows;
  const Design tripled = take_rows(runs.design, rows);
  for (const Loss loss : kMergedLosses) {
    FitOptions options;
    options.loss = loss;
    const FittedModel once = fit(runs.spec, runs.design, options);
    const FittedModel again = fit(runs.spec, tripled, options);
    CAPTURE(to_text(loss));
    CHECK(again.constants == once.constants);
    CHECK(again.search.evaluations == once.search.evaluations);
    // The same mean of three times as many errors.
    CHECK(again.search.cost == Catch::Approx(once.search.cost).epsilon(1e-12));
    REQUIRE(again.known.noise_floor);
    CHECK(again.known.noise_floor->rows == tripled.rows);
  }
}

TEST_CASE("the order of replicated runs does not matter", "[fit][weights][whole-fits]") {
  const PaperRuns runs = distinct_runs();
  const std::vector<std::size_t> counts = unequal_counts(runs.design.rows);
  for (const Loss loss : kMergedLosses) {
    FitOptions options;
    options.loss = loss;
    const Design one = replicated(runs.design, counts, 0, 8);
    const Design other = replicated(runs.design, counts, 0, 9);
    CAPTURE(to_text(loss));
    CHECK(fit(runs.spec, one, options).search.cost ==
          Catch::Approx(fit(runs.spec, other, options).search.cost).epsilon(1e-8));
  }
}

TEST_CASE("samples of merged rows keep their weights and their scatter", "[fit][weights]") {
  const PaperRuns runs = distinct_runs();
  const Design measured = replicated(runs.design, unequal_counts(runs.design.rows), 0.2, 10);
  const WeightedRows rows = WeightedRows::merged(measured, Loss::mse);
  std::vector<std::size_t> even, odd;
  for (std::size_t row = 0; row < rows.size(); ++row)
    (row % 2 == 0 ? even : odd).push_back(row);
  const WeightedRows a = rows.take(even);
  const WeightedRows b = rows.take(odd);
  CHECK(a.total_weight() + b.total_weight() == rows.total_weight());
  CHECK(a.scatter() + b.scatter() == Catch::Approx(rows.scatter()).epsilon(1e-12));
  CHECK(a.weight(1) == rows.weight(2));
}

TEST_CASE("the visits of the LeNet-5 runs cost as much as without merging them", "[fit][weights]") {
  RoleRequest request;
  request.ignore = {"visit"};
  const PaperRuns runs =
      test::runs_of(read_csv(PERFMODEL_SOURCE_DIR "/data/lenet5_pytorch_cpu_visits.csv"), request);
  FitOptions options;
  options.loss = Loss::mse;
  CHECK(WeightedRows::merged(runs.design, options.loss).size() <= runs.design.rows / 7 + 7);
  const FittedModel model = fit(runs.spec, runs.design, options);
  const double mse = (runs.design.time - predict(model, runs.design)).squaredNorm() /
                     static_cast<double>(runs.design.rows);
  CHECK(model.search.cost == Catch::Approx(mse).epsilon(1e-12));
  // The optimum of the 10,500 visits as rows of their own.
  CHECK(model.search.cost == Catch::Approx(5.680188288330201e-4).epsilon(1e-9));
}
