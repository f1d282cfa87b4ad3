#pragma once

#include <Eigen/Core>
#include <vector>

#include "forms/form.hpp"
#include "forms/process_form.hpp"
#include "gp/kernel.hpp"
#include "gp/residual_process.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

// Residual kriging: the constants of the formula are those that it has alone, and the process
// describes what it leaves. Fitted together, formula and process are confounded: a process can
// imitate any formula, and the constants say nothing any more (Kennedy and O'Hagan 2001).

/// What a formula leaves of runs.
struct ProcessRuns {
  ProcessColumns columns;
  process::Inputs inputs;
  Eigen::VectorXd residual;                    ///< ln(time / formula)
  std::vector<process::CoordinateForm> forms;  ///< of the process's numbers
  /// What these count up to: where the formula grows no further, nor does the process.
  std::vector<double> most;

  /// A formula that is no time at all for some run leaves nothing to a process.
  bool has_times() const { return residual.allFinite(); }
};

process::HyperParameters search_hyper_parameters(const ProcessRuns& runs,
                                                 process::ProcessOptions options);

ProcessRuns runs_beside(const Form& form, const ModelSpec& spec, const Eigen::VectorXd& constants,
                        const Design& runs);

/// The constants of the formula times this factor.
Eigen::VectorXd times_factor(const Form& form, const ModelSpec& spec, Eigen::VectorXd constants,
                             double factor);

/// The expression with a residual process, as asked for.
FittedModel fit_with_process(const ModelSpec& spec, const Design& training,
                             const FitOptions& options);

/// A model that was fitted to the same runs, with a residual process.
FittedModel with_process(FittedModel formula, const Design& training, const FitOptions& options);

}  // namespace perfmodel
