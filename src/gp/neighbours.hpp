#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gp/kernel.hpp"

namespace perfmodel::process {

struct Neighbour {
  Eigen::Index row = 0;
  double distance = 0;  ///< -ln of the correlation
};

/// The rows that are most correlated with a place, by a k-d tree over the columns: far in one
/// column is far, since the correlation is a product that falls with every distance.
class Neighbours {
 public:
  /// Of coordinates; both must outlive this.
  Neighbours(const Kernel& kernel, const CodedInputs& rows);
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

  /// The `count` most correlated rows, the nearest first; of equal ones those that stand first.
  std::vector<Neighbour> nearest(const Eigen::RowVectorXd& numbers,
                                 const Eigen::RowVectorXd& levels, std::size_t count) const;

 private:
  /// Either a leaf with its rows, or two children, apart in one column.
  struct Node {
    std::size_t begin = 0;  ///< in order_
    std::size_t end = 0;
    std::size_t column = 0;  ///< its rank
    std::size_t lower = 0;   ///< child with the smaller codes; 0: a leaf
    std::size_t upper = 0;
    std::uint32_t last_lower = 0;   ///< largest code of the lower child
    std::uint32_t first_upper = 0;  ///< smallest code of the upper child
  };
  class Query;

  const Kernel& kernel_;
  const CodedInputs& rows_;
  std::vector<std::size_t> columns_;   ///< numbers, then levels: those that differ most first
  std::vector<ValueTable> distances_;  ///< per column
  std::vector<std::size_t> order_;     ///< rows
  std::vector<std::uint32_t> codes_;   ///< column by column, of the rows in that order
  std::vector<double> values_;         ///< the same as values
  std::vector<Node> nodes_;

  const CodedColumn& column(std::size_t rank) const;
  void distances(std::size_t rank, const double* values, std::size_t count, double from,
                 double* out) const;
  double distance(std::size_t rank, double a, double b) const;
  std::size_t build(std::size_t begin, std::size_t end);
};

}  // namespace perfmodel::process
