#include "optimise/lad/bordered_basis.hpp"

#include <Eigen/LU>
#include <cmath>
#include <utility>

namespace perfmodel::optimise {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

BorderedBasis::BorderedBasis(const LadProblem& problem, const VectorXd& start)
    : problem_(&problem),
      levels_(problem.levels.count),
      border_(problem.matrix.cols()),
      constraints_(static_cast<std::size_t>(levels_ + border_)),
      holds_row_(static_cast<std::size_t>(problem.matrix.rows()), 0),
      diagonal_(levels_),
      own_others_(levels_, border_),
      border_others_(border_, border_),
      border_level_(static_cast<std::size_t>(border_), LevelColumns::none),
      border_entry_(VectorXd::Zero(border_)),
      touching_(Eigen::VectorXi::Zero(levels_)) {
  const Index first = problem.levels.first;
  for (Index j = 0; j < levels_ + border_; ++j) {
    Hold hold = Hold::parked;
    if (start[j] <= problem.bounds.lower[j])
      hold = Hold::lower;
    if (start[j] >= problem.bounds.upper[j])
      hold = Hold::upper;
    if (j >= first && j < first + levels_)
      set_own(j - first, {hold, j});
    else
      set_border(j < first ? j : j - levels_, {hold, j});
  }
  factorise();
}

VectorXd BorderedBasis::others_of(const ActiveConstraint& constraint) const {
  if (constraint.hold == Hold::row)
    return problem_->matrix.row(constraint.index).transpose();
  const Index first = problem_->levels.first;
  if (constraint.index >= first && constraint.index < first + levels_)
    return VectorXd::Zero(border_);
  return VectorXd::Unit(border_,
                        constraint.index < first ? constraint.index : constraint.index - levels_);
}

Index BorderedBasis::level_of(const ActiveConstraint& constraint) const {
  if (constraint.hold == Hold::row)
    return problem_->levels.of_row[static_cast<std::size_t>(constraint.index)];
  const Index level = constraint.index - problem_->levels.first;
  return level >= 0 && level < levels_ ? level : LevelColumns::none;
}

double BorderedBasis::level_entry_of(const ActiveConstraint& constraint) const {
  return constraint.hold == Hold::row ? problem_->levels.value[constraint.index] : 1;
}

void BorderedBasis::mark(const ActiveConstraint& constraint, char held) {
  if (constraint.hold == Hold::row)
    holds_row_[static_cast<std::size_t>(constraint.index)] = held;
}

void BorderedBasis::set_own(Index level, ActiveConstraint constraint) {
  constraints_[static_cast<std::size_t>(level)] = constraint;
  diagonal_[level] = level_entry_of(constraint);
  own_others_.row(level) = others_of(constraint).transpose();
}

void BorderedBasis::set_border(Index place, ActiveConstraint constraint) {
  constraints_[static_cast<std::size_t>(levels_ + place)] = constraint;
  Index& level = border_level_[static_cast<std::size_t>(place)];
  if (level != LevelColumns::none)
    --touching_[level];
  level = level_of(constraint);
  border_entry_[place] = 0;
  if (level != LevelColumns::none) {
    ++touching_[level];
    border_entry_[place] = level_entry_of(constraint);
  }
  border_others_.row(place) = others_of(constraint).transpose();
}

Eigen::RowVectorXd BorderedBasis::complement_row(Index place) const {
  const Index level = border_level_[static_cast<std::size_t>(place)];
  if (level == LevelColumns::none)
    return border_others_.row(place);
  return border_others_.row(place) -
         border_entry_[place] / diagonal_[level] * own_others_.row(level);
}

void BorderedBasis::factorise() {
  MatrixXd complement(border_, border_);
  for (Index b = 0; b < border_; ++b)
    complement.row(b) = complement_row(b);
  inverse_ = Eigen::PartialPivLU<MatrixXd>(complement).inverse();
}

/// A rank-one update of the inverse.
void BorderedBasis::replace_row(Index place) {
  const Eigen::RowVectorXd along = complement_row(place) * inverse_;
  const VectorXd pivot = inverse_.col(place) / along[place];
  for (Index j = 0; j < border_; ++j)
    if (j != place)
      inverse_.col(j) -= along[j] * pivot;
  inverse_.col(place) = pivot;
}

void BorderedBasis::exchange(Index k, ActiveConstraint entering) {
  mark((*this)[k], 0);
  mark(entering, 1);
  if (k >= levels_) {
    set_border(k - levels_, entering);
    replace_row(k - levels_);
    return;
  }
  const Index level = k;
  Index place = LevelColumns::none;  // of the last border constraint in this level
  for (Index b = 0; b < border_ && touching_[level] > 0; ++b)
    if (border_level_[static_cast<std::size_t>(b)] == level)
      place = b;
  const int touching = touching_[level];
  if (level_of(entering) == level) {
    set_own(level, entering);
  } else {
    // One of the border takes its place.
    const ActiveConstraint promoted = (*this)[levels_ + place];
    set_own(level, promoted);
    set_border(place, entering);
  }
  if (touching == 1)
    replace_row(place);
  else if (touching > 1)
    factorise();
}

BorderedVector BorderedBasis::edge(Index k) const {
  if (k < levels_ && moves_alone(k)) {
    BorderedVector out{VectorXd::Zero(levels_), VectorXd::Zero(border_)};
    out.levels[k] = 1 / diagonal_[k];
    return out;
  }
  return solve(VectorXd::Unit(levels_ + border_, k));
}

BorderedVector BorderedBasis::solve(const VectorXd& raises) const {
  const VectorXd own = raises.head(levels_).cwiseQuotient(diagonal_);
  VectorXd rest = raises.tail(border_);
  for (Index b = 0; b < border_; ++b) {
    const Index level = border_level_[static_cast<std::size_t>(b)];
    if (level != LevelColumns::none)
      rest[b] -= border_entry_[b] * own[level];
  }
  BorderedVector out;
  out.others = inverse_ * rest;
  out.levels = own - (own_others_ * out.others).cwiseQuotient(diagonal_);
  return out;
}

VectorXd BorderedBasis::slopes(const BorderedVector& gradient) const {
  const VectorXd own = gradient.levels.cwiseQuotient(diagonal_);
  VectorXd out(levels_ + border_);
  out.tail(border_) = inverse_.transpose() * (gradient.others - own_others_.transpose() * own);
  out.head(levels_) = own;
  for (Index b = 0; b < border_; ++b) {
    const Index level = border_level_[static_cast<std::size_t>(b)];
    if (level != LevelColumns::none)
      out[level] -= border_entry_[b] * out[levels_ + b] / diagonal_[level];
  }
  return out;
}

}  // namespace perfmodel::optimise
