#include <fmt/core.h>
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "suggest/plan.hpp"
#include "table/expressions.hpp"

namespace perfmodel::plan {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Prior information about every direction, as a share of that of a row of unit mean square.
constexpr double kRidge = 1e-6;

/// Root mean squares of columns over the candidates: units in which the ridge suits all.
Eigen::VectorXd column_scales(const Eigen::MatrixXd& rows) {
  const Eigen::ArrayXd scales =
      (rows.colwise().squaredNorm() / static_cast<double>(rows.rows())).transpose().cwiseSqrt();
  return (scales > 0).select(scales, 1);
}

/// ln det of X'X plus a ridge, updated as rows come and go.
class Information {
 public:
  explicit Information(MatrixXd rows)
      : rows_(std::move(rows)), matrix_(MatrixXd::Identity(rows_.cols(), rows_.cols()) * kRidge) {}

  /// `count`: 1, or -1 to remove it.
  void add(Index row, int count) {
    matrix_ += count * rows_.row(row).transpose() * rows_.row(row);
    current_ = false;
  }

  double log_determinant() const {
    return matrix_.ldlt().vectorD().array().max(1e-300).log().sum();
  }

  /// What the logarithm grows by if row `out` is exchanged for each of the rows.
  Eigen::ArrayXd log_ratios(Index out) {
    if (!current_) {
      inverse_ = matrix_.ldlt().solve(MatrixXd::Identity(rows_.cols(), rows_.cols()));
      variances_ = (rows_ * inverse_).cwiseProduct(rows_).rowwise().sum();
      current_ = true;
    }
    const VectorXd between = rows_ * (inverse_ * rows_.row(out).transpose());
    const double out_variance = variances_[out];
    return ((1 + variances_.array()) * (1 - out_variance) + between.array().square())
        .max(1e-300)
        .log();
  }

 private:
  MatrixXd rows_;
  MatrixXd matrix_;
  bool current_ = false;  ///< whether the inverse, and x' M^-1 x of every row, are up to date
  MatrixXd inverse_;
  VectorXd variances_;
};

/// The criterion of a plan, per constant: ln det of the information M about all constants, plus ln
/// det of that about the scaling powers with all other constants unknown (D_s), which is det(M)
/// over the determinant of the block of the others.
class Criterion {
 public:
  Criterion(const MatrixXd& rows, const std::vector<Index>& others) {
    const Index powers = rows.cols() - index(others.size());
    const double weight_of_others = powers > 0 ? 1 / static_cast<double>(powers) : 0;
    parts_.emplace_back(1 / static_cast<double>(rows.cols()) + weight_of_others, Information(rows));
    parts_.emplace_back(-weight_of_others, Information(rows(Eigen::all, others)));
  }

  void add(Index row) {
    for (auto& [weight, part] : parts_)
      part.add(row, 1);
  }
  void remove(Index row) {
    for (auto& [weight, part] : parts_)
      part.add(row, -1);
  }

  double value() const {
    double out = 0;
    for (const auto& [weight, part] : parts_)
      out += weight * part.log_determinant();
    return out;
  }

  /// The best row to exchange for `out`; nullopt if no row is noticeably better.
  std::optional<std::size_t> best_exchange(Index out, const std::vector<bool>& used) {
    Eigen::ArrayXd gains = Eigen::ArrayXd::Zero(index(used.size()));
    for (auto& [weight, part] : parts_)
      gains += weight * part.log_ratios(out);
    constexpr double least_gain = 1e-5;
    double best_gain = least_gain;
    std::optional<std::size_t> best;
    for (std::size_t in = 0; in < used.size(); ++in) {
      if (gains[index(in)] > best_gain && !used[in]) {
        best_gain = gains[index(in)];
        best = in;
      }
    }
    return best;
  }

 private:
  std::vector<std::pair<double, Information>> parts_;  ///< of all, and without the scaling powers
};

std::vector<Eigen::Index> all_but_scaling_powers(const FittedModel& model) {
  const std::vector<ConstantInfo> constants = model.form->constants(model.spec);
  std::vector<Eigen::Index> out;
  for (std::size_t k = 0; k < constants.size(); ++k)
    if (constants[k].role != ConstantRole::scaling_power)
      out.push_back(index(k));
  return out;
}

/// The existing configurations, and enough random ones to choose from.
std::vector<Configuration> candidates_of(const DOptimalRequest& request) {
  constexpr std::size_t most_candidates = 6000;
  const std::size_t chosen = request.n - request.existing.size();
  return random_configurations(request.space, chosen,
                               std::max(chosen, std::min(most_candidates, 20 * chosen)),
                               request.seed, request.existing);
}

/// The existing candidates, at the first start those that follow them, at others random ones.
std::vector<std::size_t> first_choice(std::size_t start, std::size_t candidates,
                                      const DOptimalRequest& request) {
  std::vector<std::size_t> out = indices(candidates);
  if (start > 0) {
    RandomStream random(request.seed, "d-optimal", start);
    for (std::size_t slot = request.existing.size(); slot < request.n; ++slot)
      std::swap(out[slot], out[slot + random.below(candidates - slot)]);
  }
  out.resize(request.n);
  return out;
}

/// Result of the exchanges from one start.
struct PlanStart {
  std::vector<std::size_t> candidates;  ///< of the plan, by index, the existing ones first
  double information = 0;               ///< value of the criterion
};

PlanStart exchanged(std::vector<std::size_t> in_plan, Criterion criterion, std::size_t candidates,
                    std::size_t fixed) {
  std::vector<bool> used(candidates, false);
  for (const std::size_t row : in_plan) {
    used[row] = true;
    criterion.add(index(row));
  }
  constexpr int most_rounds = 20;
  for (int round = 0; round < most_rounds; ++round) {
    bool exchanged = false;
    for (std::size_t slot = fixed; slot < in_plan.size(); ++slot) {
      const auto better = criterion.best_exchange(index(in_plan[slot]), used);
      if (better) {
        criterion.remove(index(in_plan[slot]));
        criterion.add(index(*better));
        used[in_plan[slot]] = false;
        in_plan[slot] = *better;
        used[in_plan[slot]] = true;
        exchanged = true;
      }
    }
    if (!exchanged)
      break;
  }
  return {std::move(in_plan), criterion.value()};
}

}  // namespace

