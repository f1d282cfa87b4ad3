#include "cli/commands/fit/read_for_fit.hpp"

#include <string>
#include <utility>

#include "cli/options/split_options.hpp"
#include "pipeline/large/read_large_runs.hpp"

namespace perfmodel::cli {

RunsForFit::RunsForFit(const FitArguments& arguments, const FitRequest& request, Processes* job,
                       Console& console, const ReadProgress& progress) {
  const auto large = large_runs_request(arguments.large, arguments.runs, request, job != nullptr);
  if (!large) {
    runs_.labelled =
        read_labelled_runs(arguments.runs, request.roles, arguments.separator, console, progress);
    return;
  }
  const std::string& path = arguments.runs.front();
  large_.emplace(path, request.roles, arguments.separator, *large, request.options);
  if (job == nullptr && large->spread == RowSpread::never)
    runs_.labelled = read_large_runs(*large_, path, progress);
  else
    runs_ = read_job_runs(*large_, job != nullptr ? *job : alone_, progress);
  runs_.labelled = told(*std::move(runs_.labelled), console);
}

std::unique_ptr<SpreadRows> RunsForFit::spread_rows(const PreparedFit& sample,
                                                    const FitOptions& options) {
  return runs_.spread ? runs_.spread->rows(sample, options) : nullptr;
}

void serve_fit(const FitArguments& arguments, const FitRequest& request, Processes& job) {
  const auto large = large_runs_request(arguments.large, arguments.runs, request, true);
  const LargeRuns runs(arguments.runs.front(), request.roles, arguments.separator, large.value(),
                       request.options);
  serve_job_runs(runs, job, request);
}

}  // namespace perfmodel::cli
