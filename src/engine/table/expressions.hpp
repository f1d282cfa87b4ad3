#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/eigen.hpp"
#include "perfmodel/design.hpp"

namespace perfmodel {

/// The smallest power of a column that contains 0, since 0^p is 0 only for p > 0. A power this
/// small distinguishes little more than whether the value is 0.
constexpr double kLeastPowerAtZero = 0.01;

/// ln value. For 0 a number so low that exp(p times it) is 0 for every such power p.
double log_of_value(double value);

/// The index of each constant of Eq. (4) in the vector of constants:
///
///     a_1..a_n | one a per level, column by column | p_1..p_n | q_1..q_m | C
///
/// If scales are the only inputs, the sum is one constant a, the first.
class Eq4Layout {
 public:
  explicit Eq4Layout(const ModelSpec& spec);

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

  /// Whether it is the a of a column, of a level or of the scales.
  bool is_coefficient(std::size_t index) const { return index < power_start_; }
  /// Whether it is the a of an intrinsic column, which has the power p beside it.
  bool is_of_power(std::size_t index) const { return index < intrinsic_; }
  bool is_power(std::size_t index) const { return index >= power_start_ && index < intercept(); }
  /// "a[filters]", "a[activation=relu]", "p[filters]", "q[workers]", "a", "C".
  const std::string& name(std::size_t index) const { return names_[index]; }
  std::vector<std::string> names() && { return std::move(names_); }

 private:
  std::size_t intrinsic_;
  std::size_t extrinsic_;
  bool has_lone_;
  std::vector<std::size_t> level_start_;
  std::size_t power_start_;
  std::vector<std::string> names_;
};

/// Eq. (4) with the names of the columns, as printed.
std::string eq4_formula(const ModelSpec& spec);

// A *numeric column* of a sum has one index: extrinsic columns come first, then intrinsic ones.

std::size_t numeric_count(const ModelSpec& spec);
const NumericInput& numeric_input(const ModelSpec& spec, std::size_t numeric);
const NumericFactor& numeric_factor(const Design& design, std::size_t numeric);
NumericFactor& numeric_factor(Design& design, std::size_t numeric);

/// The design with a numeric column set to `value` in all rows.
Design with_numeric_at(Design design, std::size_t numeric, double value);

/// A step of the time in a numeric column, such as "num_gpus > 1": communication begins.
struct StepFactor {
  std::size_t numeric = 0;
  double above = 1;

  bool operator==(const StepFactor&) const = default;
};

/// How a numeric column n enters a term of a sum: as (m^p or exp(1 - 1/m)^p) log2(m)^r, m being
/// min(n, clamp).
struct Feature {
  int log_power = 0;       ///< r: 0, 1 or 2
  bool saturates = false;  ///< exp(1 - 1/m): the all-reduce saturation term, else m
  double clamp = std::numeric_limits<double>::infinity();  ///< larger values count as this one

  double clamped(double value) const { return std::min(value, clamp); }
  /// The logarithm of what has the power p, ln m or 1 - 1/m, of a clamped value; see
  /// log_of_value().
  double coordinate(double clamped) const;
  /// The factor of the term, of a clamped value. log2(m) is 0 for m < 1.
  double factor(double clamped, double power) const;
  /// d ln factor / d ln n.
  double slope(double value, double power) const;

  bool operator==(const Feature&) const = default;
};

/// The structure of a sum of product terms, without its constants.
struct SumStructure {
  std::size_t terms = 1;
  std::vector<StepFactor> step_factors;
  /// [term][numeric]; columns beyond the last entry are plain powers.
  std::vector<std::vector<Feature>> features = {};

  const Feature& feature(std::size_t term, std::size_t numeric) const;
  /// The same to be changed, with entries up to it.
  Feature& own_feature(std::size_t term, std::size_t numeric);

