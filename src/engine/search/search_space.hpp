#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "perfmodel/fit_options.hpp"
#include "search/finish.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

/// A categorical column with at least this many levels is not searched level by level, and matrices
/// are sparse: each row has only one of them.
inline constexpr std::size_t kManyLevels = 32;

bool has_many_levels(const Design& design);

/// ln of the geometric mean of a column over all runs in which it is not 0.
double log_geometric_mean(const NumericFactor& factor, const WeightedRows& rows);

/// The coordinates in which Eq. (4) is searched, and their conversion to the user's constants.
///
///   raw constants      in the units of the data, as written to model.json
///   scaled constants   for columns divided by their geometric means: a is then the time of the
///                      term at a typical configuration, for any powers
///   search coordinates ln of the scaled constant if it must be positive (a, C), else itself
///
/// The division keeps I^p near 1 for every p: without it nearly every point of the box predicts
/// nonsense, and a search collapses to the constant C = median(t).
class SearchSpace {
 public:
  SearchSpace(const ModelSpec& spec, const WeightedRows& training, const FitOptions& options);

  const Eq4Layout& layout() const { return layout_; }

  /// ln of the geometric mean by which each column is divided; 0 if it is not divided.
  const std::vector<double>& intrinsic_log_centres() const { return intrinsic_log_centres_; }
  const std::vector<double>& extrinsic_log_centres() const { return extrinsic_log_centres_; }

  /// Per constant: true if its search coordinate is the logarithm.
  const std::vector<std::uint8_t>& logarithmic() const { return logarithmic_; }

  /// The box of the search coordinates.
  const optimise::Bounds& coordinates() const { return coordinates_; }

  /// The box of the scaled constants, wider than that of the search: a and C may be exactly 0.
  const optimise::Bounds& scaled() const { return scaled_; }

  VectorXd scaled_from_coordinates(const VectorXd& x) const;
  VectorXd raw_from_scaled(const VectorXd& scaled) const;
  /// Clamped to the box, since rounding may have moved a constant out of it.
  VectorXd scaled_from_raw(const VectorXd& raw) const;

  /// ln(raw / scaled) of coefficient `index`: minus the powers times the log centres.
  double log_raw_factor(std::size_t index, const VectorXd& scaled) const;

 private:
  Eq4Layout layout_;
  std::vector<double> intrinsic_log_centres_;
  std::vector<double> extrinsic_log_centres_;
  std::vector<std::uint8_t> logarithmic_;
  optimise::Bounds coordinates_;
  optimise::Bounds scaled_;
};

/// Eqs. (10) and (11): lambda times the sum of |x| or x^2 over all constants except C, in units of
/// the loss.
///
/// Raw: x are the constants of model.json, as in the paper; the meaning of a lambda then depends on
/// the units of the time and of the columns. Scaled: x are the powers, and the a of columns divided
/// by their geometric means, in units of the median time; the sum is in units of the loss of that
/// time, and a lambda has the same meaning for any units.
class Regulariser : public PenaltyTerms {
 public:
  Regulariser(const SearchSpace& space, const WeightedRows& training, const FitOptions& options);

  PenalisedConstants linearise(const VectorXd& scaled) const override;

 private:
  Eq4Layout layout_;
  double unit_ = 1;  ///< unit of the penalised coefficients
  bool is_sparse_;
  /// Shift of the logarithm of each column between scaled and penalised constants.
  std::vector<double> intrinsic_shift_;
  std::vector<double> extrinsic_shift_;

  VectorXd values(const VectorXd& scaled) const override;
  /// Ratio penalised / scaled of a coefficient.
  double factor(std::size_t coefficient, const VectorXd& scaled) const;
};

}  // namespace perfmodel
