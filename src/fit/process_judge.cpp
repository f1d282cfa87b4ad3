#include <algorithm>
#include <set>
#include <utility>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "fit/form_choice.hpp"
#include "fit/term_choice.hpp"
#include "gp/residual_process.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index kFoldStartRows = 80;
constexpr Index kFoldHyperRows = 160;
constexpr Index kFoldExactRows = 500;
constexpr Index kFoldNeighbours = 50;
/// From hyper-parameters of like runs to those of a far end's training rows.
constexpr Index kFarHyperRows = 120;
constexpr std::size_t kFarIterations = 25;
/// Towards the constants of a trend that were good without the process.
constexpr std::size_t kFoldTrendSteps = 4;

/// As a logarithm of errors; what differs by less does so by the folds.
constexpr double kMuchLess = 0.05;

/// Per prior of the trend.
struct ErrorsOfFold {
  std::vector<double> log_errors;
  std::vector<double> capped;
  std::vector<double> process_capped;  ///< the process alone
};

double largest_value(const NumericFactor& factor, std::size_t rows) {
  double out = factor.value(0);
  for (std::size_t row = 1; row < rows; ++row)
    out = std::max(out, factor.value(row));
  return out;
}

/// The rows with a numeric column at one value.
Design with_value(Design design, std::size_t numeric, double value) {
  const std::size_t extrinsic = design.extrinsic.size();
  NumericFactor& factor =
      numeric < extrinsic ? design.extrinsic[numeric] : design.intrinsic[numeric - extrinsic];
  factor.values = {value};
  factor.codes.assign(design.rows, 0);
  return design;
}

VectorXd trend_times(const ProcessRuns& runs, const process::ProcessFit& fit, const Design& asked) {
  return runs.trend.form->predict(runs.spec, runs.trend.constants(fit.constants, fit.level), asked);
}

VectorXd process_factors(const ProcessRuns& runs, const process::Predictor& predictor,
                         const Design& asked) {
  return predictor.mean(runs.columns.inputs(asked), 1).array().exp();
}

/// The scales whose far ends are held out.
std::vector<std::size_t> scales_of(const std::vector<Fold>& folds) {
  std::set<std::size_t> out;
  for (const Fold& fold : folds)
    if (fold.far_end())
      out.insert(*fold.scale);
  return {out.begin(), out.end()};
}

}  // namespace

ProcessJudge::ProcessJudge(const SelectionTask& task, const std::vector<Fold>& folds)
    : task_(task), folds_(folds) {
  for (const Fold& fold : folds) {
    FoldRows rows{.training = design_of(task, fold.training),
                  .held_out = design_of(task, fold.held_out),
                  .capped = {}};
    if (fold.far_end())
      rows.capped =
          with_value(rows.held_out, *fold.scale,
                     largest_value(numeric_factor(rows.training, *fold.scale), rows.training.rows));
    rows_.push_back(std::move(rows));
  }
  weigh_runs();
}

process::ProcessOptions ProcessJudge::in_folds() const {
  process::ProcessOptions out;
  out.start_rows = kFoldStartRows;
  out.hyper_rows = kFoldHyperRows;
  out.exact_rows = kFoldExactRows;
  out.neighbours = kFoldNeighbours;
  out.trend_steps = kFoldTrendSteps;
  out.seed = task_.options.seed;
  out.stop = task_.options.stop;
  out.threads = task_.options.threads;
  return out;
}

process::ProcessOptions ProcessJudge::in_fold(process::ProcessOptions how, std::size_t fold) const {
  how.run_weights = run_weights_(folds_[fold].training);
  return how;
}

void ProcessJudge::weigh_runs() {
  run_weights_ = VectorXd::Ones(index(task_.training.rows));
  std::set<Index> used;
  for (const Fold& fold : folds_)
    used.insert(fold.training.begin(), fold.training.end());
  const std::vector<Index> rows(used.begin(), used.end());
  const ProcessRuns runs = runs_beside_product(task_.spec, design_of(task_, rows), {});
  process::ProcessOptions how = in_folds();
  how.start_rows = process::ProcessOptions().start_rows;
  how.hyper_rows = process::ProcessOptions().hyper_rows;
  const process::HyperParameters hyper = search_hyper_parameters(runs, how);
  if (hyper.heavy_tails && !task_.options.stop.stop_requested())
    run_weights_(rows) = fit_process(runs, hyper, TrendPrior::free, how).run_weights;
}

double ProcessJudge::log_error_within(const FormCandidate& candidate) const {
  return mean_log_error(folds_, candidate.trend, false).value();  // searched() found a random part
}

ProcessJudge::RunsInFold ProcessJudge::of_product(const std::vector<std::size_t>& rings) const {
  return [this, rings](std::size_t, const Design& training) {
    return runs_beside_product(task_.spec, training, {.rings = rings});
  };
}

