#include "cli/bootstrap_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/numbers.hpp"
#include "cli/search_progress.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/fit/bootstrap.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t fewest_samples = 20;
constexpr double default_confidence = 0.95;

}  // namespace

void add_bootstrap_options(CLI::App& app, BootstrapArguments& arguments) {
  add_count<std::size_t>(app, "--bootstrap", arguments.samples,
                         "intervals of the constants from that many resampled\n"
                         "sets of the training rows, 200 say (default: none)",
                         fewest_samples)
      ->group("Judging the model");
  add_number(app, "--confidence", arguments.confidence, "of these intervals (default: 0.95)",
             {0, 0.9999, false, "a number above 0 and up to 0.9999"})
      ->group("Judging the model");
}

void check_bootstrap(const BootstrapArguments& arguments) {
  if (arguments.confidence && !arguments.samples) {
    throw UsageError("--confidence has no effect without --bootstrap");
  }
}

std::optional<Uncertainty> run_bootstrap(const BootstrapArguments& arguments,
                                         const FittedModel& model, const Design& training,
                                         const FitOptions& options, Console& console) {
  if (!arguments.samples) {
    return std::nullopt;
  }
  SearchProgress progress(console);
  const std::size_t wanted = *arguments.samples;
  const BootstrapSamples samples =
      bootstrap(model, training, options, wanted,
                [&](std::size_t done) { progress.show("bootstrap", done, wanted); });
  if (samples.constants.cols() < 2) {
    return std::nullopt;
  }
  return percentile_intervals(model, training, samples,
                              arguments.confidence.value_or(default_confidence));
}

}  // namespace perfmodel::cli
