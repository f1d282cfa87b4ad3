#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/console.hpp"
#include "cli/terminal/output_tables.hpp"

namespace perfmodel::cli {

class OptionSet;

struct PredictArguments {
  std::string model;
  std::string pick;
  std::string configurations;     ///< empty where --set is used
  std::optional<char> separator;  ///< nothing: recognised
  std::vector<std::string> settings;
  std::string like;                    ///< "runs.csv:41", a run that is changed by the settings
  std::optional<OutputFormat> format;  ///< nothing: what suits the reader
  std::optional<double> coverage;      ///< of the intervals; the model's own where not given
  bool strict_range = false;
  std::string output = "-";
};

/// `perfmodel predict MODEL.json`: the time of configurations that are set, or of
/// every row of a file.
void setup_predict(OptionSet& command, PredictArguments& arguments);

int run_predict(const PredictArguments& arguments, Console& console);

}  // namespace perfmodel::cli