std::optional<ProcessJudge::Searched> ProcessJudge::searched(const RunsInFold& runs_in) const {
  Searched out{.runs = std::vector<ProcessRuns>(folds_.size()), .hypers = {}};
  parallel_for(
      folds_.size(), task_.options.threads,
      [&](std::size_t f) { out.runs[f] = runs_in(f, rows_[f].training); });
  const auto of_random_parts = static_cast<std::size_t>(
      std::find_if(folds_.begin(), folds_.end(), [](const Fold& fold) { return !fold.far_end(); }) -
      folds_.begin());
  if (of_random_parts == folds_.size() || !has_times(out.runs[of_random_parts]))
    return std::nullopt;
  process::ProcessOptions how = in_folds();
  const process::HyperParameters within =
      search_hyper_parameters(out.runs[of_random_parts], in_fold(how, of_random_parts));
  out.hypers.assign(folds_.size(), within);
  how.threads = 1;
  how.start = within.position;
  how.hyper_rows = kFarHyperRows;
  how.iterations = kFarIterations;
  parallel_for(folds_.size(), task_.options.threads, [&](std::size_t f) {
    if (folds_[f].far_end() && has_times(out.runs[f]) && !task_.options.stop.stop_requested())
      out.hypers[f] = search_hyper_parameters(out.runs[f], in_fold(how, f));
  });
  return out;
}

const ProcessJudge::Hypers* ProcessJudge::hypers_beside_product(
    const std::vector<std::size_t>& rings) {
  if (const auto known = hypers_beside_product_.find(rings); known != hypers_beside_product_.end())
    return &known->second;
  const std::optional<Searched> in_folds = searched(of_product(rings));
  return in_folds ? &(hypers_beside_product_[rings] = in_folds->hypers) : nullptr;
}

std::vector<FormCandidate> ProcessJudge::beside_product(const Candidate& product,
                                                        const std::vector<TrendPrior>& priors) {
  const std::vector<std::size_t>& rings = product.shape.rings;
  const std::optional<Searched> found = searched(of_product(rings));
  if (!found)
    return {};
  hypers_beside_product_[rings] = found->hypers;
  std::vector<FormCandidate> out = judged(product, {.rings = rings}, priors, *found);
  for (FormCandidate& candidate : out) {
    candidate.from_nothing = true;
    log_error_beside_product_ = std::min(log_error_beside_product_, log_error_within(candidate));
  }
  return out;
}

std::vector<FormCandidate> ProcessJudge::beside_fitted(const Candidate& trend, TrendPrior prior,
                                                       const RunsInFold& runs_in) {
  std::optional<Searched> found = searched(runs_in);
  if (!found)
    return {};
  ProcessShape shape{.rings = trend.shape.rings};
  std::vector<FormCandidate> out = judged(trend, shape, {prior}, *found);
  if (out.empty() || log_error_within(out.front()) < log_error_beside_product_ + kMuchLess)
    return out;
  const Hypers* others = hypers_beside_product(shape.rings);
  if (others == nullptr)
    return out;
  for (std::size_t f = 0; f < folds_.size(); ++f)
    found->hypers[f] = with_kernel_of((*others)[f], found->hypers[f], found->runs[f]);
  shape.kernel_of_product = true;
  for (FormCandidate& candidate : judged(trend, shape, {prior}, *found))
    out.push_back(std::move(candidate));
  return out;
}

std::vector<FormCandidate> ProcessJudge::judged(const Candidate& trend, const ProcessShape& shape,
                                                const std::vector<TrendPrior>& priors,
                                                const Searched& found) const {
  const std::vector<double> useless(priors.size(), log_of_mean_error(kLargestError));
  std::vector<ErrorsOfFold> errors(folds_.size(), {useless, useless, useless});
  process::ProcessOptions how = in_folds();
  how.threads = 1;
  parallel_for(folds_.size(), task_.options.threads, [&](std::size_t f) {
    const ProcessRuns& runs = found.runs[f];
    if (task_.options.stop.stop_requested() || !has_times(runs))
      return;
    const std::vector<process::ProcessFit> fits =
        fit_processes(runs, found.hypers[f], priors, in_fold(how, f));
    for (std::size_t p = 0; p < fits.size(); ++p) {
      const process::Predictor predictor(fits[p].process, index(rows_[f].held_out.rows));
      const auto error = [&](const VectorXd& of_trend, const VectorXd& of_process) {
        return held_out_error(rows_[f].held_out.time, of_trend.cwiseProduct(of_process));
      };
      const VectorXd times = trend_times(runs, fits[p], rows_[f].held_out);
      ErrorsOfFold& own = errors[f];
      own.log_errors[p] = error(times, process_factors(runs, predictor, rows_[f].held_out));
      own.capped[p] = own.process_capped[p] = own.log_errors[p];
      if (!folds_[f].far_end())
        continue;
      const VectorXd at_edge = process_factors(runs, predictor, rows_[f].capped);
      own.process_capped[p] = error(times, at_edge);
      own.capped[p] = error(trend_times(runs, fits[p], rows_[f].capped), at_edge);
    }
  });
  std::vector<FormCandidate> out;
  if (task_.options.stop.stop_requested())
    return out;
  for (std::size_t p = 0; p < priors.size(); ++p) {
    Candidate judged = trend;
    judged.log_errors.clear();
    judged.capped_log_errors.clear();
    const bool held = priors[p] == TrendPrior::held;
    for (const ErrorsOfFold& of_fold : errors) {
      judged.log_errors.push_back((held ? of_fold.process_capped : of_fold.log_errors)[p]);
      judged.capped_log_errors.push_back(of_fold.capped[p]);
    }
    judge_as_capped(folds_, judged);
    ProcessShape own = shape;
    own.prior = priors[p];
    own.caps = judged.shape.caps;
    if (held)
      own.process_caps = scales_of(folds_);
    out.push_back({.trend = std::move(judged), .process = std::move(own)});
  }
  return out;
}

}  // namespace perfmodel
