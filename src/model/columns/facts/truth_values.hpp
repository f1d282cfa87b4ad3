#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/data/table.hpp"

namespace perfmodel {

/// Of "true", "TRUE", "False", ...; nothing for other texts.
std::optional<bool> truth_value(std::string_view text);

/// Where a column has one truth value in several spellings, "True" and "TRUE", its truth values
/// become "true" and "false". Returns a sentence for each such column.
std::vector<std::string> unify_truth_values(Table& table);

}  // namespace perfmodel
