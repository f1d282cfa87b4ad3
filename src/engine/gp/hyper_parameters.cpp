#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "gp/gaussian_process.hpp"
#include "optimise/newton.hpp"

namespace perfmodel::gp {
namespace {

/// Medians of the priors, and standard deviations of their logarithms (of w: of its logit).
constexpr double kInverseLength = 0.05;
constexpr double kLevelRate = 0.03;
constexpr double kLogDeviation = 3;
constexpr double kShareDeviation = 2;
constexpr double kNoiseDeviation = 2;
constexpr double kFewestRepeats = 3;  ///< number of repeats from which they determine the noise
constexpr double kLivelyInverseLength = 2;
constexpr double kLivelyRate = 0.3;

/// Relative reduction of the cost at which the search stops: closer to the optimum, predictions
/// change by less than the data can show.
constexpr double kSearchReduction = 1e-4;

struct HyperStart {
  /// Start with lengths at which every column has an effect. If the formula is good, the point
  /// where no column has one (noise alone) is stationary and would trap a search from near it.
  bool lively = false;
  double noise_share = 0.05;  ///< share of the variance; half of the variance is the GP's
};

VectorXd hyper_start(const Observations& rows, HyperStart from) {
  const HyperLayout layout(rows.inputs);
  const double spread = std::log(rows.spread);
  VectorXd out = sparse_prior(layout).mean;
  out[layout.variance()] = spread + std::log(0.5);
  out[layout.noise()] = spread + std::log(from.noise_share);
  if (from.lively) {
    for (Index j = 0; j < layout.numbers; ++j)
      out[layout.length(j)] = std::log(kLivelyInverseLength);
    for (Index j = 0; j < layout.levels; ++j)
      out[layout.rate(j)] = std::log(kLivelyRate);
  }
  return out;
}

struct HyperResult {
  VectorXd hyper;
  double cost = 0;
  std::size_t evaluations = 0;
};

/// The mode of the posterior, by local search from `start`.
HyperResult climb(const Observations& rows, const VectorXd& start, std::size_t iterations,
                  std::size_t threads, const std::stop_token& stop) {
  const HyperLayout layout(rows.inputs);
  const bool has_repeats = rows.repeated_runs >= kFewestRepeats && rows.scatter > 0;
  HyperPosterior posterior(
      rows, sparse_prior(layout, has_repeats ? rows.scatter / rows.repeated_runs : kUsualNoise),
      threads);
  const optimise::SmoothObjective objective{
      .cost = [&](const VectorXd& hyper) { return posterior.cost(hyper); },
      .gradient = [&] { return posterior.slopes(); }};
  optimise::QuasiNewtonOptions options;
  options.iterations = iterations;
  options.reduction = kSearchReduction;
  options.stop = stop;
  const optimise::Bounds bounds = hyper_bounds(layout, rows.spread);
  const VectorXd inside = start.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
  const optimise::QuasiNewtonResult found = quasi_newton(objective, bounds, inside, options);
  return {.hyper = found.best, .cost = found.cost, .evaluations = found.evaluations};
}

using Rows = std::vector<Index>;

constexpr std::size_t kFirstIterations = 40;  ///< per start, on all samples but the last
/// With fewer rows, disturbed runs cannot be distinguished from rows that are hard to predict.
constexpr Index kFewestForTails = 60;
/// Accepted ratio of leave-one-out errors. If runs carry no information about each other, both
/// noise models predict equally well, and what looks like noise is noise.
constexpr double kNoWorse = 1.02;
constexpr std::size_t kIterationsUnderTails = 25;
constexpr Index kMostToDecide = 2000;
/// Half of the rows, which take an eighth of the time, decide if their mean gain or loss exceeds
/// this number of standard errors.
constexpr double kSurely = 2.5;

Rows first_of(const Rows& rows, Index most) {
  const auto count = std::min(rows.size(), static_cast<std::size_t>(most));
  return {rows.begin(), rows.begin() + index(count)};
}

/// A good formula leaves mostly noise, a poor one hardly any.
constexpr std::array<HyperStart, 4> kStarts = {{{.lively = false, .noise_share = 0.05},
                                                {.lively = false, .noise_share = 0.5},
                                                {.lively = true, .noise_share = 0.05},
                                                {.lively = true, .noise_share = 0.5}}};

/// With fewer rows, noise and a GP of short lengths are hard to distinguish: two starts are kept.
constexpr Index kRowsThatDecide = 400;

/// Searches on samples of doubling size, from `start_rows` to `most` rows.
HyperResult best_hyper(const std::function<Observations(Index rows)>& sample, Index most,
                       const GpOptions& options) {
  Index rows = std::min(options.start_rows, most);
  std::vector<VectorXd> starts;
  if (options.start)
    starts.push_back(*options.start);
  if (options.start && options.also_lively)
    starts.push_back(hyper_start(sample(rows), {.lively = true}));
  for (std::size_t i = 0; i < kStarts.size() && !options.start; ++i)
    starts.push_back(hyper_start(sample(rows), kStarts[i]));
  std::size_t evaluations = 0;
  for (;; rows = std::min(2 * rows, most)) {
    const Observations seen = sample(rows);
    std::vector<HyperResult> found(starts.size());
    parallel_for(found.size(), options.threads, [&](std::size_t i) {
      found[i] = climb(seen, starts[i], rows < most ? kFirstIterations : options.iterations,
                       options.threads, options.stop);
    });
    std::ranges::stable_sort(found, {}, &HyperResult::cost);
    starts.clear();
    for (const HyperResult& result : found) {
      evaluations += result.evaluations;
      if (starts.size() < (rows < kRowsThatDecide ? 2 : 1))
        starts.push_back(result.hyper);
    }
    found.front().evaluations = evaluations;
    if (rows == most)
      return found.front();
  }
}

/// Relative errors of predictions; `off`: ln(time / prediction).
VectorXd relative_errors(const VectorXd& off) {
  return ((-off.array()).exp() - 1).abs();
}

/// The mean in units of its standard error; if all values are equal, only its sign has a meaning.
double in_standard_errors(const VectorXd& values) {
  const double mean = values.mean();
  const double variance =
      (values.array() - mean).square().mean() / static_cast<double>(values.size());
  return mean / std::sqrt(std::max(variance, std::numeric_limits<double>::min()));
}

/// Switches to heavy-tailed noise if leave-one-out errors have heavy tails and leave-one-out
/// predictions do not get worse by it. Deviations specific to a few configurations look like heavy
/// tails, too, but are no noise.
class TailsOfNoise {
 public:
  TailsOfNoise(const Inputs& coordinates, const MergedRows& rows, Rows chosen,
               const GpOptions& options)
      : coordinates_(coordinates), rows_(rows), chosen_(std::move(chosen)), options_(options) {}

