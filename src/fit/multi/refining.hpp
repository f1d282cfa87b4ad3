#pragma once

#include "fit/multi/selection.hpp"

namespace perfmodel {

/// Whether minimising the user's loss over the training rows predicts better, by that loss on rows
/// that were held out, than the robust fit of ln(time) it starts from: within the measured range by
/// more than a standard error, and not worse beyond it.
///
/// Run times scatter in proportion to their size. A loss of absolute errors then rests on the few
/// longest runs, and its minimum over the training rows can be worse, by that very loss, on others.
bool refining_pays(const SelectionTask& task, const Selection& selection);

}  // namespace perfmodel
