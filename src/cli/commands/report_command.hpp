#pragma once

#include <optional>
#include <string>

#include "cli/runs/judged_runs.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

struct ReportArguments : JudgedRunsArguments {
  std::string title;
  std::optional<bool> explore;  ///< nothing: where the page stays small
  std::string figures;          ///< a folder; empty: none
  std::string output = "-";
};

/// `perfmodel report MODEL.json RUNS.csv`: one page with the tables and figures.
void setup_report(OptionSet& command, ReportArguments& arguments);
int run_report(const ReportArguments& arguments, Console& console);

}  // namespace perfmodel::cli
