#include "trust/prediction_intervals.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "choice/fit_with_gp.hpp"
#include "columns/replicates.hpp"
#include "fit/censored.hpp"
#include "fit/fit_from_prior.hpp"
#include "forms/beyond.hpp"
#include "forms/scaling_belief.hpp"
#include "search/sensitivity.hpp"
#include "table/expressions.hpp"
#include "table/table.hpp"
#include "trust/cross_validation.hpp"

namespace perfmodel {
namespace {

/// Up to kMostScores scores, all are stored; of more, kEndScores at each end and evenly spaced ones
/// between, which makes an interval at most a little wider.
constexpr std::size_t kMostScores = 240;
constexpr std::size_t kEndScores = 40;
constexpr double kScoresPerUnit = 1e6;
std::vector<std::size_t> kept_ranks(std::size_t count) {
  std::vector<std::size_t> out;
  const std::size_t between = kMostScores - 2 * kEndScores;
  const std::size_t inner = count > 2 * kEndScores ? count - 2 * kEndScores : 0;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    const bool at_end = rank <= kEndScores || rank > count - kEndScores;
    // Keeps an inner rank if the count of evenly spaced ranks goes up at it.
    const std::size_t place = rank - std::min(rank, kEndScores);
    const bool chosen =
        count <= kMostScores || at_end || place * between / inner != (place - 1) * between / inner;
    if (chosen)
      out.push_back(rank);
  }
  return out;
}

std::size_t rank_of(double quantile, std::size_t count) {
  const double places = static_cast<double>(count) + 1;
  return static_cast<std::size_t>(std::ceil(places * quantile - kRankSlack));
}

/// Largest ratio of a score to the next smaller one, among scores of at least 1 standard deviation.
constexpr double kMostOverNext = 2;

/// What to add to `deviations` in quadrature so that half of the errors are as small as predicted.
double added_deviation_of(const Eigen::VectorXd& errors, const Eigen::VectorXd& deviations) {
  const double typical = median(errors.cwiseAbs()) / kHalfAreSmaller;
  return std::sqrt(std::max(0.0, std::pow(typical, 2) - std::pow(median(deviations), 2)));
}

/// Limits the outermost scores, so that neither a single row decides nor the repeats of a single
/// configuration, which are held out together.
void limit_ends(std::vector<double>& scores) {
  for (std::size_t i = scores.size() / 2; i + 1 < scores.size(); ++i)
    scores[i + 1] = std::min(scores[i + 1], kMostOverNext * std::max(scores[i], 1.0));
  for (std::size_t i = scores.size() / 2; i > 0; --i)
    scores[i - 1] = std::max(scores[i - 1], kMostOverNext * std::min(scores[i], -1.0));
}

}  // namespace

double highest_level(std::size_t count) {
  return std::max(0.0, 1 - 2 / (static_cast<double>(count) + 1));
}

std::size_t rows_for_quantile(double quantile) {
  return static_cast<std::size_t>(std::ceil(quantile / (1 - quantile) - kRankSlack));
}

void move_to_quantile(FittedModel& model, double quantile) {
  PredictionIntervals& intervals = model.known.intervals.value();
  const std::size_t rank = rank_of(quantile, intervals.count);
  const auto place =
      std::min(std::ranges::lower_bound(intervals.ranks, rank), intervals.ranks.end() - 1) -
      intervals.ranks.begin();
  double shift = intervals.scores[static_cast<std::size_t>(place)];
  if (rank > intervals.count)
    shift = std::max(shift, normal_quantile(quantile) * model.belief->held_out_deviation());
  for (double& score : intervals.scores)
    score = std::round((score - shift) * kScoresPerUnit) / kScoresPerUnit;
  const double factor = std::exp(shift);
  Refitted moved = times_factor(model.form, model.spec, model.constants, factor);
  model.form = std::move(moved.form);
  model.constants = std::move(moved.constants);
  model.bound =
      Bound{.quantile = quantile, .factor = factor, .train = {}, .validation = {}, .test = {}};
}

