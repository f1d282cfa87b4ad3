#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fit/process/kernel/coordinates.hpp"

namespace perfmodel::process {

/// The correlation of two runs is a product over the columns:
///
///   numbers  w + (1 - w) (1 + a + a^2 / 3) exp(-a), a = sqrt(5) |x - x'| / l  (Matern 5/2)
///   levels   exp(-rate) where they differ
///
/// The share w remains however far apart two numbers are: what is peculiar to a job on 4 workers
/// carries over to 8.
struct Kernel {
  Eigen::VectorXd inverse_lengths;  ///< 1 / l, per number
  Eigen::VectorXd shares;           ///< w, per number
  Eigen::VectorXd rates;            ///< per column of levels
  double variance = 1;              ///< of the process
  double noise = 1;                 ///< variance of one run about it

  /// Of each of `count` values of a number with one more.
  void number_correlations(Eigen::Index column, const double* values, std::size_t count,
                           double from, double* out) const;
  /// d ln of these / d ln(1 / l) and / d ln(w / (1 - w)).
  void number_slopes(Eigen::Index column, const double* values, std::size_t count, double from,
                     double* by_length, double* by_share) const;
  /// -ln of these.
  void number_distances(Eigen::Index column, const double* values, std::size_t count, double from,
                        double* out) const;
};

/// The distinct values of a column and where they stand.
struct CodedColumn {
  Eigen::VectorXd values;            ///< ascending; of levels their indices
  std::vector<std::uint32_t> codes;  ///< row -> index into `values`

  static CodedColumn of(const Eigen::VectorXd& column);
  Eigen::VectorXd of_rows() const;
};

/// Coordinates with their columns coded: kernels are computed once per pair of distinct values.
struct CodedInputs {
  std::vector<CodedColumn> numbers;
  std::vector<CodedColumn> levels;
  Eigen::Index rows = 0;

  explicit CodedInputs(const Inputs& coordinates);
};

/// Correlations of each of `a` with each of `b`.
Eigen::MatrixXd correlations(const Kernel& kernel, const CodedInputs& a, const CodedInputs& b);
/// Of each with those before it and with itself: the lower half, 1 above it.
Eigen::MatrixXd correlations_among(const Kernel& kernel, const CodedInputs& rows,
                                   std::size_t threads = 1);

/// sum_ik weights(i, k) dR(i, k) / dp / R(i, k) over all pairs of rows, for each p of ln(1 / l) and
/// ln(w / (1 - w)) of each number, then ln(rate) of each column of levels. Of the symmetric weights
/// the lower half counts.
Eigen::VectorXd log_correlation_slopes(const Kernel& kernel, const CodedInputs& rows,
                                       const Eigen::MatrixXd& weights, std::size_t threads = 1);

}  // namespace perfmodel::process
