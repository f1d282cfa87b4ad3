#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/data/metrics.hpp"
#include "perfmodel/fit/result/certainty.hpp"

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
  /// What it may be on other runs like these. A condition fires only where it holds all over it.
  std::optional<Interval> interval = {};
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
  std::function<bool(std::string_view)> accepts = {};  ///< names beside these
};

/// Names of the metrics in conditions: mae, mape, smape, mse, rmse, r2.
std::vector<std::string> gate_metrics();

/// The metrics as figures with `prefix` before their names.
std::vector<Figure> figures_of(const Metrics& metrics, const std::string& part,
                               const std::string& prefix = "");

/// Throws UsageError that says what a condition looks like.
Gate parse_gate(std::string_view text, const FurtherFigures& further = {});

/// What became of a condition, for each figure of its name.
struct JudgedGate {
  Gate gate;
  std::optional<Figure> figure;  ///< none: there is no such figure
  bool holds = false;            ///< for the figure itself
  bool fires = false;
};

/// An undefined r2 counts as failed: nobody asks for it without need. So does a figure that there
/// is none of.
std::vector<JudgedGate> judged_gates(const std::vector<Gate>& gates,
                                     const std::vector<Figure>& figures);

/// Throws GateError with every figure for which a condition fires; several may have one name.
void check_gates(const std::vector<JudgedGate>& gates);
void check_gates(const std::vector<Gate>& gates, const std::vector<Figure>& figures);

/// Of each condition that holds, but does not fire: why.
std::vector<std::string> open_gates(const std::vector<JudgedGate>& gates);

}  // namespace perfmodel::cli
