#include "choice/form_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "base/parallel.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "choice/fit_with_gp.hpp"
#include "columns/replicates.hpp"
#include "forms/eq4_form.hpp"
#include "forms/fit_options.hpp"
#include "forms/sum_form.hpp"
#include "search/sensitivity.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr Index kFoldHyperRows = 160;
/// From the hyper-parameters beside a constant formula, those beside another are near.
constexpr std::size_t kFoldIterations = 15;
/// Most rows of the GP of a fold; it is judged on half as many.
constexpr Index kFoldRows = 400;

double largest_value(const NumericFactor& factor, std::size_t rows) {
  double out = factor.value(0);
  for (std::size_t row = 1; row < rows; ++row)
    out = std::max(out, factor.value(row));
  return out;
}

/// Formula and GP fitted to the training rows of a fold.
struct FoldFit {
  const ModelSpec& spec;
  std::shared_ptr<const Form> form;
  VectorXd constants;
  GpColumns columns;
  gp::GpFit gp;

  VectorXd correction(const Design& rows) const {
    const gp::Predictor predictor(gp.gp, index(rows.rows));
    return predictor.predicted(columns.inputs(rows), false, 1).mean.array() + gp.level;
  }

  /// log_of_mean_error() of the rows.
  double error(const Design& rows) const {
    return held_out_error(
        rows.time, form->predict(spec, constants, rows).array() * correction(rows).array().exp());
  }

  double typical_correction(const Design& training) const {
    const VectorXd z = correction(training);
    return median(((z.array() - median(z)).exp() - 1).abs());
  }
};

/// Judges formulas with a residual GP on held-out rows.
class GpJudge {
 public:
  /// Keeps references to its arguments.
  GpJudge(const SelectionTask& task, const CandidateJudge& alone) : task_(task), alone_(alone) {
    for (const Fold& fold : task.folds) {
      rows_.push_back({.known = some_of(fold.training, kFoldRows),
                       .training = {},
                       .held_out = design_of(task, some_of(fold.held_out, kFoldRows / 2)),
                       .at_largest = {}});
      rows_.back().training = design_of(task, rows_.back().known);
      FoldRows& rows = rows_.back();
      if (fold.is_extrapolation())
        rows.at_largest = with_numeric_at(
            rows.held_out, *fold.scale,
            largest_value(numeric_factor(rows.training, *fold.scale), rows.training.rows));
    }
    learn_noise();
  }

  /// Returns nullopt after a stop request, or if the formula predicts no valid time for some row.
  std::optional<FormCandidate> operator()(const Candidate& formula) const {
    std::vector<FoldFit> fits;
    std::vector<GpRuns> left;
    for (std::size_t f = 0; f < task_.folds.size(); ++f) {
      fits.push_back({task_.spec, form_of(formula), alone_.constants_in(formula, f), {}, {}});
      const auto runs = f == 0 ? &runs_to_search : &runs_beside;
      left.push_back(runs(*fits[f].form, task_.spec, fits[f].constants, rows_[f].training));
      fits[f].columns = left[f].columns;
      if (!left[f].has_times())
        return std::nullopt;
    }
    FormCandidate out{.alone = formula, .with_gp = formula};
    Candidate& judged = out.with_gp;
    judged.log_errors.assign(task_.folds.size(), 0);
    judged.clamped_log_errors.assign(task_.folds.size(), 0);
    const gp::HyperParameters within = search_hyper_parameters(left.front(), in_fold(0));
    parallel_for(task_.folds.size(), task_.options.threads, [&](std::size_t f) {
      if (task_.options.stop.stop_requested())
        return;
      gp::GpOptions how = in_fold(f);
      how.threads = 1;
      fits[f].gp = fit_gp(left[f].inputs, left[f].residual, within, how);
      judged.log_errors[f] = fits[f].error(rows_[f].held_out);
      judged.clamped_log_errors[f] = task_.folds[f].is_extrapolation()
                                         ? fits[f].error(rows_[f].at_largest)
                                         : judged.log_errors[f];
    });
    if (task_.options.stop.stop_requested())
      return std::nullopt;
    out.correction = fits.front().typical_correction(rows_.front().training);
    out.position = within.position;
    judge_as_clamped(task_.folds, judged);
    return out;
  }

