#pragma once

#include <Eigen/Core>
#include <optional>

#include "fit/sensitivity.hpp"
#include "fit/sum_terms.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// A sum, linearised at its constants.
///
/// Gradients and directions are in ln a at the mean of the logarithms of the numeric columns, the
/// powers, ln of the factors, and C, in the order of MultiLayout.
class SumSensitivity {
 public:
  SumSensitivity(FittedSum sum, const Design& runs, const FitOptions& options);

  const FittedSum& sum() const { return sum_; }
  const Sensitivity& sensitivity() const { return sensitivity_; }

  /// Gradient of ln a, of a power, of ln of a factor, or of C.
  Eigen::VectorXd gradient(std::size_t constant) const;
  /// Gradient of d ln t / d ln E_j at a configuration.
  Eigen::VectorXd gradient_of_scaling_power(std::size_t extrinsic,
                                            const Configuration& configuration) const;
  /// Gradient of ln t at a configuration.
  Eigen::VectorXd gradient_of_log_time(const Configuration& configuration) const;

 private:
  FittedSum sum_;
  MultiLayout layout_;
  Eigen::VectorXd centres_;  ///< means of the logarithms: intrinsic, then extrinsic columns
  Sensitivity sensitivity_;
};

/// Finds which constants of a fitted sum are identifiable from the training rows. Returns nullopt
/// if a stop is requested before a large sum is analysed.
std::optional<Findings> identify_sum(const FittedModel& model, const Design& training,
                                     const FitOptions& options);

}  // namespace perfmodel
