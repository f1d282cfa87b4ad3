#pragma once

#include <optional>
#include <string>
#include <vector>

namespace perfmodel {

/// The numbers that "256,512", "1:64:x2" (1, 2, 4, ... up to 64), "1:9:+2" (1, 3, ... up to 9) and
/// lists of all of these stand for. Nothing where a part is none of them, or where a range has no
/// value or more than a million.
std::optional<std::vector<double>> listed_numbers(const std::string& text);

/// The levels that a text names: itself where it is one, else a list. Those that are not `known`
/// are in it, too.
std::vector<std::string> listed_levels(const std::string& text,
                                       const std::vector<std::string>& known);

}  // namespace perfmodel
