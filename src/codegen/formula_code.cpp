#include "codegen/formula_code.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "codegen/dialect.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "table/expressions.hpp"
#include "table/formula.hpp"

namespace perfmodel {

/// Writes a function of the columns: assigns an expression to each and computes the derived ones.
class CodeWriter {
 public:
  /// Throws InputError for a derived column whose formula the language cannot express.
  CodeWriter(const ModelSpec& spec, const Dialect& dialect);

  const Dialect& dialect() const { return dialect_; }
  const std::vector<std::string>& intrinsic() const { return intrinsic_; }
  const std::vector<std::string>& extrinsic() const { return extrinsic_; }
  /// Extrinsic inputs, then intrinsic ones.
  const std::string& numeric(std::size_t n) const;
  CodeInputs inputs() const;

  /// base^exponent; the base itself if the exponent is 1.
  std::string power(const std::string& base, double exponent) const;
  /// min(name, clamp); the name if the clamp is infinite.
  std::string clamped(const std::string& name, double clamp) const;
  /// NumericInput::counted() of a column: the name unless 0 is among its values.
  std::string counted(const std::string& name, const NumericInput& input) const;
  /// The value of the column's level.
  std::string choice(std::size_t column, const std::function<double(std::size_t)>& value) const;
  std::string product(const std::vector<std::string>& factors) const;
  std::string sum(const std::vector<std::string>& terms) const;
  /// A function that returns `result`; `helpers`: functions that it calls.
  std::string function(const std::string& result, const std::string& helpers) const;

 private:
  const ModelSpec& spec_;
  const Dialect& dialect_;
  CodeNames names_;
  std::vector<std::string> parameters_;
  std::vector<std::string> numbers_;  ///< names of the parameters that are numbers
  std::string comments_;
  std::string statements_;                       ///< compute the derived columns
  std::map<std::string, std::string> operands_;  ///< column -> its expression
  std::vector<std::string> intrinsic_;
  std::vector<std::string> categorical_;
  std::vector<std::string> extrinsic_;

  bool is_text(const std::string& column) const;
  void add_parameter(const std::string& column);
  void add_derived(const DerivedColumn& column);
  std::string add_input(const NumericInput& input);
  std::string as_number(const std::string& column) const;
};

namespace {

/// Keywords of Python and C, names that expressions call, and macros of the C headers and
/// compilers, which are replaced wherever they occur.
bool is_reserved(const std::string& name) {
  static const std::set<std::string_view> words = {
      "False", "None", "True", "alignas", "alignof", "and", "as", "asm", "assert", "async", "auto",
      "await", "bool", "break", "case", "char", "class", "const", "constexpr", "continue", "def",
      "default", "del", "do", "double", "elif", "else", "enum", "except", "extern", "false",
      "finally", "float", "for", "from", "global", "goto", "if", "import", "in", "inline", "int",
      "is", "lambda", "long", "nonlocal", "not", "nullptr", "or", "pass", "raise", "register",
      "restrict", "return", "short", "signed", "sizeof", "static", "static_assert", "struct",
      "switch", "thread_local", "true", "try", "typedef", "typeof", "typeof_unqual", "union",
      "unsigned", "void", "volatile", "while", "with", "yield",
      // called by expressions
      "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cos", "cosh",
      "exp", "fabs", "floor", "fmax", "fmin", "log", "log10", "log1p", "log2", "math", "max", "min",
      "pow", "nearbyint", "predict", "predict_process", "predict_trend", "sin", "sinh", "sqrt",
      "strcmp", "strtod", "tan", "tanh",
      // macros
      "BIG_ENDIAN", "BYTE_ORDER", "EXIT_FAILURE", "EXIT_SUCCESS", "FD_SETSIZE", "FP_ILOGB0",
      "FP_ILOGBNAN", "FP_INFINITE", "FP_NAN", "FP_NORMAL", "FP_SUBNORMAL", "FP_ZERO", "HUGE_VAL",
      "HUGE_VALF", "HUGE_VALL", "INFINITY", "LITTLE_ENDIAN", "MATH_ERREXCEPT", "MATH_ERRNO",
      "MB_CUR_MAX", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_E", "M_LN10", "M_LN2", "M_LOG10E",
      "M_LOG2E", "M_PI", "M_PI_2", "M_PI_4", "M_SQRT1_2", "M_SQRT2", "NAN", "NFDBITS", "NULL",
      "PDP_ENDIAN", "RAND_MAX", "WCONTINUED", "WEXITED", "WNOHANG", "WNOWAIT", "WSTOPPED",
      "WUNTRACED", "linux", "math_errhandling", "unix"};
  return words.contains(name);
}

}  // namespace

std::string CodeNames::of(const std::string& column) {
  std::string name;
  for (const char c : column)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ||
      dialect_.keeps(name))
    name = "x" + name;
  while (!is_free(name))
    name += '_';
  used_.insert(dialect_.identity(name));
  return name;
}

