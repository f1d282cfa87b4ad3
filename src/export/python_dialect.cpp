#include <array>
#include <cstdio>

#include "base/text.hpp"
#include "export/dialect.hpp"
#include "export/text_literal.hpp"

namespace perfmodel {
namespace {

constexpr std::array kPythonOperations = {
    OperationCode{Operation::add, "($1 + $2)"},
    OperationCode{Operation::subtract, "($1 - $2)"},
    OperationCode{Operation::multiply, "($1 * $2)"},
    OperationCode{Operation::divide, "($1 / $2)"},
    OperationCode{Operation::power, "math.pow($1, $2)"},
    OperationCode{Operation::negate, "(-$1)"},
    OperationCode{Operation::negation, "($1 == 0)"},
    OperationCode{Operation::less, "($1 < $2)"},
    OperationCode{Operation::greater, "($1 > $2)"},
    OperationCode{Operation::less_or_equal, "($1 <= $2)"},
    OperationCode{Operation::greater_or_equal, "($1 >= $2)"},
    OperationCode{Operation::equal, "($1 == $2)"},
    OperationCode{Operation::unequal, "($1 != $2)"},
    OperationCode{Operation::both, "($1 != 0 and $2 != 0)"},
    OperationCode{Operation::either, "($1 != 0 or $2 != 0)"},
    OperationCode{Operation::choose, "($2 if $1 != 0 else $3)"},
    OperationCode{Operation::minimum, "min($1, $2)"},
    OperationCode{Operation::maximum, "max($1, $2)"},
    OperationCode{Operation::abs, "abs($1)"},
    OperationCode{Operation::sign, "(($1 > 0) - ($1 < 0))"},
    OperationCode{Operation::rint, "math.floor($1 + 0.5)"},
    OperationCode{Operation::ceil, "math.ceil($1)"},
    OperationCode{Operation::floor, "math.floor($1)"},
    OperationCode{Operation::sqrt, "math.sqrt($1)"},
    OperationCode{Operation::exp, "math.exp($1)"},
    OperationCode{Operation::log, "math.log($1)"},
    OperationCode{Operation::log2, "math.log2($1)"},
    OperationCode{Operation::log10, "math.log10($1)"},
    OperationCode{Operation::sin, "math.sin($1)"},
    OperationCode{Operation::cos, "math.cos($1)"},
    OperationCode{Operation::tan, "math.tan($1)"},
    OperationCode{Operation::asin, "math.asin($1)"},
    OperationCode{Operation::acos, "math.acos($1)"},
    OperationCode{Operation::atan, "math.atan($1)"},
    OperationCode{Operation::atan2, "math.atan2($1, $2)"},
    OperationCode{Operation::sinh, "math.sinh($1)"},
    OperationCode{Operation::cosh, "math.cosh($1)"},
    OperationCode{Operation::tanh, "math.tanh($1)"},
    OperationCode{Operation::asinh, "math.asinh($1)"},
    OperationCode{Operation::acosh, "math.acosh($1)"},
    OperationCode{Operation::atanh, "math.atanh($1)"},
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
  std::string power(const std::string& base, double exponent) const override {
    return base + " ** " + number(exponent);
  }
  std::string ring(const std::string& name) const override {
    return "math.exp(1 - 1 / " + name + ")";
  }
  std::string capped(const std::string& name, double cap) const override {
    return "min(" + name + ", " + number(cap) + ")";
  }
  std::string at_least(const std::string& name, double low) const override {
    return "max(" + name + ", " + number(low) + ")";
  }
  std::string log2(const std::string& name) const override {
    return "math.log2(max(" + name + ", 1))";
  }
  std::string step(const std::string& name, double threshold, double below,
                   double above) const override {
    return "(" + number(above) + " if " + name + " > " + number(threshold) + " else " +
           number(below) + ")";
  }

  std::string choice(const LevelValues& column) const override {
    std::vector<std::string> items;
    for (std::size_t l = 0; l < column.levels.size(); ++l) {
      const std::string& level = column.levels[l];
      items.push_back((column.are_text ? python_literal(level) : number(*parse_number(level))) +
                      ": " + number(column.values[l]));
    }
    return "{" + joined(items, ", ") + "}[" + column.operand + "]";
  }

  std::string number_of(const std::string& text) const override { return "float(" + text + ")"; }
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
    return "import math\n\n\n" + parts.helpers + parts.comments + "def predict(" +
           joined(parts.parameters, ", ") + "):\n" + parts.statements + "    return (" +
           parts.result + ")\n";
  }

  bool keeps(const std::string& name) const override { return name == "__debug__"; }
};

}  // namespace

const Dialect& python_dialect() {
  static const PythonDialect dialect;
  return dialect;
}

}  // namespace perfmodel
