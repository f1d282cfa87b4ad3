#include "perfmodel/fit/fit.hpp"

#include <cmath>

#include "fit/canonical_order.hpp"
#include "fit/fit_generic.hpp"
#include "fit/multi/fit_multi.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/fit/number_range.hpp"

namespace perfmodel {
namespace {

/// Times, columns and bounds far from 1 lead to constants and errors that no double holds.
void require_finite(const FittedModel& model) {
  const Metrics& metrics = model.metrics.train;
  if (!model.constants.allFinite() || !std::isfinite(metrics.mse) ||
      !std::isfinite(metrics.mape_percent) || !std::isfinite(model.search.cost) ||
      !std::isfinite(model.search.gap)) {
    throw InputError(numbers_out_of_range());
  }
}

}  // namespace

FittedModel fit(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  if (options.expression == Expression::generic && options.loss == Loss::soft_l1)
    throw UsageError("the loss soft-l1 is for sums of product terms");
  require_fitted_range(training);
  const CanonicalOrder runs(spec, training);
  FittedModel model = runs.restored(options.expression == Expression::multi
                                        ? fit_multi(runs.spec(), runs.training(), options)
                                        : fit_generic(runs.spec(), runs.training(), options));
  require_finite(model);
  return model;
}

}  // namespace perfmodel