BoundUse bound_use(const Eigen::VectorXd& measured, const Eigen::VectorXd& bounds) {
  const auto below = (measured.array() <= bounds.array()).count();
  return {static_cast<double>(below) / static_cast<double>(measured.size()),
          bounds.sum() / measured.sum()};
}

double typical_deviation(const PredictionIntervals& intervals) {
  const double all = intervals.held_out_deviation.value_or(0);
  return std::sqrt(
      std::max(0.0, (all - intervals.added_deviation) * (all + intervals.added_deviation)));
}

namespace {

/// The standard deviation by which a score is divided, given the GP's `deviation`: adds the scatter
/// of the calibration rows beyond the GP's, scaled down for rows below the typical deviation.
double score_deviation(const PredictionIntervals& intervals, double deviation) {
  const double typical = typical_deviation(intervals);
  return deviation < typical ? deviation * std::hypot(1, intervals.added_deviation / typical)
                             : std::hypot(deviation, intervals.added_deviation);
}

}  // namespace

PredictionIntervals calibrate(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted,
                              Calibration calibration, double level,
                              const std::optional<Eigen::VectorXd>& deviations) {
  const std::size_t count = static_cast<std::size_t>(measured.size());
  for (Eigen::Index row = 0; row < measured.size(); ++row) {
    if (!is_time(predicted[row]))
      throw InputError(
          "a held-out row is predicted to take no time, or one too large for a number: no "
          "intervals can be given for this model; leave out " +
          spelled("coverage"));
  }
  PredictionIntervals out;
  out.level = level;
  out.calibration = calibration;
  out.by_deviation = deviations.has_value();
  Eigen::VectorXd errors = (measured.array() / predicted.array()).log();
  if (deviations) {
    out.added_deviation = added_deviation_of(errors, *deviations);
    out.held_out_deviation = std::hypot(median(*deviations), out.added_deviation);
    for (Eigen::Index row = 0; row < errors.size(); ++row)
      errors[row] /= score_deviation(out, (*deviations)[row]);
  }
  std::vector<double> scores(errors.begin(), errors.end());
  std::ranges::sort(scores);
  if (deviations && calibration == Calibration::cross_validation)
    limit_ends(scores);
  out.count = count;
  out.ranks = kept_ranks(count);
  for (const std::size_t rank : out.ranks) {
    const double units = scores[rank - 1] * kScoresPerUnit;
    out.scores.push_back((2 * rank <= count ? std::floor(units) : std::ceil(units)) /
                         kScoresPerUnit);
  }
  return out;
}

Eigen::Array<bool, Eigen::Dynamic, 1> covered(const RowIntervals& intervals,
                                              const Eigen::VectorXd& measured,
                                              const Eigen::VectorXd& predicted) {
  return measured.array() >= predicted.array() * intervals.lower &&
         measured.array() <= predicted.array() * intervals.upper;
}

double covered_share(const RowIntervals& intervals, const Eigen::VectorXd& measured,
                     const Eigen::VectorXd& predicted) {
  return static_cast<double>(covered(intervals, measured, predicted).count()) /
         static_cast<double>(measured.size());
}

IntervalFactors interval_factors(const PredictionIntervals& intervals, double level,
                                 double deviation) {
  const std::vector<std::size_t>& ranks = intervals.ranks;
  if (intervals.count == 0)
    return {};
  auto [low, high] = end_ranks(level, intervals.count);
  low = std::max<std::size_t>(low, 1);
  high = std::min(high, intervals.count);
  // The stored ranks nearest to each end, at it or beyond.
  const auto lower = std::ranges::upper_bound(ranks, low) - 1 - ranks.begin();
  const auto upper = std::ranges::lower_bound(ranks, high) - ranks.begin();
  return {std::exp(deviation * std::min(0.0, intervals.scores[static_cast<std::size_t>(lower)])),
          std::exp(deviation * std::max(0.0, intervals.scores[static_cast<std::size_t>(upper)]))};
}

