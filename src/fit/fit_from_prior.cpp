#include "fit/fit_from_prior.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "fit/fit_with_process.hpp"
#include "perfmodel/error.hpp"
#include "table/expressions.hpp"
#include "table/replicates.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kPowerDeviation = 0.2;
constexpr double kFactorDeviation = 0.5;
constexpr double kLeastDeviation = 1e-3;  ///< of ln(time): 0.1 %
/// Standard deviation of the logarithms of the two hyper-parameters.
constexpr double kHyperDeviation = 1;
/// Distance of the points of the grid on which they are sought, and its half width.
constexpr double kGridStep = 0.125;
constexpr int kGridPoints = 24;
/// More rows are thinned evenly to find the hyper-parameters.
constexpr std::size_t kMostHyperRows = 500;
constexpr int kMostSteps = 50;

/// Prior standard deviation of each constant (of its logarithm, unless it is a power); 0 if it is
/// fixed: one that is 0, or the level that other factors are relative to.
ArrayXd prior_deviations(const FittedModel& prior) {
  const std::vector<ConstantInfo> infos = prior.form->constants(prior.spec);
  ArrayXd out(prior.constants.size());
  for (Index k = 0; k < out.size(); ++k) {
    const ConstantInfo& info = infos[static_cast<std::size_t>(k)];
    const double value = prior.constants[k];
    const bool fixed = value == 0 || (info.range == ConstantRange::factor && value == 1);
    const bool is_power =
        info.role == ConstantRole::intrinsic_power || info.role == ConstantRole::scaling_power;
    out[k] = fixed ? 0 : is_power ? kPowerDeviation : kFactorDeviation;
  }
  return out;
}

/// The two hyper-parameters.
struct Hyper {
  double deviation = 0;  ///< of ln(time) of single runs
  double freedom = 1;    ///< multiplies the prior deviations of the constants
};

/// Constants as functions of their moves: changes of powers and of logarithms of the others,
/// relative to the prior.
class MovedConstants {
 public:
  explicit MovedConstants(const FittedModel& prior)
      : prior_(prior), deviations_(prior_deviations(prior)) {
    for (const ConstantInfo& info : prior.form->constants(prior.spec))
      is_power_.push_back(info.role == ConstantRole::intrinsic_power ||
                          info.role == ConstantRole::scaling_power);
  }

  const FittedModel& prior() const { return prior_; }

  VectorXd at(const VectorXd& moves) const {
    VectorXd out = prior_.constants;
    for (Index k = 0; k < out.size(); ++k)
      out[k] =
          is_power_[static_cast<std::size_t>(k)] ? out[k] + moves[k] : out[k] * std::exp(moves[k]);
    return out;
  }

  /// ln(time / prediction) of every row.
  VectorXd residuals(const VectorXd& moves, const Design& runs) const {
    const VectorXd predicted = prior_.form->predict(prior_.spec, at(moves), runs);
    return runs.time.array().log() - predicted.array().log();
  }

  /// Slopes of ln t by moves in units of their prior deviations, centred: the common factor has no
  /// prior and takes the mean.
  MatrixXd slopes(const VectorXd& moves, const Design& runs) const {
    MatrixXd out =
        prior_.form->log_slopes(prior_.spec, at(moves), runs) * deviations_.matrix().asDiagonal();
    out.rowwise() -= out.colwise().mean().eval();
    return out;
  }

  const ArrayXd& deviations() const { return deviations_; }

 private:
  const FittedModel& prior_;
  ArrayXd deviations_;
  std::vector<bool> is_power_;
};

/// Density of a logarithm that is normal about 0, up to a constant.
double log_prior(double log_ratio) {
  return -0.5 * log_ratio * log_ratio / (kHyperDeviation * kHyperDeviation);
}

/// Maximises the marginal likelihood of the centred residuals z, whose covariance is freedom^2 S S'
/// + deviation^2 1 in the n - 1 directions other than that of the common factor.
Hyper most_likely(const MatrixXd& slopes, const VectorXd& residuals, double usual_deviation) {
  const Index n = residuals.size();
  if (n < 2)
    return {usual_deviation, 1};
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(slopes * slopes.transpose());
  const VectorXd centred = residuals.array() - residuals.mean();
  // The constant vector is an eigenvector of eigenvalue 0, but not necessarily a column of the
  // basis of that eigenspace; `centred` has no component along it, so that its share of the
  // logarithm of the determinant is removed and nothing else.
  const ArrayXd squares = (eigen.eigenvectors().transpose() * centred).array().square();
  const ArrayXd values = eigen.eigenvalues().array().max(0);
  Hyper best{usual_deviation, 1};
  double most = -std::numeric_limits<double>::infinity();
  for (int i = -kGridPoints; i <= kGridPoints; ++i) {
    for (int j = -kGridPoints; j <= kGridPoints; ++j) {
      const Hyper hyper{usual_deviation * std::exp(kGridStep * i), std::exp(kGridStep * j)};
      const double noise = hyper.deviation * hyper.deviation;
      const ArrayXd variances = hyper.freedom * hyper.freedom * values + noise;
      const double likelihood =
          -0.5 * (variances.log() + squares / variances).sum() + 0.5 * std::log(noise);
      const double density = likelihood + log_prior(kGridStep * i) + log_prior(kGridStep * j);
      if (density > most) {
        most = density;
        best = hyper;
      }
    }
  }
  return best;
}

/// Minimises |z - mean z|^2 / deviation^2 + |moves / (freedom * prior deviations)|^2 by
/// Gauss-Newton steps, each halved until it gains.
class Posterior {
 public:
  Posterior(const MovedConstants& constants, const Design& runs, const Hyper& hyper)
      : constants_(constants), runs_(runs), hyper_(hyper) {}

