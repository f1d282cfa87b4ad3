#include "optimise/algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

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

LevelColumns LevelColumns::of(const SparseRows& matrix) {
  // Per column, the last column before it in which one of its rows has an entry.
  std::vector<Index> before(to_size(matrix.cols()), none);
  for (Index row = 0; row < matrix.rows(); ++row) {
    Index last = none;
    for (SparseRows::InnerIterator entry(matrix, row); entry; last = entry.col(), ++entry)
      before[to_size(entry.col())] = std::max(before[to_size(entry.col())], last);
  }
  LevelColumns out;
  Index first = 0;
  for (Index column = 0; column < matrix.cols(); ++column) {
    first = std::max(first, before[to_size(column)] + 1);
    if (column + 1 - first > out.count)
      out = {.first = first, .count = column + 1 - first, .of_row = {}, .value = {}};
  }
  out.of_row.assign(to_size(matrix.rows()), none);
  out.value = VectorXd::Zero(matrix.rows());
  for (Index row = 0; row < matrix.rows(); ++row)
    for (SparseRows::InnerIterator entry(matrix, row); entry; ++entry)
      if (out.holds(entry.col())) {
        out.of_row[to_size(row)] = entry.col() - out.first;
        out.value[row] = entry.value();
      }
  return out;
}

VectorXd RowMatrix::operator*(const VectorXd& x) const {
  return is_sparse() ? VectorXd(*sparse * x) : VectorXd(dense * x);
}

VectorXd RowMatrix::transposed_times(const VectorXd& v) const {
  return is_sparse() ? VectorXd(sparse->transpose() * v) : VectorXd(dense.transpose() * v);
}

RowMatrix RowMatrix::absolute() const {
  return is_sparse() ? RowMatrix(SparseRows(sparse->cwiseAbs()))
                     : RowMatrix(RowMajorMatrix(dense.cwiseAbs()));
}

VectorXd RowMatrix::row(Index row) const {
  return is_sparse() ? VectorXd(sparse->row(row).transpose()) : VectorXd(dense.row(row));
}

RowMatrix RowMatrix::take_rows(const std::vector<Index>& rows) const {
  if (!is_sparse())
    return RowMajorMatrix(dense(rows, Eigen::all));
  return {index(rows.size()), cols(), true, [&](const auto& put) {
            for (std::size_t i = 0; i < rows.size(); ++i)
              for (SparseRows::InnerIterator entry(*sparse, rows[i]); entry; ++entry)
                put(index(i), entry.col(), entry.value());
          }};
}

void RowMatrix::append(const RowMatrix& more, Index times) {
  const Index before = rows();
  if (!is_sparse()) {
    dense.conservativeResize(before + times * more.rows(), Eigen::NoChange);
    for (Index k = 0; k < times * more.rows(); ++k)
      dense.row(before + k) = more.dense.row(k / times);
    return;
  }
  sparse->conservativeResize(before + times * more.rows(), sparse->cols());
  for (Index k = 0; k < times * more.rows(); ++k)
    for (SparseRows::InnerIterator entry(*more.sparse, k / times); entry; ++entry)
      sparse->insert(before + k, entry.col()) = entry.value();
  sparse->makeCompressed();
}

}  // namespace perfmodel::optimise

