#include "fit/sensitivity.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "fit/scaled_model.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kBoundMargin = 1e-3;      // of the range between the bounds
constexpr double kFlatEigenvalue = 1e-11;  // of J'J with columns of unit length
constexpr double kFlatPart = 1e-4;         // of a gradient

/// Columns of `matrix` and rows of it for the constants that are kept; zeros elsewhere.
MatrixXd without(const MatrixXd& matrix, const std::vector<bool>& held) {
  MatrixXd out = matrix;
  for (Index k = 0; k < out.rows(); ++k) {
    if (!held[static_cast<std::size_t>(k)])
      continue;
    out.row(k).setZero();
    out.col(k).setZero();
  }
  return out;
}

/// Eigenvectors to eigenvalues near 0, of the constants that are not held.
MatrixXd null_space(const MatrixXd& normal, const std::vector<bool>& held) {
  std::vector<Index> kept;
  for (Index k = 0; k < normal.rows(); ++k) {
    if (!held[static_cast<std::size_t>(k)])
      kept.push_back(k);
  }
  if (kept.empty())
    return MatrixXd(normal.rows(), 0);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(normal(kept, kept));
  const Index flat = (eigen.eigenvalues().array() < kFlatEigenvalue).count();  // ascending
  MatrixXd out = MatrixXd::Zero(normal.rows(), flat);
  for (std::size_t i = 0; i < kept.size(); ++i)
    out.row(kept[i]) = eigen.eigenvectors().row(static_cast<Index>(i)).head(flat);
  return out;
}

/// Gauss-Jordan on the columns: each gets a row of its own in which it alone is not 0.
void separate(MatrixXd& basis) {
  std::vector<bool> used(static_cast<std::size_t>(basis.rows()), false);
  for (Index d = 0; d < basis.cols(); ++d) {
    Index pivot = 0;
    double largest = -1;
    for (Index k = 0; k < basis.rows(); ++k) {
      if (!used[static_cast<std::size_t>(k)] && std::abs(basis(k, d)) > largest) {
        largest = std::abs(basis(k, d));
        pivot = k;
      }
    }
    used[static_cast<std::size_t>(pivot)] = true;
    basis.col(d) /= basis(pivot, d);
    for (Index other = 0; other < basis.cols(); ++other) {
      if (other != d)
        basis.col(other) -= basis(pivot, other) * basis.col(d);
    }
  }
}

std::vector<Standing> standings_of(const SearchSpace& space, const VectorXd& scaled) {
  const GenericLayout& layout = space.layout();
  std::vector<Standing> out(layout.size(), Standing::free);
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const Index i = static_cast<Index>(k);
    const double low = space.scaled().lower[i];
    const double high = space.scaled().upper[i];
    const ConstantKind kind = layout.kind(k);
    const bool power =
        kind == ConstantKind::intrinsic_power || kind == ConstantKind::extrinsic_power;
    if (high <= low)
      out[k] = Standing::fixed;
    else if (!power && low == 0 && scaled[i] == 0)
      out[k] = Standing::at_zero;
    else if (scaled[i] >= high - kBoundMargin * (high - low) ||
             (scaled[i] <= low + kBoundMargin * (high - low) && low != 0))
      out[k] = Standing::at_bound;
  }
  for (std::size_t i = 0; i < space.intrinsic_log_centres().size(); ++i) {
    Standing& power = out[layout.intrinsic_power(i)];
    if (power != Standing::fixed && scaled[static_cast<Index>(layout.coefficient(i))] == 0)
      power = Standing::idle;
  }
  return out;
}

/// The expected loss of one row, to second order in its prediction, is weights / 2 * change^2, up
/// to a factor; scores are its derivative's standard deviation over the same factor and the root of
/// the weight.
struct Curvature {
  VectorXd weights;
  VectorXd scores;
};

