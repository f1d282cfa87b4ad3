#include "optimise/least_absolute_deviations.hpp"

#include "optimise/newton.hpp"
#include "support/catch.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::Vector2d;
using Eigen::VectorXd;

TEST_CASE("rows of absolute values are tangents of a square", "[lad]") {
  const double weight = 0.7;
  const double reach = 3;
  const Vector2d direction(0.5, -2);
  optimise::LadProblem problem;
  problem.response = VectorXd::Zero(optimise::kSquareRows + 1);
  problem.weights = VectorXd::Zero(optimise::kSquareRows + 1);
  double constant = 0;
  problem.matrix = optimise::RowMajorMatrix(optimise::RowMajorMatrix::Zero(1, 2));
  problem.matrix.append(optimise::RowMajorMatrix(direction.transpose()), optimise::kSquareRows);
  optimise::put_square(weight, reach, 1, problem, constant);

  const auto cost = [&](const Vector2d& x) {
    return problem.weights.dot((problem.matrix * x - problem.response).cwiseAbs()) - constant;
  };
  const double step = reach / (optimise::kSquareRows / 2);
  for (int j = -4; j <= 4; ++j) {
    const double v = j * step;
    CHECK(cost(v * direction / direction.squaredNorm()) == Approx(weight * v * v).margin(1e-12));
    const double between = v + 0.5 * step;  // its tangents meet below it
    if (j < 4)
      CHECK(cost(between * direction / direction.squaredNorm()) ==
            Approx(weight * (between * between - step * step / 4)).margin(1e-12));
  }
}

TEST_CASE("the tangent parabola of a penalty touches it and lies above", "[newton]") {
  const double l1 = 0.3;
  const double l2 = 0.2;
  for (const double at : {-2.0, -0.1, 0.4, 5.0}) {
    const double curvature = tangent_curvature(VectorXd::Constant(1, at), l1, l2)[0];
    const auto penalty = [&](double v) { return l1 * std::abs(v) + l2 * v * v; };
    const auto parabola = [&](double v) { return penalty(at) + curvature * (v * v - at * at) / 2; };
    const double slope = l1 * (at > 0 ? 1 : -1) + 2 * l2 * at;
    CHECK(curvature * at == Approx(slope));
    for (double v = -8; v <= 8; v += 0.25)
      CHECK(parabola(v) >= penalty(v) - 1e-12);
  }
}

}  // namespace
}  // namespace perfmodel
