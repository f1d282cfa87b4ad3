#include "data/formula_parser.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <locale>
#include <numbers>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "data/formula_words.hpp"

namespace perfmodel {
namespace {

/// Each level of nesting takes a few frames of the stack; nobody reads what is nested deeper.
constexpr std::size_t kMostLevels = 500;

/// By descent; between binary operators by their precedence.
class FormulaParser {
 public:
  FormulaParser(const std::string& text, TextCodes& codes) : text_(text), codes_(codes) {}

  FormulaProgram whole() {
    if (rest().empty())
      throw FormulaError("it is empty");
    conditional();
    const std::string_view left = rest();
    if (left.starts_with(","))
      throw FormulaError("expected one expression, without commas");
    if (left.starts_with(")"))
      fail("Unexpected parenthesis ')'");
    if (!left.empty())
      fail_before_next("An operator is missing");
    return std::move(out_);
  }

 private:
  const std::string& text_;
  TextCodes& codes_;
  std::size_t position_ = 0;
  std::size_t level_ = 0;
  std::size_t height_ = 0;  ///< of the stack after the last step
  FormulaProgram out_;

  std::string_view rest() {
    while (position_ < text_.size() && is_formula_blank(text_[position_]))
      ++position_;
    return std::string_view(text_).substr(position_);
  }

  /// Characters of UTF-8, not bytes; the end counts as one.
  std::size_t character() const {
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(position_);
    return 1 + static_cast<std::size_t>(std::count_if(text_.begin(), end, [](char c) {
             return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
           }));
  }

  [[noreturn]] void fail(const std::string& message) { throw FormulaError(message, character()); }

  /// "An operator is missing before 'b'", or what else is wrong with what stands next.
  [[noreturn]] void fail_before_next(const std::string& problem) {
    const std::string_view left = rest();
    if (left.empty())
      fail(problem);
    const bool begins_operand =
        std::string_view("(.'\"").find(left[0]) != std::string_view::npos || is_word(left[0]);
    fail(begins_operand ? problem + " before " + next_word() : "Unexpected " + next_word());
  }

  /// What stands next, in quotes: a word, an operator or a single character.
  std::string next_word() {
    const std::string_view left = rest();
    const auto* const end =
        std::find_if_not(left.begin(), left.end(), [](char c) { return is_word(c) || c == '.'; });
    auto length = static_cast<std::size_t>(end - left.begin());
    for (const BinaryOperator& each : kBinaryOperators)
      if (length == 0 && left.starts_with(each.symbol))
        length = each.symbol.size();
    if (length == 0) {
      length = 1;
      while (length < left.size() && (static_cast<unsigned char>(left[length]) & 0xC0U) == 0x80U)
        ++length;
    }
    return quoted_formula(std::string(left.substr(0, length)));
  }

  bool take(std::string_view symbol) {
    if (!rest().starts_with(symbol))
      return false;
    position_ += symbol.size();
    return true;
  }

  void add(FormulaStep step) {
    height_ += 1;
    height_ -= operands_of(step.operation);
    out_.depth = std::max(out_.depth, height_);
    out_.steps.push_back(step);
  }

  void add(Operation operation) { add({operation, 0, 0}); }
  void add_number(double value) { add({Operation::number, value, 0}); }

  void deeper() {
    if (++level_ > kMostLevels)
      fail("Nested more than " + std::to_string(kMostLevels) + " levels deep");
  }

  void conditional() {
    deeper();
    binary(1);
    if (take("?")) {
      conditional();
      if (!take(":"))
        fail_before_next("':' is missing");
      conditional();
      add(Operation::choose);
    }
    --level_;
  }

  const BinaryOperator* next_operator() {
    const std::string_view left = rest();
    if (left.starts_with("=") && !left.starts_with("=="))
      throw FormulaError("'=' does not compare; write ==");
    const auto* const found = std::find_if(
        kBinaryOperators.begin(), kBinaryOperators.end(),
        [&](const BinaryOperator& candidate) { return left.starts_with(candidate.symbol); });
    return found == kBinaryOperators.end() ? nullptr : found;
  }

  /// Operators of this precedence or a higher one, from left to right.
  void binary(int precedence) {
    signed_operand();
    for (;;) {
      const BinaryOperator* const next = next_operator();
      if (next == nullptr || next->precedence < precedence)
        return;
      position_ += next->symbol.size();
      binary(next->precedence + 1);
      add(next->operation);
    }
  }

