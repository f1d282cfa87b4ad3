#pragma once

#include <string>
#include <vector>

#include "model/columns/left_out/left_out.hpp"
#include "perfmodel/data/table.hpp"

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

}  // namespace perfmodel
