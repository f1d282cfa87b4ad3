#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/index.hpp"
#include "data/quantile.hpp"
#include "fit/result/form.hpp"
#include "trust/bootstrap.hpp"
#include "trust/resampling.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// An end so many times the fitted value is none: what a factor is relative to went to 0.
constexpr double kNoEnd = 1e60;
constexpr Interval kNoInterval{std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::quiet_NaN()};

class Percentiles {
 public:
  Percentiles(double confidence, double factor) : tail_(0.5 * (1 - confidence)), factor_(factor) {}

  Interval operator()(const VectorXd& values, double fitted) const {
    if (!values.allFinite())
      return kNoInterval;
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return {fitted + factor_ * (quantile(sorted, tail_) - fitted),
            fitted + factor_ * (quantile(sorted, 1 - tail_) - fitted)};
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

/// Of the scaling powers that are no constants.
std::vector<Interval> local_powers(const FittedModel& model, const BootstrapSamples& samples,
                                   const Percentiles& interval) {
  if (!model.form->has_local_powers())
    return {};
  const std::vector<double> fitted = scaling_powers(model);
  MatrixXd found(samples.constants.cols(), index(fitted.size()));
  FittedModel sample;
  sample.spec = model.spec;
  sample.form = model.form;
  sample.typical = model.typical;
  for (Index b = 0; b < samples.constants.cols(); ++b) {
    sample.constants = samples.constants.col(b);
    const std::vector<double> powers = scaling_powers(sample);
    found.row(b) = Eigen::Map<const Eigen::RowVectorXd>(powers.data(), index(powers.size()));
  }
  std::vector<Interval> out;
  for (std::size_t j = 0; j < fitted.size(); ++j)
    out.push_back(interval(found.col(index(j)), fitted[j]));
  return out;
}

}  // namespace

Uncertainty percentile_intervals(const FittedModel& model, const Design& training,
                                 const BootstrapSamples& samples, double confidence) {
  // Residuals have been widened before they were drawn.
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

}  // namespace perfmodel
