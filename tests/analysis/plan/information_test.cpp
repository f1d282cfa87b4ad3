#include "analysis/plan/information.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <set>

#include "io/documents/space_json.hpp"
#include "model/form/generic_expression.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;
using namespace perfmodel::plan;
using Catch::Approx;

namespace {

Eigen::MatrixXd rows_of(const Space& space, const Linearisation& linearisation,
                        const std::vector<plan::Configuration>& configurations) {
  const Table table = table_of(space, configurations);
  return sensitivities(linearisation, make_design(table, linearisation.spec, Target::absent));
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

}  // namespace

TEST_CASE("sensitivities are the derivatives of the logarithm of the time", "[plan]") {
  const Space space = test::paper_space();
  const Linearisation linearisation = default_linearisation(space);
  const auto plan = random_plan(space, 20, 1, {}).configurations;
  const Table table = table_of(space, plan);
  const Design design = make_design(table, linearisation.spec, Target::absent);
  const Eigen::MatrixXd rows = sensitivities(linearisation, design);
  for (Eigen::Index k = 0; k < linearisation.constants.size(); ++k) {
    const double step = 1e-6 * std::max(1e-3, std::abs(linearisation.constants[k]));
    Linearisation up = linearisation;
    Linearisation down = linearisation;
    up.constants[k] += step;
    down.constants[k] -= step;
    const Eigen::VectorXd difference =
        (predict_generic(up.spec, up.constants, design).array().log() -
         predict_generic(down.spec, down.constants, design).array().log()) /
        (2 * step);
    for (Eigen::Index r = 0; r < difference.size(); ++r)
      REQUIRE(rows(r, k) == Approx(difference[r]).epsilon(1e-5).margin(1e-7));
  }
}

TEST_CASE("a D-optimal plan has more information than random ones, about each scaling power too",
          "[plan][whole-fits]") {
  const Space space = test::paper_space();
  const Linearisation linearisation = default_linearisation(space);
  const GenericLayout layout(linearisation.spec);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Plan plan = d_optimal_plan(space, 200, seed, {}, linearisation);
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
  const Linearisation linearisation = default_linearisation(space);
  const auto existing = random_plan(space, 10, 5, {}).configurations;
  const auto plan = d_optimal_plan(space, 40, 1, existing, linearisation).configurations;
  REQUIRE(plan.size() == 40);
  CHECK(std::equal(existing.begin(), existing.end(), plan.begin()));
  CHECK(std::set<plan::Configuration>(plan.begin(), plan.end()).size() == 40);
}

TEST_CASE("the most informative row is the one along the direction that is unknown", "[plan]") {
  Eigen::MatrixXd known(2, 2);
  known << 1, 0, 1, 0;
  Eigen::MatrixXd candidates(3, 2);
  candidates << 1, 0, 0, 1, 0.7, 0.7;
  const auto gains = most_informative(known, candidates, 5);
  REQUIRE(gains.size() == 3);
  CHECK(gains[0].row == 1);
  CHECK(gains[0].log_determinant > gains[1].log_determinant);
}
