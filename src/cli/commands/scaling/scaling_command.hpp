#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options/output_format.hpp"
#include "cli/terminal/console.hpp"
#include "perfmodel/analysis/scaling/study.hpp"

namespace perfmodel::cli {

class OptionSet;

struct ScalingArguments {
  std::string input;
  std::string pick;
  std::optional<std::string> column;
  std::optional<scaling::Kind> kind;       ///< told by the columns where it is not asked for
  std::optional<double> least_efficiency;  ///< percent
  std::vector<double> scales;              ///< of a model
  std::vector<std::string> settings;       ///< of a model
  bool strict_range = false;               ///< of a model
  std::optional<std::string> target;       ///< of runs
  bool throughput = false;                 ///< of runs
  std::vector<std::string> ignore;         ///< of runs
  bool drop_failed = false;                ///< of runs
  OutputFormat format = OutputFormat::text;
  std::string output = "-";
};

/// `perfmodel scaling MODEL.json|RUNS.csv`: how the time scales along one column.
void setup_scaling(OptionSet& command, ScalingArguments& arguments);

int run_scaling(const ScalingArguments& arguments, Console& console);

}  // namespace perfmodel::cli
