#include <algorithm>
#include <cmath>
#include <span>

#include "analysis/model_words.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "columns/design.hpp"
#include "forms/scaling_belief.hpp"
#include "perfmodel/fit.hpp"
#include "suggest/plan.hpp"
#include "table/table.hpp"

namespace perfmodel::plan {
namespace {

class Chooser {
 public:
  Chooser(const FittedModel& model, const Space& space, const KnownRuns& known,
          const NextRequest& request)
      : model_(model), space_(space), known_(known), request_(request) {}

  NextPlan choose() && {
    find_candidates();
    leave_out_failing();
    out_.found.searched = out_.found.allowed = candidates_.size();
    out_.found.complete = !request_.among && is_small(space_, kMostCandidates);
    if (!candidates_.empty())
      choose_candidates();
    return std::move(out_);
  }

 private:
  const FittedModel& model_;
  const Space& space_;
  const KnownRuns& known_;
  const NextRequest& request_;
  std::vector<Configuration> candidates_;
  Eigen::VectorXd times_;  ///< predicted, of the candidates
  Eigen::VectorXd costs_;
  NextPlan out_;

  Suggestions ranked(const std::vector<Configuration>& some,
                     const SuggestionRequest& request) const {
    Space only = space_;
    only.rows = some;
    only.bonds.clear();
    only.orders.clear();
    return suggest(model_, only, request);
  }

  /// Those of the configurations that fulfil the conditions, by ascending predicted times.
  std::vector<Configuration> allowed_of(const std::vector<Configuration>& some) const {
    if (some.empty())
      return {};
    SuggestionRequest request = request_.ranking;
    request.most = some.size();
    request.most_p_fails = 1;
    return mapped(ranked(some, request).fastest, &Suggestion::configuration);
  }

  void find_candidates() {
    const bool for_fastest = request_.goal == Goal::fastest;
    std::vector<Configuration> all =
        request_.among ? *request_.among : sample(space_, kMostCandidates, request_.ranking.seed);
    all.insert(all.end(), space_.beyond.begin(), space_.beyond.end());
    if (!request_.ranking.conditions.empty())
      all = allowed_of(all);
    if (all.empty())
      throw InputError("no configuration of " + space_.source + " fulfils all conditions");
    std::set<Configuration> tried;
    if (!request_.among || for_fastest)
      tried.insert(known_.tried.begin(), known_.tried.end());
    std::ranges::copy_if(all, std::back_inserter(candidates_),
                         [&](const Configuration& each) { return !tried.contains(each); });
    out_.are_repeats = candidates_.empty();
    if (out_.are_repeats && for_fastest)
      throw InputError("every configuration of " + space_.source + " was measured");
    if (out_.are_repeats)
      candidates_ = std::move(all);
  }

  /// Lists the fastest of those that are left out.
  void leave_out_failing() {
    const double most = request_.ranking.most_p_fails;
    if (!(most < 1) || !model_.failures)
      return;
    out_.found.failing =
        ranked(candidates_, {.price = {}, .conditions = {}, .most_p_fails = most}).failing;
    out_.found.likely_to_fail = erase_likely_to_fail(model_, space_, candidates_, most);
  }

  /// Where the uncertainty is averaged: over the space, or over what is left of it if the
  /// candidates are only some of it.
  std::vector<Configuration> of_interest() const {
    const std::uint64_t seed = request_.ranking.seed;
    if (!request_.among && request_.ranking.conditions.empty())
      return sample(space_, kMostOfSpace, seed);
    std::vector<Configuration> out = candidates_;
    if (out.size() > kMostOfSpace) {
      RandomStream(seed, "space of interest").shuffle(std::span<Configuration>(out));
      out.resize(kMostOfSpace);
    }
    return out;
  }

  /// Throws InputError unless all are valid.
  Eigen::VectorXd times_of(const Design& design) const {
    Eigen::VectorXd times = predict(model_, design);
    if (!std::all_of(times.begin(), times.end(), is_time)) {
      throw InputError(space_.source +
                       ": for some configurations the model predicts no time > 0; the space "
                       "reaches too far from the measured ones");
    }
    return times;
  }

