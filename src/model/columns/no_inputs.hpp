#pragma once

#include <string>
#include <vector>

#include "model/columns/left_out/left_out.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// Columns that are no inputs, and what is to be said about them.
struct NoInputs {
  std::vector<LeftOut> columns;
  std::vector<std::string> notices;  ///< whole sentences
};

/// What resolve_roles() would leave out beside this target, this one scale and columns that are
/// ignored, whatever the values in the others are.
NoInputs find_no_inputs(const Table& table, const std::string& target, const std::string& scale,
                        const std::vector<std::string>& ignore);

/// Numeric inputs of a model, because a flag named them or nothing else is left, that the measured
/// time gives: the errors of such a model say nothing.
std::vector<LeftOut> inputs_given_by_target(const Table& table, const ModelSpec& spec);

}  // namespace perfmodel