bool CodeNames::is_free(const std::string& name) const {
  return !is_reserved(name) && !dialect_.misreads(name) && !used_.contains(dialect_.identity(name));
}

namespace {

constexpr std::size_t kMostInACell = 8192;  // the limit of Excel; others allow more

/// "(a + b) * c" for "((a + b) * c)"; "(a + b) * (c + d)" is unchanged.
std::string without_outer_parentheses(const std::string& code) {
  int open = 0;
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    open += code[i] == '(' ? 1 : code[i] == ')' ? -1 : 0;
    if (open == 0)
      return code;
  }
  return open == 1 ? code.substr(1, code.size() - 2) : code;
}

}  // namespace

CodeWriter::CodeWriter(const ModelSpec& spec, const Dialect& dialect)
    : spec_(spec), dialect_(dialect), names_(dialect) {
  for (const std::string& column : required_columns(spec))
    add_parameter(column);
  for (const DerivedColumn& column : spec.derived)
    add_derived(column);
  for (const NumericInput& input : spec.intrinsic)
    intrinsic_.push_back(add_input(input));
  for (const CategoricalInput& input : spec.categorical)
    categorical_.push_back(operands_.at(input.column));
  for (const NumericInput& input : spec.extrinsic)
    extrinsic_.push_back(add_input(input));
}

const std::string& CodeWriter::numeric(std::size_t n) const {
  return n < extrinsic_.size() ? extrinsic_[n] : intrinsic_[n - extrinsic_.size()];
}

CodeInputs CodeWriter::inputs() const {
  CodeInputs out{.parameters = {}, .intrinsic = intrinsic_, .levels = {}, .extrinsic = extrinsic_};
  for (const std::string& column : required_columns(spec_))
    out.parameters.push_back(operands_.at(column));
  for (std::size_t c = 0; c < categorical_.size(); ++c)
    out.levels.push_back(choice(c, [](std::size_t l) { return static_cast<double>(l); }));
  return out;
}

std::string CodeWriter::power(const std::string& base, double exponent) const {
  return exponent == 1 ? base : dialect_.power(base, exponent);
}

std::string CodeWriter::clamped(const std::string& name, double clamp) const {
  return std::isfinite(clamp) ? dialect_.clamped(name, clamp) : name;
}

std::string CodeWriter::counted(const std::string& name, const NumericInput& input) const {
  if (!input.zero)
    return name;
  if (input.zero->apart)
    return dialect_.at_least(name, input.zero->unit);
  return "(" + dialect_.number(1) + " + " + name + " / " + dialect_.number(input.zero->unit) + ")";
}

std::string CodeWriter::choice(std::size_t column,
                               const std::function<double(std::size_t)>& value) const {
  const CategoricalInput& input = spec_.categorical[column];
  LevelValues out{.operand = categorical_[column],
                  .levels = input.levels,
                  .are_text = !spec_.is_derived(input.column),
                  .values = {}};
  for (std::size_t l = 0; l < input.levels.size(); ++l)
    out.values.push_back(value(l));
  return dialect_.choice(out);
}

std::string CodeWriter::product(const std::vector<std::string>& factors) const {
  return joined(factors, dialect_.times());
}

std::string CodeWriter::sum(const std::vector<std::string>& terms) const {
  return joined(terms, dialect_.plus());
}

std::string CodeWriter::function(const std::string& result, const std::string& helpers) const {
  return dialect_.function(
      {helpers, comments_, parameters_, numbers_, statements_, result, spec_.target, spec_.unit});
}

bool CodeWriter::is_text(const std::string& column) const {
  return std::any_of(
      spec_.categorical.begin(), spec_.categorical.end(),
      [&](const CategoricalInput& input) { return input.column == column; });
}

void CodeWriter::add_parameter(const std::string& column) {
  const std::string name = names_.of(column);
  operands_[column] = name;
  if (name != column)
    comments_ += dialect_.comment(name, column);
  parameters_.push_back(dialect_.parameter(name, is_text(column)));
  if (!is_text(column))
    numbers_.push_back(name);
}

