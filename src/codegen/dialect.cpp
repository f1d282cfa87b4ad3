#include "codegen/dialect.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace perfmodel {

/// How a language escapes the characters of a literal.
struct LiteralRules {
  /// For a control character, which could end the line or change what a reader sees of the code.
  std::function<std::string(std::uint32_t code_point, std::string_view bytes)> control;
  /// For any other character; `before` is the literal so far.
  std::function<std::string(std::string_view bytes, const std::string& before)> other;
};

/// The text as a literal in double quotes.
std::string text_literal(std::string_view text, const LiteralRules& rules) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::string_view bytes =
        text.substr(0, std::max<std::size_t>(character.length, 1));  // 1 byte if invalid UTF-8
    text.remove_prefix(bytes.size());
    out += is_control(character.code_point) ? rules.control(character.code_point, bytes)
                                            : rules.other(bytes, out);
  }
  return out + '"';
}

std::string Dialect::number(double value) const {
  const std::string text = to_text(value);
  return value < 0 ? "(" + text + ")" : text;
}

std::string decimal_literal(double value) {
  const std::string text = to_text(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

namespace {

std::string decimal_number(double value) {
  const std::string text = decimal_literal(value);
  return value < 0 ? "(" + text + ")" : text;
}

}  // namespace

std::string Dialect::apply(Operation operation, std::span<const std::string> operands) const {
  const std::string_view pattern = this->operation(operation);
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == '$')
      out += operands[static_cast<std::size_t>(pattern[++i] - '1')];
    else
      out += pattern[i];
  return out;
}

std::string Dialect::clamped(const std::string& name, double clamp) const {
  return apply(Operation::minimum, std::array{name, number(clamp)});
}

std::string Dialect::at_least(const std::string& name, double low) const {
  return apply(Operation::maximum, std::array{name, number(low)});
}

std::string Dialect::saturation(const std::string& name) const {
  return apply(Operation::exp, std::array{number(1) + " - " + number(1) + " / " + name});
}

std::string Dialect::log2(const std::string& name) const {
  return apply(Operation::log2, std::array{at_least(name, 1)});
}

const Dialect& dialect_of(FormulaLanguage language) {
  switch (language) {
    case FormulaLanguage::python:
      return python_dialect();
    case FormulaLanguage::c:
      return c_dialect();
    case FormulaLanguage::javascript:
      return javascript_dialect();
    case FormulaLanguage::spreadsheet:
      return spreadsheet_dialect();
    case FormulaLanguage::extrap:
      return extrap_dialect();
    case FormulaLanguage::nextflow:
    case FormulaLanguage::snakemake:
    case FormulaLanguage::slurm:
      return workflow_dialect_of(language);
    case FormulaLanguage::text:
    case FormulaLanguage::latex:
      break;  // to read: formula_text.cpp
  }
  throw std::logic_error("no language that computes");
}

namespace {

constexpr std::array kCOperations = {
    OperationCode{Operation::add, "($1 + $2)"},
    OperationCode{Operation::subtract, "($1 - $2)"},
    OperationCode{Operation::multiply, "($1 * $2)"},
    OperationCode{Operation::divide, "($1 / $2)"},
    OperationCode{Operation::power, "pow($1, $2)"},
    OperationCode{Operation::negate, "(-$1)"},
    OperationCode{Operation::negation, "($1 == 0 ? 1.0 : 0.0)"},
    OperationCode{Operation::less, "($1 < $2 ? 1.0 : 0.0)"},
    OperationCode{Operation::greater, "($1 > $2 ? 1.0 : 0.0)"},
    OperationCode{Operation::less_or_equal, "($1 <= $2 ? 1.0 : 0.0)"},
    OperationCode{Operation::greater_or_equal, "($1 >= $2 ? 1.0 : 0.0)"},
    OperationCode{Operation::equal, "($1 == $2 ? 1.0 : 0.0)"},
    OperationCode{Operation::unequal, "($1 != $2 ? 1.0 : 0.0)"},
    OperationCode{Operation::both, "($1 != 0 && $2 != 0 ? 1.0 : 0.0)"},
    OperationCode{Operation::either, "($1 != 0 || $2 != 0 ? 1.0 : 0.0)"},
    OperationCode{Operation::choose, "($1 != 0 ? $2 : $3)"},
    OperationCode{Operation::minimum, "fmin($1, $2)"},
    OperationCode{Operation::maximum, "fmax($1, $2)"},
    OperationCode{Operation::abs, "fabs($1)"},
    OperationCode{Operation::sign, "($1 > 0 ? 1.0 : $1 < 0 ? -1.0 : 0.0)"},
    OperationCode{Operation::rint, "floor($1 + 0.5)"},
    OperationCode{Operation::ceil, "ceil($1)"},
    OperationCode{Operation::floor, "floor($1)"},
    OperationCode{Operation::sqrt, "sqrt($1)"},
    OperationCode{Operation::exp, "exp($1)"},
    OperationCode{Operation::log, "log($1)"},
    OperationCode{Operation::log2, "log2($1)"},
    OperationCode{Operation::log10, "log10($1)"},
    OperationCode{Operation::sin, "sin($1)"},
    OperationCode{Operation::cos, "cos($1)"},
    OperationCode{Operation::tan, "tan($1)"},
    OperationCode{Operation::asin, "asin($1)"},
    OperationCode{Operation::acos, "acos($1)"},
    OperationCode{Operation::atan, "atan($1)"},
    OperationCode{Operation::atan2, "atan2($1, $2)"},
    OperationCode{Operation::sinh, "sinh($1)"},
    OperationCode{Operation::cosh, "cosh($1)"},
    OperationCode{Operation::tanh, "tanh($1)"},
    OperationCode{Operation::asinh, "asinh($1)"},
    OperationCode{Operation::acosh, "acosh($1)"},
    OperationCode{Operation::atanh, "atanh($1)"},
};

}  // namespace

std::string c_literal(const std::string& text) {
  return text_literal(
      text, {.control =
                 [](std::uint32_t, std::string_view bytes) {
                   // Octal escapes end after three digits; hexadecimal ones have no fixed length.
                   std::string out;
                   for (const char byte : bytes) {
                     std::array<char, 8> escape{};
                     std::snprintf(escape.data(), escape.size(), "\\%03o",
                                   static_cast<unsigned>(static_cast<unsigned char>(byte)));
                     out += escape.data();
                   }
                   return out;
                 },
             .other =
                 [](std::string_view bytes, const std::string& before) {
                   // Two question marks could start a trigraph.
                   const bool escaped =
                       bytes == "\"" || bytes == "\\" || (bytes == "?" && before.back() == '?');
                   return (escaped ? "\\" : "") + std::string(bytes);
                 }});
}

namespace {

/// C99.
class CDialect : public Dialect {
 public:
  std::string number(double value) const override { return decimal_number(value); }
  std::string power(const std::string& base, double exponent) const override {
    return "pow(" + base + ", " + number(exponent) + ")";
  }
  std::string step(const std::string& name, double threshold, double below,
                   double above) const override {
    return "(" + name + " > " + number(threshold) + " ? " + number(above) + " : " + number(below) +
           ")";
  }

  std::string choice(const LevelValues& column) const override {
    std::string out = "(";
    for (std::size_t l = 0; l < column.levels.size(); ++l) {
      const std::string& level = column.levels[l];
      out += column.are_text ? "strcmp(" + column.operand + ", " + c_literal(level) + ") == 0"
                             : column.operand + " == " + number(*parse_number(level));
      out += " ? " + number(column.values[l]) + " : ";
    }
    return out + "NAN)";
  }

  std::string number_of(const std::string& text) const override {
    return "strtod(" + text + ", NULL)";
  }
  std::string_view operation(Operation operation) const override {
    return code_of(kCOperations, operation);
  }

  std::string variable(const std::string& name, const std::string& code) const override {
    return "  const double " + name + " = " + code + ";\n";
  }
  std::string parameter(const std::string& name, bool is_text) const override {
    return (is_text ? "const char *" : "double ") + name;
  }
  std::string comment(const std::string& name, const std::string& column) const override {
    return "// " + name + ": " + c_literal(column) + "\n";
  }
  std::string function(const FunctionParts& parts) const override {
    return "#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n\n" + parts.helpers +
           parts.comments + "double predict(" + joined(parts.parameters, ", ") + ") {\n" +
           parts.statements + "  return " + parts.result + ";\n}\n";
  }

  /// Such as _Bool and __LINE__.
  bool keeps(const std::string& name) const override { return name.starts_with("_"); }
};

}  // namespace

const Dialect& c_dialect() {
  static const CDialect dialect;
  return dialect;
}

namespace {

constexpr std::array kJavaScriptOperations = {
    OperationCode{Operation::add, "($1 + $2)"},
    OperationCode{Operation::subtract, "($1 - $2)"},
    OperationCode{Operation::multiply, "($1 * $2)"},
    OperationCode{Operation::divide, "($1 / $2)"},
    OperationCode{Operation::power, "Math.pow($1, $2)"},
    OperationCode{Operation::negate, "(-$1)"},
    OperationCode{Operation::negation, "($1 == 0 ? 1 : 0)"},
    OperationCode{Operation::less, "($1 < $2 ? 1 : 0)"},
    OperationCode{Operation::greater, "($1 > $2 ? 1 : 0)"},
    OperationCode{Operation::less_or_equal, "($1 <= $2 ? 1 : 0)"},
    OperationCode{Operation::greater_or_equal, "($1 >= $2 ? 1 : 0)"},
    OperationCode{Operation::equal, "($1 == $2 ? 1 : 0)"},
    OperationCode{Operation::unequal, "($1 != $2 ? 1 : 0)"},
    OperationCode{Operation::both, "($1 != 0 && $2 != 0 ? 1 : 0)"},
    OperationCode{Operation::either, "($1 != 0 || $2 != 0 ? 1 : 0)"},
    OperationCode{Operation::choose, "($1 != 0 ? $2 : $3)"},
    OperationCode{Operation::minimum, "Math.min($1, $2)"},
    OperationCode{Operation::maximum, "Math.max($1, $2)"},
    OperationCode{Operation::abs, "Math.abs($1)"},
    OperationCode{Operation::sign, "Math.sign($1)"},
    OperationCode{Operation::rint, "Math.floor($1 + 0.5)"},
    OperationCode{Operation::ceil, "Math.ceil($1)"},
    OperationCode{Operation::floor, "Math.floor($1)"},
    OperationCode{Operation::sqrt, "Math.sqrt($1)"},
    OperationCode{Operation::exp, "Math.exp($1)"},
    OperationCode{Operation::log, "Math.log($1)"},
    OperationCode{Operation::log2, "Math.log2($1)"},
    OperationCode{Operation::log10, "Math.log10($1)"},
    OperationCode{Operation::sin, "Math.sin($1)"},
    OperationCode{Operation::cos, "Math.cos($1)"},
    OperationCode{Operation::tan, "Math.tan($1)"},
    OperationCode{Operation::asin, "Math.asin($1)"},
    OperationCode{Operation::acos, "Math.acos($1)"},
    OperationCode{Operation::atan, "Math.atan($1)"},
    OperationCode{Operation::atan2, "Math.atan2($1, $2)"},
    OperationCode{Operation::sinh, "Math.sinh($1)"},
    OperationCode{Operation::cosh, "Math.cosh($1)"},
    OperationCode{Operation::tanh, "Math.tanh($1)"},
    OperationCode{Operation::asinh, "Math.asinh($1)"},
    OperationCode{Operation::acosh, "Math.acosh($1)"},
    OperationCode{Operation::atanh, "Math.atanh($1)"},
};

std::string escaped_unit(std::uint32_t unit) {
  std::array<char, 8> escape{};
  std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(unit));
  return escape.data();
}

/// ES2020 in sloppy or strict mode, also embedded in an HTML page.
class JavaScriptDialect : public Dialect {
 public:
  std::string power(const std::string& base, double exponent) const override {
    return "Math.pow(" + base + ", " + number(exponent) + ")";
  }
  std::string step(const std::string& name, double threshold, double below,
                   double above) const override {
    return "(" + name + " > " + number(threshold) + " ? " + number(above) + " : " + number(below) +
           ")";
  }

  /// NaN for an unknown level. A Map, since objects have inherited properties.
  std::string choice(const LevelValues& column) const override {
    std::vector<std::string> items;
    for (std::size_t l = 0; l < column.levels.size(); ++l) {
      const std::string& level = column.levels[l];
      items.push_back('[' +
                      (column.are_text ? javascript_literal(level) : number(*parse_number(level))) +
                      ", " + number(column.values[l]) + "]");
    }
    return "(new Map([" + joined(items, ", ") + "]).get(" + column.operand + ") ?? NaN)";
  }

  std::string number_of(const std::string& text) const override { return "Number(" + text + ")"; }
  std::string_view operation(Operation operation) const override {
    return code_of(kJavaScriptOperations, operation);
  }

  std::string variable(const std::string& name, const std::string& code) const override {
    return "  const " + name + " = " + code + ";\n";
  }
  std::string parameter(const std::string& name, bool /*is_text*/) const override { return name; }
  std::string comment(const std::string& name, const std::string& column) const override {
    return "// " + name + ": " + javascript_literal(column) + "\n";
  }
  std::string function(const FunctionParts& parts) const override {
    return parts.helpers + parts.comments + "function predict(" + joined(parts.parameters, ", ") +
           ") {\n" + parts.statements + "  return (" + parts.result + ");\n}\n";
  }

  bool keeps(const std::string& /*name*/) const override { return false; }
  /// Words of JavaScript that is_reserved() does not list.
  bool misreads(const std::string& name) const override {
    static const std::set<std::string_view> words = {
        "Infinity",  "Map",    "Math", "NaN",    "Number",    "arguments",  "catch",
        "debugger",  "delete", "eval", "export", "function",  "implements", "instanceof",
        "interface", "let",    "new",  "null",   "package",   "private",    "protected",
        "public",    "super",  "this", "throw",  "undefined", "var"};
    return words.contains(name);
  }
};

}  // namespace

