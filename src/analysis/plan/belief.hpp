#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>

#include "fit/result/form.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel::plan {

/// Configurations as a Belief sees them.
struct Places {
  Design design;
  Eigen::MatrixXd prior;    ///< covariance of ln t by the constants: prior' prior
  Eigen::MatrixXd learned;  ///< what the known runs take off it: learned' learned
};

/// What a model and the runs that it knows say about ln t of configurations: its covariances where
/// the model is linearised in its constants, and its process, if it has one, keeps its
/// hyper-parameters (Rasmussen and Williams 2006, eq. 2.26 and 2.42).
///
/// Constants are normal about their values; beforehand each may change ln t over the space by as
/// much as ln t differs there, and moves no farther than by 2 (of ln a, or of a power).
class Belief {
 public:
  /// `space`: a sample of the configurations of interest, more than one. `known`: runs that were
  /// measured; where they are absent, those of the process, or of a model without one as many
  /// average configurations of the space as it had runs.
  Belief(const FittedModel& model, const Design& space, const std::optional<Design>& known);

  Places at(const Design& design) const;
  Eigen::MatrixXd covariance(const Places& a, const Places& b) const;
  /// At one place each.
  Eigen::VectorXd variances(const Places& places) const;
  /// Variance of ln t of one more run about its configuration's.
  double noise() const { return noise_; }

 private:
  const FittedModel& model_;
  std::optional<ProcessBelief> process_;
  double noise_ = 0;
  Eigen::RowVectorXd middle_;     ///< of the slopes over the space
  Eigen::VectorXd deviations_;    ///< of constants and level
  Eigen::MatrixXd constants_;     ///< root of their covariance: without a process, with the runs
  Eigen::MatrixXd known_factor_;  ///< Cholesky factor of the covariance of the known runs
  std::optional<Places> known_;   ///< of a model with a process

  Eigen::MatrixXd slopes(const Design& design) const;
  void learn(const Eigen::MatrixXd& slopes, double weight);
  void learn(const Design& known, const Eigen::VectorXd& runs);
};

}  // namespace perfmodel::plan
