#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// The smallest power of a column that may be 0: a 0^p is 0 for p > 0 alone. A power as small says
/// as good as nothing but whether the value is 0.
constexpr double kLeastPowerAtZero = 0.01;

/// ln value; of 0 a number that every such power turns into one whose exponential is 0.
double log_of_value(double value);

/// The part a constant plays in Eq. (4).
enum class ConstantKind {
  coefficient,
  level_coefficient,
  lone_coefficient,
  intrinsic_power,
  extrinsic_power,
  intercept
};

/// Where each constant of Eq. (4) stands in the vector of constants:
///
///     a_1..a_n | one a per level, column by column | p_1..p_n | q_1..q_m | C
///
/// Where scales are the only inputs, the sum is one constant a, the first.
class GenericLayout {
 public:
  explicit GenericLayout(const ModelSpec& spec);

  std::size_t size() const { return intercept() + 1; }
  std::size_t coefficient(std::size_t i) const { return i; }
  /// The a of a model whose only inputs are scales.
  std::optional<std::size_t> lone_coefficient() const {
    return has_lone_ ? std::optional<std::size_t>(0) : std::nullopt;
  }
  std::size_t level(std::size_t column, std::size_t level) const {
    return level_start_[column] + level;
  }
  std::size_t intrinsic_power(std::size_t i) const { return power_start_ + i; }
  std::size_t extrinsic_power(std::size_t j) const { return power_start_ + intrinsic_ + j; }
  std::size_t intercept() const { return power_start_ + intrinsic_ + extrinsic_; }

  ConstantKind kind(std::size_t index) const;
  /// "a[filters]", "a[activation=relu]", "p[filters]", "q[workers]", "a", "C".
  const std::string& name(std::size_t index) const { return names_[index]; }

 private:
  std::size_t intrinsic_;
  std::size_t extrinsic_;
  bool has_lone_;
  std::vector<std::size_t> level_start_;
  std::size_t power_start_;
  std::vector<std::string> names_;
};

/// Eq. (4) of Kavarakuntla et al. 2024 for every row of the design:
///
///     t(I, E) = (sum_i a_i I_i^p_i + sum_c a_{c,level}) * prod_j E_j^q_j + C
///
/// and t(E) = a * prod_j E_j^q_j + C where scales are the only inputs.
/// `constants` in the order of GenericLayout, in the units of the data. Returns one time per row.
Eigen::VectorXd predict_generic(const ModelSpec& spec, const Eigen::VectorXd& constants,
                                const Design& design);

/// The formula with the names of the columns, for people.
std::string generic_formula(const ModelSpec& spec);

}  // namespace perfmodel
