#include "perfmodel/optimise/least_absolute_deviations.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "optimise/sifting.hpp"

namespace perfmodel::optimise {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What holds one of the `columns` coordinates of a vertex in place.
enum class Hold {
  row,     ///< the residual of a row is zero
  lower,   ///< a coordinate is at its lower bound
  upper,   ///< a coordinate is at its upper bound
  parked,  ///< a coordinate stands where the search began; it leaves as soon as that pays
};

struct Active {
  Hold hold;
  Index index;  ///< row, or coordinate
};

/// Pivots after which the basis is factorised anew, so that rounding does not pile up.
constexpr std::size_t kRefactorEvery = 64;

/// A row that moves a coordinate less than this, beside the others, cannot hold it in place.
constexpr double kWorthlessPivot = 1e-8;

class EdgeDescent {
 public:
  EdgeDescent(const LadProblem& problem, const VectorXd& start,
              const std::vector<Index>& active_rows)
      : problem_(problem),
        rows_(problem.matrix.rows()),
        columns_(problem.matrix.cols()),
        x_(start),
        response_(problem.response),
        active_row_(static_cast<std::size_t>(rows_), 0) {
    perturb();
    for (Index j = 0; j < columns_; ++j) {
      active_.push_back({Hold::parked, j});
      if (x_[j] <= problem.bounds.lower[j])
        active_.back().hold = Hold::lower;
      if (x_[j] >= problem.bounds.upper[j])
        active_.back().hold = Hold::upper;
    }
    directions_ = MatrixXd::Identity(columns_, columns_);
    residual_ = response_ - problem.matrix * x_;
    column_scale_ = (problem.matrix.cwiseAbs().transpose() * problem.weights).cwiseMax(1e-300);
    if (problem.linear.size() == columns_)
      column_scale_ += problem.linear.cwiseAbs();
    refresh_gradient();
    if (!active_rows.empty())
      start_at_vertex(active_rows);
  }

  /// One edge. False where no edge descends: the vertex is optimal.
  bool step() {
    const VectorXd slope = directions_.transpose() * gradient_;
    const Index leaving = choose_leaving(slope);
    if (leaving < 0)
      return false;
    const double sign = slope[leaving] > 0 ? -1.0 : 1.0;
    const VectorXd direction = sign * directions_.col(leaving);
    const double start_slope = -std::abs(slope[leaving]) + hold_weight(leaving);
    move(leaving, direction, start_slope);
    if (++pivots_ % kRefactorEvery == 0)
      refactor();
    return true;
  }

  /// The vertex of the unperturbed problem and its certificate.
  LadResult result() {
    const VectorXd lambda = multipliers();
    response_ = problem_.response;
    refactor();
    LadResult out;
    out.x = x_.cwiseMax(problem_.bounds.lower).cwiseMin(problem_.bounds.upper);
    const VectorXd residual = problem_.response - problem_.matrix * out.x;
    out.cost = problem_.weights.dot(residual.cwiseAbs()) + linear_cost(out.x);
    out.dual_bound = dual_bound(lambda);
    out.edges.resize(columns_, 0);
    for (Index k = 0; k < columns_; ++k) {
      const Active& a = active_[static_cast<std::size_t>(k)];
      if (a.hold != Hold::row)
        continue;
      out.active_rows.push_back(a.index);
      out.edges.conservativeResize(Eigen::NoChange, out.edges.cols() + 1);
      out.edges.col(out.edges.cols() - 1) = directions_.col(k);
    }
    return out;
  }

 private:
  const LadProblem& problem_;
  Index rows_;
  Index columns_;
  VectorXd x_;
  VectorXd response_;
  VectorXd residual_;
  VectorXd gradient_;      ///< of the cost without the active rows
  VectorXd column_scale_;  ///< the largest slope a coordinate can have
  MatrixXd directions_;    ///< column k leaves active constraint k and stays on all others
  std::vector<Active> active_;
  std::vector<char> active_row_;
  std::size_t pivots_ = 0;
  bool gradient_is_fresh_ = false;  ///< summed over all rows, not carried along
  struct Kink {
    double at;
    double rise;  ///< of the slope
    Index row;
  };
  std::vector<Kink> kinks_;

