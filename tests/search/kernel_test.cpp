#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "search/eq4_kernel.hpp"
#include "search/global_search.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"
#include "table/expressions.hpp"

using namespace perfmodel;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

MatrixXd random_candidates(const SearchSpace& space, Eigen::Index count, std::uint64_t seed) {
  RandomStream random(seed, "candidates");
  MatrixXd out(space.coordinates().size(), count);
  for (Eigen::Index c = 0; c < count; ++c)
    for (Eigen::Index i = 0; i < out.rows(); ++i)
      out(i, c) = random.uniform(space.coordinates().lower[i], space.coordinates().upper[i]);
  return out;
}

std::vector<double> evaluate(const Objective& objective, const MatrixXd& candidates,
                             double abandon_above) {
  const std::size_t count = static_cast<std::size_t>(candidates.cols());
  std::vector<double> costs(count);
  const std::vector<double> bounds(count, abandon_above);
  objective(candidates, bounds, costs);
  return costs;
}

std::vector<double> sums(const WeightedRows& rows, const SearchSpace& space, Loss loss,
                         const MatrixXd& candidates, InstructionSet instructions,
                         std::size_t threads) {
  const kernel::Plan plan(rows, space, loss);
  const kernel::Evaluator evaluator(plan, threads, instructions);
  const std::size_t count = static_cast<std::size_t>(candidates.cols());
  std::vector<double> out(count);
  const std::vector<double> bounds(count, std::numeric_limits<double>::infinity());
  evaluator(candidates, bounds, out);
  return out;
}

double plain_loss(Loss loss, const VectorXd& time, const VectorXd& predicted) {
  const Eigen::ArrayXd t = time.array();
  const Eigen::ArrayXd y = predicted.array();
  switch (loss) {
    case Loss::mae:
      return (t - y).abs().mean();
    case Loss::mape:
      return ((t - y).abs() / t).mean();
    case Loss::mse:
      return (t - y).square().mean();
    case Loss::rmsle:
      return std::sqrt((t / y).log().square().mean());
    case Loss::soft_l1:  // of sums alone
    case Loss::huber:    // searched by another loss
      break;
  }
  return 0;
}

constexpr Loss kKernelLosses[] = {Loss::mae, Loss::mape, Loss::mse, Loss::rmsle};
constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("the kernel's cost is the loss of the plain prediction with the raw constants",
          "[kernel]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 333, 0.05, 1);
  for (const Loss loss : kKernelLosses) {
    FitOptions options;
    options.loss = loss;
    const SearchSpace space(runs.spec, runs.design, options);
    const Objective objective(runs.design, space, {space, runs.design, options}, options);
    const MatrixXd candidates = random_candidates(space, 21, 2);
    const std::vector<double> costs = evaluate(objective, candidates, kInfinity);
    for (Eigen::Index c = 0; c < candidates.cols(); ++c) {
      const VectorXd raw = space.raw_from_scaled(space.scaled_from_coordinates(candidates.col(c)));
      const double expected =
          plain_loss(loss, runs.design.time, predict_terms(runs.spec, raw, runs.design));
      CAPTURE(to_text(loss), c);
      CHECK(costs[static_cast<std::size_t>(c)] == Catch::Approx(expected).epsilon(1e-11));
    }
  }
}

TEST_CASE("a column with a distinct value in every row is evaluated alike", "[kernel]") {
  test::PaperRuns runs = test::paper_runs(test::Framework::pytorch, 200, 0.0, 3);
  RandomStream random(4);
  for (Column& column : runs.table.columns) {
    if (column.name != "filters" && column.name != "batch_size")
      continue;
    for (double& value : column.numbers)
      value = random.uniform(1, 100);
  }
  runs = test::runs_of(runs.table);
  const FitOptions options;
  const SearchSpace space(runs.spec, runs.design, options);
  const MatrixXd candidates = random_candidates(space, 8, 5);
  const std::vector<double> costs = evaluate(
      Objective(runs.design, space, {space, runs.design, options}, options), candidates, kInfinity);
  for (Eigen::Index c = 0; c < candidates.cols(); ++c) {
    const VectorXd raw = space.raw_from_scaled(space.scaled_from_coordinates(candidates.col(c)));
    const double expected =
        plain_loss(Loss::mae, runs.design.time, predict_terms(runs.spec, raw, runs.design));
    CHECK(costs[static_cast<std::size_t>(c)] == Catch::Approx(expected).epsilon(1e-11));
  }
}

TEST_CASE("every instruction set and any number of threads give the same bits",
          "[kernel][certified]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::pytorch, 1009, 0.05, 6);
  std::vector<std::size_t> some_twice;
  for (std::size_t row = 0; row < runs.design.rows; ++row)
    some_twice.insert(some_twice.end(), 1 + row % 2, row);
  const Design replicated = take_rows(runs.design, some_twice);
  for (const Loss loss : kKernelLosses) {
    FitOptions options;
    options.loss = loss;
    const SearchSpace space(runs.spec, runs.design, options);
    const MatrixXd candidates = random_candidates(space, 601, 7);
    const WeightedRows weighted = WeightedRows::merged(replicated, loss);
    REQUIRE(weighted.weights().size() > 0);
    for (const WeightedRows& rows : {WeightedRows(runs.design), weighted}) {
      const auto with = [&](InstructionSet instructions, std::size_t threads) {
        return sums(rows, space, loss, candidates, instructions, threads);
      };
      const std::vector<double> reference = with(InstructionSet::baseline, 1);
      // Sums of these candidates, not what the vector held before.
      CHECK(std::set<double>(reference.begin(), reference.end()).size() > 500);
      CHECK(std::all_of(reference.begin(), reference.end(),
                        [](double sum) { return std::isfinite(sum) && sum > 0; }));
      CHECK(with(InstructionSet::baseline, 3) == reference);
      for (const InstructionSet instructions : available_instruction_sets()) {
        CAPTURE(to_text(instructions));
        CHECK(with(instructions, 2) == reference);
      }
    }
  }
}

TEST_CASE("a candidate's cost does not depend on its neighbours in the batch", "[kernel]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 100, 0.05, 8);
  const FitOptions options;
  const SearchSpace space(runs.spec, runs.design, options);
  const Objective objective(runs.design, space, {space, runs.design, options}, options);
  const MatrixXd candidates = random_candidates(space, 19, 9);
  const std::vector<double> together = evaluate(objective, candidates, kInfinity);
  for (Eigen::Index c = 0; c < candidates.cols(); ++c) {
    CHECK(evaluate(objective, candidates.col(c), kInfinity).front() ==
          together[static_cast<std::size_t>(c)]);
  }
}

TEST_CASE("giving up a candidate never changes whether it wins", "[kernel]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 500, 0.05, 10);
  for (const Loss loss : kKernelLosses) {
    FitOptions options;
    options.loss = loss;
    options.penalty.l2 = 1e-3;
    const SearchSpace space(runs.spec, runs.design, options);
    const Objective objective(runs.design, space, {space, runs.design, options}, options);
    const MatrixXd candidates = random_candidates(space, 64, 11);
    const std::vector<double> exact = evaluate(objective, candidates, kInfinity);
    for (const double bound : exact) {
      const std::vector<double> cut = evaluate(objective, candidates, bound);
      for (std::size_t i = 0; i < exact.size(); ++i)
        if (exact[i] <= bound)
          CHECK(cut[i] == exact[i]);
        else
          CHECK(cut[i] > bound);
    }
  }
}
