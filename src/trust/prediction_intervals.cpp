#include "trust/prediction_intervals.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "choice/fit_with_gp.hpp"
#include "columns/replicates.hpp"
#include "fit/censored.hpp"
#include "fit/fit_from_prior.hpp"
#include "forms/beyond.hpp"
#include "forms/form.hpp"
#include "perfmodel/error.hpp"
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

void require_level(double level, std::size_t count) {
  if (end_ranks(level, count).first > 0)
    return;
  const double needed = std::ceil(2 / (1 - level) - 1 - kRankSlack);
  throw UsageError(fmt::format(
      "--coverage {} needs at least {} held-out rows, and there are {}{}", to_text(level),
      to_text(needed), count,
      count > 1 ? ": they reach " + to_text(std::floor(1000 * highest_level(count)) / 1000) : ""));
}

void require_quantile(double quantile, std::size_t count) {
  if (rank_of(quantile, count) <= count)
    return;
  throw UsageError(fmt::format("--quantile {} needs at least {} held-out rows, and there are {}",
                               to_text(quantile),
                               to_text(std::ceil(quantile / (1 - quantile) - kRankSlack)), count));
}

void move_to_quantile(FittedModel& model, double quantile) {
  PredictionIntervals& intervals = model.intervals.value();
  require_quantile(quantile, intervals.count);
  const auto place = std::ranges::lower_bound(intervals.ranks, rank_of(quantile, intervals.count)) -
                     intervals.ranks.begin();
  const double shift = intervals.scores[static_cast<std::size_t>(place)];
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
  require_level(level, count);
  for (Eigen::Index row = 0; row < measured.size(); ++row) {
    if (!is_time(predicted[row]))
      throw InputError(
          "a held-out row is predicted to take no time, or one too large for a number: no "
          "intervals can be given for this model; leave out --coverage");
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
  std::sort(scores.begin(), scores.end());
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
  require_level(level, intervals.count);
  const auto [low, high] = end_ranks(level, intervals.count);
  // The stored ranks nearest to each end, at it or beyond.
  const auto lower = std::upper_bound(ranks.begin(), ranks.end(), low) - 1 - ranks.begin();
  const auto upper = std::lower_bound(ranks.begin(), ranks.end(), high) - ranks.begin();
  return {std::exp(deviation * std::min(0.0, intervals.scores[static_cast<std::size_t>(lower)])),
          std::exp(deviation * std::max(0.0, intervals.scores[static_cast<std::size_t>(upper)]))};
}

std::optional<IntervalFactors> usual_factors(const PredictionIntervals& intervals) {
  if (intervals.by_deviation && !intervals.held_out_deviation)
    return std::nullopt;
  return interval_factors(intervals, intervals.level, intervals.held_out_deviation.value_or(1));
}

namespace {

/// Half the width of the interval of ln t.
double half_width(const IntervalFactors& factors) {
  return std::log(factors.upper / factors.lower) / 2;
}

/// The default level, or the highest that the calibration rows reach.
double reached_level(const PredictionIntervals& intervals) {
  return std::min(PredictionIntervals::default_level, highest_level(intervals.count));
}

}  // namespace

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
  RowIntervals out = row_intervals(model.intervals.value(), level, design.rows, reach);
  const Eigen::VectorXd ends = moves_beyond(model.spec, growths_beyond(model, level), design);
  const Eigen::VectorXd bound = moves_beyond(model.spec, bound_growths(model), design);
  for (Eigen::Index row = 0; row < ends.size(); ++row) {
    out.lower[row] = std::min(1.0, out.lower[row] * std::exp(-ends[row] - bound[row]));
    out.upper[row] = std::max(1.0, out.upper[row] * std::exp(ends[row] - bound[row]));
  }
  return out;
}

RowIntervals row_intervals(const FittedModel& model, double level, const Design& design) {
  return row_intervals(model, level, design,
                       model.form->gp_reach(model.spec, model.constants, design));
}