 private:
  struct FoldRows {
    std::vector<Index> known;
    Design training;  ///< the known rows
    Design held_out;
    Design at_largest;  ///< held-out rows with the scale clamped to the largest training value
  };

  const SelectionTask& task_;
  const CandidateJudge& alone_;
  std::vector<FoldRows> rows_;
  VectorXd start_;        ///< start of every search of hyper-parameters
  VectorXd run_weights_;  ///< per row of the task; empty if none is down-weighted

  /// Of ascending rows, drawn so that repeats are left out before configurations are.
  std::vector<Index> some_of(const std::vector<Index>& rows, Index most) const {
    const std::vector<Index> drawn =
        gp::sampled_rows(index(rows.size()), index(rows.size()), task_.options.seed);
    std::vector<Index> out;
    for (const std::size_t place :
         drawn_rows(configuration_groups(task_.coordinates.data(), rows),
                    {drawn.begin(), drawn.end()}, static_cast<std::size_t>(most)))
      out.push_back(rows[place]);
    std::sort(out.begin(), out.end());
    return out;
  }

  std::shared_ptr<const Form> form_of(const Candidate& formula) const {
    if (formula.eq4)
      return std::make_shared<const Eq4Form>();
    return std::make_shared<const SumForm>(task_.coordinates.structure(formula.shape));
  }

  gp::GpOptions in_fold(std::size_t fold) const {
    gp::GpOptions out = gp_options(task_.options);
    out.start = start_;
    out.hyper_rows = kFoldHyperRows;
    out.iterations = kFoldIterations;
    if (run_weights_.size() > 0)
      out.run_weights = run_weights_(rows_[fold].known);
    return out;
  }

  /// Finds disturbed runs, and the start of all searches, with a constant formula: neither they nor
  /// the columns that matter depend much on formula and fold.
  void learn_noise() {
    std::set<Index> used;
    for (const FoldRows& fold : rows_)
      used.insert(fold.known.begin(), fold.known.end());
    const std::vector<Index> rows(used.begin(), used.end());
    const Design runs = design_of(task_, rows);
    SumStructure constant;
    constant.terms = 0;
    const SumForm one(constant);
    const auto left = runs_to_search(one, task_.spec, VectorXd::Ones(1), runs);
    gp::GpOptions how = gp_options(task_.options);
    how.start_rows = kFoldHyperRows / 2;
    how.hyper_rows = 2 * kFoldHyperRows;
    const gp::HyperParameters hyper = search_hyper_parameters(left, how);
    start_ = hyper.position;
    if (!hyper.heavy_tails || task_.options.stop.stop_requested())
      return;
    run_weights_ = VectorXd::Ones(index(task_.training.rows));
    run_weights_(rows) = fit_gp(left.inputs, left.residual, hyper, how).run_weights;
  }
};

/// Extra error accepted for a simpler form, as logarithms.
constexpr Allowance kWorthReading{.in_any_case = 0.05, .within_error = 0.1};
/// Corrections that differ by less count as equal.
constexpr double kStepOfCorrection = 0.05;

/// True if the candidates are equal except for the ridge, which matters little with a GP.
bool same_shape(const Candidate& a, Candidate b) {
  b.ridge = a.ridge;
  return same_family(a, b) && a.shape.terms == b.shape.terms;
}

