#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/options/option_set.hpp"

namespace perfmodel::cli {

/// An option that takes one of a few words. CLI11's own transformer prints a map of enumerators.
template <class Choice>
Option add_choice(OptionSet& app, const std::string& name, Choice& variable,
                  std::vector<std::pair<std::string, Choice>> choices,
                  const std::string& description) {
  std::vector<std::string> words;
  std::string type_name;
  for (const auto& [word, choice] : choices) {
    words.push_back(word);
    type_name += (type_name.empty() ? "" : "|") + word;
  }
  constexpr std::size_t longest_type_name = 24;
  const auto parse = [&variable, name, words,
                      choices = std::move(choices)](const std::string& text) {
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end())
      throw OptionError(name, "'" + text + "' is not one of " + quoted_list(words));
    variable = choices[static_cast<std::size_t>(found - words.begin())].second;
  };
  return app.add_option_function(name, parse, description)
      .type_name(type_name.size() > longest_type_name ? "NAME" : type_name)
      .words(words);
}

}  // namespace perfmodel::cli
