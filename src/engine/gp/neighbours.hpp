#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gp/kernel.hpp"

namespace perfmodel::gp {

struct Neighbour {
  Index row = 0;
  double correlation = 0;
};

/// Finds the rows most correlated with a point, by a k-d tree. The correlation is a product over
/// the columns, so that in some columns it is an upper bound of the whole.
class Neighbours {
 public:
  /// `rows`: coordinates. Keeps references to both arguments.
  Neighbours(const Kernel& kernel, const CodedInputs& rows);
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  /// The `count` most correlated rows, by descending correlation, then row.
  std::vector<Neighbour> nearest(const RowVectorXd& numbers, const RowVectorXd& levels,
                                 std::size_t count) const;
  /// Of one of the rows.
  std::vector<Neighbour> nearest(Index row, std::size_t count) const;

  /// The rows of each leaf: neighbours, at most 16 unless more are equal.
  std::vector<std::vector<std::size_t>> leaves() const;

 private:
  /// A leaf with its rows, or two children that one column separates.
  struct Node {
    std::size_t begin = 0;  ///< its rows are order_[begin], ..., order_[end - 1]
    std::size_t end = 0;
    std::size_t column = 0;  ///< rank of the column that separates the children
    std::size_t lower = 0;   ///< child with the smaller codes; 0: a leaf
    std::size_t upper = 0;
    std::uint32_t last_lower = 0;   ///< largest code of the lower child
    std::uint32_t first_upper = 0;  ///< smallest code of the upper child
  };
  class Query;

  const Kernel& kernel_;
  const CodedInputs& rows_;
  std::vector<std::size_t> columns_;      ///< by rank: column (numbers, then levels), widest first
  std::vector<ValueTable> correlations_;  ///< by rank
  std::vector<std::size_t> order_;        ///< rows in the order of the leaves
  std::vector<std::uint32_t> codes_;      ///< codes of the rows in that order, rank by rank
  std::vector<double> values_;            ///< values for these codes
  std::vector<Node> nodes_;

  const CodedColumn& column(std::size_t rank) const;
  void correlations(std::size_t rank, const double* values, std::size_t count, double from,
                    double* out) const;
  double correlation(std::size_t rank, double a, double b) const;
  std::size_t build(std::size_t begin, std::size_t end);
};

}  // namespace perfmodel::gp
