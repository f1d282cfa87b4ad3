#include "search/global_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "forms/eq4_form.hpp"
#include "forms/fit_options.hpp"
#include "optimise/newton.hpp"
#include "search/sensitivity.hpp"

namespace perfmodel {

namespace {

constexpr std::size_t kGroups = 12;

/// The group of each level; levels without rows are in the middle group.
std::vector<std::uint32_t> groups_of(const LevelFactor& factor, const WeightedRows& rows) {
  std::vector<double> log_times(factor.levels, 0);
  std::vector<double> weights(factor.levels, 0);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::uint32_t level = factor.codes[row];
    log_times[level] += rows.weight(row) * std::log(rows.design().time[index(row)]);
    weights[level] += rows.weight(row);
  }
  std::vector<std::size_t> order(factor.levels);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto mean = [&](std::size_t level) {
    return weights[level] > 0 ? log_times[level] / weights[level] : 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return mean(a) < mean(b); });
  std::vector<std::uint32_t> out(factor.levels, kGroups / 2);
  double before = 0;
  for (const std::size_t level : order) {
    if (weights[level] == 0)
      continue;
    const double middle = (before + weights[level] / 2) / rows.total_weight();
    out[level] =
        static_cast<std::uint32_t>(std::min<double>(kGroups - 1, std::floor(middle * kGroups)));
    before += weights[level];
  }
  return out;
}

/// The loss that the search minimises instead of the user's.
SignedLoss searched_loss(const FitOptions& options) {
  SignedLoss out(options);
  out.loss = facts_of(out.loss).searched_as;
  return out;
}

/// Slack in converting a bound on the cost to one on the sum of row losses, so that rounding does
/// not abandon a candidate that ties.
constexpr double kSlack = 1 + 1e-12;

}  // namespace

std::optional<LevelGroups> LevelGroups::make(const ModelSpec& spec, const WeightedRows& rows) {
  if (!has_many_levels(rows.design()))
    return std::nullopt;
  ModelSpec grouped = spec;
  std::vector<std::vector<std::uint32_t>> group_of;
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const LevelFactor& factor = rows.design().categorical[c];
    group_of.emplace_back();
    if (factor.levels < kManyLevels)
      continue;
    group_of.back() = groups_of(factor, rows);
    grouped.categorical[c].levels.clear();
    for (std::size_t g = 0; g < kGroups; ++g)
      grouped.categorical[c].levels.push_back(std::to_string(g));
  }
  LevelGroups out(std::move(grouped));
  out.group_of_ = std::move(group_of);
  for (const CategoricalInput& input : spec.categorical)
    out.levels_.push_back(input.levels.size());
  return out;
}

WeightedRows LevelGroups::group(const WeightedRows& rows) const {
  Design design = rows.design();
  for (std::size_t c = 0; c < group_of_.size(); ++c) {
    if (group_of_[c].empty())
      continue;
    design.categorical[c].levels = kGroups;
    for (std::uint32_t& code : design.categorical[c].codes)
      code = group_of_[c][code];
  }
  return rows.with(std::move(design));
}

VectorXd LevelGroups::of_levels(const VectorXd& of_groups) const {
  const auto first_level = index(layout_.level(0, 0));
  const auto first_power = index(layout_.intrinsic_power(0));
  const std::size_t levels = std::accumulate(levels_.begin(), levels_.end(), std::size_t{0});
  VectorXd out(of_groups.size() - (first_power - first_level) + index(levels));
  out.head(first_level) = of_groups.head(first_level);
  Index place = first_level;
  for (std::size_t c = 0; c < levels_.size(); ++c)
    for (std::size_t l = 0; l < levels_[c]; ++l)
      out[place++] = of_groups[index(layout_.level(c, group_of_[c].empty() ? l : group_of_[c][l]))];
  out.tail(of_groups.size() - first_power) = of_groups.tail(of_groups.size() - first_power);
  return out;
}

Objective::Objective(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                     const FitOptions& options)
    : space_(space),
      penalty_(penalty),
      loss_(searched_loss(options)),
      total_weight_(rows.total_weight()),
      scatter_(rows.scatter()),
      plan_(rows, space, loss_),
      evaluator_(plan_, options.threads, options.instructions) {}

