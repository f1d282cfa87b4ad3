#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/eigen.hpp"
#include "forms/form.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// Whether any run was ended at its limit.
bool has_cut_runs(const Design& runs);

/// The rows whose runs were not ended at their limits: those whose errors are known.
std::vector<std::size_t> finished_rows(const Design& runs);
Design finished_runs(const Design& runs);

/// The rows whose limit is above `values`, one per row: whether their runs took longer than that is
/// known of all of them, whether they finished or not.
std::vector<std::size_t> rows_with_limits_above(const VectorXd& values, const Design& runs);

/// The measured times, with draws in place of those of runs that were cut off: the errors
/// ln(time / prediction) have Kaplan and Meier's distribution, of which the mass of an error that
/// is only known to be larger goes to the larger ones (Efron 1967). Independent of the order of
/// rows.
VectorXd times_with_draws(const Design& runs, const VectorXd& predicted, std::uint64_t seed);

using FitOfForm = FittedModel (*)(const ModelSpec&, const Design&, const FitOptions&);

/// Fits a form to runs of which some were ended at limits c, and would have taken longer.
///
/// - Absolute losses, bounds and Huber's: Powell's censored regression (1984, 1986), the least
///   sum of losses between y and min(c, prediction). Only rows whose prediction is below their
///   limit have a say there, with y = c if they were cut off. They are chosen by a fit of
///   the second kind, then by the fit of these rows: three steps (Chernozhukov and Hong 2002).
/// - All others: the Tobit model (1958) of ln(time) by expectation maximisation (Dempster, Laird
///   and Rubin 1977; Schmee and Hahn 1979). The logarithm of a run that was cut off is its
///   expectation beyond ln c, mu + sigma phi(z) / Phi(-z) with z = (ln c - mu) / sigma, in turn
///   with refits and the sigma that they leave. Of losses that large errors do not dominate, sigma
///   is half the distance of the quantiles of a normal distribution at -1 and 1 by Kaplan and
///   Meier; of a Gaussian process, its own.
///
/// The search of `fit` sees the rows and times that the alternation ends with, so that certificates
/// and warnings are about these. Errors and the noise floor are those of the runs that finished.
/// Throws UsageError for Powell's regression without limits of runs that finished, InputError if
/// too few rows are left.
FittedModel fit_censored(const ModelSpec& spec, const Design& training, const FitOptions& options,
                         FitOfForm fit);

/// Fitter::refit() for runs of which some were cut off, which alternates anew for each set of runs.
std::unique_ptr<Refit> censored_refit(const FittedModel& model, const Design& training,
                                      const FitOptions& options);

}  // namespace perfmodel
