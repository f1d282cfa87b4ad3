#pragma once

#include <optional>
#include <string>

#include "cli/console.hpp"
#include "cli/option_set.hpp"
#include "perfmodel/fit.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel::cli {

/// Adds `--coverage L`, for commands that read a model.
void add_coverage(OptionSet& app, std::optional<double>& coverage, const std::string& description);

/// The level of the intervals: `coverage` or, without it, the model's. If the model of `file` has
/// no intervals, returns nullopt, or throws InputError if `coverage` is given.
std::optional<double> interval_level(const FittedModel& model, std::optional<double> coverage,
                                     const std::string& file);

struct Certainty {
  std::optional<double> level{};            ///< that of interval_level()
  std::optional<GpReach> reach{};           ///< only for a model with a residual process
  std::optional<RowIntervals> intervals{};  ///< of that level; nullopt if there is none
};

Certainty certainty_of(const FittedModel& model, std::optional<double> coverage,
                       const std::string& file, const Design& design);

/// The summary's section on cross-validation and intervals; empty if the model has neither.
std::string certainty_section(const FittedModel& model, const Console& console);

/// "a bound: 95 % of new runs are meant to stay at or below it".
std::string bound_notice(const Bound& bound);

}  // namespace perfmodel::cli
