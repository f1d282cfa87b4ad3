#include "choice/fit_with_gp.hpp"

#include <fmt/core.h>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "choice/fit_sum.hpp"
#include "forms/fit_options.hpp"
#include "own/own_space.hpp"
#include "search/global_search.hpp"
#include "search/sensitivity.hpp"

namespace perfmodel {

using Eigen::VectorXd;

gp::GpOptions gp_options(const FitOptions& options) {
  gp::GpOptions out;
  out.seed = options.seed;
  out.threads = options.threads;
  out.stop = options.stop;
  return out;
}

GpRuns runs_beside(const Form& form, const ModelSpec& spec, const VectorXd& constants,
                   const Design& runs) {
  GpRuns out;
  out.columns = GpColumns::of(spec);
  out.inputs = out.columns.inputs(runs);
  out.residual = runs.time.array().log() - form.predict(spec, constants, runs).array().log();
  return out;
}

GpRuns runs_to_search(const Form& form, const ModelSpec& spec, const VectorXd& constants,
                      const Design& runs) {
  auto out = runs_beside(form, spec, constants, runs);
  for (std::size_t j = 0; j < out.columns.numbers(); ++j) {
    const NumericInput& input = out.columns.number(spec, j);
    out.forms.push_back(input.zero ? gp::CoordinateForm::log_one_plus
                                   : gp::usual_form(out.inputs.numbers.col(index(j))));
    const std::size_t intrinsic = spec.intrinsic.size();
    const std::size_t numeric = j < intrinsic ? spec.extrinsic.size() + j : j - intrinsic;
    out.most.push_back(is_flat_beyond(form, spec, constants, runs, numeric)
                           ? input.high
                           : std::numeric_limits<double>::infinity());
  }
  return out;
}

gp::HyperParameters search_hyper_parameters(const GpRuns& runs, gp::GpOptions options) {
  options.forms = runs.forms;
  gp::HyperParameters out = gp::search_hyper_parameters(runs.inputs, runs.residual, options);
  for (std::size_t j = 0; j < runs.most.size(); ++j)
    out.coordinates[j].most = runs.most[j];
  return out;
}

Refitted times_factor(const std::shared_ptr<const Form>& form, const ModelSpec& spec,
                      VectorXd constants, double factor) {
  if (auto multiplied = form->multiplied(factor))
    return {std::move(multiplied), std::move(constants)};
  const std::vector<ConstantInfo> infos = form->constants(spec);
  for (std::size_t k = 0; k < infos.size(); ++k)
    if (infos[k].role == ConstantRole::coefficient || infos[k].range == ConstantRange::not_negative)
      constants[index(k)] *= factor;
  return {form, std::move(constants)};
}

namespace {

void refuse_what_has_no_place(const FitOptions& options) {
  const auto refuse = [](const std::string& flag) {
    throw UsageError("a residual correction maximises a likelihood: " + flag +
                     " has no place there");
  };
  if (method_of(options) == Method::paper)
    refuse(spelled("method"));
  if (options.penalty.l1 > 0)
    refuse(spelled("l1"));
  if (options.penalty.l2 > 0)
    refuse(spelled("l2"));
}

/// Fits the formula alone: Eq. (4) and given terms by squared errors of ln(time), like the GP; a
/// formula of the user's own under the loss of the options.
FittedModel ordinary_fit(const ModelSpec& spec, const Design& training, FitOptions options) {
  options.quantile.reset();
  if (options.as<OwnOptions>() != nullptr)
    return fit_own(spec, training, options);
  options.loss = chooses_terms(options) ? Loss::soft_l1 : Loss::rmsle;
  return options.as<Eq4Options>() != nullptr ? fit_eq4(spec, training, options)
                                             : fit_sum(spec, training, options);
}

/// Weight below which a run can be an outlier: that of a run at 4.6 standard deviations.
constexpr double kWeightOfOutlier = 0.2;

/// Counts runs that have a low weight and a large relative error.
std::size_t count_outliers(const Eigen::VectorXd& weights, const Eigen::VectorXd& measured,
                           const Eigen::VectorXd& predicted) {
  std::size_t out = 0;
  for (Eigen::Index run = 0; run < weights.size(); ++run)
    out += weights[run] < kWeightOfOutlier && is_far_off(measured[run], predicted[run]) ? 1U : 0U;
  return out;
}

GpSearch facts_of_search(const gp::GpOptions& options, bool heavy_tails, bool is_predictive) {
  GpSearch out;
  out.objective =
      "the posterior density of the hyper-parameters: marginal likelihood of ln(time / formula) "
      "and "
      "priors";
  if (is_predictive)
    out.objective += "; from there on the densities of left-out ln(time) given those next to them";
  for (const gp::PriorFacts& fact : gp::prior_facts())
    out.priors.push_back({fact.of, fact.mean, fact.deviation});
  out.rows = static_cast<std::size_t>(options.hyper_rows);
  out.noise = heavy_tails ? GpNoise::student_t : GpNoise::normal;
  return out;
}

/// Replaces the kernel by one that predicts rows better from their neighbours, and returns true if
/// it was found. Down-weighted runs then keep their weights.
bool take_predictive_kernel(const GpRuns& runs, gp::GpOptions& how, gp::HyperParameters& hyper) {
  gp::GpOptions quick = how;
  quick.exact_rows = how.hyper_rows;
  gp::GpFit first = fit_gp(runs.inputs, runs.residual, hyper, quick);
  const gp::PredictiveKernel found = predictive_kernel(first.gp, how);
  hyper.kernel = found.kernel;
  hyper.evaluations += found.evaluations;
  if (found.is_better && hyper.heavy_tails)
    how.run_weights = std::move(first.run_weights);
  return found.is_better;
}

/// The formula multiplied by exp(intercept of the GP plus its mean over the known configurations),
/// so that corrections are centred at 1.
Refitted combined(const std::shared_ptr<const Form>& formula, const ModelSpec& spec,
                  const VectorXd& constants, const GpColumns& columns, gp::GpFit fit,
                  std::size_t threads) {
  const GpPrior prior{fit.hyper.level_deviation, fit.hyper.heavy_tails};
  const double level = fit.level;
  const auto known = std::make_shared<const KnownGp>(std::move(fit.gp), threads);
  Refitted whole = times_factor(formula, spec, constants, std::exp(level + known->centre));
  whole.form = std::make_shared<GpForm>(std::move(whole.form), columns, known, prior);
  return whole;
}

}  // namespace

FittedModel with_gp(FittedModel model, const Design& training, const FitOptions& options,
                    const std::optional<VectorXd>& start) {
  const auto runs = runs_to_search(*model.form, model.spec, model.constants, training);
  if (!runs.has_times())
    throw InputError(fmt::format(
        "the formula beside the correction is 0, or too large for a number, at some of the runs; "
        "choose one with fewer terms by {}, or leave out runs whose times differ far more than "
        "their columns explain",
        spelled("terms")));
  gp::GpOptions how = gp_options(options);
  how.start = start;
  how.also_lively = true;
  gp::HyperParameters hyper = search_hyper_parameters(runs, how);
  const bool is_predictive =
      index(training.rows) > how.exact_rows && take_predictive_kernel(runs, how, hyper);
  gp::GpFit found = fit_gp(runs.inputs, runs.residual, hyper, how);
  const VectorXd run_weights = found.run_weights;
  const Refitted whole = combined(model.form, model.spec, model.constants, runs.columns,
                                  std::move(found), options.threads);
  model.form = whole.form;
  model.constants = whole.constants;

  model.search.strategy = "marginal likelihood";
  model.search.starts = start ? 2 : 4;
  model.search.population = 0;
  model.search.generations = 0;
  model.search.evaluations = hyper.evaluations;
  model.search.termination = options.stop.stop_requested() ? "interrupted" : "converged";
  model.search.polish_gain = 0;
  model.search.gap = 0;
  model.search.cost = hyper.cost;
  model.search.ridges.clear();
  model.search.gp = facts_of_search(how, hyper.heavy_tails, is_predictive);
  model.typical = central_configuration(model.spec, training);
  const VectorXd predicted = predict(model, training);
  model.known.metrics.train = compute_metrics(training.time, predicted);
  model.search.gp->outliers = count_outliers(run_weights, training.time, predicted);
  model.known.noise_floor = noise_floor(training);
  // What the formula's constants are at stays true; what the runs determine is that of both.
  std::erase_if(model.warnings, [](const Warning& warning) { return warning.kind != "at_bound"; });
  const std::vector<Warning> further = find_warnings(model, training, {});
  model.warnings.insert(model.warnings.begin(), further.begin(), further.end());
  return model;
}

FittedModel fit_with_gp(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  refuse_what_has_no_place(options);
  return with_gp(ordinary_fit(spec, training, options), training, options);
}

namespace {

const GpForm& gp_form(const FittedModel& model) {
  return dynamic_cast<const GpForm&>(*model.form);
}

FittedModel without_gp(const FittedModel& model, const GpForm& form) {
  FittedModel out = model;
  out.form = form.shared_trend();
  return out;
}

/// Refits formula and GP to other runs with fixed hyper-parameters.
class GpRefit final : public Refit {
 public:
  GpRefit(const FittedModel& model, const GpForm& form, const Design& training,
          const FitOptions& options)
      : formula_(without_gp(model, form)),
        refit_(fitter_of(form.trend()).refit(formula_, training, options)),
        columns_(form.columns()),
        hyper_{.coordinates = form.known().gp.coordinates,
               .kernel = form.known().gp.kernel,
               .level_deviation = form.prior().level_deviation,
               .heavy_tails = form.prior().heavy_tails,
               .position = {}} {
    how_.seed = options.seed;
    how_.stop = options.stop;
  }

