#include "trust/resampling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "choice/fit_with_gp.hpp"
#include "fit/censored.hpp"
#include "fit/fit_from_prior.hpp"
#include "forms/form.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

/// Draws data sets like the one that a model was fitted to.
using Resampler = std::function<Design(RandomStream&)>;

/// sqrt(n / (n - k)) for n training rows and k constants in use; n - k counts as at least n / 2.
double widening(const FittedModel& model, const Design& training) {
  const double n = static_cast<double>(training.rows);
  const double k = static_cast<double>(fitter_of(*model.form).constants_in_use(model));
  return std::sqrt(n / std::max(n - k, 0.5 * n));
}

Design resampled_rows(const Design& training, RandomStream& random) {
  std::vector<std::size_t> rows(training.rows);
  for (std::size_t& row : rows)
    row = random.below(training.rows);
  std::ranges::sort(rows);
  return take_rows(training, rows);
}

/// Refers to `training`.
Resampler resampler_of(const FittedModel& model, const Design& training, Resampling resampling) {
  if (resampling == Resampling::rows)
    return [&training](RandomStream& random) { return resampled_rows(training, random); };
  const VectorXd predicted = predict(model, training);
  VectorXd log_residuals = training.time.array().log() - predicted.array().log();
  log_residuals.array() -= log_residuals.mean();
  log_residuals *= widening(model, training);  // to the size of new runs' residuals
  return [&training, predicted, log_residuals](RandomStream& random) {
    Design out = training;
    for (Index r = 0; r < out.time.size(); ++r)
      out.time[r] = predicted[r] * std::exp(log_residuals[index(random.below(training.rows))]);
    return out;
  };
}

constexpr std::size_t kRowsPerConstant = 3;  // with fewer rows, residuals are resampled

/// The residuals of runs that were cut off are unknown.
Resampling resampling_of(const Design& training, std::size_t constants) {
  return training.rows < kRowsPerConstant * constants && !has_cut_runs(training)
             ? Resampling::residuals
             : Resampling::rows;
}

/// A larger ratio of upper end to fitted value is meaningless: the factor's reference went to 0.
constexpr double kNoEnd = 1e60;
constexpr Interval kNoInterval{std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::quiet_NaN()};

class Percentiles {
 public:
  Percentiles(double confidence, double factor) : tail_(0.5 * (1 - confidence)), factor_(factor) {}

  Interval operator()(const VectorXd& values, double fitted) const {
    if (!values.allFinite())
      return kNoInterval;
    const std::vector<double> drawn(values.begin(), values.end());
    return {fitted + factor_ * (quantile(drawn, tail_) - fitted),
            fitted + factor_ * (quantile(drawn, 1 - tail_) - fitted)};
  }

  Interval operator()(const VectorXd& values, double fitted, const ConstantInfo& constant) const {
    if (constant.range == ConstantRange::factor && fitted > 0 && values.minCoeff() > 0) {
      const Interval logs = (*this)(VectorXd(values.array().log()), std::log(fitted));
      const bool is_relative = constant.role != ConstantRole::coefficient;
      return is_relative && logs.high - std::log(fitted) >= std::log(kNoEnd)
                 ? kNoInterval
                 : Interval{std::exp(logs.low), std::exp(logs.high)};
    }
    Interval out = (*this)(values, fitted);
    if (constant.range != ConstantRange::any && values.minCoeff() >= 0)
      out.low = std::max(out.low, 0.0);
    return out;
  }

 private:
  double tail_;
  double factor_;
};

std::vector<Interval> differences(const FittedModel& model, const BootstrapSamples& samples,
                                  const Percentiles& interval) {
  std::vector<Interval> out;
  for (const ConstantDifference& item : model.form->differences(model.spec)) {
    const Index level = index(item.constant);
    const Index first = index(item.first);
    out.push_back(interval(samples.constants.row(level) - samples.constants.row(first),
                           model.constants[level] - model.constants[first]));
  }
  return out;
}

