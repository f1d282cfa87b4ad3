#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/random.hpp"

namespace perfmodel::test {

constexpr std::size_t kUsualCases = 200;

/// Calls the property with the random stream of each case. Cases are independent of each other:
/// each has a stream of the property's name and its own number, which is the message of a failure.
///
/// The environment's PERFMODEL_PROPERTY_CASES is the number of cases of properties that have
/// kUsualCases, of others in proportion; PERFMODEL_PROPERTY_CASE is the only one to be run.
void for_each_case(std::string_view property, const std::function<void(RandomStream&)>& check,
                   std::size_t cases = kUsualCases);

/// Calls the property with the random stream of one case.
void check_case(std::string_view property, const std::function<void(RandomStream&)>& check,
                std::size_t number);

}  // namespace perfmodel::test
