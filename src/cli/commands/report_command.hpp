#pragma once

#include <optional>
#include <string>

#include "cli/runs/judged_runs.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

enum class ReportFormat { html, markdown };

struct ReportArguments : JudgedRunsArguments {
  std::optional<std::string> third_file;  ///< where the first is an older model to compare with
  std::string title;
  std::optional<bool> explore;  ///< nothing: where the page stays small
  std::string figures;          ///< a folder; empty: none
  ReportFormat format = ReportFormat::html;
  std::string output = "-";
};

/// `perfmodel report MODEL.json RUNS.csv` or `report OLD.json NEW.json RUNS.csv`: one page with the
/// tables and figures.
void setup_report(OptionSet& command, ReportArguments& arguments);
int run_report(const ReportArguments& arguments, Console& console);

}  // namespace perfmodel::cli
