#pragma once

#include <cstddef>
#include <optional>

#include "cli/console.hpp"
#include "perfmodel/fit/fitted_model.hpp"

namespace CLI {
class App;
}

namespace perfmodel::cli {

struct BootstrapArguments {
  std::optional<std::size_t> samples;
  std::optional<double> confidence;
};

/// `--bootstrap` and `--confidence`.
void add_bootstrap_options(CLI::App& app, BootstrapArguments& arguments);

/// Throws UsageError where they do not go with each other.
void check_bootstrap(const BootstrapArguments& arguments);

/// Intervals of the constants where they were asked for; nothing where they were not, or where an
/// interruption left less than two samples.
std::optional<Uncertainty> run_bootstrap(const BootstrapArguments& arguments,
                                         const FittedModel& model, const Design& training,
                                         const FitOptions& options, Console& console);

}  // namespace perfmodel::cli
