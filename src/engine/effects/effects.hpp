#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perfmodel/model.hpp"

namespace perfmodel {

/// The value of an input for display: all digits of short numbers, four digits of others.
std::string setting_text(double value);

/// The predicted time of a configuration; nullopt if it is no valid time.
std::optional<double> time_of(const FittedModel& model, const Configuration& configuration);

/// The configuration at which a model is evaluated, and its name.
struct Centre {
  Configuration configuration;
  std::string place;  ///< "the central run (line 212)"
};

/// The central run, or the typical configuration of older files; nullopt if there is neither.
std::optional<Centre> centre_of(const FittedModel& model);

/// Which rows of a design are within the range of the training rows.
struct RangeCheck {
  std::vector<bool> in_range;         ///< per row
  std::vector<std::string> findings;  ///< a sentence per column or combination that is out of range
};

/// ", beyond which the model grows as gpus^3.9, ..." or the warning of a rise, for an extrinsic
/// column beyond whose largest value the model is not to be trusted; else empty.
std::string growth_beyond(const FittedModel& model, const NumericInput& input);

/// A row is in range if every number is within the measured range of its column and the row is in
/// none of the unmeasured regions.
RangeCheck check_range(const FittedModel& model, const Design& design);

/// Besides, columns of the rows' table that had one value in all runs must have it.
RangeCheck check_range(const FittedModel& model, const Design& design, const Table& table);

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

/// Ranks from the smallest on, less their mean; equal values share theirs.
Eigen::ArrayXd mid_ranks_of(const std::vector<double>& values);
/// The correlation of ranks (Spearman's); 0 if either does not vary.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace perfmodel
