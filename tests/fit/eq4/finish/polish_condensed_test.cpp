#include "fit/eq4/finish/polish_condensed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "base/index.hpp"
#include "base/random.hpp"
#include "fit/fit.hpp"
#include "model/form/generic_expression.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using Catch::Approx;
using Eigen::VectorXd;
using test::PaperRuns;

namespace {

constexpr std::size_t kConfigurations = 60;
constexpr std::size_t kTimesOfEach = 50;

/// The same runs twice: as lists of the times of each configuration, and one by one.
struct ScatteredRuns {
  PaperRuns runs;
  Design lists;
  Design single;
};

ScatteredRuns scattered_lists() {
  ScatteredRuns out{test::paper_runs(test::Framework::mxnet, kConfigurations, 0.05, 31), {}, {}};
  RandomStream random(31, "scattered lists");
  out.lists = out.runs.design;
  std::vector<std::size_t> rows;
  std::vector<double> times;
  for (std::size_t row = 0; row < out.lists.rows; ++row) {
    TimeList list;
    for (std::size_t i = 0; i < kTimesOfEach; ++i)
      list.times.push_back(out.runs.design.time[index(row)] * std::exp(0.2 * random.normal()));
    std::sort(list.times.begin(), list.times.end());
    for (const double time : list.times) {
      list.runs.push_back(static_cast<std::uint32_t>(1 + random.below(3)));
      rows.insert(rows.end(), list.runs.back(), row);
      times.insert(times.end(), list.runs.back(), time);
    }
    out.lists.runs.push_back(0);
    for (const std::uint32_t runs : list.runs)
      out.lists.runs.back() += runs;
    out.lists.time[index(row)] = list.mean();
    out.lists.time_lists.push_back(std::make_shared<const TimeList>(std::move(list)));
  }
  out.single = take_rows(out.runs.design, rows);
  out.single.time = Eigen::Map<const VectorXd>(times.data(), index(times.size()));
  return out;
}

/// Mean absolute error, or relative error, of each run.
double mean_error(Loss loss, const VectorXd& times, const VectorXd& predicted) {
  double sum = 0;
  for (Eigen::Index i = 0; i < times.size(); ++i)
    sum += std::abs(times[i] - predicted[i]) / (loss == Loss::mape ? times[i] : 1);
  return sum / static_cast<double>(times.size());
}

double error_of_rows(Loss loss, const WeightedRows& rows, const ModelSpec& spec,
                     const VectorXd& raw) {
  const VectorXd predicted = predict_generic(spec, raw, rows.design());
  double sum = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double time = rows.design().time[index(row)];
    sum +=
        rows.weight(row) * std::abs(time - predicted[index(row)]) / (loss == Loss::mape ? time : 1);
  }
  return sum / rows.total_weight();
}

}  // namespace

TEST_CASE("condensed times cost no more than all, and as much where they are parted",
          "[fit][weights]") {
  const ScatteredRuns runs = scattered_lists();
  RandomStream random(32);
  for (const Loss loss : {Loss::mae, Loss::mape}) {
    CAPTURE(to_text(loss));
    const SearchSpace space(runs.runs.spec, runs.single, {});
    const VectorXd raw = fit(runs.runs.spec, runs.runs.design, {}).constants;
    CondensedTimes condensed(runs.lists, loss, 3);
    CHECK(condensed.rows().size() == 3 * kConfigurations);
    for (int k = 0; k < 5; ++k) {
      const VectorXd moved = raw * std::exp(0.3 * random.normal());
      const VectorXd predicted = predict_generic(runs.runs.spec, moved, runs.lists);
      const double all =
          mean_error(loss, runs.single.time, predict_generic(runs.runs.spec, moved, runs.single));
      CHECK(error_of_rows(loss, condensed.rows(), runs.runs.spec, moved) < all);
      CHECK(condensed.part_around(predicted));
      CHECK_FALSE(condensed.part_around(predicted));
      CHECK(error_of_rows(loss, condensed.rows(), runs.runs.spec, moved) ==
            Approx(all).epsilon(1e-13));
      CHECK(condensed.rows().size() < kConfigurations * kTimesOfEach);
    }
  }
}

TEST_CASE("the finish of condensed times ends at an optimum of all runs",
          "[fit][weights][whole-fits]") {
  const ScatteredRuns runs = scattered_lists();
  for (const Loss loss : {Loss::mae, Loss::mape}) {
    CAPTURE(to_text(loss));
    FitOptions options;
    options.loss = loss;
    const SearchSpace space(runs.runs.spec, runs.single, options);
    const Regulariser penalty(space, runs.single, options);
    const VectorXd start =
        space.scaled_from_raw(fit(runs.runs.spec, runs.runs.design, {}).constants);
    const PolishResult all = polish(runs.single, space, penalty, options, start);
    CondensedTimes condensed(runs.lists, loss, 3);
    const PolishResult first = polish(condensed.rows(), space, penalty, options, start);
    const PolishResult end =
        polish_condensed(condensed, runs.lists, space, penalty, options, first);
    CHECK(first.cost < (1 - 1e-4) * all.cost);  // of three times each
    // Kinks make optima beside each other.
    CHECK(end.cost == Approx(all.cost).epsilon(1e-6));
    CHECK(end.relative_gap < 1e-9);
    // No step from there gains on the runs one by one.
    const PolishResult again = polish(runs.single, space, penalty, options, end.scaled);
    CHECK(again.cost > (1 - 1e-9) * end.cost);
    CHECK(mean_error(loss, runs.single.time,
                     predict_generic(runs.runs.spec, space.raw_from_scaled(end.scaled),
                                     runs.single)) == Approx(end.cost).epsilon(1e-12));
  }
}
