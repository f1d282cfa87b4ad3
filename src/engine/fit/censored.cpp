#include "fit/censored.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "choice/fit_with_gp.hpp"
#include "forms/fit_options.hpp"
#include "forms/loss.hpp"
#include "search/losses.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

using RowIndices = std::vector<std::size_t>;

constexpr int kMostRounds = 60;
constexpr int kSteps = 2;  ///< of Powell's regression (Chernozhukov and Hong 2002)
constexpr int kMostSearches = 2;
/// Changes of ln(time) that matter no more, in standard deviations.
constexpr double kSettled = 1e-4;
constexpr double kSameTimes = 0.05;  ///< between two alternations, which end a little apart
/// A limit this many standard deviations below the prediction says nothing of it: its row would
/// pull with 1e-4 of the weight of a finished run.
constexpr double kSaysNothing = -4;
constexpr double kLeastSigma = 1e-3;                        ///< of ln(time): 0.1 %
constexpr double kBelowOneDeviation = 0.15865525393145707;  ///< Phi(-1)

RowIndices all_rows_where(const Design& runs, const auto& condition) {
  RowIndices out;
  for (std::size_t row = 0; row < runs.rows; ++row)
    if (condition(row))
      out.push_back(row);
  return out;
}

Design without_limits(Design runs) {
  runs.limit.resize(0);
  return runs;
}

VectorXd beyond_predictions(const Design& runs, const VectorXd& predicted) {
  return runs.time.array().log() - predicted.array().max(std::numeric_limits<double>::min()).log();
}

/// The distribution of errors of which some are only known to be larger (Kaplan and Meier 1958).
class ErrorDistribution {
 public:
  ErrorDistribution(const VectorXd& errors, const Design& runs) {
    std::vector<std::pair<double, bool>> sorted;
    for (std::size_t row = 0; row < runs.rows; ++row)
      sorted.emplace_back(errors[index(row)], runs.is_cut(row));
    std::sort(sorted.begin(), sorted.end());
    double above = 1;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
      if (sorted[k].second)
        continue;
      above *= 1 - 1 / static_cast<double>(sorted.size() - k);
      errors_.push_back(sorted[k].first);
      shares_.push_back(1 - above);
    }
  }

  /// The least error that a share `p` of all is not above. Beyond the last that is known, the
  /// distribution goes on as an exponential curve through the median (Brown, Hollander and Korwar
  /// 1974).
  double quantile(double p) const {
    const auto found = std::lower_bound(shares_.begin(), shares_.end(), p);
    return found != shares_.end() ? errors_[static_cast<std::size_t>(found - shares_.begin())]
                                  : quantile_of_tail(errors_.back(), 1 - shares_.back(), 1 - p);
  }

  /// The quantile of the errors above this one.
  double quantile_above(double error, double p) const {
    const auto known = std::upper_bound(errors_.begin(), errors_.end(), error) - errors_.begin();
    const double below = known == 0 ? 0 : shares_[static_cast<std::size_t>(known) - 1];
    return error >= errors_.back() ? quantile_of_tail(error, 1, 1 - p)
                                   : quantile(below + p * (1 - below));
  }

 private:
  std::vector<double> errors_;  ///< of finished runs, ascending
  std::vector<double> shares_;  ///< of all errors that are not above each of them

  /// The error beyond `error` at which the share above it has fallen from `from` to `to`.
  double quantile_of_tail(double error, double from, double to) const {
    const double above = 1 - shares_.back();
    const double mean_excess =
        above < 0.5 ? (errors_.back() - quantile(0.5)) / std::log(0.5 / above) : 0;
    return error + (above > 0 ? mean_excess * std::log(from / to) : 0);
  }
};

/// Mean and variance of a standard normal variable that is above z.
struct NormalTail {
  double mean = 0;
  double variance = 0;

  explicit NormalTail(double z) {
    constexpr double kFar = 30;  // where 1 - Phi is near the least double
    mean = z < kFar ? normal_density(z) / normal_cdf(-z) : z + 1 / z;
    variance = std::max(0.0, 1 + mean * (z - mean));
  }
};

/// What an alternation ends with.
struct Alternated {
  Refitted found;
  VectorXd predicted;    ///< of all runs
  RowIndices rows;       ///< that have a say in the fit
  Design counted;        ///< these, with the times that the fit takes them for
  double deviation = 0;  ///< sigma; 0 of Powell's regression
  double cost = 0;       ///< of Powell's regression, over all runs
};

bool are_alike(const Alternated& a, const Alternated& b) {
  return a.rows == b.rows &&
         (a.counted.time.array().log() - b.counted.time.array().log()).abs().maxCoeff() <=
             kSameTimes * a.deviation;
}

/// True if the model's loss asks for a quantile, of which only the order of the times matters.
bool is_of_quantile(const FittedModel& model) {
  return !has_gp(*model.form) &&
         (is_absolute(model.search.objective.loss) || model.search.objective.loss == Loss::huber);
}

