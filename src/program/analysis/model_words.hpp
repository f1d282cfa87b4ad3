#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/errors.hpp"
#include "effects/constants.hpp"
#include "effects/effects.hpp"
#include "perfmodel/model.hpp"
#include "roles/quantities.hpp"
#include "trust/turning.hpp"

namespace perfmodel {

// Results as phrases, shared by all outputs.

/// A ratio of predictions in words: "1.31 times slower", of memory "2 times less", "less than 0.5 %
/// change".
std::string change_in_words(double ratio, Measure measure = Measure::time);

/// A level unchanged, a number with four digits.
std::string value_text(const InputValue& value);

/// " (1.2 .. 1.4)", in the direction in which change_in_words() gives the ratio; empty if unknown.
std::string interval_in_words(const Effect& effect);

/// "1 -> 2: 1.31 times slower (1.2 .. 1.4)", followed by "?" if the runs do not determine the
/// effect. Ends in " (extrapolated)" beyond the measured range of a scale; the values of other
/// inputs were measured, but perhaps not with the values of the others. `spec`: null for an effect
/// of a scale on a time.
std::string effect_in_words(const Effect& effect, const ModelSpec* spec = nullptr);

/// If formula and prediction have opposite signs: "gpus 64 -> 128: the formula alone gives 1.12
/// times faster; the correction reverses it"; else empty.
std::string contradiction_of(const FittedModel& model, const Configuration& at,
                             const Effect& effect);

/// "1.04 .. 1.64 times slower", how the effect differs over the runs.
std::string band_in_words(const Effect& effect, Measure measure);

/// "along 'gpus' the runs contradict Eq. (4), beyond their noise: their times are lowest near gpus
/// = 48 and 1.7 times slower at 112, where Eq. (4) expects the lowest"
std::string turn_in_words(const FittedModel& model, const Turn& turn);

/// What people ask first, in sentences: the prediction at the central run with its interval, the
/// three inputs that change it most, and the error on new runs. Empty without a central run.
std::string answer_in_words(const FittedModel& model);

/// The warning that there are no more training rows than constants, so that neither effects nor
/// training errors nor predictions mean anything; null if there are more.
const Warning* few_rows_warning(const FittedModel& model);

/// The notice of the fit that guessed the target; empty if it was named or known by its name.
std::string guess_of_target(const FittedModel& model);

/// "laws that these runs allow, at net = bert and batch = 32"
std::string heading_of_laws(const FittedModel& model);

/// The value of the scale at which a run tells the first two laws apart.
double telling_value(const Laws& laws);

/// The laws that the runs allow: "62 %  0.101 * n: 9.4 s at n = 16, 18 s at n = 32" for each of
/// them, and "a run at n = 16 would tell them apart". Empty if there is one.
std::vector<std::string> laws_in_words(const FittedModel& model);

/// An error of a model on runs that were held out of its fit.
struct HeldOutError {
  double percent = 0;
  std::string of;                         ///< "on runs held out at random"
  std::optional<double> at_largest = {};  ///< with the largest values held out, if that is known
};

/// The errors on held-out runs that the model's file knows: of the test part, of the folds, and of
/// the choice of its form.
std::vector<HeldOutError> held_out_errors(const FittedModel& model);

/// The first of them, in percent: the one that outputs quote.
std::optional<double> held_out_percent(const FittedModel& model);

/// Whether the errors of the training runs are far above their noise or, without repeated runs,
/// large: another form may fit better.
bool lacks_fit(const FittedModel& model);

/// ", typically 3.2 %" of a residual correction; empty if that would read 0.0 %. `share`: the
/// median of |exp z - 1| over the runs.
std::string typical_correction_in_words(double share);

/// "model 22.0 %, noise floor 9.0 % from 124 replicated rows: the shape limits it"; empty if no
/// configuration was measured twice. `bias`: of runs that the model was not fitted to. `held_out`:
/// the error of other runs, if `mape_percent` is that of the fit's own, which can be far smaller.
std::string noise_floor_in_words(double mape_percent, const std::optional<NoiseFloor>& floor,
                                 const DriftFigure& bias = {},
                                 std::optional<double> held_out = std::nullopt);

/// "bias: runs take 9.7 % longer than predicted (95 % interval 9.2 .. 10): drift, or another
/// machine", of memory "measured values are 9.7 % higher than predicted"; then a line per level
/// that differs, "model = gpt: 25 % longer (...)", and one for all others. Empty without an
/// interval.
std::vector<std::string> bias_lines(const Biases& biases, double mape_percent, Measure measure);

/// biases_of() the model, in which a level drifts only if its bias is above the error on held-out
/// runs, or else on those of the fit: a model may miss all runs of a level by as much.
Biases judged_biases(const FittedModel& model, const Design& runs,
                     const Eigen::VectorXd& predicted);

/// Whether the runs, or those of some level, have drifted, see is_drift().
bool any_drift(const Biases& biases, double mape_percent);

/// A sentence per column that was left out as a result, has the name of what a run was given
/// ("input_bytes", "rchar"), and goes with what the model does not explain: a rank correlation of
/// at least 0.7 with ln(measured / predicted) in ten rows or more, with the flags that keep it.
std::vector<std::string> left_out_inputs(const Table& runs, const FittedModel& model);

}  // namespace perfmodel