/// Returns the formulas to judge with a GP: of Eq. (4) and of sums with each number of terms, those
/// that predict best alone, within the measured range and beyond; also the chosen sum and its
/// versions with fewer terms.
///
/// A constant is included only if there is no scale, since it cannot extrapolate.
std::vector<Candidate> formulas(const SelectionTask& task, const Selection& selection) {
  std::vector<Candidate> out;
  const auto add = [&](Candidate candidate) {
    candidate.shape.clamps.clear();
    for (const Candidate& known : out)
      if (same_shape(known, candidate))
        return;
    out.push_back(std::move(candidate));
  };
  add(selection.chosen);
  const auto best = [&](Index terms, bool eq4, auto&& error) {
    const Candidate* found = nullptr;
    for (const Candidate& candidate : selection.tried)
      if (candidate.eq4 == eq4 && (eq4 || candidate.shape.terms == terms) &&
          (found == nullptr || error(candidate) < error(*found)))
        found = &candidate;
    if (found != nullptr)
      add(*found);
  };
  const auto far = [&](const Candidate& candidate) {
    return mean_log_error(task.folds, candidate, true).value_or(candidate.score);
  };
  const auto near = [&](const Candidate& candidate) {
    return mean_log_error(task.folds, candidate, false).value_or(candidate.score);
  };
  best(0, true, near);
  for (Index terms = task.spec.extrinsic.empty() ? 0 : 1; terms <= kMostTerms; ++terms) {
    best(terms, false, near);
    best(terms, false, far);
  }
  for (const Candidate& candidate : selection.tried)
    if (same_family(candidate, selection.chosen) && is_sum(candidate) &&
        candidate.shape.terms < selection.chosen.shape.terms)
      add(candidate);
  return out;
}

/// Index of the most readable candidate of those that predict about as well as the best.
std::size_t easiest_to_read(const SelectionTask& task, const std::vector<FormCandidate>& tried) {
  const auto effort = [&](const FormCandidate& candidate) {
    return std::tuple(std::round(candidate.correction / kStepOfCorrection),
                      size_of(candidate.alone, task.spec), candidate.with_gp.score);
  };
  const auto best = std::min_element(tried.begin(), tried.end(), [](const auto& a, const auto& b) {
    return scores_better(a.with_gp, b.with_gp);
  });
  auto out = best;
  for (auto candidate = tried.begin(); candidate != tried.end(); ++candidate)
    if (as_good_as(task.folds, candidate->with_gp, best->with_gp, kWorthReading) &&
        effort(*candidate) < effort(*out))
      out = candidate;
  return static_cast<std::size_t>(out - tried.begin());
}

/// Errors with the GP that are more than twice those of a formula alone, by more than a standard
/// error, refute the GP.
constexpr Allowance kNotRefuted{.in_any_case = std::numbers::ln2,
                                .within_error = std::numeric_limits<double>::infinity()};
/// ln of the gain that a GP must show on held-out rows somewhere.
constexpr double kLeastGain = 0.01;

/// True if held-out rows are nowhere predicted better with the GP than by the formula alone. Of
/// configurations with repeats it remembers what is peculiar to them, which rows that are held out
/// with all repeats do not show; and of more rows than folds take it knows more than they do.
bool gains_nothing(const SelectionTask& task, const FormCandidate& chosen) {
  const auto gains = [&](bool beyond) {
    const std::optional<double> corrected = mean_log_error(task.folds, chosen.with_gp, beyond);
    return corrected && *corrected < *mean_log_error(task.folds, chosen.alone, beyond) - kLeastGain;
  };
  return index(task.training.rows) <= kFoldRows && !gains(false) && !gains(true) &&
         configuration_groups(task.training).count == task.training.rows;
}

/// True if held-out rows refute the GP: with it, errors are far larger than those of the formula
/// that was chosen without, within the measured range or beyond, and not clearly smaller elsewhere.
bool is_refuted(const std::vector<Fold>& folds, const FormCandidate& chosen,
                const Candidate& alone) {
  return !as_good_as(folds, chosen.with_gp, alone, kNotRefuted) &&
         as_good_as(folds, alone, chosen.with_gp);
}