  /// Signs bind less than powers: -x^2 is -(x^2). One only: "--x" is a slip.
  void signed_operand() {
    if (take("-")) {
      power();
      add(Operation::negate);
    } else if (take("!")) {
      power();
      add(Operation::negation);
    } else {
      take("+");
      power();
    }
  }

  /// From right to left: 2^3^2 is 2^(3^2).
  void power() {
    operand();
    if (!take("^"))
      return;
    deeper();
    signed_operand();
    add(Operation::power);
    --level_;
  }

  void operand() {
    ++out_.operands;
    const std::string_view left = rest();
    if (left.empty())
      fail("Unexpected end of expression");
    if (take("(")) {
      conditional();
      close();
    } else if (begins_number(left)) {
      number();
    } else if (left[0] == '\'' || left[0] == '"') {
      quoted();
    } else if (is_word(left[0])) {
      const std::size_t begin = position_;
      const std::string word(left.substr(0, left.find_first_not_of(kLettersAndDigits)));
      position_ += word.size();
      if (take("("))
        call(word, begin);
      else
        name(word);
    } else if (left[0] == '=' && !left.starts_with("==")) {
      throw FormulaError("'=' does not compare; write ==");
    } else {
      fail("Unexpected " + next_word());
    }
  }

  void close() {
    if (rest().empty())
      fail("Missing parenthesis");
    if (!take(")"))
      fail_before_next("An operator or a parenthesis is missing");
  }

  void number() {
    const std::string_view left = rest();
    double value = 0;
    const auto read = std::from_chars(left.data(), left.data() + left.size(), value);
    const auto length = static_cast<std::size_t>(read.ptr - left.data());
    if (read.ec == std::errc::result_out_of_range) {
      // Too large, or so small that it is 0: a stream tells.
      std::istringstream digits{std::string(left.substr(0, length))};
      digits.imbue(std::locale::classic());
      digits >> value;
      if (!(value < std::numeric_limits<double>::max()))
        fail("Too large a number " + quoted_formula(std::string(left.substr(0, length))));
    } else if (read.ec != std::errc()) {
      fail("Unexpected " + next_word());
    }
    position_ += length;
    add_number(value);
  }

  void quoted() {
    const auto end = text_.find(text_[position_], position_ + 1);
    if (end == std::string::npos)
      throw FormulaError("a quote is not closed");
    add_number(codes_.code(text_.substr(position_ + 1, end - position_ - 1)));
    position_ = end + 1;
  }

  void name(const std::string& word) {
    const auto known = std::find(out_.names.begin(), out_.names.end(), word);
    const auto index = static_cast<std::size_t>(known - out_.names.begin());
    if (known == out_.names.end())
      out_.names.push_back(word);
    add({Operation::name, 0, index});
  }

  void call(const std::string& word, std::size_t begin) {
    const auto* const function =
        std::find_if(kFormulaFunctions.begin(), kFormulaFunctions.end(),
                     [&](const FormulaFunction& candidate) { return candidate.name == word; });
    if (function == kFormulaFunctions.end()) {
      std::vector<std::string> known;
      for (const FormulaFunction& each : kFormulaFunctions)
        known.emplace_back(each.name);
      throw FormulaError("unknown function " + quoted_formula(word) + "; there are " +
                         quoted_list(known));
    }
    std::size_t count = 0;
    if (!rest().starts_with(")")) {
      do {
        conditional();
        if (++count > 1 && function->takes_any_number)
          add(function->operation);
      } while (take(","));
    }
    close();
    check_arguments(*function, count, begin);
    if (word == "avg") {
      add_number(static_cast<double>(count));
      add(Operation::divide);
    } else if (!function->takes_any_number) {
      add(function->operation);
    }
  }

  void check_arguments(const FormulaFunction& function, std::size_t count, std::size_t begin) {
    const std::size_t wanted = function.takes_any_number ? 1 : operands_of(function.operation);
    if (count == wanted || (function.takes_any_number && count > wanted))
      return;
    position_ = begin;
    fail("Too " + std::string(count < wanted ? "few" : "many") + " arguments of " +
         std::string(function.name) + "()");
  }
};

}  // namespace

FormulaProgram parse_formula(const std::string& text, TextCodes& codes) {
  return FormulaParser(text, codes).whole();
}

std::optional<double> formula_constant(const std::string& name) {
  if (name == "_pi")
    return std::numbers::pi;
  if (name == "_e")
    return std::numbers::e;
  return std::nullopt;
}

}  // namespace perfmodel
