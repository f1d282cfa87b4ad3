#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/data/metrics.hpp"

namespace perfmodel::cli {

/// A condition under which a run counts as failed: `--fail-if 'mape>10'`.
struct Gate {
  std::string text;    ///< as the user wrote it
  std::string metric;  ///< mae, mape, smape (in percent), mse, rmse, r2
  enum class Comparison { above, at_least, below, at_most } comparison = Comparison::above;
  double threshold = 0;
};

/// Throws UsageError that says what a condition looks like.
Gate parse_gate(std::string_view text);

/// Throws GateError with the figures of every condition that holds. `part` says what was measured:
/// "the test part". An undefined r2 counts as failed: nobody asks for it without need.
void check_gates(const std::vector<Gate>& gates, const Metrics& metrics, const std::string& part);

}  // namespace perfmodel::cli