double Objective::sum_above_loss(double loss) const {
  if (loss < 0)
    return 0;
  return kSlack * (total_weight_ * (facts_of(loss_.loss).is_root ? loss * loss : loss)) - scatter_;
}

void Objective::operator()(const Eigen::Ref<const MatrixXd>& candidates,
                           std::span<const double> abandon_above, std::span<double> costs) const {
  std::vector<double> penalties(costs.size(), 0);
  if (penalty_.active()) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      penalties[i] =
          penalty_(space_.scaled_from_coordinates(candidates.col(static_cast<Index>(i))));
    }
  }
  std::vector<double> sum_bounds(costs.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < costs.size(); ++i)
    sum_bounds[i] = sum_above_loss(kSlack * abandon_above[i] - penalties[i]);
  evaluator_(candidates, sum_bounds, costs);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double mean = (costs[i] + scatter_) / total_weight_;
    costs[i] = (facts_of(loss_.loss).is_root ? std::sqrt(mean) : mean) + penalties[i];
  }
}

namespace {

constexpr std::size_t kManyColumns = 24;
constexpr std::size_t kAttempts = 24;
constexpr std::size_t kTermsAtOnce = 8;
/// The search ends after this many attempts in succession whose costs are nearly the same: then the
/// local optima hardly differ.
constexpr std::size_t kAlike = 8;
constexpr double kNearlySame = 0.01;

/// Removes some of the terms in use, each with a random power to re-enter from.
VectorXd without_some_terms(const SearchSpace& space, const VectorXd& scaled,
                            RandomStream& random) {
  const Eq4Layout& layout = space.layout();
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < space.intrinsic_log_centres().size(); ++i)
    if (scaled[index(layout.coefficient(i))] > 0)
      used.push_back(i);
  random.shuffle(std::span(used));
  used.resize(std::min(kTermsAtOnce, used.size()));
  VectorXd out = scaled;
  for (const std::size_t i : used) {
    const auto a = index(layout.coefficient(i));
    const auto p = index(layout.intrinsic_power(i));
    out[a] = space.scaled().lower[a];
    out[p] = random.uniform(space.scaled().lower[p], space.scaled().upper[p]);
  }
  return out;
}

constexpr std::size_t kMostValues = 128;

std::pair<double, double> positive_range(const std::vector<double>& values) {
  std::pair<double, double> out = {std::numeric_limits<double>::infinity(), 0};
  for (const double value : values) {
    if (value > 0)
      out.first = std::min(out.first, value);
    out.second = std::max(out.second, value);
  }
  return out;
}

NumericFactor rounded_factor(const NumericFactor& factor, std::size_t rows) {
  const auto [least, largest] = positive_range(factor.values);
  const double low = std::log(least);
  const double width = (std::log(largest) - low) / static_cast<double>(kMostValues);
  constexpr std::uint32_t unused = std::numeric_limits<std::uint32_t>::max();
  constexpr std::size_t zero = kMostValues;  // after the other values
  std::vector<double> log_sums(kMostValues, 0);
  std::vector<double> members(kMostValues, 0);
  NumericFactor out;
  out.codes.reserve(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    if (factor.value(r) == 0) {
      out.codes.push_back(zero);
      continue;
    }
    const double log_value = std::log(factor.value(r));
    const auto place = std::min(kMostValues - 1,
                                static_cast<std::size_t>(std::max(0.0, (log_value - low) / width)));
    log_sums[place] += log_value;
    members[place] += 1;
    out.codes.push_back(static_cast<std::uint32_t>(place));
  }
  std::vector<std::uint32_t> code_of(kMostValues + 1, unused);
  for (std::size_t place = 0; place < kMostValues; ++place) {
    if (members[place] == 0)
      continue;
    code_of[place] = static_cast<std::uint32_t>(out.values.size());
    out.values.push_back(std::exp(log_sums[place] / members[place]));
  }
  if (std::find(out.codes.begin(), out.codes.end(), zero) != out.codes.end()) {
    code_of[zero] = static_cast<std::uint32_t>(out.values.size());
    out.values.push_back(0);
  }
  for (std::uint32_t& code : out.codes)
    code = code_of[code];
  return out;
}

