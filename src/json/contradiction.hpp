#pragma once

#include <string>

#include "json/json_cursor.hpp"

namespace perfmodel {

// What a document says beside the numbers it is computed from has to agree with them: nothing is
// computed from these fields, so that one who edits the numbers alone would leave a file that says
// two things. All throw InputError, which names the field.

/// What an error about such a field ends with.
extern const std::string correct_or_remove;

/// A number as large as `scale` says; where it cannot be computed nothing contradicts it.
void check_number(const JsonCursor& node, double expected, double scale);

/// The text in the field `formula`; a field that is missing contradicts nothing.
void check_formula(const JsonCursor& parent, const std::string& expected);

}  // namespace perfmodel