namespace {

/// With more rows, the refits would take longer than the fit.
constexpr std::size_t kMostRefitRows = 600;
constexpr std::size_t kRefitFolds = 10;
/// A column's values are grouped into at most kValues bins, of which up to kEdges are held out.
constexpr std::size_t kValues = 8;
constexpr std::size_t kEdges = 3;
constexpr std::size_t kMostEdges = 72;  ///< of all columns together, but at least one of each
constexpr std::size_t kLeastRows = 5;   ///< held out by an extrapolation fold
constexpr double kLargestError = 10;
/// Clamps growths: a power that is off by more was not identifiable from the rows up to the edge.
constexpr double kMostGrowth = 1.5;
constexpr std::size_t kOtherHyperParameters = 2;  ///< of a GP, in addition to one per column

/// A fold of cross-validation: rows to fit and rows to judge.
struct Judgement {
  std::vector<std::size_t> kept;
  std::vector<std::size_t> judged;
  std::optional<std::size_t> numeric = {};  ///< column of an extrapolation fold
  double edge = 0;
  bool is_flat = false;  ///< whether the time is constant beyond the largest measured value
};

/// The groups of the rows, renumbered from 0 in the order of their first appearance.
RowGroups numbered(const std::vector<std::size_t>& group_of, const std::vector<std::size_t>& rows) {
  RowGroups out;
  std::map<std::size_t, std::size_t> numbers;
  for (const std::size_t row : rows)
    out.of_row.push_back(numbers.try_emplace(group_of[row], numbers.size()).first->second);
  out.count = numbers.size();
  return out;
}

/// A sample of at most kMostRefitRows rows, of whole groups; very large ones are thinned evenly.
std::vector<std::size_t> sampled(const std::vector<std::size_t>& group_of, std::uint64_t seed) {
  std::vector<std::size_t> all = indices(group_of.size());
  if (all.size() <= kMostRefitRows)
    return all;
  std::vector<std::size_t> out;
  for (const auto& group : shuffled_groups(numbered(group_of, all), seed)) {
    const std::size_t count = std::min(group.size(), kMostRefitRows / kRefitFolds);
    for (std::size_t i = 0; i < count && out.size() + count - i <= kMostRefitRows; ++i)
      out.push_back(group[i * group.size() / count]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Judgement> by_folds(const RowGroups& groups, std::uint64_t seed) {
  std::vector<Judgement> out;
  for (auto& part : make_held_out_parts(groups, std::min(kRefitFolds, groups.count), seed)) {
    std::vector<std::size_t> kept = other_rows(groups.of_row.size(), part);
    out.push_back({.kept = std::move(kept), .judged = std::move(part)});
  }
  return out;
}

/// Extrapolation folds of a column, which hold out its largest value, its two and its three
/// largest; of a column of more than kValues values, bins of them. At least two values remain.
/// Many columns get fewer folds each.
std::vector<Judgement> by_edges(const Design& runs, std::size_t numeric) {
  const std::size_t columns = runs.extrinsic.size() + runs.intrinsic.size();
  const std::size_t edges = std::clamp<std::size_t>(kMostEdges / columns, 1, kEdges);
  const NumericFactor& factor = numeric_factor(runs, numeric);
  std::set<double> distinct;
  for (std::size_t row = 0; row < runs.rows; ++row)
    distinct.insert(factor.value(row));
  const std::vector<double> values(distinct.begin(), distinct.end());
  const std::size_t step = (values.size() + kValues - 1) / kValues;
  std::vector<Judgement> out;
  for (std::size_t k = 1; k <= edges && values.size() >= k * step + 2; ++k) {
    Judgement edge{.kept = {}, .judged = {}, .numeric = numeric};
    edge.edge = values[values.size() - 1 - k * step];
    for (std::size_t row = 0; row < runs.rows; ++row)
      (factor.value(row) <= edge.edge ? edge.kept : edge.judged).push_back(row);
    out.push_back(std::move(edge));
  }
  return out;
}

/// Drops judged rows with levels that do not occur in the kept rows.
void drop_unseen_levels(const Design& runs, Judgement& judgement) {
  for (const LevelFactor& factor : runs.categorical) {
    std::vector<bool> seen(factor.levels, false);
    for (const std::size_t row : judgement.kept)
      seen[factor.codes[row]] = true;
    std::erase_if(judgement.judged, [&](std::size_t row) { return !seen[factor.codes[row]]; });
  }
}

struct Judged {
  Eigen::VectorXd quantities;
  Eigen::VectorXd predicted;
  std::optional<Eigen::VectorXd> deviations;
};

/// The GP's standard deviations of rows by which scores are divided.
std::optional<Eigen::VectorXd> deviations_of(const FittedModel& model, const Design& design,
                                             bool by_deviation) {
  const auto reach =
      by_deviation ? model.form->gp_reach(model.spec, model.constants, design) : std::nullopt;
  return reach ? std::optional(reach->deviations) : std::nullopt;
}

/// The folds, then the extrapolation folds that can be judged.
std::vector<Judgement> judgements_of(const FittedModel& model, const Design& runs,
                                     const RowGroups& groups, const Refit& refit,
                                     std::uint64_t seed) {
  std::vector<Judgement> out = by_folds(groups, seed);
  for (std::size_t n = 0; n < numeric_count(model.spec); ++n) {
    const bool is_flat = is_flat_beyond(*model.form, model.spec, model.constants, runs, n);
    for (Judgement& edge : by_edges(runs, n)) {
      edge.is_flat = is_flat;
      drop_unseen_levels(runs, edge);
      std::erase_if(edge.judged, [&](std::size_t row) { return runs.is_cut(row); });
      if (edge.judged.size() >= kLeastRows && edge.kept.size() >= refit.free_constants())
        out.push_back(std::move(edge));
    }
  }
  return out;
}

/// What the model says of the judged rows when it is refitted to the kept ones.
Judged judged_by(const FittedModel& model, const Refit& refit, const Design& runs,
                 const Judgement& judgement, const Quantities& quantities, bool by_deviation) {
  const Design kept = take_rows(runs, judgement.kept);
  Design judged = take_rows(runs, judgement.judged);
  if (judgement.is_flat)
    for (double& value : numeric_factor(judged, *judgement.numeric).values)
      value = std::min(value, judgement.edge);
  FittedModel other = model;
  Refitted found = refit(kept);
  other.form = std::move(found.form);
  other.constants = std::move(found.constants);
  other.form->settle_unseen_levels(kept, other);
  Judged out{.quantities = {}, .predicted = predict(other, judged), .deviations = {}};
  if (!judgement.numeric)
    out.quantities = quantities(other);
  out.deviations = deviations_of(other, judged, by_deviation);
  return out;
}

/// The growth of the errors of an extrapolation fold, as GrowthOfErrors defines it.
double growth_beyond(const Judgement& edge, const Judged& said, const ModelSpec& spec,
                     const Design& runs, const PredictionIntervals& within) {
  const NumericInput& input = numeric_input(spec, *edge.numeric);
  const NumericFactor& factor = numeric_factor(runs, *edge.numeric);
  std::vector<double> out;
  for (std::size_t k = 0; k < edge.judged.size(); ++k) {
    const std::size_t row = edge.judged[k];
    const double deviation =
        said.deviations ? score_deviation(within, (*said.deviations)[index(k)]) : 1;
    const double error = std::abs(std::log(runs.time[index(row)] / said.predicted[index(k)]));
    out.push_back(((std::isfinite(error) ? error : kLargestError) -
                   half_width(interval_factors(within, reached_level(within), deviation))) /
                  std::log(input.counted(factor.value(row)) / input.counted(edge.edge)));
  }
  std::sort(out.begin(), out.end());
  return std::clamp(quantile(out, PredictionIntervals::default_level), 0.0, kMostGrowth);
}

/// Mean |d ln t / d ln x| over the measured range, for a column without extrapolation folds: beyond
/// the range, the time may go on like that, or not change at all.
double growth_within(const FittedModel& model, const Design& runs, std::size_t numeric) {
  const NumericInput& input = numeric_input(model.spec, numeric);
  const auto log_times_at = [&](double value) -> Eigen::ArrayXd {
    return predict(model, with_numeric_at(runs, numeric, value)).array().log();
  };
  const double range = std::log(input.counted(input.high) / input.counted(input.low));
  const double growth = (log_times_at(input.high) - log_times_at(input.low)).abs().mean() / range;
  return std::isfinite(growth) ? std::min(growth, kMostGrowth) : 0;
}

/// Corrects for the optimism of a selected form: it suits the rows by which it was selected better
/// than other rows, about as much as its constants and hyper-parameters suit the rows of their fit.
double selection_factor(const FittedModel& model, std::size_t rows) {
  if (!model.search.form || model.search.form->given)
    return 1;
  const auto all = static_cast<double>(rows);
  std::size_t constants = model.form->constants_in_use(model);
  if (model.search.gp)
    constants += numeric_count(model.spec) + model.spec.categorical.size() + kOtherHyperParameters;
  const auto free = static_cast<double>(constants);
  return std::sqrt(all / std::max(all - free, all / 4));
}

/// Intervals within the measured ranges, by what refits without them say of the runs.
PredictionIntervals calibrated_by_folds(const FittedModel& model, const Design& runs,
                                        std::span<const Judgement> judgements,
                                        const std::vector<Judged>& judged, double optimism,
                                        std::uint64_t seed, double level) {
  Eigen::VectorXd predicted(index(runs.rows));
  Eigen::VectorXd deviations(index(runs.rows));
  bool has_deviations = false;
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    const std::vector<Eigen::Index> at(judgements[i].judged.begin(), judgements[i].judged.end());
    predicted(at) = judged[i].predicted;
    has_deviations = judged[i].deviations.has_value();
    if (has_deviations)
      deviations(at) = *judged[i].deviations;
  }
  const Eigen::VectorXd measured = times_with_draws(runs, predicted, seed);
  const Eigen::ArrayXd ratios = predicted.array() / measured.array();
  // Predictions of a mean are centred; those of a quantile are off by a factor.
  const double centre = model.search.quantile ? median(ratios.matrix()) : 1;
  predicted = measured.array() * centre * (ratios / centre).pow(optimism);
  return calibrate(measured, predicted, Calibration::cross_validation, level,
                   has_deviations ? std::optional(deviations) : std::nullopt);
}

Eigen::VectorXd jackknife_errors(std::span<const Judged> folds) {
  Eigen::MatrixXd of_folds(folds.front().quantities.size(), index(folds.size()));
  for (std::size_t k = 0; k < folds.size(); ++k)
    of_folds.col(index(k)) = folds[k].quantities;
  const auto count = static_cast<double>(folds.size());
  const Eigen::VectorXd mean = of_folds.rowwise().mean();
  return ((count - 1) / count * (of_folds.colwise() - mean).rowwise().squaredNorm()).cwiseSqrt();
}

}  // namespace

std::optional<Calibrated> calibrated(const FittedModel& model, const Design& training,
                                     const std::vector<std::size_t>& group_of,
                                     const std::optional<Design>& validation,
                                     const FitOptions& options, double level,
                                     const Quantities& quantities) {
  const std::vector<std::size_t> rows = sampled(group_of, options.seed);
  const Design runs = take_rows(training, rows);
  const RowGroups groups = numbered(group_of, rows);
  FitOptions of_refits = options;
  of_refits.loss = model.search.loss;  // the loss that its constants minimise
  of_refits.quantile = model.search.quantile;
  of_refits.threads = 1;
  of_refits.be_silent();
  const std::unique_ptr<Refit> refit = refit_of(model, runs, of_refits);
  const auto judgements = judgements_of(model, runs, groups, *refit, options.seed);
  const bool by_deviation = !options.quantile;  // one factor moves a bound
  std::vector<Judged> judged(judgements.size());
  parallel_for(judgements.size(), options.threads, [&](std::size_t i) {
    if (!options.stop.stop_requested())
      judged[i] = judged_by(model, *refit, runs, judgements[i], quantities, by_deviation);
  });
  if (options.stop.stop_requested())
    return std::nullopt;
  const auto judges_all = [](const Judgement& each) { return !each.numeric; };
  const std::size_t folds = to_size(std::ranges::count_if(judgements, judges_all));
  const double optimism = selection_factor(model, training.rows);

  PredictionIntervals out;
  if (validation) {
    const Eigen::VectorXd predicted = predict(model, *validation);
    out =
        calibrate(times_with_draws(*validation, predicted, options.seed), predicted,
                  Calibration::validation, level, deviations_of(model, *validation, by_deviation));
  } else {
    out = calibrated_by_folds(model, runs, std::span(judgements).first(folds), judged, optimism,
                              options.seed, level);
  }
  std::map<std::size_t, std::vector<double>> growths;
  for (std::size_t i = folds; i < judgements.size(); ++i)
    growths[*judgements[i].numeric].push_back(
        growth_beyond(judgements[i], judged[i], model.spec, runs, out));
  out.beyond.emplace();
  for (std::size_t n = 0; n < numeric_count(model.spec); ++n) {
    const std::vector<double>& own = growths[n];
    out.beyond->push_back(
        {numeric_input(model.spec, n).column, own.size(),
         own.empty() ? growth_within(model, runs, n)
                     : median(Eigen::Map<const Eigen::VectorXd>(own.data(), index(own.size())))});
  }
  const Eigen::VectorXd errors = jackknife_errors(std::span(judged).first(folds));
  // The folds of a sample differ more than the folds of all rows would.
  const double share = static_cast<double>(runs.rows) / static_cast<double>(training.rows);
  const double factor = std::sqrt(share) * optimism;
  return Calibrated{std::move(out), factor * t_quantile_95(folds - 1) * errors};
}

}  // namespace perfmodel