namespace {

/// From this many rows on, a formula and its calibration rows stand for themselves.
constexpr std::size_t kManyRows = 400;

/// Weight of what n rows say against a prior that is worth `worth` rows: n / (n + worth), lifted so
/// that kManyRows rows have all the weight.
double weight_of_rows(double rows, double worth) {
  return std::min(1.0, rows / (rows + worth) * (1 + worth / static_cast<double>(kManyRows)));
}

/// What belief and scores of a model are worth, in rows.
constexpr double kWorthOfBelief = 100;

}  // namespace

double share_of_folds(const FittedModel& model) {
  if (!model.belief || model.bound)
    return 1;
  // Repeats say more of the noise, but nothing of other configurations.
  const PredictionIntervals& intervals = model.known.intervals.value();
  if (model.belief->configurations() >= kManyRows &&
      intervals.level <= highest_level(intervals.count))
    return 1;  // the process was not judged by held-out rows
  const auto rows = static_cast<double>(intervals.count);
  const auto configurations = static_cast<double>(model.belief->configurations());
  return weight_of_rows(std::sqrt(rows * std::min(rows, configurations)), kWorthOfBelief);
}

RowIntervals row_intervals(const PredictionIntervals& intervals, double level, std::size_t rows,
                           const std::optional<GpReach>& reach) {
  const IntervalFactors same = interval_factors(intervals, level);
  RowIntervals out{Eigen::ArrayXd::Constant(index(rows), same.lower),
                   Eigen::ArrayXd::Constant(index(rows), same.upper)};
  for (Eigen::Index row = 0; intervals.by_deviation && row < out.lower.size(); ++row) {
    const IntervalFactors own = interval_factors(
        intervals, level, score_deviation(intervals, reach.value().deviations[row]));
    out.lower[row] = own.lower;
    out.upper[row] = own.upper;
  }
  return out;
}

RowIntervals row_intervals(const FittedModel& model, double level, const Design& design,
                           const std::optional<GpReach>& reach) {
  RowIntervals out = row_intervals(model.known.intervals.value(), level, design.rows, reach);
  if (!model.belief)
    return out;
  const double of_folds = share_of_folds(model);
  const BelievedTimes believed = believed_times(model, design, of_folds < 1);
  // One by one: vectorised logarithms round the elements of the last, incomplete vector
  // differently.
  const Eigen::VectorXd predicted =
      predict(model, design).unaryExpr([](double time) { return std::log(time); });
  const double z = normal_quantile((1 + level) / 2);
  const double of_bound = model.bound ? normal_quantile(model.bound->quantile) : 0;
  for (Eigen::Index row = 0; row < predicted.size(); ++row) {
    const double beyond = z * believed.beyond[row];
    const double width = z * std::hypot(believed.deviation[row], believed.beyond[row]);
    const double shift = believed.mean[row] - predicted[row];
    const double bound = of_bound * believed.beyond[row];
    const double low =
        of_folds * -std::hypot(std::log(out.lower[row]), beyond) + (1 - of_folds) * (shift - width);
    const double high =
        of_folds * std::hypot(std::log(out.upper[row]), beyond) + (1 - of_folds) * (shift + width);
    out.lower[row] = std::exp(std::min(0.0, low - bound));
    out.upper[row] = std::exp(std::max(0.0, high - bound));
  }
  return out;
}

RowIntervals row_intervals(const FittedModel& model, double level, const Design& design) {
  return row_intervals(model, level, design,
                       model.form->gp_reach(model.spec, model.constants, design));
}

std::optional<IntervalFactors> usual_factors(const FittedModel& model) {
  const PredictionIntervals& intervals = model.known.intervals.value();
  if (intervals.by_deviation && intervals.count > 0 && !intervals.held_out_deviation)
    return std::nullopt;
  const IntervalFactors own =
      interval_factors(intervals, intervals.level, intervals.held_out_deviation.value_or(1));
  const double of_folds = share_of_folds(model);
  if (of_folds == 1)
    return own;
  const double width =
      normal_quantile((1 + intervals.level) / 2) * model.belief->held_out_deviation();
  return IntervalFactors{std::exp(of_folds * std::log(own.lower) - (1 - of_folds) * width),
                         std::exp(of_folds * std::log(own.upper) + (1 - of_folds) * width)};
}

