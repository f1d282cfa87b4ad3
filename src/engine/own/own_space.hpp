#pragma once

#include <vector>

#include "base/eigen.hpp"
#include "forms/own_form.hpp"
#include "optimise/algebra.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// The box in which the constants of a user's formula are sought, and the coordinates of the
/// search.
///
/// The formula is linear in some constants for any values of the others; these need no search
/// (variable projection, Golub and Pereyra 1973). The others without bounds are sought in -5 .. 5
/// if they are exponents, else over twelve powers of ten around the size at which they matter, with
/// either sign: see sizes_of().
class OwnSpace {
 public:
  /// Throws UsageError for bounds on names that are no constants.
  OwnSpace(const OwnProgram& program, const Design& runs, const FitOptions& options);

  /// Of the constants, in the units of the data.
  const optimise::Bounds& box() const { return box_; }
  /// The size at which each constant matters.
  const VectorXd& sizes() const { return sizes_; }
  /// Whether the formula is linear in these constants together.
  const std::vector<bool>& linear() const { return linear_; }
  const std::vector<Index>& searched() const { return searched_; }

  /// Of the searched constants.
  const optimise::Bounds& coordinates() const { return coordinates_; }
  /// Sets the searched constants.
  void put(const VectorXd& coordinates, VectorXd& constants) const;

 private:
  enum class Scale { linear, logarithmic, symmetric };

  optimise::Bounds box_;
  VectorXd sizes_;
  std::vector<bool> linear_;
  std::vector<Index> searched_;
  std::vector<Scale> scales_;  ///< of the searched constants
  optimise::Bounds coordinates_;

  /// `in_box`: of a range that follows from the box, not from the size.
  void add_coordinate(Index constant, bool in_box, double& low, double& high);
};

/// Fits the constants of the user's formula in `options`: differential evolution over those in
/// which it is not linear, then local refinement of all.
///
/// Throws UsageError for bounds on unknown constants, and InputError if the formula has no valid
/// times within the bounds or does not depend on a constant.
FittedModel fit_own(const ModelSpec& spec, const Design& training, const FitOptions& options);
const Fitter& own_fitter();

}  // namespace perfmodel
