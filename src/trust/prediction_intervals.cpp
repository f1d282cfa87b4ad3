#include "trust/prediction_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.hpp"
#include "forms/form.hpp"
#include "perfmodel/error.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

/// Of so many rows or fewer all scores are kept; of more, those at both ends and an even choice
/// between, which makes an interval at most a little wider.
constexpr std::size_t kMostScores = 240;
constexpr std::size_t kEndScores = 40;
constexpr double kScoresPerUnit = 1e6;
/// Ranks are computed from decimal levels: 20 * 0.95 is 19.
constexpr double kRankSlack = 1e-9;

std::vector<std::size_t> kept_ranks(std::size_t count) {
  std::vector<std::size_t> out;
  const std::size_t between = kMostScores - 2 * kEndScores;
  const std::size_t inner = count > 2 * kEndScores ? count - 2 * kEndScores : 0;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    const bool at_end = rank <= kEndScores || rank > count - kEndScores;
    // Of the inner ranks those where the count of evenly spaced ones goes up.
    const std::size_t place = rank - std::min(rank, kEndScores);
    const bool chosen =
        count <= kMostScores || at_end || place * between / inner != (place - 1) * between / inner;
    if (chosen)
      out.push_back(rank);
  }
  return out;
}

/// Ranks of the scores at both ends; 0 and count + 1 stand for no end at all.
std::pair<std::size_t, std::size_t> end_ranks(double level, std::size_t count) {
  const double places = static_cast<double>(count) + 1;
  const double tail = (1 - level) / 2;
  return {static_cast<std::size_t>(std::floor(places * tail + kRankSlack)),
          static_cast<std::size_t>(std::ceil(places * (1 - tail) - kRankSlack))};
}

/// Of a normal distribution, in standard deviations: half of all errors are smaller.
constexpr double kHalfAreSmaller = 0.6745;
/// How much larger than the next a score may be, of errors as large as deviations say or larger.
constexpr double kMostOverNext = 2;

/// So that half of the errors are as small as the deviations say.
double added_deviation_of(const Eigen::VectorXd& errors, const Eigen::VectorXd& deviations) {
  const double typical = median(errors.cwiseAbs()) / kHalfAreSmaller;
  return std::sqrt(std::max(0.0, std::pow(typical, 2) - std::pow(median(deviations), 2)));
}

/// No row decides alone, nor do the repeats of one configuration, which are held out together.
void limit_ends(std::vector<double>& scores) {
  for (std::size_t i = scores.size() / 2; i + 1 < scores.size(); ++i)
    scores[i + 1] = std::min(scores[i + 1], kMostOverNext * std::max(scores[i], 1.0));
  for (std::size_t i = scores.size() / 2; i > 0; --i)
    scores[i - 1] = std::max(scores[i - 1], kMostOverNext * std::min(scores[i], -1.0));
}

}  // namespace

std::string_view to_text(Calibration calibration) {
  return calibration == Calibration::validation ? "split conformal" : "cross-conformal";
}

double highest_level(std::size_t count) {
  return std::max(0.0, 1 - 2 / (static_cast<double>(count) + 1));
}

void require_level(double level, std::size_t count) {
  if (end_ranks(level, count).first > 0)
    return;
  const double needed = std::ceil(2 / (1 - level) - 1 - kRankSlack);
  throw UsageError(
      Field{"coverage", {to_text(level)}} + " needs at least " + to_text(needed) +
      " held-out rows, and there are " + std::to_string(count) +
      (count > 1 ? ": they reach " + to_text(std::floor(1000 * highest_level(count)) / 1000) : ""));
}

double typical_deviation(const PredictionIntervals& intervals) {
  const double all = intervals.held_out_deviation.value_or(0);
  return std::sqrt(
      std::max(0.0, (all - intervals.added_deviation) * (all + intervals.added_deviation)));
}

double score_deviation(const PredictionIntervals& intervals, double deviation) {
  const double typical = typical_deviation(intervals);
  return deviation < typical ? deviation * std::hypot(1, intervals.added_deviation / typical)
                             : std::hypot(deviation, intervals.added_deviation);
}

PredictionIntervals calibrate(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted,
                              Calibration calibration, double level,
                              const std::optional<Eigen::VectorXd>& deviations) {
  const std::size_t count = static_cast<std::size_t>(measured.size());
  require_level(level, count);
  for (Eigen::Index row = 0; row < measured.size(); ++row) {
    if (!is_time(predicted[row])) {
      throw InputError(
          "a held-out row is predicted to take no time, or one too large for a number: no "
          "intervals can be given for this model; leave out " +
          Field{"coverage"});
    }
  }
  PredictionIntervals out{level, calibration, count, kept_ranks(count), {}, {}, {}, {}, {}};
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
  require_level(level, intervals.count);
  const auto [low, high] = end_ranks(level, intervals.count);
  const auto& ranks = intervals.ranks;
  // The kept rank at or beyond each end.
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

RowIntervals row_intervals(const PredictionIntervals& intervals, double level, std::size_t rows,
                           const std::optional<ProcessReach>& reach) {
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
                           const std::optional<ProcessReach>& reach) {
  RowIntervals out = row_intervals(model.intervals.value(), level, design.rows, reach);
  const Eigen::ArrayXd lacking =
      beyond_range(model.form->trend(), model.spec, model.constants, design).lacking;
  for (Eigen::Index row = 0; row < lacking.size(); ++row) {
    out.lower[row] *= std::exp(std::min(0.0, lacking[row]));
    out.upper[row] *= std::exp(std::max(0.0, lacking[row]));
  }
  return out;
}

RowIntervals row_intervals(const FittedModel& model, double level, const Design& design) {
  return row_intervals(model, level, design,
                       model.form->process_reach(model.spec, model.constants, design));
}

}  // namespace perfmodel
