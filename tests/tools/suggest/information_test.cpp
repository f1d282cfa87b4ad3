#include "suggest/plan.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <set>

#include "forms/sum_form.hpp"
#include "suggest/suggest_documents.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"
#include "table/expressions.hpp"

using namespace perfmodel;
using namespace perfmodel::plan;
using Catch::Approx;

namespace {

Eigen::MatrixXd rows_of(const Space& space, const FittedModel& linearisation,
                        const std::vector<plan::Configuration>& configurations) {
  const Table table = table_of(space, configurations);
  return linearisation.form->log_slopes(linearisation.spec, linearisation.constants,
                                        make_design(table, linearisation.spec, Target::absent));
}

/// ln det(X'X + a ridge).
double log_determinant(const Eigen::MatrixXd& rows) {
  const Eigen::VectorXd scales =
      (rows.colwise().squaredNorm() / static_cast<double>(rows.rows())).transpose().cwiseSqrt();
  const Eigen::MatrixXd x = rows * scales.cwiseInverse().asDiagonal();
  Eigen::MatrixXd matrix = x.transpose() * x;
  matrix.diagonal().array() += 1e-6;
  return matrix.ldlt().vectorD().array().log().sum() + 2 * scales.array().log().sum();
}

/// The standard error of one constant where the noise of ln t is 1.
double standard_error(const Eigen::MatrixXd& rows, std::size_t constant) {
  Eigen::MatrixXd matrix = rows.transpose() * rows;
  matrix.diagonal().array() += 1e-9;
  const auto i = static_cast<Eigen::Index>(constant);
  return std::sqrt(matrix.inverse()(i, i));
}

Plan one_start(const Space& space, std::size_t n, std::uint64_t seed,
               const std::vector<plan::Configuration>& existing, const FittedModel& linearisation) {
  return d_optimal_plan({space, n, seed, existing, linearisation});
}

}  // namespace

TEST_CASE("a D-optimal plan has more information than random ones, about each scaling power too",
          "[plan][whole-fits]") {
  const Space space = test::paper_space();
  const FittedModel linearisation = default_linearisation(space);
  const Eq4Layout layout(linearisation.spec);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Plan plan = one_start(space, 200, seed, {}, linearisation);
    REQUIRE(plan.configurations.size() == 200);
    const auto optimal = rows_of(space, linearisation, plan.configurations);
    const auto random =
        rows_of(space, linearisation, random_plan(space, 200, seed, {}).configurations);
    CHECK(log_determinant(optimal) > log_determinant(random) + 3);
    for (std::size_t j = 0; j < 2; ++j) {
      CHECK(standard_error(optimal, layout.extrinsic_power(j)) <
            0.8 * standard_error(random, layout.extrinsic_power(j)));
    }
  }
}

TEST_CASE("a D-optimal plan keeps what exists and repeats nothing", "[plan]") {
  const Space space = test::paper_space();
  const FittedModel linearisation = default_linearisation(space);
  const auto existing = random_plan(space, 10, 5, {}).configurations;
  const auto plan = one_start(space, 40, 1, existing, linearisation).configurations;
  REQUIRE(plan.size() == 40);
  CHECK(std::equal(existing.begin(), existing.end(), plan.begin()));
  CHECK(std::set<plan::Configuration>(plan.begin(), plan.end()).size() == 40);
}

TEST_CASE("a D-optimal plan is for the form of the model, too", "[plan][multi][whole-fits]") {
  const Space space = test::paper_space();
  SumStructure structure;
  FittedModel sum = default_linearisation(space);
  sum.form = std::make_shared<SumForm>(structure);
  const SumLayout layout(sum.spec, structure);
  sum.constants = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(layout.size()));
  // One term shrinks with the GPUs, the other grows: what the first GPUs tell of one says little
  // of the other.
  sum.constants[static_cast<Eigen::Index>(layout.extrinsic_power(0, 0))] = -1;
  const auto optimal = one_start(space, 200, 1, {}, sum).configurations;
  const auto random = random_plan(space, 200, 1, {}).configurations;
  CHECK(log_determinant(rows_of(space, sum, optimal)) >
        log_determinant(rows_of(space, sum, random)) + 3);
  CHECK(optimal != one_start(space, 200, 1, {}, default_linearisation(space)).configurations);
}

TEST_CASE("the best of several starts of a D-optimal plan becomes the plan", "[plan]") {
  const Space space = test::paper_space();
  const FittedModel linearisation = default_linearisation(space);
  const std::vector<plan::Configuration> none;
  DOptimalRequest request{space, 40, 1, none, linearisation};
  const double alone =
      log_determinant(rows_of(space, linearisation, d_optimal_plan(request).configurations));
  request.starts = 4;
  const Plan best = d_optimal_plan(request);
  CHECK(log_determinant(rows_of(space, linearisation, best.configurations)) > alone);
  request.threads = 2;
  CHECK(d_optimal_plan(request).configurations == best.configurations);
}
