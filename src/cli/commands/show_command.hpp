#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/console.hpp"
#include "export/formula_code.hpp"

namespace perfmodel::cli {

class OptionSet;

struct ShowArguments {
  std::string model;
  std::string pick;
  std::vector<std::string> ranked_at;  ///< settings of the ranking of many models
  std::string output = "-";
  std::optional<FormulaLanguage> language = {};  ///< nothing: text
};

/// `perfmodel show MODEL.json`: the formula, to read or to compute elsewhere.
void setup_show(OptionSet& command, ShowArguments& arguments);
int run_show(const ShowArguments& arguments, Console& console);

}  // namespace perfmodel::cli
