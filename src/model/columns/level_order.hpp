#pragma once

#include <string>
#include <vector>

namespace perfmodel {

/// The order that the levels of a column have in models: numbers first, by value, so that "8"
/// stands before "16", then texts.
void sort_levels(std::vector<std::string>& levels);

}  // namespace perfmodel
