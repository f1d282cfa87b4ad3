#pragma once

#include <memory>
#include <vector>

#include "fit/process/residual_process.hpp"
#include "fit/residual/process_columns.hpp"
#include "fit/residual/trend_of_form.hpp"

namespace perfmodel {

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

}  // namespace perfmodel
