#include "cli/options/output_format.hpp"

#include <CLI/CLI.hpp>
#include <map>

namespace perfmodel::cli {

void add_format(CLI::App& app, OutputFormat& format, const std::string& description) {
  const auto parse = [&format](const std::string& text) {
    const std::map<std::string, OutputFormat> formats = {{"text", OutputFormat::text},
                                                         {"json", OutputFormat::json},
                                                         {"csv", OutputFormat::csv},
                                                         {"md", OutputFormat::md}};
    const auto found = formats.find(text);
    if (found == formats.end()) {
      throw CLI::ValidationError("--format",
                                 "'" + text + "' is not one of 'text', 'json', 'csv' and 'md'");
    }
    format = found->second;
  };
  app.add_option_function<std::string>("--format", parse, description + " (default: text)")
      ->type_name("text|json|csv|md");
}

}  // namespace perfmodel::cli
