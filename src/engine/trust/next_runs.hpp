#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "forms/form.hpp"
#include "perfmodel/model.hpp"

// Which of some configurations a model learns most from if they are measured next.
namespace perfmodel::plan {

/// Configurations prepared for a Belief.
struct Places {
  Design design;
  Eigen::MatrixXd prior;    ///< covariance of ln t due to the constants: prior' prior
  Eigen::MatrixXd learned;  ///< reduction of it by the known runs: learned' learned
};

/// The posterior of ln t at configurations, given a model and known runs: covariances of the model,
/// linearised in its constants, plus those of its GP, if it has one, with fixed hyper-parameters
/// (Rasmussen and Williams 2006, eq. 2.26 and 2.42).
///
/// Constants have a normal prior about their values. Its standard deviation changes ln t over the
/// space by as much as ln t varies there, but is at most 2 (of ln a, or of a power).
class Belief {
 public:
  /// `space`: a sample of more than one configuration of interest. `known`: measured runs; if
  /// absent, those of the model's GP or, without a GP, as many average configurations of the space
  /// as the model had runs.
  Belief(const FittedModel& model, const Design& space, const std::optional<Design>& known);

  Places at(const Design& design) const;
  Eigen::MatrixXd covariance(const Places& a, const Places& b) const;
  /// The variance at each place.
  Eigen::VectorXd variances(const Places& places) const;
  /// Variance of ln t of another run about its configuration's mean.
  double noise() const { return noise_; }

 private:
  const FittedModel& model_;
  std::optional<GpBelief> gp_;
  double noise_ = 0;
  Eigen::RowVectorXd middle_;     ///< mean of the slopes over the space
  Eigen::VectorXd deviations_;    ///< prior standard deviations of constants and intercept
  Eigen::MatrixXd constants_;     ///< root of their covariance; without a GP, given the runs
  Eigen::MatrixXd known_factor_;  ///< Cholesky factor of the covariance of the known runs
  std::optional<Places> known_;   ///< with a GP

  Eigen::MatrixXd slopes(const Design& design) const;
  void learn(const Eigen::MatrixXd& slopes, double weight);
  void learn(const Design& known, const Eigen::VectorXd& runs);
};

/// ln E[max(0, best - y)] of a normal y, the expected improvement on `best` (Jones, Schonlau and
/// Welch 1998, eq. 15). The logarithm, since the expectation is 0 in double precision far above
/// `best`. `deviation` > 0.
double log_expected_improvement(double best, double mean, double deviation);

/// What expected improvements refer to: predicted ln t.
struct Incumbent {
  double best = 0;         ///< the lowest of the measured configurations
  Eigen::VectorXd logs{};  ///< of the candidates
};

/// A configuration to measure, and its value, given those before it.
struct NextRun {
  std::size_t candidate = 0;
  double deviation_gain = 0;   ///< decrease of the mean standard deviation over the space
  double log_determinant = 0;  ///< of the information about ln t that it adds: ln(1 + v / noise)
  std::optional<double> expected_improvement = {};  ///< of the lowest ln t; given an incumbent
};

struct NextRuns {
  /// Mean standard deviation of ln t of a new run in the space before these runs.
  double deviation = 0;
  std::vector<NextRun> runs;
};

/// Greedy choice of candidates: each one reduces the mean standard deviation over the space most
/// per unit of its cost, given those before it, and is chosen at most once (Cohn 1996 for
/// variances; V-optimality for linear models). `costs`: one per candidate, >= 0.
///
/// With an incumbent, each one has the highest expected improvement per unit of its cost instead.
/// What improves is the lowest posterior mean, since runs have noise: the standard deviation in
/// question is that by which the mean of a candidate moves if it is measured (expected quantile
/// improvement for the median, Picheny et al. 2013). Those before it count as measured at their
/// means (the kriging believer of Ginsbourger et al. 2010).
NextRuns next_runs(const Belief& belief, const Design& space, const Design& candidates,
                   const Eigen::VectorXd& costs, std::size_t count,
                   const std::function<void(std::size_t done)>& told = nullptr,
                   std::optional<Incumbent> incumbent = {});

}  // namespace perfmodel::plan
