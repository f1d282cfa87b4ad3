#include "optimise/algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::optimise {

void require_valid(const Bounds& bounds) {
  if (bounds.lower.size() != bounds.upper.size()) {
    throw std::invalid_argument("there are " + std::to_string(bounds.lower.size()) + " lower but " +
                                std::to_string(bounds.upper.size()) + " upper bounds");
  }
  for (Eigen::Index i = 0; i < bounds.size(); ++i) {
    const double lower = bounds.lower[i];
    const double upper = bounds.upper[i];
    const std::string range = "the bounds " + perfmodel::to_text(lower) + ":" +
                              perfmodel::to_text(upper) + " of coordinate " + std::to_string(i);
    if (!std::isfinite(lower) || !std::isfinite(upper))
      throw std::invalid_argument(range + " are not finite");
    if (lower > upper)
      throw std::invalid_argument(range + " are crossed");
    if (!std::isfinite(upper - lower))
      throw std::invalid_argument(range + " are too far apart");
  }
}

std::vector<Eigen::Index> free_coordinates(const Bounds& bounds) {
  std::vector<Eigen::Index> free;
  for (Eigen::Index i = 0; i < bounds.size(); ++i)
    if (bounds.lower[i] < bounds.upper[i])
      free.push_back(i);
  return free;
}

}  // namespace perfmodel::optimise

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

using Unblocked = Eigen::internal::llt_inplace<double, Eigen::Lower>;

/// As wide as Eigen makes them.
Index panel_width(Index size) {
  return size < 32 ? size : std::clamp<Index>(size / 8 / 16 * 16, 8, 128);
}

}  // namespace

StoppableCholesky::StoppableCholesky(MatrixXd matrix, const std::stop_token& stop)
    : factors_(std::move(matrix)) {
  factorise(stop);
}

void StoppableCholesky::factorise(const std::stop_token& stop) {
  const Index size = factors_.rows();
  const Index width = panel_width(size);
  for (Index k = 0; k < size; k += width) {
    if (stop.stop_requested()) {
      stopped_ = true;
      return;
    }
    const Index own = std::min(width, size - k);
    const Index rest = size - k - own;
    auto corner = factors_.block(k, k, own, own);
    auto panel = factors_.block(k + own, k, rest, own);
    auto others = factors_.block(k + own, k + own, rest, rest);
    if (Unblocked::unblocked(corner) >= 0) {
      positive_ = false;
      return;
    }
    if (rest > 0) {
      corner.adjoint().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(panel);
      others.selfadjointView<Eigen::Lower>().rankUpdate(panel, -1);
    }
  }
}

Eigen::VectorXd StoppableCholesky::solve(Eigen::VectorXd right) const {
  factors_.triangularView<Eigen::Lower>().solveInPlace(right);
  factors_.triangularView<Eigen::Lower>().adjoint().solveInPlace(right);
  return right;
}

namespace {

using Eigen::Lower;
using Eigen::VectorXd;

constexpr Index kMostRotations = 30;  // per eigenvalue, as in Eigen

void check(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Interrupted();
}

/// Householder reflections, one per column, stay below the subdiagonal; their factors are returned.
VectorXd tridiagonalise(MatrixXd& matrix, const std::stop_token& stop) {
  const Index size = matrix.rows();
  VectorXd factors(size - 1);
  for (Index i = 0; i < size - 1; ++i) {
    check(stop);
    const Index rest = size - i - 1;
    double beta = 0;
    double factor = 0;
    matrix.col(i).tail(rest).makeHouseholderInPlace(factor, beta);
    matrix.col(i).coeffRef(i + 1) = 1;
    auto others = matrix.bottomRightCorner(rest, rest);
    auto reflected = factors.tail(rest);
    const auto along = matrix.col(i).tail(rest);
    reflected.noalias() = others.selfadjointView<Lower>() * (factor * along);
    reflected += (factor * -0.5 * reflected.dot(along)) * along;
    others.selfadjointView<Lower>().rankUpdate(along, reflected, -1.0);
    matrix.col(i).coeffRef(i + 1) = beta;
    factors[i] = factor;
  }
  return factors;
}

/// Entries beside the diagonal that are as good as 0 become 0.
void drop_negligible(const VectorXd& diagonal, Index start, Index end, VectorXd& beside) {
  for (Index i = start; i < end; ++i) {
    const double scaled = beside[i] / std::numeric_limits<double>::epsilon();
    if (std::abs(beside[i]) < std::numeric_limits<double>::min() ||
        scaled * scaled <= std::abs(diagonal[i]) + std::abs(diagonal[i + 1]))
      beside[i] = 0;
  }
}

/// Implicit QR steps until nothing is left beside the diagonal.
void diagonalise(VectorXd& diagonal, VectorXd& beside, MatrixXd& vectors,
                 const std::stop_token& stop) {
  const Index size = diagonal.size();
  Index start = 0;
  Index end = size - 1;
  for (Index step = 0; end > 0 && step <= kMostRotations * size; ++step) {
    check(stop);
    drop_negligible(diagonal, start, end, beside);
    while (end > 0 && beside[end - 1] == 0)
      --end;
    if (end <= 0)
      break;
    start = end - 1;
    while (start > 0 && beside[start - 1] != 0)
      --start;
    Eigen::internal::tridiagonal_qr_step<Eigen::ColMajor>(diagonal.data(), beside.data(), start,
                                                          end, vectors.data(), size);
  }
}

void sort_ascending(Eigensystem& system) {
  const Index size = system.values.size();
  for (Index i = 0; i < size - 1; ++i) {
    Index least = 0;
    system.values.segment(i, size - i).minCoeff(&least);
    if (least == 0)
      continue;
    std::swap(system.values[i], system.values[i + least]);
    system.vectors.col(i).swap(system.vectors.col(i + least));
  }
}

}  // namespace

