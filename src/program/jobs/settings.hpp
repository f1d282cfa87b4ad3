#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perfmodel/predict.hpp"

namespace perfmodel {

/// The configuration as a table of one row, without a name and a line.
BaseConfiguration base_of(const Configuration& configuration, const ModelSpec& spec);

/// The end of a message that the model has no such input: the reason if it is known, else the name
/// among `names` that may be meant, or all of them.
std::string no_input(const FittedModel& model, const std::string& column,
                     const std::vector<std::string>& names);

/// Parses "256,512", "1:64:x2" (1, 2, 4, ..., 64), "1:9:+2" (1, 3, ..., 9) and lists of these.
/// With a `unit`, numbers may be quantities of it: "16GiB,32GiB", "1GB:64GB:x2". Returns nullopt
/// for any other text, for plain numbers beside quantities, and for a range of no value or more
/// than a million.
std::optional<std::vector<double>> listed_numbers(const std::string& text,
                                                  const std::string& unit = {});

}  // namespace perfmodel
