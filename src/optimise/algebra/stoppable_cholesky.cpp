#include "optimise/algebra/stoppable_cholesky.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <utility>

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

}  // namespace perfmodel
