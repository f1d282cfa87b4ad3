#include <fmt/core.h>
#include <array>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "codegen/dialect.hpp"
#include "perfmodel/error.hpp"
#include "table/formula.hpp"

namespace perfmodel {
namespace {

constexpr std::array kExtrapOperations = {
    OperationCode{Operation::add, "($1 + $2)"},
    OperationCode{Operation::log, "log($1)"},
    OperationCode{Operation::subtract, "($1 - $2)"},
    OperationCode{Operation::log2, "log2($1)"},
    OperationCode{Operation::multiply, "($1 * $2)"},
    OperationCode{Operation::exp, "exp($1)"},
    OperationCode{Operation::divide, "($1 / $2)"},
    OperationCode{Operation::negate, "(-$1)"},
    OperationCode{Operation::power, "($1)^($2)"},
    OperationCode{Operation::sqrt, "sqrt($1)"},
    OperationCode{Operation::minimum, "min($1, $2)"},
    OperationCode{Operation::maximum, "max($1, $2)"},
};

/// The notation in which Extra-P prints functions, 0.5 + 0.2 * x^(2) * log2(y)^(1): one expression.
class ExtrapDialect : public Dialect {
 public:
  std::string power(const std::string& base, double exponent) const override {
    return base + "^(" + to_text(exponent) + ")";
  }
  /// Extra-P's parameters are 1 or more.
  std::string log2(const std::string& name) const override { return "log2(" + name + ")"; }
  std::string step(const std::string& name, double, double, double) const override {
    refuse("a step in '" + name + "'");
  }
  std::string choice(const LevelValues& column) const override {
    refuse("the levels of '" + column.operand + "'");
  }
  std::string number_of(const std::string& text) const override {
    refuse("the number in '" + text + "'");
  }
  std::string_view operation(Operation operation) const override {
    const std::string_view code = code_of(kExtrapOperations, operation);
    return code.empty() ? (refuse("a function of a derived column"), code) : code;
  }
  std::string_view plus() const override { return " + "; }

  bool has_variables() const override { return false; }
  std::string variable(const std::string&, const std::string&) const override { return ""; }
  std::string parameter(const std::string& name, bool /*is_text*/) const override { return name; }
  std::string function(const FunctionParts& parts) const override { return parts.result + "\n"; }
  bool keeps(const std::string& /*name*/) const override { return false; }

 private:
  [[noreturn]] static void refuse(const std::string& what) {
    throw InputError(fmt::format("Extra-P has no notation for {}", what));
  }
};

}  // namespace

const Dialect& extrap_dialect() {
  static const ExtrapDialect dialect;
  return dialect;
}

}  // namespace perfmodel
