#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_set.hpp"
#include "perfmodel/knowledge.hpp"
#include "report/documents.hpp"
#include "report/model_set.hpp"

namespace perfmodel::cli {

/// A condition of a quality gate (`--fail-if`) fired.
class GateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number that a run can be judged by.
struct Figure {
  std::string name;  ///< in conditions: "mape", "train.r2", "mape_drift"
  double value = 0;
  std::string part;  ///< the runs that were judged: "the test part"
  /// Confidence interval. A condition fires only if it holds at both ends.
  std::optional<Interval> interval = {};
  std::string of = {};  ///< as in GateDocument
};

/// A condition under which a run counts as failed: `--fail-if 'mape>10'`.
struct Gate {
  std::string text;    ///< as the user wrote it
  std::string figure;  ///< mae, mape, smape (in percent), mse, rmse, r2, or another of the command
  bool (*compares)(double value, double threshold) = nullptr;
  double threshold = 0;
};

/// Figures besides the plain metrics. Messages describe them by `words`, such as "; with 'train.'
/// before it for a part".
struct FurtherFigures {
  std::vector<std::string> names;
  std::string words;
  std::function<bool(std::string_view)> accepts = {};  ///< accepts further names
};

/// " (95 % interval 11 .. 14)"; empty without an interval.
std::string gate_interval_text(const std::optional<Interval>& interval);

/// Names of the metrics in conditions: mae, mape, smape, mse, rmse, r2.
std::vector<std::string> gate_metrics();

/// The metrics as figures whose names begin with `prefix`.
std::vector<Figure> figures_of(const Metrics& metrics, const std::string& part,
                               const std::string& prefix = "");

/// Throws UsageError, with an example, if the text is no condition on a known figure.
Gate parse_gate(std::string_view text, const FurtherFigures& further = {});

/// A condition evaluated for one figure of its name.
struct JudgedGate : GateDocument {
  std::string figure;  ///< its name
  std::string part;    ///< the runs that were judged
  bool holds = false;  ///< for the value, whatever its interval
};

/// Evaluates each condition for every figure of its name. A condition fires if its figure is
/// undefined, such as r2, or missing.
std::vector<JudgedGate> judged_gates(const std::vector<Gate>& gates,
                                     const std::vector<Figure>& figures);

/// Throws GateError with all figures for which a condition fires; several figures may have one
/// name. `guess`: a line about what the figures are of, see guess_of_target().
void check_gates(const std::vector<JudgedGate>& gates, const std::string& guess = {});
void check_gates(const std::vector<Gate>& gates, const std::vector<Figure>& figures,
                 const std::string& guess = {});

/// A message for each condition that holds but does not fire.
std::vector<std::string> open_gates(const std::vector<JudgedGate>& gates);

/// The metrics of the test part, else of the training part and, with prefixes such as "train.",
/// those of each part. `group`: words for all of them in messages; empty: the names of the parts.
std::vector<Figure> figures_of_parts(const FittedModel& model, const std::string& group = "");

/// True for figures of conditions on sets: 'any.mape>20', 'kernel=x,gpu=a.q[gpus]>0.2'.
bool is_set_figure(std::string_view name);

/// Description of these figures in messages.
inline constexpr auto kSetFigureWords =
    "; of many models 'any.' or groups such as 'kernel=x,gpu=a.' before it, constants such as "
    "q[gpus], or refused";

/// Throws UsageError for conditions on other figures.
void require_set_figures(const std::vector<Gate>& gates);

/// Evaluates conditions on a set. 'any' covers the lines with a model ('refused': all lines). A
/// condition on a group without a model fires. `further`: more figures of each line.
std::vector<JudgedGate> judged_set_gates(const std::vector<Gate>& gates, const ModelSet& set,
                                         const std::vector<std::vector<Figure>>& further = {});

/// Adds `--fail-if`, which may be repeated.
void add_gates(OptionSet& app, std::vector<Gate>& gates, const std::string& help,
               const FurtherFigures& further);

}  // namespace perfmodel::cli
