#include "optimise/lad/square_rows.hpp"

#include <cmath>

namespace perfmodel::optimise {

using Eigen::Index;

void put_square(const Eigen::VectorXd& direction, double weight, double reach, Index row,
                LadProblem& problem, double& constant) {
  constexpr Index on_each_side = kSquareRows / 2;
  const double spacing = reach / static_cast<double>(on_each_side);
  for (Index k = 0; k < on_each_side; ++k) {
    for (const double side : {-1.0, 1.0}) {
      const double kink = side * (static_cast<double>(k) + 0.5) * spacing;
      problem.matrix.row(row) = direction.transpose();
      problem.response[row] = kink;
      problem.weights[row] = weight * spacing;
      constant += weight * spacing * std::abs(kink);
      ++row;
    }
  }
}

}  // namespace perfmodel::optimise
