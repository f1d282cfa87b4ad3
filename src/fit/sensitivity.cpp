#include "fit/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "fit/curvature.hpp"
#include "fit/scaled_model.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kBoundMargin = 1e-3;  // of the range between the bounds
constexpr double kFlatPart = 1e-4;     // of a gradient

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

/// A matrix in which no constants stand apart.
ArrowMatrix all_in_core(MatrixXd matrix) {
  ArrowMatrix out;
  out.border.resize(0, matrix.cols());
  out.core = std::move(matrix);
  return out;
}

VectorXd column_norms(const optimise::LevelMatrix& matrix) {
  const VectorXd others = matrix.others.colwise().norm().transpose();
  if (matrix.levels.empty())
    return others;
  VectorXd squares = VectorXd::Zero(matrix.levels.count);
  for (Index row = 0; row < matrix.rows(); ++row)
    squares[matrix.levels.of_row[static_cast<std::size_t>(row)]] +=
        matrix.levels.value[row] * matrix.levels.value[row];
  return matrix.levels.joined(others, squares.cwiseSqrt());
}

void divide_columns(const VectorXd& norms, optimise::LevelMatrix& matrix) {
  const optimise::LevelColumns& levels = matrix.levels;
  if (levels.empty()) {
    matrix.others.array().rowwise() /= norms.transpose().array();
    return;
  }
  matrix.others.array().rowwise() /= levels.others(norms).transpose().array();
  for (Index row = 0; row < matrix.rows(); ++row)
    matrix.levels.value[row] /= norms[levels.first + levels.of_row[static_cast<std::size_t>(row)]];
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

Sensitivity::Sensitivity(NormalEquations equations, std::stop_token stop)
    : Sensitivity(
          NormalEquationsOf<ArrowMatrix>{.rows = equations.rows,
                                         .standings = std::move(equations.standings),
                                         .norms = std::move(equations.norms),
                                         .left_out = std::move(equations.left_out),
                                         .normal = all_in_core(std::move(equations.normal)),
                                         .scores = all_in_core(std::move(equations.scores))},
          std::move(stop)) {}

Sensitivity::Sensitivity(NormalEquationsOf<ArrowMatrix> equations, std::stop_token stop)
    : stop_(std::move(stop)),
      standings_(std::move(equations.standings)),
      norms_(std::move(equations.norms)),
      normal_(without(std::move(equations.normal), equations.left_out, 0)),
      scores_(std::move(equations.scores)),
      null_(null_space(normal_, equations.left_out, stop_)) {
  std::vector<bool> held = equations.left_out;
  for (std::size_t k = 0; k < held.size(); ++k)
    held[k] = held[k] || standings_[k] != Standing::free;
  inverse_ = ArrowPseudoInverse(normal_, held, stop_);
  const double rank = static_cast<double>(inverse_.rank());
  const double rows = static_cast<double>(equations.rows);
  enough_rows_ = rows > rank;
  factor_ = rows / (rows - rank);
  held_ = std::move(held);
}

Sensitivity generic_sensitivity(const SearchSpace& space, const Design& training,
                                const FitOptions& options, const VectorXd& scaled) {
  const GenericLayout& layout = space.layout();
  NormalEquationsOf<ArrowMatrix> out;
  out.rows = training.rows;
  out.standings = standings_of(space, scaled);
  optimise::LevelMatrix jacobian;
  const VectorXd predicted = ScaledModel(training, space).linearise(scaled, jacobian);
  const Curvature curvature = curvature_of(options.loss, training.time, predicted);
  const VectorXd roots = curvature.weights.cwiseSqrt();
  jacobian.others.array().colwise() *= roots.array();
  if (!jacobian.levels.empty())
    jacobian.levels.value.array() *= roots.array();
  out.norms = column_norms(jacobian);
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
  divide_columns(out.norms, jacobian);
  out.normal = gram(1, jacobian, VectorXd());
  out.scores = gram(1, jacobian, curvature.scores.cwiseAbs2());
  return Sensitivity(std::move(out));
}

double Sensitivity::effect(const VectorXd& direction) const {
  const VectorXd change = direction.cwiseProduct(norms_);
  return std::sqrt(std::max(0.0, change.dot(normal_ * change)));
}

MatrixXd Sensitivity::flat_directions(const std::vector<bool>& held) const {
  const VectorXd diagonal = normal_.whole_diagonal();
  std::vector<bool> all = held;
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = all[k] || diagonal[static_cast<Index>(k)] == 0;
  MatrixXd out = null_space(normal_, all, stop_);
  separate(out);
  return out;
}

VectorXd Sensitivity::of_coordinates(const VectorXd& gradient) const {
  return (normal_.whole_diagonal().array() == 0).select(0, gradient.array()).matrix();
}

bool Sensitivity::is_estimable(const VectorXd& gradient) const {
  const VectorXd scaled = gradient.cwiseQuotient(norms_);
  return (null_.transpose() * scaled).norm() <= kFlatPart * scaled.norm();
}

double Sensitivity::standard_error(const VectorXd& gradient) const {
  if (stop_.stop_requested())
    throw Interrupted();
  if (!enough_rows_)
    return std::numeric_limits<double>::infinity();
  VectorXd scaled = gradient.cwiseQuotient(norms_);
  for (std::size_t k = 0; k < held_.size(); ++k) {
    if (held_[k])
      scaled[static_cast<Index>(k)] = 0;
  }
  const VectorXd spread = inverse_ * scaled;
  return std::sqrt(std::max(0.0, factor_ * spread.dot(scores_ * spread)));
}

}  // namespace perfmodel
