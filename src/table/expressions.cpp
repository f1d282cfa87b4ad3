#include "table/expressions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"

namespace perfmodel {
namespace {

/// Calls `use` with every row and f(value), which is computed once per value of a coded column.
template <class Function, class Use>
void for_each_row(const NumericFactor& factor, std::size_t rows, const Function& f,
                  const Use& use) {
  std::vector<double> of_value;
  of_value.reserve(factor.values.size());
  for (const double value : factor.values)
    of_value.push_back(f(value));
  for (std::size_t row = 0; row < rows; ++row)
    use(index(row), of_value[factor.coded() ? factor.codes[row] : row]);
}

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

  // Term by term over all rows: the sum and product of a row are computed in the order of the spec,
  // whatever the other rows.
  const auto lone = layout.lone_coefficient();
  Eigen::VectorXd sum = Eigen::VectorXd::Constant(index(design.rows), lone ? constant(*lone) : 0);
  for (std::size_t i = 0; i < design.intrinsic.size(); ++i) {
    const double coefficient = constant(layout.coefficient(i));
    const double power = constant(layout.intrinsic_power(i));
    for_each_row(
        design.intrinsic[i], design.rows,
        [&](double value) { return coefficient * std::pow(value, power); },
        [&](Eigen::Index row, double term) { sum[row] += term; });
  }
  for (std::size_t c = 0; c < design.categorical.size(); ++c) {
    const std::vector<std::uint32_t>& codes = design.categorical[c].codes;
    for (std::size_t row = 0; row < design.rows; ++row)
      sum[index(row)] += constant(layout.level(c, codes[row]));
  }
  Eigen::VectorXd product = Eigen::VectorXd::Ones(index(design.rows));
  for (std::size_t j = 0; j < design.extrinsic.size(); ++j) {
    const double power = constant(layout.extrinsic_power(j));
    for_each_row(
        design.extrinsic[j], design.rows, [&](double value) { return std::pow(value, power); },
        [&](Eigen::Index row, double factor) { product[row] *= factor; });
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

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

}  // namespace

std::size_t numeric_count(const ModelSpec& spec) {
  return spec.extrinsic.size() + spec.intrinsic.size();
}

const NumericInput& numeric_input(const ModelSpec& spec, std::size_t numeric) {
  const std::size_t extrinsics = spec.extrinsic.size();
  return numeric < extrinsics ? spec.extrinsic[numeric] : spec.intrinsic[numeric - extrinsics];
}

const NumericFactor& numeric_factor(const Design& design, std::size_t numeric) {
  const std::size_t extrinsics = design.extrinsic.size();
  return numeric < extrinsics ? design.extrinsic[numeric] : design.intrinsic[numeric - extrinsics];
}

NumericFactor& numeric_factor(Design& design, std::size_t numeric) {
  return const_cast<NumericFactor&>(numeric_factor(std::as_const(design), numeric));
}

Design with_numeric_at(Design design, std::size_t numeric, double value) {
  NumericFactor& factor = numeric_factor(design, numeric);
  factor.values = {value};
  factor.codes.assign(design.rows, 0);
  return design;
}

double Feature::coordinate(double clamped) const {
  return saturates ? 1 - 1 / clamped : std::log(clamped);
}

double Feature::factor(double clamped, double power) const {
  const double grown = saturates ? std::exp(power * (1 - 1 / clamped)) : std::pow(clamped, power);
  return log_power == 0 ? grown : grown * std::pow(std::log2(std::max(clamped, 1.0)), log_power);
}

double Feature::slope(double value, double power) const {
  if (clamp < value)
    return 0;
  // d ln (n^q log2(n)^r) / d ln n = q + r / ln n, and of exp(q (1 - 1/n)) it is q / n.
  const double plain = saturates ? power / value : power;
  const double log_value = std::log(value);
  return log_power == 0 || log_value <= 0 ? plain : plain + log_power / log_value;
}

const Feature& MultiStructure::feature(std::size_t term, std::size_t numeric) const {
  static const Feature plain;
  const bool has_own = term < features.size() && numeric < features[term].size();
  return has_own ? features[term][numeric] : plain;
}

Feature& MultiStructure::own_feature(std::size_t term, std::size_t numeric) {
  features.resize(std::max(features.size(), term + 1));
  features[term].resize(std::max(features[term].size(), numeric + 1));
  return features[term][numeric];
}

bool MultiStructure::operator==(const MultiStructure& other) const {
  if (terms != other.terms || step_factors != other.step_factors)
    return false;
  for (std::size_t k = 0; k < terms; ++k) {
    const std::size_t own = k < features.size() ? features[k].size() : 0;
    const std::size_t others = k < other.features.size() ? other.features[k].size() : 0;
    for (std::size_t n = 0; n < std::max(own, others); ++n)
      if (feature(k, n) != other.feature(k, n))
        return false;
  }
  return true;
}

MultiLayout::MultiLayout(const ModelSpec& spec, const MultiStructure& structure) {
  std::size_t next = 1 + spec.intrinsic.size();
  for (const CategoricalInput& input : spec.categorical) {
    level_start_.push_back(next);
    next += input.levels.size();
  }
  extrinsic_start_ = next;
  step_factor_start_ = extrinsic_start_ + spec.extrinsic.size();
  stride_ = step_factor_start_ + 2 * structure.step_factors.size();
  for (std::size_t k = 1; k <= structure.terms; ++k) {
    const std::string term = std::to_string(k);
    names_.push_back("a[" + term + "]");
    for (const NumericInput& input : spec.intrinsic)
      names_.push_back("p[" + term + "," + input.column + "]");
    for (const CategoricalInput& input : spec.categorical)
      for (const std::string& level : input.levels)
        names_.push_back("g[" + term + "," + input.column + "=" + level + "]");
    for (const NumericInput& input : spec.extrinsic)
      names_.push_back("q[" + term + "," + input.column + "]");
    for (const StepFactor& step_factor : structure.step_factors) {
      for (const char* sign : {"<=", ">"}) {
        names_.push_back("g[" + term + "," + numeric_input(spec, step_factor.numeric).column +
                         sign + to_text(step_factor.above) + "]");
      }
    }
  }
  names_.emplace_back("C");
}

MatrixXd multi_parts(const ModelSpec& spec, const MultiStructure& structure,
                     const VectorXd& constants, const Design& design) {
  const MultiLayout layout(spec, structure);
  const auto constant = [&](std::size_t i) { return constants[index(i)]; };
  MatrixXd parts(index(design.rows), index(structure.terms) + 1);
  for (std::size_t k = 0; k < structure.terms; ++k) {
    auto part = parts.col(index(k));
    part.setConstant(constant(layout.coefficient(k)));
    const auto multiply = [&](Index row, double factor) { part[row] *= factor; };
    const auto multiply_by_numeric = [&](std::size_t n) {
      const double power = constant(layout.numeric_power(k, n));
      const Feature& feature = structure.feature(k, n);
      for_each_row(
          numeric_factor(design, n), design.rows,
          [&](double value) {
            return feature.factor(numeric_input(spec, n).counted(feature.clamped(value)), power);
          },
          multiply);
    };
    for (std::size_t n = spec.extrinsic.size(); n < numeric_count(spec); ++n)
      multiply_by_numeric(n);
    for (std::size_t c = 0; c < design.categorical.size(); ++c)
      for (std::size_t row = 0; row < design.rows; ++row)
        part[index(row)] *= constant(layout.level(k, c, design.categorical[c].codes[row]));
    for (std::size_t n = 0; n < spec.extrinsic.size(); ++n)
      multiply_by_numeric(n);
    for (std::size_t g = 0; g < structure.step_factors.size(); ++g) {
      const StepFactor& step_factor = structure.step_factors[g];
      const Feature& feature = structure.feature(k, step_factor.numeric);
      for_each_row(
          numeric_factor(design, step_factor.numeric), design.rows,
          [&](double value) {
            const bool above = feature.clamped(value) > step_factor.above;
            return constant(layout.step_factor(k, g, above ? 1 : 0));
          },
          multiply);
    }
  }
  parts.rightCols(1).setConstant(constant(layout.intercept()));
  return parts;
}

VectorXd predict_multi(const ModelSpec& spec, const MultiStructure& structure,
                       const VectorXd& constants, const Design& design) {
  const MatrixXd parts = multi_parts(spec, structure, constants, design);
  VectorXd time = VectorXd::Zero(parts.rows());
  for (Index k = 0; k < parts.cols(); ++k)
    time += parts.col(k);
  return time;
}

MatrixXd multi_elasticities(const ModelSpec& spec, const MultiStructure& structure,
                            const VectorXd& constants, const Design& design) {
  const MultiLayout layout(spec, structure);
  const MatrixXd parts = multi_parts(spec, structure, constants, design);
  MatrixXd out = MatrixXd::Zero(parts.rows(), index(spec.extrinsic.size()));
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    for (std::size_t k = 0; k < structure.terms; ++k) {
      const double power = constants[index(layout.extrinsic_power(k, j))];
      for (std::size_t row = 0; row < design.rows; ++row) {
        const double local = structure.feature(k, j).slope(design.extrinsic[j].value(row), power);
        out(index(row), index(j)) += local * parts(index(row), index(k));
      }
    }
  }
  for (Index row = 0; row < out.rows(); ++row)
    out.row(row) /= parts.row(row).sum();
  return out;
}

namespace {

constexpr double kUnseenShare = 1e-6;

/// The range of a component within the measured ranges; both bounds are >= 0.
struct Bounds {
  double low = 1;
  double high = 1;

