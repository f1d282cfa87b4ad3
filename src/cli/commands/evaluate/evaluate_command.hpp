#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/gates.hpp"
#include "cli/options/output_format.hpp"
#include "cli/runs/judged_runs.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

struct EvaluateArguments : JudgedRunsArguments {
  OutputFormat format = OutputFormat::text;
  std::optional<std::string> residuals;  ///< where to write one line per run
  std::optional<std::size_t> outliers;   ///< how many to list
  std::optional<double> coverage;        ///< of the intervals; the model's own where not given
  std::optional<std::string> baseline;   ///< an older model
  bool strict_range = false;
  std::vector<Gate> gates;
};

/// `perfmodel evaluate MODEL.json RUNS.csv`: how far a model is from measured runs.
void setup_evaluate(OptionSet& command, EvaluateArguments& arguments);

int run_evaluate(const EvaluateArguments& arguments, Console& console);

}  // namespace perfmodel::cli
