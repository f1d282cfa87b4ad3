#include "export/derived_code.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "data/formula.hpp"
#include "data/formula_program.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// Each may lie deeper than the one before, and compilers nest only so deep.
constexpr std::size_t kMostOperands = 500;

/// An operation in each language; $1, $2 and $3 are its operands. Those whose value is a truth give
/// 1 or 0. In spreadsheets ATAN2 takes x first, and CEILING is not the same in all.
struct CodeTemplate {
  Operation operation;
  std::string_view python;
  std::string_view c;
  std::string_view spreadsheet;
};

constexpr std::array kCodeTemplates = {
    CodeTemplate{Operation::add, "($1 + $2)", "($1 + $2)", "($1+$2)"},
    CodeTemplate{Operation::subtract, "($1 - $2)", "($1 - $2)", "($1-$2)"},
    CodeTemplate{Operation::multiply, "($1 * $2)", "($1 * $2)", "($1*$2)"},
    CodeTemplate{Operation::divide, "($1 / $2)", "($1 / $2)", "($1/$2)"},
    CodeTemplate{Operation::power, "math.pow($1, $2)", "pow($1, $2)", "($1^$2)"},
    CodeTemplate{Operation::negate, "(-$1)", "(-$1)", "(-$1)"},
    CodeTemplate{Operation::negation, "($1 == 0)", "($1 == 0 ? 1.0 : 0.0)", "IF($1=0,1,0)"},
    CodeTemplate{Operation::less, "($1 < $2)", "($1 < $2 ? 1.0 : 0.0)", "IF($1<$2,1,0)"},
    CodeTemplate{Operation::greater, "($1 > $2)", "($1 > $2 ? 1.0 : 0.0)", "IF($1>$2,1,0)"},
    CodeTemplate{Operation::less_or_equal, "($1 <= $2)", "($1 <= $2 ? 1.0 : 0.0)",
                 "IF($1<=$2,1,0)"},
    CodeTemplate{Operation::greater_or_equal, "($1 >= $2)", "($1 >= $2 ? 1.0 : 0.0)",
                 "IF($1>=$2,1,0)"},
    CodeTemplate{Operation::equal, "($1 == $2)", "($1 == $2 ? 1.0 : 0.0)", "IF($1=$2,1,0)"},
    CodeTemplate{Operation::unequal, "($1 != $2)", "($1 != $2 ? 1.0 : 0.0)", "IF($1<>$2,1,0)"},
    CodeTemplate{Operation::both, "($1 != 0 and $2 != 0)", "($1 != 0 && $2 != 0 ? 1.0 : 0.0)",
                 "IF(AND($1<>0,$2<>0),1,0)"},
    CodeTemplate{Operation::either, "($1 != 0 or $2 != 0)", "($1 != 0 || $2 != 0 ? 1.0 : 0.0)",
                 "IF(OR($1<>0,$2<>0),1,0)"},
    CodeTemplate{Operation::choose, "($2 if $1 != 0 else $3)", "($1 != 0 ? $2 : $3)",
                 "IF($1<>0,$2,$3)"},
    CodeTemplate{Operation::minimum, "min($1, $2)", "fmin($1, $2)", "MIN($1,$2)"},
    CodeTemplate{Operation::maximum, "max($1, $2)", "fmax($1, $2)", "MAX($1,$2)"},
    CodeTemplate{Operation::abs, "abs($1)", "fabs($1)", "ABS($1)"},
    CodeTemplate{Operation::sign, "(($1 > 0) - ($1 < 0))", "($1 > 0 ? 1.0 : $1 < 0 ? -1.0 : 0.0)",
                 "SIGN($1)"},
    CodeTemplate{Operation::rint, "math.floor($1 + 0.5)", "floor($1 + 0.5)", "INT($1+0.5)"},
    CodeTemplate{Operation::ceil, "math.ceil($1)", "ceil($1)", "(-INT(-$1))"},
    CodeTemplate{Operation::floor, "math.floor($1)", "floor($1)", "INT($1)"},
    CodeTemplate{Operation::sqrt, "math.sqrt($1)", "sqrt($1)", "SQRT($1)"},
    CodeTemplate{Operation::exp, "math.exp($1)", "exp($1)", "EXP($1)"},
    CodeTemplate{Operation::log, "math.log($1)", "log($1)", "LN($1)"},
    CodeTemplate{Operation::log2, "math.log2($1)", "log2($1)", "LOG($1,2)"},
    CodeTemplate{Operation::log10, "math.log10($1)", "log10($1)", "LOG10($1)"},
    CodeTemplate{Operation::sin, "math.sin($1)", "sin($1)", "SIN($1)"},
    CodeTemplate{Operation::cos, "math.cos($1)", "cos($1)", "COS($1)"},
    CodeTemplate{Operation::tan, "math.tan($1)", "tan($1)", "TAN($1)"},
    CodeTemplate{Operation::asin, "math.asin($1)", "asin($1)", "ASIN($1)"},
    CodeTemplate{Operation::acos, "math.acos($1)", "acos($1)", "ACOS($1)"},
    CodeTemplate{Operation::atan, "math.atan($1)", "atan($1)", "ATAN($1)"},
    CodeTemplate{Operation::atan2, "math.atan2($1, $2)", "atan2($1, $2)", "ATAN2($2,$1)"},
    CodeTemplate{Operation::sinh, "math.sinh($1)", "sinh($1)", "SINH($1)"},
    CodeTemplate{Operation::cosh, "math.cosh($1)", "cosh($1)", "COSH($1)"},
    CodeTemplate{Operation::tanh, "math.tanh($1)", "tanh($1)", "TANH($1)"},
    CodeTemplate{Operation::asinh, "math.asinh($1)", "asinh($1)", "ASINH($1)"},
    CodeTemplate{Operation::acosh, "math.acosh($1)", "acosh($1)", "ACOSH($1)"},
    CodeTemplate{Operation::atanh, "math.atanh($1)", "atanh($1)", "ATANH($1)"},
};

std::string_view template_of(Operation operation, FormulaLanguage language) {
  const auto* const found =
      std::find_if(kCodeTemplates.begin(), kCodeTemplates.end(),
                   [&](const CodeTemplate& each) { return each.operation == operation; });
  return language == FormulaLanguage::python ? found->python
         : language == FormulaLanguage::c    ? found->c
                                             : found->spreadsheet;
}

/// The template with its operands.
std::string filled(std::string_view pattern, std::span<const std::string> operands) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == '$')
      out += operands[static_cast<std::size_t>(pattern[++i] - '1')];
    else
      out += pattern[i];
  return out;
}

}  // namespace

std::string derived_code(const DerivedColumn& column, FormulaLanguage language,
                         const CodeWords& words) {
  TextCodes codes;
  const std::string quoted = quoted_formula(column.formula);
  const Formula formula(column.formula, column.of, codes, quoted);
  const FormulaProgram& program = formula.program();
  if (program.operands > kMostOperands)
    throw InputError(quoted + " cannot be written in another language: it is too long");
  std::vector<std::string> stack;
  for (const FormulaStep& step : program.steps) {
    if (step.operation == Operation::number) {
      stack.push_back(words.number(step.number));
    } else if (step.operation == Operation::name) {
      stack.push_back(words.column(program.names[step.name]));
    } else {
      const std::size_t count = operands_of(step.operation);
      std::string code =
          filled(template_of(step.operation, language), std::span(stack).last(count));
      stack.resize(stack.size() - count);
      stack.push_back(std::move(code));
    }
  }
  return stack.back();
}

}  // namespace perfmodel
