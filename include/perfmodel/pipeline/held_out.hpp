#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/data/split.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

class TaskShare;

/// What a fit shall learn from rows that a fit has not seen.
struct HeldOutRequest {
  /// Folds of a coverage that is asked for without folds and without validation rows.
  static constexpr std::size_t default_folds = 10;

  struct Folds {
    std::optional<std::size_t> count;  ///< nothing: one per group
  };
  std::optional<Folds> folds;           ///< cross-validation over the training rows
  std::optional<std::string> group_by;  ///< nothing: rows of one configuration stay together
  std::optional<double> coverage;       ///< of prediction intervals, above 0 and below 1
};

/// Folds over the training rows, where any are needed.
struct HeldOutPlan {
  std::vector<std::vector<std::size_t>> parts;
  std::optional<std::string> group_by;
};

/// Settles before a long fit whether what was asked for can be had. Throws UsageError.
HeldOutPlan plan_held_out(const HeldOutRequest& request, const Table& table, const Split& split,
                          const Design& training, std::uint64_t seed);

/// The parts of the data that judge, besides the training rows. Either may be missing.
struct JudgingParts {
  std::optional<Design> validation;
  std::optional<Design> test;
};

/// Cross-validates and calibrates as asked for, and counts how many of the test rows lie in their
/// intervals. Where a stop request cuts that short the model is without. `fold_done` is told how
/// many folds are done, from one thread at a time. Of shared folds, which are numbered from
/// `first_fold`, all are there.
void add_held_out(const HeldOutRequest& request, const HeldOutPlan& plan, const Design& training,
                  const JudgingParts& judging, const FitOptions& options, FittedModel& model,
                  const std::function<void(std::size_t)>& fold_done,
                  const TaskShare* share = nullptr, std::size_t first_fold = 0);

}  // namespace perfmodel
