#include "fit/fit_from_prior.hpp"

#include <fmt/core.h>
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/text.hpp"
#include "choice/fit_with_gp.hpp"
#include "columns/replicates.hpp"
#include "fit/censored.hpp"
#include "table/expressions.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

constexpr double kPowerDeviation = 0.1;
constexpr double kFactorDeviation = 0.5;
constexpr double kLeastDeviation = 1e-3;  ///< of ln(time): 0.1 %
/// Configurations differ by about this much more on one machine than on another: prior median.
constexpr double kUsualDeviation = 0.1;
/// Standard deviations of the logarithms of the hyper-parameters.
constexpr double kFreedomDeviation = 1.5;
constexpr double kNoiseDeviation = 1;
/// The common factor has next to no prior: the standard deviation of its logarithm.
constexpr double kScaleDeviation = 10;
/// Points at which a hyper-parameter is tried, as logarithms.
constexpr double kGridStep = 0.25;
constexpr int kGridPoints = 12;
/// Of more rows, so many find the hyper-parameters.
constexpr std::size_t kMostHyperRows = 100;
constexpr int kMostSteps = 50;

bool is_power(const ConstantInfo& info) {
  return info.role == ConstantRole::intrinsic_power || info.role == ConstantRole::scaling_power;
}

/// Prior standard deviation of each constant (of its logarithm, unless it is a power); 0 if it is
/// fixed: one that is 0, or the level that other factors are relative to.
ArrayXd prior_deviations(const FittedModel& prior) {
  const std::vector<ConstantInfo> infos = prior.form->constants(prior.spec);
  ArrayXd out(prior.constants.size());
  for (Index k = 0; k < out.size(); ++k) {
    const ConstantInfo& info = infos[static_cast<std::size_t>(k)];
    const double value = prior.constants[k];
    const bool fixed = value == 0 || (info.range == ConstantRange::factor && value == 1);
    out[k] = fixed ? 0 : is_power(info) ? kPowerDeviation : kFactorDeviation;
  }
  return out;
}

/// Constants that have a common freedom: the powers of one column, or all that are no powers.
struct MoveGroups {
  std::vector<std::string> names;  ///< of columns; empty for what is no power
  std::vector<std::size_t> of;     ///< per constant

  explicit MoveGroups(const std::vector<ConstantInfo>& infos) {
    for (const ConstantInfo& info : infos) {
      const std::string name = is_power(info) ? info.column : "";
      const auto found = std::find(names.begin(), names.end(), name);
      of.push_back(static_cast<std::size_t>(found - names.begin()));
      if (found == names.end())
        names.push_back(name);
    }
  }
};

struct Hyper {
  double deviation = 0;  ///< of ln(time) of single runs
  VectorXd freedoms;     ///< per group: multiplies the prior deviations of its constants
};

/// Constants as functions of their moves: changes of powers and of logarithms of the others,
/// relative to the prior.
class MovedConstants {
 public:
  explicit MovedConstants(const FittedModel& prior)
      : prior_(prior),
        infos_(prior.form->constants(prior.spec)),
        groups_(infos_),
        deviations_(prior_deviations(prior)) {}

  const MoveGroups& groups() const { return groups_; }
  const FittedModel& prior() const { return prior_; }

  VectorXd at(const VectorXd& moves) const {
    VectorXd out = prior_.constants;
    for (Index k = 0; k < out.size(); ++k)
      out[k] = is_power(infos_[static_cast<std::size_t>(k)]) ? out[k] + moves[k]
                                                             : out[k] * std::exp(moves[k]);
    return out;
  }

  /// ln(time / prediction) of every row.
  VectorXd residuals(const VectorXd& moves, const Design& runs) const {
    const VectorXd predicted = prior_.form->predict(prior_.spec, at(moves), runs);
    return runs.time.array().log() - predicted.array().log();
  }

  /// Slopes of ln t by moves in units of `deviations`, centred: the common factor takes the mean.
  MatrixXd slopes(const VectorXd& moves, const ArrayXd& deviations, const Design& runs) const {
    MatrixXd out =
        prior_.form->log_slopes(prior_.spec, at(moves), runs) * deviations.matrix().asDiagonal();
    out.rowwise() -= out.colwise().mean().eval();
    return out;
  }

  /// Standard deviations of the moves before the runs are known, at freedoms of 1 or at others.
  const ArrayXd& deviations() const { return deviations_; }
  ArrayXd deviations(const Hyper& hyper) const {
    ArrayXd out = deviations_;
    for (Index k = 0; k < out.size(); ++k)
      out[k] *= hyper.freedoms[index(groups_.of[static_cast<std::size_t>(k)])];
    return out;
  }

