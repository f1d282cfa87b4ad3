#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/data/metrics.hpp"

namespace perfmodel::cli {

/// A quality gate (`--fail-if`) held.
class GateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number that a run can be judged by.
struct Figure {
  std::string name;  ///< as conditions call it: "mape", "train.r2", "mape_drift"
  double value = 0;
  std::string part;  ///< what was measured: "the test part"
};

/// A condition under which a run counts as failed: `--fail-if 'mape>10'`.
struct Gate {
  std::string text;    ///< as the user wrote it
  std::string figure;  ///< mae, mape, smape (in percent), mse, rmse, r2, or another of the command
  enum class Comparison { above, at_least, below, at_most } comparison = Comparison::above;
  double threshold = 0;
};

/// Names of figures that a command knows besides the plain metrics, and how a message sums them up:
/// "; with 'train.' before it for a part".
struct FurtherFigures {
  std::vector<std::string> names;
  std::string words;
};

/// Names of the metrics in conditions: mae, mape, smape, mse, rmse, r2.
std::vector<std::string> gate_metrics();

/// The metrics as figures with `prefix` before their names.
std::vector<Figure> figures_of(const Metrics& metrics, const std::string& part,
                               const std::string& prefix = "");

/// Throws UsageError that says what a condition looks like.
Gate parse_gate(std::string_view text, const FurtherFigures& further = {});

/// Throws GateError with every figure for which a condition holds; several may have one name. An
/// undefined r2 counts as failed: nobody asks for it without need. So does a figure that there is
/// none of.
void check_gates(const std::vector<Gate>& gates, const std::vector<Figure>& figures);

}  // namespace perfmodel::cli
