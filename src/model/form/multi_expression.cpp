#include "model/form/multi_expression.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/text.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// f(value) for every row, evaluated once per distinct value.
template <class Function>
void multiply_by(const NumericFactor& factor, std::size_t rows, Function f,
                 Eigen::Ref<VectorXd> product) {
  std::vector<double> of_value;
  of_value.reserve(factor.values.size());
  for (const double value : factor.values)
    of_value.push_back(f(value));
  for (std::size_t row = 0; row < rows; ++row)
    product[index(row)] *= of_value[factor.coded() ? factor.codes[row] : row];
}

double log2_from_one(double value) {
  return std::log2(std::max(value, 1.0));
}

/// n^p, or exp(p (1 - 1/n)).
double grown(double value, double power, bool ring) {
  return ring ? std::exp(power * (1 - 1 / value)) : std::pow(value, power);
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

int MultiStructure::log_power(std::size_t term, std::size_t numeric) const {
  const std::vector<int>& own = log_powers[term];
  return numeric < own.size() ? own[numeric] : 0;
}

bool MultiStructure::has_ring(std::size_t term, std::size_t numeric) const {
  return term < rings.size() &&
         std::find(rings[term].begin(), rings[term].end(), numeric) != rings[term].end();
}

double MultiStructure::capped(std::size_t term, std::size_t numeric, double value) const {
  if (term >= caps.size())
    return value;
  for (const Cap& cap : caps[term])
    if (cap.numeric == numeric)
      value = std::min(value, cap.at);
  return value;
}

MultiLayout::MultiLayout(const ModelSpec& spec, const MultiStructure& structure) {
  std::size_t next = 1 + spec.intrinsic.size();
  for (const CategoricalInput& input : spec.categorical) {
    level_start_.push_back(next);
    next += input.levels.size();
  }
  extrinsic_start_ = next;
  regime_start_ = extrinsic_start_ + spec.extrinsic.size();
  stride_ = regime_start_ + 2 * structure.regimes.size();
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
    for (const Regime& regime : structure.regimes) {
      for (const char* sign : {"<=", ">"}) {
        names_.push_back("g[" + term + "," + numeric_input(spec, regime.numeric).column + sign +
                         to_text(regime.above) + "]");
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
    const auto multiply_by_numeric = [&](std::size_t n) {
      const double power = constant(layout.numeric_power(k, n));
      const int log_power = structure.log_power(k, n);
      const bool ring = structure.has_ring(k, n);
      multiply_by(
          numeric_factor(design, n), design.rows,
          [&](double value) {
            const double x = numeric_input(spec, n).counted(structure.capped(k, n, value));
            const double scaled = grown(x, power, ring);
            return log_power == 0 ? scaled : scaled * std::pow(log2_from_one(x), log_power);
          },
          part);
    };
    for (std::size_t n = spec.extrinsic.size(); n < numeric_count(spec); ++n)
      multiply_by_numeric(n);
    for (std::size_t c = 0; c < design.categorical.size(); ++c)
      for (std::size_t row = 0; row < design.rows; ++row)
        part[index(row)] *= constant(layout.level(k, c, design.categorical[c].codes[row]));
    for (std::size_t n = 0; n < spec.extrinsic.size(); ++n)
      multiply_by_numeric(n);
    for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
      const Regime& regime = structure.regimes[g];
      multiply_by(
          numeric_factor(design, regime.numeric), design.rows,
          [&](double value) {
            const bool above = structure.capped(k, regime.numeric, value) > regime.above;
            return constant(layout.regime(k, g, above ? 1 : 0));
          },
          part);
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

double local_power(const MultiStructure& structure, std::size_t term, std::size_t numeric,
                   double power, double value) {
  if (structure.capped(term, numeric, value) < value)
    return 0;
  // d ln (n^q log2(n)^r) / d ln n = q + r / ln n, and of exp(q (1 - 1/n)) it is q / n.
  const double plain = structure.has_ring(term, numeric) ? power / value : power;
  const int r = structure.log_power(term, numeric);
  const double log_value = std::log(value);
  return r == 0 || log_value <= 0 ? plain : plain + r / log_value;
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
        const double local = local_power(structure, k, j, power, design.extrinsic[j].value(row));
        out(index(row), index(j)) += local * parts(index(row), index(k));
      }
    }
  }
  for (Index row = 0; row < out.rows(); ++row)
    out.row(row) /= parts.row(row).sum();
  return out;
}

}  // namespace perfmodel