 private:
  const FittedModel& prior_;
  std::vector<ConstantInfo> infos_;
  MoveGroups groups_;
  ArrayXd deviations_;
};

/// The marginal likelihood of residuals z with a covariance of 100 + sum_g freedom_g^2 S_g S_g' +
/// deviation^2 1, times the prior densities of the hyper-parameters: automatic relevance
/// determination (MacKay 1994), so that a few powers may move much and the others little.
class MarginalLikelihood {
 public:
  MarginalLikelihood(const MovedConstants& constants, const Design& runs, double usual_deviation)
      : usual_deviation_(usual_deviation) {
    const MoveGroups& groups = constants.groups();
    const VectorXd none = VectorXd::Zero(constants.deviations().size());
    residuals_ = constants.residuals(none, runs);
    const MatrixXd slopes = constants.slopes(none, constants.deviations(), runs);
    kernels_.assign(groups.names.size(), MatrixXd::Zero(slopes.rows(), slopes.rows()));
    for (Index k = 0; k < slopes.cols(); ++k)
      kernels_[groups.of[static_cast<std::size_t>(k)]] += slopes.col(k) * slopes.col(k).transpose();
  }

  /// The hyper-parameters of highest density, one after another on a grid until none changes.
  Hyper maximum() const {
    VectorXd logs = VectorXd::Zero(index(kernels_.size()) + 1);  // the deviation last
    double most = log_density(logs);
    for (double before = -std::numeric_limits<double>::infinity(); most > before;) {
      before = most;
      for (double& coordinate : logs)
        most = best_on_grid(logs, coordinate, most);
    }
    return {usual_deviation_ * std::exp(logs[logs.size() - 1]),
            logs.head(logs.size() - 1).array().exp()};
  }

 private:
  double usual_deviation_;
  VectorXd residuals_;
  std::vector<MatrixXd> kernels_;

  double best_on_grid(const VectorXd& logs, double& coordinate, double most) const {
    double best = coordinate;
    for (int i = -kGridPoints; i <= kGridPoints; ++i) {
      coordinate = kGridStep * i;
      if (const double density = log_density(logs); density > most) {
        most = density;
        best = coordinate;
      }
    }
    coordinate = best;
    return most;
  }

  double log_density(const VectorXd& logs) const {
    const Index n = residuals_.size();
    MatrixXd covariance = MatrixXd::Constant(n, n, kScaleDeviation * kScaleDeviation);
    for (std::size_t g = 0; g < kernels_.size(); ++g)
      covariance += std::exp(2 * logs[index(g)]) * kernels_[g];
    const double log_noise = logs[logs.size() - 1];
    covariance.diagonal().array() += std::pow(usual_deviation_ * std::exp(log_noise), 2);
    const Eigen::LLT<MatrixXd> factors(covariance);
    const double log_root = MatrixXd(factors.matrixL()).diagonal().array().log().sum();
    return -0.5 * residuals_.dot(factors.solve(residuals_)) - log_root -
           0.5 * logs.head(logs.size() - 1).squaredNorm() / std::pow(kFreedomDeviation, 2) -
           0.5 * std::pow(log_noise / kNoiseDeviation, 2);
  }
};

/// Minimises |z - mean z|^2 / deviation^2 + |u|^2, with u the moves in units of their prior
/// deviations, by Gauss-Newton steps, each halved until it gains.
class Posterior {
 public:
  Posterior(const MovedConstants& constants, const Design& runs, const Hyper& hyper)
      : constants_(constants),
        runs_(runs),
        noise_(hyper.deviation * hyper.deviation),
        deviations_(constants.deviations(hyper)) {}

