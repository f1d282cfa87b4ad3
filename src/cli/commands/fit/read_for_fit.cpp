#include "cli/commands/fit/read_for_fit.hpp"

#include "cli/options/split_options.hpp"

namespace perfmodel::cli {

LabelledRuns read_for_fit(const FitArguments& arguments, const FitRequest& request,
                          Console& console, const ReadProgress& progress) {
  const auto large = large_runs_request(arguments.large, arguments.runs, request);
  if (!large)
    return read_labelled_runs(arguments.runs, request.roles, arguments.separator, console,
                              progress);
  const LargeRuns runs(arguments.runs.front(), request.roles, arguments.separator, *large,
                       request.options);
  return told(runs.read(progress), console);
}

}  // namespace perfmodel::cli
