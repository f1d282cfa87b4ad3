#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "choice/fit_sum.hpp"
#include "search/losses.hpp"
#include "sums/sum_finish.hpp"
#include "sums/term_search.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kLargestPlainPower = 3;
/// Plain powers are multiples of 1/4 or 1/3, hence of 1/12.
constexpr int kPlainParts = 12;
/// Prior odds of a plain power are 20 : 1; the criterion counts 2 ln(20).
constexpr double kPlainIsLikely = 6;
/// Losses below this count as 0: no time is measured to a millionth.
constexpr double kNoLoss = 1e-12;
/// Below this loss, only the ridge keeps the constants from being exact.
constexpr double kLossOfExactRuns = 1e-9;
/// Inputs that change ln(time) by more are kept untested. The limit is lower for scales if a
/// residual process follows: it explains most of the apparent noise, but not beyond the runs.
constexpr double kWorthTrying = 0.5;
constexpr double kWorthTryingOfScale = 0.05;
/// In larger sums other powers imitate a logarithm or a C, and many runs tell them apart.
constexpr Index kFeaturesOfSmall = 4;  // per term, including its coefficient
constexpr double kConfigurationsOfSmall = 200;
/// Number of passes over all powers, since the best value of one depends on the others.
constexpr int kRounds = 3;
/// A step is tried unless it would not pay even if the loss rose by only this share of what its
/// second derivatives say: they are those of the optimum, and the step may be long.
constexpr double kShareOfRise = 0.25;
/// Replaces ln log2(1), which is -infinity.
constexpr double kLeastLogLog = -1;
constexpr double kFree = std::numeric_limits<double>::quiet_NaN();
/// Relative gap of the fits that are compared: their criteria are off by far less than a constant
/// costs.
constexpr double kTrialGap = 1e-5;
/// Criteria that differ by less count as equal.
constexpr double kTie = 1e-6;

/// The nearest plain powers below and above; both are `power` itself if it is plain.
std::array<double, 2> plain_powers(double power) {
  const auto nearest = [](double parts, int step) {
    int out = static_cast<int>(parts);
    while (out % 3 != 0 && out % 4 != 0)
      out += step;
    return static_cast<double>(out) / kPlainParts;
  };
  return {nearest(std::floor(kPlainParts * power), -1), nearest(std::ceil(kPlainParts * power), 1)};
}

template <class List>
void erase_entry(std::vector<List>& of_terms, Index term) {
  if (term < index(of_terms.size()))
    of_terms.erase(of_terms.begin() + term);
}

/// A sum with some coordinates fixed, and its loss.
struct Variant {
  SumShape shape;
  VectorXd held;  ///< fixed value of each refinement coordinate, or kFree
  SumFit fit;
  double loss = 0;
  double constants = 0;
  double size = 0;  ///< penalty of the criterion for constants and logarithms
  /// Second derivatives of the goal at the fit, once they were asked for.
  std::shared_ptr<const SymmetricMatrix> curvature = nullptr;
};

class Simplifier {
 public:
  Simplifier(const SelectionTask& task, const SearchedSum& from)
      : task_(task),
        data_(task.coordinates.data(from.shape)),
        ridge_(from.ridge),
        best_{.shape = from.shape, .held = {}, .fit = from.fit} {
    for (Index row = 0; row < data_.rows(); ++row)  // equal rows are adjacent
      configurations_ += row == 0 || !data_.same_configuration(row, row - 1) ? 1 : 0;
    is_small_ =
        from.shape.features() <= kFeaturesOfSmall && configurations_ <= kConfigurationsOfSmall;
    best_.held = VectorXd::Constant(from.shape.size(), kFree);
    const std::vector<bool> held = from.shape.held();
    for (std::size_t j = 0; j < held.size(); ++j)
      if (held[j])
        best_.held[index(j)] = 0;
    best_.shape.pure_logarithms = false;  // their powers are fixed above
    for (std::vector<int>& powers : best_.shape.log_powers)
      powers.resize(from.shape.numeric_features.size());
    if (!std::exchange(best_.shape.intercept, true)) {  // C begins at 0, so that it can be tried
      best_.fit.theta.conservativeResize(best_.shape.size());
      best_.fit.theta[intercept()] = -std::numeric_limits<double>::infinity();
      best_.held.conservativeResize(best_.shape.size());
      best_.held[intercept()] = 0;
    }
    set_worth(goal_of(best_), best_);
  }

