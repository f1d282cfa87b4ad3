#include "codegen/dialect.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <set>

#include "base/text.hpp"
#include "registry/registry.hpp"

namespace perfmodel {

namespace {

/// The text as a literal in double quotes. `control` writes a control character, which could end
/// the line or change what a reader sees of the code, `other` any other one; `before` is the
/// literal so far.
std::string text_literal(std::string_view text,
                         std::string (*control)(std::uint32_t code_point, std::string_view bytes),
                         std::string (*other)(std::string_view bytes, const std::string& before)) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::string_view bytes =
        text.substr(0, std::max<std::size_t>(character.length, 1));  // 1 byte if invalid UTF-8
    text.remove_prefix(bytes.size());
    out +=
        is_control(character.code_point) ? control(character.code_point, bytes) : other(bytes, out);
  }
  return out + '"';
}

std::string escaped_unit(std::uint32_t unit, std::string_view /*bytes*/ = {}) {
  std::array<char, 8> escape{};
  std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(unit));
  return escape.data();
}

/// Octal escapes end after three digits; hexadecimal ones have no fixed length.
std::string octal_bytes(std::uint32_t /*code_point*/, std::string_view bytes) {
  std::string out;
  for (const char byte : bytes) {
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\%03o",
                  static_cast<unsigned>(static_cast<unsigned char>(byte)));
    out += escape.data();
  }
  return out;
}

/// After a backslash if it is a quotation mark or a backslash.
std::string escaped(std::string_view bytes, const std::string& /*before*/) {
  return (bytes == "\"" || bytes == "\\" ? "\\" : "") + std::string(bytes);
}

/// In the notation that most languages share, what differs from usual_code().
constexpr std::array kSharedOperations = {
    OperationCode{Operation::power, "@pow($1, $2)"},
    OperationCode{Operation::negate, "(-$1)"},
    OperationCode{Operation::negation, "$1 == 0", true},
    OperationCode{Operation::both, "$1 != 0 && $2 != 0", true},
    OperationCode{Operation::either, "$1 != 0 || $2 != 0", true},
    OperationCode{Operation::rint, "@floor($1 + 0.5)"},
    OperationCode{Operation::log, "@log($1)"},
};

bool is_comparison(Operation operation) {
  return Operation::less <= operation && operation <= Operation::unequal;
}

/// The operator or the function as formulas of runs write it.
std::string usual_code(Operation operation) {
  const std::string symbol(symbol_of(operation));
  if (is_comparison(operation))
    return "$1 " + symbol + " $2";
  if (Operation::add <= operation && operation <= Operation::divide)
    return "($1 " + symbol + " $2)";
  return "@" + symbol + (operands_of(operation) == 1 ? "($1)" : "($1, $2)");
}

const OperationCode* code_in(std::span<const OperationCode> codes, Operation operation) {
  const auto found = std::ranges::find(codes, operation, &OperationCode::operation);
  return found == codes.end() ? nullptr : &*found;
}

constexpr std::array kCOperations = {
    OperationCode{Operation::minimum, "fmin($1, $2)"},
    OperationCode{Operation::maximum, "fmax($1, $2)"},
    OperationCode{Operation::abs, "fabs($1)"},
    OperationCode{Operation::sign, "($1 > 0 ? 1.0 : $1 < 0 ? -1.0 : 0.0)"},
};

}  // namespace

std::string with_operands(std::string_view pattern, std::span<const std::string> operands) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i)
    if (pattern[i] == '$')
      out += operands[static_cast<std::size_t>(pattern[++i] - '1')];
    else
      out += pattern[i];
  return out;
}

bool has_word(std::string_view list, std::string_view word) {
  return contains(words_of_line(list), word);
}

std::string Dialect::number(double value) const {
  const std::string text = syntax_.has_integers ? decimal_literal(value) : to_text(value);
  return value < 0 ? "(" + text + ")" : text;
}