  void multiply(double a, double b) {
    low *= std::min(a, b);
    high *= std::max(a, b);
  }
};

/// The range of constants that follow each other.
Bounds range_of(const Eigen::VectorXd& constants, std::size_t first, std::size_t count) {
  const auto some = constants.segment(index(first), index(count));
  return {some.minCoeff(), some.maxCoeff()};
}

/// Hides a component if its upper bound is below kUnseenShare times the lower bound of the time.
SeenParts seen_of(const std::vector<Bounds>& terms, double intercept) {
  SeenParts out{std::vector<bool>(terms.size(), true), true};
  double least = intercept;
  for (const Bounds& term : terms)
    least += term.low;
  if (!(least > 0) || !std::isfinite(least))
    return out;
  for (std::size_t k = 0; k < terms.size(); ++k)
    out.terms[k] = !(terms[k].high < kUnseenShare * least);
  out.intercept = !(intercept < kUnseenShare * least);
  return out;
}

SeenParts all_seen(std::size_t terms) {
  return {std::vector<bool>(terms, true), true};
}

}  // namespace

SeenParts seen_parts_of_generic(const ModelSpec& spec, const Eigen::VectorXd& constants) {
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t i) { return constants[index(i)]; };
  Bounds scaled;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    const double q = constant(layout.extrinsic_power(j));
    scaled.multiply(std::pow(spec.extrinsic[j].low, q), std::pow(spec.extrinsic[j].high, q));
  }
  std::vector<Bounds> terms;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    const double a = constant(layout.coefficient(i));
    const double p = constant(layout.intrinsic_power(i));
    const NumericInput& input = spec.intrinsic[i];
    Bounds term = scaled;
    if (input.zero)  // absent if the column is 0
      term.multiply(0, a * std::max(std::pow(input.zero->unit, p), std::pow(input.high, p)));
    else
      term.multiply(a * std::pow(input.low, p), a * std::pow(input.high, p));
    terms.push_back(term);
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const Bounds levels =
        range_of(constants, layout.level(c, 0), spec.categorical[c].levels.size());
    Bounds term = scaled;
    term.multiply(levels.low, levels.high);
    terms.push_back(term);
  }
  const double intercept = constant(layout.intercept());
  if (const auto lone = layout.lone_coefficient()) {
    scaled.multiply(constant(*lone), constant(*lone));
    SeenParts out = seen_of({scaled}, intercept);
    out.terms.clear();
    return out;
  }
  if (intercept < 0 ||
      std::any_of(terms.begin(), terms.end(), [](const Bounds& term) { return term.low < 0; }))
    return all_seen(terms.size());
  return seen_of(terms, intercept);
}

