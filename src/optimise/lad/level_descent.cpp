#include "optimise/lad/level_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "optimise/lad/lad_parts.hpp"

namespace perfmodel::optimise {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Descent, beside the largest slope that an edge can have, below which it is rounding.
constexpr double kLeastGain = 1e-12;
/// Components of a direction, or of a change, beside the largest, that are rounding.
constexpr double kTiny = 1e-13;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

}  // namespace

LevelDescent::LevelDescent(const LadProblem& problem, const VectorXd& start,
                           const LadOptions& options)
    : problem_(problem),
      response_(perturbed_response(problem)),
      x_(parted(start)),
      lower_(parted(problem.bounds.lower)),
      upper_(parted(problem.bounds.upper)),
      column_scale_(
          parted(absolute_transposed_product(problem.matrix, problem.levels, problem.weights)
                     .cwiseMax(1e-300))),
      basis_(problem, start) {
  if (problem.linear.size() > 0) {
    const BorderedVector linear = parted(problem.linear.cwiseAbs());
    column_scale_.levels += linear.levels;
    column_scale_.others += linear.others;
  }
  list_rows();
  refresh_residual();
  refresh_gradient();
  if (!options.active_rows.empty())
    start_at_vertex(options.active_rows, options.stop);
}

BorderedVector LevelDescent::parted(const VectorXd& x) const {
  return {problem_.levels.levels(x), problem_.levels.others(x)};
}

void LevelDescent::list_rows() {
  const LevelColumns& levels = problem_.levels;
  rows_begin_.assign(static_cast<std::size_t>(levels.count) + 1, 0);
  for (const Index level : levels.of_row)
    if (level != LevelColumns::none)
      ++rows_begin_[static_cast<std::size_t>(level) + 1];
  for (std::size_t l = 1; l < rows_begin_.size(); ++l)
    rows_begin_[l] += rows_begin_[l - 1];
  rows_.resize(rows_begin_.back());
  std::vector<std::size_t> next(rows_begin_.begin(), rows_begin_.end() - 1);
  for (std::size_t row = 0; row < levels.of_row.size(); ++row)
    if (levels.of_row[row] != LevelColumns::none)
      rows_[next[static_cast<std::size_t>(levels.of_row[row])]++] = static_cast<Index>(row);
}

bool LevelDescent::step() {
  for (Index level = 0; level < basis_.levels(); ++level)
    if (basis_.moves_alone(level))
      settle_level(level);
  return pivot_border();
}

/// The slope that both senses of an edge pay for leaving a row.
double LevelDescent::hold_weight(Index k) const {
  return basis_[k].hold == Hold::row ? problem_.weights[basis_[k].index] : 0.0;
}

/// How steeply the cost falls along edge k in its better sense; negative where it rises.
double LevelDescent::descent_of(Index k, double slope) const {
  switch (basis_[k].hold) {
    case Hold::lower:
      return -slope;
    case Hold::upper:
      return slope;
    case Hold::row:
    case Hold::parked:
      break;
  }
  return std::abs(slope) - hold_weight(k);
}

void LevelDescent::settle_level(Index level) {
  // A weighted median is one edge; what rounding makes of a tie may take another.
  constexpr int kMostEdges = 8;
  for (int edge = 0; edge < kMostEdges; ++edge) {
    const double slope = gradient_.levels[level] / basis_.own_entry(level);
    const double scale = column_scale_.levels[level] / std::abs(basis_.own_entry(level));
    if (!(descent_of(level, slope) > kLeastGain * scale))
      return;
    move_alone(level, slope);
  }
}

void LevelDescent::move_alone(Index level, double slope) {
  const double along = (slope > 0 ? -1.0 : 1.0) / basis_.own_entry(level);
  const bool up = along > 0;
  const double limit =
      std::max(0.0, ((up ? upper_ : lower_).levels[level] - x_.levels[level]) / along);
  const auto place = static_cast<std::size_t>(level);
  const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(rows_begin_[place]);
  const auto end = rows_.begin() + static_cast<std::ptrdiff_t>(rows_begin_[place + 1]);
  kinks_.clear();
  for (auto row = begin; row != end; ++row)
    add_kink(*row, problem_.levels.value[*row] * along, 0, limit);
  const double start_slope = -std::abs(slope) + hold_weight(level);
  const auto stop = run_through(kinks_, start_slope);
  for (auto k = kinks_.begin(); k != stop; ++k)
    turn(k->row, 2);
  const ActiveConstraint left = basis_[level];
  if (left.hold == Hold::row)
    release(level, problem_.levels.value[left.index] * along);
  ActiveConstraint entering{up ? Hold::upper : Hold::lower, problem_.levels.first + level};
  double length = limit;
  if (stop != kinks_.end()) {
    turn(stop->row, 1);
    entering = {Hold::row, stop->row};
    length = stop->at;
  }
  x_.levels[level] += length * along;
  for (auto row = begin; row != end; ++row)
    residual_[*row] -= length * along * problem_.levels.value[*row];
  if (entering.hold == Hold::row)
    residual_[entering.index] = 0;
  else
    x_.levels[level] = (up ? upper_ : lower_).levels[level];
  basis_.exchange(level, entering);
}

