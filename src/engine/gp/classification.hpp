#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "gp/kernel.hpp"
#include "gp/matrix.hpp"

namespace perfmodel::gp {

/// Which runs fail, as a binary classification: f is a constant plus a Gaussian process (GP) of the
/// coordinates, and a run fails with the probability Phi(f). The posterior of f at the known rows
/// is approximated by a normal distribution about its mode (Laplace's approximation; Rasmussen and
/// Williams 2006, sections 3.4 and 3.6). This is all that predictions need.
struct Classification {
  std::vector<Coordinate> coordinates;
  Kernel kernel;        ///< of the GP; its noise has no part
  Inputs inputs;        ///< coordinates of the known rows; equal ones are one row
  VectorXd slopes;      ///< per row: the derivative of ln p(outcomes | f) by f at the mode
  VectorXd curvatures;  ///< per row: minus the second derivative, >= 0
  /// If rows were drawn: the probability that a finished run was drawn over that of a failed one.
  /// The odds of the drawn rows times this are those of all rows (Elkan, The foundations of
  /// cost-sensitive learning, 2001, theorem 2).
  double drawn = 1;
};

struct ClassificationOptions {
  Index rows = 500;  ///< at most; of more, failed runs are drawn first, up to half of them
  std::size_t iterations = 60;
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::stop_token stop = {};
};

/// Finds the mode of the posterior density of the hyper-parameters, which the approximation of the
/// marginal likelihood gives, and the classification there. `fails`: per row, whether the run
/// failed; some did, others did not. The result does not depend on the order of the rows.
Classification classify(const Inputs& inputs, const std::vector<bool>& fails,
                        const ClassificationOptions& options);

/// Predicts with a classification.
class Classifier {
 public:
  explicit Classifier(Classification of);

  const Classification& classification() const { return of_; }

  /// The probability that a run fails, per row: the mean of Phi(f), Phi(mean / sqrt(1 + variance)),
  /// (Rasmussen and Williams 2006, eq. 3.25), not Phi at the mean, which is too sure.
  VectorXd probabilities(const Inputs& inputs, std::size_t threads) const;

 private:
  Classification of_;
  CodedInputs known_;
  PositiveMatrix factors_;  ///< of I + W^1/2 K W^1/2, W being the curvatures
};

}  // namespace perfmodel::gp
