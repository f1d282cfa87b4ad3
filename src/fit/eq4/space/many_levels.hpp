#pragma once

#include <cstddef>
#include <optional>

#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// A categorical column of this many levels is not searched level by level, and linear algebra has
/// its levels apart: each row has one of them only.
inline constexpr std::size_t kManyLevels = 32;

/// The categorical column of the most levels, where those are many.
std::optional<std::size_t> column_of_many_levels(const Design& design);

}  // namespace perfmodel
