#include "optimise/algebra/arrow_matrix.hpp"

#include "optimise/algebra/stoppable_cholesky.hpp"

namespace perfmodel {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using optimise::LevelColumns;
using optimise::LevelMatrix;
using optimise::RowMajorMatrix;

LevelColumns ArrowMatrix::layout() const {
  return {.first = first, .count = levels(), .of_row = {}, .value = {}};
}

VectorXd ArrowMatrix::operator*(const VectorXd& x) const {
  if (levels() == 0)
    return core * x;
  const LevelColumns parts = layout();
  const VectorXd at_levels = parts.levels(x);
  const VectorXd at_others = parts.others(x);
  return parts.joined(border.transpose() * at_levels + core * at_others,
                      diagonal.cwiseProduct(at_levels) + border * at_others);
}

VectorXd ArrowMatrix::whole_diagonal() const {
  return layout().joined(core.diagonal(), diagonal);
}

ArrowMatrix& ArrowMatrix::add(double factor, const ArrowMatrix& other) {
  diagonal += factor * other.diagonal;
  border += factor * other.border;
  core += factor * other.core;
  return *this;
}

void ArrowMatrix::add_to_diagonal(const VectorXd& change) {
  diagonal += layout().levels(change);
  core.diagonal() += layout().others(change);
}

ArrowMatrix dense_arrow(MatrixXd matrix) {
  ArrowMatrix out;
  out.border.resize(0, matrix.cols());
  out.core = std::move(matrix);
  return out;
}

ArrowMatrix zero_arrow(const LevelMatrix& like) {
  const Index others = like.others.cols();
  return {.first = like.levels.first,
          .diagonal = VectorXd::Zero(like.levels.count),
          .border = RowMajorMatrix::Zero(like.levels.count, others),
          .core = MatrixXd::Zero(others, others)};
}

namespace {

void add_levels(double factor, const LevelMatrix& jacobian, const VectorXd& weights,
                ArrowMatrix& to) {
  if (jacobian.levels.empty())
    return;
  for (Index row = 0; row < jacobian.rows(); ++row) {
    const Index level = jacobian.levels.of_row[static_cast<std::size_t>(row)];
    if (level == LevelColumns::none)
      continue;
    const double value = jacobian.levels.value[row];
    const double weight = factor * value * (weights.size() > 0 ? weights[row] : 1.0);
    to.diagonal[level] += weight * value;
    to.border.row(level) += weight * jacobian.others.row(row);
  }
}

}  // namespace

ArrowMatrix gram(double factor, const LevelMatrix& jacobian, const VectorXd& weights) {
  ArrowMatrix out = zero_arrow(jacobian);
  const RowMajorMatrix& others = jacobian.others;
  if (weights.size() > 0)
    out.core = factor * (others.transpose() * weights.asDiagonal() * others);
  else
    out.core = factor * (others.transpose() * others);
  add_levels(factor, jacobian, weights, out);
  return out;
}

ArrowMatrix without(ArrowMatrix matrix, const std::vector<bool>& held, double diagonal) {
  const LevelColumns parts = matrix.layout();
  for (Index k = 0; k < matrix.size(); ++k) {
    if (!held[static_cast<std::size_t>(k)])
      continue;
    if (parts.holds(k)) {
      matrix.diagonal[k - parts.first] = diagonal;
      matrix.border.row(k - parts.first).setZero();
      continue;
    }
    const Index other = parts.other(k);
    matrix.border.col(other).setZero();
    matrix.core.row(other).setZero();
    matrix.core.col(other).setZero();
    matrix.core(other, other) = diagonal;
  }
  return matrix;
}

std::optional<VectorXd> solve_free(const ArrowMatrix& matrix, const std::vector<bool>& held,
                                   const VectorXd& b, const std::stop_token& stop) {
  const ArrowMatrix free = without(matrix, held, 1);
  VectorXd right = b;
  for (Index k = 0; k < b.size(); ++k)
    if (held[static_cast<std::size_t>(k)])
      right[k] = 0;
  if (free.levels() == 0) {
    const StoppableCholesky factors(free.core, stop);
    if (factors.stopped() || !factors.is_positive())
      return std::nullopt;
    return factors.solve(right);
  }
  if ((free.diagonal.array() <= 0).any())
    return std::nullopt;
  // Level by level, then what is left: the Schur complement.
  const LevelColumns parts = free.layout();
  const RowMajorMatrix eliminated = free.diagonal.cwiseInverse().asDiagonal() * free.border;
  const StoppableCholesky factors(free.core - free.border.transpose() * eliminated, stop);
  if (factors.stopped() || !factors.is_positive())
    return std::nullopt;
  const VectorXd at_levels = parts.levels(right);
  const VectorXd others = factors.solve(parts.others(right) - eliminated.transpose() * at_levels);
  return parts.joined(others, at_levels.cwiseQuotient(free.diagonal) - eliminated * others);
}

}  // namespace perfmodel
