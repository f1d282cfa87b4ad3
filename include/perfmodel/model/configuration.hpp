#pragma once

#include <cstdint>
#include <vector>

#include "perfmodel/model/design.hpp"
#include "perfmodel/model/spec.hpp"

namespace perfmodel {

/// One setting of every input of a model, in the order of its spec.
struct Configuration {
  std::vector<double> intrinsic;
  std::vector<std::uint32_t> levels;
  std::vector<double> extrinsic;
};

/// The median of each numeric column (the lower one of two, so that it is a value that was
/// measured) and the most frequent level of each categorical one.
Configuration median_configuration(const Design& design);

/// A design of this one row, without a time.
Design design_of(const Configuration& configuration, const ModelSpec& spec);

}  // namespace perfmodel