  /// Goes to the vertex where the given rows have no residual, if there is one in the box: each row
  /// takes the place of the parked coordinate that it determines best.
  void start_at_vertex(const std::vector<Index>& rows) {
    const EdgeDescent cold = *this;
    for (const Index row : rows) {
      const Eigen::RowVectorXd along = problem_.matrix.row(row) * directions_;
      Index place = -1;
      for (Index k = 0; k < columns_; ++k) {
        if (active_[static_cast<std::size_t>(k)].hold != Hold::parked)
          continue;
        if (place < 0 || std::abs(along[k]) > std::abs(along[place]))
          place = k;
      }
      if (place < 0 || std::abs(along[place]) < kWorthlessPivot * along.cwiseAbs().maxCoeff())
        continue;
      exchange(place, problem_.matrix.row(row).transpose());
      active_[static_cast<std::size_t>(place)] = {Hold::row, row};
      active_row_[static_cast<std::size_t>(row)] = 1;
    }
    refactor();
    if (!x_.allFinite() || !problem_.bounds.contains(x_))
      restore(cold);
  }

  void restore(const EdgeDescent& other) {
    x_ = other.x_;
    residual_ = other.residual_;
    gradient_ = other.gradient_;
    directions_ = other.directions_;
    active_ = other.active_;
    active_row_ = other.active_row_;
  }

  /// Equal rows make vertices where many residuals are zero at once, and a descent may then cycle.
  /// Tiny different shifts of the responses part them; multipliers do not depend on the responses,
  /// so the final basis is the right one for the given problem too.
  void perturb() {
    const double size = 1e-11 * (problem_.response.cwiseAbs().maxCoeff() + 1e-300);
    std::uint64_t state = 0x9E3779B97F4A7C15ULL;
    for (Index i = 0; i < rows_; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      response_[i] += size * (static_cast<double>(state >> 11) * 0x1.0p-53 - 0.5);
    }
  }

  double linear_cost(const VectorXd& x) const {
    return problem_.linear.size() == columns_ ? problem_.linear.dot(x) : 0.0;
  }

  /// The slope that both senses of an edge pay for leaving a row.
  double hold_weight(Index k) const {
    const Active& held = active_[static_cast<std::size_t>(k)];
    return held.hold == Hold::row ? problem_.weights[held.index] : 0.0;
  }

  void refresh_gradient() {
    VectorXd pull = problem_.weights;
    for (Index i = 0; i < rows_; ++i) {
      if (active_row_[static_cast<std::size_t>(i)])
        pull[i] = 0;
      else if (residual_[i] > 0)
        pull[i] = -pull[i];
    }
    gradient_ = problem_.matrix.transpose() * pull;
    if (problem_.linear.size() == columns_)
      gradient_ += problem_.linear;
  }

  Index choose_leaving(const VectorXd& slope) const {
    Index best = -1;
    double best_gain = 0;
    for (Index k = 0; k < columns_; ++k) {
      const Hold hold = active_[static_cast<std::size_t>(k)].hold;
      double descent = std::abs(slope[k]) - hold_weight(k);
      if (hold == Hold::lower)
        descent = -slope[k];
      if (hold == Hold::upper)
        descent = slope[k];
      const double scale = directions_.col(k).cwiseAbs().dot(column_scale_);
      const double gain = descent / scale;
      if (gain > 1e-12 && gain > best_gain) {
        best_gain = gain;
        best = k;
      }
    }
    return best;
  }