/// Generations after which a population in very many dimensions hardly improves.
constexpr std::size_t kGenerationsForManyPowers = 30;
constexpr std::size_t kMembersForManyPowers = 400;

Start run_start(const Objective& objective, const WeightedRows& rows, const SearchSpace& space,
                const Regulariser& penalty, const FitOptions& options, std::size_t index) {
  optimise::DifferentialEvolutionOptions search = search_options(options, index);
  const bool reenters = polishes(options) && has_many_powers(space);
  const SearchSettings& given = search_settings(options);
  if (reenters && !given.generations && !given.tolerance)
    search.generations = kGenerationsForManyPowers;
  if (reenters && !given.population)
    search.population = std::clamp<std::size_t>(kMembersForManyPowers / space.layout().size(), 1,
                                                search.population);
  Start out;
  out.search = optimise::minimise(std::cref(objective), space.coordinates(), search);
  // This limit counts as converged, since the iterated local search continues from there.
  if (reenters && !given.generations &&
      out.search.termination == optimise::Termination::generation_limit)
    out.search.termination = optimise::Termination::converged;
  out.of_search = space.scaled_from_coordinates(out.search.best);
  if (polishes(options)) {
    out.finish =
        polish(rows, space, penalty, options, out.of_search, reenters ? kRoughGap : kLooseGap);
  } else {
    const optimise::QuasiNewtonResult end = optimise::quasi_newton(
        std::cref(objective), space.coordinates(), out.search.best, {.stop = options.stop});
    out.of_search = out.finish.at = space.scaled_from_coordinates(end.best);
    out.finish.cost = end.cost;
    out.finish.evaluations = end.evaluations;
  }
  return out;
}

/// Number of independent searches: the user's, else the default of the method.
std::size_t starts_of(const FitOptions& options) {
  return options.starts.value_or(search_defaults(method_of(options)).starts);
}

/// Growth of the samples from exploration to all rows.
constexpr std::size_t kSampleGrowth = 32;

/// Most constants that are identified in negligible time.
constexpr std::size_t kConstantsAtOnce = 200;

/// Sets the powers of terms with coefficient 0, which have no effect, to 0 or the nearest bound.
void clear_idle_powers(const Eq4Layout& layout, std::size_t intrinsic, const SearchSpace& space,
                       VectorXd& scaled) {
  for (std::size_t i = 0; i < intrinsic; ++i) {
    const Index power = static_cast<Index>(layout.intrinsic_power(i));
    if (scaled[static_cast<Index>(layout.coefficient(i))] != 0)
      continue;
    scaled[power] = std::clamp(0.0, space.scaled().lower[power], space.scaled().upper[power]);
  }
}

/// Relative gap of refits: other rows change the constants by far more. With many powers, hundreds
/// of steps would lead to an exact optimum.
constexpr double kGapOfRefits = 1e-4;
constexpr double kGapOfManyPowers = 1e-2;

/// Refits Eq. (4) by local refinement.
class Eq4Refit final : public Refit {
 public:
  Eq4Refit(const FittedModel& model, const Design& training, const FitOptions& options)
      : form_(model.form),
        options_(options),
        space_(model.spec, training, options),
        penalty_(space_, training, options),
        start_(space_.scaled_from_raw(model.constants)) {}

  Refitted operator()(const Design& runs) const override {
    const double gap = has_many_powers(space_) ? kGapOfManyPowers : kGapOfRefits;
    const WeightedRows rows = WeightedRows::merged(runs, options_.loss);
    return {form_,
            space_.raw_from_scaled(polish(rows, space_, penalty_, options_, start_, gap).at)};
  }

  std::size_t free_constants() const override { return space_.layout().size(); }

 private:
  std::shared_ptr<const Form> form_;
  const FitOptions& options_;
  SearchSpace space_;
  Regulariser penalty_;
  VectorXd start_;
};

}  // namespace

bool has_many_powers(const SearchSpace& space) {
  return space.intrinsic_log_centres().size() >= kManyColumns;
}

