#pragma once

#include <optional>
#include <string>

#include "cli/terminal/console.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/pipeline/held_out.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel::cli {

class OptionSet;

/// `--folds`, `--group-by` and `--coverage` of fit.
void add_held_out_options(OptionSet& app, HeldOutRequest& request);

/// `--coverage L` alone, for commands that read a model.
void add_coverage(OptionSet& app, std::optional<double>& coverage, const std::string& description);

/// The level of the intervals of a model that was read from `file`: this one, or its own. Nothing
/// where the model has none and none are asked for; throws InputError where they are.
std::optional<double> interval_level(const FittedModel& model, std::optional<double> coverage,
                                     const std::string& file);

/// How sure a model is of some rows.
struct Certainty {
  std::optional<ProcessReach> reach;  ///< of a model with a residual process
  std::optional<RowIntervals> intervals;
};

/// With the intervals of interval_level(), where there are any.
Certainty certainty_of(const FittedModel& model, std::optional<double> coverage,
                       const std::string& file, const Design& design);

/// The part of the summary about these; empty where there is none.
std::string held_out_section(const FittedModel& model, const Console& console);

}  // namespace perfmodel::cli
