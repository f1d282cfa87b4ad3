#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel::page {

/// Runs of one level or of neighbouring values of an input, and how far their predictions are off,
/// in percent of the measured time.
struct ErrorGroup {
  std::string name;  ///< the level, "8", "9 .. 16"
  std::size_t rows = 0;
  double median_time = 0;  ///< measured
  double mape = 0;
  double lower = 0;  ///< quartiles of the errors
  double middle = 0;
  double upper = 0;
};

/// The groups of one input: levels, the largest error first, or values, ascending.
struct ErrorsAlong {
  static constexpr std::size_t most_values = 10;  ///< more are joined to ten groups

  std::string column;
  enum class Kind { levels, scale, number } kind = Kind::number;
  std::vector<ErrorGroup> groups;
};

/// One per input that takes more than one value, those with levels and the scales first.
std::vector<ErrorsAlong> errors_along(const ModelSpec& spec, const Design& runs,
                                      const Eigen::VectorXd& predicted);

}  // namespace perfmodel::page
