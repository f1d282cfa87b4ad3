#include "fit/sensitivity.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fit/curvature.hpp"
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

}  // namespace

Sensitivity::Sensitivity(NormalEquations equations)
    : standings_(std::move(equations.standings)), norms_(std::move(equations.norms)) {
  const std::vector<bool>& left_out = equations.left_out;
  normal_ = without(equations.normal, left_out);
  null_ = null_space(normal_, left_out);

  std::vector<bool> held = left_out;
  for (std::size_t k = 0; k < held.size(); ++k)
    held[k] = held[k] || standings_[k] != Standing::free;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(without(normal_, held));
  const VectorXd inverse =
      (eigen.eigenvalues().array() < kFlatEigenvalue).select(0, eigen.eigenvalues().cwiseInverse());
  const double rank = static_cast<double>((inverse.array() > 0).count());
  const double rows = static_cast<double>(equations.rows);
  enough_rows_ = rows > rank;
  const MatrixXd bread =
      eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
  covariance_ = enough_rows_ ? MatrixXd(rows / (rows - rank) * bread * equations.scores * bread)
                             : MatrixXd::Zero(norms_.size(), norms_.size());
}

Sensitivity generic_sensitivity(const SearchSpace& space, const Design& training,
                                const FitOptions& options, const VectorXd& scaled) {
  const GenericLayout& layout = space.layout();
  NormalEquations out;
  out.rows = training.rows;
  out.standings = standings_of(space, scaled);
  ScaledModel::RowMajor jacobian;
  const VectorXd predicted = ScaledModel(training, space).linearise(scaled, jacobian);
  const Curvature curvature = curvature_of(options.loss, training.time, predicted);
  jacobian.array().colwise() *= curvature.weights.array().sqrt();
  out.norms = jacobian.colwise().norm().transpose();
  out.left_out.resize(layout.size(), false);
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const Index i = static_cast<Index>(k);
    Standing& standing = out.standings[k];
    if (out.norms[i] == 0 && standing != Standing::fixed && standing != Standing::idle)
      standing = Standing::untrained;
    // A level or C at 0 stays in: a flat direction may lead back from its bound. A term without a
    // coefficient would make one with any power.
    const bool term_at_zero =
        standing == Standing::at_zero && layout.kind(k) == ConstantKind::coefficient;
    out.left_out[k] = out.norms[i] == 0 || standing == Standing::fixed || term_at_zero;
    if (out.left_out[k])
      out.norms[i] = 1;
  }
  jacobian.array().rowwise() /= out.norms.transpose().array();
  out.normal = jacobian.transpose() * jacobian;
  jacobian.array().colwise() *= curvature.scores.array();
  out.scores = jacobian.transpose() * jacobian;
  return Sensitivity(std::move(out));
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

VectorXd Sensitivity::of_coordinates(const VectorXd& gradient) const {
  return (normal_.diagonal().array() == 0).select(0, gradient.array()).matrix();
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
