#include "perfmodel/fit/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <vector>

#include "fit/polish.hpp"
#include "fit/search_space.hpp"
#include "perfmodel/base/index.hpp"
#include "perfmodel/base/parallel.hpp"
#include "perfmodel/base/random.hpp"
#include "perfmodel/model/generic_expression.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

constexpr std::size_t kRowsPerConstant = 3;  // below that, residuals are resampled

Design resampled_rows(const Design& training, RandomStream& random) {
  std::vector<std::size_t> rows(training.rows);
  for (std::size_t& row : rows)
    row = random.below(training.rows);
  std::sort(rows.begin(), rows.end());
  return take_rows(training, rows);
}

/// `log_residuals` already have the size that those of new runs have.
Design resampled_residuals(const Design& training, const VectorXd& predicted,
                           const VectorXd& log_residuals, RandomStream& random) {
  Design out = training;
  for (std::size_t r = 0; r < training.rows; ++r) {
    const std::size_t drawn = random.below(training.rows);
    out.time[index(r)] = predicted[index(r)] * std::exp(log_residuals[index(drawn)]);
  }
  return out;
}

/// Constants that a fit used up rows for: not those at exactly 0, nor powers of terms that are.
std::size_t constants_in_use(const FittedModel& model) {
  return static_cast<std::size_t>((model.constants.array() != 0).count());
}

/// sqrt(n / (n - k)); where rows are that few, as much as for twice as many rows as constants.
double widening(const FittedModel& model, const Design& training) {
  const double n = static_cast<double>(training.rows);
  const double k = static_cast<double>(constants_in_use(model));
  return std::sqrt(n / std::max(n - k, 0.5 * n));
}

VectorXd scaled_log_residuals(const FittedModel& model, const Design& training,
                              const VectorXd& predicted) {
  VectorXd out = training.time.array().log() - predicted.array().log();
  out.array() -= out.mean();
  return widening(model, training) * out;
}

bool is_a_time(ConstantKind kind) {
  return kind != ConstantKind::intrinsic_power && kind != ConstantKind::extrinsic_power;
}

/// Quantile of sorted values, with the rank p (n + 1) that keeps tails of small samples long.
double quantile(const std::vector<double>& sorted, double p) {
  const double n = static_cast<double>(sorted.size());
  const double rank = std::clamp(p * (n + 1) - 1, 0.0, n - 1);
  const std::size_t below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = rank - static_cast<double>(below);
  return (1 - part) * sorted[below] + part * sorted[above];
}

Interval percentile_interval(const VectorXd& values, double fitted, double confidence,
                             double factor) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double tail = 0.5 * (1 - confidence);
  return {fitted + factor * (quantile(sorted, tail) - fitted),
          fitted + factor * (quantile(sorted, 1 - tail) - fitted)};
}

}  // namespace

std::string_view to_text(Resampling resampling) {
  return resampling == Resampling::rows ? "rows" : "residuals";
}

BootstrapSamples bootstrap(const FittedModel& model, const Design& training,
                           const FitOptions& options, std::size_t samples,
                           const std::function<void(std::size_t)>& sample_done) {
  const SearchSpace space(model.spec, training, options);
  const Regulariser penalty(space, training, options);
  const VectorXd start = space.scaled_from_raw(model.constants);
  const VectorXd predicted = predict(model, training);
  BootstrapSamples out;
  out.resampling = training.rows < kRowsPerConstant * space.layout().size() ? Resampling::residuals
                                                                            : Resampling::rows;
  const VectorXd residuals = out.resampling == Resampling::residuals
                                 ? scaled_log_residuals(model, training, predicted)
                                 : VectorXd();
  std::vector<VectorXd> found(samples);
  std::mutex reporting;
  std::size_t done = 0;
  parallel_for(samples, options.threads, [&](std::size_t b) {
    if (options.stop.stop_requested())
      return;
    RandomStream random(options.seed, "bootstrap", b);
    const Design sample = out.resampling == Resampling::rows
                              ? resampled_rows(training, random)
                              : resampled_residuals(training, predicted, residuals, random);
    const PolishResult fit =
        polish(WeightedRows::merged(sample, options.loss), space, penalty, options, start);
    if (options.stop.stop_requested())
      return;  // perhaps not at its optimum
    found[b] = space.raw_from_scaled(fit.scaled);
    const std::lock_guard lock(reporting);
    ++done;
    if (sample_done)
      sample_done(done);
  });
  std::erase_if(found, [](const VectorXd& constants) { return constants.size() == 0; });
  out.constants.resize(model.constants.size(), index(found.size()));
  for (std::size_t b = 0; b < found.size(); ++b)
    out.constants.col(index(b)) = found[b];
  return out;
}

Uncertainty percentile_intervals(const FittedModel& model, const Design& training,
                                 const BootstrapSamples& samples, double confidence) {
  const GenericLayout layout(model.spec);
  // Residuals have been widened before they were drawn.
  const double factor = samples.resampling == Resampling::rows ? widening(model, training) : 1;
  Uncertainty out;
  out.resampling = samples.resampling;
  out.samples = static_cast<std::size_t>(samples.constants.cols());
  out.confidence = confidence;
  const auto interval = [&](const VectorXd& values, double fitted) {
    return percentile_interval(values, fitted, confidence, factor);
  };
  for (Eigen::Index k = 0; k < samples.constants.rows(); ++k) {
    const VectorXd values = samples.constants.row(k);
    Interval found = interval(values, model.constants[k]);
    if (is_a_time(layout.kind(static_cast<std::size_t>(k))) && values.minCoeff() >= 0)
      found.low = std::max(found.low, 0.0);  // widening leads out of the box
    out.constants.push_back(found);
  }
  for (std::size_t c = 0; c < model.spec.categorical.size(); ++c) {
    const Eigen::Index reference = index(layout.level(c, 0));
    for (std::size_t l = 0; l < model.spec.categorical[c].levels.size(); ++l) {
      const Eigen::Index level = index(layout.level(c, l));
      out.differences.push_back(
          interval(samples.constants.row(level) - samples.constants.row(reference),
                   model.constants[level] - model.constants[reference]));
    }
  }
  return out;
}

}  // namespace perfmodel
