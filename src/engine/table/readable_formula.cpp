#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "table/formula_text.hpp"

namespace perfmodel {

// A user's formula with its fitted numbers, for reading, with as few parentheses as its grammar and
// LaTeX need.

namespace {

/// Precedences of the grammar of Formula; higher ones bind more tightly.
constexpr int kConditional = 0;
constexpr int kProduct = 5;
constexpr int kSign = 6;
constexpr int kPower = 7;
constexpr int kAtom = 8;  // numbers, names, functions

struct Notation {
  Operation operation;
  int precedence;
  std::string_view latex;
};

constexpr std::array kNotations = {Notation{Operation::choose, kConditional, ""},
                                   Notation{Operation::either, 1, "\\lor"},
                                   Notation{Operation::both, 2, "\\land"},
                                   Notation{Operation::less, 3, "<"},
                                   Notation{Operation::greater, 3, ">"},
                                   Notation{Operation::less_or_equal, 3, "\\le"},
                                   Notation{Operation::greater_or_equal, 3, "\\ge"},
                                   Notation{Operation::equal, 3, "="},
                                   Notation{Operation::unequal, 3, "\\ne"},
                                   Notation{Operation::add, 4, "+"},
                                   Notation{Operation::subtract, 4, "-"},
                                   Notation{Operation::multiply, kProduct, "\\cdot"},
                                   Notation{Operation::divide, kProduct, ""},
                                   Notation{Operation::negate, kSign, ""},
                                   Notation{Operation::negation, kSign, ""},
                                   Notation{Operation::power, kPower, ""}};

struct ReadableText {
  std::string text;
  int precedence = kAtom;
  std::size_t step = 0;  ///< the last one of its expression
};

class ReadableWriter {
 public:
  explicit ReadableWriter(bool latex) : latex_(latex) {}

  ReadableText apply(Operation operation, std::span<const ReadableText> of) const {
    const auto* const notation = std::ranges::find(kNotations, operation, &Notation::operation);
    if (notation == kNotations.end())
      return {call(operation, of)};
    const int own = notation->precedence;
    if (own == kConditional)
      return {enclosed(of[0], 1) + " ? " + of[1].text + " : " + of[2].text, own};
    if (own == kSign)
      return {(operation == Operation::negate ? "-" : "!") + enclosed(of[0], kPower), own};
    if (own == kPower)
      return {
          enclosed(of[0], kAtom) + "^" + (latex_ ? "{" + of[1].text + "}" : enclosed(of[1], kSign)),
          own};
    if (operation == Operation::divide && latex_)
      return {"\\frac{" + of[0].text + "}{" + of[1].text + "}", own};
    const std::string symbol(latex_ ? notation->latex : symbol_of(operation));
    // Operators associate to the left.
    return {enclosed(of[0], own) + " " + symbol + " " + enclosed(of[1], own + 1), own};
  }

 private:
  bool latex_;

  std::string enclosed(const ReadableText& operand, int least) const {
    if (operand.precedence >= least)
      return operand.text;
    return latex_ ? "\\left(" + operand.text + "\\right)" : "(" + operand.text + ")";
  }

  std::string call(Operation operation, std::span<const ReadableText> of) const {
    const std::vector<std::string> arguments = mapped(of, &ReadableText::text);
    const std::string name(symbol_of(operation));
    const std::string list = joined(arguments, ", ");
    return latex_ ? "\\operatorname{" + name + "}\\left(" + list + "\\right)"
                  : name + "(" + list + ")";
  }
};

/// Whether it is a column of levels, not a constant with a value per level.
bool is_of_texts(const ModelSpec& spec, const FormulaOperand& operand, const std::string& name) {
  return operand.categorical && spec.categorical[*operand.categorical].column == name;
}

ReadableText readable_operand(const ModelSpec& spec, const FormulaOperand& operand,
                              const std::string& name, bool latex) {
  if (operand.numeric || operand.values.empty() || is_of_texts(spec, operand, name))
    return {latex ? latex_name(name) : printable_word(formula_name(name))};
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
            kAtom};
  }
  const bool is_product = latex && number(0).find("times") != std::string::npos;
  return {number(0), operand.values[0] < 0 ? kSign : is_product ? kProduct : kAtom};
}

}  // namespace

std::string readable_formula(const ModelSpec& spec, const Formula& formula,
                             const std::vector<FormulaOperand>& operands, std::size_t last,
                             FormulaLanguage language) {
  const bool latex = language == FormulaLanguage::latex;
  const FormulaProgram& program = formula.program();
  const ReadableWriter writer(latex);
  // Beside a column of texts a number stands for one of them.
  const auto name_text = [&](std::span<ReadableText> sides) {
    for (std::size_t side = 0; side < 2; ++side) {
      const FormulaStep& column = program.steps[sides[side].step];
      const FormulaStep& text = program.steps[sides[1 - side].step];
      if (column.operation != Operation::name || text.operation != Operation::number ||
          !is_of_texts(spec, operands[column.name], program.names[column.name]))
        continue;
      const FormulaOperand& of = operands[column.name];
      const auto place = std::ranges::find(of.values, text.number) - of.values.begin();
      const auto& levels = spec.categorical[*of.categorical].levels;
      const std::string level = place < index(levels.size()) ? levels[to_size(place)] : "?";
      sides[1 - side].text = latex ? latex_name(level) : printable_word(formula_text(level));
    }
  };
  std::vector<ReadableText> stack;
  for (std::size_t i = operand_begins(program)[last]; i <= last; ++i) {
    const FormulaStep& step = program.steps[i];
    if (step.operation == Operation::number) {
      stack.push_back({latex ? latex_number(step.number) : to_text(step.number),
                       step.number < 0 ? kSign : kAtom, i});
    } else if (step.operation == Operation::name) {
      stack.push_back(readable_operand(spec, operands[step.name], program.names[step.name], latex));
      stack.back().step = i;
    } else {
      const std::size_t count = operands_of(step.operation);
      if (step.operation == Operation::equal || step.operation == Operation::unequal)
        name_text(std::span(stack).last(count));
      ReadableText text = writer.apply(step.operation, std::span(stack).last(count));
      text.step = i;
      stack.resize(stack.size() - count);
      stack.push_back(std::move(text));
    }
  }
  return stack.back().text;
}

}  // namespace perfmodel
