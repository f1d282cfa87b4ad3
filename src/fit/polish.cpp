#include "fit/polish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "fit/losses.hpp"
#include "fit/search_space.hpp"
#include "optimise/algebra.hpp"
#include "optimise/least_absolute_deviations.hpp"
#include "optimise/newton.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Powers that are tried are this far apart.
constexpr double kPowerSpacing = 0.25;
/// A slope counts as downhill beyond this share of the largest that rows of these pulls could have:
/// the rest is rounding.
constexpr double kDownhillShare = 1e-9;

std::size_t place_of(const NumericFactor& factor, std::size_t row) {
  return factor.coded() ? factor.codes[row] : row;
}

/// What scales the sum of intrinsic terms in each row: the product of E_j^q_j.
VectorXd extrinsic_products(const Design& training, const SearchSpace& space,
                            const VectorXd& scaled) {
  VectorXd exponent = VectorXd::Zero(static_cast<Index>(training.rows));
  for (std::size_t j = 0; j < training.extrinsic.size(); ++j) {
    const NumericFactor& factor = training.extrinsic[j];
    const double q = scaled[static_cast<Index>(space.layout().extrinsic_power(j))];
    std::vector<double> parts;
    parts.reserve(factor.values.size());
    for (const double value : factor.values)
      parts.push_back(q * (std::log(value) - space.extrinsic_log_centres()[j]));
    for (std::size_t r = 0; r < training.rows; ++r)
      exponent[static_cast<Index>(r)] += parts[place_of(factor, r)];
  }
  return exponent.array().exp();
}

/// The powers that are tried for an idle term: from low to high.
struct PowerGrid {
  double low = 0;
  double high = 0;
  int steps = 1;

  double power(int k) const { return k == steps ? high : low + (high - low) / steps * k; }
};

struct IdleTerm {
  std::size_t column = 0;
  PowerGrid grid;
};

std::vector<IdleTerm> idle_terms(const SearchSpace& space, const VectorXd& scaled) {
  std::vector<IdleTerm> out;
  for (std::size_t i = 0; i < space.intrinsic_log_centres().size(); ++i) {
    const Index a = static_cast<Index>(space.layout().coefficient(i));
    if (scaled[a] != 0 || !(space.scaled().upper[a] > 0))
      continue;
    const Index p = static_cast<Index>(space.layout().intrinsic_power(i));
    const double low = space.scaled().lower[p];
    const double high = space.scaled().upper[p];
    const int steps = std::max(1, static_cast<int>(std::lround((high - low) / kPowerSpacing)));
    out.push_back({i, {low, high, steps}});
  }
  return out;
}

/// Of one term, the slopes and squares of its grid. `product`: of E_j^q_j in each row.
void add_slopes(const NumericFactor& factor, double log_centre, const PowerGrid& grid,
                const VectorXd& pull, const VectorXd& product, std::vector<double>& slopes,
                std::vector<double>& squares) {
  const std::size_t places = factor.values.size();
  std::vector<double> slope_of(places, 0);
  std::vector<double> square_of(places, 0);
  for (Index r = 0; r < pull.size(); ++r) {
    const std::size_t place = place_of(factor, static_cast<std::size_t>(r));
    slope_of[place] += pull[r] * product[r];
    square_of[place] += product[r] * product[r];
  }
  // I^p on the grid by repeated multiplication: two exponentials per distinct value.
  std::vector<double> powers(places);
  std::vector<double> factors(places);
  for (std::size_t v = 0; v < places; ++v) {
    const double log_value = log_of_value(factor.values[v]) - log_centre;
    powers[v] = std::exp(grid.low * log_value);
    factors[v] = std::exp((grid.high - grid.low) / grid.steps * log_value);
  }
  for (int k = 0; k <= grid.steps; ++k) {
    double slope = 0;
    double square = 0;
    for (std::size_t v = 0; v < places; ++v) {
      slope += slope_of[v] * powers[v];
      square += square_of[v] * powers[v] * powers[v];
      powers[v] *= factors[v];
    }
    slopes.push_back(slope);
    squares.push_back(square);
  }
}

/// What the rows say of idle terms.
struct IdleSlopes {
  VectorXd slopes;   ///< per idle term and power of the grid: of the cost in a
  VectorXd squares;  ///< of the rows' derivatives by a
  double pull_squares = 0;
};

