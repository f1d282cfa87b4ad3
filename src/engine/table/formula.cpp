#include "table/formula.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <locale>
#include <numbers>
#include <optional>
#include <sstream>
#include <utility>

#include "base/text.hpp"

namespace perfmodel {
namespace {

/// A function of one number.
struct UnaryFunction {
  Operation operation;
  std::string_view name;                       ///< empty for an operator
  void (*apply)(double* x, std::size_t rows);  ///< replaces numbers by their values
  double (*slope)(double x, double y);         ///< d f(x) / dx, where y = f(x); null: 0

  template <class Function>
  constexpr UnaryFunction(Operation of, std::string_view called, Function,
                          double (*derivative)(double, double) = nullptr)
      : operation(of),
        name(called),
        apply([](double* x, std::size_t rows) { std::transform(x, x + rows, x, Function()); }),
        slope(derivative) {}
};

/// Derivatives of an operation y = f(a, b) by its operands.
using Partials = std::pair<double, double>;

/// A function of two numbers.
struct BinaryFunction {
  Operation operation;
  void (*apply)(double* a, const double* b, std::size_t rows);  ///< replaces the numbers a
  Partials (*partials)(double a, double b, double y);           ///< null: 0

  template <class Function>
  constexpr BinaryFunction(Operation of, Function,
                           Partials (*derivatives)(double, double, double) = nullptr)
      : operation(of),
        apply([](double* a, const double* b, std::size_t rows) {
          std::transform(a, a + rows, b, a, Function());
        }),
        partials(derivatives) {}
};

constexpr double truth(bool holds) {
  return holds ? 1 : 0;
}

constexpr std::array kUnaryFunctions = {
    UnaryFunction{Operation::negate, "", [](double x) { return -x; },
                  [](double, double) { return -1.0; }},
    UnaryFunction{Operation::negation, "", [](double x) { return truth(x == 0); }},
    UnaryFunction{Operation::abs, "abs", [](double x) { return x >= 0 ? x : -x; },
                  [](double x, double) { return x >= 0 ? 1.0 : -1.0; }},
    UnaryFunction{Operation::sign, "sign", [](double x) { return truth(x > 0) - truth(x < 0); }},
    UnaryFunction{Operation::rint, "rint", [](double x) { return std::floor(x + 0.5); }},
    UnaryFunction{Operation::ceil, "ceil", [](double x) { return std::ceil(x); }},
    UnaryFunction{Operation::floor, "floor", [](double x) { return std::floor(x); }},
    UnaryFunction{Operation::sqrt, "sqrt", [](double x) { return std::sqrt(x); },
                  [](double, double y) { return 0.5 / y; }},
    UnaryFunction{Operation::exp, "exp", [](double x) { return std::exp(x); },
                  [](double, double y) { return y; }},
    UnaryFunction{Operation::log, "ln", [](double x) { return std::log(x); },
                  [](double x, double) { return 1 / x; }},
    UnaryFunction{Operation::log2, "log2", [](double x) { return std::log(x) / std::numbers::ln2; },
                  [](double x, double) { return 1 / (x * std::numbers::ln2); }},
    UnaryFunction{Operation::log10, "log10", [](double x) { return std::log10(x); },
                  [](double x, double) { return 1 / (x * std::numbers::ln10); }},
    UnaryFunction{Operation::sin, "sin", [](double x) { return std::sin(x); },
                  [](double x, double) { return std::cos(x); }},
    UnaryFunction{Operation::cos, "cos", [](double x) { return std::cos(x); },
                  [](double x, double) { return -std::sin(x); }},
    UnaryFunction{Operation::tan, "tan", [](double x) { return std::tan(x); },
                  [](double, double y) { return 1 + y * y; }},
    UnaryFunction{Operation::asin, "asin", [](double x) { return std::asin(x); },
                  [](double x, double) { return 1 / std::sqrt(1 - x * x); }},
    UnaryFunction{Operation::acos, "acos", [](double x) { return std::acos(x); },
                  [](double x, double) { return -1 / std::sqrt(1 - x * x); }},
    UnaryFunction{Operation::atan, "atan", [](double x) { return std::atan(x); },
                  [](double x, double) { return 1 / (1 + x * x); }},
    UnaryFunction{Operation::sinh, "sinh", [](double x) { return std::sinh(x); },
                  [](double x, double) { return std::cosh(x); }},
    UnaryFunction{Operation::cosh, "cosh", [](double x) { return std::cosh(x); },
                  [](double x, double) { return std::sinh(x); }},
    UnaryFunction{Operation::tanh, "tanh", [](double x) { return std::tanh(x); },
                  [](double, double y) { return 1 - y * y; }},
    // These three formulas keep the last digits of existing models.
    UnaryFunction{Operation::asinh, "asinh",
                  [](double x) { return std::log(x + std::sqrt(x * x + 1)); },
                  [](double x, double) { return 1 / std::sqrt(x * x + 1); }},
    UnaryFunction{Operation::acosh, "acosh",
                  [](double x) { return std::log(x + std::sqrt(x * x - 1)); },
                  [](double x, double) { return 1 / std::sqrt(x * x - 1); }},
    UnaryFunction{Operation::atanh, "atanh",
                  [](double x) { return 0.5 * std::log((1 + x) / (1 - x)); },
                  [](double x, double) { return 1 / (1 - x * x); }},
};

constexpr std::array kBinaryFunctions = {
    BinaryFunction{Operation::add, [](double a, double b) { return a + b; },
                   [](double, double, double) { return Partials(1, 1); }},
    BinaryFunction{Operation::subtract, [](double a, double b) { return a - b; },
                   [](double, double, double) { return Partials(1, -1); }},
    BinaryFunction{Operation::multiply, [](double a, double b) { return a * b; },
                   [](double a, double b, double) { return Partials(b, a); }},
    BinaryFunction{Operation::divide, [](double a, double b) { return a / b; },
                   [](double, double b, double y) { return Partials(1 / b, -(y / b)); }},
    BinaryFunction{Operation::power, [](double a, double b) { return std::pow(a, b); },
                   [](double a, double b, double y) {
                     return Partials(b * std::pow(a, b - 1), y == 0 ? 0 : y * std::log(a));
                   }},
    BinaryFunction{Operation::less, [](double a, double b) { return truth(a < b); }},
    BinaryFunction{Operation::greater, [](double a, double b) { return truth(a > b); }},
    BinaryFunction{Operation::less_or_equal, [](double a, double b) { return truth(a <= b); }},
    BinaryFunction{Operation::greater_or_equal, [](double a, double b) { return truth(a >= b); }},
    BinaryFunction{Operation::equal, [](double a, double b) { return truth(a == b); }},
    BinaryFunction{Operation::unequal, [](double a, double b) { return truth(a != b); }},
    BinaryFunction{Operation::both, [](double a, double b) { return truth(a != 0 && b != 0); }},
    BinaryFunction{Operation::either, [](double a, double b) { return truth(a != 0 || b != 0); }},
    BinaryFunction{
        Operation::minimum, [](double a, double b) { return std::min(a, b); },
        [](double a, double b, double) { return Partials(truth(!(b < a)), truth(b < a)); }},
    BinaryFunction{
        Operation::maximum, [](double a, double b) { return std::max(a, b); },
        [](double a, double b, double) { return Partials(truth(!(a < b)), truth(a < b)); }},
    BinaryFunction{Operation::atan2, [](double a, double b) { return std::atan2(a, b); },
                   [](double a, double b, double) {
                     return Partials(b / (a * a + b * b), -(a / (a * a + b * b)));
                   }},
};

/// The function of an operation, from a table in the order of the enumeration.
template <class Functions>
constexpr const auto& function_of(const Functions& functions, Operation operation) {
  const auto first = static_cast<std::size_t>(functions[0].operation);
  return functions[static_cast<std::size_t>(operation) - first];
}

template <class Functions>
constexpr bool is_in_order(const Functions& functions) {
  return std::ranges::all_of(
      functions,
      [&](const auto& function) {
        return &function == &function_of(functions, function.operation);
      });
}
static_assert(is_in_order(kUnaryFunctions) && is_in_order(kBinaryFunctions));

/// A function that can be called in formulas.
struct FormulaFunction {
  std::string_view name;
  Operation operation;
  bool takes_any_number = false;
};

/// Functions of several numbers, and a second name. avg() is a sum before it is divided.
constexpr std::array kFurtherFunctions = {
    FormulaFunction{"atan2", Operation::atan2},
    FormulaFunction{"avg", Operation::add, true},
    FormulaFunction{"log", Operation::log},
    FormulaFunction{"max", Operation::maximum, true},
    FormulaFunction{"min", Operation::minimum, true},
    FormulaFunction{"sum", Operation::add, true},
};

const std::vector<FormulaFunction>& formula_functions() {
  static const std::vector<FormulaFunction> functions = [] {
    std::vector<FormulaFunction> out;
    for (const UnaryFunction& function : kUnaryFunctions)
      if (!function.name.empty())
        out.push_back({function.name, function.operation});
    out.insert(out.end(), kFurtherFunctions.begin(), kFurtherFunctions.end());
    return out;
  }();
  return functions;
}

struct BinaryOperator {
  std::string_view symbol;
  Operation operation;
  int precedence;
};

/// Longer symbols precede their prefixes.
constexpr std::array kBinaryOperators = {
    BinaryOperator{"||", Operation::either, 1},
    BinaryOperator{"&&", Operation::both, 2},
    BinaryOperator{"<=", Operation::less_or_equal, 3},
    BinaryOperator{">=", Operation::greater_or_equal, 3},
    BinaryOperator{"==", Operation::equal, 3},
    BinaryOperator{"!=", Operation::unequal, 3},
    BinaryOperator{"<", Operation::less, 3},
    BinaryOperator{">", Operation::greater, 3},
    BinaryOperator{"+", Operation::add, 4},
    BinaryOperator{"-", Operation::subtract, 4},
    BinaryOperator{"*", Operation::multiply, 5},
    BinaryOperator{"/", Operation::divide, 5},
};

bool begins_number(std::string_view text) {
  return !text.empty() && std::string_view(".0123456789").find(text[0]) != std::string_view::npos;
}

/// A syntax error in a formula: the reason, the character, counted from 1, and how to mend it.
class FormulaError : public std::runtime_error {
 public:
  explicit FormulaError(const std::string& message,
                        std::optional<std::size_t> character = std::nullopt,
                        const std::string& hint = {})
      : std::runtime_error(character ? fmt::format("{} at position {}", message, *character)
                                     : message),
        has_position_(character.has_value()),
        hint_(hint) {}

