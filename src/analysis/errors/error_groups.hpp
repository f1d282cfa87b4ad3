#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

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

enum class InputKind { levels, scale, number };

/// The rows of each level of an input, or of neighbouring values, ascending.
struct RowsAlong {
  static constexpr std::size_t most_values = 10;  ///< more are joined to ten groups

  struct Group {
    std::string name;
    std::vector<std::size_t> rows;
  };
  std::string column;
  InputKind kind = InputKind::number;
  std::vector<Group> groups;
};

/// One per input that takes more than one value, those with levels and the scales first.
std::vector<RowsAlong> rows_along(const ModelSpec& spec, const Design& runs);

/// The groups of one input: levels, the largest error first, or values, ascending.
struct ErrorsAlong {
  std::string column;
  InputKind kind = InputKind::number;
  std::vector<ErrorGroup> groups;
};

/// In the order of rows_along().
std::vector<ErrorsAlong> errors_along(const ModelSpec& spec, const Design& runs,
                                      const Eigen::VectorXd& predicted);

}  // namespace perfmodel