namespace {

/// With more rows, the refits would take longer than the fit.
constexpr std::size_t kMostRefitRows = 600;
constexpr std::size_t kRefitFolds = 10;
/// A column's values are grouped into at most kValues bins, of which up to kEdges are held out.
constexpr std::size_t kValues = 8;
constexpr std::size_t kEdges = 3;
constexpr std::size_t kMostJudged = 32;       ///< by an extrapolation fold
constexpr std::size_t kMostOfManyKnown = 64;  ///< configurations of its process, if there are many
constexpr std::size_t kMostEdges = 72;        ///< of all columns together, but at least one of each
constexpr std::size_t kOtherHyperParameters = 2;  ///< of a GP, in addition to one per column

/// The groups of the rows, renumbered from 0 in the order of their first appearance.
RowGroups numbered(const std::vector<std::size_t>& group_of, const std::vector<std::size_t>& rows) {
  RowGroups out;
  std::map<std::size_t, std::size_t> numbers;
  for (const std::size_t row : rows)
    out.of_row.push_back(numbers.try_emplace(group_of[row], numbers.size()).first->second);
  out.count = numbers.size();
  return out;
}

/// A sample of at most kMostRefitRows rows: repeats are left out before groups are, and very large
/// groups are thinned evenly.
std::vector<std::size_t> sampled(const Design& training, const std::vector<std::size_t>& group_of,
                                 std::uint64_t seed) {
  const std::vector<std::size_t> all = without_most_repeats(training, kMostRefitRows);
  if (all.size() <= kMostRefitRows)
    return all;
  std::vector<std::size_t> out;
  for (const auto& group : shuffled_groups(numbered(group_of, all), seed)) {
    const std::size_t count = std::min(group.size(), kMostRefitRows / kRefitFolds);
    for (std::size_t i = 0; i < count && out.size() + count - i <= kMostRefitRows; ++i)
      out.push_back(all[group[i * group.size() / count]]);
  }
  std::ranges::sort(out);
  return out;
}

/// The values of a column behind which an extrapolation fold holds rows out: its largest value, its
/// two and its three largest; of a column of more than kValues values, bins of them. At least two
/// values remain. Many columns get fewer folds each.
std::vector<double> edges_of(const Design& runs, std::size_t numeric) {
  const std::size_t columns = runs.extrinsic.size() + runs.intrinsic.size();
  const std::size_t edges = std::clamp<std::size_t>(kMostEdges / columns, 1, kEdges);
  const NumericFactor& factor = numeric_factor(runs, numeric);
  std::set<double> distinct;
  for (std::size_t row = 0; row < runs.rows; ++row)
    distinct.insert(factor.value(row));
  const std::vector<double> values(distinct.begin(), distinct.end());
  const std::size_t step = (values.size() + kValues - 1) / kValues;
  std::vector<double> out;
  for (std::size_t k = 1; k <= edges && values.size() >= k * step + 2; ++k)
    out.push_back(values[values.size() - 1 - k * step]);
  return out;
}

/// Drops judged rows with levels that do not occur in the kept rows.
void drop_unseen_levels(const Design& runs, const std::vector<std::size_t>& kept,
                        std::vector<std::size_t>& judged) {
  for (const LevelFactor& factor : runs.categorical) {
    std::vector<bool> seen(factor.levels, false);
    for (const std::size_t row : kept)
      seen[factor.codes[row]] = true;
    std::erase_if(judged, [&](std::size_t row) { return !seen[factor.codes[row]]; });
  }
}

/// The GP's standard deviations of rows by which scores are divided.
std::optional<Eigen::VectorXd> deviations_of(const FittedModel& model, const Design& design,
                                             bool by_deviation) {
  const auto reach =
      by_deviation ? model.form->gp_reach(model.spec, model.constants, design) : std::nullopt;
  return reach ? std::optional(reach->deviations) : std::nullopt;
}

/// Corrects for the optimism of a selected form: it suits the rows by which it was selected better
/// than other rows, about as much as its constants and hyper-parameters suit the rows of their fit.
double selection_factor(const FittedModel& model, std::size_t rows) {
  if (!model.search.form || model.search.form->given)
    return 1;
  const auto all = static_cast<double>(rows);
  std::size_t constants = fitter_of(*model.form).constants_in_use(model);
  if (model.search.gp)
    constants += numeric_count(model.spec) + model.spec.categorical.size() + kOtherHyperParameters;
  const auto free = static_cast<double>(constants);
  return std::sqrt(all / std::max(all - free, all / 4));
}

/// What the process of the runs is worth beside a formula that predicts as well, in rows per input.
/// The ratio of their errors counts by its number of rows against kWorthOfRatio.
constexpr double kWorthOfProcess = 12;
constexpr double kWorthOfRatio = 10;
/// A smaller weight of the process is none: the formula then stands for itself.
constexpr double kLeastWeight = 0.05;
constexpr double kLeastError = 1e-9;

/// What deviations as the process says are worth beside held-out rows, in rows.
constexpr double kWorthOfSpread = 20;

/// What a widening of 1 is worth beside extrapolation folds, in folds; and the most of it.
constexpr double kWorthOfWidening = 2;
/// Few runs cannot foresee a bend: their edges may widen, but hardly narrow. In rows.
constexpr double kWorthOfNarrowing = 300;
constexpr double kMostWidening = 4;
/// What judged rows are worth: repeats of a configuration say more of the noise, but the same of
/// the configuration.
double worth_of_rows(double rows, double configurations) {
  return std::sqrt(rows * std::min(rows, configurations));
}

double worth_of_rows(const Design& judged) {
  return worth_of_rows(static_cast<double>(judged.rows),
                       static_cast<double>(configuration_groups(judged).count));
}

constexpr double kMostOfError = 3;  ///< deviations: a larger error counts as one of these

/// Per row, ln of the median time of its configuration: the noise of single runs would make two
/// predictions look as good as each other, the more, the better both are.
Eigen::ArrayXd log_medians(const Design& runs) {
  const RowGroups groups = configuration_groups(runs);
  std::vector<std::vector<double>> logs(groups.count);
  Eigen::ArrayXd out = runs.time.array().log();
  for (std::size_t row = 0; row < runs.rows; ++row)
    logs[groups.of_row[row]].push_back(out[index(row)]);
  for (std::size_t row = 0; row < runs.rows; ++row)
    out[index(row)] = sample_median(logs[groups.of_row[row]]);
  return out;
}

}  // namespace

