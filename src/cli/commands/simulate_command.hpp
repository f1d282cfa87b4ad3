#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

struct SimulateArguments {
  std::string model;
  std::string configurations;
  std::optional<char> separator;  ///< nothing: recognised
  bool strict_range = false;
  std::string output = "-";
  double noise = 0;
  std::optional<double> additive;
  bool draw = false;
  std::optional<std::uint64_t> seed;
};

/// `perfmodel simulate MODEL.json CONFIGS.csv`: runs whose true constants are known.
void setup_simulate(OptionSet& command, SimulateArguments& arguments);

int run_simulate(const SimulateArguments& arguments, Console& console);

}  // namespace perfmodel::cli
