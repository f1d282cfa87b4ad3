#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/plan.hpp"
#include "cli/console.hpp"
#include "cli/model_sets.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel::cli {

/// The model to rank configurations by, and those of targets that conditions bound.
struct RankingModels {
  FittedModel ranked;
  std::vector<FittedModel> bounded;

  /// The inputs of all of them.
  std::vector<std::string> columns() const;
};

/// Of a set with one key: the model of the only target that no condition names, and those of the
/// named ones. Throws UsageError for several keys, and for several or no such targets, and
/// InputError as picked_model() does.
RankingModels ranking_models(const SetLines& set, const std::vector<std::string>& conditions);

/// The targets that conditions bound, which the console is told about. `models` and `space` must
/// outlive them; `coverage`, `file`: as for certainty_of().
std::vector<plan::BoundedTarget> bounded_targets(const std::vector<FittedModel>& models,
                                                 const plan::Space& space,
                                                 std::optional<double> coverage,
                                                 const std::string& file, Console& console);

}  // namespace perfmodel::cli