/// The steepest of the edges that move more than one level.
bool LevelDescent::pivot_border() {
  const VectorXd slopes = basis_.slopes(gradient_);
  Index leaving = -1;
  double best_gain = 0;
  BorderedVector best_edge;
  const auto consider = [&](Index k) {
    const double descent = descent_of(k, slopes[k]);
    if (!(descent > 0))
      return;
    BorderedVector edge = basis_.edge(k);
    const double scale = edge.levels.cwiseAbs().dot(column_scale_.levels) +
                         edge.others.cwiseAbs().dot(column_scale_.others);
    const double gain = descent / scale;
    if (!(gain > kLeastGain && gain > best_gain))
      return;
    best_gain = gain;
    leaving = k;
    best_edge = std::move(edge);
  };
  for (Index level = 0; level < basis_.levels(); ++level)
    if (!basis_.moves_alone(level))
      consider(level);
  for (Index k = basis_.levels(); k < basis_.levels() + basis_.border(); ++k)
    consider(k);
  if (leaving < 0)
    return false;
  const double sign = slopes[leaving] > 0 ? -1.0 : 1.0;
  best_edge.levels *= sign;
  best_edge.others *= sign;
  move_together(leaving, best_edge, -std::abs(slopes[leaving]) + hold_weight(leaving));
  if (++border_pivots_ % kRefactorEvery == 0)
    factorise();
  return true;
}

VectorXd LevelDescent::change_of(const BorderedVector& direction) const {
  VectorXd change = problem_.matrix * direction.others;
  for (std::size_t l = 0; l + 1 < rows_begin_.size(); ++l)
    for (std::size_t i = rows_begin_[l]; i < rows_begin_[l + 1]; ++i)
      change[rows_[i]] += problem_.levels.value[rows_[i]] * direction.levels[static_cast<Index>(l)];
  return change;
}

double& LevelDescent::coordinate(Index j) {
  const LevelColumns& levels = problem_.levels;
  if (j < levels.first)
    return x_.others[j];
  return j < levels.first + levels.count ? x_.levels[j - levels.first]
                                         : x_.others[j - levels.count];
}

double LevelDescent::bound(Index j, Hold hold) const {
  return (hold == Hold::lower ? problem_.bounds.lower : problem_.bounds.upper)[j];
}

void LevelDescent::move_together(Index leaving, const BorderedVector& direction, double slope) {
  const VectorXd change = change_of(direction);

  // The box always ends an edge: all bounds are finite.
  const VectorXd along = problem_.levels.joined(direction.others, direction.levels);
  std::vector<char> held(static_cast<std::size_t>(along.size()), 0);
  for (Index k = 0; k < along.size(); ++k)
    if (k != leaving && basis_[k].hold != Hold::row)
      held[static_cast<std::size_t>(basis_[k].index)] = 1;
  double limit = kNoLimit;
  ActiveConstraint ahead{Hold::lower, 0};
  const double tiny = kTiny * along.cwiseAbs().maxCoeff();
  for (Index j = 0; j < along.size(); ++j) {
    if (held[static_cast<std::size_t>(j)] || std::abs(along[j]) <= tiny)
      continue;
    const Hold side = along[j] > 0 ? Hold::upper : Hold::lower;
    const double at = std::max(0.0, (bound(j, side) - coordinate(j)) / along[j]);
    if (at < limit) {
      limit = at;
      ahead = {side, j};
    }
  }

  kinks_.clear();
  const double tiny_change = kTiny * change.cwiseAbs().maxCoeff();
  for (Index i = 0; i < change.size(); ++i)
    add_kink(i, change[i], tiny_change, limit);
  const auto stop = run_through(kinks_, slope);
  for (auto k = kinks_.begin(); k != stop; ++k)
    turn(k->row, 2);
  if (basis_[leaving].hold == Hold::row)
    release(leaving, change[basis_[leaving].index]);
  double length = limit;
  if (stop != kinks_.end()) {
    turn(stop->row, 1);
    ahead = {Hold::row, stop->row};
    length = stop->at;
  }
  x_.levels += length * direction.levels;
  x_.others += length * direction.others;
  residual_ -= length * change;
  for (Index k = 0; k < along.size(); ++k)
    if (k != leaving && basis_[k].hold == Hold::row)
      residual_[basis_[k].index] = 0;
  if (ahead.hold == Hold::row)
    residual_[ahead.index] = 0;
  else
    coordinate(ahead.index) = bound(ahead.index, ahead.hold);
  basis_.exchange(leaving, ahead);
}

void LevelDescent::add_kink(Index row, double change, double tiny, double limit) {
  if (std::abs(change) <= tiny || basis_.holds_row(row) || problem_.weights[row] == 0)
    return;
  const double at = residual_[row] / change;
  if ((at > 0 || (at == 0 && change < 0)) && at < limit)
    kinks_.push_back({at, 2 * problem_.weights[row] * std::abs(change), row});
}

/// Takes `times` the present pull of a row out of the gradient: once where the row becomes active,
/// twice where its residual changes sign.
void LevelDescent::turn(Index row, double times) {
  const double pull = residual_[row] > 0 ? -problem_.weights[row] : problem_.weights[row];
  gradient_.others -= times * pull * problem_.matrix.row(row).transpose();
  const Index level = problem_.levels.of_row[static_cast<std::size_t>(row)];
  if (level != LevelColumns::none)
    gradient_.levels[level] -= times * pull * problem_.levels.value[row];
}

/// The row that is left becomes an ordinary one with the sign it is about to take.
void LevelDescent::release(Index leaving, double change) {
  const Index row = basis_[leaving].index;
  residual_[row] = change > 0 ? -1e-300 : 1e-300;
  turn(row, -1);
}

}  // namespace perfmodel::optimise