  bool has_position() const { return has_position_; }
  const std::string& hint() const { return hint_; }

 private:
  bool has_position_;
  std::string hint_;
};

constexpr std::size_t kLongestShown = 60;

/// Limit of nesting: each level takes a few frames of the call stack.
constexpr std::size_t kMostLevels = 500;

/// A recursive-descent parser, with precedence climbing for binary operators.
class FormulaParser {
 public:
  explicit FormulaParser(const std::string& text) : text_(text) {}

  /// The names of the program are those that the formula uses, in order of appearance, including
  /// constants such as _pi. Throws FormulaError.
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
  std::size_t position_ = 0;
  std::size_t level_ = 0;
  std::size_t height_ = 0;  ///< height of the stack after the last step
  FormulaProgram out_;

  std::string_view rest() {
    while (position_ < text_.size() && is_formula_blank(text_[position_]))
      ++position_;
    return std::string_view(text_).substr(position_);
  }

  /// The position in UTF-8 characters, not bytes, counted from 1.
  std::size_t character() const {
    const auto end = text_.begin() + static_cast<std::ptrdiff_t>(position_);
    return 1 + static_cast<std::size_t>(std::count_if(text_.begin(), end, [](char c) {
             return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
           }));
  }

  [[noreturn]] void fail(const std::string& message) { throw FormulaError(message, character()); }