/// A variable of the function or, in a language without variables, the expression itself.
void CodeWriter::add_derived(const DerivedColumn& column) {
  const std::string code =
      derived_code(column, dialect_, [&](const std::string& name) { return as_number(name); });
  if (!dialect_.has_variables()) {
    // Columns that use each other twice double the length each time.
    if (code.size() > kMostInACell) {
      throw InputError(
          "column '" + column.column + "' takes more than " + std::to_string(kMostInACell) +
          " characters in one formula, which no spreadsheet reads; use --as python or --as c");
    }
    operands_[column.column] = code;
    return;
  }
  const std::string name = names_.of(column.column);
  operands_[column.column] = name;
  statements_ += dialect_.variable(name, without_outer_parentheses(code));
}

std::string CodeWriter::add_input(const NumericInput& input) {
  const std::string& name = operands_.at(input.column);
  comments_ += dialect_.range(name, input.low, input.high);
  return dialect_.measured(name, input.low);
}

/// Categorical columns are passed as text, even if they contain numbers.
std::string CodeWriter::as_number(const std::string& column) const {
  const std::string& operand = operands_.at(column);
  const bool is_number = !is_text(column) || spec_.is_derived(column);
  return is_number ? operand : dialect_.number_of(operand);
}

namespace {

/// Each operand may be nested deeper than the one before, and compilers limit the depth.
constexpr std::size_t kMostOperands = 500;

}  // namespace

namespace {

/// The program as an expression; `operand_of` returns that of a name by its index.
std::string program_code(const FormulaProgram& program, const std::string& quoted,
                         const Dialect& dialect,
                         const std::function<std::string(std::size_t)>& operand_of) {
  if (program.operands > kMostOperands)
    throw InputError(quoted + " cannot be written in another language: it is too long");
  std::vector<std::string> stack;
  for (const FormulaStep& step : program.steps) {
    if (step.operation == Operation::number) {
      stack.push_back(dialect.number(step.number));
    } else if (step.operation == Operation::name) {
      stack.push_back(operand_of(step.name));
    } else {
      const std::size_t count = operands_of(step.operation);
      std::string code = dialect.apply(step.operation, std::span(stack).last(count));
      stack.resize(stack.size() - count);
      stack.push_back(std::move(code));
    }
  }
  return stack.back();
}

}  // namespace

std::string derived_code(const DerivedColumn& column, const Dialect& dialect,
                         const std::function<std::string(const std::string&)>& operand_of) {
  TextCodes codes;
  const std::string quoted = quoted_formula(column.formula);
  const Formula formula(column.formula, column.of, codes, quoted);
  return program_code(formula.program(), quoted, dialect,
                      [&](std::size_t name) { return operand_of(formula.program().names[name]); });
}

namespace {

std::string multi_computed(const ModelSpec& spec, const MultiStructure& structure,
                           const Eigen::VectorXd& constants, FormulaLanguage language) {
  const CodeWriter writer(spec, dialect_of(language));
  const Dialect& dialect = writer.dialect();
  const MultiLayout layout(spec, structure);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  std::vector<std::string> terms;
  for (std::size_t k = 0; k < structure.terms; ++k) {
    std::vector<std::string> factors = {dialect.number(constant(layout.coefficient(k)))};
    const auto add_power = [&](const std::string& base, double power) {
      if (power != 0)
        factors.push_back(writer.power(base, power));
    };
    const auto clamped = [&](std::size_t n) {
      return writer.clamped(writer.numeric(n), structure.feature(k, n).clamp);
    };
    const auto add_numeric = [&](std::size_t n) {
      const std::string name = writer.counted(clamped(n), numeric_input(spec, n));
      const Feature& feature = structure.feature(k, n);
      add_power(feature.saturates ? dialect.saturation(name) : name,
                constant(layout.numeric_power(k, n)));
      add_power(dialect.log2(name), feature.log_power);
    };
    for (std::size_t n = spec.extrinsic.size(); n < numeric_count(spec); ++n)
      add_numeric(n);
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      factors.push_back(writer.choice(
          c, [&](std::size_t l) { return constant(layout.level(k, c, l)); }));
    }
    for (std::size_t n = 0; n < spec.extrinsic.size(); ++n)
      add_numeric(n);
    for (std::size_t g = 0; g < structure.step_factors.size(); ++g) {
      const StepFactor& step_factor = structure.step_factors[g];
      factors.push_back(dialect.step(clamped(step_factor.numeric), step_factor.above,
                                     constant(layout.step_factor(k, g, 0)),
                                     constant(layout.step_factor(k, g, 1))));
    }
    terms.push_back(writer.product(factors));
  }
  terms.push_back(dialect.number(constant(layout.intercept())));
  return writer.function(writer.sum(terms), "");
}

