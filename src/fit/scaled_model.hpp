#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "fit/finish.hpp"
#include "fit/search_space.hpp"
#include "optimise/algebra.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// Eq. (4) in scaled constants, with its derivatives: what the exact finish works on. The design
/// and the space outlive it.
class ScaledModel : public SmoothModel {
 public:
  ScaledModel(const Design& design, const SearchSpace& space);

  Eigen::VectorXd predict(const Eigen::VectorXd& scaled) const override;
  /// Those derivatives that a column of many levels has stand apart.
  std::unique_ptr<LinearisedModel> linearised(const Eigen::VectorXd& scaled) const override;

  const optimise::Bounds& box() const override { return space_.scaled(); }

  /// The trust region holds the powers; the model is linear in a and C. Only a squared penalty,
  /// which is curved in a, holds a too.
  optimise::Bounds around(const Eigen::VectorXd& at, double radius,
                          bool curved_penalty) const override;
  double length(const Eigen::VectorXd& step) const override;
  bool holds_all_curved(bool curved_penalty) const override { return !curved_penalty; }

  /// A coefficient whose term moves the cost by less than rounding is a 0 that rounding has missed.
  /// How much it moves depends on its column: a coefficient of 1e-14 counts where I^p is 1e10.
  Eigen::VectorXd inside(const Eigen::VectorXd& scaled, const Eigen::VectorXd& effects,
                         double cost) const override;

  /// See wake_idle_terms().
  std::optional<Eigen::VectorXd> wake(const Eigen::VectorXd& scaled,
                                      const Eigen::VectorXd& pull) const override;

 private:
  struct Parts;
  class Linearised;
  Parts parts(const Eigen::VectorXd& scaled) const;
  template <class Put>
  void put_derivatives(const Eigen::VectorXd& scaled, const Parts& part, const Put& put) const;
  optimise::LevelColumns levels_apart() const;
  optimise::LevelMatrix jacobian(const Eigen::VectorXd& scaled, const Parts& parts) const;

  const Design& design_;
  const SearchSpace& space_;
  const GenericLayout& layout_;
  Eigen::Index first_power_;
  std::optional<std::size_t> many_levels_;           ///< the column whose levels stand apart
  std::vector<std::vector<double>> intrinsic_logs_;  ///< per column and distinct value
  std::vector<std::vector<double>> extrinsic_logs_;
};

/// Looks for powers at which terms that have left the model would come back.
///
/// A term a I^p with a = 0 has no slope in p: a local finish leaves it out for good, whatever other
/// powers promise. But its slope in a is known for every p of the box, so that all powers can be
/// tried at once: where the steepest of a grid, for a term of one size, is downhill, the term is
/// given that power.
///
/// `scaled` are constants at an optimum, and `pull` says per row how the cost changes with the
/// predicted time (d cost / d y). Returns the constants with new powers of idle terms, at which the
/// predictions are the same; nothing where no idle term would pay.
std::optional<Eigen::VectorXd> wake_idle_terms(const Design& training, const SearchSpace& space,
                                               const Eigen::VectorXd& scaled,
                                               const Eigen::VectorXd& pull);

/// finish() of Eq. (4), from and to scaled constants.
Optimum polish(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
               const FitOptions& options, const Eigen::VectorXd& start,
               double gap_to_stop = kExactGap);

}  // namespace perfmodel