std::string javascript_literal(const std::string& text) {
  return text_literal(text, {.control = [](std::uint32_t code_point,
                                           std::string_view) { return escaped_unit(code_point); },
                             .other =
                                 [](std::string_view bytes, const std::string&) {
                                   // A tag or "]]>" would end a page's script.
                                   if (bytes == "<" || bytes == ">" || bytes == "&")
                                     return escaped_unit(static_cast<unsigned char>(bytes[0]));
                                   const bool escaped = bytes == "\"" || bytes == "\\";
                                   return (escaped ? "\\" : "") + std::string(bytes);
                                 }});
}

const Dialect& javascript_dialect() {
  static const JavaScriptDialect dialect;
  return dialect;
}

namespace {

/// Of NumPy, for numbers and arrays; division and powers follow IEEE 754 for literals, too.
constexpr std::array kPythonOperations = {
    OperationCode{Operation::add, "($1 + $2)"},
    OperationCode{Operation::subtract, "($1 - $2)"},
    OperationCode{Operation::multiply, "($1 * $2)"},
    OperationCode{Operation::divide, "np.divide($1, $2)"},
    OperationCode{Operation::power, "np.float_power($1, $2)"},
    OperationCode{Operation::negate, "(-$1)"},
    OperationCode{Operation::negation, "(1.0 * ($1 == 0))"},
    OperationCode{Operation::less, "(1.0 * ($1 < $2))"},
    OperationCode{Operation::greater, "(1.0 * ($1 > $2))"},
    OperationCode{Operation::less_or_equal, "(1.0 * ($1 <= $2))"},
    OperationCode{Operation::greater_or_equal, "(1.0 * ($1 >= $2))"},
    OperationCode{Operation::equal, "(1.0 * ($1 == $2))"},
    OperationCode{Operation::unequal, "(1.0 * ($1 != $2))"},
    OperationCode{Operation::both, "(1.0 * (($1 != 0) & ($2 != 0)))"},
    OperationCode{Operation::either, "(1.0 * (($1 != 0) | ($2 != 0)))"},
    OperationCode{Operation::choose, "np.where($1 != 0, $2, $3)"},
    OperationCode{Operation::minimum, "np.minimum($1, $2)"},
    OperationCode{Operation::maximum, "np.maximum($1, $2)"},
    OperationCode{Operation::abs, "np.abs($1)"},
    OperationCode{Operation::sign, "np.sign($1)"},
    OperationCode{Operation::rint, "np.floor($1 + 0.5)"},
    OperationCode{Operation::ceil, "np.ceil($1)"},
    OperationCode{Operation::floor, "np.floor($1)"},
    OperationCode{Operation::sqrt, "np.sqrt($1)"},
    OperationCode{Operation::exp, "np.exp($1)"},
    OperationCode{Operation::log, "np.log($1)"},
    OperationCode{Operation::log2, "np.log2($1)"},
    OperationCode{Operation::log10, "np.log10($1)"},
    OperationCode{Operation::sin, "np.sin($1)"},
    OperationCode{Operation::cos, "np.cos($1)"},
    OperationCode{Operation::tan, "np.tan($1)"},
    OperationCode{Operation::asin, "np.arcsin($1)"},
    OperationCode{Operation::acos, "np.arccos($1)"},
    OperationCode{Operation::atan, "np.arctan($1)"},
    OperationCode{Operation::atan2, "np.arctan2($1, $2)"},
    OperationCode{Operation::sinh, "np.sinh($1)"},
    OperationCode{Operation::cosh, "np.cosh($1)"},
    OperationCode{Operation::tanh, "np.tanh($1)"},
    OperationCode{Operation::asinh, "np.arcsinh($1)"},
    OperationCode{Operation::acosh, "np.arccosh($1)"},
    OperationCode{Operation::atanh, "np.arctanh($1)"},
};

std::string python_literal(const std::string& text) {
  return text_literal(text, {.control =
                                 [](std::uint32_t code_point, std::string_view) {
                                   std::array<char, 8> escape{};
                                   std::snprintf(escape.data(), escape.size(), "\\u%04x",
                                                 static_cast<unsigned>(code_point));
                                   return std::string(escape.data());
                                 },
                             .other =
                                 [](std::string_view bytes, const std::string&) {
                                   const bool escaped = bytes == "\"" || bytes == "\\";
                                   return (escaped ? "\\" : "") + std::string(bytes);
                                 }});
}

class PythonDialect : public Dialect {
 public:
  std::string number(double value) const override { return decimal_number(value); }
  std::string power(const std::string& base, double exponent) const override {
    return base + " ** " + number(exponent);
  }
  std::string step(const std::string& name, double threshold, double below,
                   double above) const override {
    return "np.where(" + name + " > " + number(threshold) + ", " + number(above) + ", " +
           number(below) + ")";
  }