SeenParts seen_parts_of_multi(const ModelSpec& spec, const MultiStructure& structure,
                              const Eigen::VectorXd& constants) {
  const MultiLayout layout(spec, structure);
  const auto constant = [&](std::size_t i) { return constants[index(i)]; };
  std::vector<Bounds> terms;
  for (std::size_t k = 0; k < structure.terms; ++k) {
    const double a = constant(layout.coefficient(k));
    if (a < 0)
      return all_seen(structure.terms);
    Bounds term{a, a};
    for (std::size_t n = 0; n < numeric_count(spec); ++n) {
      const NumericInput& input = numeric_input(spec, n);
      const Feature& feature = structure.feature(k, n);
      // The power and the logarithm are monotonic, their product need not be.
      const auto add = [&](const Feature& part, double power) {
        const auto at = [&](double value) {
          return part.factor(input.counted(feature.clamped(value)), power);
        };
        term.multiply(at(input.low), at(input.high));
      };
      add({.saturates = feature.saturates}, constant(layout.numeric_power(k, n)));
      add({.log_power = feature.log_power}, 0);
    }
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      const Bounds levels =
          range_of(constants, layout.level(k, c, 0), spec.categorical[c].levels.size());
      term.multiply(levels.low, levels.high);
    }
    for (std::size_t g = 0; g < structure.step_factors.size(); ++g)
      term.multiply(constant(layout.step_factor(k, g, 0)), constant(layout.step_factor(k, g, 1)));
    terms.push_back(term);
  }
  const double intercept = constant(layout.intercept());
  return intercept < 0 ? all_seen(structure.terms) : seen_of(terms, intercept);
}

}  // namespace perfmodel
