#include "fit/fit.hpp"

#include <algorithm>
#include <cmath>

#include "fit/canonical_order.hpp"
#include "fit/choose/fit_auto.hpp"
#include "fit/form_kinds.hpp"
#include "fit/share/choose_shared.hpp"
#include "fit/share/fit_shared.hpp"
#include "fit/task/number_range.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// Times, columns and bounds far from 1 lead to constants and errors that no double holds.
void require_finite(const FittedModel& model) {
  const Metrics& metrics = model.metrics.train;
  if (!model.constants.allFinite() || !std::isfinite(metrics.mse) ||
      !std::isfinite(metrics.mape_percent) || !std::isfinite(model.search.cost) ||
      !std::isfinite(model.search.gap))
    throw InputError(numbers_out_of_range());
}

OwnFit fit_of(const FitOptions& options) {
  if (options.expression == Expression::automatic)
    return fit_auto;
  const std::vector<FormKind>& kinds = form_kinds();
  const std::string_view name =
      options.residual == Residual::none ? to_text(options.expression) : to_text(options.residual);
  return std::find_if(kinds.begin(), kinds.end(),
                      [&](const FormKind& kind) { return kind.name == name; })
      ->fit;
}

}  // namespace

FittedModel fit(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  require_fitted_range(training);
  const CanonicalOrder runs(spec, training);
  const OwnFit own = fit_of(options);
  FittedModel model =
      runs.restored(options.shared_form ? fit_shared(runs.spec(), runs.training(), options, own)
                                        : own(runs.spec(), runs.training(), options));
  require_finite(model);
  return model;
}

SharedForm shared_form(const ModelSpec& spec, const Design& runs, const std::string& column,
                       const std::vector<std::size_t>& sizes, const FitOptions& options) {
  const CanonicalOrder in_order(spec, runs);
  const std::vector<CategoricalInput>& inputs = in_order.spec().categorical;
  const auto place = std::find_if(inputs.begin(), inputs.end(), [&](const CategoricalInput& input) {
    return input.column == column;
  });
  return choose_shared_form(in_order.spec(), in_order.training(),
                            static_cast<std::size_t>(place - inputs.begin()), sizes, options,
                            fit_of(options));
}

}  // namespace perfmodel
