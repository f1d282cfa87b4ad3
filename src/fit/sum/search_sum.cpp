#include "fit/sum/search_sum.hpp"

#include <algorithm>
#include <utility>

#include "fit/sum/descent/term_search.hpp"
#include "fit/sum/finish/goal_search.hpp"
#include "fit/sum/finish/simplify.hpp"
#include "fit/sum/terms/join_levels.hpp"
#include "fit/sum/terms/regimes.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

/// Scales of two values whose time grows: no run can tell a power from a ring, which grows less
/// beyond them.
std::vector<std::size_t> growing_pairs(const SelectionTask& task, const SumShape& shape,
                                       const Eigen::VectorXd& theta) {
  std::vector<std::size_t> out;
  for (const std::size_t numeric : shape.shared) {
    const bool ring =
        std::find(shape.rings.begin(), shape.rings.end(), numeric) != shape.rings.end();
    if (!ring && shape.terms > 0 && theta[shape.numeric_features[numeric]] > 0 &&
        is_count(numeric_factor(task.training, numeric), task.training.rows))
      out.push_back(numeric);
  }
  return out;
}

/// Where terms grow with a scale of two values each in its own way, none of them grows beyond it:
/// two values say nothing of how it would go on, and a small term can become any size.
MultiStructure with_capped_pairs(const SelectionTask& task, const SumShape& shape,
                                 const Eigen::VectorXd& theta) {
  MultiStructure out = task.coordinates.structure(shape);
  for (const std::size_t numeric : task.coordinates.two_valued()) {
    if (std::find(shape.shared.begin(), shape.shared.end(), numeric) != shape.shared.end())
      continue;
    for (Index k = 0; k < shape.terms; ++k) {
      if (theta[k * shape.features() + shape.numeric_features[numeric]] <= 0)
        continue;
      out.caps.resize(static_cast<std::size_t>(shape.terms));
      out.caps[static_cast<std::size_t>(k)].push_back({numeric, task.coordinates.high(numeric)});
    }
  }
  return out;
}

}  // namespace

std::size_t sum_starts(const FitOptions& options) {
  return options.starts.value_or(8);
}

SumOfTerms search_sum(const SelectionTask& task, const Candidate& chosen, SumThrows throws) {
  const FitOptions& options = task.options;
  const TermCoordinates& coordinates = task.coordinates;
  const SumShape& shape = chosen.shape;
  const TermData data = coordinates.data(shape);
  TermSearchOptions how;
  how.seed = options.seed;
  how.starts = sum_starts(options);
  how.ridge = chosen.ridge;
  how.threads = options.threads;
  how.instructions = options.instructions;
  how.stop = options.stop;
  std::vector<SumFit> path;
  extend_path(data, shape, how, path);
  // A ridge that the folds have chosen belongs to the loss that they go with; of another one, which
  // was asked for, the constants are an optimum.
  const bool is_own_loss = options.loss == Loss::soft_l1 && !options.terms;
  const double ridge = is_own_loss ? chosen.ridge : 0;
  const SumGoal goal(coordinates, shape, options, ridge);
  // The folds have judged the form by searches such as the one that led here: optima that only more
  // throws find are not what they have chosen.
  SumFit fit;
  fit.theta = path.back().theta;
  if (ridge == 0 && throws == SumThrows::several)
    fit = minimise_goal({data, shape, goal, options, how.starts}, fit.theta);
  fit = finish(data, shape, goal, fit,
               {.held = {}, .instructions = options.instructions, .stop = options.stop},
               kSettledSumGap);
  const std::vector<std::size_t> rings = growing_pairs(task, shape, fit.theta);
  if (!rings.empty()) {
    Candidate with_rings = chosen;
    with_rings.shape.rings.insert(with_rings.shape.rings.end(), rings.begin(), rings.end());
    return search_sum(task, with_rings, throws);
  }
  if (is_own_loss)
    fit = simplified({data, shape, goal, options}, coordinates.inputs(), fit);
  SumOfTerms out{
      options.terms ? coordinates.structure(shape) : with_capped_pairs(task, shape, fit.theta),
      coordinates.constants(shape, fit.theta),
      fit.evaluations,
      fit.gap,
      {std::nullopt, {{ridge, shape.intercept, shape.shared}}}};
  for (const SumFit& robust : path)
    out.evaluations += robust.evaluations;
  return out;
}

SumOfTerms search_parts(const ModelSpec& spec, const Parting& parting) {
  std::vector<SumOfTerms> sums;
  for (std::size_t level = 0; level < parting.levels.size(); ++level)
    sums.push_back(search_sum(parting.levels[level]->task(), parting.selections[level].chosen));
  return joined_levels(spec, parting.column, sums);
}

}  // namespace perfmodel
