#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>

#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/form/multi_expression.hpp"

namespace perfmodel {

/// A model as an expression that other programs compute. The functions take the columns by name.
enum class FormulaLanguage { text, latex, python, c, spreadsheet };

std::string_view to_text(FormulaLanguage language);

/// The whole model in one of these languages: numbers with all digits, so that its values agree
/// with predict(), but for `text` and `latex`, which are for reading and round to three digits.
///
/// `python`: a function predict(filters, activation, ...). `c`: a function of C99. `spreadsheet`: a
/// formula whose inputs are defined names. Their inputs are required_columns(): derived columns are
/// computed inside. `text` and `latex` say below how those are computed.
///
/// Throws InputError for a derived column whose formula the language cannot be given.
///
/// Eq. (4): `constants` in the order of GenericLayout.
std::string generic_code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                         FormulaLanguage language);
/// A sum of product terms: `constants` in the order of MultiLayout.
std::string multi_code(const ModelSpec& spec, const MultiStructure& structure,
                       const Eigen::VectorXd& constants, FormulaLanguage language);

}  // namespace perfmodel
