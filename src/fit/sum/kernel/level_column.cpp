#include "fit/sum/kernel/level_column.hpp"

#include <algorithm>
#include <numeric>

#include "base/to_size.hpp"
#include "fit/sum/kernel/contrasts.hpp"

namespace perfmodel {

using Eigen::Index;
using Eigen::MatrixXd;

LevelColumn::LevelColumn(Index first, const Eigen::Ref<const MatrixXd>& contrasts,
                         const RowMajor& others)
    : first_(first),
      levels_(contrasts.cols() + 1),
      order_(to_size(contrasts.rows())),
      begin_(to_size(levels_ + 1), 0) {
  for (Index row = 0; row < contrasts.rows(); ++row) {
    level_.push_back(level_of(contrasts.row(row)));
    ++begin_[to_size(level_.back() + 1)];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::iota(order_.begin(), order_.end(), Index{0});
  std::stable_sort(order_.begin(), order_.end(),
                   [&](Index a, Index b) { return level_[to_size(a)] < level_[to_size(b)]; });
  others_ = others(order_, Eigen::all);
}

MatrixXd LevelColumn::sums(const RowMajor& row_weights) const {
  RowMajor out = RowMajor::Zero(levels_, row_weights.cols());
  for (Index row = 0; row < row_weights.rows(); ++row)
    out.row(level_[to_size(row)]) += row_weights.row(row);
  return out;
}

LevelColumn::RowMajor LevelColumn::sums_with_others(const row_kernel::Functions& kernel,
                                                    const RowMajor& row_weights) const {
  const RowMajor weights = row_weights(order_, Eigen::all);
  const Index columns = weights.cols();
  const std::size_t stride = to_size(others_.cols());
  RowMajor out = RowMajor::Zero(levels_ * columns, others_.cols());
  for (Index level = 0; level < levels_; ++level) {
    const Index begin = begin_[to_size(level)];
    const Index rows = begin_[to_size(level + 1)] - begin;
    if (rows > 0)
      kernel.add_products(to_size(rows), {others_.row(begin).data(), stride, stride},
                          {weights.row(begin).data(), to_size(columns), to_size(columns)},
                          out.row(level * columns).data());
  }
  return out;
}

LevelColumn::RowMajor LevelColumn::sums_with(const LevelColumn& other,
                                             const RowMajor& row_weights) const {
  RowMajor out = RowMajor::Zero(levels_ * other.levels_, row_weights.cols());
  for (Index row = 0; row < row_weights.rows(); ++row)
    out.row(level_[to_size(row)] * other.levels_ + other.level_[to_size(row)]) +=
        row_weights.row(row);
  return out;
}

}  // namespace perfmodel