  Refitted operator()(const Design& runs) const override {
    const Refitted alone = (*refit_)(runs);
    const auto left = runs_beside(*alone.form, formula_.spec, alone.constants, runs);
    return combined(alone.form, formula_.spec, alone.constants, columns_,
                    fit_gp(columns_.inputs(runs), left.residual, hyper_, how_), how_.threads);
  }

  std::size_t free_constants() const override { return refit_->free_constants(); }

 private:
  FittedModel formula_;  ///< the model without the GP
  std::unique_ptr<Refit> refit_;
  GpColumns columns_;
  gp::HyperParameters hyper_;
  gp::GpOptions how_;
};

std::unique_ptr<Refit> refit_with_gp(const FittedModel& model, const Design& training,
                                     const FitOptions& options) {
  const GpForm& form = gp_form(model);
  if (form.prior().level_deviation == 0)
    throw UsageError(
        "a model with a residual correction that was read from a file cannot be fitted "
        "to other runs: the file has no priors; fit it anew");
  return std::make_unique<GpRefit>(model, form, training, options);
}

}  // namespace

const Fitter& fitter_of(const Form& form) {
  static constexpr Fitter of_trend_and_gp = {
      [](const FittedModel& model) {
        const FittedModel trend = without_gp(model, gp_form(model));
        return fitter_of(*trend.form).constants_in_use(trend);
      },
      refit_with_gp};
  if (const Fitter* const own = form.fitter())
    return *own;
  return has_gp(form)                                  ? of_trend_and_gp
         : form.name() == to_text(Expression::formula) ? own_fitter()
         : form.name() == to_text(Expression::sum)     ? sum_fitter()
                                                       : eq4_fitter();
}

}  // namespace perfmodel