  Incumbent incumbent() {
    const auto measured = allowed_of(known_.measured);
    out_.best_is_measured = !measured.empty();
    out_.best = measured.empty()
                    ? times_.minCoeff()
                    : predict(model_, design_of_space(space_, {measured.front()}, model_.spec))[0];
    return {.best = std::log(*out_.best), .logs = times_.array().log()};
  }

  /// The costs by which runs are chosen: the run that tells laws apart comes first, since the
  /// belief knows of one law.
  Eigen::VectorXd costs_with_laws_first() const {
    Eigen::VectorXd out = costs_;
    if (!model_.known.laws)
      return out;
    const std::vector<std::string> names = space_.names();
    const auto column = std::ranges::find(names, model_.known.laws->column) - names.begin();
    const double value = telling_value(*model_.known.laws);
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      if (contains(space_.beyond, candidates_[k]) && candidates_[k][to_size(column)] == value)
        out[index(k)] = 0;
    return out;
  }

  void choose_candidates() {
    const Design wanted = design_of_space(space_, of_interest(), model_.spec);
    const Design possible = design_of_space(space_, candidates_, model_.spec);
    const double usual_time = times_of(wanted).mean();
    times_ = times_of(possible);
    // The cost of a run includes the time to start it. On a new machine, cheap runs tell only of
    // what bounds these.
    const double overhead =
        request_.overhead.value_or(known_.design ? usual_time : 3 * times_.maxCoeff());
    costs_ =
        (times_.array() + overhead) * prices(space_, request_.ranking.price, candidates_).array();
    const Belief belief(model_, wanted,
                        known_.design.value_or(take_rows(wanted, std::vector<std::size_t>())));
    std::optional<Incumbent> best;
    if (request_.goal == Goal::fastest)
      best = incumbent();
    const NextRuns chosen = next_runs(belief, wanted, possible, costs_with_laws_first(),
                                      request_.count, request_.told, std::move(best));
    out_.deviation = out_.deviation_after = chosen.deviation;
    for (const NextRun& run : chosen.runs)
      add(run);
  }

  void add(const NextRun& run) {
    const Configuration& configuration = candidates_[run.candidate];
    const Index place = index(run.candidate);
    Suggestion suggestion{configuration, times_[place], costs_[place]};
    for (const BoundedTarget& target : request_.ranking.bounded)
      suggestion.bounded.push_back(target.estimates({configuration}).front());
    out_.runs.push_back({std::move(suggestion), run});
    out_.deviation_after -= run.deviation_gain;
  }
};

}  // namespace

std::optional<std::string> drop_unknown_levels(Table& runs, const ModelSpec& spec) {
  const KnownLevelRows known = rows_of_known_levels(runs, spec);
  if (known.unknown.empty())
    return std::nullopt;
  const std::string words = runs.source + ": " + std::to_string(runs.rows() - known.rows.size()) +
                            " of " + std::to_string(runs.rows()) +
                            " rows are left out: " + because_of(known.unknown);
  if (known.rows.empty())
    throw InputError(words);
  runs = take_rows(runs, known.rows);
  return words;
}

KnownRuns known_runs(const FittedModel& model, const Space& space, RunsFile runs,
                     const std::function<void(const std::string&)>& warn) {
  KnownRuns out{.tried = contained_configurations(space, runs.table)};
  std::vector<std::string> left_out = leave_out_uncounted(runs, model.spec).warnings;
  if (auto unknown = drop_unknown_levels(runs.table, model.spec))
    left_out.push_back(*std::move(unknown));
  if (warn)
    std::ranges::for_each(left_out, warn);
  out.measured = contained_configurations(space, runs.table);
  out.design = make_design(runs.table, model.spec, Target::absent);
  return out;
}

NextPlan next_to_measure(const FittedModel& model, const Space& space, const KnownRuns& known,
                         const NextRequest& request) {
  return Chooser(model, space, known, request).choose();
}

}  // namespace perfmodel::plan
