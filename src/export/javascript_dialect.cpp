#include <array>
#include <cstdio>
#include <set>

#include "base/text.hpp"
#include "export/dialect.hpp"
#include "export/text_literal.hpp"

namespace perfmodel {
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

/// ES2020 in sloppy or strict mode, also inside of a page.
class JavaScriptDialect : public Dialect {
 public:
  std::string power(const std::string& base, double exponent) const override {
    return "Math.pow(" + base + ", " + number(exponent) + ")";
  }
  std::string ring(const std::string& name) const override {
    return "Math.exp(1 - 1 / " + name + ")";
  }
  std::string capped(const std::string& name, double cap) const override {
    return "Math.min(" + name + ", " + number(cap) + ")";
  }
  std::string at_least(const std::string& name, double low) const override {
    return "Math.max(" + name + ", " + number(low) + ")";
  }
  std::string log2(const std::string& name) const override {
    return "Math.log2(Math.max(" + name + ", 1))";
  }
  std::string step(const std::string& name, double threshold, double below,
                   double above) const override {
    return "(" + name + " > " + number(threshold) + " ? " + number(above) + " : " + number(below) +
           ")";
  }

  /// NaN of a level that it does not know. A Map, since objects have names of their own.
  std::string choice(const LevelValues& column) const override {
    std::vector<std::string> items;
    for (std::size_t l = 0; l < column.levels.size(); ++l) {
      const std::string& level = column.levels[l];
      items.push_back("[" +
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
  /// Beyond what other languages misread, too.
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
                                   // A tag, or the end of a section of XML, would end the script of
                                   // a page.
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

}  // namespace perfmodel