IdleSlopes idle_slopes(const Design& training, const SearchSpace& space, const VectorXd& scaled,
                       const VectorXd& pull) {
  IdleSlopes out{.slopes = {}, .squares = {}, .pull_squares = pull.squaredNorm()};
  const std::vector<IdleTerm> idle = idle_terms(space, scaled);
  if (idle.empty())
    return out;
  const VectorXd product = extrinsic_products(training, space, scaled);
  std::vector<double> slopes;
  std::vector<double> squares;
  for (const IdleTerm& term : idle) {
    add_slopes(training.intrinsic[term.column], space.intrinsic_log_centres()[term.column],
               term.grid, pull, product, slopes, squares);
  }
  out.slopes = Eigen::Map<const VectorXd>(slopes.data(), static_cast<Index>(slopes.size()));
  out.squares = Eigen::Map<const VectorXd>(squares.data(), static_cast<Index>(squares.size()));
  return out;
}

}  // namespace

/// The power of each idle term at which the cost falls steepest with the size of the term, its root
/// mean square over the rows, where it falls at all.
std::optional<VectorXd> wake_idle_terms(const Design& training, const SearchSpace& space,
                                        const VectorXd& scaled, const VectorXd& pull) {
  const IdleSlopes of_rows = idle_slopes(training, space, scaled, pull);
  std::optional<VectorXd> woken;
  Index at = 0;
  for (const IdleTerm& term : idle_terms(space, scaled)) {
    std::optional<double> best;
    double least = -kDownhillShare * std::sqrt(of_rows.pull_squares);
    for (int k = 0; k <= term.grid.steps; ++k, ++at) {
      const double steepness = of_rows.slopes[at] / std::sqrt(of_rows.squares[at]);
      if (steepness < least) {
        least = steepness;
        best = term.grid.power(k);
      }
    }
    if (!best)
      continue;
    if (!woken)
      woken = scaled;
    (*woken)[static_cast<Index>(space.layout().intrinsic_power(term.column))] = *best;
  }
  return woken;
}

PolishResult polish(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                    const FitOptions& options, const Eigen::VectorXd& start, double gap_to_stop) {
  return is_absolute(options.loss)
             ? polish_absolute(rows, space, penalty, options, start, gap_to_stop)
             : polish_squared(rows, space, penalty, options, start, gap_to_stop);
}

namespace {

/// The fit as a sequence of linear problems, one per step, in the changes of the scaled constants.
class LinearisedFit : public LinearisedRows {
 public:
  LinearisedFit(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                const FitOptions& options)
      : training_(rows.design()),
        space_(space),
        penalty_(penalty),
        model_(training_, space),
        rows_(static_cast<Index>(rows.size())),
        constants_(static_cast<Index>(space.layout().size())),
        steps_(space) {
    weights_ = VectorXd::Constant(rows_, 1.0 / rows.total_weight());
    if (rows.weights().size() > 0)
      weights_.array() *= rows.weights().array();
    if (options.loss == Loss::mape)
      weights_.array() /= training_.time.array();
  }

  double cost(const VectorXd& scaled) const override {
    const double loss = weights_.dot((training_.time - model_.predict(scaled)).cwiseAbs());
    return loss + penalty_(scaled);
  }

  void linearise_at(const VectorXd& scaled) override {
    at_ = scaled;
    predicted_ = model_.linearise(scaled, jacobian_);
    effects_ = (weights_.transpose() * jacobian_.others.cwiseAbs()).transpose();
    if (!jacobian_.levels.empty())
      effects_ =
          optimise::absolute_transposed_product(jacobian_.others, jacobian_.levels, weights_);
    if (penalty_.active())
      penalised_ = penalty_.linearise(scaled);
  }

  /// The problem within the trust region; `constant` is what its cost holds on top of the fit's.
  optimise::LadProblem problem(double radius, double& constant) const override {
    optimise::LadProblem out;
    out.bounds = steps_.around(at_, radius, penalty_.l2() > 0);
    const Index penalised = constants_ - 1;
    const Index l1_rows = penalty_.l1() > 0 ? penalised : 0;
    const Index l2_rows = penalty_.l2() > 0 ? penalised * optimise::kSquareRows : 0;
    const Index all = rows_ + l1_rows + l2_rows;
    out.levels = jacobian_.levels;
    out.matrix.resize(all, jacobian_.others.cols());
    out.response.resize(all);
    out.weights.resize(all);
    out.linear = VectorXd::Zero(constants_);
    out.matrix.topRows(rows_) = jacobian_.others;
    out.response.head(rows_) = training_.time - predicted_;
    out.weights.head(rows_) = weights_;
    constant = 0;
    if (l1_rows > 0) {
      out.matrix.middleRows(rows_, l1_rows) = penalised_.gradients.others;
      if (!out.levels.empty())
        add_levels(penalised_.gradients.levels, 0, l1_rows, 1, out.levels);
      out.response.segment(rows_, l1_rows) = -penalised_.values;
      out.weights.segment(rows_, l1_rows).setConstant(penalty_.l1());
    }
    if (l2_rows > 0)
      add_squared_penalty(rows_ + l1_rows, out, constant);
    return out;
  }

