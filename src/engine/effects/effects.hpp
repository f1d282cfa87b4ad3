#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/model.hpp"

namespace perfmodel {

/// t(to) / t(from) of an effect, by a model of the same columns; NaN if it gives no time.
double ratio_of(const FittedModel& model, const Configuration& at, const Effect& effect);

/// The two configurations that an effect compares; nullopt if one is not possible.
std::optional<std::pair<Configuration, Configuration>> ends_of(const FittedModel& model,
                                                               const Configuration& at,
                                                               const Effect& effect);

/// Per extrinsic column that is not derived, the effect of doubling it: from the configuration's
/// value x to 2 x, or from x / 2 to x if only that is within the measured range and, for integers,
/// x is even. With the intervals that the model stores. Effects without a time are omitted.
std::vector<Effect> scale_effects_of(const FittedModel& model, const Configuration& at);

/// As scale_effects_of(), followed by the effect of every other input that can change alone, the
/// largest first: of a number from its low to its high typical value, of a category from the
/// fastest to the slowest level. Typical values are the 10 % and 90 % quantiles of `runs`, or
/// minimum and maximum if those are equal; only levels in `runs` count. Without runs, both are
/// those of the model's stored effects or, if it has none, of the measured range and all levels.
/// With runs, each effect is followed over them: Effect::over_runs and most_at.
std::vector<Effect> effects_of(const FittedModel& model, const Configuration& at,
                               const Design* runs = nullptr);

/// What a part of the formula is of its time: an input of Eq. (4), a term of a sum, or C.
struct Share {
  std::string name;
  std::string title;         ///< for a term, what it depends on; else the name
  std::string formula;       ///< of a term
  double percent = 0;        ///< of the formula's time, over the runs
  double percent_shown = 0;  ///< of the formula's time at one configuration
  double percent_ruled = 0;  ///< of the runs (of many, some): where it is the largest part
  /// Where it is the largest part, if one input tells: "batch_size >= 64"; else where it is larger
  /// than elsewhere: "large batch_size".
  std::string most_at;
};

/// The parts that exist, the largest at `shown` first; none if predictions of both signs make
/// shares meaningless.
std::vector<Share> shares_of(const FittedModel& model, const Design& runs,
                             const Configuration& shown);

/// The half width of the 90 % interval of ln(ratio) that independent runs with this scatter of
/// ln(time) leave to a slope in ln(x), or to the difference of two levels, if all other constants
/// were known: no estimate from the same runs is more certain. 0 if it cannot be said.
double least_half_width(const Effect& effect, const ModelSpec& spec, const Design& runs,
                        double scatter);

/// A sentence per column that was left out as a result, has the name of what a run was given
/// ("input_bytes", "rchar"), and goes with what the model does not explain: a rank correlation of
/// at least 0.7 with ln(measured / predicted) in ten rows or more, with the flags that keep it.
std::vector<std::string> left_out_inputs(const Table& runs, const FittedModel& model);

}  // namespace perfmodel
