#include <fmt/core.h>
#include <algorithm>
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
    Operation::add,    Operation::log,     Operation::subtract, Operation::log2,
    Operation::divide, Operation::negate,  Operation::multiply, Operation::exp,
    Operation::sqrt,   Operation::minimum, Operation::maximum};

/// The notation in which Extra-P prints functions, 0.5 + 0.2 * x^(2) * log2(y)^(1): one expression.
constexpr Syntax kExtrap{.plus = " + "};

class ExtrapDialect : public Dialect {
 public:
  ExtrapDialect() : Dialect(kExtrap) {}

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
  std::string operation(Operation operation) const override {
    if (operation == Operation::power)
      return "($1)^($2)";
    if (std::ranges::find(kExtrapOperations, operation) == kExtrapOperations.end())
      refuse("a function of a derived column");
    return Dialect::operation(operation);
  }
  std::string function(const FunctionParts& parts) const override { return parts.result + "\n"; }

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