  void move(Index leaving, const VectorXd& direction, double slope) {
    const VectorXd change = problem_.matrix * direction;
    auto [limit, blocking, blocking_hold] = nearest_bound(leaving, direction);
    collect_kinks(change, limit);
    const Kink* stop = walk(slope);
    const auto passed = stop != nullptr ? stop - kinks_.data() : std::ssize(kinks_);
    for (auto k = kinks_.begin(); k != kinks_.begin() + passed; ++k)
      turn(k->row, 2);
    release(leaving, change);
    if (stop != nullptr) {
      const Index row = stop->row;
      turn(row, 1);
      advance(direction, change, stop->at);
      residual_[row] = 0;
      active_row_[static_cast<std::size_t>(row)] = 1;
      exchange(leaving, problem_.matrix.row(row).transpose());
      active_[static_cast<std::size_t>(leaving)] = {Hold::row, row};
    } else {
      advance(direction, change, limit);
      x_[blocking] = blocking_hold == Hold::lower ? problem_.bounds.lower[blocking]
                                                  : problem_.bounds.upper[blocking];
      exchange(leaving, VectorXd::Unit(columns_, blocking));
      active_[static_cast<std::size_t>(leaving)] = {blocking_hold, blocking};
    }
  }

  /// Takes `times` the present pull of a row out of the gradient: once where the row becomes
  /// active, twice where its residual changes sign.
  void turn(Index row, double times) {
    const double pull = residual_[row] > 0 ? -problem_.weights[row] : problem_.weights[row];
    gradient_ -= times * pull * problem_.matrix.row(row).transpose();
    gradient_is_fresh_ = false;
  }

  struct Blocking {
    double at;
    Index coordinate;
    Hold hold;
  };

  /// The box always ends an edge: all bounds are finite.
  Blocking nearest_bound(Index leaving, const VectorXd& direction) const {
    Blocking out{std::numeric_limits<double>::infinity(), 0, Hold::lower};
    std::vector<char> held(static_cast<std::size_t>(columns_), 0);
    for (Index k = 0; k < columns_; ++k) {
      const Active& a = active_[static_cast<std::size_t>(k)];
      if (k != leaving && a.hold != Hold::row)
        held[static_cast<std::size_t>(a.index)] = 1;
    }
    const double tiny = 1e-13 * direction.cwiseAbs().maxCoeff();
    for (Index j = 0; j < columns_; ++j) {
      if (held[static_cast<std::size_t>(j)] || std::abs(direction[j]) <= tiny)
        continue;
      const bool up = direction[j] > 0;
      const double room = up ? problem_.bounds.upper[j] - x_[j] : problem_.bounds.lower[j] - x_[j];
      const double at = std::max(0.0, room / direction[j]);
      if (at < out.at)
        out = {at, j, up ? Hold::upper : Hold::lower};
    }
    return out;
  }

  void collect_kinks(const VectorXd& change, double limit) {
    kinks_.clear();
    const double tiny = 1e-13 * change.cwiseAbs().maxCoeff();
    for (Index i = 0; i < rows_; ++i) {
      const double c = change[i];
      if (std::abs(c) <= tiny || active_row_[static_cast<std::size_t>(i)] ||
          problem_.weights[i] == 0) {
        continue;
      }
      const double at = residual_[i] / c;
      if ((at > 0 || (at == 0 && c < 0)) && at < limit) {
        kinks_.push_back({at, 2 * problem_.weights[i] * std::abs(c), i});
      }
    }
  }

  /// Runs through the kinks as long as the cost still falls (a weighted median by selection); null
  /// where it falls up to the box.
  const Kink* walk(double slope) {
    auto first = kinks_.begin();
    auto last = kinks_.end();
    while (first != last) {
      auto middle = first + (last - first) / 2;
      std::nth_element(first, middle, last,
                       [](const Kink& a, const Kink& b) { return a.at < b.at; });
      double before = slope;
      for (auto k = first; k != middle; ++k)
        before += k->rise;
      if (before >= 0) {
        last = middle;
      } else if (before + middle->rise >= 0) {
        return &*middle;
      } else {
        slope = before + middle->rise;
        first = middle + 1;
      }
    }
    return nullptr;
  }

