#include "cli/commands/suggest/suggest_next.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/plan/belief.hpp"
#include "analysis/plan/enumeration.hpp"
#include "analysis/plan/next_runs.hpp"
#include "analysis/plan/sampling.hpp"
#include "base/index.hpp"
#include "base/random.hpp"
#include "base/readable.hpp"
#include "cli/commands/suggest/space_designs.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/shared_options.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv/csv.hpp"
#include "perfmodel/pipeline/runs_file.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kMostCandidates = 4000;
constexpr std::size_t kMostOfSpace = 1000;  // over which uncertainty is averaged

bool is_small(const plan::Space& space, std::size_t most) {
  const auto size = space.size();
  return size && *size <= static_cast<double>(most);
}

std::size_t allowed_in(const plan::Space& space) {
  const plan::Conditions conditions(space);
  std::size_t allowed = 0;
  plan::for_each_configuration(space, [&](const plan::Configuration& configuration) {
    if (conditions.hold(configuration))
      ++allowed;
  });
  return allowed;
}

/// A small space as a whole; of a large one, a random sample.
std::vector<plan::Configuration> sample(const plan::Space& space, std::size_t most,
                                        std::uint64_t seed) {
  std::size_t n = is_small(space, most) ? std::max<std::size_t>(1, allowed_in(space)) : most;
  while (true) {
    try {
      return plan::random_plan(space, n, seed, {}).configurations;
    } catch (const InputError&) {  // its conditions leave fewer
      if (n <= 1)
        throw;
      n /= 2;
    }
  }
}

std::vector<plan::Configuration> some(std::vector<plan::Configuration> configurations,
                                      std::size_t most, std::uint64_t seed) {
  if (configurations.size() > most) {
    RandomStream(seed, "space of interest").shuffle(std::span<plan::Configuration>(configurations));
    configurations.resize(most);
  }
  return configurations;
}

std::vector<plan::Configuration> candidates_of(const SuggestArguments& arguments,
                                               const plan::Space& space, std::uint64_t seed) {
  if (!arguments.among)
    return sample(space, kMostCandidates, seed);
  std::set<std::string> texts;
  for (const plan::SpaceColumn& column : space.columns)
    if (column.is_text())
      texts.insert(column.name);
  return plan::configurations_of(space, read_csv(*arguments.among, texts));
}

std::optional<Design> known_runs(const SuggestArguments& arguments, const FittedModel& model,
                                 Console& console) {
  if (arguments.runs) {
    RunsFile file = read_runs(*arguments.runs, categorical_columns(model.spec));
    for (const auto& left_out :
         {drop_failed_runs(file, model.spec), drop_unknown_levels(file.table, model.spec)})
      if (left_out && *arguments.runs != arguments.space)  // of which it was said
        console.warning(*left_out);
    return make_design(file.table, model.spec, Target::absent);
  }
  if (!model.form->process_belief(model.spec)) {
    console.notice("without --runs the model is taken to have seen " +
                   std::to_string(model.provenance.rows) + " average configurations of the space");
  }
  return std::nullopt;
}

Eigen::VectorXd times_within(const FittedModel& model, const Design& design,
                             const std::string& source) {
  Eigen::VectorXd times = predict(model, design);
  if (!std::all_of(times.begin(), times.end(), is_time)) {
    throw InputError(source +
                     ": the model predicts what is no time for some configurations; the space "
                     "reaches too far from the measured ones");
  }
  return times;
}

std::string percent_of_log(double deviation) {
  return short_number(100 * std::expm1(deviation)) + " %";
}

}  // namespace

void suggest_next(const SuggestArguments& arguments, const FittedModel& model,
                  SuggestionDocument& document, Console& console) {
  const plan::Space& space = document.space;
  const std::uint64_t seed = arguments.seed.value_or(kDefaultSeed);
  const auto candidates = candidates_of(arguments, space, seed);
  const Design wanted = design_of_space(
      space,
      arguments.among ? some(candidates, kMostOfSpace, seed) : sample(space, kMostOfSpace, seed),
      model.spec);
  const Design possible = design_of_space(space, candidates, model.spec);
  const double usual_time = times_within(model, wanted, space.source).mean();
  const double overhead = arguments.overhead.value_or(usual_time);
  const Eigen::VectorXd times = times_within(model, possible, space.source);
  // A run is not its iteration alone.
  const Eigen::VectorXd costs =
      (times.array() + overhead) * plan::prices(space, arguments.price, candidates).array();
  const plan::Belief belief(model, wanted, known_runs(arguments, model, console));
  const plan::NextRuns found = plan::next_runs(belief, wanted, possible, costs, *arguments.next);
  document.deviation = found.deviation;
  document.suggestions.searched = candidates.size();
  document.suggestions.allowed = candidates.size();
  document.suggestions.complete = !arguments.among && is_small(space, kMostCandidates);
  double deviation = found.deviation;
  for (const plan::NextRun& run : found.runs) {
    document.next.push_back({.suggestion = {.configuration = candidates[run.candidate],
                                            .time = times[index(run.candidate)],
                                            .cost = costs[index(run.candidate)]},
                             .run = run});
    deviation -= run.deviation_gain;
  }
  console.notice("runs over the space are expected to be off by " +
                 percent_of_log(found.deviation) + ", after " +
                 (found.runs.size() == 1 ? "this run" : "these runs") + " by " +
                 percent_of_log(deviation));
}

}  // namespace perfmodel::cli
