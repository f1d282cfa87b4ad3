#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "search/search_space.hpp"

namespace perfmodel {

/// Eq. (4) in scaled constants with its derivatives, for local refinement. Keeps references to the
/// design and the space.
class ScaledModel : public SmoothModel {
 public:
  ScaledModel(const Design& design, const SearchSpace& space);

  VectorXd predict(const VectorXd& scaled) const override;
  std::unique_ptr<LinearisedModel> linearised(const VectorXd& scaled) const override;

  const optimise::Bounds& box() const override { return space_.scaled(); }

  /// The trust region limits the powers: the model is linear in a and C. With a squared penalty,
  /// which is curved in a, it also limits a.
  VectorXd reach(const VectorXd& at, double radius, bool curved_penalty) const override;
  double length(const VectorXd& step) const override;
  bool holds_all_curved(bool curved_penalty) const override { return !curved_penalty; }

  /// A coefficient whose term changes the cost by less than rounding is set to 0. The threshold
  /// depends on its column: a coefficient of 1e-14 matters if I^p is 1e10.
  VectorXd inside(const VectorXd& scaled, const VectorXd& effects, double cost) const override;

  /// Finds powers at which idle terms, those with coefficient 0, would re-enter the model.
  ///
  /// A term a I^p with a = 0 has slope 0 in p, so that local refinement can never change p. But its
  /// slope in a is known for every p of the box: if the steepest descent over a grid of powers, for
  /// a term of fixed size, its root mean square over the rows, is downhill, the term gets that
  /// power.
  std::optional<VectorXd> wake(const VectorXd& scaled, const VectorXd& pull) const override;

 private:
  struct Parts;
  class Linearised;
  Parts parts(const VectorXd& scaled) const;
  template <class Put>
  void put_derivatives(const VectorXd& scaled, const Parts& part, const Put& put) const;

  const Design& design_;
  const SearchSpace& space_;
  const Eq4Layout& layout_;
  Index first_power_;
  bool is_sparse_;
  std::vector<std::vector<double>> intrinsic_logs_;  ///< per column and distinct value
  std::vector<std::vector<double>> extrinsic_logs_;
};

/// Local refinement of Eq. (4), from and to scaled constants.
Optimum polish(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
               const FitOptions& options, const VectorXd& start, double gap_to_stop = kExactGap);

}  // namespace perfmodel