  [[noreturn]] void fail_at_name(const std::string& message) {
    throw FormulaError(message, character(), hint_of_name(position_));
  }

  /// What may be the name of a column: the text around this place between operators, as "Price per
  /// hour" or, with a unit in parentheses, "Memory (GiB)".
  std::string hint_of_name(std::size_t place) const {
    constexpr std::string_view between = "+-*/^<>=!&|?:(),'\"`";
    const std::string_view text = text_;
    const std::size_t before = place == 0 ? text.npos : text.find_last_of(between, place - 1);
    const std::size_t begin = before == text.npos ? 0 : before + 1;
    std::size_t end = std::min(text.find_first_of(between, place), text.size());
    if (end < text.size() && text[end] == '(') {
      const std::size_t close = text.find_first_of("0123456789+*^<>=!&|?:(),'\"`", end + 1);
      if (close != text.npos && text[close] == ')' && close > end + 1)
        end = std::min(text.find_first_of(between, close + 1), text.size());
    }
    const std::string name(trimmed(text.substr(begin, end - begin), " \t\r\n"));
    const bool begins_name =
        !name.empty() && !begins_number(name) &&
        (is_formula_letter(name[0]) || static_cast<unsigned char>(name[0]) > 127);
    return !begins_name || is_formula_word(name)
               ? std::string()
               : "; a column of this name is written " +
                     clipped(printable_word(formula_name(name)), kLongestShown);
  }

