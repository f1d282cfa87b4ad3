#pragma once

#include <memory>
#include <optional>

#include "base/tasks/processes.hpp"
#include "cli/commands/fit/fit_command.hpp"
#include "cli/runs/spread_runs.hpp"

namespace perfmodel::cli {

/// The runs of a fit of one model: row by row, merged or drawn; read with the other processes of a
/// job, where there is one, with which they may stay.
class RunsForFit {
 public:
  RunsForFit(const FitArguments& arguments, const FitRequest& request, Processes* job,
             Console& console, const ReadProgress& progress);

  /// To be taken once.
  LabelledRuns take() { return *std::move(runs_.labelled); }
  /// All rows of a fit of them, where these are a sample.
  std::unique_ptr<SpreadRows> spread_rows(const PreparedFit& sample, const FitOptions& options);

 private:
  OneProcess alone_;
  std::optional<LargeRuns> large_;
  JobRuns runs_;
};

/// What the others of a job do.
void serve_fit(const FitArguments& arguments, const FitRequest& request, Processes& job);

}  // namespace perfmodel::cli
