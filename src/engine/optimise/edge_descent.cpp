#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "optimise/bordered_basis.hpp"

namespace perfmodel::optimise {
namespace {

constexpr double kAboveRounding = 1 + 1e-12;
/// Descents below this share of the largest possible slope of an edge are rounding errors.
constexpr double kLeastGain = 1e-12;
/// Components of a direction or a change below this share of the largest are rounding errors.
constexpr double kTiny = 1e-13;
/// Pivots after which a basis is factorised anew, so that rounding does not accumulate.
constexpr std::size_t kRefactorEvery = 64;
/// Columns up to which a basis is factorised after a stop request; after a stop of a larger
/// descent, the last digits are not worth the time.
constexpr Index kColumnsAtOnce = 200;

/// A point of an edge at which the residual of a row changes its sign.
struct Kink {
  double at;
  double rise;  ///< increase of the slope of the cost
  Index row;
};

/// Passes kinks as long as the cost still falls: a weighted median by selection. `slope`: negative
/// slope of the cost before the first kink. Reorders the kinks: those before the returned one are
/// passed, and the minimum is at the returned one; `end()` if the cost falls beyond all of them.
std::vector<Kink>::iterator run_through(std::vector<Kink>& kinks, double slope) {
  auto first = kinks.begin();
  auto last = kinks.end();
  while (first != last) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, [](const Kink& a, const Kink& b) { return a.at < b.at; });
    double before = slope;
    for (auto k = first; k != middle; ++k)
      before += k->rise;
    if (before >= 0) {
      last = middle;
    } else if (before + middle->rise >= 0) {
      return middle;
    } else {
      slope = before + middle->rise;
      first = middle + 1;
    }
  }
  return kinks.end();
}

/// Responses with tiny different shifts. Equal rows make vertices where many residuals are zero at
/// once, and a descent may then cycle; the shifts separate them. Multipliers do not depend on the
/// responses, so that the final basis is also right for the given problem.
VectorXd perturbed_response(const LadProblem& problem) {
  VectorXd out = problem.response;
  const double size = 1e-11 * (out.cwiseAbs().maxCoeff() + 1e-300);
  std::uint64_t state = 0x9E3779B97F4A7C15ULL;
  for (Index i = 0; i < out.size(); ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    out[i] += size * (static_cast<double>(state >> 11) * 0x1.0p-53 - 0.5);
  }
  return out;
}

/// For any |lambda_i| <= w_i:  cost(x) >= lambda'r + min over the box of (c - A'lambda)'x.
double dual_bound_of(const LadProblem& problem, const VectorXd& lambda) {
  VectorXd reduced = -problem.matrix.transposed_times(lambda);
  if (problem.linear.size() > 0)
    reduced += problem.linear;
  const auto low = reduced.cwiseProduct(problem.bounds.lower);
  const auto high = reduced.cwiseProduct(problem.bounds.upper);
  return lambda.dot(problem.response) + low.cwiseMin(high).sum();
}

/// Sets the cost and the point of a result: those of the problem at `x`, clamped to its box.
void set_point(const LadProblem& problem, const VectorXd& x, LadResult& out) {
  out.x = x.cwiseMax(problem.bounds.lower).cwiseMin(problem.bounds.upper);
  const VectorXd residual = problem.response - problem.matrix * out.x;
  out.cost = problem.weights.dot(residual.cwiseAbs());
  if (problem.linear.size() > 0)
    out.cost += problem.linear.dot(out.x);
}

/// A descent along the edges of the cost of a LadProblem, from vertex to vertex. An edge that moves
/// one level alone is a weighted median of that level's rows and costs no more than they do. Such
/// edges are followed as long as one descends; the others only if none does.
class EdgeDescent {
 public:
  /// Starts at the vertex at which the options' active rows have no residual, if that is in the
  /// box, else at `start`.
  EdgeDescent(const LadProblem& problem, const VectorXd& start, const LadOptions& options)
      : problem_(problem),
        response_(perturbed_response(problem)),
        stop_(options.stop),
        matrix_(std::make_shared<const DividedColumns>(problem.matrix)),
        levels_(matrix_->levels()),
        x_(parted(start)),
        column_scale_(
            parted(problem.matrix.absolute().transposed_times(problem.weights).cwiseMax(1e-300))),
        basis_(problem.bounds, matrix_, problem.matrix.rows(), start) {
    if (problem.linear.size() > 0) {
      const BorderedVector linear = parted(problem.linear.cwiseAbs());
      column_scale_.levels += linear.levels;
      column_scale_.others += linear.others;
    }
    list_rows();
    refresh();
    if (!options.active_rows.empty())
      start_at_vertex(options.active_rows);
  }