  /// The change of the constants that brings the residuals of the step's active rows back to zero
  /// where the curvature of the model has moved them: a second-order correction.
  VectorXd correction(const optimise::LadResult& step, const VectorXd& trial) const override {
    const VectorXd predicted = model_.predict(trial);
    VectorXd raises = VectorXd::Zero(static_cast<Index>(step.active_rows.size()));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < rows_)  // else of the penalty
        raises[static_cast<Index>(k)] = training_.time[row] - predicted[row];
    }
    return step.vertex->change_for(raises);
  }

  /// The constants from which the finish can go on where no step gains any more; see
  /// wake_idle_terms. A penalty also holds idle powers: then there are none.
  std::optional<VectorXd> wake(const optimise::LadResult& step) const override {
    if (penalty_.active())
      return std::nullopt;
    return wake_idle_terms(training_, space_, at_, pull(step));
  }

  VectorXd inside(const VectorXd& scaled, double cost) const override {
    return steps_.inside(scaled, effects_, cost);
  }

  double length(const VectorXd& step) const override { return steps_.length(step); }

  /// A squared penalty is curved in a, too.
  bool length_bounds_radius() const override { return penalty_.l2() == 0; }

 private:
  const Design& training_;
  const SearchSpace& space_;
  const Regulariser& penalty_;
  ScaledModel model_;
  Index rows_;
  Index constants_;
  ScaledSteps steps_;
  VectorXd weights_;
  VectorXd at_;
  VectorXd predicted_;
  optimise::LevelMatrix jacobian_;
  VectorXd effects_;  ///< weighted mean of each column of the jacobian, without signs
  PenalisedConstants penalised_;

  /// d cost / d prediction of each row at the optimum that `step` has confirmed. A row without a
  /// residual pulls as hard as holding it takes.
  VectorXd pull(const optimise::LadResult& step) const {
    const VectorXd residual = training_.time - predicted_;
    VectorXd out = (residual.array() > 0).select(-weights_, weights_);
    for (const Index row : step.active_rows)
      if (row < rows_)
        out[row] = 0;
    const VectorXd slopes =
        step.vertex->slopes(optimise::transposed_product(jacobian_.others, jacobian_.levels, out));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < rows_)
        out[row] = std::clamp(-slopes[static_cast<Index>(k)], -weights_[row], weights_[row]);
    }
    return out;
  }

  /// lambda (v + u)^2, u = g'd: the linear part 2 lambda v u is exact.
  void add_squared_penalty(Index row, optimise::LadProblem& out, double& constant) const {
    const optimise::LevelMatrix& gradients = penalised_.gradients;
    const VectorXd reach = out.bounds.upper.cwiseMax(-out.bounds.lower);
    const VectorXd reach_of_others = gradients.levels.others(reach);
    for (Index k = 0; k < penalised_.values.size(); ++k) {
      const VectorXd gradient = gradients.others.row(k);
      VectorXd bounded = gradient.cwiseAbs().cwiseProduct(reach_of_others);
      for (Index j = 0; j < bounded.size(); ++j)
        if (gradient[j] == 0)
          bounded[j] = 0;
        else
          out.linear[column_of(j)] += 2 * penalty_.l2() * penalised_.values[k] * gradient[j];
      double sum = bounded.sum();
      const Index level = gradients.levels.of_row[static_cast<std::size_t>(k)];
      if (level != optimise::LevelColumns::none) {
        const double own = gradients.levels.value[k];
        out.linear[gradients.levels.first + level] +=
            2 * penalty_.l2() * penalised_.values[k] * own;
        sum += std::abs(own) * reach[gradients.levels.first + level];
      }
      constant -= penalty_.l2() * penalised_.values[k] * penalised_.values[k];
      if (!out.levels.empty())
        add_levels(gradients.levels, k, 1, optimise::kSquareRows, out.levels);
      optimise::put_square(gradient, penalty_.l2(), sum, row + k * optimise::kSquareRows, out,
                           constant);
    }
  }

  /// Among all constants, of a column beside the levels'.
  Index column_of(Index other) const {
    return other < jacobian_.levels.first ? other : other + jacobian_.levels.count;
  }

  /// Appends rows `first` .. `first + count`, each `times`.
  static void add_levels(const optimise::LevelColumns& from, Index first, Index count, Index times,
                         optimise::LevelColumns& to) {
    for (Index k = first; k < first + count; ++k)
      to.of_row.insert(to.of_row.end(), static_cast<std::size_t>(times),
                       from.of_row[static_cast<std::size_t>(k)]);
    const Index before = to.value.size();
    to.value.conservativeResize(before + count * times);
    for (Index k = 0; k < count * times; ++k)
      to.value[before + k] = from.value[first + k / times];
  }
};

}  // namespace