/// Intervals of scaling powers that are not constants of the form.
std::vector<Interval> local_powers(const FittedModel& model, const BootstrapSamples& samples,
                                   const Percentiles& interval) {
  if (!model.form->has_local_powers())
    return {};
  const std::vector<double> fitted = scaling_powers(model);
  MatrixXd found(samples.constants.cols(), index(fitted.size()));
  FittedModel sample = model;
  for (Index b = 0; b < samples.constants.cols(); ++b) {
    sample.constants = samples.constants.col(b);
    const std::vector<double> powers = scaling_powers(sample);
    found.row(b) = Eigen::Map<const RowVectorXd>(powers.data(), index(powers.size()));
  }
  std::vector<Interval> out;
  for (std::size_t j = 0; j < fitted.size(); ++j)
    out.push_back(interval(found.col(index(j)), fitted[j]));
  return out;
}

/// Of at least two values.
Spread spread_of(const std::string& name, const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  return {name, mean, std::sqrt(squares / (n - 1))};
}

Spread spread_over(const std::vector<FittedModel>& fits, const std::string& name,
                   const std::function<double(const FittedModel&)>& value) {
  const std::vector<double> values = mapped(fits, value);
  return spread_of(name, values);
}

}  // namespace

BootstrapSamples bootstrap(const FittedModel& model, const Design& training,
                           const FitOptions& fit_options, std::size_t samples,
                           const std::function<void(std::size_t)>& sample_done) {
  FitOptions options = fit_options;
  options.loss = model.search.objective.loss;  // the loss that its constants minimise
  options.quantile = model.search.objective.quantile;
  const std::unique_ptr<Refit> refit = refit_of(model, training, options);
  BootstrapSamples out;
  out.resampling = resampling_of(training, refit->free_constants());
  const Resampler draw = resampler_of(model, training, out.resampling);
  auto found = fits_until_stopped<VectorXd>(
      samples, options,
      [&](std::size_t b, const FitOptions&) {
        RandomStream random(options.seed, "bootstrap", b);
        return (*refit)(draw(random)).constants;
      },
      sample_done);
  std::erase_if(found, [](const auto& constants) { return !constants; });
  out.constants.resize(model.constants.size(), index(found.size()));
  for (std::size_t b = 0; b < found.size(); ++b)
    out.constants.col(index(b)) = found[b]->unaryExpr([](double constant) {
      return std::isfinite(constant) ? constant : std::numeric_limits<double>::quiet_NaN();
    });
  return out;
}

Uncertainty percentile_intervals(const FittedModel& model, const Design& training,
                                 const BootstrapSamples& samples, double confidence) {
  // Residuals were widened before they were drawn.
  const double factor = samples.resampling == Resampling::rows ? widening(model, training) : 1;
  const Percentiles interval(confidence, factor);
  Uncertainty out;
  out.resampling = samples.resampling;
  out.samples = static_cast<std::size_t>(samples.constants.cols());
  out.confidence = confidence;
  const std::vector<ConstantInfo> constants = model.form->constants(model.spec);
  for (std::size_t k = 0; k < constants.size(); ++k)
    out.constants.push_back(
        interval(samples.constants.row(index(k)), model.constants[index(k)], constants[k]));
  out.scaling_powers = local_powers(model, samples, interval);
  out.differences = differences(model, samples, interval);
  return out;
}

std::vector<Spread> metrics_spread(const std::vector<Metrics>& parts) {
  std::vector<Spread> out;
  if (parts.empty())
    return out;
  for (const auto& [name, member] : kNamedMetrics) {
    std::vector<double> values = mapped(
        parts, [field = member](const Metrics& metrics) { return metrics.*field; });
    if (std::ranges::none_of(values, [](double value) { return std::isnan(value); }))
      out.push_back(spread_of(std::string(name), values));
  }
  return out;
}

