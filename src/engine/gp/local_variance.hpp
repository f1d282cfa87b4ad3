#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "gp/matrix.hpp"
#include "gp/neighbours.hpp"

namespace perfmodel::gp {

/// Variances of a Gaussian process given the known rows near a place instead of all: n^2 operations
/// become 128^2. A variance given fewer rows is never smaller.
///
/// The known rows are divided into cells, the leaves of a k-d tree, and each cell has one set of
/// rows that is factorised when first needed: its own and the most correlated ones with its middle.
/// A place belongs to the cell of the row most correlated with it, so that its variance does not
/// depend on what else is asked. Thread-safe.
class LocalVariance {
 public:
  static constexpr std::size_t kRowsOfCell = 128;

  /// `noise`: per known row. Keeps references to kernel and rows.
  LocalVariance(const Kernel& kernel, const CodedInputs& known, VectorXd noise);

  /// At a place, from its covariances with all known rows.
  double given_near(const VectorXd& covariances) const;
  /// At a known row given the others of its set.
  double left_out(Index row) const;

 private:
  struct Cell {
    std::once_flag computed;
    std::vector<Index> rows;
    std::optional<PositiveMatrix> covariance;  ///< of measured runs; none if it is singular
  };

  const Kernel& kernel_;
  VectorXd noise_;
  Neighbours tree_;
  PairTables pairs_;
  std::vector<std::vector<std::size_t>> leaves_;
  std::vector<std::size_t> cell_of_;  ///< known row -> cell
  std::unique_ptr<Cell[]> cells_;

  const Cell& cell_of(Index row) const;
  void compute(Cell& cell, const std::vector<std::size_t>& leaf) const;
};

}  // namespace perfmodel::gp
