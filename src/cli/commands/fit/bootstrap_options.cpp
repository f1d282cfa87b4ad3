#include "cli/commands/fit/bootstrap_options.hpp"

#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kFewestSamples = 20;

}  // namespace

void add_bootstrap_options(OptionSet& app, BootstrapArguments& arguments) {
  add_count<std::size_t>(app, "--bootstrap", arguments.samples,
                         "intervals of the constants from that many resampled\n"
                         "sets of the training rows, 200 say (default: none)",
                         kFewestSamples)
      .group("Judging the model");
  add_number(app, "--confidence", arguments.confidence, "of these intervals (default: 0.95)",
             {0, 0.9999, false, "a number above 0 and up to 0.9999"})
      .group("Judging the model");
}

void check_bootstrap(const BootstrapArguments& arguments) {
  if (arguments.confidence && !arguments.samples)
    throw UsageError("--confidence has no effect without --bootstrap");
}

std::optional<BootstrapRequest> bootstrap_request(const BootstrapArguments& arguments) {
  if (!arguments.samples)
    return std::nullopt;
  BootstrapRequest request;
  request.samples = *arguments.samples;
  request.confidence = arguments.confidence.value_or(request.confidence);
  return request;
}

}  // namespace perfmodel::cli