  std::string choice(const LevelValues& column) const override {
    std::vector<std::string> items;
    for (std::size_t l = 0; l < column.levels.size(); ++l) {
      const std::string& level = column.levels[l];
      items.push_back((column.are_text ? python_literal(level) : number(*parse_number(level))) +
                      ": " + number(column.values[l]));
    }
    return "np.vectorize({" + joined(items, ", ") + "}.__getitem__, [float])(" + column.operand +
           ")";
  }

  std::string number_of(const std::string& text) const override {
    return "np.float64(" + text + ")";
  }
  std::string_view operation(Operation operation) const override {
    return code_of(kPythonOperations, operation);
  }

  std::string variable(const std::string& name, const std::string& code) const override {
    return "    " + name + " = " + code + "\n";
  }
  std::string parameter(const std::string& name, bool /*is_text*/) const override { return name; }
  std::string comment(const std::string& name, const std::string& column) const override {
    return "# " + name + ": " + python_literal(column) + "\n";
  }
  std::string function(const FunctionParts& parts) const override {
    const std::string numbers = joined(parts.numbers, ", ");
    std::string conversion;
    if (parts.numbers.size() == 1)
      conversion = "    " + numbers + " = np.float64(" + numbers + ")\n";
    else if (!parts.numbers.empty())
      conversion = "    " + numbers + " = map(np.float64, (" + numbers + "))\n";
    return "import numpy as np\n\n\n" + parts.helpers + parts.comments +
           "@np.errstate(all=\"ignore\")  # 1 / 0 is infinite\ndef predict(" +
           joined(parts.parameters, ", ") + "):\n" + conversion + parts.statements +
           "    return (" + parts.result + ")\n";
  }

