#include "fit/process/trend.hpp"

#include <cmath>
#include <numeric>
#include <utility>

#include "base/index.hpp"

namespace perfmodel::process {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<Index> level_counts(const Inputs& inputs) {
  std::vector<Index> out;
  for (Index j = 0; j < inputs.levels.cols(); ++j)
    out.push_back(inputs.rows() > 0 ? Index{inputs.levels.col(j).maxCoeff()} + 1 : 0);
  return out;
}

MatrixXd product_slopes(const Inputs& coordinates, const std::vector<Index>& level_counts) {
  const Index numbers = coordinates.numbers.cols();
  const Index factors = std::accumulate(level_counts.begin(), level_counts.end(), Index{0});
  MatrixXd out = MatrixXd::Zero(coordinates.rows(), numbers + factors);
  out.leftCols(numbers) = coordinates.numbers;
  Index first = numbers;
  for (Index j = 0; j < coordinates.levels.cols(); ++j) {
    const Index count = level_counts[static_cast<std::size_t>(j)];
    for (Index i = 0; i < coordinates.rows(); ++i) {
      const Index level{coordinates.levels(i, j)};
      if (level < count)
        out(i, first + level) = 1;
    }
    first += count;
  }
  return out;
}

Trend product_trend(Inputs coordinates) {
  const std::vector<Index> counts = level_counts(coordinates);
  const Index numbers = coordinates.numbers.cols();
  const Index constants = numbers + std::accumulate(counts.begin(), counts.end(), Index{0});
  Trend out;
  out.start = VectorXd::Zero(constants);
  out.scales = VectorXd::Constant(constants, std::sqrt(0.5));
  out.scales.head(numbers).setOnes();
  out.group_count = (numbers > 0 ? 1 : 0) + (constants > numbers ? 1 : 0);
  for (Index k = 0; k < constants; ++k)
    out.groups.push_back(k < numbers ? 0 : out.group_count - 1);
  out.at = [coordinates = std::move(coordinates), counts](const VectorXd& values,
                                                          std::span<const Index> rows) {
    TrendValues at;
    at.slopes = product_slopes(take_rows(coordinates, rows), counts);
    at.values = at.slopes * values;
    return at;
  };
  return out;
}

}  // namespace perfmodel::process
