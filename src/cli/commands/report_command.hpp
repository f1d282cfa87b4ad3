#pragma once

#include <optional>
#include <string>

#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

struct ReportArguments {
  std::string model;
  std::string runs;
  std::optional<std::string> target;  ///< where the file has another name for it
  std::string title;
  std::string output = "-";
};

/// `perfmodel report MODEL.json RUNS.csv`: one page with the tables and figures.
void setup_report(OptionSet& command, ReportArguments& arguments);
int run_report(const ReportArguments& arguments, Console& console);

}  // namespace perfmodel::cli
