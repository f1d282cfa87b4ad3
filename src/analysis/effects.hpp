#pragma once

#include <vector>

#include "perfmodel/model.hpp"

namespace perfmodel {

/// t(to) / t(from) of an effect by another model of the same columns; not a number where it gives
/// no time.
double ratio_of(const FittedModel& model, const Configuration& at, const Effect& effect);

/// Of each extrinsic column that is not derived what doubling it does: from the value x that the
/// configuration has to 2 x, or from x / 2 to x where only that lies within the measured range, of
/// whole numbers only where x is even. With the intervals that the model knows, without those of
/// which it gives no time.
std::vector<Effect> scale_effects_of(const FittedModel& model, const Configuration& at);

/// The same, and of every other input that can be changed alone, the strongest first: of a number
/// from its low to its high typical value, of a text from the fastest to the slowest level. Typical
/// are the values at the first and the last tenth of the rows, or the ends where most rows have one
/// value; only levels of these rows count. Without rows both are as the model has them; where it
/// has none, the ends of the measured range and all levels.
std::vector<Effect> effects_of(const FittedModel& model, const Configuration& at,
                               const Design* runs = nullptr);

}  // namespace perfmodel
