#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/columns.hpp"

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

// A *numeric column* of a sum is known by one index: the extrinsic ones come first, the intrinsic
// ones behind them.

std::size_t numeric_count(const ModelSpec& spec);
const NumericInput& numeric_input(const ModelSpec& spec, std::size_t numeric);
const NumericFactor& numeric_factor(const Design& design, std::size_t numeric);
NumericFactor& numeric_factor(Design& design, std::size_t numeric);

/// The rows with one numeric column at the same value in all of them.
Design with_numeric_at(Design design, std::size_t numeric, double value);

/// A step in a numeric column that is no power law, such as "num_gpus > 1": communication begins.
struct Regime {
  std::size_t numeric = 0;
  double above = 1;

  bool operator==(const Regime&) const = default;
};

/// Beyond `at`, a numeric column counts as if it were `at`.
struct Cap {
  std::size_t numeric = 0;
  double at = 1;

  bool operator==(const Cap&) const = default;
};

/// What a sum of product terms is made of, besides its constants.
struct MultiStructure {
  std::size_t terms = 1;
  std::vector<Regime> regimes;
  /// r of each term and numeric column, 0 where the term has no logarithm: [term][numeric]; columns
  /// behind the last entry have none.
  std::vector<std::vector<int>> log_powers;
  /// By term, the numeric columns whose power is one of exp(1 - 1/n) and not of n itself: what an
  /// all-reduce over a ring of n takes. Terms behind the last entry have none.
  std::vector<std::vector<std::size_t>> rings = {};
  std::vector<std::vector<Cap>> caps = {};  ///< by term, in the same way

  int log_power(std::size_t term, std::size_t numeric) const;
  bool has_ring(std::size_t term, std::size_t numeric) const;
  /// What a value of the column counts as in the term.
  double capped(std::size_t term, std::size_t numeric, double value) const;

  bool operator==(const MultiStructure&) const = default;
};

/// Where each constant of a sum of product terms stands in the vector of constants; per term
///
///     a | p_1..p_n | one factor per level, column by column | q_1..q_m | two factors per regime
///
/// and C behind the last term.
class MultiLayout {
 public:
  MultiLayout(const ModelSpec& spec, const MultiStructure& structure);

  std::size_t size() const { return names_.size(); }
  std::size_t coefficient(std::size_t term) const { return term * stride_; }
  std::size_t intrinsic_power(std::size_t term, std::size_t i) const {
    return term * stride_ + 1 + i;
  }
  std::size_t level(std::size_t term, std::size_t column, std::size_t level) const {
    return term * stride_ + level_start_[column] + level;
  }
  std::size_t extrinsic_power(std::size_t term, std::size_t j) const {
    return term * stride_ + extrinsic_start_ + j;
  }
  std::size_t numeric_power(std::size_t term, std::size_t numeric) const {
    const std::size_t extrinsics = regime_start_ - extrinsic_start_;
    return numeric < extrinsics ? extrinsic_power(term, numeric)
                                : intrinsic_power(term, numeric - extrinsics);
  }
  /// `side` 0: at or below the threshold, 1: above it.
  std::size_t regime(std::size_t term, std::size_t index, std::size_t side) const {
    return term * stride_ + regime_start_ + 2 * index + side;
  }
  std::size_t intercept() const { return names_.size() - 1; }

  /// "a[1]", "p[1,filters]", "g[1,activation=relu]", "q[1,workers]", "g[1,num_gpus>1]", "C".
  const std::string& name(std::size_t index) const { return names_[index]; }

 private:
  std::vector<std::size_t> level_start_;
  std::size_t extrinsic_start_ = 0;
  std::size_t regime_start_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::string> names_;
};

/// The parts of every row's time, one column per term and C in the last:
///
///     a_k prod_i I_i^p_ki prod_c g_{k,c}[level] prod_j E_j^q_kj prod_n log2(n)^r_kn
///
/// with the factors of the regimes beside those of the levels, n being every numeric column, and
/// exp(p (1 - 1/n)) in place of n^p where the term has the ring of n. `constants` in the order of
/// MultiLayout, in the units of the data. log2(n) counts as 0 where n < 1.
Eigen::MatrixXd multi_parts(const ModelSpec& spec, const MultiStructure& structure,
                            const Eigen::VectorXd& constants, const Design& design);

/// The sum of multi_parts, one time per row.
Eigen::VectorXd predict_multi(const ModelSpec& spec, const MultiStructure& structure,
                              const Eigen::VectorXd& constants, const Design& design);

/// d ln term / d ln n of a numeric column n with this value and power.
double local_power(const MultiStructure& structure, std::size_t term, std::size_t numeric,
                   double power, double value);

/// Local scaling powers d ln t / d ln E_j of the rows of a design: rows x extrinsic columns.
Eigen::MatrixXd multi_elasticities(const ModelSpec& spec, const MultiStructure& structure,
                                   const Eigen::VectorXd& constants, const Design& design);

/// Which parts of a formula people need to see: not those that change no time within the measured
/// ranges by more than one in a million, which is below what three digits, and clocks, tell. Where
/// a part is taken away from others all are seen.
struct SeenParts {
  std::vector<bool> terms;  ///< inputs of Eq. (4): intrinsic, then categorical; terms of a sum
  bool intercept = true;
};

SeenParts seen_parts_of_generic(const ModelSpec& spec, const Eigen::VectorXd& constants);
SeenParts seen_parts_of_multi(const ModelSpec& spec, const MultiStructure& structure,
                              const Eigen::VectorXd& constants);

}  // namespace perfmodel
