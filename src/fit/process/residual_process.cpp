#include "fit/process/residual_process.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/process/generalised_least_squares.hpp"
#include "fit/process/hyper_search.hpp"
#include "fit/process/merged_rows.hpp"
#include "perfmodel/base/index.hpp"
#include "perfmodel/base/parallel.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

constexpr std::size_t kFirstIterations = 40;  ///< of each start
constexpr std::size_t kLastIterations = 150;

VectorXd rounded(const VectorXd& values) {
  return values.unaryExpr([](double x) { return std::nearbyint(x * 0x1p30) * 0x1p-30; });
}

class Fit {
 public:
  Fit(const Inputs& inputs, const VectorXd& y, const Trend& trend, const ProcessOptions& options)
      : options_(options), trend_(trend), rows_(MergedRows::of(inputs, y)) {
    const Inputs merged = take_rows(inputs, rows_.first);
    fit_.process.coordinates = process_coordinates(inputs, options.forms);
    fit_.process.inputs = placed(merged, fit_.process.coordinates);
    mean_ = rows_.y.mean();
    rows_.y.array() -= mean_;
    sample_ = sampled_rows(rows_.rows(), rows_.rows(), options.seed);
  }

  ProcessFit run() {
    search();
    estimate();
    return std::move(fit_);
  }

 private:
  const ProcessOptions& options_;
  const Trend& trend_;
  MergedRows rows_;
  double mean_ = 0;
  Rows sample_;  ///< all rows in the order in which samples take them
  VectorXd deviations_;
  ProcessFit fit_;

  Rows sample(Index most) const {
    const auto count = std::min(sample_.size(), static_cast<std::size_t>(most));
    return {sample_.begin(), sample_.begin() + index(count)};
  }

  Rows positions(const Rows& rows) const {
    Rows out;
    for (const Index row : rows)
      out.push_back(rows_.first[static_cast<std::size_t>(row)]);
    return out;
  }

  /// For the search: rounded, so that other units of the time give the same to the last bit.
  Observations observations(const Rows& rows) const {
    const TrendValues trend = trend_.at(trend_.start, positions(rows));
    Observations out{.inputs = CodedInputs(take_rows(fit_.process.inputs, rows)),
                     .trend = {.slopes = trend.slopes * trend_.scales.asDiagonal(),
                               .groups = trend_.groups,
                               .group_count = trend_.group_count},
                     .y = rows_.y(rows) - trend.values,
                     .runs = rows_.runs(rows)};
    out.trend.slopes.rowwise() -= out.trend.slopes.colwise().mean().eval();
    out.y = rounded(out.y.array() - out.y.mean());
    out.spread = out.y.squaredNorm() / static_cast<double>(rows.size()) + 1e-9;
    out.scatter = rows_.scatter(rows).sum();
    return out;
  }

  void search() {
    const Observations few = observations(sample(options_.start_rows));
    const Observations many = observations(sample(options_.hyper_rows));
    std::vector<HyperResult> results(2);
    const bool same = few.y.size() == many.y.size();
    parallel_for(results.size(), options_.threads, [&](std::size_t i) {
      results[i] = climb(few, hyper_start(few, i == 0 ? 0.5 : 0.05),
                         same ? kLastIterations : kFirstIterations, options_.stop);
    });
    HyperResult best = results[results[1].cost < results[0].cost ? 1 : 0];
    fit_.evaluations = results[0].evaluations + results[1].evaluations;
    if (!same) {
      best = climb(many, best.hyper, kLastIterations, options_.stop);
      fit_.evaluations += best.evaluations;
    }
    fit_.hyper = best.hyper;
    fit_.cost = best.cost;
    const HyperLayout layout(many);
    fit_.process.kernel = layout.kernel(fit_.hyper);
    deviations_ = trend_.scales;
    for (Index k = 0; k < deviations_.size(); ++k)
      deviations_[k] *=
          std::exp(fit_.hyper[layout.group(trend_.groups[static_cast<std::size_t>(k)])] / 2);
    spread_ = many.spread;
  }

  double spread_ = 1;

  void estimate() {
    ResidualProcess& process = fit_.process;
    const Kernel& kernel = process.kernel;
    Rows exact = sample(options_.exact_rows);
    std::sort(exact.begin(), exact.end());
    const CodedInputs coded(take_rows(process.inputs, exact));
    MatrixXd covariance = kernel.variance * correlations(kernel, coded, coded);
    covariance.diagonal().array() += kernel.noise / rows_.runs(exact).array() + kNugget * spread_;
    const auto factors = PositiveMatrix::factorised(std::move(covariance));
    const TrendEstimate trend =
        generalised_least_squares(trend_, positions(exact), rows_.y(exact), *factors, deviations_,
                                  std::sqrt(kLevelVariance * spread_));
    fit_.constants = trend.constants;
    fit_.level = mean_ + trend.level;
    process.runs = rows_.runs;
    if (index(exact.size()) == rows_.rows()) {
      process.residual = trend.residual;
      process.weights = factors->solve(trend.residual);
    } else {
      process.residual = rows_.y - trend_.at(trend.constants, rows_.first).values;
      process.residual.array() -= trend.level;
      process.neighbours = options_.neighbours;
    }
  }
};

}  // namespace

std::vector<Coordinate> process_coordinates(const Inputs& inputs,
                                            const std::vector<CoordinateForm>& forms) {
  std::vector<Coordinate> out;
  for (Index j = 0; j < inputs.numbers.cols(); ++j) {
    VectorXd values = inputs.numbers.col(j);
    std::sort(values.begin(), values.end());  // the sums must not depend on the order of the rows
    out.push_back(standardised(
        forms.empty() ? usual_form(values) : forms[static_cast<std::size_t>(j)], values));
  }
  return out;
}

ProcessFit fit_process(const Inputs& inputs, const VectorXd& y, const Trend& trend,
                       const ProcessOptions& options) {
  return Fit(inputs, y, trend, options).run();
}

}  // namespace perfmodel::process
