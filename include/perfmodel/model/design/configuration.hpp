#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// One setting of every input of a model, in the order of its spec.
struct Configuration {
  std::vector<double> intrinsic;
  std::vector<std::uint32_t> levels;
  std::vector<double> extrinsic;
};

/// That of a row.
Configuration configuration_of(const Design& design, std::size_t row);

/// The configuration with this value of the extrinsic column of that number: columns that are tied
/// to it move along, every derived column is computed anew, and what derived columns alone use has
/// its typical value. Nothing where a derived value cannot be an input or a column behind it is not
/// known.
std::optional<Configuration> with_scale(const ModelSpec& spec, const Configuration& configuration,
                                        std::size_t extrinsic, double value);

/// A design of this one row, without a time.
Design design_of(const Configuration& configuration, const ModelSpec& spec);

}  // namespace perfmodel
