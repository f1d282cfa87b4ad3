#include "fit/residual/identify_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/index.hpp"
#include "fit/determined/findings.hpp"
#include "fit/determined/sensitivity.hpp"
#include "fit/residual/factor_groups.hpp"
#include "fit/result/form.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kPowerStep = 1e-5;

/// Factors of a term are relative to the first that is not 0: that one cannot move.
std::vector<Standing> standings_of(const FittedModel& model,
                                   const std::vector<ConstantInfo>& constants) {
  std::vector<Standing> out(constants.size(), Standing::free);
  for (std::size_t k = 0; k < constants.size(); ++k)
    if (constants[k].range != ConstantRange::any && model.constants[index(k)] == 0)
      out[k] = Standing::at_zero;
  for (const std::vector<Index>& group : factor_groups(constants, model.spec)) {
    for (const Index k : group) {
      Standing& standing = out[static_cast<std::size_t>(k)];
      if (standing == Standing::free) {
        standing = Standing::fixed;
        break;
      }
    }
  }
  return out;
}

class ProcessJudge {
 public:
  ProcessJudge(const FittedModel& model, const Form& trend, const Design& training,
               const process::Whitening& whitening)
      : model_(model),
        constants_(trend.constants(model.spec)),
        standings_(standings_of(model, constants_)),
        slopes_(trend.log_slopes(
            model.spec, model.constants,
            take_rows(training,
                      std::vector<std::size_t>(whitening.rows.begin(), whitening.rows.end())))),
        sensitivity_(equations(whitening)) {}

  double half_width(std::size_t k) const {
    switch (sensitivity_.standings()[k]) {
      case Standing::free:
        return half_width(VectorXd::Unit(slopes_.cols(), index(k)));
      case Standing::fixed:
      case Standing::at_zero:
        return 0;
      default:
        return std::numeric_limits<double>::infinity();
    }
  }

  bool is_identified(std::size_t k) const { return half_width(k) <= widest(k); }

  bool is_difference_identified(const ConstantDifference& difference) const {
    const double value = model_.constants[index(difference.constant)];
    const double first = model_.constants[index(difference.first)];
    VectorXd gradient = VectorXd::Zero(slopes_.cols());
    gradient[index(difference.constant)] += value;
    gradient[index(difference.first)] -= first;
    return half_width(gradient) <= std::max(kWidestShareOfValue * std::abs(value - first),
                                            kWidestShareOfTime * unit(difference.constant));
  }

  /// Of the power that scaling_powers() reports.
  bool is_scaling_power_identified(std::size_t extrinsic) const {
    VectorXd gradient = VectorXd::Zero(slopes_.cols());
    for (std::size_t k = 0; k < constants_.size(); ++k) {
      if (standings_[k] == Standing::free) {
        gradient[index(k)] =
            (power_after(k, kPowerStep, extrinsic) - power_after(k, -kPowerStep, extrinsic)) /
            (2 * kPowerStep);
      }
    }
    return half_width(gradient) <= kWidestPower;
  }

  const std::vector<ConstantInfo>& constants() const { return constants_; }

 private:
  const FittedModel& model_;
  std::vector<ConstantInfo> constants_;
  std::vector<Standing> standings_;
  MatrixXd slopes_;
  Sensitivity sensitivity_;

  NormalEquations equations(const process::Whitening& whitening) const {
    MatrixXd whitened = whitening.factors.whitened(slopes_);
    NormalEquations out;
    out.rows = whitening.rows.size();
    out.standings = standings_;
    out.norms = whitened.colwise().norm();
    for (std::size_t k = 0; k < standings_.size(); ++k) {
      double& norm = out.norms[index(k)];
      if (norm == 0 && standings_[k] == Standing::free)
        out.standings[k] = Standing::untrained;
      out.left_out.push_back(out.standings[k] != Standing::free);
      norm = out.left_out.back() ? 1 : norm;
    }
    whitened *= out.norms.cwiseInverse().asDiagonal();
    out.normal = whitened.transpose() * whitened;
    out.scores = out.normal;  // the covariance of the runs is known: no sandwich
    return out;
  }

  double half_width(const VectorXd& gradient) const {
    if (gradient.isZero(0))
      return 0;
    return sensitivity_.is_estimable(gradient)
               ? kNormalQuantile * sensitivity_.standard_error(gradient)
               : std::numeric_limits<double>::infinity();
  }

  /// What the constant would be if its part were all of the time, on average.
  double unit(std::size_t k) const {
    const double value = model_.constants[index(k)];
    const auto shares = slopes_.col(index(k)).array();
    const auto present = static_cast<double>((shares != 0).count());
    const double share = present > 0 ? shares.sum() / present : 0;
    return share > 0 ? value / share : std::abs(value);
  }

  /// Of the logarithm of a constant, of a power itself.
  double widest(std::size_t k) const {
    static_assert(kWidestShareOfValue == kWidestPower);
    const ConstantRole role = constants_[k].role;
    const double value = std::abs(model_.constants[index(k)]);
    if (constants_[k].range != ConstantRange::not_negative || role == ConstantRole::coefficient ||
        value == 0)
      return kWidestPower;
    return std::max(kWidestShareOfValue, kWidestShareOfTime * unit(k) / value);
  }

  double power_after(std::size_t k, double step, std::size_t extrinsic) const {
    FittedModel moved = model_;
    double& value = moved.constants[index(k)];
    value = constants_[k].range == ConstantRange::any ? value + step : value * std::exp(step);
    return scaling_powers(moved)[extrinsic];
  }
};

}  // namespace

Identifiability identify_beside_process(const FittedModel& model, const Form& trend,
                                        const Design& training,
                                        const process::Whitening& whitening) {
  const ProcessJudge judge(model, trend, training, whitening);
  Identifiability out;
  for (std::size_t k = 0; k < judge.constants().size(); ++k)
    out.constants.push_back(judge.is_identified(k));
  out.at_bound.resize(out.constants.size(), false);
  for (const ConstantDifference& difference : trend.differences(model.spec))
    out.differences.push_back(difference.constant == difference.first ||
                              judge.is_difference_identified(difference));
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j)
    out.scaling_powers.push_back(judge.is_scaling_power_identified(j));
  return out;
}

}  // namespace perfmodel