  bool operator==(const SumStructure& other) const;
};

/// The index of each constant of a sum of product terms in the vector of constants; per term
///
///     a | p_1..p_n | one factor per level, column by column | q_1..q_m | two factors per
///     step_factor
///
/// and C after the last term.
class SumLayout {
 public:
  SumLayout(const ModelSpec& spec, const SumStructure& structure);

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
    const std::size_t extrinsics = step_factor_start_ - extrinsic_start_;
    return numeric < extrinsics ? extrinsic_power(term, numeric)
                                : intrinsic_power(term, numeric - extrinsics);
  }
  /// `side` 0: at or below the threshold, 1: above it.
  std::size_t step_factor(std::size_t term, std::size_t index, std::size_t side) const {
    return term * stride_ + step_factor_start_ + 2 * index + side;
  }
  std::size_t intercept() const { return names_.size() - 1; }

  /// "a[1]", "p[1,filters]", "g[1,activation=relu]", "q[1,workers]", "g[1,num_gpus>1]", "C".
  const std::string& name(std::size_t index) const { return names_[index]; }
  std::vector<std::string> names() && { return std::move(names_); }

 private:
  std::vector<std::size_t> level_start_;
  std::size_t extrinsic_start_ = 0;
  std::size_t step_factor_start_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::string> names_;
};

/// A factor of a term: a number, a power of a numeric column (as its Feature has it), a number per
/// level of a column, or one of two numbers, at or below a threshold and above it.
struct TermFactor {
  enum class Kind { number, power, levels, step };

  Kind kind = Kind::number;
  std::size_t constant = 0;  ///< the first one
  std::size_t input = 0;     ///< the numeric or categorical column
  Feature feature = {};
  double above = 0;  ///< of a step
};

/// Eq. (4) of Kavarakuntla et al. 2024,
///
///     t(I, E) = (sum_i a_i I_i^p_i + sum_c a_{c,level}) * prod_j E_j^q_j + C
///
/// (t(E) = a * prod_j E_j^q_j + C if scales are the only inputs), or a sum of product terms
///
///     a_k prod_i I_i^p_ki prod_c g_{k,c}[level] prod_j E_j^q_kj prod_n log2(n)^r_kn
///
/// times the factors of its steps, and C, where n is every numeric column.
struct TermSum {
  TermSum(const ModelSpec& of);  // implicit, since Eq. (4) needs nothing else
  TermSum(const ModelSpec& of, const SumStructure& structure);

  const ModelSpec* spec;
  bool is_eq4;  ///< Eq. (4), where 0 in a column is no term; in sums it is counted()
  std::vector<std::vector<TermFactor>> terms;
  std::vector<TermFactor> common = {};  ///< factors of all terms but C
  std::size_t intercept;
  std::vector<std::string> names;  ///< of the constants, in the order of the form's layout

  /// What the feature of a factor is computed from, at a value of its column.
  double base(const TermFactor& factor, double value) const;
};

// `constants` are in the order of the form's layout, in the units of the data.

/// One time per row. The sum and the product of a row are computed in the order of the spec,
/// whatever the other rows.
VectorXd predict_terms(const TermSum& sum, const VectorXd& constants, const Design& design);

/// The components of the time, rows x (terms + 1): a column per term, then C.
MatrixXd term_parts(const TermSum& sum, const VectorXd& constants, const Design& design);

/// Local scaling powers d ln t / d ln E_j of the rows of a design: rows x extrinsic columns. Not of
/// Eq. (4), whose powers are constants.
MatrixXd local_powers(const TermSum& sum, const VectorXd& constants, const Design& design);

/// Derivatives of ln t by the powers and by the logarithms of the other constants: rows x
/// constants.
MatrixXd term_log_slopes(const TermSum& sum, const VectorXd& constants, const Design& design);

/// The components of a formula that are printed: those that change a time within the measured
/// ranges by more than 1e-6, far less than three digits or clocks resolve. If a component is
/// subtracted from others, all are printed.
struct SeenParts {
  std::vector<bool> terms;
  bool intercept = true;
};

SeenParts seen_parts(const TermSum& sum, const VectorXd& constants);

}  // namespace perfmodel
