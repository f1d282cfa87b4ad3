#pragma once

#include <charconv>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/options/option_set.hpp"

namespace perfmodel::cli {

/// A range of numbers that an option takes, and its words for a message.
struct NumberRange {
  double low = 0;
  double high = std::numeric_limits<double>::max();
  bool low_included = true;
  std::string words = "a number >= 0";

  bool contains(double value) const {
    return (low_included ? value >= low : value > low) && value <= high;
  }
};

/// An option that takes one decimal number of a range. CLI11's own conversion also takes "nan",
/// "inf" and "0x10", and its messages do not say what would be right.
inline Option add_number(OptionSet& app, const std::string& name, std::optional<double>& variable,
                         const std::string& description, NumberRange range = {}) {
  const auto parse = [&variable, name, range = std::move(range)](const std::string& text) {
    const auto value = parse_number(text);
    if (!value || !range.contains(*value))
      throw OptionError(name, "'" + text + "' is not " + range.words);
    variable = *value;
  };
  return app.add_option_function(name, parse, description).type_name("X");
}

/// An option that takes a whole number of at least `low`.
template <class Integer>
Option add_count(OptionSet& app, const std::string& name, std::optional<Integer>& variable,
                 const std::string& description, Integer low) {
  const auto parse = [&variable, name, low](const std::string& text) {
    Integer value = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc{} || end != last || value < low)
      throw OptionError(name, "'" + text + "' is not a whole number >= " + std::to_string(low));
    variable = value;
  };
  return app.add_option_function(name, parse, description).type_name("N");
}

/// Splits "A,B" at its commas.
inline std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  std::size_t start = 0;
  while (true) {
    const auto comma = text.find(',', start);
    items.push_back(text.substr(start, comma - start));
    if (comma == std::string::npos)
      return items;
    start = comma + 1;
  }
}

}  // namespace perfmodel::cli
