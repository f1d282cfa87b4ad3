#pragma once

#include <optional>

#include "search/sensitivity.hpp"
#include "sums/sum_terms.hpp"

namespace perfmodel {

/// A sum, linearised at its constants.
///
/// Gradients and directions are in ln a at the mean of the logarithms of the numeric columns, the
/// powers, ln of the factors, and C, in the order of SumLayout.
class SumSensitivity {
 public:
  SumSensitivity(FittedSum sum, const Design& runs, const FitOptions& options);

  const FittedSum& sum() const { return sum_; }
  const Sensitivity& sensitivity() const { return sensitivity_; }

  /// Gradient of ln a, of a power, of ln of a factor, or of C.
  VectorXd gradient(std::size_t constant) const;
  /// Gradient of ln t at a configuration, or of its derivative with respect to ln E_j.
  VectorXd gradient_of_log_time(const Configuration& at,
                                std::optional<std::size_t> extrinsic = {}) const;

 private:
  FittedSum sum_;
  VectorXd centres_;  ///< means of the logarithms of the numeric columns
  Sensitivity sensitivity_;

  /// Factor of the power of a numeric column in ln term: ln x or 1 - 1/x, the same in all terms.
  double coordinate_of(const Design& runs, std::size_t numeric, std::size_t row) const;
  /// Calls put(constant, derivative) for the derivatives of ln of the first term that are not 0.
  template <class Put>
  void put_log_derivatives(const Design& runs, std::size_t row, const Put& put) const;
  /// The constant of the first term that has the same place in it, if both share one power.
  std::vector<std::size_t> leaders() const;
  bool takes_a_constant(std::size_t term) const;
  VectorXd folded(const VectorXd& gradient) const;
  VectorXd centres_of(const Design& runs) const;
  Sensitivity sensitivity_of(const Design& runs, const FitOptions& options) const;
};

/// Finds which constants of a fitted sum are identifiable from the training rows. Returns nullopt
/// if a stop is requested before a large sum is analysed.
std::optional<Findings> identify_sum(const FittedModel& model, const Design& training,
                                     const FitOptions& options);

}  // namespace perfmodel