  /// The constraint that is left becomes an ordinary row with the sign it is about to take.
  void release(Index leaving, const VectorXd& change) {
    const Active& held = active_[static_cast<std::size_t>(leaving)];
    if (held.hold != Hold::row)
      return;
    active_row_[static_cast<std::size_t>(held.index)] = 0;
    residual_[held.index] = change[held.index] > 0 ? -1e-300 : 1e-300;
    turn(held.index, -1);
  }

  void advance(const VectorXd& direction, const VectorXd& change, double length) {
    x_ += length * direction;
    residual_ -= length * change;
    for (const Active& a : active_) {
      if (a.hold == Hold::row && active_row_[static_cast<std::size_t>(a.index)])
        residual_[a.index] = 0;
    }
  }

  /// Replaces the gradient of active constraint `k`: a rank-one update of the inverse basis.
  void exchange(Index k, const VectorXd& gradient) {
    const Eigen::RowVectorXd along = gradient.transpose() * directions_;
    const VectorXd pivot = directions_.col(k) / along[k];
    for (Index j = 0; j < columns_; ++j) {
      if (j != k)
        directions_.col(j) -= along[j] * pivot;
    }
    directions_.col(k) = pivot;
  }

  void refactor() {
    MatrixXd basis(columns_, columns_);
    VectorXd level(columns_);
    for (Index k = 0; k < columns_; ++k) {
      const Active& a = active_[static_cast<std::size_t>(k)];
      if (a.hold == Hold::row) {
        basis.row(k) = problem_.matrix.row(a.index);
        level[k] = response_[a.index];
      } else {
        basis.row(k) = VectorXd::Unit(columns_, a.index).transpose();
        level[k] = x_[a.index];
      }
    }
    const Eigen::PartialPivLU<MatrixXd> lu(basis);
    directions_ = lu.inverse();
    x_ = lu.solve(level);
    residual_ = response_ - problem_.matrix * x_;
    for (const Active& a : active_) {
      if (a.hold == Hold::row)
        residual_[a.index] = 0;
      if (a.hold == Hold::lower)
        x_[a.index] = problem_.bounds.lower[a.index];
      if (a.hold == Hold::upper)
        x_[a.index] = problem_.bounds.upper[a.index];
    }
    refresh_gradient();
  }

  /// Multipliers of the rows at the present vertex. Signs are those of the perturbed residuals:
  /// where several residuals are zero, only they know on which side each row stands.
  VectorXd multipliers() const {
    VectorXd lambda(rows_);
    for (Index i = 0; i < rows_; ++i) {
      lambda[i] = residual_[i] > 0 ? problem_.weights[i] : -problem_.weights[i];
    }
    const VectorXd multiplier = directions_.transpose() * gradient_;
    for (Index k = 0; k < columns_; ++k) {
      const Active& a = active_[static_cast<std::size_t>(k)];
      if (a.hold != Hold::row)
        continue;
      const double w = problem_.weights[a.index];
      lambda[a.index] = std::clamp(multiplier[k], -w, w);
    }
    return lambda;
  }

  /// For any |lambda_i| <= w_i:  cost(x) >= lambda'r + min over the box of (c - A'lambda)'x.
  double dual_bound(const VectorXd& lambda) const {
    VectorXd reduced = -(problem_.matrix.transpose() * lambda);
    if (problem_.linear.size() == columns_)
      reduced += problem_.linear;
    const auto low = reduced.cwiseProduct(problem_.bounds.lower);
    const auto high = reduced.cwiseProduct(problem_.bounds.upper);
    return lambda.dot(problem_.response) + low.cwiseMin(high).sum();
  }
};

LadResult descend(const LadProblem& problem, const VectorXd& start, const LadOptions& options) {
  EdgeDescent descent(problem, start, options.active_rows);
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

}  // namespace

LadResult solve_lad(const LadProblem& problem, const VectorXd& start, const LadOptions& options) {
  if (!problem.bounds.contains(start))
    throw std::invalid_argument("the start is outside the box");
  const bool many_rows = problem.matrix.rows() > static_cast<Index>(options.sift_above);
  return many_rows ? sift(problem, start, options, descend) : descend(problem, start, options);
}

}  // namespace perfmodel::optimise