/// Noise is taken to be relative, as that of times is: r / y has one distribution. An absolute
/// loss then curves by its density at 0 over y (Koenker 2005, section 3.2), and the density is that
/// of the central half of the residuals: 1 / (4 median |r / y|).
Curvature curvature_of(Loss loss, const VectorXd& measured, const VectorXd& predicted) {
  const VectorXd safe = predicted.cwiseMax(1e-6 * measured);
  const VectorXd residual = measured - predicted;
  const double sparsity = 2 * median(residual.cwiseQuotient(safe).cwiseAbs());
  switch (loss) {
    case Loss::mae:
      return {safe.cwiseInverse(), sparsity * safe.cwiseSqrt()};
    case Loss::mape:
      return {measured.array().square().inverse(), VectorXd::Constant(measured.size(), sparsity)};
    case Loss::mse:
      return {VectorXd::Ones(measured.size()), residual};
    case Loss::rmsle:
      break;
  }
  return {measured.array().square().inverse(), residual.cwiseQuotient(measured)};
}

}  // namespace

Sensitivity::Sensitivity(const SearchSpace& space, const Design& training,
                         const FitOptions& options, const VectorXd& scaled)
    : standings_(standings_of(space, scaled)) {
  const GenericLayout& layout = space.layout();
  ScaledModel::RowMajor jacobian;
  const VectorXd predicted = ScaledModel(training, space).linearise(scaled, jacobian);
  const Curvature curvature = curvature_of(options.loss, training.time, predicted);
  jacobian.array().colwise() *= curvature.weights.array().sqrt();
  const Index size = scaled.size();
  norms_ = jacobian.colwise().norm().transpose();
  std::vector<bool> left_out(layout.size(), false);
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const Index i = static_cast<Index>(k);
    if (norms_[i] == 0 && standings_[k] != Standing::fixed && standings_[k] != Standing::idle)
      standings_[k] = Standing::untrained;
    // A level or C at 0 stays in: a flat direction may lead back from its bound. A term without a
    // coefficient would make one with any power.
    const bool term_at_zero =
        standings_[k] == Standing::at_zero && layout.kind(k) == ConstantKind::coefficient;
    left_out[k] = norms_[i] == 0 || standings_[k] == Standing::fixed || term_at_zero;
    if (left_out[k])
      norms_[i] = 1;
  }
  jacobian.array().rowwise() /= norms_.transpose().array();
  normal_ = without(jacobian.transpose() * jacobian, left_out);
  null_ = null_space(normal_, left_out);

  std::vector<bool> held = left_out;
  for (std::size_t k = 0; k < layout.size(); ++k)
    held[k] = held[k] || standings_[k] != Standing::free;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(without(normal_, held));
  const VectorXd inverse =
      (eigen.eigenvalues().array() < kFlatEigenvalue).select(0, eigen.eigenvalues().cwiseInverse());
  const double rank = static_cast<double>((inverse.array() > 0).count());
  const double rows = static_cast<double>(training.rows);
  enough_rows_ = rows > rank;
  const MatrixXd bread =
      eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
  jacobian.array().colwise() *= curvature.scores.array();
  covariance_ =
      enough_rows_
          ? MatrixXd(rows / (rows - rank) * bread * (jacobian.transpose() * jacobian) * bread)
          : MatrixXd::Zero(size, size);
}

double Sensitivity::effect(const VectorXd& direction) const {
  const VectorXd change = direction.cwiseProduct(norms_);
  return std::sqrt(std::max(0.0, change.dot(normal_ * change)));
}

MatrixXd Sensitivity::flat_directions(const std::vector<bool>& held) const {
  std::vector<bool> all = held;
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = all[k] || normal_(static_cast<Index>(k), static_cast<Index>(k)) == 0;
  MatrixXd out = null_space(normal_, all);
  separate(out);
  return out;
}

bool Sensitivity::is_estimable(const VectorXd& gradient) const {
  const VectorXd scaled = gradient.cwiseQuotient(norms_);
  return (null_.transpose() * scaled).norm() <= kFlatPart * scaled.norm();
}

double Sensitivity::standard_error(const VectorXd& gradient) const {
  if (!enough_rows_)
    return std::numeric_limits<double>::infinity();
  const VectorXd scaled = gradient.cwiseQuotient(norms_);
  return std::sqrt(std::max(0.0, scaled.dot(covariance_ * scaled)));
}

}  // namespace perfmodel