  /// The moves at the minimum.
  VectorXd mode() const {
    VectorXd u = VectorXd::Zero(deviations_.size());
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
  double noise_;
  ArrayXd deviations_;

  VectorXd moves(const VectorXd& u) const { return (deviations_ * u.array()).matrix(); }

  double cost_at(const VectorXd& u) const {
    const VectorXd z = constants_.residuals(moves(u), runs_);
    return (z.array() - z.mean()).square().sum() / noise_ + u.squaredNorm();
  }

  /// The mode if ln t were linear in the moves as at u, from the smaller of two equal systems.
  VectorXd linear_mode(const VectorXd& u) const {
    const MatrixXd slopes = constants_.slopes(moves(u), deviations_, runs_);
    const VectorXd z = constants_.residuals(moves(u), runs_);
    const VectorXd target = (z.array() - z.mean()).matrix() + slopes * u;
    const bool few = slopes.rows() < slopes.cols();
    MatrixXd gram =
        few ? MatrixXd(slopes * slopes.transpose()) : MatrixXd(slopes.transpose() * slopes);
    gram.diagonal().array() += noise_;
    if (few)
      return slopes.transpose() * gram.llt().solve(target);
    return gram.llt().solve(slopes.transpose() * target);
  }
};

Refitted adapted(const MovedConstants& constants, const Design& runs, const Hyper& hyper) {
  const FittedModel& prior = constants.prior();
  const VectorXd moves = Posterior(constants, runs, hyper).mode();
  const double scale = std::exp(constants.residuals(moves, runs).mean());
  return times_factor(prior.form, prior.spec, constants.at(moves), scale);
}

Hyper hyper_of(const MovedConstants& constants, const Design& runs) {
  const Design chosen = take_rows(runs, some_rows_of(runs, kMostHyperRows));
  const double usual = std::max(kUsualDeviation, log_deviation(constants.prior()));
  return MarginalLikelihood(constants, chosen, usual).maximum();
}

/// Throws InputError if the earlier model has no time for some run.
void require_times(const FittedModel& prior, const Design& runs) {
  const VectorXd predicted = prior.form->predict(prior.spec, prior.constants, runs);
  if (!std::all_of(predicted.begin(), predicted.end(), is_time))
    throw InputError(fmt::format(
        "the model of {} predicts no time > 0 for some of these runs: they are too far from those "
        "that it was fitted to",
        spelled("prior")));
}

/// Refits the earlier model to other runs with fixed hyper-parameters.
class PriorRefit final : public Refit {
 public:
  PriorRefit(const FittedModel& prior, const Design& training)
      : constants_(prior), hyper_(hyper_of(constants_, training)) {}

  Refitted operator()(const Design& runs) const override {
    return adapted(constants_, runs, hyper_);
  }
  /// Only the common factor has no prior.
  std::size_t free_constants() const override { return 1; }

 private:
  MovedConstants constants_;
  Hyper hyper_;
};

}  // namespace

double log_deviation(const FittedModel& model) {
  const auto gp = model.form->gp_belief(model.spec);
  const double deviation =
      gp ? std::sqrt(gp->noise)
         : model.known.metrics.train.mape_percent / 100 * std::sqrt(std::numbers::pi / 2);
  return std::isfinite(deviation) ? std::max(deviation, kLeastDeviation) : kLeastDeviation;
}

FittedModel fit_from_prior(const ModelSpec& spec, const Design& training,
                           const FitOptions& options) {
  const FittedModel& prior = *options.earlier();
  require_times(prior, training);
  const MovedConstants constants(prior);
  const Hyper hyper = hyper_of(constants, training);
  const Refitted found = adapted(constants, training, hyper);
  FittedModel model;
  model.spec = spec;
  model.form = found.form;
  model.constants = found.constants;
  if (prior.typical)
    model.typical = central_configuration(spec, training);
  const VectorXd predicted = predict(model, training);
  model.known.metrics.train = compute_metrics(training.time, predicted);
  model.known.noise_floor = noise_floor(training);
  model.search.objective.loss = Loss::rmsle;
  model.search.seed = options.seed;
  model.search.strategy = "maximum a posteriori";
  model.search.termination = "converged";
  model.search.cost =
      std::sqrt((training.time.array().log() - predicted.array().log()).square().mean());
  const VectorXd unmoved = VectorXd::Zero(prior.constants.size());
  model.search.prior = PriorFacts{.file = prior.provenance.file,
                                  .rows = prior.provenance.rows,
                                  .factor = std::exp(constants.residuals(unmoved, training).mean()),
                                  .deviation = hyper.deviation,
                                  .freedoms = {}};
  for (std::size_t g = 0; g < constants.groups().names.size(); ++g)
    model.search.prior->freedoms.push_back({constants.groups().names[g], hyper.freedoms[index(g)]});
  return model;
}

std::unique_ptr<Refit> refit_of(const FittedModel& model, const Design& training,
                                const FitOptions& options) {
  if (const FittedModel* const earlier = options.earlier())
    return std::make_unique<PriorRefit>(*earlier, training);
  if (has_cut_runs(training))
    return censored_refit(model, training, options);
  return fitter_of(*model.form).refit(model, training, options);
}

}  // namespace perfmodel