namespace perfmodel {

using optimise::RowMatrix;
using optimise::SparseRows;
using SparseMatrix = Eigen::SparseMatrix<double>;

SymmetricMatrix::SymmetricMatrix(const SparseMatrix& matrix) {
  SparseMatrix unit(matrix.rows(), matrix.cols());
  unit.setIdentity();
  sparse = matrix + 0 * unit;
}

SymmetricMatrix::SymmetricMatrix(Index size, bool is_sparse,
                                 std::vector<Eigen::Triplet<double>> entries) {
  const std::size_t count = entries.size();
  for (std::size_t i = 0; i < count; ++i)
    if (const auto entry = entries[i]; entry.row() != entry.col())
      entries.emplace_back(entry.col(), entry.row(), entry.value());
  if (!is_sparse) {
    dense = MatrixXd::Zero(size, size);
    for (const auto& entry : entries)
      dense(entry.row(), entry.col()) += entry.value();
    return;
  }
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  *this = matrix;
}

VectorXd SymmetricMatrix::operator*(const VectorXd& x) const {
  return is_sparse() ? VectorXd(*sparse * x) : VectorXd(dense * x);
}

VectorXd SymmetricMatrix::diagonal() const {
  return is_sparse() ? VectorXd(sparse->diagonal()) : VectorXd(dense.diagonal());
}

SymmetricMatrix& SymmetricMatrix::add(double factor, const SymmetricMatrix& other) {
  if (is_sparse())
    *sparse += factor * *other.sparse;
  else
    dense += factor * other.dense;
  return *this;
}

void SymmetricMatrix::add_to_diagonal(const VectorXd& change) {
  if (is_sparse())
    sparse->diagonal() += change;
  else
    dense.diagonal() += change;
}

namespace {

constexpr double kFlatEigenvalue = 1e-11;  // of J'J with columns of unit length
constexpr double kLift = 1e-13;            // far below all eigenvalues that are not flat

void check(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Interrupted();
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

SymmetricMatrix gram(const RowMatrix& jacobian, const VectorXd& weights) {
  if (jacobian.is_sparse()) {
    const SparseRows weighted = weights.asDiagonal() * *jacobian.sparse;
    return SparseMatrix(jacobian.sparse->transpose() * weighted);
  }
  const optimise::RowMajorMatrix& dense = jacobian.dense;
  if (weights.size() > 0 && (weights.array() == weights[0]).all())
    return MatrixXd(weights[0] * (dense.transpose() * dense));  // half the work
  return MatrixXd(dense.transpose() * weights.asDiagonal() * dense);
}

SymmetricMatrix scaled(SymmetricMatrix matrix, const VectorXd& factors) {
  if (matrix.is_sparse())
    matrix.sparse = factors.asDiagonal() * SparseMatrix(*matrix.sparse * factors.asDiagonal());
  else
    matrix.dense = factors.asDiagonal() * matrix.dense * factors.asDiagonal();
  return matrix;
}

SymmetricMatrix without(SymmetricMatrix matrix, const std::vector<bool>& held, double diagonal) {
  const auto is_held = [&](Index k) { return held[static_cast<std::size_t>(k)]; };
  for (Index k = 0; matrix.is_sparse() && k < matrix.size(); ++k)
    for (SparseMatrix::InnerIterator entry(*matrix.sparse, k); entry; ++entry)
      if (is_held(entry.row()) || is_held(k))
        entry.valueRef() = entry.row() == k ? diagonal : 0;
  for (Index k = 0; !matrix.is_sparse() && k < matrix.size(); ++k) {
    if (!is_held(k))
      continue;
    matrix.dense.row(k).setZero();
    matrix.dense.col(k).setZero();
    matrix.dense(k, k) = diagonal;
  }
  return matrix;
}

namespace {

/// The Cholesky factors of a sparse matrix.
class SparseCholesky : public Eigen::SimplicialLLT<SparseMatrix> {
 public:
  /// Whether the factor, once its pattern is known, has so few zeros that it is found sooner
  /// without looking for them: the levels of three columns that were combined at random.
  bool fills_up() const {
    constexpr Index most = 4000;            // 128 MB
    constexpr double least_density = 0.25;  // of the triangle
    const auto size = static_cast<double>(m_matrix.rows());
    return m_matrix.rows() <= most &&
           static_cast<double>(m_matrix.nonZeros()) >= least_density * size * size / 2;
  }
};

}  // namespace

std::optional<VectorXd> solve_free(SymmetricMatrix matrix, const std::vector<bool>& held,
                                   VectorXd right, const std::stop_token& stop) {
  SymmetricMatrix free = without(std::move(matrix), held, 1);
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
  if (!free.is_sparse())
    return solved_densely(free.dense);
  const SparseMatrix entries = free.sparse->pruned();
  SparseCholesky factors;
  factors.analyzePattern(entries);
  if (factors.fills_up()) {
    MatrixXd whole(entries);
    return solved_densely(whole);
  }
  factors.factorize(entries);
  if (factors.info() != Eigen::Success)
    return std::nullopt;
  return VectorXd(factors.solve(right));
}

MatrixXd null_space(const SymmetricMatrix& matrix, const std::vector<bool>& held,
                    const std::stop_token& stop) {
  check(stop);
  if (matrix.is_sparse())
    return sparse_null_space(*without(matrix, held, 1).sparse, stop);
  std::vector<Index> kept;
  for (Index k = 0; k < matrix.size(); ++k)
    if (!held[static_cast<std::size_t>(k)])
      kept.push_back(k);
  if (kept.empty())
    return {matrix.size(), 0};
  const Eigen::SelfAdjointEigenSolver<MatrixXd> found(matrix.dense(kept, kept));
  const Index flat = (found.eigenvalues().array() < kFlatEigenvalue).count();
  MatrixXd out = MatrixXd::Zero(matrix.size(), flat);
  out(kept, Eigen::all) = found.eigenvectors().leftCols(flat);
  return out;
}

PseudoInverse::PseudoInverse(const SymmetricMatrix& matrix, const std::vector<bool>& held,
                             const std::stop_token& stop) {
  check(stop);
  if (matrix.is_sparse()) {
    const SparseMatrix free = *without(matrix, held, 1).sparse;
    flat_ = sparse_null_space(free, stop);
    sparse_ = std::make_shared<const SparseFactors>(raised(free, kLift));
    rank_ = static_cast<std::size_t>(matrix.size() - flat_.cols() - std::ranges::count(held, true));
    return;
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> found(without(matrix, held, 0).dense);
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
