#include "cli/options/output_format.hpp"

#include <map>
#include <string>

#include "cli/options/option_set.hpp"

namespace perfmodel::cli {

void add_format(OptionSet& app, OutputFormat& format, const std::string& description) {
  const auto parse = [&format](const std::string& text) {
    const std::map<std::string, OutputFormat> formats = {{"text", OutputFormat::text},
                                                         {"json", OutputFormat::json},
                                                         {"csv", OutputFormat::csv},
                                                         {"md", OutputFormat::md}};
    const auto found = formats.find(text);
    if (found == formats.end())
      throw OptionError("--format", "'" + text + "' is not one of 'text', 'json', 'csv' and 'md'");
    format = found->second;
  };
  app.add_option_function("--format", parse, description + " (default: text)")
      .type_name("text|json|csv|md");
}

}  // namespace perfmodel::cli
