#include "analysis/compare/features.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace perfmodel {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd one_hot_features(const Design& design, NumericForm form) {
  std::size_t columns = design.intrinsic.size() + design.extrinsic.size();
  for (const LevelFactor& factor : design.categorical)
    columns += factor.levels;
  MatrixXd features = MatrixXd::Zero(static_cast<Index>(design.rows), static_cast<Index>(columns));
  Index column = 0;
  for (const auto* factors : {&design.intrinsic, &design.extrinsic}) {
    for (const NumericFactor& factor : *factors) {
      for (std::size_t row = 0; row < design.rows; ++row) {
        const double value = factor.value(row);
        features(static_cast<Index>(row), column) =
            form == NumericForm::plain ? value : std::log(value);
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