/// Held-out errors of Eq. (4), and of the chosen formula alone and with the GP.
std::vector<HeldOutErrors> compared(const SumChoice& sums, const FormCandidate& chosen) {
  const std::vector<Fold>& folds = sums.task().folds;
  std::vector<HeldOutErrors> out;
  const auto add = [&](std::string_view form, const Candidate& candidate) {
    const std::optional<double> far = mean_log_error(folds, candidate, true);
    out.push_back({std::string(form), mean_error(*mean_log_error(folds, candidate, false)),
                   far ? std::optional(mean_error(*far)) : std::nullopt});
  };
  for (const Candidate& candidate : sums.selection().tried)
    if (candidate.eq4)
      add(to_text(Expression::eq4), candidate);
  add(to_text(chosen.alone.eq4 ? Expression::eq4 : Expression::sum), chosen.alone);
  add(to_text(Residual::gp), chosen.with_gp);
  return out;
}

}  // namespace

FormSelection select_form(const SumChoice& sums) {
  const SelectionTask& task = sums.task();
  const std::vector<Candidate> candidates = formulas(task, sums.selection());
  StageSteps done(task.options.progress, FitStage::corrections, candidates.size() + 1);
  const GpJudge judge(task, sums.judge());
  FormSelection out;
  for (const Candidate& formula : candidates) {
    if (std::optional<FormCandidate> judged = judge(formula))
      out.tried.push_back(*std::move(judged));
    done.next();
  }
  if (!out.tried.empty() && !task.options.stop.stop_requested())
    out.chosen = easiest_to_read(task, out.tried);
  return out;
}

FittedModel fit_auto(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  const FitOptions of_choice = without_quantile(options);
  const SumChoice sums(spec, training, of_choice);
  const auto with_laws = [&](FittedModel model, const Candidate& chosen) {
    if (!options.quantile && !options.stop.stop_requested())
      model.known.laws = rival_laws(sums, chosen, model, of_choice);
    return model;
  };
  if (options.residual == Residual::none || options.stop.stop_requested())
    return with_laws(sums.fitted(options), sums.selection().chosen);
  if (sums.task().folds.empty())  // too few configurations
    return options.residual == Residual::gp ? with_gp(sums.fitted(of_choice), training, of_choice)
                                            : sums.fitted(options);
  const FormSelection selection = select_form(sums);
  if (!selection.chosen)
    return sums.fitted(options);
  FormCandidate chosen = selection.tried[*selection.chosen];
  Candidate formula = sums.selection().chosen;
  judge_as_clamped(sums.task().folds, formula);
  const bool may_leave_out = options.residual == Residual::chosen;
  const bool refuted = may_leave_out && is_refuted(sums.task().folds, chosen, formula);
  const bool useless = may_leave_out && !refuted && gains_nothing(sums.task(), chosen);
  if (refuted)
    chosen.alone = formula;
  std::optional<FittedModel> corrected;
  if (!refuted && !useless) {
    FittedModel trend = sums.fitted(chosen.with_gp, of_choice);
    // A formula without a time at some run has no correction there.
    if (!may_leave_out ||
        runs_beside(*trend.form, trend.spec, trend.constants, training).has_times())
      corrected = with_gp(std::move(trend), training, of_choice, chosen.position);
  }
  FittedModel model = corrected ? *std::move(corrected)
                      : refuted ? sums.fitted(options)
                                : sums.fitted(chosen.alone, options);
  model.search.form = sums.facts();
  model.search.form->candidates += selection.tried.size();
  model.search.form->held_out = compared(sums, chosen);
  // Only here is the number of candidate forms known.
  std::erase_if(model.warnings,
                [](const Warning& warning) { return warning.kind == "few_configurations"; });
  warn_of_few_configurations(model, training, model.warnings);
  return with_laws(std::move(model), chosen.alone);
}

}  // namespace perfmodel
