#include "fit/eq4/spread/spread_steps.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "optimise/lad/sifting.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Rows that are gathered at first, at most.
constexpr Index kMostGathered = 200'000;

/// The linear problem of a step.
class StepRows : public optimise::SiftedRows {
 public:
  StepRows(const SpreadRows& rows, const VectorXd& at, const VectorXd& nearness,
           const optimise::LevelColumns& layout, optimise::Bounds bounds)
      : rows_(rows), at_(at), nearness_(nearness), layout_(layout), bounds_(std::move(bounds)) {}

  void keep_nearest(const std::vector<Index>& active) override {
    Answer near = rows_.ask({Question::What::near_kink, at_, nearness_, active});
    linear_cost_ = near.sums[0];
    linear_ = -near.sums.tail(near.sums.size() - 1);
    kept_ = std::move(near.rows);
  }

  optimise::Sifted reduced() override {
    optimise::Sifted out;
    const double runs = static_cast<double>(rows_.runs());
    const Index kept = index(kept_.size());
    out.linear_cost = linear_cost_ / runs;
    out.problem.linear = linear_ / runs;
    out.problem.bounds = bounds_;
    out.problem.levels = layout_;
    out.problem.matrix.resize(kept, bounds_.size() - layout_.count);
    out.problem.response.resize(kept);
    out.problem.weights.resize(kept);
    if (!layout_.empty())
      out.problem.levels.value.resize(kept);
    for (Index k = 0; k < kept; ++k) {
      const KinkRow& row = kept_[static_cast<std::size_t>(k)];
      out.rows.push_back(row.id);
      out.problem.matrix.row(k) = row.others.transpose();
      out.problem.response[k] = row.residual;
      out.problem.weights[k] = row.weight / runs;
      if (layout_.empty())
        continue;
      out.problem.levels.of_row.push_back(row.level);
      out.problem.levels.value[k] = row.of_level;
    }
    return out;
  }

  bool keep_wrong(const VectorXd& x, double& cost) override {
    Answer wrong = rows_.ask({Question::What::wrong_sign, {}, x, {}});
    cost = wrong.sums[0] / static_cast<double>(rows_.runs());
    for (KinkRow& row : wrong.rows) {
      const double pull = row.residual > 0 ? row.weight : -row.weight;
      linear_cost_ -= pull * row.residual;
      VectorXd levels = VectorXd::Zero(layout_.count);
      if (row.level != optimise::LevelColumns::none)
        levels[row.level] = row.of_level;
      linear_ += pull * (layout_.empty() ? row.others : layout_.joined(row.others, levels));
      kept_.push_back(std::move(row));
    }
    std::sort(kept_.begin(), kept_.end(),
              [](const KinkRow& a, const KinkRow& b) { return a.id < b.id; });
    return !wrong.rows.empty();
  }

 private:
  const SpreadRows& rows_;
  const VectorXd& at_;
  const VectorXd& nearness_;
  const optimise::LevelColumns& layout_;
  optimise::Bounds bounds_;
  std::vector<KinkRow> kept_;
  VectorXd linear_;
  double linear_cost_ = 0;
};

}  // namespace

IdleSlopes idle_slopes_of(const VectorXd& sums) {
  const Index half = (sums.size() - 1) / 2;
  return {sums.segment(1, half), sums.tail(half), sums[0]};
}

SpreadSteps::SpreadSteps(const SpreadRows& rows, const Design& sample)
    : rows_(rows),
      sample_(sample),
      sample_model_(sample, rows.space()),
      steps_(rows.space()),
      runs_(static_cast<double>(rows.runs())) {}

double SpreadSteps::cost(const VectorXd& scaled) const {
  return rows_.ask({Question::What::loss, scaled, {}, {}}).sums[0] / runs_;
}

void SpreadSteps::linearise_at(const VectorXd& scaled) {
  at_ = scaled;
  effects_ = rows_.ask({Question::What::effects, scaled, {}, {}}).sums / runs_;
  optimise::LevelMatrix jacobian;
  const VectorXd residual = sample_.time - sample_model_.linearise(scaled, jacobian);
  layout_ = {
      .first = jacobian.levels.first, .count = jacobian.levels.count, .of_row = {}, .value = {}};
  const VectorXd typical = layout_.empty() ? effects_ : layout_.others(effects_);
  const VectorXd distance =
      optimise::distance_to_kink(jacobian.others, !layout_.empty(), residual, typical);
  const Index all = static_cast<Index>(rows_.rows());
  const Index wanted = std::min(kMostGathered, optimise::rows_to_keep(all, scaled.size()));
  double nearest = std::numeric_limits<double>::infinity();
  if (wanted < all) {
    std::vector<double> distances(distance.data(), distance.data() + distance.size());
    const double share = static_cast<double>(wanted) / static_cast<double>(all);
    const auto place = distances.begin() + static_cast<std::ptrdiff_t>(
                                               share * static_cast<double>(distances.size() - 1));
    std::nth_element(distances.begin(), place, distances.end());
    nearest = *place;
  }
  nearness_.resize(typical.size() + 1);
  nearness_ << nearest, typical;
}

optimise::LadResult SpreadSteps::solve(double radius, const optimise::LadOptions& options,
                                       double& constant) const {
  constant = 0;
  StepRows rows(rows_, at_, nearness_, layout_, steps_.around(at_, radius, false));
  return optimise::solve_lad(rows, VectorXd::Zero(at_.size()), options);
}

VectorXd SpreadSteps::correction(const optimise::LadResult& step, const VectorXd& trial) const {
  const VectorXd raises = rows_.ask({Question::What::residuals, trial, {}, step.active_rows}).sums;
  return step.vertex->change_for(raises);
}

/// A row without a residual pulls as hard as holding it takes.
std::optional<VectorXd> SpreadSteps::wake(const optimise::LadResult& step) const {
  const VectorXd gradient =
      rows_.ask({Question::What::pull_of_signs, at_, {}, step.active_rows}).sums;
  const VectorXd pulls = -step.vertex->slopes(gradient);
  return wake_idle_terms(
      rows_.space(), at_,
      idle_slopes_of(rows_.ask({Question::What::idle_slopes, at_, pulls, step.active_rows}).sums));
}

}  // namespace perfmodel
