#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/options/gates.hpp"
#include "cli/options/option_set.hpp"

namespace perfmodel::cli {

/// Of everything that `--seed` seeds, unless the fit's own settings say so.
constexpr std::uint64_t kDefaultSeed = 1;

/// A file that is read, by its place on the command line.
inline Option add_input(OptionSet& app, const std::string& name, std::string& path,
                        const std::string& description) {
  // CLI11 would add "TEXT REQUIRED"; the usage line says already what may be left out.
  return app.add_option(name, path, description + "; \"-\" is stdin").option_text(" ");
}

/// `--fail-if`, repeatable.
inline void add_gates(OptionSet& app, std::vector<Gate>& gates, const std::string& description,
                      const FurtherFigures& further = {}) {
  app.add_option_function(
         "--fail-if",
         [&gates, further](const std::string& text) { gates.push_back(parse_gate(text, further)); },
         description)
      .type_name("CONDITION")
      .trigger_on_parse();
}

inline void add_output(OptionSet& app, std::string& output, const std::string& type_name) {
  app.add_option("-o,--output", output,
                 "where to write, \"-\" is standard output (default);\n"
                 "an old file stays as it is until the result is complete")
      .type_name(type_name);
}

}  // namespace perfmodel::cli
