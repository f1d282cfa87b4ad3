#include "export/formula_tree.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "data/formula.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// Each may lie deeper than the one before, and what is deep needs much of the stack.
constexpr std::size_t most_operands = 500;

FormulaTree operation(std::string word, std::vector<FormulaTree> operands) {
  return {FormulaTree::Kind::operation, 0, std::move(word), std::move(operands)};
}

FormulaTree number_node(double value) {
  return {FormulaTree::Kind::number, value, {}, {}};
}

/// sum(a, b, c) as (a + b) + c, and so on.
FormulaTree folded_call(const std::string& word, std::vector<FormulaTree> arguments) {
  FormulaTree out = std::move(arguments.front());
  for (std::size_t i = 1; i < arguments.size(); ++i)
    out = operation(word, {std::move(out), std::move(arguments[i])});
  return out;
}

/// The grammar of muParser by descent, one member for each level of precedence. What is no formula
/// has been refused before, so that only what is one has to be told apart.
class FormulaReader {
 public:
  FormulaReader(const std::string& formula, const std::vector<std::string>& columns)
      : formula_(formula), columns_(columns) {}

  FormulaTree whole() {
    FormulaTree out = conditional();
    if (!rest().empty())
      fail();
    return out;
  }

 private:
  const std::string& formula_;
  const std::vector<std::string>& columns_;
  std::size_t position_ = 0;
  std::size_t operands_ = 0;  ///< met so far, parentheses included

  std::string_view rest() {
    while (position_ < formula_.size() && is_formula_blank(formula_[position_]))
      ++position_;
    return std::string_view(formula_).substr(position_);
  }

  [[noreturn]] void fail() {
    throw InputError(quoted_formula(formula_) + " cannot be written in another language: " +
                     quoted_formula(std::string(rest())) + " is not understood");
  }

  bool take(std::string_view symbol) {
    if (!rest().starts_with(symbol))
      return false;
    position_ += symbol.size();
    return true;
  }

  void expect(std::string_view symbol) {
    if (!take(symbol))
      fail();
  }

  FormulaTree conditional() {
    FormulaTree condition = chain({"||"}, [&] { return conjunction(); });
    if (!take("?"))
      return condition;
    FormulaTree then = conditional();
    expect(":");
    FormulaTree otherwise = conditional();
    return operation("?:", {std::move(condition), std::move(then), std::move(otherwise)});
  }

  FormulaTree conjunction() {
    return chain({"&&"}, [&] { return comparison(); });
  }

  FormulaTree comparison() {
    return chain({"<=", ">=", "==", "!=", "<", ">"}, [&] { return sum(); });
  }

  FormulaTree sum() {
    return chain({"+", "-"}, [&] { return product(); });
  }

  FormulaTree product() {
    return chain({"*", "/"}, [&] { return sign(); });
  }

  /// Operators of one precedence, from left to right.
  template <class Operand>
  FormulaTree chain(std::initializer_list<std::string_view> operators, const Operand& operand) {
    FormulaTree out = operand();
    for (;;) {
      const auto* const found = std::find_if(operators.begin(), operators.end(),
                                             [&](std::string_view symbol) { return take(symbol); });
      if (found == operators.end())
        return out;
      FormulaTree right = operand();
      out = operation(std::string(*found), {std::move(out), std::move(right)});
    }
  }

  /// Signs bind less than powers: -x^2 is -(x^2).
  FormulaTree sign() {
    if (take("-"))
      return operation("neg", {power()});
    if (take("!"))
      return operation("!", {power()});
    take("+");
    return power();
  }

  /// From right to left: 2^3^2 is 2^(3^2).
  FormulaTree power() {
    FormulaTree base = primary();
    if (!take("^"))
      return base;
    // Not inside of the braces: GCC 12 destroys what they hold twice where this throws.
    FormulaTree exponent = sign();
    return operation("^", {std::move(base), std::move(exponent)});
  }

  FormulaTree primary() {
    if (++operands_ > most_operands)
      throw InputError(quoted_formula(formula_) +
                       " cannot be written in another language: it is too long");
    if (take("(")) {
      FormulaTree out = conditional();
      expect(")");
      return out;
    }
    const std::string_view text = rest();
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool begins_as_number =
        !text.empty() && std::string_view(".0123456789").find(text[0]) != std::string_view::npos;
    if (begins_as_number && read.ec == std::errc()) {
      position_ += static_cast<std::size_t>(read.ptr - text.data());
      return number_node(value);
    }
    const std::string word = take_word();
    return take("(") ? call(word) : column_or_constant(word);
  }

  std::string take_word() {
    const std::string_view text = rest();
    constexpr std::string_view letters =
        "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const std::string word(text.substr(0, text.find_first_not_of(letters)));
    if (word.empty())
      fail();
    position_ += word.size();
    return word;
  }

  FormulaTree column_or_constant(const std::string& word) const {
    if (std::find(columns_.begin(), columns_.end(), word) != columns_.end())
      return {FormulaTree::Kind::column, 0, word, {}};
    TextCodes codes;
    return number_node(Formula(word, {}, codes, quoted_formula(formula_))({}));
  }

  FormulaTree call(const std::string& word) {
    std::vector<FormulaTree> arguments = {conditional()};
    while (take(","))
      arguments.push_back(conditional());
    expect(")");
    if (word == "min" || word == "max")
      return folded_call(word, std::move(arguments));
    const auto count = static_cast<double>(arguments.size());
    if (word == "sum")
      return folded_call("+", std::move(arguments));
    if (word == "avg")
      return operation("/", {folded_call("+", std::move(arguments)), number_node(count)});
    return operation(word, std::move(arguments));
  }
};

}  // namespace

FormulaTree formula_tree(const std::string& formula, const std::vector<std::string>& columns) {
  return FormulaReader(formula, columns).whole();
}

}  // namespace perfmodel
