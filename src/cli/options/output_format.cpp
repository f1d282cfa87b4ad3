#include "cli/options/output_format.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "cli/options/option_set.hpp"

namespace perfmodel::cli {

namespace {

using Formats = std::vector<std::pair<std::string, OutputFormat>>;

Formats usual_formats() {
  return {{"text", OutputFormat::text},
          {"json", OutputFormat::json},
          {"csv", OutputFormat::csv},
          {"markdown", OutputFormat::markdown},
          {"latex", OutputFormat::latex}};
}

/// `format` takes what is given.
template <class Format>
void add_format_of(OptionSet& app, Format& format, const std::string& description,
                   const Formats& formats) {
  std::vector<std::string> words;
  for (const auto& [word, choice] : formats)
    words.push_back(word);
  const auto parse = [&format, formats, words](const std::string& text) {
    const std::string name = text == "md" ? "markdown" : text;
    const auto found = std::find(words.begin(), words.end(), name);
    if (found == words.end())
      throw OptionError("--format", "'" + text + "' is not one of " + quoted_list(words));
    format = formats[static_cast<std::size_t>(found - words.begin())].second;
  };
  app.add_option_function("--format", parse, description).type_name(joined(words, "|"));
}

}  // namespace

void add_format(OptionSet& app, OutputFormat& format, const std::string& description,
                const std::vector<std::pair<std::string, OutputFormat>>& further) {
  Formats formats = usual_formats();
  formats.insert(formats.end(), further.begin(), further.end());
  const auto usual = std::find_if(formats.begin(), formats.end(),
                                  [&](const auto& known) { return known.second == format; });
  add_format_of(app, format, description + " (default: " + usual->first + ")", formats);
}

void add_format(OptionSet& app, std::optional<OutputFormat>& format,
                const std::string& description) {
  add_format_of(app, format, description, usual_formats());
}

}  // namespace perfmodel::cli