PolishResult polish_absolute(const WeightedRows& rows, const SearchSpace& space,
                             const Regulariser& penalty, const FitOptions& options,
                             const VectorXd& start, double gap_to_stop) {
  LinearisedFit fit(rows, space, penalty, options);
  SequentialLadResult end = minimise_by_sequential_lad(fit, start, gap_to_stop, options.stop);
  return {std::move(end.at), end.cost, end.relative_gap, end.steps, end.evaluations};
}

namespace {

class SquaredFit : public CurvedProblem {
 public:
  SquaredFit(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
             const FitOptions& options)
      : rows_(rows, space, options.loss),
        penalty_(penalty),
        logarithmic_(options.loss == Loss::rmsle) {}

  double cost(const VectorXd& scaled) const override {
    const double mean = rows_.mean_square(scaled);
    if (!std::isfinite(mean))
      return std::numeric_limits<double>::infinity();
    return (logarithmic_ ? std::sqrt(mean) : mean) + penalty_(scaled);
  }

  CostParabola quadratic(const VectorXd& scaled) const override {
    SquareSums sums = rows_.sums(scaled);
    CostParabola out{.gradient = std::move(sums.gradient),
                     .hessian = {},
                     .gauss_newton = std::move(sums.gauss_newton)};
    out.hessian = out.gauss_newton;
    out.hessian.add(-sums.factor, sums.bend);
    if (logarithmic_) {
      // The logarithm bends, too, and so does the root. What the root takes away couples all
      // levels; it vanishes at the optimum, and is left out where they are many.
      if (sums.of_logarithm.levels() == 0)
        out.hessian.core +=
            sums.of_logarithm.core - out.gradient * out.gradient.transpose() / sums.root;
      else
        out.hessian.add(1, sums.of_logarithm);
    }
    if (penalty_.active())
      add_penalty(scaled, out);
    return out;
  }

  /// The constants from which the finish can go on where no step gains any more; see
  /// wake_idle_terms. A penalty also holds idle powers: then there are none.
  std::optional<VectorXd> wake(const VectorXd& scaled) const override {
    if (penalty_.active())
      return std::nullopt;
    return rows_.wake(scaled);
  }

 private:
  SquaredRows rows_;
  const Regulariser& penalty_;
  bool logarithmic_;

  void add_penalty(const VectorXd& scaled, CostParabola& out) const {
    const PenalisedConstants penalised = penalty_.linearise(scaled);
    const VectorXd curvature = tangent_curvature(penalised.values, penalty_.l1(), penalty_.l2());
    out.gradient +=
        optimise::transposed_product(penalised.gradients.others, penalised.gradients.levels,
                                     curvature.cwiseProduct(penalised.values));
    const ArrowMatrix bend = gram(1, penalised.gradients, curvature);
    out.hessian.add(1, bend);
    out.gauss_newton.add(1, bend);
  }
};

}  // namespace

PolishResult polish_squared(const WeightedRows& rows, const SearchSpace& space,
                            const Regulariser& penalty, const FitOptions& options,
                            const VectorXd& start, double gap_to_stop) {
  const SquaredFit fit(rows, space, penalty, options);
  DampedNewtonResult end =
      minimise_by_damped_newton(fit, space.scaled(), start, gap_to_stop, options.stop);
  return {std::move(end.at), end.cost, end.relative_gap, end.steps, end.evaluations};
}

}  // namespace perfmodel
