#pragma once

#include "json/json_cursor.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {

/// Checks what a model file says beside the constants and what follows from them: formulas, scaling
/// powers, differences between levels, levels of derived columns. Nothing is computed from these
/// fields, so that one who edits the constants alone would leave a file that says two things.
///
/// A field that is missing contradicts nothing. Throws InputError, which names the field. Whoever
/// changes how formulas are written has to accept the old ways too.
void check_derived_fields(const FittedModel& model, const JsonCursor& root);

}  // namespace perfmodel