/// The folds, then the extrapolation folds that can be judged.
void HeldOutFits::plan_folds(const FittedModel& model, const std::vector<std::size_t>& group_of,
                             const Refit& refit) {
  const RowGroups groups = numbered(group_of, indices(group_of.size()));
  if (groups.count >= 2) {
    for (auto& part : make_held_out_parts(groups, std::min(kRefitFolds, groups.count), seed_)) {
      std::vector<std::size_t> kept = other_rows(runs_.rows, part);
      folds_.push_back({.kept = std::move(kept), .judged = std::move(part)});
    }
  }
  random_ = folds_.size();
  for (std::size_t n = 0; n < numeric_count(model.spec); ++n) {
    const NumericFactor& factor = numeric_factor(runs_, n);
    const bool is_flat = is_flat_beyond(*model.form, model.spec, model.constants, runs_, n);
    for (const double edge : edges_of(runs_, n)) {
      Fold fold{.kept = {}, .judged = {}, .numeric = n, .edge = edge, .is_flat = is_flat};
      for (std::size_t row = 0; row < runs_.rows; ++row)
        (factor.value(row) <= edge ? fold.kept : fold.judged).push_back(row);
      drop_unseen_levels(runs_, fold.kept, fold.judged);
      std::erase_if(fold.judged, [&](std::size_t row) { return runs_.is_cut(row); });
      fold.judged = taken(fold.judged, some_rows_of(take_rows(runs_, fold.judged), kMostJudged));
      if (!fold.judged.empty() && fold.kept.size() >= refit.free_constants())
        folds_.push_back(std::move(fold));
    }
  }
}