SignedLoss loss_of_model(const FittedModel& model) {
  FitOptions options;
  options.loss = model.search.objective.loss;
  options.quantile = model.search.objective.quantile;
  return SignedLoss(options);
}

/// Refits a model and chooses rows or expects times in turn.
class Alternation final : public Refit {
 public:
  /// `loss`: that of the refits.
  Alternation(const FittedModel& model, const Design& training, const FitOptions& options,
              Loss loss, bool of_quantile)
      : model_(model), options_(options), of_quantile_(of_quantile) {
    options_.loss = loss;
    options_.quantile = of_quantile ? model.search.objective.quantile : std::nullopt;
    options_.be_silent();
    refit_ = fitter_of(*model.form).refit(model_, without_limits(training), options_);
    if (of_quantile)
      tobit_ = std::make_unique<Alternation>(model, training, options, Loss::rmsle, false);
    if (const auto gp = model.form->gp_belief(model.spec))
      gp_deviation_ = std::sqrt(gp->noise);
  }

  Refitted operator()(const Design& runs) const override {
    return from(predict(model_, runs), runs).found;
  }
  std::size_t free_constants() const override { return refit_->free_constants(); }

  /// `predicted`: where to begin.
  Alternated from(const VectorXd& predicted, const Design& runs) const {
    if (finished_rows(runs).empty())  // a sample that tells nothing
      return unchanged(predicted);
    return of_quantile_ ? censored_regression(predicted, runs)
                        : expectation_maximisation(predicted, runs);
  }

 private:
  FittedModel model_;
  FitOptions options_;
  bool of_quantile_;
  std::unique_ptr<Refit> refit_;
  std::unique_ptr<Alternation> tobit_;  ///< chooses the first rows of Powell's regression
  std::optional<double> gp_deviation_;

  Alternated unchanged(const VectorXd& predicted) const {
    Alternated out;
    out.found = {model_.form, model_.constants};
    out.predicted = predicted;
    return out;
  }

  /// Fits these rows, if they suffice.
  bool refit(const RowIndices& rows, const Design& runs, Alternated& out) const {
    if (rows.size() < free_constants() || options_.stop.stop_requested())
      return false;
    out.rows = rows;
    out.counted = without_limits(take_rows(runs, rows));
    out.found = (*refit_)(out.counted);
    out.predicted = out.found.form->predict(model_.spec, out.found.constants, runs);
    return true;
  }

  /// Few steps suffice from rows that are chosen well. More of them drift: rows whose prediction
  /// is by chance above their limit have no say, which lets it rise further.
  Alternated censored_regression(const VectorXd& predicted, const Design& runs) const {
    Alternated best = unchanged(predicted);
    best.cost = std::numeric_limits<double>::infinity();
    Alternated next = best;
    next.predicted = tobit_->from(predicted, runs).predicted;
    const ErrorDistribution errors(beyond_predictions(runs, next.predicted), runs);
    next.predicted *= std::exp(errors.quantile(options_.quantile.value_or(0.5)));
    for (int step = 0; step < kSteps; ++step) {
      if (!refit(rows_with_limits_above(next.predicted, runs), runs, next))
        break;
      next.cost = loss_value(loss_of_model(model_), runs.time, next.predicted.cwiseMin(runs.limit));
      if (next.cost < best.cost)
        best = next;
    }
    return best;
  }

  Alternated expectation_maximisation(const VectorXd& predicted, const Design& runs) const {
    Alternated out = unchanged(predicted);
    out.deviation = robust_deviation(predicted, runs);
    Design expected = without_limits(runs);
    for (int round = 0; round < kMostRounds; ++round) {
      const RowIndices last = out.rows;
      const VectorXd before = expected.time;
      const VectorXd z = beyond_predictions(runs, out.predicted) / out.deviation;
      expect(z, out.deviation, runs, expected.time);
      const RowIndices rows = all_rows_where(
          runs, [&](std::size_t row) { return !runs.is_cut(row) || z[index(row)] > kSaysNothing; });
      if (!refit(rows, expected, out))
        break;
      const VectorXd moves = (expected.time.array() / before.array()).log().abs();
      if (rows == last && moves(rows).maxCoeff() <= kSettled * out.deviation)
        break;
      out.deviation = options_.loss == Loss::rmsle && !gp_deviation_
                          ? likely_deviation(z, out, runs)
                          : robust_deviation(out.predicted, runs);
    }
    return out;
  }

  /// Sets the times of runs that were cut off to their expectations. z: of all runs, ln(time /
  /// prediction) in standard deviations.
  static void expect(const VectorXd& z, double deviation, const Design& runs, VectorXd& time) {
    for (std::size_t row = 0; row < runs.rows; ++row)
      if (const Index at = index(row); runs.is_cut(row))
        time[at] = runs.time[at] * std::exp(deviation * (NormalTail(z[at]).mean - z[at]));
  }

  double robust_deviation(const VectorXd& predicted, const Design& runs) const {
    if (gp_deviation_)
      return std::max(*gp_deviation_, kLeastSigma);
    const ErrorDistribution errors(beyond_predictions(runs, predicted), runs);
    const double two =
        errors.quantile(1 - kBelowOneDeviation) - errors.quantile(kBelowOneDeviation);
    return std::max(kLeastSigma, two / 2);
  }

