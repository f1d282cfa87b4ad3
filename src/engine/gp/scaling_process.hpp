#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "gp/kernel.hpp"
#include "gp/matrix.hpp"

namespace perfmodel::gp {

/// Hyper-parameters of a ScalingProcess with their posterior probability.
struct ScalingSetting {
  double slope = 0;     ///< variance of d ln t / d ln x of a number
  double drift = 0;     ///< variance of a slope's change, per unit of ln x
  double level = 0;     ///< standard deviation of the levels of a column
  double together = 0;  ///< standard deviation of what the columns do together
  double noise = 0;     ///< standard deviation of ln t of a single run
  double weight = 0;
  double prior = 0;  ///< probability before the runs; 0: read from a file
};

/// Runs with their repeats: one row per configuration.
struct KnownRuns {
  Inputs inputs;               ///< numbers as ln x
  Eigen::VectorXd log_times;   ///< the median of the configuration's runs
  Eigen::VectorXd counts;      ///< how many runs these are
  Eigen::VectorXd deviations;  ///< standard deviation of their log times
};

/// What a ScalingProcess says of ln t of new runs: one per row, the noise of a run included.
struct LogTimes {
  Eigen::VectorXd mean;
  Eigen::VectorXd deviation;
};

/// A Gaussian process of ln t whose prior knows how run times scale. ln t is the sum of
///
///   a slope in ln x of every number, about 0
///   a drift of this slope: an integrated Wiener process, that is a cubic smoothing spline (Wahba
///     1978). Beyond the runs it goes straight on, and its variance grows with the cube of the
///     distance
///   exchangeable levels of every text
///   slopes that differ by level or change with another number
///   a process with a product kernel, for what the columns do together
///   noise.
///
/// It has no mode: predictions are averaged over settings of the hyper-parameters, by their
/// posterior probability. Their prior was learnt from public tables of run times
/// (tests/benchmarks/scaling_prior.py), so that two runs are enough.
class ScalingProcess {
 public:
  /// At least one run.
  explicit ScalingProcess(const KnownRuns& runs);
  /// With known settings: those of a file.
  ScalingProcess(const KnownRuns& runs, std::vector<ScalingSetting> settings);
  /// Of single runs. `known.numbers`: ln x; one log time per row.
  ScalingProcess(const Inputs& known, const Eigen::VectorXd& log_times);

  /// The settings of this process, weighted by the evidence of other runs.
  ScalingProcess given(const KnownRuns& runs) const;

  LogTimes operator()(const Inputs& at) const;
  /// The means alone, at a small part of the cost.
  Eigen::VectorXd means(const Inputs& at) const;
  /// ln of the ratios of the times of two configurations per row, without the noise of runs.
  LogTimes log_ratios(const Inputs& from, const Inputs& to) const;

  const std::vector<ScalingSetting>& settings() const { return settings_; }
  const Eigen::VectorXd& centre() const { return centre_; }  ///< of the numbers
  const Inputs& known() const { return known_; }             ///< with centred numbers
  double level() const { return level_; }                    ///< of the log times
  const Eigen::VectorXd& left() const { return left_; }      ///< log times minus level()
  const Eigen::VectorXd& counts() const { return counts_; }  ///< runs per known configuration
  /// Prior variance of each part of a row, and of the noise.
  static std::vector<double> variances(const ScalingSetting& setting);

 private:
  /// A setting, conditioned on the runs.
  struct Conditioned {
    PositiveMatrix covariance;  ///< of the runs
    Eigen::VectorXd weights;    ///< its inverse times the centred log times
  };
  struct Asked;

  Eigen::VectorXd centre_;  ///< median of each number
  Inputs known_;            ///< centred
  double level_ = 0;        ///< median of the log times
  Eigen::VectorXd left_;    ///< log times minus level_
  Eigen::VectorXd counts_;
  Eigen::VectorXd deviations_;
  std::vector<ScalingSetting> settings_;
  std::vector<Conditioned> conditioned_;

  /// Weighs the settings by prior times evidence and drops those that hardly count.
  void weigh(std::vector<ScalingSetting> settings);
  void condition();
  Inputs centred(const Inputs& at) const;
  double average(const Eigen::Ref<const Eigen::MatrixXd>& parts) const;
  LogTimes average(const std::vector<Asked>& rows, double noises) const;
  LogTimes averages(Index rows, double noises, const std::function<Asked(Index)>& asked) const;
};

}  // namespace perfmodel::gp
