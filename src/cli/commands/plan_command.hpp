#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/options/output_format.hpp"
#include "cli/runs/sharing_options.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

enum class PlanMethod { random, latin_hypercube, d_optimal };

struct PlanArguments {
  std::string space;
  std::optional<std::size_t> rows;
  PlanMethod method = PlanMethod::random;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> model;   ///< whose constants a D-optimal plan is for
  std::optional<std::string> resume;  ///< an existing plan
  OutputFormat format = OutputFormat::csv;
  std::string output = "-";
  std::optional<std::size_t> starts;   ///< of the exchanges of a D-optimal plan
  std::optional<std::size_t> threads;  ///< nothing: as many as there are cores
  SharingArguments sharing;
};

/// `perfmodel plan SPACE.json -n N`: configurations to measure.
void setup_plan(OptionSet& command, PlanArguments& arguments);

int run_plan(const PlanArguments& arguments, Console& console);

}  // namespace perfmodel::cli
