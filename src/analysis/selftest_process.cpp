#include "analysis/selftest_process.hpp"

#include <cmath>

#include "fit/process/likelihood.hpp"
#include "fit/process/prediction.hpp"

namespace perfmodel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kDigitsOfProcess = 9;

/// Two configurations a number and a level apart, the correlation c of which is
/// (1/4 + 3/4 (1 + 1 + 1/3) / e) / 2; variance and noise are 1, so that the covariance of the runs
/// is 2 on its diagonal and c beside it. They measured 1 and -1.
process::ResidualProcess two_runs() {
  process::ResidualProcess out;
  out.coordinates = {process::Coordinate{}};  // the logarithm
  out.kernel = {.inverse_lengths = VectorXd::Constant(1, 1 / std::sqrt(5.0)),
                .shares = VectorXd::Constant(1, 0.25),
                .rates = VectorXd::Constant(1, std::log(2.0)),
                .variance = 1,
                .noise = 1};
  out.inputs = {.numbers = MatrixXd(2, 1), .levels = process::Levels(2, 1)};
  out.inputs.numbers << 0, 1;
  out.inputs.levels << 0, 1;
  out.runs = VectorXd::Ones(2);
  out.residual = VectorXd(2);
  out.residual << 1, -1;
  const process::CodedInputs known(out.inputs);
  MatrixXd covariance = correlations(out.kernel, known, known);
  covariance.diagonal().array() += 1;
  out.weights = process::PositiveMatrix::factorised(covariance)->solve(out.residual);
  return out;
}

/// -ln of the density of these two runs, without ln(2 pi): (2 / (2 - c) + ln(4 - c^2)) / 2.
double cost_of(const process::ResidualProcess& process) {
  process::Observations rows{
      .inputs = process::CodedInputs(process.inputs), .trend = {}, .y = {}, .runs = {}};
  rows.y = process.residual;
  rows.runs = process.runs;
  rows.trend.slopes.resize(2, 0);
  rows.spread = 0;  // no level
  const process::HyperLayout layout(rows);
  VectorXd hyper = VectorXd::Zero(layout.size());  // both variances are 1
  hyper[layout.length(0)] = std::log(process.kernel.inverse_lengths[0]);
  hyper[layout.share(0)] = std::log(process.kernel.shares[0] / (1 - process.kernel.shares[0]));
  hyper[layout.rate(0)] = std::log(process.kernel.rates[0]);
  const VectorXd flat = VectorXd::Zero(layout.size());
  return process::HyperPosterior(rows, {.mean = flat, .precision = flat}).cost(hyper);
}

}  // namespace

std::vector<SelftestFigure> process_figures() {
  const process::ResidualProcess process = two_runs();
  process::Inputs first{.numbers = MatrixXd::Ones(1, 1), .levels = process::Levels(1, 1)};
  first.levels << 0;
  const process::Prediction found =
      process::Predictor(process).predict(first, nullptr, MatrixXd(), 1);
  std::vector<SelftestFigure> out;
  const auto add = [&](const char* quantity, double exact, double computed) {
    out.push_back({.problem = "Gaussian process of two runs, closed form",
                   .quantity = quantity,
                   .certified = exact,
                   .computed = computed,
                   .digits = matching_digits(computed, exact),
                   .promised = kDigitsOfProcess});
  };
  add("mean", 0.35612873233744361, found.mean[0]);            // (1 - c) / (2 - c)
  add("deviation", 0.68827590561015295, found.deviation[0]);  // sqrt(1 - 2 / (4 - c^2))
  add("-ln likelihood", 1.3114093385690605, cost_of(process));
  return out;
}

}  // namespace perfmodel
