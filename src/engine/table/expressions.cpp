#include "table/expressions.hpp"

#include <cmath>

#include "base/text.hpp"

namespace perfmodel {

double log_of_value(double value) {
  constexpr double log_of_zero = -1e5;
  return value == 0 ? log_of_zero : std::log(value);
}

Eq4Layout::Eq4Layout(const ModelSpec& spec)
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

std::string eq4_formula(const ModelSpec& spec) {
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

/// f(value) for every row, evaluated once per distinct value.
template <class Function>
void multiply_by(const NumericFactor& factor, std::size_t rows, Function f,
                 Eigen::Ref<VectorXd> product) {
  const std::vector<double> of_value = mapped(factor.values, f);
  for (std::size_t row = 0; row < rows; ++row)
    product[index(row)] *= of_value[factor.coded() ? factor.codes[row] : row];
}

/// One number per row.
VectorXd product_of(const TermSum& sum, const std::vector<TermFactor>& factors,
                    const VectorXd& constants, const Design& design) {
  VectorXd out = VectorXd::Ones(index(design.rows));
  for (const TermFactor& factor : factors) {
    const double* const own = constants.data() + factor.constant;
    switch (factor.kind) {
      case TermFactor::Kind::number:
        out *= *own;
        break;
      case TermFactor::Kind::power:
        multiply_by(
            numeric_factor(design, factor.input), design.rows,
            [&](double value) { return factor.feature.factor(sum.base(factor, value), *own); },
            out);
        break;
      case TermFactor::Kind::levels:
        for (std::size_t row = 0; row < design.rows; ++row)
          out[index(row)] *= own[design.categorical[factor.input].codes[row]];
        break;
      case TermFactor::Kind::step:
        multiply_by(
            numeric_factor(design, factor.input), design.rows,
            [&](double value) { return own[factor.feature.clamped(value) > factor.above ? 1 : 0]; },
            out);
        break;
    }
  }
  return out;
}

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

/// The range of a product. The power and the logarithm of a feature are monotonic, their product
/// need not be.
void multiply_by_range(const TermSum& sum, const std::vector<TermFactor>& factors,
                       const VectorXd& constants, Bounds& out) {
  for (const TermFactor& factor : factors) {
    const double* const own = constants.data() + factor.constant;
    if (factor.kind == TermFactor::Kind::power) {
      const NumericInput& input = numeric_input(*sum.spec, factor.input);
      const auto at = [&](const Feature& part, double value, double power) {
        return part.factor(sum.base(factor, value), power);
      };
      const Feature grown{.saturates = factor.feature.saturates};
      const Feature logarithm{.log_power = factor.feature.log_power};
      if (sum.is_eq4 && input.zero)  // absent if the column is 0
        out.multiply(0, std::max(at(grown, input.zero->unit, *own), at(grown, input.high, *own)));
      else
        out.multiply(at(grown, input.low, *own), at(grown, input.high, *own));
      out.multiply(at(logarithm, input.low, 0), at(logarithm, input.high, 0));
    } else {
      const std::size_t count = factor.kind == TermFactor::Kind::number ? 1
                                : factor.kind == TermFactor::Kind::levels
                                    ? sum.spec->categorical[factor.input].levels.size()
                                    : 2;
      const auto [low, high] = std::minmax_element(own, own + count);
      out.multiply(*low, *high);
    }
  }
}

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
  return saturates ? 1 - 1 / clamped : log_of_value(clamped);
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

const Feature& SumStructure::feature(std::size_t term, std::size_t numeric) const {
  static const Feature plain;
  const bool has_own = term < features.size() && numeric < features[term].size();
  return has_own ? features[term][numeric] : plain;
}

Feature& SumStructure::own_feature(std::size_t term, std::size_t numeric) {
  features.resize(std::max(features.size(), term + 1));
  features[term].resize(std::max(features[term].size(), numeric + 1));
  return features[term][numeric];
}

bool SumStructure::operator==(const SumStructure& other) const {
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

SumLayout::SumLayout(const ModelSpec& spec, const SumStructure& structure) {
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

TermSum::TermSum(const ModelSpec& of) : spec(&of), is_eq4(true) {
  using enum TermFactor::Kind;
  Eq4Layout layout(of);
  for (std::size_t i = 0; i < of.intrinsic.size(); ++i)
    terms.push_back({{number, layout.coefficient(i)},
                     {power, layout.intrinsic_power(i), of.extrinsic.size() + i}});
  for (std::size_t c = 0; c < of.categorical.size(); ++c)
    terms.push_back({{levels, layout.level(c, 0), c}});
  if (const auto lone = layout.lone_coefficient())
    terms.push_back({{number, *lone}});
  for (std::size_t j = 0; j < of.extrinsic.size(); ++j)
    common.push_back({power, layout.extrinsic_power(j), j});
  intercept = layout.intercept();
  names = std::move(layout).names();
}

TermSum::TermSum(const ModelSpec& of, const SumStructure& structure) : spec(&of), is_eq4(false) {
  using enum TermFactor::Kind;
  SumLayout layout(of, structure);
  for (std::size_t k = 0; k < structure.terms; ++k) {
    std::vector<TermFactor>& factors = terms.emplace_back();
    const auto add_power = [&](std::size_t n) {
      factors.push_back({power, layout.numeric_power(k, n), n, structure.feature(k, n)});
    };
    factors.push_back({number, layout.coefficient(k)});
    for (std::size_t n = of.extrinsic.size(); n < numeric_count(of); ++n)
      add_power(n);
    for (std::size_t c = 0; c < of.categorical.size(); ++c)
      factors.push_back({levels, layout.level(k, c, 0), c});
    for (std::size_t n = 0; n < of.extrinsic.size(); ++n)
      add_power(n);
    for (std::size_t g = 0; g < structure.step_factors.size(); ++g) {
      const auto [numeric, above] = structure.step_factors[g];
      factors.push_back(
          {step, layout.step_factor(k, g, 0), numeric, structure.feature(k, numeric), above});
    }
  }
  intercept = layout.intercept();
  names = std::move(layout).names();
}

double TermSum::base(const TermFactor& factor, double value) const {
  const double clamped = factor.feature.clamped(value);
  return is_eq4 ? clamped : numeric_input(*spec, factor.input).counted(clamped);
}

VectorXd predict_terms(const TermSum& sum, const VectorXd& constants, const Design& design) {
  VectorXd time = VectorXd::Zero(index(design.rows));
  for (const std::vector<TermFactor>& term : sum.terms)
    time += product_of(sum, term, constants, design);
  return (time.array() * product_of(sum, sum.common, constants, design).array() +
          constants[index(sum.intercept)])
      .matrix();
}

MatrixXd term_parts(const TermSum& sum, const VectorXd& constants, const Design& design) {
  MatrixXd parts(index(design.rows), index(sum.terms.size()) + 1);
  const VectorXd common = product_of(sum, sum.common, constants, design);
  for (std::size_t k = 0; k < sum.terms.size(); ++k)
    parts.col(index(k)) = product_of(sum, sum.terms[k], constants, design).cwiseProduct(common);
  parts.rightCols(1).setConstant(constants[index(sum.intercept)]);
  return parts;
}

MatrixXd local_powers(const TermSum& sum, const VectorXd& constants, const Design& design) {
  const MatrixXd parts = term_parts(sum, constants, design);
  MatrixXd out = MatrixXd::Zero(parts.rows(), index(sum.spec->extrinsic.size()));
  for (std::size_t k = 0; k < sum.terms.size(); ++k) {
    for (const TermFactor& factor : sum.terms[k]) {
      if (factor.kind != TermFactor::Kind::power || factor.input >= design.extrinsic.size())
        continue;
      for (std::size_t row = 0; row < design.rows; ++row)
        out(index(row), index(factor.input)) +=
            factor.feature.slope(design.extrinsic[factor.input].value(row),
                                 constants[index(factor.constant)]) *
            parts(index(row), index(k));
    }
  }
  for (Index row = 0; row < out.rows(); ++row)
    out.row(row) /= parts.row(row).sum();
  return out;
}

MatrixXd term_log_slopes(const TermSum& sum, const VectorXd& constants, const Design& design) {
  const MatrixXd parts = term_parts(sum, constants, design);
  const MatrixXd shares = parts.array().colwise() / parts.rowwise().sum().array();
  MatrixXd out = MatrixXd::Zero(index(design.rows), constants.size());
  const auto put = [&](const std::vector<TermFactor>& factors, std::size_t row, double share) {
    for (const TermFactor& factor : factors) {
      std::size_t constant = factor.constant;
      double slope = share;
      if (factor.kind == TermFactor::Kind::levels) {
        constant += design.categorical[factor.input].codes[row];
      } else if (factor.kind != TermFactor::Kind::number) {
        const double value = numeric_factor(design, factor.input).value(row);
        if (factor.kind == TermFactor::Kind::power)
          slope *= factor.feature.coordinate(sum.base(factor, value));
        else
          constant += factor.feature.clamped(value) > factor.above ? 1U : 0U;
      }
      out(index(row), index(constant)) = slope;
    }
  };
  for (std::size_t row = 0; row < design.rows; ++row) {
    const double of_intercept = shares(index(row), index(sum.terms.size()));
    for (std::size_t k = 0; k < sum.terms.size(); ++k)
      put(sum.terms[k], row, shares(index(row), index(k)));
    put(sum.common, row, 1 - of_intercept);
    out(index(row), index(sum.intercept)) = of_intercept;
  }
  return out;
}

SeenParts seen_parts(const TermSum& sum, const VectorXd& constants) {
  std::vector<Bounds> terms(sum.terms.size());
  const double intercept = constants[index(sum.intercept)];
  bool subtracts = intercept < 0;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    multiply_by_range(sum, sum.terms[k], constants, terms[k]);
    multiply_by_range(sum, sum.common, constants, terms[k]);
    subtracts = subtracts || terms[k].low < 0 || terms[k].high < 0;
  }
  return subtracts ? SeenParts{std::vector<bool>(terms.size(), true), true}
                   : seen_of(terms, intercept);
}

}  // namespace perfmodel
