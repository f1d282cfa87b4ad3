#include "fit/residual/process_runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

/// Of a trend's constants, in units of their scales: none that matters.
constexpr double kAsItIs = 1e-9;

bool has(const std::vector<std::size_t>& numerics, std::size_t numeric) {
  return std::find(numerics.begin(), numerics.end(), numeric) != numerics.end();
}

/// All but the trend.
ProcessRuns plain_runs(const ModelSpec& spec, const Design& runs, const ProcessShape& shape) {
  ProcessRuns out;
  out.spec = spec;
  out.columns = ProcessColumns::of(spec);
  out.inputs = out.columns.inputs(runs);
  out.log_time = runs.time.array().log();
  const std::size_t intrinsic = spec.intrinsic.size();
  for (std::size_t j = 0; j < out.columns.numbers(); ++j) {
    const std::size_t numeric = j < intrinsic ? spec.extrinsic.size() + j : j - intrinsic;
    out.forms.push_back(has(shape.rings, numeric) ? process::CoordinateForm::ring
                        : out.columns.number(spec, j).zero
                            ? process::CoordinateForm::log_one_plus
                            : process::usual_form(out.inputs.numbers.col(index(j))));
    out.most.push_back(has(shape.caps, numeric) || has(shape.process_caps, numeric)
                           ? out.columns.number(spec, j).high
                           : std::numeric_limits<double>::infinity());
  }
  return out;
}

void put_caps(const ProcessRuns& runs, std::vector<process::Coordinate>& coordinates) {
  for (std::size_t j = 0; j < coordinates.size(); ++j)
    coordinates[j].most = runs.most[j];
}

/// One product has the coordinates of its process.
ModelSpec counted_as(const std::vector<process::Coordinate>& coordinates,
                     const ProcessColumns& columns, ModelSpec spec) {
  for (std::size_t i = 0; i < columns.intrinsic.size(); ++i)
    if (auto& zero = spec.intrinsic[columns.intrinsic[i]].zero)
      *zero = {.unit = coordinates[i].unit};
  return spec;
}

VectorXd freed(const process::Trend& trend, const VectorXd& y, VectorXd deviations) {
  const double spread = (y.array() - y.mean()).square().mean();
  for (Eigen::Index g = 0; g < deviations.size(); ++g) {
    const auto own = std::count(trend.groups.begin(), trend.groups.end(), g);
    const double usual = std::sqrt(spread / std::max(1.0, static_cast<double>(own)));
    deviations[g] = std::max(deviations[g], usual);
  }
  return deviations;
}

VectorXd deviations_under(TrendPrior prior, const ProcessRuns& runs, const VectorXd& likely) {
  switch (prior) {
    case TrendPrior::free:
      return freed(runs.trend.trend, runs.log_time, likely);
    case TrendPrior::likely:
      return likely;
    case TrendPrior::held:
      return VectorXd::Constant(likely.size(), kAsItIs);
  }
  return likely;
}

}  // namespace

ProcessRuns runs_beside_product(const ModelSpec& spec, const Design& runs,
                                const ProcessShape& shape) {
  ProcessRuns out = plain_runs(spec, runs, shape);
  std::vector<process::Coordinate> coordinates =
      process::process_coordinates(out.inputs, out.forms);
  std::vector<Cap> caps;
  for (const std::size_t numeric : shape.caps)
    caps.push_back({numeric, numeric_input(spec, numeric).high});
  out.spec = counted_as(coordinates, out.columns, spec);
  out.trend = product_trend_of(out.spec, out.columns, out.inputs, std::move(coordinates), caps);
  return out;
}

ProcessRuns runs_beside(const std::shared_ptr<const Form>& form, const ModelSpec& spec,
                        const VectorXd& constants, const Design& runs, const ProcessShape& shape) {
  ProcessRuns out = plain_runs(spec, runs, shape);
  out.trend = trend_around(form, spec, constants, runs);
  return out;
}

bool has_times(const ProcessRuns& runs) {
  std::vector<Eigen::Index> all(static_cast<std::size_t>(runs.inputs.rows()));
  std::iota(all.begin(), all.end(), Eigen::Index{0});
  const process::Trend& trend = runs.trend.trend;
  const process::TrendValues at = trend.at(trend.start, all);
  return at.values.allFinite() && at.slopes.allFinite();
}

process::HyperParameters search_hyper_parameters(const ProcessRuns& runs,
                                                 process::ProcessOptions options) {
  options.forms = runs.forms;
  process::HyperParameters out =
      process::search_hyper_parameters(runs.inputs, runs.log_time, runs.trend.trend, options);
  put_caps(runs, out.coordinates);
  return out;
}

process::HyperParameters with_kernel_of(const process::HyperParameters& other,
                                        process::HyperParameters hyper, const ProcessRuns& runs) {
  hyper.coordinates = other.coordinates;
  put_caps(runs, hyper.coordinates);
  hyper.kernel = other.kernel;
  hyper.heavy_tails = other.heavy_tails;
  return hyper;
}

std::vector<process::ProcessFit> fit_processes(const ProcessRuns& runs,
                                               const process::HyperParameters& hyper,
                                               const std::vector<TrendPrior>& priors,
                                               const process::ProcessOptions& options) {
  std::vector<VectorXd> deviations;
  for (const TrendPrior prior : priors)
    deviations.push_back(deviations_under(prior, runs, hyper.group_deviations));
  return process::fit_processes(runs.inputs, runs.log_time, runs.trend.trend, hyper, deviations,
                                options);
}

process::ProcessFit fit_process(const ProcessRuns& runs, const process::HyperParameters& hyper,
                                TrendPrior prior, const process::ProcessOptions& options) {
  return std::move(fit_processes(runs, hyper, {prior}, options).front());
}

}  // namespace perfmodel