  /// Moves every level until it alone cannot improve, then follows one other edge. False if none
  /// descends: the vertex is optimal.
  bool step() {
    for (Index level = 0; level < basis_.levels(); ++level)
      if (basis_.moves_alone(level))
        settle_level(level);
    return pivot_border();
  }

  /// The vertex of the unperturbed problem, with its certificate. Ends the descent.
  LadResult result() {
    const VectorXd lambda = multipliers();
    response_ = problem_.response;
    if (border_pivots_ % kRefactorEvery == 0)
      move_to_vertex();
    else if (!stop_.stop_requested() || basis_.size() <= kColumnsAtOnce)
      factorise();
    LadResult out;
    set_point(problem_, levels_.joined(x_.others, x_.levels), out);
    out.dual_bound = dual_bound_of(problem_, lambda);
    std::vector<Index> places;
    for (Index k = 0; k < basis_.size(); ++k) {
      if (basis_[k].hold != Hold::row)
        continue;
      out.active_rows.push_back(basis_[k].index);
      places.push_back(k);
    }
    const LevelColumns layout{
        .first = levels_.first, .count = levels_.count, .of_row = {}, .value = {}};
    const auto basis = std::make_shared<const BorderedBasis>(std::move(basis_));
    out.change_for = [basis, layout, places](const VectorXd& raises) {
      VectorXd all = VectorXd::Zero(basis->size());
      for (std::size_t i = 0; i < places.size(); ++i)
        all[places[i]] = raises[index(i)];
      const BorderedVector change = basis->solve(all);
      return layout.joined(change.others, change.levels);
    };
    out.slopes = [basis, layout, places](const VectorXd& gradient) -> VectorXd {
      return basis->slopes({layout.levels(gradient), layout.others(gradient)})(places);
    };
    return out;
  }

 private:
  const LadProblem& problem_;
  VectorXd response_;
  std::stop_token stop_;
  std::shared_ptr<const DividedColumns> matrix_;
  const LevelColumns& levels_;
  BorderedVector x_;
  VectorXd residual_;
  BorderedVector gradient_;      ///< of the cost without the active rows
  BorderedVector column_scale_;  ///< largest possible slope along each coordinate
  /// The rows of level l are rows_[rows_begin_[l]] .. rows_[rows_begin_[l + 1]].
  std::vector<Index> rows_;
  std::vector<std::size_t> rows_begin_;
  BorderedBasis basis_;
  std::vector<Kink> kinks_;
  std::size_t border_pivots_ = 0;

  BorderedVector parted(const VectorXd& x) const { return {levels_.levels(x), levels_.others(x)}; }

  double& coordinate(Index j) {
    return levels_.holds(j) ? x_.levels[j - levels_.first] : x_.others[levels_.other(j)];
  }

  double bound(Index j, Hold hold) const {
    return (hold == Hold::lower ? problem_.bounds.lower : problem_.bounds.upper)[j];
  }

  void list_rows() {
    rows_begin_.assign(static_cast<std::size_t>(levels_.count) + 1, 0);
    for (const Index level : levels_.of_row)
      if (level != LevelColumns::none)
        ++rows_begin_[static_cast<std::size_t>(level) + 1];
    for (std::size_t l = 1; l < rows_begin_.size(); ++l)
      rows_begin_[l] += rows_begin_[l - 1];
    rows_.resize(rows_begin_.back());
    std::vector<std::size_t> next(rows_begin_.begin(), rows_begin_.end() - 1);
    for (std::size_t row = 0; row < levels_.of_row.size(); ++row)
      if (levels_.of_row[row] != LevelColumns::none)
        rows_[next[static_cast<std::size_t>(levels_.of_row[row])]++] = index(row);
  }

