#pragma once

#include <Eigen/Core>
#include <optional>

#include "fit/eq4/finish/idle_terms.hpp"
#include "fit/eq4/finish/scaled_steps.hpp"
#include "fit/eq4/spread/spread_rows.hpp"
#include "optimise/lad/sequential_lad.hpp"

namespace perfmodel {

/// The sums of an answer about idle terms.
IdleSlopes idle_slopes_of(const Eigen::VectorXd& sums);

/// A loss of absolute errors over spread rows as a sequence of linear problems. Of each, the rows
/// near their kink are gathered, and all others are a sum; see optimise::sift().
class SpreadSteps : public LinearisedProblem {
 public:
  SpreadSteps(const SpreadRows& rows, const Design& sample);

  double cost(const Eigen::VectorXd& scaled) const override;
  void linearise_at(const Eigen::VectorXd& scaled) override;
  optimise::LadResult solve(double radius, const optimise::LadOptions& options,
                            double& constant) const override;
  Eigen::VectorXd correction(const optimise::LadResult& step,
                             const Eigen::VectorXd& trial) const override;
  Eigen::VectorXd inside(const Eigen::VectorXd& scaled, double cost) const override {
    return steps_.inside(scaled, effects_, cost);
  }
  std::optional<Eigen::VectorXd> wake(const optimise::LadResult& step) const override;
  double length(const Eigen::VectorXd& step) const override { return steps_.length(step); }

 private:
  const SpreadRows& rows_;
  const Design& sample_;
  ScaledModel sample_model_;
  ScaledSteps steps_;
  double runs_;
  Eigen::VectorXd at_;
  Eigen::VectorXd effects_;
  optimise::LevelColumns layout_;  ///< of no row
  Eigen::VectorXd nearness_;       ///< how near rows are that are gathered, and of what columns
};

}  // namespace perfmodel
