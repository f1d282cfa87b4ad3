#pragma once

#include <cstddef>
#include <vector>

#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/configuration.hpp"

namespace perfmodel::page {

/// A numeric input that is nowhere above another: 2 nodes have at least 2 GPUs.
struct NotAbove {
  std::size_t lower;  ///< numeric inputs, the intrinsic ones first
  std::size_t higher;
};

/// Pairs of columns of whole numbers that keep to this order in every run, and of which at least
/// two different numbers are equal somewhere, so that the order is a limit and no accident.
std::vector<NotAbove> orders_of(const Design& runs);

/// Whether a configuration keeps to them.
bool keeps_to(const std::vector<NotAbove>& orders, const Configuration& configuration);

}  // namespace perfmodel::page