/// The judged rows of an extrapolation fold, moved to its edge.
Design HeldOutFits::at_edge(const Fold& fold) const {
  Design out = take_rows(runs_, fold.judged);
  for (double& value : numeric_factor(out, *fold.numeric).values)
    value = std::min(value, fold.edge);
  return out;
}

/// True if formula and calibration rows are so many that nothing beside them counts within the
/// measured ranges.
bool HeldOutFits::stands_alone() const {
  return belief_->configurations() >= kManyRows;
}

bool HeldOutFits::needs_belief(const Fold& fold) const {
  return fold.numeric || !stands_alone();
}

void HeldOutFits::refit(const FittedModel& model, const Refit& refit, Fold& fold) const {
  const Design kept = take_rows(runs_, fold.kept);
  const Design judged = fold.is_flat ? at_edge(fold) : take_rows(runs_, fold.judged);
  FittedModel& other = fold.model.emplace(model);
  fold.formula = Eigen::VectorXd::Constant(index(judged.rows), std::nan(""));
  try {
    if (fold.kept.size() < refit.free_constants())
      throw InputError("too few rows");
    Refitted found = refit(kept);
    other.form = std::move(found.form);
    other.constants = std::move(found.constants);
    other.form->settle_unseen_levels(kept, other);
    fold.formula = log_times_of_formula(other, judged);
  } catch (const Error&) {
    fold.model.reset();  // too few rows for this formula: the process alone predicts them
  }
  if (!needs_belief(fold))
    return;
  const Design finished = finished_runs(kept);
  fold.belief = std::make_shared<const ScalingBelief>(
      belief_->after(model.spec, finished.rows > 0 ? finished : kept,
                     stands_alone() ? kMostOfManyKnown : ScalingBelief::kMostKnown));
}

std::optional<HeldOutFits> HeldOutFits::of(const FittedModel& model, const Design& training,
                                           const std::vector<std::size_t>& group_of,
                                           const FitOptions& options) {
  HeldOutFits out;
  out.seed_ = options.seed;
  out.spec_ = model.spec;
  out.by_deviation_ = !options.quantile;  // one factor moves a bound
  out.optimism_ = selection_factor(model, training.rows);
  const std::vector<std::size_t> rows = sampled(training, group_of, options.seed);
  out.runs_ = take_rows(training, rows);
  // The folds of a sample differ more than the folds of all rows would.
  out.share_of_rows_ = static_cast<double>(configuration_groups(out.runs_).count) /
                       static_cast<double>(configuration_groups(training).count);
  out.belief_ =
      std::make_shared<const ScalingBelief>(model.spec, finished_runs(training), options.seed);
  FitOptions of_refits = options;
  of_refits.loss = model.search.objective.loss;  // the loss that its constants minimise
  of_refits.quantile = model.search.objective.quantile;
  of_refits.threads = 1;
  of_refits.be_silent();
  const std::unique_ptr<Refit> refit = refit_of(model, out.runs_, of_refits);
  std::vector<std::size_t> groups;
  for (const std::size_t row : rows)
    groups.push_back(group_of[row]);
  out.free_ = static_cast<double>(refit->free_constants());
  out.plan_folds(model, groups, *refit);
  parallel_for(out.folds_.size(), options.threads, [&](std::size_t k) {
    if (!options.stop.stop_requested())
      out.refit(model, *refit, out.folds_[k]);
  });
  if (options.stop.stop_requested())
    return std::nullopt;
  const bool averages = options.as<AutomaticOptions>() != nullptr &&
                        options.residual != Residual::none && !options.quantile;
  const double share = averages ? out.share_of_formula() : 1;
  out.believe(share, 1, 1);
  const double spread = out.spread();
  out.believe(share, spread, 1);
  out.believe(share, spread, out.widening());
  out.belief_ = std::make_shared<const ScalingBelief>(
      out.belief_->with_held_out_deviation(out.held_out_deviation()));
  return out;
}