Eigensystem decompose_symmetric(const MatrixXd& matrix, const std::stop_token& stop) {
  if (matrix.rows() == 1)
    return {matrix.col(0), MatrixXd::Ones(1, 1)};
  Eigensystem out;
  out.vectors = matrix.triangularView<Lower>();
  double scale = out.vectors.cwiseAbs().maxCoeff();
  if (scale == 0)
    scale = 1;
  out.vectors.triangularView<Lower>() /= scale;
  const VectorXd factors = tridiagonalise(out.vectors, stop);
  out.values = out.vectors.diagonal();
  VectorXd beside = out.vectors.diagonal<-1>();
  // In place: assigned to anything else, the reflections would be blocked and round differently.
  out.vectors = Eigen::HouseholderSequence<MatrixXd, VectorXd>(out.vectors, factors)
                    .setLength(matrix.rows() - 1)
                    .setShift(1);
  diagonalise(out.values, beside, out.vectors, stop);
  sort_ascending(out);
  out.values *= scale;
  return out;
}

Eigensystem decompose_generalised(const MatrixXd& matrix, const MatrixXd& metric) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> eigen(matrix, metric);
  return {eigen.eigenvalues(), eigen.eigenvectors()};
}

}  // namespace perfmodel

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

Eigen::SparseMatrix<double> ArrowMatrix::sparse() const {
  std::vector<Eigen::Triplet<double>> entries;
  const auto put = [&](Index row, Index column, double entry) {
    if (entry != 0)
      entries.emplace_back(static_cast<int>(row), static_cast<int>(column), entry);
  };
  const auto place = [&](Index other) { return other < first ? other : other + levels(); };
  for (Index j = 0; j < core.cols(); ++j)
    for (Index i = 0; i < core.rows(); ++i)
      put(place(i), place(j), core(i, j));
  for (Index l = 0; l < levels(); ++l) {
    put(first + l, first + l, diagonal[l]);
    for (Index j = 0; j < border.cols(); ++j) {
      put(first + l, place(j), border(l, j));
      put(place(j), first + l, border(l, j));
    }
  }
  Eigen::SparseMatrix<double> out(size(), size());
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
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

/// From here on most columns are levels of further categorical columns, and empty in most rows.
constexpr Index kManyColumns = 64;

/// M' diag(weights) M; all weights are 1 where there are none.
MatrixXd weighted_gram(const RowMajorMatrix& matrix, const VectorXd& weights) {
  if (matrix.cols() < kManyColumns)
    return matrix.transpose() * weights.asDiagonal() * matrix;
  using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, Index>;
  const Sparse rows = matrix.sparseView();
  MatrixXd out = MatrixXd::Zero(matrix.cols(), matrix.cols());
  for (Index row = 0; row < rows.rows(); ++row)
    for (Sparse::InnerIterator j(rows, row); j; ++j) {
      const double weighted = (weights.size() > 0 ? weights[row] : 1.0) * j.value();
      for (Sparse::InnerIterator i(rows, row); i; ++i)
        out(i.col(), j.col()) += weighted * i.value();
    }
  return out;
}

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
  out.core = factor * (weights.size() > 0 || others.cols() >= kManyColumns
                           ? weighted_gram(others, weights)
                           : MatrixXd(others.transpose() * others));
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
  if (free.levels() > 0 && free.core.rows() >= kManyColumns) {
    // Several columns of many levels: most of the others' levels do not meet each other either.
    const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factors(free.sparse());
    if (stop.stop_requested() || factors.info() != Eigen::Success)
      return std::nullopt;
    return VectorXd(factors.solve(right));
  }
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

namespace {

constexpr double kFlatEigenvalue = 1e-11;  // of J'J with columns of unit length

VectorXd inverse_of(const VectorXd& diagonal) {
  return (diagonal.array() > 0).select(diagonal.cwiseInverse(), 0);
}

/// Eigenvectors of what is left of the others when the levels are eliminated, among `kept` of them;
/// each has length 1 together with the levels that follow it.
Eigensystem decompose(const ArrowMatrix& matrix, const optimise::RowMajorMatrix& eliminated,
                      const std::vector<Index>& kept, const std::stop_token& stop) {
  if (matrix.levels() == 0)
    return decompose_symmetric(matrix.core(kept, kept), stop);
  const RowMajorMatrix followed = eliminated(Eigen::all, kept);
  const Index size = static_cast<Index>(kept.size());
  const MatrixXd complement = matrix.core(kept, kept) - weighted_gram(followed, matrix.diagonal);
  const MatrixXd metric =
      MatrixXd::Identity(size, size) + weighted_gram(followed, VectorXd::Ones(followed.rows()));
  return decompose_generalised(complement, metric);
}

}  // namespace

MatrixXd null_space(const ArrowMatrix& matrix, const std::vector<bool>& held,
                    const std::stop_token& stop) {
  const ArrowMatrix free = without(matrix, held, 0);
  const optimise::LevelColumns layout = free.layout();
  std::vector<Index> kept;         // among the others
  std::vector<Index> kept_places;  // among all constants
  for (Index k = 0; k < matrix.size(); ++k) {
    if (held[static_cast<std::size_t>(k)] || layout.holds(k))
      continue;
    kept.push_back(layout.other(k));
    kept_places.push_back(k);
  }
  if (kept.empty())
    return {matrix.size(), 0};
  const optimise::RowMajorMatrix eliminated = inverse_of(free.diagonal).asDiagonal() * free.border;
  const Eigensystem found = decompose(free, eliminated, kept, stop);
  const Index flat = (found.values.array() < kFlatEigenvalue).count();
  MatrixXd out = MatrixXd::Zero(matrix.size(), flat);
  for (std::size_t i = 0; i < kept.size(); ++i)
    out.row(kept_places[i]) = found.vectors.row(static_cast<Index>(i)).head(flat);
  if (layout.count > 0)
    out.middleRows(layout.first, layout.count) =
        -eliminated(Eigen::all, kept) * found.vectors.leftCols(flat);
  return out;
}

ArrowPseudoInverse::ArrowPseudoInverse(const ArrowMatrix& matrix, const std::vector<bool>& held,
                                       const std::stop_token& stop) {
  const ArrowMatrix free = without(matrix, held, 0);
  layout_ = free.layout();
  level_inverse_ = inverse_of(free.diagonal);
  const RowMajorMatrix eliminated = level_inverse_.asDiagonal() * free.border;
  eliminated_ = eliminated.sparseView();
  std::vector<Index> all;
  for (Index k = 0; k < free.core.rows(); ++k)
    all.push_back(k);
  const Eigensystem found = decompose(free, eliminated, all, stop);
  const VectorXd inverse =
      (found.values.array() < kFlatEigenvalue).select(0, found.values.cwiseInverse());
  core_inverse_ = found.vectors * inverse.asDiagonal() * found.vectors.transpose();
  rank_ = static_cast<std::size_t>((inverse.array() > 0).count() +
                                   (level_inverse_.array() > 0).count());
}

VectorXd ArrowPseudoInverse::operator*(const VectorXd& b) const {
  if (layout_.count == 0)
    return core_inverse_ * b;
  const VectorXd at_levels = layout_.levels(b);
  const VectorXd others = core_inverse_ * (layout_.others(b) - eliminated_.transpose() * at_levels);
  return layout_.joined(others, level_inverse_.cwiseProduct(at_levels) - eliminated_ * others);
}

}  // namespace perfmodel
