#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace perfmodel::capi {

/// The words of the command line that set the fields of a JSON object: {"l2": 0.1, "folds": "all"}
/// gives "--l2=0.1" and "--folds=all". True sets a flag; false and null set nothing. Lists are
/// joined by commas, or repeat an option that may be repeated.
///
/// Throws UsageError for text that is no JSON object and for values of other types.
std::vector<std::string> words_of_options(std::string_view json);

}  // namespace perfmodel::capi
