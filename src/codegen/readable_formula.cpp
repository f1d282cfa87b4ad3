#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "codegen/formula_code.hpp"
#include "table/formula.hpp"

namespace perfmodel {

// A user's formula with its fitted numbers, for reading, with as few parentheses as its grammar and
// LaTeX need.

namespace {

/// Precedences of the grammar of Formula; higher ones bind more tightly.
enum Precedence {
  conditional,
  disjunction,
  conjunction,
  comparison,
  sum,
  product,
  sign,
  power,
  atom
};

struct ReadableText {
  std::string text;
  Precedence precedence = atom;
};

Precedence precedence_of(Operation operation) {
  switch (operation) {
    case Operation::choose:
      return conditional;
    case Operation::either:
      return disjunction;
    case Operation::both:
      return conjunction;
    case Operation::less:
    case Operation::greater:
    case Operation::less_or_equal:
    case Operation::greater_or_equal:
    case Operation::equal:
    case Operation::unequal:
      return comparison;
    case Operation::add:
    case Operation::subtract:
      return sum;
    case Operation::multiply:
    case Operation::divide:
      return product;
    case Operation::negate:
    case Operation::negation:
      return sign;
    case Operation::power:
      return power;
    default:
      return atom;
  }
}

std::string_view latex_symbol(Operation operation) {
  switch (operation) {
    case Operation::multiply:
      return "\\cdot";
    case Operation::less_or_equal:
      return "\\le";
    case Operation::greater_or_equal:
      return "\\ge";
    case Operation::equal:
      return "=";
    case Operation::unequal:
      return "\\ne";
    case Operation::both:
      return "\\land";
    case Operation::either:
      return "\\lor";
    default:
      return symbol_of(operation);
  }
}

class ReadableWriter {
 public:
  explicit ReadableWriter(bool latex) : latex_(latex) {}

  ReadableText apply(Operation operation, std::span<const ReadableText> of) const {
    const Precedence own = precedence_of(operation);
    if (own == atom)
      return {call(operation, of), atom};
    if (own == conditional)
      return {enclosed(of[0], disjunction) + " ? " + of[1].text + " : " + of[2].text, own};
    if (own == sign)
      return {(operation == Operation::negate ? "-" : "!") + enclosed(of[0], power), own};
    if (own == power && latex_)
      return {enclosed(of[0], atom) + "^{" + of[1].text + "}", own};
    if (own == power)
      return {enclosed(of[0], atom) + "^" + enclosed(of[1], sign), own};
    if (operation == Operation::divide && latex_)
      return {"\\frac{" + of[0].text + "}{" + of[1].text + "}", product};
    const std::string symbol(latex_ ? latex_symbol(operation) : symbol_of(operation));
    // Operators associate to the left.
    return {enclosed(of[0], own) + " " + symbol + " " +
                enclosed(of[1], static_cast<Precedence>(own + 1)),
            own};
  }

 private:
  bool latex_;

  std::string enclosed(const ReadableText& operand, Precedence least) const {
    if (operand.precedence >= least)
      return operand.text;
    return latex_ ? "\\left(" + operand.text + "\\right)" : "(" + operand.text + ")";
  }

  std::string call(Operation operation, std::span<const ReadableText> of) const {
    std::vector<std::string> arguments;
    for (const ReadableText& each : of)
      arguments.push_back(each.text);
    const std::string name(symbol_of(operation));
    const std::string list = joined(arguments, ", ");
    return latex_ ? "\\operatorname{" + name + "}\\left(" + list + "\\right)"
                  : name + "(" + list + ")";
  }
};

ReadableText readable_operand(const ModelSpec& spec, const FormulaOperand& operand,
                              const std::string& name, bool latex) {
  if (operand.numeric || operand.values.empty())
    return {latex ? latex_name(name) : name, atom};
  const auto number = [&](std::size_t k) {
    const std::string text = latex ? latex_number(operand.values[k]) : rounded(operand.values[k]);
    return text + (operand.marks.empty() ? "" : operand.marks[k]);
  };
  if (operand.categorical) {
    const CategoricalInput& input = spec.categorical[*operand.categorical];
    std::vector<std::string> levels;
    for (std::size_t place = 0; place < input.levels.size(); ++place) {
      const std::size_t l = input.shown_level(place);
      levels.push_back(latex ? latex_name(input.levels[l]) + ": " + number(l)
                             : printable_word(input.levels[l]) + ": " + number(l));
    }
    const std::string list = joined(levels, ", ");
    return {latex ? latex_name(input.column) + "\\{" + list + "\\}"
                  : printable_word(input.column) + "{" + list + "}",
            atom};
  }
  const bool is_product = latex && number(0).find("times") != std::string::npos;
  return {number(0), operand.values[0] < 0 ? sign : is_product ? product : atom};
}

}  // namespace

std::string readable_formula(const ModelSpec& spec, const Formula& formula,
                             const std::vector<FormulaOperand>& operands, std::size_t last,
                             FormulaLanguage language) {
  const bool latex = language == FormulaLanguage::latex;
  const FormulaProgram& program = formula.program();
  const ReadableWriter writer(latex);
  std::vector<ReadableText> stack;
  for (std::size_t i = operand_begins(program)[last]; i <= last; ++i) {
    const FormulaStep& step = program.steps[i];
    if (step.operation == Operation::number) {
      stack.push_back({latex ? latex_number(step.number) : to_text(step.number),
                       step.number < 0 ? sign : atom});
    } else if (step.operation == Operation::name) {
      stack.push_back(readable_operand(spec, operands[step.name],
                                       printable_word(program.names[step.name]), latex));
    } else {
      const std::size_t count = operands_of(step.operation);
      ReadableText text = writer.apply(step.operation, std::span(stack).last(count));
      stack.resize(stack.size() - count);
      stack.push_back(std::move(text));
    }
  }
  return stack.back().text;
}

}  // namespace perfmodel
