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

}  // namespace

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
    for (const CategoricalInput& input : spec.categorical) {
      for (const std::string& level : input.levels)
        names_.push_back("g[" + term + "," + input.column + "=" + level + "]");
    }
    for (const NumericInput& input : spec.extrinsic)
      names_.push_back("q[" + term + "," + input.column + "]");
    for (const Regime& regime : structure.regimes) {
      for (const char* sign : {"<=", ">"}) {
        names_.push_back("g[" + term + "," + spec.extrinsic[regime.extrinsic].column + sign +
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
    for (std::size_t i = 0; i < design.intrinsic.size(); ++i) {
      const double power = constant(layout.intrinsic_power(k, i));
      multiply_by(
          design.intrinsic[i], design.rows, [&](double x) { return std::pow(x, power); }, part);
    }
    for (std::size_t c = 0; c < design.categorical.size(); ++c) {
      for (std::size_t row = 0; row < design.rows; ++row)
        part[index(row)] *= constant(layout.level(k, c, design.categorical[c].codes[row]));
    }
    for (std::size_t j = 0; j < design.extrinsic.size(); ++j) {
      const double power = constant(layout.extrinsic_power(k, j));
      const int log_power = structure.log_powers[k][j];
      multiply_by(
          design.extrinsic[j], design.rows,
          [&](double x) {
            const double scaled = std::pow(x, power);
            return log_power == 0 ? scaled : scaled * std::pow(log2_from_one(x), log_power);
          },
          part);
    }
    for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
      const Regime& regime = structure.regimes[g];
      multiply_by(
          design.extrinsic[regime.extrinsic], design.rows,
          [&](double x) { return constant(layout.regime(k, g, x > regime.above ? 1 : 0)); }, part);
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
      const int r = structure.log_powers[k][j];
      for (std::size_t row = 0; row < design.rows; ++row) {
        // d ln (E^q log2(E)^r) / d ln E = q + r / ln E
        const double log_value = std::log(design.extrinsic[j].value(row));
        const double local = r == 0 || log_value <= 0 ? power : power + r / log_value;
        out(index(row), index(j)) += local * parts(index(row), index(k));
      }
    }
  }
  for (Index row = 0; row < out.rows(); ++row)
    out.row(row) /= parts.row(row).sum();
  return out;
}

}  // namespace perfmodel
