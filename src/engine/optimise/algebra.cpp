#include "optimise/algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::optimise {

void require_valid(const Bounds& bounds) {
  if (bounds.lower.size() != bounds.upper.size()) {
    throw std::invalid_argument("there are " + std::to_string(bounds.lower.size()) + " lower but " +
                                std::to_string(bounds.upper.size()) + " upper bounds");
  }
  for (Index i = 0; i < bounds.size(); ++i) {
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

std::vector<Index> free_coordinates(const Bounds& bounds) {
  std::vector<Index> free;
  for (Index i = 0; i < bounds.size(); ++i)
    if (bounds.lower[i] < bounds.upper[i])
      free.push_back(i);
  return free;
}

}  // namespace perfmodel::optimise

namespace perfmodel::optimise {

VectorXd LevelColumns::others(const VectorXd& x) const {
  if (empty())
    return x;
  VectorXd out(x.size() - count);
  out << x.head(first), x.tail(x.size() - first - count);
  return out;
}

VectorXd LevelColumns::levels(const VectorXd& x) const {
  return x.segment(first, count);
}

VectorXd LevelColumns::joined(const VectorXd& others, const VectorXd& levels) const {
  if (empty())
    return others;
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
  VectorXd sums = VectorXd::Zero(levels.count);
  for (Index i = 0; i < v.size(); ++i) {
    const Index level = levels.of_row[static_cast<std::size_t>(i)];
    if (level != LevelColumns::none)
      sums[level] += levels.value[i] * v[i];
  }
  return levels.joined(others.transpose() * v, sums);
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
  LevelColumns absolute = levels;
  absolute.value = levels.value.cwiseAbs();
  return transposed_product(others.cwiseAbs(), absolute, v);
}

}  // namespace perfmodel::optimise

namespace perfmodel {

using optimise::LevelColumns;
using optimise::LevelMatrix;
using optimise::RowMajorMatrix;
using optimise::SparseRows;

LevelColumns ArrowMatrix::layout() const {
  return {.first = first, .count = levels(), .of_row = {}, .value = {}};
}

VectorXd ArrowMatrix::operator*(const VectorXd& x) const {
  if (is_sparse())
    return *sparse * x;
  if (is_dense())
    return core * x;
  const LevelColumns parts = layout();
  const VectorXd at_levels = parts.levels(x);
  const VectorXd at_others = parts.others(x);
  return parts.joined(border.transpose() * at_levels + core * at_others,
                      diagonal.cwiseProduct(at_levels) + border * at_others);
}

VectorXd ArrowMatrix::whole_diagonal() const {
  return is_sparse() ? VectorXd(sparse->diagonal()) : layout().joined(core.diagonal(), diagonal);
}

ArrowMatrix& ArrowMatrix::add(double factor, const ArrowMatrix& other) {
  if (is_sparse()) {
    *sparse += factor * *other.sparse;
    return *this;
  }
  diagonal += factor * other.diagonal;
  border += factor * other.border;
  core += factor * other.core;
  return *this;
}

void ArrowMatrix::add_to_diagonal(const VectorXd& change) {
  if (is_sparse()) {
    sparse->diagonal() += change;
    return;
  }
  if (is_dense()) {
    core.diagonal() += change;
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

void add_levels(const LevelMatrix& jacobian, const VectorXd& weights, ArrowMatrix& to) {
  if (jacobian.levels.empty())
    return;
  for (Index row = 0; row < jacobian.rows(); ++row) {
    const Index level = jacobian.levels.of_row[static_cast<std::size_t>(row)];
    if (level == LevelColumns::none)
      continue;
    const double value = jacobian.levels.value[row];
    const double weight = value * weights[row];
    to.diagonal[level] += weight * value;
    to.border.row(level) += weight * jacobian.others.row(row);
  }
}

constexpr double kFlatEigenvalue = 1e-11;  // of J'J with columns of unit length
constexpr double kLift = 1e-13;            // far below all eigenvalues that are not flat

void check(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Interrupted();
}

/// The same matrix, stored by entries.
SparseMatrix sparse_of(const ArrowMatrix& matrix) {
  if (matrix.is_sparse())
    return *matrix.sparse;
  const LevelColumns layout = matrix.layout();
  const Index others = matrix.core.rows();
  const auto place = [&](Index other) {
    return other < layout.first ? other : other + layout.count;
  };
  Triplets entries;
  const auto put = [&](Index i, Index j, double value) {
    entries.emplace_back(static_cast<int>(i), static_cast<int>(j), value);
  };
  for (Index j = 0; j < others; ++j)
    for (Index i = 0; i < others; ++i)
      put(place(i), place(j), matrix.core(i, j));
  for (Index level = 0; level < layout.count; ++level) {
    put(layout.first + level, layout.first + level, matrix.diagonal[level]);
    for (Index j = 0; j < others; ++j) {
      if (matrix.border(level, j) == 0)
        continue;
      put(layout.first + level, place(j), matrix.border(level, j));
      put(place(j), layout.first + level, matrix.border(level, j));
    }
  }
  SparseMatrix out(matrix.size(), matrix.size());
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
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

ArrowMatrix gram(const SparseRows& jacobian, const VectorXd& weights) {
  const SparseRows weighted = weights.asDiagonal() * jacobian;
  return sparse_arrow(SparseMatrix(jacobian.transpose() * weighted));
}

ArrowMatrix gram(const LevelMatrix& jacobian, const VectorXd& weights) {
  if (is_sparse(jacobian.levels, jacobian.cols()))
    return gram(optimise::sparse_rows(jacobian), weights);
  ArrowMatrix out = zero_arrow(jacobian.levels, jacobian.cols());
  const RowMajorMatrix& others = jacobian.others;
  if (weights.size() > 0 && (weights.array() == weights[0]).all())
    out.core = weights[0] * (others.transpose() * others);  // half the work
  else
    out.core = others.transpose() * weights.asDiagonal() * others;
  add_levels(jacobian, weights, out);
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
  return sparse_.rows() > 0 ? perfmodel::gram(sparse_, weights) : perfmodel::gram(matrix_, weights);
}

ArrowMatrix scaled(ArrowMatrix matrix, const VectorXd& factors) {
  const LevelColumns layout = matrix.layout();
  if (matrix.is_sparse()) {
    matrix.sparse = factors.asDiagonal() * SparseMatrix(*matrix.sparse * factors.asDiagonal());
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
  if (matrix.is_sparse()) {
    for (Index k = 0; k < matrix.size(); ++k)
      for (SparseMatrix::InnerIterator entry(*matrix.sparse, k); entry; ++entry)
        if (is_held(entry.row()) || is_held(k))
          entry.valueRef() = entry.row() == k ? diagonal : 0;
    return matrix;
  }
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

namespace {

/// Whether the Cholesky factor of a sparse matrix has so few zeros that it is found sooner without
/// looking for them: the levels of three columns that were combined at random.
bool fills_up(const SparseMatrix& matrix) {
  constexpr Index most = 4000;            // 128 MB
  constexpr double least_density = 0.05;  // of the matrix; that of its factor is far larger
  const auto size = static_cast<double>(matrix.rows());
  return matrix.rows() <= most &&
         static_cast<double>(matrix.nonZeros()) >= least_density * size * size;
}

}  // namespace

std::optional<VectorXd> solve_free(ArrowMatrix matrix, const std::vector<bool>& held,
                                   VectorXd right, const std::stop_token& stop) {
  ArrowMatrix free = without(std::move(matrix), held, 1);
  for (Index k = 0; k < right.size(); ++k)
    if (held[static_cast<std::size_t>(k)])
      right[k] = 0;
  if (stop.stop_requested())
    return std::nullopt;
  // Small ones are solved so often that what they allocate counts.
  const auto solved_densely = [&](MatrixXd& whole) -> std::optional<VectorXd> {
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factors(whole);
    if (factors.info() != Eigen::Success)
      return std::nullopt;
    factors.solveInPlace(right);
    return right;
  };
  if (free.is_dense())
    return solved_densely(free.core);
  if (free.is_sparse()) {
    const SparseMatrix entries = free.sparse->pruned();
    if (fills_up(entries)) {
      MatrixXd whole(entries);
      return solved_densely(whole);
    }
    const Eigen::SimplicialLLT<SparseMatrix> factors(entries);
    if (factors.info() != Eigen::Success)
      return std::nullopt;
    return VectorXd(factors.solve(right));
  }
  if ((free.diagonal.array() <= 0).any())
    return std::nullopt;
  // First the levels are eliminated, then the Schur complement is solved.
  const LevelColumns parts = free.layout();
  const RowMajorMatrix eliminated = free.diagonal.cwiseInverse().asDiagonal() * free.border;
  const Eigen::LLT<MatrixXd> factors(free.core - free.border.transpose() * eliminated);
  if (factors.info() != Eigen::Success)
    return std::nullopt;
  const VectorXd at_levels = parts.levels(right);
  const VectorXd others = factors.solve(parts.others(right) - eliminated.transpose() * at_levels);
  return parts.joined(others, at_levels.cwiseQuotient(free.diagonal) - eliminated * others);
}

MatrixXd null_space(const ArrowMatrix& matrix, const std::vector<bool>& held,
                    const std::stop_token& stop) {
  check(stop);
  if (!matrix.is_dense())
    return sparse_null_space(sparse_of(without(matrix, held, 1)), stop);
  std::vector<Index> kept;
  for (Index k = 0; k < matrix.size(); ++k)
    if (!held[static_cast<std::size_t>(k)])
      kept.push_back(k);
  if (kept.empty())
    return {matrix.size(), 0};
  const Eigen::SelfAdjointEigenSolver<MatrixXd> found(matrix.core(kept, kept));
  const Index flat = (found.eigenvalues().array() < kFlatEigenvalue).count();
  MatrixXd out = MatrixXd::Zero(matrix.size(), flat);
  out(kept, Eigen::all) = found.eigenvectors().leftCols(flat);
  return out;
}

PseudoInverse::PseudoInverse(const ArrowMatrix& matrix, const std::vector<bool>& held,
                             const std::stop_token& stop) {
  check(stop);
  if (!matrix.is_dense()) {
    const SparseMatrix free = sparse_of(without(matrix, held, 1));
    flat_ = sparse_null_space(free, stop);
    sparse_ = std::make_shared<const SparseFactors>(raised(free, kLift));
    rank_ = static_cast<std::size_t>(matrix.size() - flat_.cols() - std::ranges::count(held, true));
    return;
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> found(without(matrix, held, 0).core);
  const VectorXd& values = found.eigenvalues();
  const VectorXd inverse = (values.array() < kFlatEigenvalue).select(0, values.cwiseInverse());
  dense_ = found.eigenvectors() * inverse.asDiagonal() * found.eigenvectors().transpose();
  rank_ = static_cast<std::size_t>((inverse.array() > 0).count());
}

VectorXd PseudoInverse::operator*(const VectorXd& b) const {
  if (!sparse_)
    return dense_ * b;
  const auto without_flat = [&](const VectorXd& x) -> VectorXd {
    return x - flat_ * (flat_.transpose() * x);
  };
  const VectorXd lifted = without_flat(sparse_->solve(without_flat(b)));
  // The residual, that of the small diagonal, is solved for, too.
  return lifted + without_flat(sparse_->solve(kLift * lifted));
}

}  // namespace perfmodel
