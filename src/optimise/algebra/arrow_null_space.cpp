#include "optimise/algebra/arrow_null_space.hpp"

#include <vector>

#include "optimise/algebra/stoppable_eigen.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kFlatEigenvalue = 1e-11;  // of J'J with columns of unit length

VectorXd inverse_of(const VectorXd& diagonal) {
  return (diagonal.array() > 0).select(diagonal.cwiseInverse(), 0);
}

/// Eigenvectors of what is left of the others when the levels are eliminated, among `kept` of them;
/// each has length 1 together with the levels that follow it.
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

}  // namespace

MatrixXd null_space(const ArrowMatrix& matrix, const std::vector<bool>& held,
                    const std::stop_token& stop) {
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
  const ArrowMatrix free = without(matrix, held, 0);
  layout_ = free.layout();
  level_inverse_ = inverse_of(free.diagonal);
  eliminated_ = level_inverse_.asDiagonal() * free.border;
  std::vector<Index> all;
  for (Index k = 0; k < free.core.rows(); ++k)
    all.push_back(k);
  const Eigensystem found = decompose(free, eliminated_, all, stop);
  const VectorXd inverse =
      (found.values.array() < kFlatEigenvalue).select(0, found.values.cwiseInverse());
  core_inverse_ = found.vectors * inverse.asDiagonal() * found.vectors.transpose();
  rank_ = static_cast<std::size_t>((inverse.array() > 0).count() +
                                   (level_inverse_.array() > 0).count());
}

VectorXd ArrowPseudoInverse::operator*(const VectorXd& b) const {
  if (layout_.count == 0)
    return core_inverse_ * b;
  const VectorXd at_levels = layout_.levels(b);
  const VectorXd others = core_inverse_ * (layout_.others(b) - eliminated_.transpose() * at_levels);
  return layout_.joined(others, level_inverse_.cwiseProduct(at_levels) - eliminated_ * others);
}

}  // namespace perfmodel