  /// Reports a problem with the next word: "An operator is missing before 'b'".
  [[noreturn]] void fail_before_next(const std::string& problem) {
    const std::string_view left = rest();
    if (left.empty())
      fail(problem);
    const bool begins_operand =
        std::string_view("(.'\"`").find(left[0]) != std::string_view::npos ||
        is_formula_letter(left[0]);
    fail_at_name(begins_operand ? problem + " before " + next_word() : "Unexpected " + next_word());
  }

  /// The next word, operator or single character, in quotes.
  std::string next_word() {
    const std::string_view left = rest();
    const auto* const end =
        std::ranges::find_if_not(left, [](char c) { return is_formula_letter(c) || c == '.'; });
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
      fail(fmt::format("Nested more than {} levels deep", kMostLevels));
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
    const auto* const found = std::ranges::find_if(
        kBinaryOperators,
        [&](const BinaryOperator& candidate) { return left.starts_with(candidate.symbol); });
    return found == kBinaryOperators.end() ? nullptr : found;
  }

  /// Parses operators of at least this precedence, from left to right.
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

  /// Powers take precedence over signs: -x^2 is -(x^2). Only one sign is allowed: "--x" is taken
  /// for a mistake.
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

  /// Powers associate from right to left: 2^3^2 is 2^(3^2).
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
      add({Operation::text, 0, out_.texts.size()});
      out_.texts.push_back(quoted("a quote"));
    } else if (left[0] == '`') {
      name(*out_.columns.insert(quoted("a backquote")).first);
    } else if (is_formula_letter(left[0])) {
      const std::size_t begin = position_;
      const std::string word(left.begin(), std::ranges::find_if_not(left, is_formula_letter));
      position_ += word.size();
      if (take("("))
        call(word, begin);
      else
        name(word);
    } else if (left[0] == '=' && !left.starts_with("==")) {
      throw FormulaError("'=' does not compare; write ==");
    } else {
      fail_at_name("Unexpected " + next_word());
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
      // Overflow or underflow, which a stream tells apart.
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

  /// The text up to the next quote; one that is doubled stands for itself.
  std::string quoted(const std::string& called) {
    const char quote = text_[position_];
    std::string out;
    for (std::size_t from = position_ + 1;;) {
      const std::size_t end = text_.find(quote, from);
      if (end == std::string::npos)
        throw FormulaError(called + " is not closed");
      out += text_.substr(from, end - from);
      position_ = end + 1;
      if (position_ == text_.size() || text_[position_] != quote)
        return out;
      out += quote;
      from = position_ + 1;
    }
  }

  void name(const std::string& word) {
    const auto known = std::ranges::find(out_.names, word);
    const auto index = static_cast<std::size_t>(known - out_.names.begin());
    if (known == out_.names.end())
      out_.names.push_back(word);
    add({Operation::name, 0, index});
  }

  void call(const std::string& word, std::size_t begin) {
    const auto function = std::ranges::find(formula_functions(), word, &FormulaFunction::name);
    if (function == formula_functions().end()) {
      std::vector<std::string> known;
      for (const FormulaFunction& each : formula_functions())
        known.emplace_back(each.name);
      throw FormulaError(fmt::format("unknown function {}; there are {}", quoted_formula(word),
                                     sorted_list(known)),
                         std::nullopt, hint_of_name(begin));
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
    fail(fmt::format("Too {} arguments of {}()", count < wanted ? "few" : "many", function.name));
  }
};

/// The value of a name that is not a column: _pi or _e.
std::optional<double> formula_constant(const std::string& name) {
  if (name == "_pi")
    return std::numbers::pi;
  if (name == "_e")
    return std::numbers::e;
  return std::nullopt;
}

/// A slope of 0 remains 0, even if the factor is infinite.
double times(double factor, double slope) {
  return slope == 0 ? 0 : factor * slope;
}

/// Evaluates the program for `rows` rows at once; `load` writes the numbers of a name.
template <class Load>
void run(std::span<const FormulaStep> steps, std::size_t rows, double* stack, const Load& load) {
  double* top = stack;  // after the last values
  for (const FormulaStep& step : steps) {
    switch (operands_of(step.operation)) {
      case 0:
        if (step.operation == Operation::number)
          std::fill_n(top, rows, step.number);
        else
          load(step.name, top);
        top += rows;
        break;
      case 1:
        function_of(kUnaryFunctions, step.operation).apply(top - rows, rows);
        break;
      case 2:
        top -= rows;
        function_of(kBinaryFunctions, step.operation).apply(top - rows, top, rows);
        break;
      default: {
        top -= 2 * rows;
        double* const condition = top - rows;
        for (std::size_t row = 0; row < rows; ++row)
          condition[row] = condition[row] != 0 ? top[row] : top[rows + row];
      }
    }
  }
}

/// Forward-mode automatic differentiation: an entry of the stack is a value, followed by its
/// derivatives with respect to `names`. The result is at the front of `stack`.
void run_with_slopes(const FormulaProgram& program, std::span<const double> values,
                     std::span<const std::size_t> names, double* stack) {
  const std::size_t width = 1 + names.size();
  double* top = stack;  // after the last entry
  for (const FormulaStep& step : program.steps) {
    const std::size_t count = operands_of(step.operation);
    if (count == 0) {
      const bool is_name = step.operation == Operation::name;
      *top++ = is_name ? values[step.name] : step.number;
      for (const std::size_t name : names)
        *top++ = is_name && name == step.name ? 1 : 0;
      continue;
    }
    top -= (count - 1) * width;
    double* const a = top - width;
    if (count == 1) {
      const UnaryFunction& function = function_of(kUnaryFunctions, step.operation);
      const double x = a[0];
      function.apply(a, 1);
      const double slope = function.slope == nullptr ? 0 : function.slope(x, a[0]);
      for (std::size_t k = 1; k < width; ++k)
        a[k] = times(slope, a[k]);
    } else if (count == 2) {
      const BinaryFunction& function = function_of(kBinaryFunctions, step.operation);
      double value = a[0];
      function.apply(&value, top, 1);
      const Partials by =
          function.partials == nullptr ? Partials() : function.partials(a[0], top[0], value);
      for (std::size_t k = 1; k < width; ++k)
        a[k] = times(by.first, a[k]) + times(by.second, top[k]);
      a[0] = value;
    } else {
      std::copy_n(a[0] != 0 ? top : top + width, width, a);
    }
  }
}

constexpr std::size_t kRowsAtOnce = 256;  // so that the stack fits the cache of a core

/// Replaces the indices of names by those in `names`; other names must be constants.
void settle_names(FormulaProgram& program, const std::vector<std::string>& names,
                  const TextCodes& codes, const std::string& text, const std::string& where) {
  std::vector<std::size_t> places;
  for (const std::string& name : program.names) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end() && (program.columns.contains(name) || !formula_constant(name)))
      throw UsageError(fmt::format(
          "{}: {}: there is no {}{}", where, quoted_formula(text), quoted_formula(name),
          codes.has_level(name) ? "; a text is written in quotes: " + formula_text(name, '"')
                                : hint_for_name(text, name, names)));
    places.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  for (FormulaStep& step : program.steps) {
    if (step.operation != Operation::name)
      continue;
    const std::string& name = program.names[step.name];
    step = places[step.name] < names.size()
               ? FormulaStep{Operation::name, 0, places[step.name]}
               : FormulaStep{Operation::number, formula_constant(name).value(), 0};
  }
  program.names = names;
}

}  // namespace

std::string shown_formula(std::string text) {
  std::replace_if(text.begin(), text.end(), is_formula_blank, ' ');
  return clipped(printable_word(text), kLongestShown);
}

std::string quoted_formula(const std::string& text) {
  return fmt::format("'{}'", shown_formula(text));
}

FormulaProgram Formula::parsed(const std::string& text, const std::string& where) {
  try {
    return FormulaParser(text).whole();
  } catch (const FormulaError& error) {
    throw UsageError((error.has_position()
                          ? fmt::format("{}: {} of {}", where, error.what(), quoted_formula(text))
                          : fmt::format("{}: {}: {}", where, quoted_formula(text), error.what())) +
                     error.hint());
  }
}

std::vector<std::string> Formula::names_in(const std::string& text, const std::string& where) {
  const FormulaProgram program = parsed(text, where);
  std::set<std::string> names;
  std::ranges::copy_if(program.names, std::inserter(names, names.end()),
                       [&](const std::string& name) {
                         return program.columns.contains(name) || !formula_constant(name);
                       });
  return {names.begin(), names.end()};
}

Formula::Formula(const std::string& text, const std::vector<std::string>& names, TextCodes& codes,
                 const std::string& where) {
  FormulaProgram program;
  try {
    program = FormulaParser(text).whole();
  } catch (const FormulaError& error) {
    const std::string hint = hint_for_unquoted(text, names);
    throw UsageError(fmt::format("{}: {}: {}{}", where, quoted_formula(text), error.what(),
                                 hint.empty() ? error.hint() : hint));
  }
  settle_names(program, names, codes, text, where);
  settle_texts(program, codes, fmt::format("{}: {}", where, quoted_formula(text)));
  program_ = std::make_shared<const FormulaProgram>(std::move(program));
}

double Formula::operator()(std::span<const double> values) const {
  const auto run_on = [&](double* stack) {
    run(program_->steps, 1, stack, [&](std::size_t name, double* to) { *to = values[name]; });
    return *stack;
  };
  std::array<double, 32> usual;
  if (program_->depth <= usual.size())
    return run_on(usual.data());
  std::vector<double> deep(program_->depth);
  return run_on(deep.data());
}

std::vector<double> Formula::of_rows(std::span<const std::vector<double>> columns,
                                     std::size_t rows) const {
  return of_rows(columns, rows, program_->steps.size() - 1);
}

std::vector<double> Formula::of_rows(std::span<const std::vector<double>> columns, std::size_t rows,
                                     std::size_t last) const {
  const std::size_t begin = operand_begins(*program_)[last];
  const auto steps = std::span(program_->steps).subspan(begin, last + 1 - begin);
  std::vector<double> stack(program_->depth * std::min(rows, kRowsAtOnce));
  std::vector<double> out(rows);
  for (std::size_t first = 0; first < rows; first += kRowsAtOnce) {
    const std::size_t count = std::min(rows - first, kRowsAtOnce);
    run(steps, count, stack.data(), [&](std::size_t name, double* to) {
      std::copy_n(columns[name].data() + first, count, to);
    });
    std::copy_n(stack.begin(), count, out.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return out;
}

void Formula::slopes(std::span<const double> values, std::span<const std::size_t> names,
                     std::vector<double>& stack) const {
  stack.resize(program_->depth * (1 + names.size()));
  run_with_slopes(*program_, values, names, stack.data());
}

bool Formula::is_affine_in(const std::vector<bool>& names) const {
  std::vector<int> degrees;  // in these names together; 2: not affine
  for (const FormulaStep& step : program_->steps) {
    const std::size_t count = operands_of(step.operation);
    if (count == 0) {
      degrees.push_back(step.operation == Operation::name && names[step.name] ? 1 : 0);
      continue;
    }
    const std::size_t at = degrees.size() - count;
    const int a = degrees[at];
    const int b = count > 1 ? degrees[at + 1] : 0;
    int& degree = degrees[at];
    if (step.operation == Operation::add || step.operation == Operation::subtract)
      degree = std::max(a, b);
    else if (step.operation == Operation::multiply)
      degree = std::min(2, a + b);
    else if (step.operation == Operation::divide)
      degree = b == 0 ? a : 2;
    else if (step.operation == Operation::choose)
      degree = a == 0 ? std::max(b, degrees[at + 2]) : 2;
    else if (step.operation != Operation::negate)
      degree = std::max(a, b) == 0 ? 0 : 2;
    degrees.resize(at + 1);
  }
  return degrees.back() < 2;
}

std::string_view symbol_of(Operation operation) {
  for (const BinaryOperator& each : kBinaryOperators)
    if (each.operation == operation)
      return each.symbol;
  for (const FormulaFunction& each : formula_functions())
    if (each.operation == operation)
      return each.name;
  return {};
}

std::vector<std::size_t> operand_begins(const FormulaProgram& program) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    std::size_t begin = i;
    for (std::size_t k = 0; k < operands_of(program.steps[i].operation); ++k)
      begin = out[begin - 1];
    out.push_back(begin);
  }
  return out;
}

}  // namespace perfmodel
