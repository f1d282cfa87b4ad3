#include "export/derived_code.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// An operation in each language; $1, $2 and $3 are its operands. Those whose value is a truth give
/// 1 or 0, as in muParser. In spreadsheets ATAN2 takes x first, and CEILING is not the same in all.
struct CodeTemplate {
  std::string_view word;
  std::string_view python;
  std::string_view c;
  std::string_view spreadsheet;
};

constexpr std::array code_templates = {
    CodeTemplate{"+", "($1 + $2)", "($1 + $2)", "($1+$2)"},
    CodeTemplate{"-", "($1 - $2)", "($1 - $2)", "($1-$2)"},
    CodeTemplate{"*", "($1 * $2)", "($1 * $2)", "($1*$2)"},
    CodeTemplate{"/", "($1 / $2)", "($1 / $2)", "($1/$2)"},
    CodeTemplate{"^", "math.pow($1, $2)", "pow($1, $2)", "($1^$2)"},
    CodeTemplate{"neg", "(-$1)", "(-$1)", "(-$1)"},
    CodeTemplate{"!", "($1 == 0)", "($1 == 0 ? 1.0 : 0.0)", "IF($1=0,1,0)"},
    CodeTemplate{"<", "($1 < $2)", "($1 < $2 ? 1.0 : 0.0)", "IF($1<$2,1,0)"},
    CodeTemplate{">", "($1 > $2)", "($1 > $2 ? 1.0 : 0.0)", "IF($1>$2,1,0)"},
    CodeTemplate{"<=", "($1 <= $2)", "($1 <= $2 ? 1.0 : 0.0)", "IF($1<=$2,1,0)"},
    CodeTemplate{">=", "($1 >= $2)", "($1 >= $2 ? 1.0 : 0.0)", "IF($1>=$2,1,0)"},
    CodeTemplate{"==", "($1 == $2)", "($1 == $2 ? 1.0 : 0.0)", "IF($1=$2,1,0)"},
    CodeTemplate{"!=", "($1 != $2)", "($1 != $2 ? 1.0 : 0.0)", "IF($1<>$2,1,0)"},
    CodeTemplate{"&&", "($1 != 0 and $2 != 0)", "($1 != 0 && $2 != 0 ? 1.0 : 0.0)",
                 "IF(AND($1<>0,$2<>0),1,0)"},
    CodeTemplate{"||", "($1 != 0 or $2 != 0)", "($1 != 0 || $2 != 0 ? 1.0 : 0.0)",
                 "IF(OR($1<>0,$2<>0),1,0)"},
    CodeTemplate{"?:", "($2 if $1 != 0 else $3)", "($1 != 0 ? $2 : $3)", "IF($1<>0,$2,$3)"},
    CodeTemplate{"min", "min($1, $2)", "fmin($1, $2)", "MIN($1,$2)"},
    CodeTemplate{"max", "max($1, $2)", "fmax($1, $2)", "MAX($1,$2)"},
    CodeTemplate{"abs", "abs($1)", "fabs($1)", "ABS($1)"},
    CodeTemplate{"sign", "(($1 > 0) - ($1 < 0))", "($1 > 0 ? 1.0 : $1 < 0 ? -1.0 : 0.0)",
                 "SIGN($1)"},
    CodeTemplate{"rint", "math.floor($1 + 0.5)", "floor($1 + 0.5)", "INT($1+0.5)"},
    CodeTemplate{"ceil", "math.ceil($1)", "ceil($1)", "(-INT(-$1))"},
    CodeTemplate{"floor", "math.floor($1)", "floor($1)", "INT($1)"},
    CodeTemplate{"sqrt", "math.sqrt($1)", "sqrt($1)", "SQRT($1)"},
    CodeTemplate{"exp", "math.exp($1)", "exp($1)", "EXP($1)"},
    CodeTemplate{"ln", "math.log($1)", "log($1)", "LN($1)"},
    CodeTemplate{"log", "math.log($1)", "log($1)", "LN($1)"},
    CodeTemplate{"log2", "math.log2($1)", "log2($1)", "LOG($1,2)"},
    CodeTemplate{"log10", "math.log10($1)", "log10($1)", "LOG10($1)"},
    CodeTemplate{"sin", "math.sin($1)", "sin($1)", "SIN($1)"},
    CodeTemplate{"cos", "math.cos($1)", "cos($1)", "COS($1)"},
    CodeTemplate{"tan", "math.tan($1)", "tan($1)", "TAN($1)"},
    CodeTemplate{"asin", "math.asin($1)", "asin($1)", "ASIN($1)"},
    CodeTemplate{"acos", "math.acos($1)", "acos($1)", "ACOS($1)"},
    CodeTemplate{"atan", "math.atan($1)", "atan($1)", "ATAN($1)"},
    CodeTemplate{"atan2", "math.atan2($1, $2)", "atan2($1, $2)", "ATAN2($2,$1)"},
    CodeTemplate{"sinh", "math.sinh($1)", "sinh($1)", "SINH($1)"},
    CodeTemplate{"cosh", "math.cosh($1)", "cosh($1)", "COSH($1)"},
    CodeTemplate{"tanh", "math.tanh($1)", "tanh($1)", "TANH($1)"},
    CodeTemplate{"asinh", "math.asinh($1)", "asinh($1)", "ASINH($1)"},
    CodeTemplate{"acosh", "math.acosh($1)", "acosh($1)", "ACOSH($1)"},
    CodeTemplate{"atanh", "math.atanh($1)", "atanh($1)", "ATANH($1)"},
};

std::string_view template_of(const std::string& word, FormulaLanguage language) {
  const auto* const found =
      std::find_if(code_templates.begin(), code_templates.end(),
                   [&](const CodeTemplate& candidate) { return candidate.word == word; });
  if (found == code_templates.end()) {
    throw InputError("a derived column uses " + word + "(), which cannot be written in " +
                     std::string(to_text(language)));
  }
  return language == FormulaLanguage::python ? found->python
         : language == FormulaLanguage::c    ? found->c
                                             : found->spreadsheet;
}

}  // namespace

std::string derived_code(const FormulaTree& tree, FormulaLanguage language,
                         const CodeWords& words) {
  if (tree.kind == FormulaTree::Kind::number)
    return words.number(tree.number);
  if (tree.kind == FormulaTree::Kind::column)
    return words.column(tree.word);
  const std::string_view pattern = template_of(tree.word, language);
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$') {
      const auto operand = static_cast<std::size_t>(pattern[++i] - '1');
      out += derived_code(tree.operands.at(operand), language, words);
    } else {
      out += pattern[i];
    }
  }
  return out;
}

}  // namespace perfmodel