Metrics mean_metrics(const std::vector<Metrics>& parts) {
  Metrics out;
  for (const Metrics& metrics : parts) {
    out.rows += metrics.rows;
    for (const auto& [name, member] : kNamedMetrics)
      out.*member += metrics.*member / static_cast<double>(parts.size());
  }
  return out;
}

std::vector<FittedModel> fit_repeatedly(const ModelSpec& spec, const Design& training,
                                        const FitOptions& options, std::size_t repeats,
                                        const std::function<void(std::size_t)>& fit_done) {
  auto found = run_tasks<FittedModel>(
      repeats, options.threads,
      [&](std::size_t index) -> std::optional<FittedModel> {
        if (index > 0 && options.stop.stop_requested())
          return std::nullopt;
        FitOptions own = options;
        own.seed = options.seed + index;
        own.threads = 1;  // whole fits in parallel keep all cores busy and need no synchronisation
        own.be_silent();
        return fit(spec, training, own);
      },
      fit_done);
  std::vector<FittedModel> fits;
  for (auto& model : found)
    if (model)
      fits.push_back(std::move(*model));
  return fits;
}

std::size_t best_of(const std::vector<FittedModel>& fits) {
  const auto lowest = std::ranges::min_element(
      fits,
      [](const FittedModel& a, const FittedModel& b) { return a.search.cost < b.search.cost; });
  return static_cast<std::size_t>(lowest - fits.begin());
}

RepeatSummary summarise(const std::vector<FittedModel>& fits) {
  RepeatSummary out;
  out.fits = fits.size();
  for (const FittedModel& model : fits)
    out.seeds.push_back({model.search.seed, model.search.cost});
  // Sums of product terms that were chosen per fit may have other constants with each seed.
  std::vector<std::string> names = constant_names(fits.front());
  const bool same_constants = std::ranges::all_of(
      fits, [&](const FittedModel& model) { return constant_names(model) == names; });
  if (!same_constants)
    names.clear();
  for (std::size_t k = 0; k < names.size(); ++k)
    out.constants.push_back(spread_over(
        fits, names[k], [k](const FittedModel& model) { return model.constants[index(k)]; }));
  const auto& extrinsic = fits.front().spec.extrinsic;
  for (std::size_t j = 0; j < extrinsic.size(); ++j)
    out.scaling_powers.push_back(
        spread_over(fits, extrinsic[j].column,
                    [j](const FittedModel& model) { return scaling_powers(model)[j]; }));
  std::vector<Metrics> train;
  std::vector<Metrics> validation;
  std::vector<Metrics> test;
  for (const FittedModel& model : fits) {
    train.push_back(model.known.metrics.train);
    if (model.known.metrics.validation)
      validation.push_back(*model.known.metrics.validation);
    if (model.known.metrics.test)
      test.push_back(*model.known.metrics.test);
  }
  out.train = metrics_spread(train);
  out.validation = metrics_spread(validation);
  out.test = metrics_spread(test);
  return out;
}

std::vector<Outlier> ranked_outliers(const VectorXd& measured, const VectorXd& predicted) {
  VectorXd residuals = measured.array().log() - predicted.array().log();
  for (double& residual : residuals)
    if (!std::isfinite(residual))
      residual = std::numeric_limits<double>::max();
  if (residuals.size() == 0)
    return {};
  const double centre = median(residuals);
  const double scale =
      kDeviationPerMedian * median((residuals.array() - centre).abs().matrix().eval());
  if (!(scale > 0))
    return {};
  std::vector<Outlier> out;
  for (Index r = 0; r < residuals.size(); ++r) {
    const double z = std::clamp((residuals[r] - centre) / scale, -1e9, 1e9);
    out.push_back({static_cast<std::size_t>(r), z});
  }
  std::ranges::stable_sort(out, [](const Outlier& a, const Outlier& b) {
    return std::abs(a.robust_z) > std::abs(b.robust_z);
  });
  return out;
}

}  // namespace perfmodel