  VectorXd mode() const {
    // In units of the prior deviations: moves = deviations * u.
    VectorXd u = VectorXd::Zero(constants_.deviations().size());
    double cost = cost_at(u);
    for (int step = 0; step < kMostSteps; ++step) {
      const VectorXd wanted = linear_mode(u) - u;
      double share = 1;
      double next = cost_at(u + wanted);
      for (; !(next < cost) && share > 1e-4; next = cost_at(u + share * wanted))
        share /= 2;
      if (!(next < cost))
        break;
      u += share * wanted;
      const bool is_done = cost - next <= 1e-13 * cost;
      cost = next;
      if (is_done)
        break;
    }
    return moves(u);
  }

 private:
  const MovedConstants& constants_;
  const Design& runs_;
  Hyper hyper_;

  VectorXd moves(const VectorXd& u) const { return (constants_.deviations() * u.array()).matrix(); }

  double cost_at(const VectorXd& u) const {
    const VectorXd z = constants_.residuals(moves(u), runs_);
    const double noise = hyper_.deviation * hyper_.deviation;
    return (z.array() - z.mean()).square().sum() / noise +
           u.squaredNorm() / (hyper_.freedom * hyper_.freedom);
  }

  /// The mode if ln t were linear in the moves as at u, from the smaller of two equal systems.
  VectorXd linear_mode(const VectorXd& u) const {
    const MatrixXd slopes = constants_.slopes(moves(u), runs_);
    const VectorXd z = constants_.residuals(moves(u), runs_);
    const VectorXd target = (z.array() - z.mean()).matrix() + slopes * u;
    const double ridge = std::pow(hyper_.deviation / hyper_.freedom, 2);
    if (slopes.rows() < slopes.cols()) {
      MatrixXd gram = slopes * slopes.transpose();
      gram.diagonal().array() += ridge;
      return slopes.transpose() * gram.llt().solve(target);
    }
    MatrixXd gram = slopes.transpose() * slopes;
    gram.diagonal().array() += ridge;
    return gram.llt().solve(slopes.transpose() * target);
  }
};

/// The constants and what was found about them.
struct Adapted {
  VectorXd constants;
  Hyper hyper;
  double factor = 1;
};

Adapted adapted(const MovedConstants& constants, const Design& runs, const Hyper& hyper) {
  const FittedModel& prior = constants.prior();
  const VectorXd moves = Posterior(constants, runs, hyper).mode();
  const double factor = std::exp(constants.residuals(moves, runs).mean());
  return {times_factor(*prior.form, prior.spec, constants.at(moves), factor), hyper, factor};
}

Hyper hyper_of(const MovedConstants& constants, const Design& runs) {
  const Design chosen =
      take_rows(runs, evenly_chosen(runs.rows, std::min(runs.rows, kMostHyperRows)));
  const VectorXd none = VectorXd::Zero(constants.deviations().size());
  return most_likely(constants.slopes(none, chosen), constants.residuals(none, chosen),
                     log_deviation(constants.prior()));
}

/// Throws InputError if the earlier model has no time for some run.
void require_times(const FittedModel& prior, const Design& runs) {
  const VectorXd predicted = prior.form->predict(prior.spec, prior.constants, runs);
  if (!std::all_of(predicted.begin(), predicted.end(), is_time))
    throw InputError("the model of " + Field{"prior"} +
                     " predicts no time > 0 for some of these runs: they are too far from those "
                     "that it was fitted to");
}

/// Refits the earlier model to other runs with fixed hyper-parameters.
class PriorRefit final : public Refit {
 public:
  PriorRefit(const FittedModel& prior, const Design& training)
      : constants_(prior), hyper_(hyper_of(constants_, training)) {}

  Refitted operator()(const Design& runs) const override {
    return {constants_.prior().form, adapted(constants_, runs, hyper_).constants};
  }
  /// Only the common factor has no prior.
  std::size_t free_constants() const override { return 1; }

 private:
  MovedConstants constants_;
  Hyper hyper_;
};

}  // namespace

double log_deviation(const FittedModel& model) {
  const auto process = model.form->process_belief(model.spec);
  const double deviation =
      process ? std::sqrt(process->noise)
              : model.metrics.train.mape_percent / 100 * std::sqrt(std::numbers::pi / 2);
  return std::isfinite(deviation) ? std::max(deviation, kLeastDeviation) : kLeastDeviation;
}

FittedModel fit_from_prior(const ModelSpec& spec, const Design& training,
                           const FitOptions& options) {
  const FittedModel& prior = *options.prior;
  require_times(prior, training);
  const MovedConstants constants(prior);
  const Adapted found = adapted(constants, training, hyper_of(constants, training));
  FittedModel model;
  model.spec = spec;
  model.form = prior.form;
  model.constants = found.constants;
  if (prior.typical)
    model.typical = central_configuration(spec, training);
  const VectorXd predicted = predict(model, training);
  model.metrics.train = compute_metrics(training.time, predicted);
  model.noise_floor = noise_floor(training);
  model.search.loss = Loss::rmsle;
  model.search.seed = options.seed;
  model.search.strategy = "maximum a posteriori";
  model.search.termination = "converged";
  model.search.cost =
      std::sqrt((training.time.array().log() - predicted.array().log()).square().mean());
  model.search.prior = PriorFacts{.file = prior.provenance.file,
                                  .rows = prior.provenance.rows,
                                  .factor = found.factor,
                                  .freedom = found.hyper.freedom,
                                  .deviation = found.hyper.deviation};
  return model;
}

std::unique_ptr<Refit> refit_of(const FittedModel& model, const Design& training,
                                const FitOptions& options) {
  if (options.prior)
    return std::make_unique<PriorRefit>(*options.prior, training);
  return model.form->refit(model, training, options);
}

}  // namespace perfmodel
