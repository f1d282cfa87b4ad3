#include "trust/next_runs.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/eigen.hpp"
#include "base/random.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/design.hpp"
#include "fit/fit_from_prior.hpp"

namespace perfmodel::plan {
namespace {

/// Indices of all rows, or of a random sample of many.
std::vector<std::size_t> most_rows(std::size_t rows) {
  constexpr std::size_t most = 2000;
  std::vector<std::size_t> out = indices(rows);
  if (rows > most) {
    RandomStream(0, "known runs").shuffle(std::span<std::size_t>(out));
    out.resize(most);
  }
  return out;
}

/// Covariances of candidates with the space and the variances of both, conditioned on the
/// candidates measured so far.
class Measuring {
 public:
  Measuring(const Belief& belief, const Design& space, const Design& candidates)
      : belief_(belief), candidates_(belief.at(candidates)) {
    const Places of_space = belief.at(space);
    with_space_ = belief.covariance(of_space, candidates_);
    variances_ = belief.variances(candidates_).cwiseMax(0);
    of_space_ = belief.variances(of_space).cwiseMax(0);
  }

  double variance(Index candidate) const { return variances_[candidate]; }
  /// Mean standard deviation of ln t of a new run in the space.
  double deviation() const { return (of_space_.array() + belief_.noise()).sqrt().mean(); }

  /// Per candidate: the decrease of deviation() if it is measured.
  VectorXd gains() const {
    const ArrayXd expected = of_space_.array() + belief_.noise();
    const double now = expected.sqrt().mean();
    VectorXd out(variances_.size());
    for (Index k = 0; k < out.size(); ++k) {
      const double own = variances_[k] + belief_.noise();
      out[k] =
          now -
          (expected - with_space_.col(k).array().square() / own).max(belief_.noise()).sqrt().mean();
    }
    return out;
  }

  /// Per candidate: ln of the expected improvement if it is measured.
  VectorXd log_improvements(const Incumbent& incumbent) const {
    constexpr double least_variance = 1e-18;
    VectorXd out(variances_.size());
    for (Index k = 0; k < out.size(); ++k) {
      const double variance = std::max(variances_[k], least_variance);
      out[k] = log_expected_improvement(incumbent.best, incumbent.logs[k],
                                        variance / std::sqrt(variance + belief_.noise()));
    }
    return out;
  }

  void measure(Index candidate) {
    const std::vector<std::size_t> one = {static_cast<std::size_t>(candidate)};
    const Places chosen{.design = take_rows(candidates_.design, one),
                        .prior = candidates_.prior.col(candidate),
                        .learned = candidates_.learned.size() > 0
                                       ? MatrixXd(candidates_.learned.col(candidate))
                                       : MatrixXd()};
    VectorXd with_all = belief_.covariance(candidates_, chosen);
    for (const VectorXd& before : measured_)
      with_all -= before[candidate] * before;
    const double root = std::sqrt(variances_[candidate] + belief_.noise());
    const VectorXd learned = with_all / root;
    const VectorXd learned_of_space = with_space_.col(candidate) / root;
    with_space_.noalias() -= learned_of_space * learned.transpose();
    variances_ = (variances_ - learned.cwiseAbs2()).cwiseMax(0);
    of_space_ = (of_space_ - learned_of_space.cwiseAbs2()).cwiseMax(0);
    measured_.push_back(learned);
  }

