#include "optimise/algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
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

/// The same width as in Eigen.
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

/// Stores the Householder reflections, one per column, below the subdiagonal, and returns their
/// factors.
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

/// Sets negligible entries beside the diagonal to 0.
void drop_negligible(const VectorXd& diagonal, Index start, Index end, VectorXd& beside) {
  for (Index i = start; i < end; ++i) {
    const double scaled = beside[i] / std::numeric_limits<double>::epsilon();
    if (std::abs(beside[i]) < std::numeric_limits<double>::min() ||
        scaled * scaled <= std::abs(diagonal[i]) + std::abs(diagonal[i + 1]))
      beside[i] = 0;
  }
}

/// Takes implicit QR steps until all entries beside the diagonal are 0.
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
  // In place: with another target, Eigen would block the reflections and round differently.
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

/// Sums the entries of the rows by level, with these weights.
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

SparseRows sparse_rows(const LevelMatrix& matrix) {
  std::vector<Eigen::Triplet<double>> entries;
  const LevelColumns& levels = matrix.levels;
  for (Index row = 0; row < matrix.rows(); ++row) {
    const auto put = [&](Index column, double entry) {
      if (entry != 0)
        entries.emplace_back(static_cast<int>(row), static_cast<int>(column), entry);
    };
    for (Index j = 0; j < matrix.others.cols(); ++j)
      put(j < levels.first ? j : j + levels.count, matrix.others(row, j));
    const Index level = levels.of_row[static_cast<std::size_t>(row)];
    if (level != LevelColumns::none)
      put(levels.first + level, levels.value[row]);
  }
  SparseRows out(matrix.rows(), matrix.cols());
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
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
using optimise::SparseRows;

LevelColumns ArrowMatrix::layout() const {
  return {.first = first, .count = levels(), .of_row = {}, .value = {}};
}

VectorXd ArrowMatrix::operator*(const VectorXd& x) const {
  if (is_sparse())
    return sparse * x;
  if (levels() == 0)
    return core * x;
  const LevelColumns parts = layout();
  const VectorXd at_levels = parts.levels(x);
  const VectorXd at_others = parts.others(x);
  return parts.joined(border.transpose() * at_levels + core * at_others,
                      diagonal.cwiseProduct(at_levels) + border * at_others);
}

VectorXd ArrowMatrix::whole_diagonal() const {
  return is_sparse() ? VectorXd(sparse.diagonal()) : layout().joined(core.diagonal(), diagonal);
}

ArrowMatrix& ArrowMatrix::add(double factor, const ArrowMatrix& other) {
  if (is_sparse()) {
    sparse += factor * other.sparse;
    return *this;
  }
  diagonal += factor * other.diagonal;
  border += factor * other.border;
  core += factor * other.core;
  return *this;
}

void ArrowMatrix::add_to_diagonal(const VectorXd& change) {
  if (is_sparse()) {
    sparse.diagonal() += change;
    return;
  }
  diagonal += layout().levels(change);
  core.diagonal() += layout().others(change);
}

ArrowMatrix dense_arrow(MatrixXd matrix) {
  ArrowMatrix out;
  out.border.resize(0, matrix.cols());
  out.core = std::move(matrix);
  return out;
}

namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

bool is_sparse(const LevelColumns& levels, Index columns) {
  return !levels.empty() && columns - levels.count >= optimise::kSparseColumns;
}

ArrowMatrix zero_arrow(const LevelColumns& levels, Index columns) {
  const Index others = columns - levels.count;
  return {.first = levels.first,
          .diagonal = VectorXd::Zero(levels.count),
          .border = RowMajorMatrix::Zero(levels.count, others),
          .core = MatrixXd::Zero(others, others)};
}

/// Stores all entries of the diagonal, even if they are 0.
ArrowMatrix sparse_arrow(const SparseMatrix& matrix) {
  SparseMatrix unit(matrix.rows(), matrix.cols());
  unit.setIdentity();
  ArrowMatrix out;
  out.sparse = matrix + 0 * unit;
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

ArrowMatrix arrow_of(const LevelColumns& like, Index size, const Triplets& entries) {
  if (is_sparse(like, size)) {
    Triplets both = entries;
    for (const auto& entry : entries)
      if (entry.row() != entry.col())
        both.emplace_back(entry.col(), entry.row(), entry.value());
    SparseMatrix matrix(size, size);
    matrix.setFromTriplets(both.begin(), both.end());
    return sparse_arrow(matrix);
  }
  ArrowMatrix out = zero_arrow(like, size);
  for (const auto& entry : entries) {
    const bool swaps = like.count > 0 && like.holds(entry.row());
    const Index i = swaps ? entry.col() : entry.row();
    const Index j = swaps ? entry.row() : entry.col();
    if (like.count > 0 && like.holds(j)) {
      out.border(j - like.first, like.other(i)) += entry.value();
      continue;
    }
    out.core(like.other(i), like.other(j)) += entry.value();
    if (i != j)
      out.core(like.other(j), like.other(i)) += entry.value();
  }
  return out;
}

ArrowMatrix gram(double factor, const SparseRows& jacobian, const VectorXd& weights) {
  const VectorXd factors =
      factor * (weights.size() > 0 ? weights : VectorXd(VectorXd::Ones(jacobian.rows())));
  const SparseRows weighted = factors.asDiagonal() * jacobian;
  return sparse_arrow(SparseMatrix(jacobian.transpose() * weighted));
}

ArrowMatrix gram(double factor, const LevelMatrix& jacobian, const VectorXd& weights) {
  if (is_sparse(jacobian.levels, jacobian.cols()))
    return gram(factor, optimise::sparse_rows(jacobian), weights);
  ArrowMatrix out = zero_arrow(jacobian.levels, jacobian.cols());
  const RowMajorMatrix& others = jacobian.others;
  if (weights.size() > 0)
    out.core = factor * (others.transpose() * weights.asDiagonal() * others);
  else
    out.core = factor * (others.transpose() * others);
  add_levels(factor, jacobian, weights, out);
  return out;
}

LevelMatrix LevelJacobian::empty(Index rows, Index columns) const {
  LevelMatrix out{.others = RowMajorMatrix::Zero(rows, columns - levels_.count), .levels = levels_};
  if (!levels_.empty()) {
    out.levels.of_row.assign(static_cast<std::size_t>(rows), LevelColumns::none);
    out.levels.value = VectorXd::Zero(rows);
  }
  return out;
}

LevelMatrix LevelJacobian::matrix() const {
  if (sparse_.rows() == 0)
    return matrix_;
  LevelMatrix out = empty(sparse_.rows(), sparse_.cols());
  for (Index row = 0; row < sparse_.rows(); ++row)
    for (SparseRows::InnerIterator entry(sparse_, row); entry; ++entry)
      put(row, entry.col(), entry.value(), out);
  return out;
}

VectorXd LevelJacobian::slopes(const VectorXd& v) const {
  return sparse_.rows() > 0 ? VectorXd(sparse_.transpose() * v)
                            : optimise::transposed_product(matrix_.others, matrix_.levels, v);
}

ArrowMatrix LevelJacobian::gram(const VectorXd& weights) const {
  if (sparse_.rows() > 0)
    return perfmodel::gram(1, sparse_, weights);
  // J'J alone is half the work.
  if ((weights.array() == weights[0]).all())
    return perfmodel::gram(weights[0], matrix_, {});
  return perfmodel::gram(1, matrix_, weights);
}

ArrowMatrix scaled(ArrowMatrix matrix, const VectorXd& factors) {
  const LevelColumns layout = matrix.layout();
  if (matrix.is_sparse()) {
    matrix.sparse = factors.asDiagonal() * SparseMatrix(matrix.sparse * factors.asDiagonal());
    return matrix;
  }
  const VectorXd others = layout.others(factors);
  const VectorXd levels = layout.levels(factors);
  matrix.core = others.asDiagonal() * matrix.core * others.asDiagonal();
  matrix.border = levels.asDiagonal() * matrix.border * others.asDiagonal();
  matrix.diagonal.array() *= levels.array().square();
  return matrix;
}

ArrowMatrix without(ArrowMatrix matrix, const std::vector<bool>& held, double diagonal) {
  const auto is_held = [&](Index k) { return held[static_cast<std::size_t>(k)]; };
  for (Index k = 0; k < matrix.sparse.outerSize(); ++k)
    for (SparseMatrix::InnerIterator entry(matrix.sparse, k); entry; ++entry)
      if (is_held(entry.row()) || is_held(k))
        entry.valueRef() = entry.row() == k ? diagonal : 0;
  if (matrix.is_sparse())
    return matrix;
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
  if (free.is_sparse()) {
    const Eigen::SimplicialLLT<SparseMatrix> factors(SparseMatrix(free.sparse.pruned()));
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
  // First the levels are eliminated, then the Schur complement is solved.
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

/// Eigenvectors of the Schur complement that remains after elimination of the levels, for the
/// `kept` others. Each has length 1 together with the levels that follow from it.
Eigensystem decompose(const ArrowMatrix& matrix, const optimise::RowMajorMatrix& eliminated,
                      const std::vector<Index>& kept, const std::stop_token& stop) {
  if (matrix.levels() == 0)
    return decompose_symmetric(matrix.core(kept, kept), stop);
  const MatrixXd border = matrix.border(Eigen::all, kept);
  const MatrixXd followed = eliminated(Eigen::all, kept);
  const Index size = static_cast<Index>(kept.size());
  const MatrixXd complement = matrix.core(kept, kept) - border.transpose() * followed;
  const MatrixXd metric = MatrixXd::Identity(size, size) + followed.transpose() * followed;
  return decompose_generalised(complement, metric);
}

SparseMatrix raised(SparseMatrix matrix, double diagonal) {
  matrix.diagonal() += VectorXd::Constant(matrix.rows(), diagonal);
  return matrix;
}

/// By inverse iteration: each iteration reduces the components that are not flat by orders of
/// magnitude. By Sylvester's law of inertia, the number of flat directions is that of the negative
/// pivots of the matrix minus the bound.
MatrixXd sparse_null_space(const SparseMatrix& matrix, const std::stop_token& stop) {
  using Factors = Eigen::SimplicialLDLT<SparseMatrix>;
  constexpr int iterations = 6;
  const Index flat = (Factors(raised(matrix, -kFlatEigenvalue)).vectorD().array() < 0).count();
  const Factors factors(raised(matrix, kFlatEigenvalue));
  MatrixXd basis(matrix.rows(), flat);
  for (Index j = 0; j < flat; ++j)  // hardly orthogonal to any direction
    for (Index i = 0; i < basis.rows(); ++i)
      basis(i, j) = std::sin(static_cast<double>((i + 1) * (j + 1)));
  for (int k = 0; k < iterations && flat > 0; ++k) {
    check(stop);
    const Eigen::HouseholderQR<MatrixXd> orthonormal(MatrixXd(factors.solve(basis)));
    basis = orthonormal.householderQ() * MatrixXd::Identity(basis.rows(), flat);
  }
  return basis;
}

}  // namespace

MatrixXd null_space(const ArrowMatrix& matrix, const std::vector<bool>& held,
                    const std::stop_token& stop) {
  if (matrix.is_sparse())
    return sparse_null_space(without(matrix, held, 1).sparse, stop);
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
  if (matrix.is_sparse()) {
    constexpr double lift = 1e-13;  // far below all other eigenvalues
    const SparseMatrix free = without(matrix, held, 1).sparse;
    flat_ = sparse_null_space(free, stop);
    sparse_ = std::make_shared<const SparseFactors>(raised(free, lift));
    rank_ = static_cast<std::size_t>(matrix.size() - flat_.cols() -
                                     std::count(held.begin(), held.end(), true));
    return;
  }
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
  if (sparse_) {
    const auto without_flat = [&](const VectorXd& x) -> VectorXd {
      return x - flat_ * (flat_.transpose() * x);
    };
    return without_flat(sparse_->solve(without_flat(b)));
  }
  if (layout_.count == 0)
    return core_inverse_ * b;
  const VectorXd at_levels = layout_.levels(b);
  const VectorXd others = core_inverse_ * (layout_.others(b) - eliminated_.transpose() * at_levels);
  return layout_.joined(others, level_inverse_.cwiseProduct(at_levels) - eliminated_ * others);
}

}  // namespace perfmodel
