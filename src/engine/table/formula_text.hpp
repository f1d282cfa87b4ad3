#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/export.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"
#include "table/formula.hpp"

namespace perfmodel {

/// What a name of a user's formula stands for: a numeric column, a number, or a number per level of
/// a column.
struct FormulaOperand {
  std::optional<std::size_t> numeric = {};  ///< scales first
  std::optional<std::size_t> categorical = {};
  std::vector<double> values = {};      ///< one, or one per level
  std::vector<std::string> marks = {};  ///< written after the numbers, for reading
};

/// The expression that ends with this step of the formula, with its numbers, as `text` or `latex`.
std::string readable_formula(const ModelSpec& spec, const Formula& formula,
                             const std::vector<FormulaOperand>& operands, std::size_t last,
                             FormulaLanguage language = FormulaLanguage::text);

/// A number in LaTeX: 2.1 \times 10^{-5}.
std::string latex_number(double value);
std::string latex_name(const std::string& column);

/// A term of a sum for output, with numbers to three digits:
/// "0.0021 * filters^1.9 * workers^-0.9 * activation{relu: 1, tanh: 1.2} * [num_gpus > 1]".
/// Powers that round to 0 and factors that round to 1 are omitted; a factor that is 0 for all
/// levels but one is [activation = tanh]. `mark`, if given, returns a suffix for the number of a
/// constant. Of more than `most_levels` levels, the rest is only counted.
std::string term_text(const TermSum& sum, const VectorXd& constants, std::size_t term,
                      const std::function<std::string(std::size_t)>& mark = nullptr,
                      std::size_t most_levels = std::numeric_limits<std::size_t>::max());

/// "t = TERM + TERM + C" of a sum, joined by `plus`; omits a C of 0 and, if given, what is not in
/// `seen`.
std::string sum_text(const TermSum& sum, const VectorXd& constants, const std::string& plus = " + ",
                     const SeenParts* seen = nullptr);

/// `text` and `latex` of formula_code(), for reading: three digits.
std::string readable_terms(const TermSum& sum, const VectorXd& constants, FormulaLanguage language);

/// A name for a term of a sum by what it depends on: "filters^1.9 · batch^0.8 · by activation, not
/// workers". Omits powers below 0.05 and factors within 5 % of 1; the scales that it does not
/// depend on are at the end. "the same everywhere" if it depends on nothing.
std::string term_title(const TermSum& sum, const VectorXd& constants, std::size_t term);

}  // namespace perfmodel
