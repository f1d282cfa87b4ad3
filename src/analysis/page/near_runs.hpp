#pragma once

#include <cstddef>
#include <vector>

#include "analysis/central/moved_configuration.hpp"
#include "analysis/page/cloud.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::page {

/// Runs beside a curve, as scale and time.
struct NearRuns {
  static constexpr double near = 1.25;  ///< the factor by which numbers of near runs may differ
  static constexpr double most_adjusted = 1.5;  ///< the factor by which a time may be adjusted
  static constexpr std::size_t most = 300;      ///< of each kind; of more evenly chosen ones

  std::vector<Point> measured;  ///< of the configuration itself, but for the scale: as they are
  std::vector<Point> adjusted;  ///< of near ones, times what the model says of the difference
  std::size_t all_measured = 0;
  std::size_t all_adjusted = 0;
};

/// The runs along a column of the configuration that is moved along it. `predicted` has an entry
/// per run.
NearRuns near_runs(const FittedModel& model, const Configuration& configuration,
                   std::size_t extrinsic, const Design& runs, const Eigen::VectorXd& predicted);

}  // namespace perfmodel::page