void HeldOutFits::believe(double share_of_formula, double spread, double widening) {
  const auto put = [&](std::shared_ptr<const ScalingBelief>& belief) {
    if (belief)
      belief =
          std::make_shared<const ScalingBelief>(belief->with(share_of_formula, spread, widening));
  };
  put(belief_);
  for (Fold& fold : folds_)
    put(fold.belief);
}

/// ln of the predictions for the judged rows of a fold.
Eigen::VectorXd HeldOutFits::log_predicted(const Fold& fold, const Design& judged) const {
  if (!fold.belief || (fold.belief->share_of_formula() == 1 && fold.formula.allFinite()))
    return fold.formula;
  return fold.belief->averaged(spec_, judged, fold.formula);
}

double HeldOutFits::share_of_formula() const {
  if (stands_alone())
    return 1;
  const auto configurations = static_cast<double>(belief_->configurations());
  double of_formula = kLeastError;
  double of_process = kLeastError;
  double rows = 0;
  for (std::size_t k = 0; k < random_; ++k) {
    if (!folds_[k].model)
      continue;
    const Design judged = take_rows(runs_, folds_[k].judged);
    const Eigen::ArrayXd measured = log_medians(judged);
    const auto predicted_at = [&](double share) -> Eigen::ArrayXd {
      return folds_[k].belief->with(share).averaged(spec_, judged, folds_[k].formula);
    };
    // By roots, so that an outlier, which nothing predicts, does not make both equal.
    of_formula += (predicted_at(1) - measured).abs().sqrt().sum();
    of_process += (predicted_at(0) - measured).abs().sqrt().sum();
    rows += worth_of_rows(judged);
  }
  const double known = of_formula < of_process ? std::max(0.0, rows - free_) : rows;
  const double ratio = std::pow(of_formula / of_process, 4 * known / (known + kWorthOfRatio));
  const auto inputs = static_cast<double>(numeric_count(spec_) + spec_.categorical.size());
  const double share = weight_of_rows(configurations, kWorthOfProcess * inputs * ratio);
  return 1 - share < kLeastWeight ? 1 : share;
}

double HeldOutFits::spread() const {
  if (stands_alone())
    return 1;
  double sum = kWorthOfSpread;
  double weights = kWorthOfSpread;
  for (std::size_t k = 0; k < random_; ++k) {
    const Fold& fold = folds_[k];
    const Design judged = take_rows(runs_, fold.judged);
    const BelievedTimes said =
        fold.belief->beside(spec_, judged, judged, fold.formula, fold.formula);
    const Eigen::ArrayXd errors = log_predicted(fold, judged).array() - judged.time.array().log();
    const double most = kMostOfError * kMostOfError;
    const double weight = worth_of_rows(judged);
    sum += weight * (errors / said.deviation.array()).square().min(most).mean();
    weights += weight;
  }
  return std::sqrt(sum / weights);
}

double HeldOutFits::held_out_deviation() const {
  if (stands_alone())
    return 0;
  std::vector<double> all;
  for (std::size_t k = 0; k < random_; ++k) {
    const Fold& fold = folds_[k];
    const Design judged = take_rows(runs_, fold.judged);
    const BelievedTimes said =
        fold.belief->beside(spec_, judged, judged, fold.formula, fold.formula);
    all.insert(all.end(), said.deviation.begin(), said.deviation.end());
  }
  return all.empty() ? 0 : median(all);
}

