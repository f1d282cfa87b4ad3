#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "optimise/least_absolute_deviations.hpp"

namespace perfmodel::optimise {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Descents below this share of the largest possible slope of an edge are rounding errors.
constexpr double kLeastGain = 1e-12;
/// Components of a direction or a change below this share of the largest are rounding errors.
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
      matrix_(std::make_shared<const SparseRows>(problem.matrix.sparseView())),
      basis_(problem, matrix_, start) {
  if (problem.linear.size() > 0) {
    const BorderedVector linear = parted(problem.linear.cwiseAbs());
    column_scale_.levels += linear.levels;
    column_scale_.others += linear.others;
  }
  list_rows();
  refresh_residual();
  refresh_gradient();
  if (!options.active_rows.empty())
    start_at_vertex(options.active_rows);
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

/// The slope that is added in both directions of an edge that leaves a row.
double LevelDescent::hold_weight(Index k) const {
  return basis_[k].hold == Hold::row ? problem_.weights[basis_[k].index] : 0.0;
}

/// Descent of the cost along edge k in its better direction; negative if the cost rises.
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
  // A weighted median is one edge; a tie that rounding has broken may take another.
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

/// An edge that moves more than one level.
struct LevelDescent::Leaving {
  Index constraint;
  double descent;
  double gain;  ///< as a share of the largest possible slope of the edge; first an estimate
  BorderedVector edge;
};

/// All edges along which the cost falls.
std::vector<LevelDescent::Leaving> LevelDescent::candidates(const VectorXd& slopes) const {
  const VectorXd scale = problem_.levels.joined(column_scale_.others, column_scale_.levels);
  std::vector<Leaving> out;
  for (Index k = 0; k < basis_.levels() + basis_.border(); ++k) {
    if (k < basis_.levels() && basis_.moves_alone(k))
      continue;
    const double descent = descent_of(k, slopes[k]);
    if (!(descent > 0))
      continue;
    const double size = basis_[k].hold == Hold::row ? hold_weight(k) : scale[basis_[k].index];
    out.push_back({k, descent, descent / std::max(1e-300, size), {}});
  }
  return out;
}

/// Computes the edge and its gain; false if the descent along it is a rounding error.
bool LevelDescent::price(Leaving& candidate) const {
  candidate.edge = basis_.edge(candidate.constraint);
  const double scale = candidate.edge.levels.cwiseAbs().dot(column_scale_.levels) +
                       candidate.edge.others.cwiseAbs().dot(column_scale_.others);
  candidate.gain = candidate.descent / scale;
  return candidate.gain > kLeastGain;
}

/// Follows the steepest edge: of all if they are few, else of those with the largest estimates.
bool LevelDescent::pivot_border() {
  constexpr std::size_t kAllOf = 64;
  constexpr std::ptrdiff_t kOfMany = 8;
  const VectorXd slopes = basis_.slopes(gradient_);
  std::vector<Leaving> all = candidates(slopes);
  const auto steeper = [](const Leaving& a, const Leaving& b) { return a.gain > b.gain; };
  if (all.size() > kAllOf)
    std::sort(all.begin(), all.end(), steeper);
  const std::ptrdiff_t at_once = all.size() > kAllOf ? kOfMany : std::ssize(all);
  Leaving* best = nullptr;
  for (std::ptrdiff_t k = 0; k < std::ssize(all) && (k % at_once != 0 || !best); ++k) {
    Leaving& candidate = all[static_cast<std::size_t>(k)];
    if (price(candidate) && (!best || candidate.gain > best->gain))
      best = &candidate;
  }
  if (!best)
    return false;
  const double slope = slopes[best->constraint];
  const double sign = slope > 0 ? -1.0 : 1.0;
  best->edge.levels *= sign;
  best->edge.others *= sign;
  move_together(best->constraint, best->edge, -std::abs(slope) + hold_weight(best->constraint));
  if (++border_pivots_ % kRefactorEvery == 0)
    factorise();
  return true;
}

VectorXd LevelDescent::change_of(const BorderedVector& direction) const {
  VectorXd change = *matrix_ * direction.others;
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

  // An edge always ends at the box, since all bounds are finite.
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

/// Subtracts `times` the current contribution of a row from the gradient: once if the row becomes
/// active, twice if its residual changes sign.
void LevelDescent::turn(Index row, double times) {
  const double pull = residual_[row] > 0 ? -problem_.weights[row] : problem_.weights[row];
  for (SparseRows::InnerIterator entry(*matrix_, row); entry; ++entry)
    gradient_.others[entry.col()] -= times * pull * entry.value();
  const Index level = problem_.levels.of_row[static_cast<std::size_t>(row)];
  if (level != LevelColumns::none)
    gradient_.levels[level] -= times * pull * problem_.levels.value[row];
}

/// The row that is left becomes an ordinary row with the sign that its residual will have.
void LevelDescent::release(Index leaving, double change) {
  const Index row = basis_[leaving].index;
  residual_[row] = change > 0 ? -1e-300 : 1e-300;
  turn(row, -1);
}

}  // namespace perfmodel::optimise

// The vertices at which a LevelDescent starts and ends.

namespace perfmodel::optimise {
namespace {

/// The edges that leave an active row, in the order of the result's active rows.
class BorderedVertex : public LadVertex {
 public:
  BorderedVertex(BorderedBasis basis, LevelColumns layout, std::vector<Index> places)
      : basis_(std::move(basis)), layout_(std::move(layout)), places_(std::move(places)) {}

  VectorXd change_for(const VectorXd& raises) const override {
    VectorXd all = VectorXd::Zero(basis_.levels() + basis_.border());
    for (std::size_t i = 0; i < places_.size(); ++i)
      all[places_[i]] = raises[static_cast<Index>(i)];
    const BorderedVector change = basis_.solve(all);
    return layout_.joined(change.others, change.levels);
  }

  VectorXd slopes(const VectorXd& gradient) const override {
    return basis_.slopes({layout_.levels(gradient), layout_.others(gradient)})(places_);
  }

 private:
  BorderedBasis basis_;
  LevelColumns layout_;  ///< without rows
  std::vector<Index> places_;
};

}  // namespace

/// Goes to the vertex at which the given rows have no residual, if there is one in the box.
void LevelDescent::start_at_vertex(const std::vector<Index>& rows) {
  const BorderedVector cold_x = x_;
  const BorderedBasis cold_basis = basis_;
  basis_.hold(rows);
  factorise();
  const VectorXd x = problem_.levels.joined(x_.others, x_.levels);
  if (x.allFinite() && problem_.bounds.contains(x))
    return;
  x_ = cold_x;
  basis_ = cold_basis;
  refresh_residual();
  refresh_gradient();
}

void LevelDescent::factorise() {
  basis_.factorise();
  const Index size = basis_.levels() + basis_.border();
  VectorXd level(size);
  for (Index k = 0; k < size; ++k)
    level[k] =
        basis_[k].hold == Hold::row ? response_[basis_[k].index] : coordinate(basis_[k].index);
  x_ = basis_.solve(level);
  for (Index k = 0; k < size; ++k) {
    const auto [hold, j] = basis_[k];
    if (hold == Hold::lower || hold == Hold::upper)
      coordinate(j) = bound(j, hold);
  }
  refresh_residual();
  refresh_gradient();
}

void LevelDescent::refresh_residual() {
  residual_ = response_ - change_of(x_);
  for (Index k = 0; k < basis_.levels() + basis_.border(); ++k)
    if (basis_[k].hold == Hold::row)
      residual_[basis_[k].index] = 0;
}

void LevelDescent::refresh_gradient() {
  VectorXd pull = problem_.weights;
  for (Index i = 0; i < pull.size(); ++i)
    if (basis_.holds_row(i))
      pull[i] = 0;
    else if (residual_[i] > 0)
      pull[i] = -pull[i];
  VectorXd gradient = transposed_product(problem_.matrix, problem_.levels, pull);
  if (problem_.linear.size() > 0)
    gradient += problem_.linear;
  gradient_ = parted(gradient);
}

/// Multipliers of the rows at the current vertex. Signs are those of the perturbed residuals: if
/// several residuals are zero, only the perturbed ones determine the side of each row.
VectorXd LevelDescent::multipliers() const {
  VectorXd lambda = (residual_.array() > 0).select(problem_.weights, -problem_.weights);
  const VectorXd multiplier = basis_.slopes(gradient_);
  for (Index k = 0; k < multiplier.size(); ++k) {
    const auto [hold, row] = basis_[k];
    if (hold == Hold::row)
      lambda[row] = std::clamp(multiplier[k], -problem_.weights[row], problem_.weights[row]);
  }
  return lambda;
}

LadResult LevelDescent::result() {
  const VectorXd lambda = multipliers();
  response_ = problem_.response;
  factorise();
  LadResult out;
  set_point(problem_, problem_.levels.joined(x_.others, x_.levels), out);
  out.dual_bound = dual_bound_of(problem_, lambda);
  std::vector<Index> places;
  for (Index k = 0; k < basis_.levels() + basis_.border(); ++k) {
    if (basis_[k].hold != Hold::row)
      continue;
    out.active_rows.push_back(basis_[k].index);
    places.push_back(k);
  }
  const LevelColumns layout{
      .first = problem_.levels.first, .count = problem_.levels.count, .of_row = {}, .value = {}};
  out.vertex = std::make_shared<BorderedVertex>(basis_, layout, std::move(places));
  return out;
}

}  // namespace perfmodel::optimise
