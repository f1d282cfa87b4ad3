#include "fit/fit.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "choice/fit_sum.hpp"
#include "choice/fit_with_gp.hpp"
#include "choice/form_choice.hpp"
#include "fit/canonical_order.hpp"
#include "fit/censored.hpp"
#include "fit/fit_from_prior.hpp"
#include "forms/eq4_form.hpp"
#include "forms/fit_options.hpp"
#include "forms/gp_form.hpp"
#include "forms/own_form.hpp"
#include "forms/sum_form.hpp"
#include "own/own_space.hpp"
#include "search/global_search.hpp"
#include "search/losses.hpp"

namespace perfmodel {

namespace {

/// Reads, or describes, a form by one of its kind without constants.
template <class FormOfModel>
void read_as(Fields& f, FittedModel& model) {
  FormOfModel().describe_constants(f, model);
}

/// Throws InputError if inputs far from 1 led to results beyond the range of double.
void require_finite(const FittedModel& model) {
  const Metrics& metrics = model.known.metrics.train;
  if (!model.constants.allFinite() || !std::isfinite(metrics.mse) ||
      !std::isfinite(metrics.mape_percent) || !std::isfinite(model.search.cost) ||
      !std::isfinite(model.search.gap))
    throw InputError(numbers_out_of_range());
}

FittedModel fit_form(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  if (options.as<AutomaticOptions>() != nullptr)
    return fit_auto(spec, training, options);
  const std::vector<FormKind>& kinds = form_kinds();
  const std::string_view name = options.residual == Residual::none ? to_text(expression_of(options))
                                                                   : to_text(options.residual);
  const auto kind = std::ranges::find(kinds, name, &FormKind::name);
  return kind->fit(spec, training, options);
}

}  // namespace

const std::vector<FormKind>& form_kinds() {
  static const std::vector<FormKind> kinds = {
      {to_text(Expression::eq4), fit_eq4, read_as<Eq4Form>},
      {to_text(Expression::sum), fit_sum, read_as<SumForm>},
      {to_text(Expression::formula), fit_own, read_as<OwnForm>},
      {to_text(Residual::gp), fit_with_gp, GpForm::read}};
  return kinds;
}

FittedModel fit(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  require_fitted_range(training);
  if (options.earlier() != nullptr) {
    FittedModel adapted =
        fit_from_prior(spec, take_rows(training, canonical_rows(training)), options);
    require_finite(adapted);
    return adapted;
  }
  if (options.quantile && options.residual == Residual::none && !is_absolute(options.loss))
    throw UsageError(
        fmt::format("{0} needs {1} mae or {1} mape: a bound minimises weighted absolute errors",
                    spelled("quantile"), spelled("loss")));
  const CanonicalRuns runs = canonical(spec, training);
  FittedModel model =
      restored(has_cut_runs(training) ? fit_censored(runs.spec, runs.training, options, fit_form)
                                      : fit_form(runs.spec, runs.training, options),
               runs);
  require_finite(model);
  return model;
}

}  // namespace perfmodel