  SearchedSum run() {
    leave_ridge_where_exact();
    drop_inputs();
    merge_constant_terms();
    if (is_small_)
      drop_terms();
    for (int round = 0; round < (is_small_ ? kRounds : 1); ++round)
      if (ablated("rounded powers") || !choose_powers())
        break;
    merge_constant_terms();
    leave_ridge_where_exact();
    best_ = fitted(std::move(best_), kSettledSumGap);
    if (best_.held[intercept()] == 0) {
      best_.shape.intercept = false;
      best_.fit.theta.conservativeResize(best_.shape.size());
    }
    return {best_.shape, best_.fit, ridge_};
  }

 private:
  const SelectionTask& task_;
  TermData data_;
  double configurations_ = 0;
  bool is_small_ = false;
  double ridge_;
  Variant best_;

  Index intercept() const { return best_.shape.size() - 1; }

  SumGoal goal_of(const Variant& variant) const {
    SumGoal out(task_.coordinates, variant.shape, task_.options, ridge_);
    for (Index j = 0; j < variant.held.size(); ++j)
      if (!std::isnan(variant.held[j]))
        out.hold(j, variant.held[j]);
    return out;
  }

  void set_worth(const SumGoal& goal, Variant& variant) const {
    const SumShape& shape = variant.shape;
    const VectorXd is_free = (goal.box().lower.array() != goal.box().upper.array()).cast<double>();
    variant.constants = is_free.sum();
    for (Index term = 0; term < shape.terms; ++term)
      for (const optimise::LevelColumns& column : data_.many_levels)
        variant.constants -= is_free[term * shape.features() + column.first];  // up to their mean
    const double each = std::log(is_small_ ? configurations_ : static_cast<double>(data_.rows()));
    variant.size = each * variant.constants;
    for (Index term = 0; term < shape.terms; ++term) {
      const std::vector<int>& logs = shape.log_powers[static_cast<std::size_t>(term)];
      variant.size +=
          each * static_cast<double>(std::ssize(logs) - std::count(logs.begin(), logs.end(), 0));
      for (const Index feature : shape.numeric_features)
        variant.size +=
            (is_small_ ? kPlainIsLikely : 0) * is_free[term * shape.features() + feature];
    }
    variant.loss = loss_value(SignedLoss(task_.options), data_.time,
                              evaluate_sum(data_, shape, variant.fit.theta).total);
  }

  /// The Bayesian information criterion for Laplace-distributed errors. For a small sum, the number
  /// of configurations beyond the constants replaces the number of runs, since repeats share the
  /// deviation of their configuration. A logarithm counts as a constant.
  double criterion(const Variant& variant) const {
    const double told = is_small_ ? std::max(1.0, configurations_ - best_.constants)
                                  : static_cast<double>(data_.rows());
    return 2 * told * std::log(variant.loss + kNoLoss) + variant.size;
  }

  Variant fitted(Variant variant, double gap = kTrialGap) {
    const SumGoal goal = goal_of(variant);
    variant.fit.evaluations = best_.fit.evaluations;
    variant.fit = finish(data_, variant.shape, goal, variant.fit, task_.options, gap);
    variant.curvature = nullptr;
    best_.fit.evaluations = variant.fit.evaluations;
    set_worth(goal, variant);
    return variant;
  }

  Variant with_held(Variant variant, Index first, Index count, double value) {
    variant.held.segment(first, count).setConstant(value);
    return fitted(std::move(variant));
  }

  void find_curvature(Variant& variant) const {
    if (variant.curvature == nullptr)
      variant.curvature = std::make_shared<const SymmetricMatrix>(
          curvature_at(data_, variant.shape, goal_of(variant), variant.fit, task_.options));
  }

