#pragma once

#include <cstdint>

namespace perfmodel {

/// Of "perfmodel/model"; a newer one is refused.
constexpr std::uint64_t model_schema_version = 1;

}  // namespace perfmodel
