#pragma once

#include <cstddef>
#include <optional>

#include "perfmodel/pipeline/fit_runs.hpp"

namespace perfmodel::cli {

class OptionSet;

struct BootstrapArguments {
  std::optional<std::size_t> samples;
  std::optional<double> confidence;
};

/// `--bootstrap` and `--confidence`.
void add_bootstrap_options(OptionSet& app, BootstrapArguments& arguments);

/// Throws UsageError where they do not go with each other.
void check_bootstrap(const BootstrapArguments& arguments);

/// Nothing where none are asked for.
std::optional<BootstrapRequest> bootstrap_request(const BootstrapArguments& arguments);

}  // namespace perfmodel::cli