  /// The sigma of highest likelihood given the expectations, which were made with z.
  double likely_deviation(const VectorXd& z, const Alternated& now, const Design& runs) const {
    double squares = beyond_predictions(now.counted, now.predicted(now.rows)).squaredNorm();
    for (const std::size_t row : now.rows)
      if (runs.is_cut(row))
        squares += std::pow(now.deviation, 2) * NormalTail(z[index(row)]).variance;
    return std::max(kLeastSigma, std::sqrt(squares / static_cast<double>(now.rows.size())));
  }
};

/// The rows and times of the fit that the model is near.
Alternated alternated(const FittedModel& model, const Design& training, const FitOptions& options) {
  Alternated out =
      Alternation(model, training, options, model.search.objective.loss, is_of_quantile(model))
          .from(predict(model, training), training);
  if (out.rows.empty())
    throw InputError(fmt::format(
        "too few runs are left to fit, of {} that were cut off or finished: the limits are below "
        "what most of the others would have taken; leave out columns, or fit fewer constants",
        training.rows));
  return out;
}

/// Powell's regression would otherwise take finished runs of long configurations, which are the
/// fast ones, for all of them.
void require_limits(const FittedModel& model, const Design& training) {
  if (!is_of_quantile(model) || !std::isinf(training.limit(finished_rows(training)).minCoeff()))
    return;
  throw UsageError(fmt::format(
      "absolute errors need the limits of the runs that finished, too: pass {} COL, or {} rmsle",
      spelled("limit"), spelled("loss")));
}

/// The options of the fit from which the alternation starts: without a Gaussian process, whose
/// noise would be that of runs taken as if they had ended by themselves.
FitOptions options_of_start(const FitOptions& options) {
  FitOptions out = options;
  out.be_silent();
  if (options.residual == Residual::none)
    return out;
  out = without_quantile(out);
  out.residual = Residual::none;
  if (!chooses_terms(out))
    out.loss = Loss::rmsle;
  return out;
}

}  // namespace

bool has_cut_runs(const Design& runs) {
  return runs.limit.size() > 0 && finished_rows(runs).size() < runs.rows;
}

std::vector<std::size_t> finished_rows(const Design& runs) {
  return all_rows_where(
      runs, [&](std::size_t row) { return !runs.is_cut(row); });
}

Design finished_runs(const Design& runs) {
  return has_cut_runs(runs) ? take_rows(runs, finished_rows(runs)) : runs;
}

std::vector<std::size_t> rows_with_limits_above(const VectorXd& values, const Design& runs) {
  return all_rows_where(
      runs,
      [&](std::size_t row) {
        return runs.limit.size() == 0 || values[index(row)] < runs.limit[index(row)];
      });
}

VectorXd times_with_draws(const Design& runs, const VectorXd& predicted, std::uint64_t seed) {
  VectorXd out = runs.time;
  const VectorXd errors = beyond_predictions(runs, predicted);
  std::vector<std::pair<double, std::size_t>> cut;
  for (std::size_t row = 0; row < runs.rows; ++row)
    if (runs.is_cut(row))
      cut.emplace_back(errors[index(row)], row);
  if (cut.empty() || cut.size() == runs.rows)
    return out;
  std::sort(cut.begin(), cut.end());
  const ErrorDistribution known(errors, runs);
  RandomStream random(seed, "runs that were cut off");
  for (const auto& [error, row] : cut)
    out[index(row)] *= std::exp(known.quantile_above(error, random.uniform()) - error);
  return out;
}

FittedModel fit_censored(const ModelSpec& spec, const Design& training, const FitOptions& options,
                         FitOfForm fit) {
  const Design finished = finished_runs(training);
  if (finished.rows == 0)
    throw InputError("all runs were cut off: nothing says how long any takes");
  FittedModel model = fit(spec, without_limits(training), options_of_start(options));
  Alternated last;
  for (int search = 0; search < kMostSearches && !options.stop.stop_requested(); ++search) {
    require_limits(model, training);
    Alternated next = alternated(model, training, options);
    if (search > 0 && are_alike(next, last))
      break;
    last = std::move(next);
    model = fit(spec, last.counted, options);
  }
  if (is_of_quantile(model))
    model.search.cost = loss_value(loss_of_model(model), training.time,
                                   predict(model, training).cwiseMin(training.limit));
  model.known.metrics.train = compute_metrics(finished.time, predict(model, finished));
  model.known.noise_floor = noise_floor(finished);
  model.provenance.cut = CutRuns{training.rows - finished.rows, "", last.deviation};
  return model;
}

std::unique_ptr<Refit> censored_refit(const FittedModel& model, const Design& training,
                                      const FitOptions& options) {
  return std::make_unique<Alternation>(model, training, options, model.search.objective.loss,
                                       is_of_quantile(model));
}

}  // namespace perfmodel
