#include "cli/options/reading_options.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "cli/options/option_set.hpp"

namespace perfmodel::cli {
namespace {

constexpr auto kGroup = "Reading files";

constexpr std::array<std::pair<std::string_view, char>, 9> kSeparatorNames = {{
    {"comma", ','},
    {",", ','},
    {"semicolon", ';'},
    {";", ';'},
    {"tab", '\t'},
    {"\\t", '\t'},
    {"\t", '\t'},
    {"pipe", '|'},
    {"|", '|'},
}};

char parse_separator(const std::string& text) {
  const auto* const known =
      std::find_if(kSeparatorNames.begin(), kSeparatorNames.end(),
                   [&](const auto& candidate) { return candidate.first == text; });
  if (known == kSeparatorNames.end()) {
    throw OptionError("--separator",
                      "'" + text + "' is not one of 'comma', 'semicolon', 'tab' and 'pipe'");
  }
  return known->second;
}

}  // namespace

void add_separator(OptionSet& app, std::optional<char>& separator) {
  app.add_option_function(
         "--separator", [&](const std::string& text) { separator = parse_separator(text); },
         "what stands between the columns of a file\n(default: recognised)")
      .type_name("comma|semicolon|tab|pipe")
      .group(kGroup);
}

void add_failed(OptionSet& app, bool& drop_failed) {
  app.add_option_function(
         "--failed",
         [&](const std::string& text) {
           if (text != "refuse" && text != "drop")
             throw OptionError("--failed", "'" + text + "' is not one of 'refuse' and 'drop'");
           drop_failed = text == "drop";
         },
         "runs whose time is blank, NA, nan, 0, failed, ...: an\n"
         "error, or left out and counted (default: refuse)")
      .type_name("refuse|drop")
      .group(kGroup);
}

}  // namespace perfmodel::cli
