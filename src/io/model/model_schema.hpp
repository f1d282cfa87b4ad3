#pragma once

#include <algorithm>
#include <cstdint>

#include "fit/result/form.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// The newest of "perfmodel/model"; a newer one is refused. Which one a model has, its form
/// says, and whether its columns may be 0.
constexpr std::uint64_t kModelSchemaVersion = 3;

/// The oldest that tells all of the model.
inline std::uint64_t schema_version(const FittedModel& model) {
  constexpr unsigned with_zeros = 3;
  return std::max(model.form->schema_version(), model.spec.has_zeros() ? with_zeros : 1);
}

}  // namespace perfmodel