std::string decimal_literal(double value) {
  const std::string text = to_text(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string Dialect::operation(Operation operation) const {
  const OperationCode* code = code_in(syntax_.operations, operation);
  if (code == nullptr && operation == Operation::choose)
    return one_of("$1 != 0", "$2", "$3");
  if (code == nullptr)
    code = code_in(kSharedOperations, operation);
  std::string out;
  for (const char c : code == nullptr ? usual_code(operation) : std::string(code->code))
    out += c == '@' ? syntax_.module : std::string_view(&c, 1);
  return (code == nullptr ? is_comparison(operation) : code->is_condition) ? truth(out) : out;
}

std::string Dialect::one_of(const std::string& condition, const std::string& yes,
                            const std::string& no) const {
  return with_operands(syntax_.condition, std::array{condition, yes, no});
}

std::string Dialect::truth(const std::string& condition) const {
  return one_of(condition, number(1), number(0));
}

std::string Dialect::power(const std::string& base, double exponent) const {
  const std::array operands = {base, number(exponent)};
  return syntax_.power.empty() ? apply(Operation::power, operands)
                               : with_operands(syntax_.power, operands);
}

std::string Dialect::step(const std::string& name, double threshold, double below,
                          double above) const {
  return one_of(name + " > " + number(threshold), number(above), number(below));
}

std::string Dialect::level(const LevelValues& column, std::size_t level) const {
  const std::string& text = column.levels[level];
  return column.are_text ? syntax_.literal(text) : number(*parse_number(text));
}

std::string Dialect::choice(const LevelValues& column) const {
  std::vector<std::string> items;
  for (std::size_t l = 0; l < column.levels.size(); ++l)
    items.push_back(
        with_operands(syntax_.item, std::array{level(column, l), number(column.values[l])}));
  return with_operands(syntax_.choice, std::array{column.operand, joined(items, ", ")});
}

std::string Dialect::first_of(const LevelValues& column, std::string_view is_text,
                              const std::string& otherwise) const {
  std::string out = "(";
  for (std::size_t l = 0; l < column.levels.size(); ++l)
    out += with_operands(column.are_text ? is_text : "$1 == $2",
                         std::array{column.operand, level(column, l)}) +
           " ? " + number(column.values[l]) + " : ";
  return out + otherwise + ")";
}

std::string Dialect::number_of(const std::string& text) const {
  return with_operands(syntax_.number_of, std::array{text});
}

std::string Dialect::variable(const std::string& name, const std::string& code) const {
  return with_operands(syntax_.variable, std::array{name, code});
}

std::string Dialect::comment(const std::string& name, const std::string& column) const {
  return syntax_.mark.empty()
             ? ""
             : std::string(syntax_.mark) + name + ": " + syntax_.literal(column) + "\n";
}

std::string Dialect::apply(Operation operation, std::span<const std::string> operands) const {
  return with_operands(this->operation(operation), operands);
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

std::string c_literal(const std::string& text) {
  return text_literal(
      text, octal_bytes,
      [](std::string_view bytes, const std::string& before) {
        // Two question marks could start a trigraph.
        return bytes == "?" && before.back() == '?' ? "\\?" : escaped(bytes, before);
      });
}

namespace {

constexpr Syntax kC99{.operations = kCOperations,
                      .number_of = "strtod($1, NULL)",
                      .variable = "  const double $1 = $2;\n",
                      .mark = "// ",
                      .literal = c_literal,
                      .has_integers = true};

class CDialect : public Dialect {
 public:
  CDialect() : Dialect(kC99) {}

  std::string choice(const LevelValues& column) const override {
    return first_of(column, "strcmp($1, $2) == 0", "NAN");
  }
  std::string parameter(const std::string& name, bool is_text) const override {
    return (is_text ? "const char *" : "double ") + name;
  }
  std::string function(const FunctionParts& parts) const override {
    return "#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n\n" + parts.helpers +
           parts.comments + "double predict(" + joined(parts.parameters, ", ") + ") {\n" +
           parts.statements + "  return " + parts.result + ";\n}\n";
  }

  /// Such as _Bool and __LINE__.
  bool keeps(const std::string& name) const override { return name.starts_with("_"); }
};

/// ES2020 in sloppy or strict mode, also embedded in an HTML page.
constexpr Syntax kJavaScript{
    .module = "Math.",
    // NaN for an unknown level. A Map, since objects have inherited properties.
    .choice = "(new Map([$2]).get($1) ?? NaN)",
    .item = "[$1, $2]",
    .number_of = "Number($1)",
    .variable = "  const $1 = $2;\n",
    .mark = "// ",
    .literal = javascript_literal,
    .words =
        "Infinity Map Math NaN Number arguments catch debugger delete eval export function "
        "implements instanceof interface let new null package private protected public super this "
        "throw undefined var"};

class JavaScriptDialect : public Dialect {
 public:
  JavaScriptDialect() : Dialect(kJavaScript) {}

  std::string function(const FunctionParts& parts) const override {
    return parts.helpers + parts.comments + "function predict(" + joined(parts.parameters, ", ") +
           ") {\n" + parts.statements + "  return (" + parts.result + ");\n}\n";
  }
};

/// Of NumPy, for numbers and arrays; division and powers follow IEEE 754 for literals, too.
constexpr std::array kPythonOperations = {
    OperationCode{Operation::divide, "@divide($1, $2)"},
    OperationCode{Operation::power, "@float_power($1, $2)"},
    OperationCode{Operation::both, "($1 != 0) & ($2 != 0)", true},
    OperationCode{Operation::either, "($1 != 0) | ($2 != 0)", true},
    OperationCode{Operation::minimum, "@minimum($1, $2)"},
    OperationCode{Operation::maximum, "@maximum($1, $2)"},
    OperationCode{Operation::asin, "@arcsin($1)"},
    OperationCode{Operation::acos, "@arccos($1)"},
    OperationCode{Operation::atan, "@arctan($1)"},
    OperationCode{Operation::atan2, "@arctan2($1, $2)"},
    OperationCode{Operation::asinh, "@arcsinh($1)"},
    OperationCode{Operation::acosh, "@arccosh($1)"},
    OperationCode{Operation::atanh, "@arctanh($1)"},
};

std::string python_literal(const std::string& text) {
  return text_literal(text, escaped_unit, escaped);
}

constexpr Syntax kPython{.operations = kPythonOperations,
                         .module = "np.",
                         .power = "$1 ** $2",
                         .condition = "np.where($1, $2, $3)",
                         .choice = "np.vectorize({$2}.__getitem__, [float])($1)",
                         .number_of = "np.float64($1)",
                         .variable = "    $1 = $2\n",
                         .mark = "# ",
                         .literal = python_literal,
                         .has_integers = true,
                         .words = "np map"};

class PythonDialect : public Dialect {
 public:
  PythonDialect() : Dialect(kPython) {}

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

 protected:
  std::string truth(const std::string& condition) const override {
    return "(1.0 * (" + condition + "))";
  }
};

/// In capitals and without blanks, all others are as in most languages. ATAN2 takes x first;
/// CEILING differs between spreadsheets.
constexpr std::array kCellOperations = {
    OperationCode{Operation::power, "($1^$2)"},
    OperationCode{Operation::negation, "$1=0", true},
    OperationCode{Operation::equal, "$1=$2", true},
    OperationCode{Operation::unequal, "$1<>$2", true},
    OperationCode{Operation::both, "AND($1<>0,$2<>0)", true},
    OperationCode{Operation::either, "OR($1<>0,$2<>0)", true},
    OperationCode{Operation::choose, "IF($1<>0,$2,$3)"},
    OperationCode{Operation::rint, "INT($1+0.5)"},
    OperationCode{Operation::ceil, "(-INT(-$1))"},
    OperationCode{Operation::floor, "INT($1)"},
    OperationCode{Operation::log, "LN($1)"},
    OperationCode{Operation::log2, "LOG($1,2)"},
    OperationCode{Operation::atan2, "ATAN2($2,$1)"},
};

std::string cell_literal(const std::string& text) {
  return text_literal(
      text,
      [](std::uint32_t code_point, std::string_view) {
        const std::string function = code_point < 0x80 ? "CHAR(" : "UNICHAR(";
        return "\"&" + function + std::to_string(code_point) + ")&\"";
      },
      [](std::string_view bytes, const std::string&) {
        return std::string(bytes == "\"" ? "\"\"" : bytes);
      });
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
constexpr Syntax kCell{.operations = kCellOperations,
                       .power = "$1^$2",
                       .condition = "IF($1,$2,$3)",
                       .number_of = "VALUE($1)",
                       .plus = "+",
                       .times = "*"};

class SpreadsheetDialect : public Dialect {
 public:
  SpreadsheetDialect() : Dialect(kCell) {}

  std::string step(const std::string& name, double threshold, double below,
                   double above) const override {
    return one_of(name + ">" + number(threshold), number(above), number(below));
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
  std::string operation(Operation operation) const override {
    std::string code = with_case(Dialect::operation(operation), std::toupper);
    std::erase(code, ' ');
    return code;
  }
  std::string function(const FunctionParts& parts) const override {
    return "=" + parts.result + "\n";
  }
  bool misreads(const std::string& name) const override { return is_cell(identity(name)); }
  /// Spreadsheets ignore the case of names.
  std::string identity(const std::string& name) const override {
    return with_case(name, std::toupper);
  }
};

}  // namespace

std::string javascript_literal(const std::string& text) {
  return text_literal(
      text, escaped_unit,
      [](std::string_view bytes, const std::string& before) {
        // A tag or "]]>" would end a page's script.
        const bool is_markup = bytes == "<" || bytes == ">" || bytes == "&";
        return is_markup ? escaped_unit(static_cast<unsigned char>(bytes[0]))
                         : escaped(bytes, before);
      });
}

const Dialect& dialect_of(FormulaLanguage language) {
  static const PythonDialect python;
  static const CDialect c;
  static const JavaScriptDialect javascript;
  static const SpreadsheetDialect spreadsheet;
  switch (language) {
    case FormulaLanguage::python:
      return python;
    case FormulaLanguage::c:
      return c;
    case FormulaLanguage::javascript:
      return javascript;
    case FormulaLanguage::spreadsheet:
      return spreadsheet;
    default:
      break;
  }
  for (const Exporter& exporter : added<Exporter>())
    if (exporter.language == language)
      return exporter.dialect();
  require_tool_of(fmt::format("--as {}", to_text(language)));
  throw std::logic_error("no language that computes");  // text and latex: formula_text.cpp
}

}  // namespace perfmodel
