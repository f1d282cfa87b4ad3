#include "gp/local_variance.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace perfmodel::gp {

LocalVariance::LocalVariance(const Kernel& kernel, const CodedInputs& known, VectorXd noise)
    : kernel_(kernel),
      noise_(std::move(noise)),
      tree_(kernel, known),
      pairs_(kernel, known),
      leaves_(tree_.leaves()),
      cell_of_(to_size(known.rows)),
      cells_(std::make_unique<Cell[]>(leaves_.size())) {
  for (std::size_t cell = 0; cell < leaves_.size(); ++cell)
    for (const std::size_t row : leaves_[cell])
      cell_of_[row] = cell;
}

void LocalVariance::compute(Cell& cell, const std::vector<std::size_t>& leaf) const {
  cell.rows = mapped(leaf, [](std::size_t row) { return index(row); });
  for (const Neighbour& near : tree_.nearest(index(leaf[leaf.size() / 2]), kRowsOfCell)) {
    const bool is_own = std::ranges::find(leaf, to_size(near.row)) != leaf.end();
    if (!is_own && cell.rows.size() < kRowsOfCell)
      cell.rows.push_back(near.row);
  }
  MatrixXd covariance = kernel_.variance * pairs_.among(cell.rows);
  covariance.diagonal() += noise_(cell.rows);
  cell.covariance = PositiveMatrix::factorised(std::move(covariance));
}

const LocalVariance::Cell& LocalVariance::cell_of(Index row) const {
  const std::size_t place = cell_of_[to_size(row)];
  Cell& cell = cells_[place];
  std::call_once(cell.computed, [&] { compute(cell, leaves_[place]); });
  return cell;
}

double LocalVariance::given_near(const VectorXd& covariances) const {
  Index nearest = 0;
  covariances.maxCoeff(&nearest);
  const Cell& cell = cell_of(nearest);
  if (!cell.covariance)
    return kernel_.variance;
  const MatrixXd near = covariances(cell.rows);
  return std::max(0.0, kernel_.variance - cell.covariance->whitened(near).squaredNorm());
}

double LocalVariance::left_out(Index row) const {
  const Cell& cell = cell_of(row);
  if (!cell.covariance)
    return kernel_.variance;
  // 1 / (K^-1)_ii (Rasmussen and Williams 2006, eq. 5.12).
  const auto place = std::ranges::find(cell.rows, row) - cell.rows.begin();
  const VectorXd unit = VectorXd::Unit(index(cell.rows.size()), place);
  return 1 / cell.covariance->whitened(unit).squaredNorm() - noise_[row];
}

}  // namespace perfmodel::gp
