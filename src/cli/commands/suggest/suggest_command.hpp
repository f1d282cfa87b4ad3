#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/output_format.hpp"
#include "cli/terminal/console.hpp"

namespace perfmodel::cli {

class OptionSet;

enum class SuggestBy { time, cost, pareto };

struct SuggestArguments {
  std::string model;
  std::string pick;
  std::string space;
  SuggestBy by = SuggestBy::time;
  std::optional<std::string> price;
  std::vector<std::string> conditions;
  std::optional<std::size_t> most;
  std::optional<std::size_t> next;
  std::optional<std::string> runs;   ///< what --next knows already
  std::optional<std::string> among;  ///< what --next can choose
  std::optional<double> overhead;    ///< of --next: time that starting a run takes
  std::optional<std::uint64_t> seed;
  bool strict_range = false;
  OutputFormat format = OutputFormat::text;
  std::string output = "-";
};

/// `perfmodel suggest MODEL.json SPACE.json`: the best configurations, or the next to measure.
void setup_suggest(OptionSet& command, SuggestArguments& arguments);

int run_suggest(const SuggestArguments& arguments, Console& console);

}  // namespace perfmodel::cli
