#pragma once

#include <string>
#include <vector>

#include "perfmodel/analysis/compare/comparison.hpp"

namespace perfmodel {

/// Schema perfmodel/comparison, version 1; ends with a newline.
std::string comparison_to_json(const std::vector<Provenance>& data,
                               const std::vector<ModelScore>& scores, bool has_black_boxes);

}  // namespace perfmodel
