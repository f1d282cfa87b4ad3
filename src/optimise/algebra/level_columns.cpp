#include "optimise/algebra/level_columns.hpp"

#include <cmath>

namespace perfmodel::optimise {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

/// The rows' entries of the levels, summed by level with these weights.
template <class Entry>
VectorXd level_sums(const LevelColumns& levels, const VectorXd& v, const Entry& entry) {
  VectorXd out = VectorXd::Zero(levels.count);
  for (Index i = 0; i < v.size(); ++i) {
    const Index level = levels.of_row[static_cast<std::size_t>(i)];
    if (level != LevelColumns::none)
      out[level] += entry(levels.value[i]) * v[i];
  }
  return out;
}

}  // namespace

VectorXd LevelColumns::others(const VectorXd& x) const {
  VectorXd out(x.size() - count);
  out << x.head(first), x.tail(x.size() - first - count);
  return out;
}

VectorXd LevelColumns::levels(const VectorXd& x) const {
  return x.segment(first, count);
}

VectorXd LevelColumns::joined(const VectorXd& others, const VectorXd& levels) const {
  VectorXd out(others.size() + count);
  out << others.head(first), levels, others.tail(others.size() - first);
  return out;
}

VectorXd product(const RowMajorMatrix& others, const LevelColumns& levels, const VectorXd& x) {
  if (levels.empty())
    return others * x;
  VectorXd out = others * levels.others(x);
  for (Index i = 0; i < out.size(); ++i) {
    const Index level = levels.of_row[static_cast<std::size_t>(i)];
    if (level != LevelColumns::none)
      out[i] += levels.value[i] * x[levels.first + level];
  }
  return out;
}

VectorXd transposed_product(const RowMajorMatrix& others, const LevelColumns& levels,
                            const VectorXd& v) {
  if (levels.empty())
    return others.transpose() * v;
  return levels.joined(others.transpose() * v,
                       level_sums(levels, v, [](double entry) { return entry; }));
}

VectorXd scaled_transposed_product(double factor, const LevelMatrix& matrix, const VectorXd& v) {
  if (matrix.levels.empty())
    return factor * (matrix.others.transpose() * v);
  return factor * transposed_product(matrix.others, matrix.levels, v);
}

VectorXd absolute_transposed_product(const RowMajorMatrix& others, const LevelColumns& levels,
                                     const VectorXd& v) {
  if (levels.empty())
    return others.cwiseAbs().transpose() * v;
  return levels.joined(others.cwiseAbs().transpose() * v,
                       level_sums(levels, v, [](double entry) { return std::abs(entry); }));
}

}  // namespace perfmodel::optimise
