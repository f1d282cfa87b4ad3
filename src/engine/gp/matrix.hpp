#pragma once

#include <cstddef>
#include <optional>

#include "base/eigen.hpp"
#include "perfmodel/progress.hpp"

namespace perfmodel::gp {

// Blocked algorithms for triangular matrices, vectorised. They give the same bits with any
// instruction set and any number of threads. Only the lower half of a matrix named `lower` is read.

struct DenseWork {
  std::size_t threads = 1;
  InstructionSet instructions = best_instruction_set();
};

/// Replaces the lower half of a symmetric matrix by its Cholesky factor; the content above the
/// diagonal is undefined afterwards. False if the matrix is not positive definite.
bool factorise(MatrixXd& matrix, const DenseWork& work = {});

/// Replaces x by lower^-1 x.
void solve_forward(const MatrixXd& lower, MatrixXd& x, const DenseWork& work = {});

/// lower^-1, zero above the diagonal.
MatrixXd inverse_of_lower(const MatrixXd& lower, const DenseWork& work);

/// The lower half of lower' lower; `lower` must be zero above its diagonal.
MatrixXd squared_lower(const MatrixXd& lower, const DenseWork& work = {});

/// A symmetric positive definite matrix, stored as its Cholesky factor L: A = L L'.
class PositiveMatrix {
 public:
  /// Reads the lower half of `matrix`. Empty if it is not positive definite. `threads` are used
  /// here and by the member functions.
  static std::optional<PositiveMatrix> factorised(MatrixXd matrix, std::size_t threads = 1);

  Index size() const { return lower_.rows(); }
  double log_determinant() const;
  /// L^-1 right.
  MatrixXd whitened(MatrixXd right) const;
  MatrixXd solve(MatrixXd right) const;
  /// The last column of A^-1.
  VectorXd inverse_last() const;
  /// The lower half of A^-1, in n^3 / 3 multiplications; solving for the identity would take n^3.
  MatrixXd inverse_lower() const;
  /// The diagonal of A^-1, in n^3 / 6 multiplications.
  VectorXd inverse_diagonal() const;

 private:
  MatrixXd lower_;  ///< the content above the diagonal is undefined
  std::size_t threads_ = 1;

  PositiveMatrix(MatrixXd lower, std::size_t threads)
      : lower_(std::move(lower)), threads_(threads) {}
};

}  // namespace perfmodel::gp
