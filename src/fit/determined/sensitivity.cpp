#include "fit/determined/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kFlatPart = 1e-4;  // of a gradient

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
    for (Index other = 0; other < basis.cols(); ++other)
      if (other != d)
        basis.col(other) -= basis(pivot, other) * basis.col(d);
  }
}

/// A matrix in which no constants stand apart.
ArrowMatrix all_in_core(MatrixXd matrix) {
  ArrowMatrix out;
  out.border.resize(0, matrix.cols());
  out.core = std::move(matrix);
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
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (held_[k])
      scaled[static_cast<Index>(k)] = 0;
  const VectorXd spread = inverse_ * scaled;
  return std::sqrt(std::max(0.0, factor_ * spread.dot(scores_ * spread)));
}

}  // namespace perfmodel
