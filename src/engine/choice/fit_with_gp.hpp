#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "forms/form.hpp"
#include "forms/gp_form.hpp"
#include "gp/gaussian_process.hpp"
#include "gp/kernel.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

// Residual kriging: the formula is fitted alone, and a Gaussian process (GP) describes its
// residuals. Fitted jointly they are confounded: a GP can imitate any formula, and the constants
// lose their meaning (Kennedy and O'Hagan 2001).

/// The residuals of a formula and the inputs of the GP.
struct GpRuns {
  GpColumns columns;
  gp::Inputs inputs;
  Eigen::VectorXd residual;               ///< ln(time / formula)
  std::vector<gp::CoordinateForm> forms;  ///< per number of the GP; only to search
  /// Per number, the value that it is clamped to: the GP is constant wherever the formula is. Only
  /// to search.
  std::vector<double> most;

  /// False if the formula predicts no valid time for some run, so that no GP can be fitted.
  bool has_times() const { return residual.allFinite(); }
};

gp::HyperParameters search_hyper_parameters(const GpRuns& runs, gp::GpOptions options);

/// With the seed, the threads and the stop token of a fit.
gp::GpOptions gp_options(const FitOptions& options);

GpRuns runs_beside(const Form& form, const ModelSpec& spec, const Eigen::VectorXd& constants,
                   const Design& runs);
/// With what search_hyper_parameters() needs.
GpRuns runs_to_search(const Form& form, const ModelSpec& spec, const Eigen::VectorXd& constants,
                      const Design& runs);

/// The formula with all its times multiplied by `factor`, in its constants if they suffice.
Refitted times_factor(const std::shared_ptr<const Form>& form, const ModelSpec& spec,
                      Eigen::VectorXd constants, double factor);

/// Fits the expression in `options` with a residual GP.
FittedModel fit_with_gp(const ModelSpec& spec, const Design& training, const FitOptions& options);

/// The fitter of a form: its own one, or that beside the search of its kind.
const Fitter& fitter_of(const Form& form);

/// Adds a residual GP to a formula that was fitted to the same runs. `start`: where the search of
/// its hyper-parameters begins, in place of several starts.
FittedModel with_gp(FittedModel formula, const Design& training, const FitOptions& options,
                    const std::optional<Eigen::VectorXd>& start = {});

}  // namespace perfmodel
