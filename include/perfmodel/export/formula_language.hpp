#pragma once

#include <string_view>

namespace perfmodel {

/// A model as an expression that other programs compute. The functions take the columns by name.
///
/// Numbers have all digits, so that the values agree with predict(), but for `text` and `latex`,
/// which are for reading and round to three digits. `python`: a function predict(filters,
/// activation, ...). `c`: a function of C99. `javascript`: a function of ES2020. `spreadsheet`: a
/// formula whose inputs are defined names. Their inputs are required_columns(): derived columns are
/// computed inside. `text` and `latex` say below how those are computed.
enum class FormulaLanguage { text, latex, python, c, javascript, spreadsheet };

std::string_view to_text(FormulaLanguage language);

}  // namespace perfmodel
