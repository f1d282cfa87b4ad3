#include "export/derived_code.hpp"

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

std::string derived_code(const DerivedColumn& column, const Dialect& dialect,
                         const std::function<std::string(const std::string&)>& operand_of) {
  TextCodes codes;
  const std::string quoted = quoted_formula(column.formula);
  const Formula formula(column.formula, column.of, codes, quoted);
  const FormulaProgram& program = formula.program();
  if (program.operands > kMostOperands)
    throw InputError(quoted + " cannot be written in another language: it is too long");
  std::vector<std::string> stack;
  for (const FormulaStep& step : program.steps) {
    if (step.operation == Operation::number) {
      stack.push_back(dialect.number(step.number));
    } else if (step.operation == Operation::name) {
      stack.push_back(operand_of(program.names[step.name]));
    } else {
      const std::size_t count = operands_of(step.operation);
      std::string code = filled(dialect.operation(step.operation), std::span(stack).last(count));
      stack.resize(stack.size() - count);
      stack.push_back(std::move(code));
    }
  }
  return stack.back();
}

}  // namespace perfmodel
