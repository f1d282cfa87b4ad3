#include "analysis/plan/belief.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/random.hpp"

namespace perfmodel::plan {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kMostMoved = 2;        ///< standard deviation of a constant at most
constexpr double kLevelDeviation = 10;  ///< of the level, in standard deviations of ln t
constexpr double kLeastNoise = 1e-6;    ///< variance of ln t: 0.1 %
constexpr std::size_t kMostKnown = 2000;

/// Of ln t, from the mean of its absolute errors, if they are normal.
double noise_of(const Metrics& training) {
  const double mean_error = training.mape_percent / 100;
  const double variance = mean_error * mean_error * std::numbers::pi / 2;
  return std::isfinite(variance) ? std::max(variance, kLeastNoise) : kLeastNoise;
}

/// Which of so many rows are looked at.
std::vector<std::size_t> most_rows(std::size_t rows) {
  std::vector<std::size_t> out(rows);
  for (std::size_t row = 0; row < rows; ++row)
    out[row] = row;
  if (rows > kMostKnown) {
    RandomStream(0, "known runs").shuffle(std::span<std::size_t>(out));
    out.resize(kMostKnown);
  }
  return out;
}

}  // namespace

Belief::Belief(const FittedModel& model, const Design& space, const std::optional<Design>& known)
    : model_(model),
      process_(model.form->process_belief(model.spec)),
      noise_(process_ ? process_->noise : noise_of(model.metrics.train)) {
  const MatrixXd at_space = model.form->log_slopes(model.spec, model.constants, space);
  middle_ = at_space.colwise().mean();
  const VectorXd logs = predict(model, space).array().log();
  const double spread = std::sqrt(std::max((logs.array() - logs.mean()).square().mean(), noise_));
  const VectorXd effects =
      (at_space.rowwise() - middle_).colwise().squaredNorm().transpose().cwiseSqrt() /
      std::sqrt(static_cast<double>(space.rows));
  deviations_.resize(effects.size() + 1);
  for (Index k = 0; k < effects.size(); ++k)
    deviations_[k] = std::min(kMostMoved, spread / effects[k]);
  deviations_[effects.size()] = kLevelDeviation * spread;
  constants_ = deviations_.asDiagonal();
  if (process_) {
    learn(known ? *known : process_->known,
          known ? VectorXd::Ones(index(known->rows)) : process_->runs);
  } else if (known) {
    learn(slopes(*known), 1);
  } else {
    learn(slopes(space),
          static_cast<double>(model.provenance.rows) / static_cast<double>(space.rows));
  }
}

/// By the constants, about their mean over the space, and by the level.
MatrixXd Belief::slopes(const Design& design) const {
  MatrixXd out(index(design.rows), deviations_.size());
  out << model_.form->log_slopes(model_.spec, model_.constants, design).rowwise() - middle_,
      VectorXd::Ones(index(design.rows));
  return out;
}

/// Of constants alone, runs are their information: slopes' slopes weight / noise.
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

/// With a process, by the covariances of the runs.
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
  if (process_)
    out += process_->covariance(a.design, b.design);
  if (a.learned.size() > 0 && b.learned.size() > 0)
    out -= a.learned.transpose() * b.learned;
  return out;
}

VectorXd Belief::variances(const Places& places) const {
  VectorXd out = places.prior.colwise().squaredNorm();
  if (process_) {
    const std::vector<std::size_t> one = {0};
    const Design first = take_rows(places.design, one);
    out.array() += process_->covariance(first, first)(0, 0);
  }
  if (places.learned.size() > 0)
    out -= places.learned.colwise().squaredNorm().transpose();
  return out;
}

}  // namespace perfmodel::plan
