#pragma once

#include <cstdint>

namespace perfmodel {

/// The newest of "perfmodel/model"; a newer one is refused. Which one a model has, its form says.
constexpr std::uint64_t kModelSchemaVersion = 2;

}  // namespace perfmodel
