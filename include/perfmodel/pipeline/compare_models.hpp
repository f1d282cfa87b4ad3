#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "perfmodel/analysis/compare/comparison.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/pipeline/prepared_runs.hpp"

namespace perfmodel {

class TaskShare;

/// How the models of a comparison are fitted.
struct CompareRequest {
  FitOptions options;        ///< expression, loss and penalty are set model by model
  std::optional<Loss> loss;  ///< nothing: each expression has its own default
  double l1 = 0.001;         ///< of the second and third model; the lambda that the paper chose
  double l2 = 0.001;
};

/// Eq. (4) without a penalty and with either, a sum of product terms where its terms can be chosen
/// (terms_can_be_chosen()), one product with a residual process (which no other method than
/// `scaled` fits), and the black boxes that were built in, all on the same rows. `done` is told
/// after each how many of all models are done. Where calls share the models, which are numbered
/// from `first_task`, those of others are missing.
///
/// Throws Interrupted after a stop request.
std::vector<ModelScore> compare_models(
    const PreparedRuns& runs, const CompareRequest& request,
    const std::function<void(std::size_t done, std::size_t all)>& done = nullptr,
    const TaskShare* share = nullptr, std::size_t first_task = 0);

/// How many models compare_models() compares.
std::size_t compared_model_count(const ModelSpec& spec, const CompareRequest& request);

}  // namespace perfmodel