  /// Whether fixing free coordinates of a fitted variant may lower the criterion.
  bool may_pay(Variant& from, Index first, Index count, double value) const {
    const SumGoal goal = goal_of(from);
    find_curvature(from);
    VectorXd move = VectorXd::Zero(from.shape.size());
    move.segment(first, count) = value - from.fit.theta.segment(first, count).array();
    std::vector<bool> fixed(to_size(move.size()));
    for (Index j = 0; j < move.size(); ++j)
      fixed[to_size(j)] =
          (first <= j && j < first + count) || goal.box().lower[j] == goal.box().upper[j];
    const auto rise = rise_by_move(*from.curvature, fixed, move, task_.options.stop);
    if (!rise)
      return true;
    Variant moved = from;
    moved.held.segment(first, count).setConstant(value);
    set_worth(goal_of(moved), moved);
    moved.loss = from.loss + kShareOfRise * *rise;
    return criterion(moved) < criterion(best_);
  }

  bool take_if_better(Variant variant) {
    if (task_.options.stop.stop_requested() || !(criterion(variant) < criterion(best_) - kTie))
      return false;
    variant.fit.evaluations = best_.fit.evaluations;
    best_ = std::move(variant);
    return true;
  }

  /// Drops the ridge, and the clamps of scales, if the sum fits the runs exactly without it.
  void leave_ridge_where_exact() {
    const double ridge = std::exchange(ridge_, 0);
    Variant exact = fitted(best_);
    if (exact.loss < kLossOfExactRuns) {
      best_ = std::move(exact);
      best_.shape.clamps.clear();
    } else {
      ridge_ = ridge;
    }
  }

  bool is_shared(Index feature) const {
    const SumShape& shape = best_.shape;
    return std::any_of(shape.shared.begin(), shape.shared.end(),
                       [&](std::size_t n) { return shape.numeric_features[n] == feature; });
  }

  /// Drops inputs with little effect, the smallest effect first.
  void drop_inputs() {
    std::vector<Index> scales;  // empty without a residual process
    if (task_.options.residual != Residual::none)
      scales.assign(best_.shape.numeric_features.begin(),
                    best_.shape.numeric_features.begin() + index(task_.spec.extrinsic.size()));
    std::vector<std::tuple<double, Index, Index>> places;  // change, first coordinate, count
    for (Index term = 0; term < best_.shape.terms; ++term) {
      for (const auto& [feature, count] : task_.coordinates.inputs()) {
        const Index first = term * best_.shape.features() + feature;
        if (feature >= best_.shape.plain_features || !std::isnan(best_.held[first]) ||
            is_shared(feature))
          continue;
        VectorXd alone = VectorXd::Zero(best_.shape.features());
        alone.segment(feature, count) = best_.fit.theta.segment(first, count);
        const VectorXd logs = data_.log_terms(alone);
        const double change = std::sqrt((logs.array() - logs.mean()).square().mean());
        const bool is_scale = contains(scales, feature);
        if (change <= (is_scale ? kWorthTryingOfScale : kWorthTrying))
          places.emplace_back(change, first, count);
      }
    }
    std::sort(places.begin(), places.end());
    for (const auto& [change, first, count] : places)
      if (may_pay(best_, first, count, 0))
        take_if_better(with_held(best_, first, count, 0));
  }

  /// Drops terms, unless they share powers: the first term holds those of all.
  void drop_terms() {
    for (Index term = best_.shape.terms; term-- > 0 && best_.shape.terms > 1;)
      if (best_.shape.shared.empty())
        take_if_better(fitted(without_term(term)));
    take_if_better(with_held(best_, intercept(), 1, 0));
  }

  /// Merges terms without inputs into C.
  void merge_constant_terms() {
    const Index features = best_.shape.features();
    for (Index term = best_.shape.terms; term-- > 0;) {
      const VectorXd own = best_.fit.theta.segment(term * features, features);
      const std::vector<int>& logs = best_.shape.log_powers[static_cast<std::size_t>(term)];
      if (best_.shape.sign(term) < 0 || !best_.shape.shared.empty() ||
          !own.tail(features - 1).isZero(0) ||
          std::count(logs.begin(), logs.end(), 0) != std::ssize(logs))
        continue;
      Variant merged = without_term(term);
      double& constant = merged.fit.theta[merged.shape.size() - 1];
      constant = std::log(std::exp(constant) + std::exp(own[0]));
      merged.held[merged.shape.size() - 1] = kFree;
      best_ = fitted(std::move(merged));
    }
  }