/// Iterated local search from an optimum (Lourenco, Martin and Stuetzle 2003): removes a few terms,
/// lets them re-enter with the powers that pay most, and keeps improvements.
Optimum reenter_terms(const WeightedRows& rows, const SearchSpace& space,
                      const Regulariser& penalty, const FitOptions& options, Optimum best) {
  RandomStream random(options.seed, "terms to take out");
  std::size_t alike = 0;
  for (std::size_t k = 0; k < kAttempts && alike < kAlike && !options.stop.stop_requested(); ++k) {
    Optimum trial = polish(rows, space, penalty, options,
                           without_some_terms(space, best.at, random), kRoughGap);
    alike = std::abs(trial.cost - best.cost) < kNearlySame * best.cost ? alike + 1 : 0;
    trial.evaluations += best.evaluations;
    if (trial.cost < best.cost)
      best = std::move(trial);
    else
      best.evaluations = trial.evaluations;
  }
  return best;
}

Design round_columns(const Design& design) {
  Design out = design;
  for (std::vector<NumericFactor>* factors : {&out.intrinsic, &out.extrinsic}) {
    for (NumericFactor& factor : *factors)
      if (factor.values.size() > kMostValues)
        factor = rounded_factor(factor, design.rows);
  }
  return out;
}

optimise::DifferentialEvolutionOptions search_options(const FitOptions& options,
                                                      std::size_t start) {
  const SearchDefaults defaults = search_defaults(method_of(options));
  const SearchSettings& given = search_settings(options);
  optimise::DifferentialEvolutionOptions out;
  out.strategy = given.strategy.value_or(optimise::Strategy::best1bin);
  out.updating = defaults.updating;
  out.population = given.population.value_or(defaults.population);
  out.generations = given.generations.value_or(defaults.generations);
  out.tolerance = given.tolerance.value_or(defaults.tolerance);
  out.seed = start == 0 ? options.seed : RandomStream(options.seed, "start", start).bits();
  out.stop = options.stop;
  if (start == 0)
    out.observer = options.observer;
  return out;
}

bool polishes(const FitOptions& options) {
  return method_of(options) == Method::scaled;
}

std::size_t exploration_rows_of(const FitOptions& options) {
  return search_settings(options).exploration_rows.value_or(
      search_defaults(method_of(options)).exploration_rows);
}

Explored best_start(const FitOptions& options, const std::function<Start(std::size_t)>& run) {
  std::vector<Start> starts(starts_of(options));
  parallel_for(starts.size(), options.threads, [&](std::size_t k) { starts[k] = run(k); });
  Explored out;
  out.best =
      *std::ranges::min_element(starts, {}, [](const Start& start) { return start.finish.cost; });
  for (const Start& start : starts)
    out.evaluations += start.search.evaluations + start.finish.evaluations;
  return out;
}

SearchSummary summary_of(const FitOptions& options) {
  SearchSummary out;
  out.method = method_of(options);
  out.objective = {options.loss, options.quantile, options.penalty};
  out.seed = options.seed;
  return out;
}

void describe_search(const Explored& found, const Design& training, const FitOptions& options,
                     const PenaltyTerms& penalty,
                     const std::function<VectorXd(const VectorXd&)>& constants_of,
                     FittedModel& model) {
  const auto cost_at = [&](const VectorXd& at) {
    model.constants = constants_of(at);
    return loss_value(SignedLoss(options), training.time, predict(model, training)) + penalty(at);
  };
  const auto& [search, of_search, finish] = found.best;
  const double cost_of_search = cost_at(of_search);
  const double cost = cost_at(finish.at);
  SearchSummary& out = model.search;
  out = summary_of(options);
  out.strategy = to_text(search_options(options).strategy);
  out.starts = starts_of(options);
  out.population = static_cast<std::size_t>(search.population.cols());
  out.generations = search.generations;
  out.termination = to_text(search.termination);
  // With noise-free data the search may already be exact: refinement then gains nothing.
  const bool gains = polishes(options) && cost < cost_of_search;
  out.polish_gain = gains ? 1 - cost / cost_of_search : 0;
  out.gap = finish.relative_gap;
  out.cost = cost;
  out.evaluations = found.evaluations;
  model.known.metrics.train = compute_metrics(training.time, predict(model, training));
  model.known.noise_floor = noise_floor(training);
}