  bool keeps(const std::string& name) const override { return name == "__debug__"; }
  bool misreads(const std::string& name) const override { return name == "np" || name == "map"; }
};

}  // namespace

const Dialect& python_dialect() {
  static const PythonDialect dialect;
  return dialect;
}

namespace {

/// ATAN2 takes x first; CEILING differs between spreadsheets.
constexpr std::array kCellOperations = {
    OperationCode{Operation::add, "($1+$2)"},
    OperationCode{Operation::subtract, "($1-$2)"},
    OperationCode{Operation::multiply, "($1*$2)"},
    OperationCode{Operation::divide, "($1/$2)"},
    OperationCode{Operation::power, "($1^$2)"},
    OperationCode{Operation::negate, "(-$1)"},
    OperationCode{Operation::negation, "IF($1=0,1,0)"},
    OperationCode{Operation::less, "IF($1<$2,1,0)"},
    OperationCode{Operation::greater, "IF($1>$2,1,0)"},
    OperationCode{Operation::less_or_equal, "IF($1<=$2,1,0)"},
    OperationCode{Operation::greater_or_equal, "IF($1>=$2,1,0)"},
    OperationCode{Operation::equal, "IF($1=$2,1,0)"},
    OperationCode{Operation::unequal, "IF($1<>$2,1,0)"},
    OperationCode{Operation::both, "IF(AND($1<>0,$2<>0),1,0)"},
    OperationCode{Operation::either, "IF(OR($1<>0,$2<>0),1,0)"},
    OperationCode{Operation::choose, "IF($1<>0,$2,$3)"},
    OperationCode{Operation::minimum, "MIN($1,$2)"},
    OperationCode{Operation::maximum, "MAX($1,$2)"},
    OperationCode{Operation::abs, "ABS($1)"},
    OperationCode{Operation::sign, "SIGN($1)"},
    OperationCode{Operation::rint, "INT($1+0.5)"},
    OperationCode{Operation::ceil, "(-INT(-$1))"},
    OperationCode{Operation::floor, "INT($1)"},
    OperationCode{Operation::sqrt, "SQRT($1)"},
    OperationCode{Operation::exp, "EXP($1)"},
    OperationCode{Operation::log, "LN($1)"},
    OperationCode{Operation::log2, "LOG($1,2)"},
    OperationCode{Operation::log10, "LOG10($1)"},
    OperationCode{Operation::sin, "SIN($1)"},
    OperationCode{Operation::cos, "COS($1)"},
    OperationCode{Operation::tan, "TAN($1)"},
    OperationCode{Operation::asin, "ASIN($1)"},
    OperationCode{Operation::acos, "ACOS($1)"},
    OperationCode{Operation::atan, "ATAN($1)"},
    OperationCode{Operation::atan2, "ATAN2($2,$1)"},
    OperationCode{Operation::sinh, "SINH($1)"},
    OperationCode{Operation::cosh, "COSH($1)"},
    OperationCode{Operation::tanh, "TANH($1)"},
    OperationCode{Operation::asinh, "ASINH($1)"},
    OperationCode{Operation::acosh, "ACOSH($1)"},
    OperationCode{Operation::atanh, "ATANH($1)"},
};

std::string cell_literal(const std::string& text) {
  return text_literal(
      text,
      {.control =
           [](std::uint32_t code_point, std::string_view) {
             const std::string function = code_point < 0x80 ? "CHAR(" : "UNICHAR(";
             return "\"&" + function + std::to_string(code_point) + ")&\"";
           },
       .other = [](std::string_view bytes,
                   const std::string&) { return std::string(bytes == "\"" ? "\"\"" : bytes); }});
}

std::string with_case(std::string text, int (*change)(int)) {
  for (char& c : text)
    c = static_cast<char>(change(static_cast<unsigned char>(c)));
  return text;
}

/// How a spreadsheet compares a cell with a level.
enum class CellMatch {
  text,    ///< as text, by '='
  exact,   ///< by EXACT(): '=' ignores case, but levels differ in case only
  number,  ///< by VALUE(): 8 that is typed into a cell is a number, which equals no text
  joined,  ///< by &"": some levels are numbers; a typed true is no text, either
};

CellMatch cell_match(const std::vector<std::string>& levels) {
  std::set<std::string> different;
  std::size_t numbers = 0;
  for (const std::string& level : levels) {
    different.insert(with_case(level, std::tolower));
    if (parse_number(level))
      ++numbers;
  }
  if (numbers == levels.size())
    return CellMatch::number;
  if (different.size() < levels.size())
    return CellMatch::exact;
  const bool has_truth = different.contains("true") || different.contains("false");
  return numbers > 0 || has_truth ? CellMatch::joined : CellMatch::text;
}

/// The condition that the cell `name` contains this level.
std::string cell_has(const std::string& name, const std::string& level, CellMatch match) {
  const std::string text = cell_literal(level);
  switch (match) {
    case CellMatch::exact:
      return "EXACT(" + name + "," + text + ")";
    case CellMatch::number:
      return "VALUE(" + name + ")=" + to_text(parse_number(level).value());
    case CellMatch::joined:
      return name + "&\"\"=" + text;
    default:
      return name + "=" + text;
  }
}

/// Whether a spreadsheet reads the name as a cell ("k1", "A100") or a row or column ("R", "c",
/// "R1C1"), so that it cannot be a defined name.
bool is_cell(const std::string& upper) {
  constexpr std::string_view digits = "0123456789";
  const std::size_t letters = upper.find_first_of(digits);
  constexpr std::size_t most_letters = 3;
  const bool ends_in_digits =
      letters != std::string::npos && upper.find_first_not_of(digits, letters) == std::string::npos;
  if (ends_in_digits && letters > 0 && letters <= most_letters &&
      upper.find('_') == std::string::npos)
    return true;
  const auto skip = [&](std::size_t from, char letter) {
    return from < upper.size() && upper[from] == letter
               ? std::min(upper.find_first_not_of(digits, from + 1), upper.size())
               : from;
  };
  const std::size_t end = skip(skip(0, 'R'), 'C');
  return end > 0 && end == upper.size();
}

/// A formula of one cell, whose inputs are defined names.
class SpreadsheetDialect : public Dialect {
 public:
  std::string power(const std::string& base, double exponent) const override {
    return base + "^" + number(exponent);
  }
  std::string step(const std::string& name, double threshold, double below,
                   double above) const override {
    return "IF(" + name + ">" + number(threshold) + "," + number(above) + "," + number(below) + ")";
  }

