#pragma once

#include <cstddef>

#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// The constants of a sum of product terms are solved for together, in time that grows with the
/// cube of their number: more of them take hours.
inline constexpr std::size_t kMostSumConstants = 1000;

/// Constants that a sum of so many terms would leave free, without those that only the data can
/// suggest.
std::size_t count_sum_constants(const ModelSpec& spec, std::size_t terms);

/// Whether at least two terms can be fitted, which a choice of their number needs.
bool terms_can_be_chosen(const ModelSpec& spec);

}  // namespace perfmodel
