#include "cli/options/output_format.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/options/option_set.hpp"

namespace perfmodel::cli {

void add_format(OptionSet& app, OutputFormat& format, const std::string& description,
                const std::vector<std::pair<std::string, OutputFormat>>& further) {
  std::vector<std::pair<std::string, OutputFormat>> formats = {{"text", OutputFormat::text},
                                                               {"json", OutputFormat::json},
                                                               {"csv", OutputFormat::csv},
                                                               {"markdown", OutputFormat::markdown},
                                                               {"latex", OutputFormat::latex}};
  formats.insert(formats.end(), further.begin(), further.end());
  std::vector<std::string> words;
  std::string usual;
  for (const auto& [word, choice] : formats) {
    words.push_back(word);
    usual = choice == format ? word : usual;
  }
  const auto parse = [&format, formats, words](const std::string& text) {
    const std::string name = text == "md" ? "markdown" : text;
    const auto found = std::find(words.begin(), words.end(), name);
    if (found == words.end())
      throw OptionError("--format", "'" + text + "' is not one of " + quoted_list(words));
    format = formats[static_cast<std::size_t>(found - words.begin())].second;
  };
  app.add_option_function("--format", parse, description + " (default: " + usual + ")")
      .type_name(joined(words, "|"));
}

}  // namespace perfmodel::cli
