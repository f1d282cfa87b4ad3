#include "model/form/generic_expression.hpp"

#include <cmath>

#include "base/index.hpp"
#include "base/text.hpp"

namespace perfmodel {
namespace {

/// coefficient * value^power for every row. A coded column has one pow per distinct value.
class PowerTerm {
 public:
  PowerTerm(const NumericFactor& factor, double coefficient, double power) : factor_(factor) {
    of_value_.reserve(factor.values.size());
    for (const double value : factor.values)
      of_value_.push_back(coefficient * std::pow(value, power));
  }

  double operator[](std::size_t row) const {
    return of_value_[factor_.coded() ? factor_.codes[row] : row];
  }

 private:
  const NumericFactor& factor_;
  std::vector<double> of_value_;
};

}  // namespace

double log_of_value(double value) {
  constexpr double log_of_zero = -1e5;
  return value == 0 ? log_of_zero : std::log(value);
}

GenericLayout::GenericLayout(const ModelSpec& spec)
    : intrinsic_(spec.intrinsic.size()),
      extrinsic_(spec.extrinsic.size()),
      has_lone_(spec.has_scales_only()),
      power_start_(spec.intrinsic.size() + spec.level_count() + (has_lone_ ? 1 : 0)) {
  if (has_lone_)
    names_.emplace_back("a");
  for (const NumericInput& input : spec.intrinsic)
    names_.push_back("a[" + input.column + "]");
  for (const CategoricalInput& input : spec.categorical) {
    level_start_.push_back(names_.size());
    for (const std::string& level : input.levels)
      names_.push_back("a[" + input.column + "=" + level + "]");
  }
  for (const NumericInput& input : spec.intrinsic)
    names_.push_back("p[" + input.column + "]");
  for (const NumericInput& input : spec.extrinsic)
    names_.push_back("q[" + input.column + "]");
  names_.emplace_back("C");
}

ConstantKind GenericLayout::kind(std::size_t i) const {
  if (i < intrinsic_)
    return ConstantKind::coefficient;
  if (i < power_start_)
    return has_lone_ ? ConstantKind::lone_coefficient : ConstantKind::level_coefficient;
  if (i < power_start_ + intrinsic_)
    return ConstantKind::intrinsic_power;
  return i < intercept() ? ConstantKind::extrinsic_power : ConstantKind::intercept;
}

Eigen::VectorXd predict_generic(const ModelSpec& spec, const Eigen::VectorXd& constants,
                                const Design& design) {
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t i) { return constants[index(i)]; };

  // Term by term over all rows: each row's sum and product run in the order of the spec, whatever
  // other rows there are.
  const auto lone = layout.lone_coefficient();
  Eigen::VectorXd sum = Eigen::VectorXd::Constant(index(design.rows), lone ? constant(*lone) : 0);
  for (std::size_t i = 0; i < design.intrinsic.size(); ++i) {
    const PowerTerm term(design.intrinsic[i], constant(layout.coefficient(i)),
                         constant(layout.intrinsic_power(i)));
    for (std::size_t row = 0; row < design.rows; ++row)
      sum[index(row)] += term[row];
  }
  for (std::size_t c = 0; c < design.categorical.size(); ++c) {
    const std::vector<std::uint32_t>& codes = design.categorical[c].codes;
    for (std::size_t row = 0; row < design.rows; ++row)
      sum[index(row)] += constant(layout.level(c, codes[row]));
  }
  Eigen::VectorXd product = Eigen::VectorXd::Ones(index(design.rows));
  for (std::size_t j = 0; j < design.extrinsic.size(); ++j) {
    const PowerTerm term(design.extrinsic[j], 1, constant(layout.extrinsic_power(j)));
    for (std::size_t row = 0; row < design.rows; ++row)
      product[index(row)] *= term[row];
  }

  // Eq. (4): t(I, E) = (sum_i a_i I_i^p_i + sum_c a_{c,level}) * prod_j E_j^q_j + C
  Eigen::VectorXd time(index(design.rows));
  for (Eigen::Index row = 0; row < time.size(); ++row)
    time[row] = sum[row] * product[row] + constant(layout.intercept());
  return time;
}

std::string generic_formula(const ModelSpec& spec) {
  std::vector<std::string> terms;
  for (const NumericInput& input : spec.intrinsic)
    terms.push_back("a_" + input.column + "*" + input.column + "^p_" + input.column);
  for (const CategoricalInput& input : spec.categorical)
    terms.push_back("a_" + input.column);
  std::vector<std::string> factors;
  if (spec.has_scales_only())
    factors.emplace_back("a");
  else if (!terms.empty())
    factors.push_back("(" + joined(terms, " + ") + ")");
  for (const NumericInput& input : spec.extrinsic)
    factors.push_back(input.column + "^q_" + input.column);
  const std::string scaled = factors.empty() ? std::string() : joined(factors, " * ") + " + ";
  return "t = " + scaled + "C";
}

}  // namespace perfmodel