 private:
  const Belief& belief_;
  Places candidates_;
  MatrixXd with_space_;  ///< space x candidates
  VectorXd variances_;   ///< of the candidates
  VectorXd of_space_;    ///< variances of the space
  std::vector<VectorXd> measured_;
};

}  // namespace

Belief::Belief(const FittedModel& model, const Design& space, const std::optional<Design>& known)
    : model_(model),
      gp_(model.form->gp_belief(model.spec)),
      noise_(std::pow(log_deviation(model), 2)) {
  constexpr double most_moved = 2;        // largest prior standard deviation of a constant
  constexpr double level_deviation = 10;  // of the intercept, in standard deviations of ln t
  const MatrixXd at_space = model.form->log_slopes(model.spec, model.constants, space);
  middle_ = at_space.colwise().mean();
  const VectorXd logs = predict(model, space).array().log();
  const double spread = std::sqrt(std::max((logs.array() - logs.mean()).square().mean(), noise_));
  const VectorXd effects =
      (at_space.rowwise() - middle_).colwise().squaredNorm().transpose().cwiseSqrt() /
      std::sqrt(static_cast<double>(space.rows));
  deviations_.resize(effects.size() + 1);
  for (Index k = 0; k < effects.size(); ++k)
    deviations_[k] = std::min(most_moved, spread / effects[k]);
  deviations_[effects.size()] = level_deviation * spread;
  constants_ = deviations_.asDiagonal();
  if (gp_) {
    learn(known ? *known : gp_->known, known ? VectorXd::Ones(index(known->rows)) : gp_->runs);
  } else if (known) {
    learn(slopes(*known), 1);
  } else {
    learn(slopes(space),
          static_cast<double>(model.provenance.rows) / static_cast<double>(space.rows));
  }
}

/// Derivatives with respect to the constants, centred over the space, and to the intercept.
MatrixXd Belief::slopes(const Design& design) const {
  MatrixXd out(index(design.rows), deviations_.size());
  out << model_.form->log_slopes(model_.spec, model_.constants, design).rowwise() - middle_,
      VectorXd::Ones(index(design.rows));
  return out;
}

/// Without a GP: adds the information of runs about the constants, slopes' slopes weight / noise.
void Belief::learn(const MatrixXd& slopes, double weight) {
  const MatrixXd scaled = slopes * constants_;
  const Index n = deviations_.size();
  const MatrixXd information =
      MatrixXd::Identity(n, n) + weight / noise_ * (scaled.transpose() * scaled);
  // The covariance of the constants is root root', root = deviations L'^-1, L L' = information.
  const Eigen::LLT<MatrixXd> factors(information);
  constants_ =
      deviations_.asDiagonal() * factors.matrixU().solve(MatrixXd(MatrixXd::Identity(n, n)));
}

/// With a GP: conditions on the known runs by their covariance. `runs`: number of runs per row.
void Belief::learn(const Design& known, const VectorXd& runs) {
  const std::vector<std::size_t> rows = most_rows(known.rows);
  known_ = at(take_rows(known, rows));
  known_factor_ = covariance(*known_, *known_);
  for (std::size_t i = 0; i < rows.size(); ++i)
    known_factor_(index(i), index(i)) += noise_ / runs[index(rows[i])];
  const Eigen::LLT<Eigen::Ref<MatrixXd>> factors(known_factor_);
}

Places Belief::at(const Design& design) const {
  Places out{.design = design, .prior = (slopes(design) * constants_).transpose(), .learned = {}};
  if (known_factor_.size() > 0) {
    Places bare{.design = design, .prior = out.prior, .learned = {}};
    out.learned = covariance(*known_, bare);
    known_factor_.triangularView<Eigen::Lower>().solveInPlace(out.learned);
  }
  return out;
}

MatrixXd Belief::covariance(const Places& a, const Places& b) const {
  MatrixXd out = a.prior.transpose() * b.prior;
  if (gp_)
    out += gp_->covariance(a.design, b.design);
  if (a.learned.size() > 0 && b.learned.size() > 0)
    out -= a.learned.transpose() * b.learned;
  return out;
}

VectorXd Belief::variances(const Places& places) const {
  VectorXd out = places.prior.colwise().squaredNorm();
  if (gp_) {
    const std::vector<std::size_t> one = {0};
    const Design first = take_rows(places.design, one);
    out.array() += gp_->covariance(first, first)(0, 0);
  }
  if (places.learned.size() > 0)
    out -= places.learned.colwise().squaredNorm().transpose();
  return out;
}

double log_expected_improvement(double best, double mean, double deviation) {
  const double z = (best - mean) / deviation;
  const double log_density = -z * z / 2 - std::log(2 * std::numbers::pi) / 2;
  constexpr double far_above = -25;  // where the two terms below cancel: by their asymptotic series
  if (z < far_above)
    return std::log(deviation) + log_density - 2 * std::log(-z) +
           std::log1p(-3 / (z * z) + 15 / (z * z * z * z));
  return std::log(deviation) + std::log(std::exp(log_density) + z * normal_cdf(z));
}

NextRuns next_runs(const Belief& belief, const Design& space, const Design& candidates,
                   const VectorXd& costs, std::size_t count,
                   const std::function<void(std::size_t)>& told,
                   std::optional<Incumbent> incumbent) {
  Measuring measuring(belief, space, candidates);
  NextRuns out{.deviation = measuring.deviation(), .runs = {}};
  std::vector<bool> used(candidates.rows, false);
  while (out.runs.size() < std::min(count, candidates.rows)) {
    const VectorXd gains = measuring.gains();
    const VectorXd logs = incumbent ? measuring.log_improvements(*incumbent) : VectorXd();
    const auto is_better = [&](Index row, Index other) {
      return incumbent ? logs[row] - std::log(costs[row]) > logs[other] - std::log(costs[other])
                       : gains[row] * costs[other] > gains[other] * costs[row];
    };
    Index best = -1;
    for (Index row = 0; row < gains.size(); ++row)
      if (!used[static_cast<std::size_t>(row)] && (best < 0 || is_better(row, best)))
        best = row;
    const auto chosen = static_cast<std::size_t>(best);
    used[chosen] = true;
    out.runs.push_back({.candidate = chosen,
                        .deviation_gain = gains[best],
                        .log_determinant = std::log1p(measuring.variance(best) / belief.noise())});
    if (incumbent) {
      out.runs.back().expected_improvement = std::exp(logs[best]);
      incumbent->best = std::min(incumbent->best, incumbent->logs[best]);
    }
    measuring.measure(best);
    if (told)
      told(out.runs.size());
  }
  return out;
}

}  // namespace perfmodel::plan