std::string generic_computed(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             FormulaLanguage language) {
  const CodeWriter writer(spec, dialect_of(language));
  const Dialect& dialect = writer.dialect();
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  std::vector<std::string> sum;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    sum.push_back(dialect.number(constant(layout.coefficient(i))) + " * " +
                  writer.power(writer.intrinsic()[i], constant(layout.intrinsic_power(i))));
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    sum.push_back(writer.choice(c, [&](std::size_t l) { return constant(layout.level(c, l)); }));
  const auto lone = layout.lone_coefficient();
  std::vector<std::string> factors = {lone ? dialect.number(constant(*lone))
                                           : "(" + joined(sum, " + ") + ")"};
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    factors.push_back(writer.power(writer.extrinsic()[j], constant(layout.extrinsic_power(j))));
  const std::string sum_of_all =
      writer.sum({writer.product(factors), dialect.number(constant(layout.intercept()))});
  return writer.function(sum_of_all, "");
}

bool is_for_reading(FormulaLanguage language) {
  return language == FormulaLanguage::text || language == FormulaLanguage::latex;
}

/// The definitions of derived columns, one per line; line feeds within would end their comment.
std::string definitions(const ModelSpec& spec, FormulaLanguage language) {
  const std::string before = language == FormulaLanguage::latex ? "% with " : "with ";
  std::string out;
  for (const DerivedColumn& item : spec.derived) {
    std::string formula = item.formula;
    std::replace_if(formula.begin(), formula.end(), is_formula_blank, ' ');
    out += before + printable_word(item.column + " = " + formula) + "\n";
  }
  return out;
}

}  // namespace

std::string generic_code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                         FormulaLanguage language) {
  return is_for_reading(language)
             ? readable_generic(spec, constants, language) + definitions(spec, language)
             : generic_computed(spec, constants, language);
}

std::string own_code(const ModelSpec& spec, const Formula& formula,
                     const std::vector<FormulaOperand>& operands, double factor,
                     FormulaLanguage language) {
  if (is_for_reading(language)) {
    const bool latex = language == FormulaLanguage::latex;
    std::string text =
        readable_formula(spec, formula, operands, formula.program().steps.size() - 1, language);
    if (rounded(factor) != "1")
      text = latex ? latex_number(factor) + " \\cdot \\left(" + text + "\\right)"
                   : rounded(factor) + " * (" + text + ")";
    return (latex ? "\\begin{align*}\n  " + latex_name(spec.target) + " ={} & " + text +
                        "\n\\end{align*}\n"
                  : printable_word(spec.target) + " = " + text + "\n") +
           definitions(spec, language);
  }
  const CodeWriter writer(spec, dialect_of(language));
  const Dialect& dialect = writer.dialect();
  const auto operand_of = [&](std::size_t name) {
    const FormulaOperand& operand = operands[name];
    if (operand.numeric)
      return writer.numeric(*operand.numeric);
    return operand.categorical ? writer.choice(*operand.categorical,
                                               [&](std::size_t l) { return operand.values[l]; })
                               : dialect.number(operand.values.front());
  };
  const std::string code = program_code(formula.program(), "the formula", dialect, operand_of);
  return writer.function(factor == 1 ? without_outer_parentheses(code)
                                     : writer.product({dialect.number(factor), code}),
                         "");
}

std::string function_code(const ModelSpec& spec, FormulaLanguage language,
                          const std::string& helpers,
                          const std::function<std::string(const CodeInputs&)>& result) {
  const CodeWriter writer(spec, dialect_of(language));
  return writer.function(result(writer.inputs()), helpers);
}

std::string multi_code(const ModelSpec& spec, const MultiStructure& structure,
                       const Eigen::VectorXd& constants, FormulaLanguage language) {
  return is_for_reading(language)
             ? readable_multi(spec, structure, constants, language) + definitions(spec, language)
             : multi_computed(spec, structure, constants, language);
}

}  // namespace perfmodel