  /// Whether it switched: `best` is then the optimum under heavy tails.
  bool taken(HyperResult& best) const {
    if (index(chosen_.size()) < kFewestForTails || options_.stop.stop_requested())
      return false;
    const Observations seen = observed(coordinates_, rows_, chosen_);
    const LeftOut normal = left_out(seen, best.hyper, options_.threads);
    if (!has_heavy_tails(normal.off.cwiseQuotient(normal.deviation)))
      return false;
    const double usual = normal.off.lpNorm<1>();
    Found found = climbed(rows_, best.hyper);
    best.evaluations += found.at.evaluations;
    // Formulas that are only compared start from like data, whose disturbed runs are the same.
    if (!options_.start || options_.also_lively) {
      Found anew = searched_anew();
      best.evaluations += anew.at.evaluations;
      if (anew.error < kNoWorse * found.error)
        found = std::move(anew);
    }
    if (!(found.error < kNoWorse * usual) || !holds_among_many(best.hyper, found.at.hyper))
      return false;
    best.hyper = std::move(found.at.hyper);
    best.cost = found.at.cost;
    return true;
  }

 private:
  struct Found {
    HyperResult at;
    double error = 0;  ///< sum of absolute leave-one-out errors
  };

  /// Mean reduction of leave-one-out errors, in units of its standard error.
  struct Gain {
    double absolute = 0;
    double relative = 0;
  };

  const Inputs& coordinates_;
  const MergedRows& rows_;
  Rows chosen_;
  const GpOptions& options_;

  /// Whether heavy tails predict a larger sample better, too, in logarithms and in relative errors:
  /// among few rows, deviations specific to some are as hard to predict as noise.
  bool holds_among_many(const VectorXd& normal, const VectorXd& heavy) const {
    const Rows many = sampled_rows(rows_.rows(), kMostToDecide, options_.seed);
    if (many.size() <= chosen_.size())
      return true;
    const Rows half = first_of(many, kMostToDecide / 2);
    if (chosen_.size() < half.size() && 4 * half.size() < 3 * many.size()) {
      const Gain gain = gain_of_tails(normal, heavy, half);
      if (std::min(gain.absolute, gain.relative) > kSurely)
        return true;
      if (std::min(gain.absolute, gain.relative) < -kSurely)
        return false;
    }
    const Gain gain = gain_of_tails(normal, heavy, many);
    return gain.absolute > 0 && gain.relative > 0;
  }

