#include "fit/choose/process_judge.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/parallel.hpp"
#include "fit/process/prediction.hpp"
#include "fit/sum/choose/held_out_errors.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr std::array<TrendPrior, 2> kTrendPriors = {TrendPrior::free, TrendPrior::likely};
constexpr Index kStartRows = 80;
constexpr Index kHyperRows = 200;

NumericFactor& numeric_factor_of(Design& design, std::size_t numeric) {
  return numeric < design.extrinsic.size() ? design.extrinsic[numeric]
                                           : design.intrinsic[numeric - design.extrinsic.size()];
}

double largest_value(const NumericFactor& factor, std::size_t rows) {
  double out = factor.value(0);
  for (std::size_t row = 1; row < rows; ++row)
    out = std::max(out, factor.value(row));
  return out;
}

/// The rows with a numeric column at one value.
Design with_value(Design design, std::size_t numeric, double value) {
  NumericFactor& factor = numeric_factor_of(design, numeric);
  factor.values = {value};
  factor.codes.assign(design.rows, 0);
  return design;
}

bool usable(const ProcessRuns& runs) {
  std::vector<Index> all(static_cast<std::size_t>(runs.inputs.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  const process::Trend& trend = runs.trend.trend;
  const process::TrendValues at = trend.at(trend.start, all);
  if (std::getenv("PM_DEBUG") && !(at.values.allFinite() && at.slopes.allFinite()))
    std::fprintf(stderr, "not usable: values %d slopes %d rows %ld\n", at.values.allFinite(), at.slopes.allFinite(), long(all.size()));
  return at.values.allFinite() && at.slopes.allFinite();
}

VectorXd predicted_times(const ModelSpec& spec, const ProcessRuns& runs,
                         const process::ProcessFit& fit, const process::Predictor& predictor,
                         const Design& asked) {
  const VectorXd trend =
      runs.trend.form->predict(spec, runs.trend.constants(fit.constants, fit.level), asked);
  const VectorXd mean = predictor.mean(runs.columns.inputs(asked), 1);
  return trend.array() * mean.array().exp();
}

}  // namespace

ProcessJudge::ProcessJudge(const SelectionTask& task, const std::vector<Fold>& folds)
    : task_(task), folds_(folds) {
  for (const Fold& fold : folds) {
    training_.push_back(design_of(task, fold.training));
    held_out_.push_back(design_of(task, fold.held_out));
    capped_.push_back(held_out_.back());
    if (fold.far_end()) {
      const NumericFactor& factor = numeric_factor_of(training_.back(), *fold.scale);
      capped_.back() =
          with_value(held_out_.back(), *fold.scale, largest_value(factor, training_.back().rows));
    }
  }
}

std::vector<FormCandidate> ProcessJudge::operator()(const Candidate& trend,
                                                    const std::vector<std::size_t>& rings,
                                                    const TrendInFold& trend_in) const {
  process::ProcessOptions how;
  how.start_rows = kStartRows;
  how.hyper_rows = kHyperRows;
  how.seed = task_.options.seed;
  how.stop = task_.options.stop;
  std::optional<process::HyperParameters> within;
  for (std::size_t f = 0; f < folds_.size() && !within; ++f) {
    if (!folds_[f].far_end()) {
      process::ProcessOptions parallel = how;
      parallel.threads = task_.options.threads;
      const ProcessRuns runs = trend_in(f, training_[f]);
      if (!usable(runs))
        return {};
      within = search_hyper_parameters(runs, parallel);
    }
  }
  std::vector<std::array<double, 2>> errors(folds_.size());
  std::vector<std::array<double, 2>> capped_errors(folds_.size());
  parallel_for(folds_.size(), task_.options.threads, [&](std::size_t f) {
    if (task_.options.stop.stop_requested())
      return;
    const ProcessRuns runs = trend_in(f, training_[f]);
    if (!usable(runs)) {
      errors[f].fill(log_of_mean_error(kLargestError));
      capped_errors[f] = errors[f];
      return;
    }
    const process::HyperParameters hyper =
        folds_[f].far_end() ? search_hyper_parameters(runs, how) : *within;
    for (std::size_t p = 0; p < kTrendPriors.size(); ++p) {
      const process::ProcessFit fit = fit_process(runs, hyper, kTrendPriors[p], how);
      const process::Predictor predictor(fit.process);
      const auto error = [&](const Design& asked) {
        return held_out_error(asked.time, predicted_times(task_.spec, runs, fit, predictor, asked));
      };
      errors[f][p] = error(held_out_[f]);
      capped_errors[f][p] = folds_[f].far_end() ? error(capped_[f]) : errors[f][p];
    }
  });
  std::vector<FormCandidate> out;
  if (task_.options.stop.stop_requested())
    return out;
  for (std::size_t p = 0; p < kTrendPriors.size(); ++p) {
    out.push_back({trend, ProcessShape{kTrendPriors[p], rings}});
    Candidate& judged = out.back().trend;
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      judged.log_errors.resize(folds_.size());
      judged.capped_log_errors.resize(folds_.size());
      judged.log_errors[f] = errors[f][p];
      judged.capped_log_errors[f] = capped_errors[f][p];
    }
    set_score(folds_, judged);
  }
  return out;
}

}  // namespace perfmodel