Plan d_optimal_plan(const DOptimalRequest& request) {
  const std::vector<Configuration>& existing = request.existing;
  if (existing.size() >= request.n)
    return {existing, 0};
  const std::vector<Configuration> candidates = candidates_of(request);
  const FittedModel& model = request.model;
  Eigen::MatrixXd rows = model.form->log_slopes(
      model.spec, model.constants,
      make_design(table_of(request.space, candidates), model.spec, Target::absent));
  rows = rows * column_scales(rows).cwiseInverse().asDiagonal();
  const Criterion empty(rows, all_but_scaling_powers(model));
  const auto starts = run_tasks<PlanStart>(
      request.starts, request.threads,
      [&](std::size_t start) -> std::optional<PlanStart> {
        return exchanged(first_choice(start, candidates.size(), request), empty, candidates.size(),
                         existing.size());
      });
  const auto best = std::ranges::max_element(
      starts, {}, [](const std::optional<PlanStart>& start) { return start->information; });
  return {mapped((*best)->candidates, [&](std::size_t row) { return candidates[row]; }), 0};
}

namespace {

/// The smallest value above 0: of a range of whole numbers 1, of another range its upper end.
double least_above_zero(const SpaceColumn& column) {
  if (column.is_range())
    return column.whole ? 1 : column.high;
  double out = column.values.front();
  for (const double value : column.values)
    if (value > 0 && (out <= 0 || value < out))
      out = value;
  return out;
}

NumericInput numeric_input(const SpaceColumn& column) {
  NumericInput input;
  input.column = column.name;
  input.low = column.is_range() ? column.low : *std::ranges::min_element(column.values);
  input.high = column.is_range() ? column.high : *std::ranges::max_element(column.values);
  if (input.low == 0 && input.high > 0)
    input.zero = ZeroValue{.unit = least_above_zero(column)};
  return input;
}

}  // namespace

FittedModel default_linearisation(const Space& space) {
  FittedModel result;
  for (const SpaceColumn& column : space.columns) {
    if (column.is_text()) {
      result.spec.categorical.push_back({column.name, column.levels});
      std::ranges::sort(result.spec.categorical.back().levels);
      continue;
    }
    const NumericInput input = numeric_input(column);
    const bool is_scale = contains(space.extrinsic, column.name);
    if (is_scale ? input.low <= 0 : input.low < 0)
      throw InputError(fmt::format(
          "{}: column '{}' has values that are not {} 0, of which the model takes no powers",
          space.source, column.name, is_scale ? ">" : ">="));
    (is_scale ? result.spec.extrinsic : result.spec.intrinsic).push_back(input);
  }
  const Eq4Layout layout(result.spec);
  result.constants = Eigen::VectorXd::Zero(index(layout.size()));
  for (std::size_t i = 0; i < result.spec.intrinsic.size(); ++i) {
    const NumericInput& input = result.spec.intrinsic[i];
    result.constants[index(layout.coefficient(i))] =
        1 / std::sqrt((input.zero ? input.zero->unit : input.low) * input.high);
    result.constants[index(layout.intrinsic_power(i))] = 1;
  }
  for (std::size_t c = 0; c < result.spec.categorical.size(); ++c)
    for (std::size_t l = 0; l < result.spec.categorical[c].levels.size(); ++l)
      result.constants[index(layout.level(c, l))] = 1;
  if (const auto lone = layout.lone_coefficient())
    result.constants[index(*lone)] = 1;
  double scale = 1;
  for (std::size_t j = 0; j < result.spec.extrinsic.size(); ++j) {
    const NumericInput& input = result.spec.extrinsic[j];
    result.constants[index(layout.extrinsic_power(j))] = -0.5;
    scale *= std::pow(input.low * input.high, -0.25);
  }
  const auto parts =
      static_cast<double>(result.spec.intrinsic.size() + result.spec.categorical.size());
  result.constants[index(layout.intercept())] = 0.25 * std::max(parts, 1.0) * scale;
  return result;
}

}  // namespace perfmodel::plan