  std::string choice(const LevelValues& column) const override {
    const CellMatch match = cell_match(column.levels);
    std::string out;
    for (std::size_t l = 0; l < column.levels.size(); ++l) {
      const std::string& level = column.levels[l];
      out += "IF(" +
             (column.are_text ? cell_has(column.operand, level, match)
                              : column.operand + "=" + number(*parse_number(level))) +
             "," + number(column.values[l]) + ",";
    }
    return out + "NA()" + std::string(column.levels.size(), ')');
  }

  std::string number_of(const std::string& text) const override { return "VALUE(" + text + ")"; }
  std::string_view operation(Operation operation) const override {
    return code_of(kCellOperations, operation);
  }
  std::string_view times() const override { return "*"; }
  std::string_view plus() const override { return "+"; }

  bool has_variables() const override { return false; }
  std::string variable(const std::string& /*name*/, const std::string& /*code*/) const override {
    return "";
  }
  std::string parameter(const std::string& name, bool /*is_text*/) const override { return name; }
  std::string function(const FunctionParts& parts) const override {
    return "=" + parts.result + "\n";
  }

  bool keeps(const std::string& /*name*/) const override { return false; }
  bool misreads(const std::string& name) const override { return is_cell(identity(name)); }
  /// Spreadsheets ignore the case of names.
  std::string identity(const std::string& name) const override {
    return with_case(name, std::toupper);
  }
};

}  // namespace

const Dialect& spreadsheet_dialect() {
  static const SpreadsheetDialect dialect;
  return dialect;
}

}  // namespace perfmodel
