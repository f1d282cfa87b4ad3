#include "fit/residual/process_runs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

std::vector<process::CoordinateForm> forms_of(const ModelSpec& spec, const process::Inputs& inputs,
                                              const std::vector<std::size_t>& rings) {
  const std::size_t intrinsic = spec.intrinsic.size();
  const std::size_t extrinsic = spec.extrinsic.size();
  std::vector<process::CoordinateForm> out;
  for (std::size_t j = 0; j < intrinsic + extrinsic; ++j) {
    const std::size_t numeric = j < intrinsic ? extrinsic + j : j - intrinsic;
    const bool ring = std::find(rings.begin(), rings.end(), numeric) != rings.end();
    out.push_back(ring ? process::CoordinateForm::ring
                       : process::usual_form(inputs.numbers.col(index(j))));
  }
  return out;
}

ProcessRuns runs_without_trend(const ModelSpec& spec, const Design& runs,
                               const std::vector<std::size_t>& rings) {
  ProcessRuns out;
  out.columns = ProcessColumns::of(spec);
  out.inputs = out.columns.inputs(runs);
  out.log_time = runs.time.array().log();
  out.forms = forms_of(spec, out.inputs, rings);
  return out;
}

void free_trend(const process::Trend& trend, const VectorXd& y, process::HyperParameters& hyper) {
  const double spread = (y.array() - y.mean()).square().mean();
  for (Eigen::Index g = 0; g < hyper.group_deviations.size(); ++g) {
    const auto own = std::count(trend.groups.begin(), trend.groups.end(), g);
    const double usual = std::sqrt(spread / std::max(1.0, static_cast<double>(own)));
    hyper.group_deviations[g] = std::max(hyper.group_deviations[g], usual);
  }
}

}  // namespace

ProcessRuns runs_beside_product(const ModelSpec& spec, const Design& runs,
                                const std::vector<std::size_t>& rings) {
  ProcessRuns out = runs_without_trend(spec, runs, rings);
  out.trend = product_trend_of(spec, out.columns, out.inputs,
                               process::process_coordinates(out.inputs, out.forms));
  return out;
}

ProcessRuns runs_beside(std::shared_ptr<const Form> form, const ModelSpec& spec,
                        const VectorXd& constants, const Design& runs,
                        const std::vector<std::size_t>& rings) {
  ProcessRuns out = runs_without_trend(spec, runs, rings);
  out.trend = trend_around(form, spec, constants, runs);
  return out;
}

process::HyperParameters search_hyper_parameters(const ProcessRuns& runs,
                                                 process::ProcessOptions options) {
  options.forms = runs.forms;
  return process::search_hyper_parameters(runs.inputs, runs.log_time, runs.trend.trend, options);
}

process::ProcessFit fit_process(const ProcessRuns& runs, process::HyperParameters hyper,
                                TrendPrior prior, const process::ProcessOptions& options) {
  if (prior == TrendPrior::free)
    free_trend(runs.trend.trend, runs.log_time, hyper);
  return process::fit_process(runs.inputs, runs.log_time, runs.trend.trend, std::move(hyper),
                              options);
}

}  // namespace perfmodel