double HeldOutFits::widening() const {
  double sum = kWorthOfWidening;
  double weights = kWorthOfWidening;
  std::set<std::size_t> judged_columns;
  for (std::size_t k = random_; k < folds_.size(); ++k) {
    const Fold& fold = folds_[k];
    if (!fold.model)
      continue;
    const Design judged = take_rows(runs_, fold.judged);
    const Design edge = at_edge(fold);
    const BelievedTimes said = fold.belief->beside(spec_, judged, edge, fold.formula,
                                                   log_times_of_formula(*fold.model, edge));
    const Eigen::ArrayXd within = said.deviation.array().square();
    const Eigen::ArrayXd beyond = said.beyond.array().square();
    const Eigen::ArrayXd errors =
        (log_predicted(fold, judged).array() - judged.time.array().log()).square();
    const double more =
        (errors.min(kMostOfError * kMostOfError * (within + beyond)) - within).mean();
    if (!(beyond.mean() > 0) || !std::isfinite(more))
      continue;
    judged_columns.insert(*fold.numeric);
    const double weight = beyond.mean() / (within + beyond).mean();
    sum += weight * more / beyond.mean();
    weights += weight;
  }
  const double found = std::sqrt(std::clamp(sum / weights, 1 / kMostWidening, kMostWidening));
  if (judged_columns.size() < numeric_count(spec_))
    return std::max(found, 1.0);  // of a column without folds, others say nothing
  const auto configurations = static_cast<double>(belief_->configurations());
  return found > 1 ? found : std::pow(found, weight_of_rows(configurations, kWorthOfNarrowing));
}

PredictionIntervals HeldOutFits::intervals(const FittedModel& model,
                                           const std::optional<Design>& validation,
                                           double level) const {
  if (validation) {
    const Eigen::VectorXd predicted = predict(model, *validation);
    return calibrate(times_with_draws(*validation, predicted, seed_), predicted,
                     Calibration::validation, level,
                     deviations_of(model, *validation, by_deviation_));
  }
  if (random_ == 0) {
    PredictionIntervals none;
    none.level = level;
    none.calibration = Calibration::cross_validation;
    return none;
  }
  Eigen::VectorXd predicted(index(runs_.rows));
  Eigen::VectorXd deviations = Eigen::VectorXd::Ones(index(runs_.rows));
  bool has_deviations = by_deviation_ && has_gp(*model.form);
  for (std::size_t k = 0; k < random_; ++k) {
    const Fold& fold = folds_[k];
    const std::vector<Eigen::Index> at(fold.judged.begin(), fold.judged.end());
    const Design judged = take_rows(runs_, fold.judged);
    predicted(at) = log_predicted(fold, judged).array().exp();
    const auto own = fold.model ? deviations_of(*fold.model, judged, by_deviation_) : std::nullopt;
    has_deviations = has_deviations && own;
    if (own)
      deviations(at) = *own;
  }
  const Eigen::VectorXd measured = times_with_draws(runs_, predicted, seed_);
  const Eigen::ArrayXd ratios = predicted.array() / measured.array();
  // Predictions of a mean are centred; those of a quantile are off by a factor.
  const double centre = model.search.objective.quantile ? median(ratios.matrix()) : 1;
  predicted = measured.array() * centre * (ratios / centre).pow(optimism_);
  return calibrate(measured, predicted, Calibration::cross_validation, level,
                   has_deviations ? std::optional(deviations) : std::nullopt);
}

Eigen::VectorXd HeldOutFits::half_widths(const FittedModel& model,
                                         const Quantities& quantities) const {
  std::vector<Eigen::VectorXd> of_folds;
  for (std::size_t k = 0; k < random_; ++k) {
    if (!folds_[k].model)
      continue;
    FittedModel other = model;
    other.form = folds_[k].model->form;
    other.constants = folds_[k].model->constants;
    other.belief = folds_[k].belief;
    of_folds.push_back(quantities(other));
  }
  if (of_folds.size() < 2)
    return {};
  const auto count = static_cast<double>(of_folds.size());
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(of_folds.front().size());
  for (const Eigen::VectorXd& own : of_folds)
    mean += own / count;
  Eigen::VectorXd squares = Eigen::VectorXd::Zero(mean.size());
  for (const Eigen::VectorXd& own : of_folds)
    squares += (own - mean).cwiseAbs2();
  const double factor = std::sqrt(share_of_rows_) * optimism_ * t_quantile_95(of_folds.size() - 1);
  return factor * ((count - 1) / count * squares).cwiseSqrt();
}

}  // namespace perfmodel
