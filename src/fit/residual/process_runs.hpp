#pragma once

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
};

/// Runs with the trend beside which a process is fitted to them.
struct ProcessRuns {
  ProcessColumns columns;
  process::Inputs inputs;
  Eigen::VectorXd log_time;
  std::vector<process::CoordinateForm> forms;  ///< of the process's numbers
  TrendOfForm trend;
};

/// Beside one product, from nothing. `rings`: numeric columns that count by 1 - 1/n, extrinsic ones
/// first.
ProcessRuns runs_beside_product(const ModelSpec& spec, const Design& runs,
                                const std::vector<std::size_t>& rings);

/// Beside a form with these constants.
ProcessRuns runs_beside(std::shared_ptr<const Form> form, const ModelSpec& spec,
                        const Eigen::VectorXd& constants, const Design& runs,
                        const std::vector<std::size_t>& rings);

process::HyperParameters search_hyper_parameters(const ProcessRuns& runs,
                                                 process::ProcessOptions options);

process::ProcessFit fit_process(const ProcessRuns& runs, process::HyperParameters hyper,
                                TrendPrior prior, const process::ProcessOptions& options);

}  // namespace perfmodel