std::optional<WeightedRows> random_sample(const WeightedRows& training, std::size_t wanted,
                                          std::uint64_t seed) {
  if (wanted == 0 || wanted >= training.size())
    return std::nullopt;
  std::vector<std::size_t> rows(training.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  RandomStream random(seed, "exploration rows");
  for (std::size_t i = 0; i < wanted; ++i)
    std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
  rows.resize(wanted);
  std::sort(rows.begin(), rows.end());
  return training.take(rows);
}

Explored explore(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                 const FitOptions& options) {
  const std::size_t exploration_rows = exploration_rows_of(options);
  const std::optional<WeightedRows> sample = random_sample(rows, exploration_rows, options.seed);
  const WeightedRows& explored = sample ? *sample : rows;
  const bool rounds = polishes(options) && exploration_rows > 0;
  const WeightedRows searched = rounds ? explored.with(round_columns(explored.design())) : explored;
  const Objective objective(searched, space, penalty, options);
  Explored out = best_start(options, [&](std::size_t k) {
    return run_start(objective, explored, space, penalty, options, k);
  });
  if (polishes(options) && has_many_powers(space)) {
    const std::size_t before = out.best.finish.evaluations;
    out.best.finish = reenter_terms(explored, space, penalty, options, out.best.finish);
    out.evaluations += out.best.finish.evaluations - before;
  }
  return out;
}

Explored explore(const LevelGroups& groups, const WeightedRows& rows, const FitOptions& options) {
  const WeightedRows grouped = groups.group(rows);
  const SearchSpace space(groups.spec(), grouped, options);
  const Regulariser penalty(space, grouped, options);
  Explored out = explore(grouped, space, penalty, options);
  out.best.of_search = groups.of_levels(out.best.of_search);
  out.best.finish.at = groups.of_levels(out.best.finish.at);
  return out;
}

FittedModel fit_eq4(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  if (facts_of(options.loss).of_sums)
    throw UsageError("the loss soft-l1 is for sums of product terms");
  const WeightedRows all = WeightedRows::merged(training, options.loss);
  const SearchSpace space(spec, all, options);
  const Regulariser penalty(space, all, options);
  const std::optional<LevelGroups> groups =
      polishes(options) ? LevelGroups::make(spec, all) : std::nullopt;
  Explored explored =
      groups ? explore(*groups, all, options) : explore(all, space, penalty, options);
  Start& best = explored.best;
  // The best start is refined on all rows. For far more rows than the sample, refinement on
  // intermediate samples brings it near first.
  for (std::size_t rows = kSampleGrowth * exploration_rows_of(options); polishes(options);
       rows *= kSampleGrowth) {
    const std::optional<WeightedRows> larger = random_sample(all, rows, options.seed);
    best.finish = polish(larger ? *larger : all, space, penalty, options, best.finish.at,
                         larger ? kLooseGap : kExactGap);
    explored.evaluations += best.finish.evaluations;
    if (!larger)
      break;
  }

  FittedModel model;
  clear_idle_powers(space.layout(), spec.intrinsic.size(), space, best.finish.at);
  model.spec = spec;
  describe_search(
      explored, training, options, penalty,
      [&](const VectorXd& scaled) { return space.raw_from_scaled(scaled); }, model);
  if (std::any_of(spec.extrinsic.begin(), spec.extrinsic.end(),
                  [&](const NumericInput& input) { return spec.is_derived_from(input.column); }))
    model.typical = central_configuration(spec, training);
  // A stopped large fit ends without the slow analysis of its constants.
  Findings findings;
  if (!options.stop.stop_requested() || space.layout().size() <= kConstantsAtOnce) {
    findings = identify(model, training, space, options, best.finish.at);
    model.known.identifiability = findings.identifiability;
  }
  model.warnings = find_warnings(model, training, findings);
  return model;
}

const Fitter& eq4_fitter() {
  static constexpr Fitter fitter = {
      [](const FittedModel& model) { return to_size((model.constants.array() != 0).count()); },
      refit_as<Eq4Refit>};
  return fitter;
}

}  // namespace perfmodel
