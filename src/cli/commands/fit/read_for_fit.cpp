#include "cli/commands/fit/read_for_fit.hpp"

#include <string>
#include <utility>

#include "cli/options/split_options.hpp"
#include "pipeline/large_runs.hpp"

namespace perfmodel::cli {

std::optional<LabelledRuns> read_for_fit(const FitArguments& arguments, const FitRequest& request,
                                         Processes* job, Console& console,
                                         const ReadProgress& progress) {
  const auto large = large_runs_request(arguments.large, arguments.runs, request, job != nullptr);
  if (!large)
    return read_labelled_runs(arguments.runs, arguments.roles, arguments.separator, console,
                              progress);
  const std::string& path = arguments.runs.front();
  const LargeRuns runs(path, arguments.roles, arguments.separator, *large, request.options);
  std::optional<LabelledRuns> read = job != nullptr ? read_large_runs(runs, *job, progress)
                                                    : read_large_runs(runs, path, progress);
  return read ? std::optional(told(*std::move(read), console)) : std::nullopt;
}

}  // namespace perfmodel::cli
