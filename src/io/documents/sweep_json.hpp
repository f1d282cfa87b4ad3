#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/sweep.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// A regularisation path and what was made of it.
struct SweepDocument {
  const Provenance& provenance;
  const std::vector<SweepPoint>& points;
  std::size_t chosen = 0;  ///< index of a point
  LambdaRule rule = LambdaRule::lowest;
};

/// Schema perfmodel/sweep, version 1; ends with a newline. Constants by name.
std::string sweep_to_json(const SweepDocument& report);

}  // namespace perfmodel