  Gain gain_of_tails(const VectorXd& normal, const VectorXd& heavy, const Rows& many) const {
    const Observations seen = observed(coordinates_, rows_, many);
    MergedRows weighed = rows_;
    weigh_rows(coordinates_, many, HyperLayout(seen.inputs).kernel(heavy), options_.threads,
               weighed);
    const LeftOut under_tails =
        left_out(observed(coordinates_, weighed, many), heavy, options_.threads);
    const VectorXd off = under_tails.off + rows_.y(many) - weighed.y(many);
    const VectorXd usual = left_out(seen, normal, options_.threads).off;
    return {.absolute = in_standard_errors(usual.cwiseAbs() - off.cwiseAbs()),
            .relative = in_standard_errors(relative_errors(usual) - relative_errors(off))};
  }

  /// Searches from weights that no GP has influenced, which may have been fitted to disturbed runs.
  Found searched_anew() const {
    MergedRows weighed = rows_;
    weigh_by_level(coordinates_, chosen_, weighed);
    GpOptions from_nothing = options_;
    from_nothing.start.reset();
    HyperResult first = best_hyper(
        [&](Index most) { return observed(coordinates_, weighed, first_of(chosen_, most)); },
        index(chosen_.size()), from_nothing);
    Found out = climbed(std::move(weighed), std::move(first.hyper));
    out.at.evaluations += first.evaluations;
    return out;
  }

