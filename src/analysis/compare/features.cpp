#include "analysis/compare/features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perfmodel {

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

double feature_of(double value, NumericForm form, double zero_unit) {
  if (form == NumericForm::plain)
    return value;
  if (zero_unit > 0)
    return std::log1p(value / zero_unit);
  // A 0 that training rows do not have lies far from all of them.
  return std::log(std::max(value, std::numeric_limits<double>::min()));
}

}  // namespace

std::vector<double> zero_units_of(const Design& training) {
  std::vector<double> out;
  for (const auto* factors : {&training.intrinsic, &training.extrinsic}) {
    for (const NumericFactor& factor : *factors) {
      double unit = std::numeric_limits<double>::infinity();
      bool zero = false;
      for (const double value : factor.values) {
        zero = zero || value == 0;
        unit = value > 0 ? std::min(unit, value) : unit;
      }
      out.push_back(zero && std::isfinite(unit) ? unit : 0);
    }
  }
  return out;
}

MatrixXd one_hot_features(const Design& design, NumericForm form,
                          const std::vector<double>& zero_units) {
  std::size_t columns = design.intrinsic.size() + design.extrinsic.size();
  for (const LevelFactor& factor : design.categorical)
    columns += factor.levels;
  MatrixXd features = MatrixXd::Zero(static_cast<Index>(design.rows), static_cast<Index>(columns));
  Index column = 0;
  for (const auto* factors : {&design.intrinsic, &design.extrinsic}) {
    for (const NumericFactor& factor : *factors) {
      for (std::size_t row = 0; row < design.rows; ++row) {
        features(static_cast<Index>(row), column) =
            feature_of(factor.value(row), form,
                       zero_units.empty() ? 0 : zero_units[static_cast<std::size_t>(column)]);
      }
      ++column;
    }
  }
  for (const LevelFactor& factor : design.categorical) {
    for (std::size_t row = 0; row < design.rows; ++row)
      features(static_cast<Index>(row), column + static_cast<Index>(factor.codes[row])) = 1;
    column += static_cast<Index>(factor.levels);
  }
  return features;
}

Standardiser::Standardiser(const MatrixXd& rows)
    : mean_(rows.colwise().mean()),
      deviation_((rows.rowwise() - mean_).colwise().squaredNorm().cwiseSqrt() /
                 std::sqrt(static_cast<double>(rows.rows()))) {
  for (double& deviation : deviation_)
    if (deviation == 0)
      deviation = 1;
}

MatrixXd Standardiser::operator()(const MatrixXd& rows) const {
  return (rows.rowwise() - mean_).array().rowwise() / deviation_.array();
}

FloatUnits::FloatUnits(const MatrixXd& rows) : exponents_(rows.cols()) {
  for (Index column = 0; column < rows.cols(); ++column) {
    const double largest = rows.col(column).maxCoeff();
    exponents_[column] = largest > 0 ? std::ilogb(largest) : 0;  // a level may have no row
  }
}

MatrixXd FloatUnits::operator()(const MatrixXd& rows) const {
  constexpr double largest = std::numeric_limits<float>::max();
  MatrixXd out(rows.rows(), rows.cols());
  for (Index column = 0; column < rows.cols(); ++column)
    for (Index row = 0; row < rows.rows(); ++row)
      out(row, column) = std::min(std::ldexp(rows(row, column), -exponents_[column]), largest);
  return out;
}

}  // namespace perfmodel