  /// Goes to the vertex at which the given rows have no residual, if there is one in the box.
  void start_at_vertex(const std::vector<Index>& rows) {
    const BorderedVector cold_x = x_;
    const BorderedBasis cold_basis = basis_;
    basis_.hold(rows);
    factorise();  // what stays parked comes first: steps of fits end nearer to their optimum
    const VectorXd x = levels_.joined(x_.others, x_.levels);
    if (x.allFinite() && problem_.bounds.contains(x))
      return;
    x_ = cold_x;
    basis_ = cold_basis;
    refresh();
  }

  /// The slope that is added in both directions of an edge that leaves a row.
  double hold_weight(Index k) const {
    return basis_[k].hold == Hold::row ? problem_.weights[basis_[k].index] : 0.0;
  }

  /// Descent of the cost along edge k in its better direction; negative if the cost rises.
  double descent_of(Index k, double slope) const {
    if (basis_[k].hold == Hold::lower)
      return -slope;
    if (basis_[k].hold == Hold::upper)
      return slope;
    return std::abs(slope) - hold_weight(k);
  }

  void settle_level(Index level) {
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

  void move_alone(Index level, double slope) {
    const double along = (slope > 0 ? -1.0 : 1.0) / basis_.own_entry(level);
    const ActiveConstraint ahead{along > 0 ? Hold::upper : Hold::lower, levels_.first + level};
    const double limit = std::max(0.0, (bound(ahead.index, ahead.hold) - x_.levels[level]) / along);
    const auto place = static_cast<std::size_t>(level);
    const auto begin = rows_.begin() + index(rows_begin_[place]);
    const auto end = rows_.begin() + index(rows_begin_[place + 1]);
    const auto change = [&](Index row) { return levels_.value[row] * along; };
    kinks_.clear();
    for (auto row = begin; row != end; ++row)
      add_kink(*row, change(*row), 0, limit);
    const auto [entering, length] = end_of_edge(level, slope, change, {ahead, limit});
    x_.levels[level] += length * along;
    for (auto row = begin; row != end; ++row)
      residual_[*row] -= length * along * levels_.value[*row];
    arrive(level, entering);
  }

  /// An edge that moves more than one level.
  struct Leaving {
    Index constraint;
    double descent;
    double gain;  ///< as a share of the largest possible slope of the edge; first an estimate
    BorderedVector edge;
  };

  /// All edges along which the cost falls; if the lengths of all edges are known, the steepest.
  std::vector<Leaving> candidates(const VectorXd& slopes) const {
    const VectorXd lengths = basis_.lengths(column_scale_);
    const auto length_of = [&](Index k) {
      if (lengths.size() > 0)
        return lengths[k];
      const auto [hold, j] = basis_[k];
      if (hold == Hold::row)
        return hold_weight(k);
      return levels_.holds(j) ? column_scale_.levels[j - levels_.first]
                              : column_scale_.others[levels_.other(j)];
    };
    std::vector<Leaving> out;
    for (Index k = 0; k < basis_.size(); ++k) {
      if (k < basis_.levels() && basis_.moves_alone(k))
        continue;
      const double descent = descent_of(k, slopes[k]);
      if (!(descent > 0))
        continue;
      const double gain = descent / std::max(1e-300, length_of(k));
      if (lengths.size() > 0 && !out.empty() && gain > out.front().gain)
        out.clear();
      if (lengths.size() == 0 || out.empty())
        out.push_back({k, descent, gain, {}});
    }
    return out;
  }

  /// Computes the edge and its gain; false if the descent along it is a rounding error.
  bool price(Leaving& candidate) const {
    candidate.edge = basis_.edge(candidate.constraint);
    const double scale = candidate.edge.levels.cwiseAbs().dot(column_scale_.levels) +
                         candidate.edge.others.cwiseAbs().dot(column_scale_.others);
    candidate.gain = candidate.descent / scale;
    return candidate.gain > kLeastGain;
  }

  /// Follows the steepest edge: of all if they are few, else of those with the largest estimates.
  bool pivot_border() {
    constexpr std::size_t kAllOf = 64;
    constexpr std::ptrdiff_t kOfMany = 8;
    const VectorXd slopes = basis_.slopes(gradient_);
    std::vector<Leaving> all = candidates(slopes);
    if (all.size() > kAllOf)
      std::ranges::sort(all, std::greater<>(), &Leaving::gain);
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
    move_together(best->constraint, best->edge, slope);
    if (++border_pivots_ % kRefactorEvery == 0)
      factorise();
    return true;
  }

  /// What an edge meets at its end: the constraint that becomes active.
  struct EdgeEnd {
    ActiveConstraint entering;
    double length;
  };

  void move_together(Index leaving, const BorderedVector& direction, double slope) {
    const VectorXd change = change_of(direction);
    const VectorXd along = levels_.joined(direction.others, direction.levels);
    const EdgeEnd ahead = nearest_bound(leaving, along);
    kinks_.clear();
    const double tiny = kTiny * change.cwiseAbs().maxCoeff();
    for (Index i = 0; i < change.size(); ++i)
      add_kink(i, change[i], tiny, ahead.length);
    const auto [entering, length] = end_of_edge(
        leaving, slope, [&](Index row) { return change[row]; }, ahead);
    x_.levels += length * direction.levels;
    x_.others += length * direction.others;
    residual_ -= length * change;
    for (Index k = 0; k < basis_.size(); ++k)
      if (k != leaving && basis_[k].hold == Hold::row)
        residual_[basis_[k].index] = 0;
    arrive(leaving, entering);
  }

  VectorXd change_of(const BorderedVector& direction) const {
    VectorXd change = *matrix_ * direction.others;
    for (std::size_t l = 0; l + 1 < rows_begin_.size(); ++l)
      for (std::size_t i = rows_begin_[l]; i < rows_begin_[l + 1]; ++i)
        change[rows_[i]] += levels_.value[rows_[i]] * direction.levels[index(l)];
    return change;
  }

  /// An edge always ends at the box, since all bounds are finite.
  EdgeEnd nearest_bound(Index leaving, const VectorXd& along) {
    std::vector<char> held(static_cast<std::size_t>(along.size()), 0);
    for (Index k = 0; k < along.size(); ++k)  // may differ from 0 by rounding
      if (k != leaving && basis_[k].hold != Hold::row)
        held[static_cast<std::size_t>(basis_[k].index)] = 1;
    EdgeEnd out{{Hold::lower, 0}, std::numeric_limits<double>::infinity()};
    const double tiny = kTiny * along.cwiseAbs().maxCoeff();
    for (Index j = 0; j < along.size(); ++j) {
      if (held[static_cast<std::size_t>(j)] || std::abs(along[j]) <= tiny)
        continue;
      const Hold side = along[j] > 0 ? Hold::upper : Hold::lower;
      const double at = std::max(0.0, (bound(j, side) - coordinate(j)) / along[j]);
      if (at < out.length)
        out = {{side, j}, at};
    }
    return out;
  }

  void add_kink(Index row, double change, double tiny, double limit) {
    const double residual = residual_[row];
    // One condition for nearly all rows, since its parts are hard to predict: the kink is beyond
    // the start, or at it if the row leaves towards negative residuals, and not beyond the limit.
    if (!(((residual > 0) == (change > 0)) & (std::abs(change) > tiny) &
          (std::abs(residual) <= kAboveRounding * limit * std::abs(change))) ||
        basis_.holds_row(row) || problem_.weights[row] == 0)
      return;
    const double at = residual / change;
    if (at < limit)
      kinks_.push_back({at, 2 * problem_.weights[row] * std::abs(change), row});
  }

  /// Passes the kinks along the edge of a constraint. `change`: that of each row; `ahead`: the
  /// bound at which the edge leaves the box.
  template <class Change>
  EdgeEnd end_of_edge(Index leaving, double slope, const Change& change, const EdgeEnd& ahead) {
    const auto stop = run_through(kinks_, -std::abs(slope) + hold_weight(leaving));
    for (auto k = kinks_.begin(); k != stop; ++k)
      turn(k->row, 2);
    if (const auto [hold, row] = basis_[leaving]; hold == Hold::row) {
      // The row that is left becomes an ordinary row with the sign that its residual will have.
      residual_[row] = change(row) > 0 ? -1e-300 : 1e-300;
      turn(row, -1);
    }
    if (stop == kinks_.end())
      return ahead;
    turn(stop->row, 1);
    return {{Hold::row, stop->row}, stop->at};
  }

  void arrive(Index leaving, const ActiveConstraint& entering) {
    if (entering.hold == Hold::row)
      residual_[entering.index] = 0;
    else
      coordinate(entering.index) = bound(entering.index, entering.hold);
    basis_.exchange(leaving, entering);
  }

  /// Subtracts `times` the current contribution of a row from the gradient: once if the row becomes
  /// active, twice if its residual changes sign.
  void turn(Index row, double times) {
    const double pull = residual_[row] > 0 ? -problem_.weights[row] : problem_.weights[row];
    matrix_->add_row(row, -times * pull, gradient_.others);
    const Index level = levels_.level_of(row);
    if (level != LevelColumns::none)
      gradient_.levels[level] -= times * pull * levels_.value[row];
  }

  void factorise() {
    basis_.factorise();
    move_to_vertex();
  }

  /// Computes the point, the residuals and the gradient from the basis.
  void move_to_vertex() {
    VectorXd level(basis_.size());
    for (Index k = 0; k < level.size(); ++k)
      level[k] =
          basis_[k].hold == Hold::row ? response_[basis_[k].index] : coordinate(basis_[k].index);
    x_ = basis_.solve(level);
    for (Index k = 0; k < level.size(); ++k) {
      const auto [hold, j] = basis_[k];
      if (hold == Hold::lower || hold == Hold::upper)
        coordinate(j) = bound(j, hold);
    }
    refresh();
  }

  /// Computes residuals and gradient anew.
  void refresh() {
    residual_ = response_ - change_of(x_);
    for (Index k = 0; k < basis_.size(); ++k)
      if (basis_[k].hold == Hold::row)
        residual_[basis_[k].index] = 0;
    VectorXd pull = (residual_.array() > 0).select(-problem_.weights, problem_.weights);
    for (Index i = 0; i < pull.size(); ++i)
      if (basis_.holds_row(i))
        pull[i] = 0;
    VectorXd gradient = problem_.matrix.transposed_times(pull);
    if (problem_.linear.size() > 0)
      gradient += problem_.linear;
    gradient_ = parted(gradient);
  }

  /// Multipliers of the rows at the current vertex. Signs are those of the perturbed residuals: if
  /// several residuals are zero, only the perturbed ones determine the side of each row.
  VectorXd multipliers() const {
    VectorXd lambda = (residual_.array() > 0).select(problem_.weights, -problem_.weights);
    const VectorXd multiplier = basis_.slopes(gradient_);
    for (Index k = 0; k < multiplier.size(); ++k) {
      const auto [hold, row] = basis_[k];
      if (hold == Hold::row)
        lambda[row] = std::clamp(multiplier[k], -problem_.weights[row], problem_.weights[row]);
    }
    return lambda;
  }
};

}  // namespace

LadResult descend(const LadProblem& problem, const VectorXd& start, const LadOptions& options) {
  EdgeDescent descent(problem, start, options);
  std::size_t iterations = 0;
  LadTermination termination = LadTermination::optimal;
  while (true) {
    if (options.stop.stop_requested()) {
      termination = LadTermination::interrupted;
      break;
    }
    if (iterations == options.iterations) {
      termination = LadTermination::iteration_limit;
      break;
    }
    if (!descent.step())
      break;
    ++iterations;
  }
  LadResult out = descent.result();
  out.iterations = iterations;
  out.termination = termination;
  return out;
}

}  // namespace perfmodel::optimise
