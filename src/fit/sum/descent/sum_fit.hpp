#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <stop_token>
#include <vector>

#include "fit/sum/kernel/normal_matrix.hpp"
#include "fit/sum/terms/term_data.hpp"
#include "perfmodel/fit/simd/instruction_set.hpp"

namespace perfmodel {

enum class ErrorScale { linear, logarithmic };

/// sum_r w_r rho(residual_r) + sum_j penalty_j (theta_j - centre_j)^2
///
/// with rho(x) = sqrt(x^2 + s^2) - s: |x| with its kink rounded off over the width s. An infinite s
/// stands for rho(x) = x^2.
struct SumLoss {
  ErrorScale residual = ErrorScale::logarithmic;
  double softness = 0.1;
  Eigen::VectorXd weights;      ///< one per row
  Eigen::VectorXd penalties;    ///< one per coordinate
  Eigen::VectorXd centre = {};  ///< one per coordinate; empty: 0

  bool squared() const { return softness == std::numeric_limits<double>::infinity(); }
};

/// The parts of the sum over the rows: one column per term; C is not among them.
struct SumParts {
  Eigen::MatrixXd terms;
  Eigen::VectorXd total;
};

/// The same penalty on all coordinates but ln a and ln C.
Eigen::VectorXd ridge(const SumShape& shape, double strength);

/// All instruction sets give the same bits.
SumParts evaluate_sum(const TermData& data, const SumShape& shape, const Eigen::VectorXd& theta,
                      InstructionSet instructions = best_instruction_set());

/// What descents over the same rows, by shapes of as many features, need not make anew.
std::shared_ptr<const NormalMatrix> normal_matrix_of(const TermData& data, const SumShape& shape,
                                                     InstructionSet instructions,
                                                     const std::stop_token& stop);

struct DescentOptions {
  std::size_t iterations = 100;
  double tolerance = 1e-7;  ///< stops when a step promises less than this share of the cost
  /// Coordinates that stay where they are; empty: none.
  std::vector<bool> held;
  InstructionSet instructions = best_instruction_set();
  std::stop_token stop;
  std::shared_ptr<const NormalMatrix> normal_matrix = {};  ///< made where there is none
};

struct SumFit {
  Eigen::VectorXd theta;
  double cost = std::numeric_limits<double>::infinity();
  std::size_t evaluations = 0;
  /// What the last step still promised, as a share of the cost.
  double gap = 0;
};

/// Levenberg-Marquardt with iteratively reweighted residuals: never worse than the start.
SumFit descend(const TermData& data, const SumShape& shape, const SumLoss& loss,
               const Eigen::VectorXd& start, const DescentOptions& options);

}  // namespace perfmodel
