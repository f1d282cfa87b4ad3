#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "perfmodel/data/split.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/fit/fitted_model.hpp"

namespace CLI {
class App;
}

namespace perfmodel::cli {

/// What `fit` shall learn from rows that a fit has not seen.
struct HeldOutArguments {
  struct Folds {
    std::optional<std::size_t> count;  ///< nothing: one per group
  };
  std::optional<Folds> folds;
  std::optional<std::string> group_by;
  std::optional<double> coverage;
};

/// `--folds`, `--group-by` and `--coverage` of fit.
void add_held_out_options(CLI::App& app, HeldOutArguments& arguments);

/// `--coverage L` alone, for commands that read a model.
void add_coverage(CLI::App& app, std::optional<double>& coverage, const std::string& description);

/// The intervals of a model that was read from `file`, at this level or its own. Nothing where the
/// model has none and none are asked for; throws InputError where they are.
std::optional<IntervalFactors> interval_of(const FittedModel& model, std::optional<double> coverage,
                                           const std::string& file);

/// Folds over the training rows, where any are needed.
struct HeldOutPlan {
  std::vector<std::vector<std::size_t>> parts;
  std::optional<std::string> group_by;
};

/// Settles before a long fit whether what was asked for can be had. Throws UsageError.
HeldOutPlan plan_held_out(const HeldOutArguments& arguments, const Table& table, const Split& split,
                          const Design& training, std::uint64_t seed);

/// Cross-validates and calibrates as asked for, and counts how many of the test rows lie in their
/// intervals. Where a signal cuts that short the model is
/// without.
void add_held_out(const HeldOutArguments& arguments, const HeldOutPlan& plan, const Table& table,
                  const Split& split, const Design& training, const FitOptions& options,
                  const std::optional<Design>& test, FittedModel& model, Console& console);

/// The part of the summary about these; empty where there is none.
std::string held_out_section(const FittedModel& model, const Console& console);

}  // namespace perfmodel::cli