  Found climbed(MergedRows weighed, VectorXd hyper) const {
    weigh_rows_and_noise(coordinates_, chosen_, options_.threads, hyper, weighed);
    const Observations seen = observed(coordinates_, weighed, chosen_);
    HyperResult at = climb(seen, hyper, kIterationsUnderTails, options_.threads, options_.stop);
    const VectorXd off =
        left_out(seen, at.hyper, options_.threads).off + rows_.y(chosen_) - weighed.y(chosen_);
    return {.at = std::move(at), .error = off.lpNorm<1>()};
  }
};

using Rows = std::vector<Index>;

constexpr double kMoreNoise = 10;  ///< factor while the covariance is numerically singular
constexpr double kLeastNoise = 1e-14;

/// The factorised covariance of runs. Hyper-parameters found on a sample may leave other rows
/// numerically dependent: the noise then grows until they are not.
PositiveMatrix factorised(Kernel& kernel, const CodedInputs& rows, const VectorXd& runs,
                          std::size_t threads) {
  const MatrixXd gp = kernel.variance * correlations_among(kernel, rows, threads);
  for (;; kernel.noise = kMoreNoise * kernel.noise + kLeastNoise * kernel.variance) {
    MatrixXd covariance = gp;
    covariance.diagonal().array() += kernel.noise / runs.array();
    if (auto factors = PositiveMatrix::factorised(std::move(covariance), threads))
      return *std::move(factors);
    if (!(kernel.noise < kernel.variance))
      throw std::logic_error("the covariance of the residual process is not positive definite");
  }
}

/// The intercept: minimises (y - level)' V^-1 (y - level) + (level / deviation)^2.
double level_of(const VectorXd& y, const PositiveMatrix& covariance, double deviation) {
  const VectorXd of_ones = covariance.solve(VectorXd::Ones(y.size()));
  return of_ones.dot(y) / (of_ones.sum() + 1 / (deviation * deviation));
}

}  // namespace

HyperPrior sparse_prior(const HyperLayout& layout, double noise) {
  HyperPrior out{.mean = VectorXd::Zero(layout.size()), .precision = VectorXd::Zero(layout.size())};
  for (Index j = 0; j < layout.numbers; ++j) {
    out.mean[layout.length(j)] = std::log(kInverseLength);
    out.precision[layout.length(j)] = 1 / (kLogDeviation * kLogDeviation);
    out.precision[layout.share(j)] = 1 / (kShareDeviation * kShareDeviation);
  }
  for (Index j = 0; j < layout.levels; ++j) {
    out.mean[layout.rate(j)] = std::log(kLevelRate);
    out.precision[layout.rate(j)] = 1 / (kLogDeviation * kLogDeviation);
  }
  out.mean[layout.noise()] = std::log(noise);
  out.precision[layout.noise()] = 1 / (kNoiseDeviation * kNoiseDeviation);
  out.flat_above = layout.noise();
  return out;
}

std::vector<PriorFacts> prior_facts() {
  return {{"ln(1 / length) of a number", std::log(kInverseLength), kLogDeviation},
          {"ln(w / (1 - w)) of a number's share w", 0, kShareDeviation},
          {"ln(rate) of a column of levels", std::log(kLevelRate), kLogDeviation},
          {"ln(variance) of the noise, flat above, where no repeats tell it", std::log(kUsualNoise),
           kNoiseDeviation}};
}

optimise::Bounds hyper_bounds(const HyperLayout& layout, double spread) {
  const double log_spread = std::log(spread);
  optimise::Bounds out{.lower = VectorXd::Constant(layout.size(), -7),
                       .upper = VectorXd::Constant(layout.size(), 4)};
  for (Index j = 0; j < layout.numbers; ++j) {
    out.lower[layout.share(j)] = -6;
    out.upper[layout.share(j)] = 6;
  }
  out.lower[layout.variance()] = log_spread - 14;
  out.upper[layout.variance()] = log_spread + 6;
  out.lower[layout.noise()] = log_spread - 14;
  out.upper[layout.noise()] = log_spread + 1;
  return out;
}

std::vector<Coordinate> gp_coordinates(const Inputs& inputs,
                                       const std::vector<CoordinateForm>& forms) {
  std::vector<Coordinate> out;
  for (Index j = 0; j < inputs.numbers.cols(); ++j) {
    VectorXd values = inputs.numbers.col(j);
    std::ranges::sort(values);  // makes sums independent of the order of the rows
    out.push_back(standardised(
        forms.empty() ? usual_form(values) : forms[static_cast<std::size_t>(j)], values));
  }
  return out;
}

HyperParameters search_hyper_parameters(const Inputs& inputs, const VectorXd& y,
                                        const GpOptions& options) {
  HyperParameters out;
  out.coordinates = gp_coordinates(inputs, options.forms);
  const Inputs coordinates = placed(inputs, out.coordinates);
  MergedRows rows = MergedRows::of(coordinates, y, options.run_weights);
  const bool are_weighed = options.run_weights.size() > 0 || weigh_within_rows(rows);
  const Rows order = sampled_rows(rows.rows(), options.hyper_rows, options.seed);
  const auto sample = [&](Index most) {
    return observed(coordinates, rows, first_of(order, most));
  };
  HyperResult best = best_hyper(sample, index(order.size()), options);
  out.heavy_tails = are_weighed || TailsOfNoise(coordinates, rows, order, options).taken(best);
  const Observations all = sample(index(order.size()));
  out.kernel = HyperLayout(all.inputs).kernel(best.hyper);
  out.level_deviation = std::sqrt(kLevelVariance * all.spread);
  out.position = best.hyper;
  out.cost = best.cost;
  out.evaluations = best.evaluations;
  return out;
}

GpFit fit_gp(const Inputs& inputs, const VectorXd& y, HyperParameters hyper,
             const GpOptions& options) {
  const Inputs coordinates = placed(inputs, hyper.coordinates);
  MergedRows rows = MergedRows::of(coordinates, y, options.run_weights);
  // If rows are predicted from their neighbours, the sample tells no more than the intercept.
  const bool is_exact = rows.rows() <= options.exact_rows;
  Rows exact =
      sampled_rows(rows.rows(), is_exact ? options.exact_rows : options.hyper_rows, options.seed);
  std::ranges::sort(exact);
  const bool weigh = hyper.heavy_tails && options.run_weights.size() == 0;
  if (weigh) {
    weigh_within_rows(rows);
    weigh_rows(coordinates, exact, hyper.kernel, options.threads, rows);
  }
  // Centres the prior of the intercept, so that it is the same in any unit of the time.
  const double mean = rows.y.mean();
  const CodedInputs coded(take_rows(coordinates, at_places(rows.first, exact)));
  PositiveMatrix factors = factorised(hyper.kernel, coded, rows.runs(exact), options.threads);

  GpFit out{.hyper = hyper, .gp = {}, .run_weights = rows.run_weights()};
  out.level = mean + level_of(rows.y(exact).array() - mean, factors, hyper.level_deviation);
  out.gp = {.coordinates = hyper.coordinates,
            .kernel = hyper.kernel,
            .inputs = take_rows(coordinates, rows.first),
            .runs = rows.runs,
            .residual = rows.y.array() - out.level,
            .weights = {}};
  if (is_exact) {
    out.gp.weights = factors.solve(out.gp.residual);
    return out;
  }
  out.gp.neighbours = options.neighbours;
  if (weigh) {
    weigh_runs(rows, consecutive(0, rows.rows()),
               Predictor(out.gp).errors_of_known(options.threads), hyper.kernel.noise);
    out.run_weights = rows.run_weights();
    out.gp.runs = rows.runs;
    out.gp.residual = rows.y.array() - out.level;
  }
  return out;
}

}  // namespace perfmodel::gp
