#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "forms/form.hpp"
#include "forms/process_form.hpp"
#include "gp/kernel.hpp"
#include "gp/likelihood.hpp"
#include "gp/residual_process.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

/// A form as the trend of a process: what the process's estimates make of its constants.
struct TrendOfForm {
  std::shared_ptr<const Form> form;
  process::Trend trend;
  /// The constants of the form, the level taken in.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& estimates, double level)> constants;
};

/// Around constants that the form has already. The estimates are differences of powers and
/// logarithms of the ratios of other constants; where a power changes, the coefficients beside it
/// change too, so that nothing moves in the middle of the runs: no unit matters.
TrendOfForm trend_around(const std::shared_ptr<const Form>& form, const ModelSpec& spec,
                         const Eigen::VectorXd& constants, const Design& runs);

/// One product of powers and factors, from nothing: its prior is that no column matters. Rings are
/// those of the coordinates; the process may count no further where the trend does.
TrendOfForm product_trend_of(const ModelSpec& spec, const ProcessColumns& columns,
                             const process::Inputs& inputs,
                             std::vector<process::Coordinate> coordinates,
                             const std::vector<Cap>& caps);

/// How far the constants of a trend may go from where they start.
enum class TrendPrior {
  /// As far as the runs are apart. A process can say all that a trend says, and then the likelihood
  /// leaves nothing to the trend: so that it is a formula to read and what remains far from all
  /// runs.
  free,
  likely,  ///< as far as the likelihood says
  held,    ///< not at all
};

/// What can be chosen of a process and its trend, besides constants and hyper-parameters. Numeric
/// columns are those of a sum: extrinsic ones first.
struct ProcessShape {
  TrendPrior prior = TrendPrior::free;
  std::vector<std::size_t> rings = {};  ///< numeric columns that count by 1 - 1/n
  std::vector<std::size_t> caps = {};   ///< that count no further than the runs reach
  /// That count no further for the process alone: beyond the runs it says what it says at their
  /// edge, and the trend grows on.
  std::vector<std::size_t> process_caps = {};
  /// The kernel is the one that is found beside one product: of what a sum leaves, few runs may
  /// look like noise that many tell from it.
  bool kernel_of_product = false;
};

/// Runs with the trend beside which a process is fitted to them.
struct ProcessRuns {
  ModelSpec spec;  ///< as the trend counts values that may be 0
  ProcessColumns columns;
  process::Inputs inputs;
  Eigen::VectorXd log_time;
  std::vector<process::CoordinateForm> forms;  ///< of the process's numbers
  std::vector<double> most;                    ///< what they count up to there
  TrendOfForm trend;
};

/// Beside one product, from nothing.
ProcessRuns runs_beside_product(const ModelSpec& spec, const Design& runs,
                                const ProcessShape& shape);

/// Beside a form with these constants.
ProcessRuns runs_beside(const std::shared_ptr<const Form>& form, const ModelSpec& spec,
                        const Eigen::VectorXd& constants, const Design& runs,
                        const ProcessShape& shape);

/// A trend that is no time at all for some run has nothing left for a process.
bool has_times(const ProcessRuns& runs);

process::HyperParameters search_hyper_parameters(const ProcessRuns& runs,
                                                 process::ProcessOptions options);

/// Those of another search in the same coordinates, but for how far the trend may go.
process::HyperParameters with_kernel_of(const process::HyperParameters& other,
                                        process::HyperParameters hyper, const ProcessRuns& runs);

process::ProcessFit fit_process(const ProcessRuns& runs, const process::HyperParameters& hyper,
                                TrendPrior prior, const process::ProcessOptions& options);

/// The same for several priors.
std::vector<process::ProcessFit> fit_processes(const ProcessRuns& runs,
                                               const process::HyperParameters& hyper,
                                               const std::vector<TrendPrior>& priors,
                                               const process::ProcessOptions& options);

/// Which constants of the trend the runs determine beside the process: their generalised least
/// squares without a prior. `training` are the runs of the fit, `model` a sum or Eq. (4) with the
/// process's constants.
Identifiability identify_beside_process(const FittedModel& model, const Form& trend,
                                        const Design& training,
                                        const process::Whitening& whitening);

/// The mean of the larger of |ln(time / prediction)| and the relative error, which is the larger
/// one by far for a prediction that is far too large. `errors`: ln(time / prediction).
double mean_either_way(const Eigen::VectorXd& errors);

/// Whether errors, as ln(time / prediction), are clearly smaller in that than others at the same
/// runs.
bool clearly_smaller(const Eigen::VectorXd& errors, const Eigen::VectorXd& others);

/// The expression with a residual process, as asked for.
FittedModel fit_with_process(const ModelSpec& spec, const Design& training,
                             const FitOptions& options);

/// One product with a process.
FittedModel product_with_process(const ModelSpec& spec, const Design& training,
                                 const FitOptions& options, const ProcessShape& shape);

/// A model that was fitted to the same runs as the trend of a process. The likelihood may then take
/// what the trend leaves there for what it leaves elsewhere. Where the runs predict each other
/// worse than was `promised`, the mean of |ln(predicted / measured)| of fewer runs, the process
/// that is found beside one product, over whose constants the likelihood averages, is tried in its
/// place.
FittedModel with_process(FittedModel trend, const Design& training, const FitOptions& options,
                         const ProcessShape& shape, std::optional<double> promised = {});

/// Whether a model, alone, breaks such a promise where a process beside it would say clearly more
/// of each run from the others.
bool needs_process(const FittedModel& model, const Design& training, const FitOptions& options,
                   const ProcessShape& shape, double promised);

}  // namespace perfmodel