  Variant without_term(Index term) const {
    const Index features = best_.shape.features();
    Variant out = best_;
    for (VectorXd* const values : {&out.fit.theta, &out.held}) {
      const Index behind = values->size() - (term + 1) * features;
      values->segment(term * features, behind) = values->tail(behind).eval();
      values->conservativeResize(values->size() - features);
    }
    --out.shape.terms;
    erase_entry(out.shape.log_powers, term);
    erase_entry(out.shape.left_out, term);
    erase_entry(out.shape.signs, term);
    return out;
  }

  /// Rounds powers, the smallest change first, and returns true if any was changed. Columns with
  /// shared powers or 1 - 1/n have no power of their own.
  bool choose_powers() {
    const SumShape& shape = best_.shape;
    std::vector<std::tuple<double, Index, std::size_t>> places;
    for (Index term = 0; term < shape.terms; ++term) {
      for (std::size_t n = 0; n < shape.numeric_features.size(); ++n) {
        const Index feature = shape.numeric_features[n];
        const double power = best_.fit.theta[term * shape.features() + feature];
        const auto [below, above] = plain_powers(power);
        if (!contains(shape.saturations, n) && !contains(shape.shared, n))
          places.emplace_back(
              std::min(power - below, above - power) * data_.features.col(feature).norm(), term, n);
      }
    }
    std::sort(places.begin(), places.end());
    bool out = false;
    for (const auto& [change, term, numeric] : places)
      out = choose_power(term, numeric) || out;
    return out;
  }

  bool choose_power(Index term, std::size_t numeric) {
    const Index coordinate = term * best_.shape.features() + best_.shape.numeric_features[numeric];
    const int logarithm = best_.shape.log_powers[static_cast<std::size_t>(term)][numeric];
    if (best_.fit.theta[coordinate] == 0 && logarithm == 0)
      return false;  // the term does not use the column
    std::vector<int> logarithms = {logarithm};
    if (is_small_ && may_have_logarithm(task_.training, numeric))
      logarithms = {0, 1, 2};
    std::optional<Variant> top;
    for (const int r : logarithms) {
      const bool is_fitted = r == logarithm && std::isnan(best_.held[coordinate]);
      if (is_fitted)
        find_curvature(best_);
      Variant free = with_logarithm(term, numeric, r);
      free.held[coordinate] = kFree;
      take_plain(is_fitted ? free : fitted(free), coordinate, top);
      if (is_small_ && std::exchange(free.held[intercept()], kFree) == 0)
        take_plain(fitted(free), coordinate, top);
    }
    return top && take_if_better(*std::move(top));
  }

  /// Updates `top` with the plain powers next to the free one.
  void take_plain(Variant free, Index coordinate, std::optional<Variant>& top) {
    for (const double plain : plain_powers(free.fit.theta[coordinate])) {
      if (std::abs(plain) > kLargestPlainPower || !may_pay(free, coordinate, 1, plain))
        continue;
      Variant held = with_held(free, coordinate, 1, plain);
      if (!top || criterion(held) < criterion(*top) - kTie)
        top = std::move(held);
    }
  }

  /// `best_` with log2(n)^r in a term; power and coefficient are adjusted to compensate.
  Variant with_logarithm(Index term, std::size_t numeric, int r) const {
    Variant out = best_;
    int& power = out.shape.log_powers[static_cast<std::size_t>(term)][numeric];
    const int more = r - std::exchange(power, r);
    if (more == 0)
      return out;
    const Index first = term * best_.shape.features();
    const Index feature = best_.shape.numeric_features[numeric];
    const VectorXd log = data_.features.col(feature);
    const VectorXd log_log = data_.log_logs.col(index(numeric)).cwiseMax(kLeastLogLog);
    out.fit.theta[first + feature] -= more * log.dot(log_log) / log.squaredNorm();
    out.fit.theta[first] -= more * log_log.mean();
    return out;
  }
};

}  // namespace

SearchedSum simplified(const SelectionTask& task, const SearchedSum& sum) {
  return Simplifier(task, sum).run();
}

}  // namespace perfmodel
