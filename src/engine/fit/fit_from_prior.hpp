#pragma once

#include <memory>

#include "forms/form.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// Standard deviation of ln(time / prediction) of single runs: that of the Gaussian process (GP) of
/// a model or, without one, estimated from the mean relative error of the training rows.
double log_deviation(const FittedModel& model);

/// Adapts an earlier model to a few runs of, for instance, another machine: the constants of
/// highest posterior density, by squared errors of ln(time), under a normal prior about those of
/// options.earlier().
///
/// One factor of all times has next to no prior. Beside it, powers have a standard deviation of 0.1
/// and the logarithms of coefficients and levels one of 0.5, multiplied by a freedom per column and
/// one for all that are no powers. The freedoms and the deviation of single runs maximise the
/// marginal likelihood of the runs (automatic relevance determination; MacKay 1994), each with a
/// log-normal prior. What is exactly 0 stays 0, the form and its GP are kept. `spec` is that of the
/// earlier model, `training` a design of it.
FittedModel fit_from_prior(const ModelSpec& spec, const Design& training,
                           const FitOptions& options);

/// Refits a model as it was fitted: by its fitter or, with options.earlier(), from that model.
std::unique_ptr<Refit> refit_of(const FittedModel& model, const Design& training,
                                const FitOptions& options);

}  // namespace perfmodel
