#include <array>
#include <cstdio>

#include "base/text.hpp"
#include "export/dialect.hpp"
#include "export/text_literal.hpp"

namespace perfmodel {
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

std::string c_literal(const std::string& text) {
  return text_literal(
      text, {.control =
                 [](std::uint32_t, std::string_view bytes) {
                   // Three octal digits end by themselves, as hexadecimal ones do not.
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
                   // The second '?' of two would make a trigraph.
                   const bool escaped =
                       bytes == "\"" || bytes == "\\" || (bytes == "?" && before.back() == '?');
                   return (escaped ? "\\" : "") + std::string(bytes);
                 }});
}

/// C99.
class CDialect : public Dialect {
 public:
  /// A whole number would be one of C's integers.
  std::string number(double value) const override {
    std::string text = to_text(value);
    if (text.find_first_of(".e") == std::string::npos)
      text += ".0";
    return value < 0 ? "(" + text + ")" : text;
  }
  std::string power(const std::string& base, double exponent) const override {
    return "pow(" + base + ", " + number(exponent) + ")";
  }
  std::string ring(const std::string& name) const override {
    return "exp(1.0 - 1.0 / " + name + ")";
  }
  std::string capped(const std::string& name, double cap) const override {
    return "fmin(" + name + ", " + number(cap) + ")";
  }
  std::string at_least(const std::string& name, double low) const override {
    return "fmax(" + name + ", " + number(low) + ")";
  }
  std::string log2(const std::string& name) const override {
    return "log2(" + name + " < 1 ? 1 : " + name + ")";
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

}  // namespace perfmodel
