#pragma once

#include <cstddef>
#include <vector>

#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// Rows that belong together.
struct RowGroups {
  std::vector<std::size_t> of_row;  ///< row -> group; groups count from 0 as they first appear
  std::size_t count = 0;
};

/// Rows of equal inputs: repeated measurements of one configuration.
RowGroups configuration_groups(const Design& design);

/// Rows of equal inputs and equal times. The design has times.
RowGroups equal_row_groups(const Design& design);

}  // namespace perfmodel
