#include "fit/sum/kernel/contrasts.hpp"

#include <cmath>

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

/// What levels 0 .. m - 1 have in the contrast between them and level m, which has -m times that.
double scale_of(Index m) {
  return 1 / std::sqrt(static_cast<double>(m) * static_cast<double>(m + 1));
}

}  // namespace

MatrixXd contrasts(std::size_t levels) {
  const Index n = static_cast<Index>(levels);
  MatrixXd out = MatrixXd::Zero(n, n - 1);
  for (Index m = 1; m < n; ++m) {
    const double scale = scale_of(m);
    out.col(m - 1).head(m).setConstant(scale);
    out(m, m - 1) = -scale * static_cast<double>(m);
  }
  return out;
}

Index level_of(const Eigen::Ref<const RowVectorXd>& row) {
  Index first = 0;
  while (first + 1 < row.size() && row[first] == 0)
    ++first;
  return row[first] > 0 ? 0 : first + 1;
}

MatrixXd contrast_sums(const Eigen::Ref<const MatrixXd>& of_levels) {
  MatrixXd out(of_levels.rows() - 1, of_levels.cols());
  RowVectorXd before = of_levels.row(0);
  for (Index m = 1; m < of_levels.rows(); ++m) {
    out.row(m - 1) = scale_of(m) * (before - static_cast<double>(m) * of_levels.row(m));
    before += of_levels.row(m);
  }
  return out;
}

MatrixXd contrast_products(const Eigen::Ref<const VectorXd>& weights) {
  const Index size = weights.size() - 1;
  const VectorXd sums = contrast_sums(weights);
  MatrixXd out(size, size);
  double before = weights[0];
  for (Index m = 1; m <= size; ++m) {
    const double scale = scale_of(m);
    const double squared = static_cast<double>(m) * static_cast<double>(m);
    out(m - 1, m - 1) = scale * scale * (before + squared * weights[m]);
    // A later contrast is the same for all levels that this one tells apart.
    for (Index later = m + 1; later <= size; ++later)
      out(later - 1, m - 1) = out(m - 1, later - 1) = scale_of(later) * sums[m - 1];
    before += weights[m];
  }
  return out;
}

}  // namespace perfmodel
