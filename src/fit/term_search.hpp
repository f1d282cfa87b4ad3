#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <memory>
#include <stop_token>
#include <vector>

#include "fit/losses.hpp"
#include "fit/normal_matrix.hpp"
#include "fit/sum_terms.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/progress.hpp"

namespace perfmodel {

enum class ErrorScale { linear, logarithmic };

/// sum_r w_r rho(residual_r) + sum_j penalty_j theta_j^2
///
/// with rho(x) = sqrt(x^2 + s^2) - s: |x| with its kink rounded off over the width s. An infinite s
/// stands for rho(x) = x^2.
struct SumLoss {
  ErrorScale residual = ErrorScale::logarithmic;
  double softness = 0.1;
  Eigen::VectorXd weights;    ///< one per row
  Eigen::VectorXd penalties;  ///< one per coordinate

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

/// What a search minimises, whatever the loss that was asked for: soft_l1 with a ridge.
inline SumLoss robust_loss(const TermData& data, const SumShape& shape, double ridge_strength) {
  return {.residual = ErrorScale::logarithmic,
          .softness = kSoftness,
          .weights = Eigen::VectorXd::Constant(data.rows(), 1 / static_cast<double>(data.rows())),
          .penalties = ridge(shape, ridge_strength)};
}

/// Where a descent of absolute errors may end: their kinks make many optima.
enum class Reach {
  far,     ///< kinks are rounded off at first, which leads past the smaller ones
  nearby,  ///< next to the start
};

/// Takes constants that a search found down to near an optimum of the user's loss, with its squared
/// penalty and a ridge, the kinks of absolute errors rounded off to a small share of the mean
/// error.
SumFit approach(const TermData& data, const SumShape& shape, const FitOptions& options,
                double ridge_strength, const SumFit& start, Reach reach = Reach::far);

/// How hard to look for the constants of one shape.
struct TermSearchOptions {
  std::uint64_t seed = 1;
  std::size_t starts = 8;        ///< short descents beside the one from the smaller model
  std::size_t kept = 2;          ///< of them that are run to the end
  bool laggards_stop = false;    ///< the worse half of the short descents, early
  std::size_t iterations = 150;  ///< of a descent that is run to the end
  double tolerance = 1e-7;       ///< of each descent
  double ridge = 1e-4;
  std::size_t threads = 1;
  InstructionSet instructions = best_instruction_set();
  std::stop_token stop;
};

/// Constants of 1, 2, ..., shape.terms terms under a robust loss of ln(time), each number of terms
/// starting from the one before with a further term, from terms scattered around the log-linear
/// solution, and the best of these. Entry k of the path belongs to k + 1 terms; the entries that it
/// has stay.
void extend_path(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                 std::vector<SumFit>& path);

/// The same, each from the one of a path that differs little, by its ridge.
void refit_path(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                const std::vector<SumFit>& like, std::vector<SumFit>& path);

/// The shape with another number of terms; the logarithms stay with the first ones.
SumShape with_terms(const SumShape& shape, Eigen::Index terms);

}  // namespace perfmodel
