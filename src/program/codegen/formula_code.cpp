#include "codegen/formula_code.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "base/text.hpp"

namespace perfmodel {

/// Writes a function of the columns: assigns an expression to each and computes the derived ones.
class CodeWriter {
 public:
  /// Throws InputError for a derived column whose formula the language cannot express.
  CodeWriter(const ModelSpec& spec, const CodeLanguage& language);

  const Dialect& dialect() const { return dialect_; }
  /// Extrinsic inputs, then intrinsic ones.
  const std::string& numeric(std::size_t n) const;
  CodeInputs inputs() const;

  /// base^exponent; the base itself if the exponent is 1.
  std::string power(const std::string& base, double exponent) const;
  /// NumericInput::counted() of a column: the name unless 0 is among its values.
  std::string counted(const std::string& name, const NumericInput& input) const;
  /// The value of the column's level.
  std::string choice(std::size_t column, const std::function<double(std::size_t)>& value) const;
  std::string product(const std::vector<std::string>& factors) const;
  /// A function that returns `result`; `helpers`: functions that it calls.
  std::string function(const std::string& result, const std::string& helpers) const;

 private:
  const ModelSpec& spec_;
  const Dialect& dialect_;
  CodeNames names_;
  FunctionParts parts_;                          ///< but for the result
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
  constexpr std::array<std::string_view, 3> words = {
      "False None True alignas alignof and as asm assert async auto await bool break case char "
      "class const constexpr continue def default del do double elif else enum except extern false "
      "finally float for from global goto if import in inline int is lambda long nonlocal not "
      "nullptr or pass raise register restrict return short signed sizeof static static_assert "
      "struct switch thread_local true try typedef typeof typeof_unqual union unsigned void "
      "volatile while with yield",
      // called by expressions
      "abs acos acosh asin asinh atan atan2 atanh ceil cos cosh exp fabs floor fmax fmin log log10 "
      "log1p log2 math max min pow nearbyint predict predict_process predict_trend sin sinh sqrt "
      "strcmp strtod tan tanh",
      // macros
      "BIG_ENDIAN BYTE_ORDER EXIT_FAILURE EXIT_SUCCESS FD_SETSIZE FP_ILOGB0 FP_ILOGBNAN "
      "FP_INFINITE FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VAL HUGE_VALF HUGE_VALL INFINITY "
      "LITTLE_ENDIAN MATH_ERREXCEPT MATH_ERRNO MB_CUR_MAX M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 "
      "M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN NFDBITS NULL PDP_ENDIAN "
      "RAND_MAX WCONTINUED WEXITED WNOHANG WNOWAIT WSTOPPED WUNTRACED linux math_errhandling unix"};
  return std::ranges::any_of(words, [&](std::string_view list) { return has_word(list, name); });
}

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

/// Each operand may be nested deeper than the one before, and compilers limit the depth.
constexpr std::size_t kMostOperands = 500;

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

/// The factors of a product. In Eq. (4), 0 in a column is no term, and all powers are written.
std::vector<std::string> factor_codes(const CodeWriter& writer, const TermSum& sum,
                                      const std::vector<TermFactor>& factors,
                                      const VectorXd& constants) {
  const Dialect& dialect = writer.dialect();
  std::vector<std::string> out;
  for (const TermFactor& factor : factors) {
    const double* const own = constants.data() + factor.constant;
    const auto clamped = [&] {
      const std::string& name = writer.numeric(factor.input);
      const double clamp = factor.feature.clamp;
      return std::isfinite(clamp) ? dialect.clamped(name, clamp) : name;
    };
    switch (factor.kind) {
      case TermFactor::Kind::number:
        out.push_back(dialect.number(*own));
        break;
      case TermFactor::Kind::power: {
        const std::string name =
            sum.is_eq4 ? clamped()
                       : writer.counted(clamped(), numeric_input(*sum.spec, factor.input));
        if (*own != 0 || sum.is_eq4)
          out.push_back(
              writer.power(factor.feature.saturates ? dialect.saturation(name) : name, *own));
        if (factor.feature.log_power != 0)
          out.push_back(writer.power(dialect.log2(name), factor.feature.log_power));
        break;
      }
      case TermFactor::Kind::levels:
        out.push_back(writer.choice(factor.input, [&](std::size_t l) { return own[l]; }));
        break;
      case TermFactor::Kind::step:
        out.push_back(dialect.step(clamped(), factor.above, own[0], own[1]));
        break;
    }
  }
  return out;
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

CodeWriter::CodeWriter(const ModelSpec& spec, const CodeLanguage& language)
    : spec_(spec), dialect_(dialect_of(language)), names_(dialect_) {
  parts_.limits = language.limits;
  parts_.target = spec.target;
  parts_.unit = spec.unit;
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
  return joined(factors, dialect_.syntax().times);
}

std::string CodeWriter::function(const std::string& result, const std::string& helpers) const {
  FunctionParts parts = parts_;
  parts.helpers = helpers;
  parts.result = result;
  return dialect_.function(parts);
}

bool CodeWriter::is_text(const std::string& column) const {
  return std::ranges::any_of(
      spec_.categorical, [&](const CategoricalInput& input) { return input.column == column; });
}

void CodeWriter::add_parameter(const std::string& column) {
  const std::string name = names_.of(column);
  operands_[column] = name;
  if (name != column)
    parts_.comments += dialect_.comment(name, column);
  parts_.parameters.push_back(dialect_.parameter(name, is_text(column)));
  if (!is_text(column))
    parts_.numbers.push_back(name);
}

/// A variable of the function or, in a language without variables, the expression itself.
void CodeWriter::add_derived(const DerivedColumn& column) {
  const std::string code =
      derived_code(column, dialect_, [&](const std::string& name) { return as_number(name); });
  if (dialect_.syntax().variable.empty()) {
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
  parts_.statements += dialect_.variable(name, without_outer_parentheses(code));
}

std::string CodeWriter::add_input(const NumericInput& input) {
  const std::string& name = operands_.at(input.column);
  parts_.comments += dialect_.range(name, input.low, input.high);
  return dialect_.measured(name, input.low);
}

/// Categorical columns are passed as text, even if they contain numbers.
std::string CodeWriter::as_number(const std::string& column) const {
  const std::string& operand = operands_.at(column);
  const bool is_number = !is_text(column) || spec_.is_derived(column);
  return is_number ? operand : dialect_.number_of(operand);
}

std::string derived_code(const DerivedColumn& column, const Dialect& dialect,
                         const std::function<std::string(const std::string&)>& operand_of) {
  TextCodes codes;
  const std::string quoted = quoted_formula(column.formula);
  const Formula formula(column.formula, column.of, codes, quoted);
  return program_code(formula.program(), quoted, dialect,
                      [&](std::size_t name) { return operand_of(formula.program().names[name]); });
}

std::string terms_code(const TermSum& sum, const VectorXd& constants,
                       const CodeLanguage& language) {
  if (is_for_reading(language))
    return readable_terms(sum, constants, language) + definitions(*sum.spec, language);
  const CodeWriter writer(*sum.spec, language);
  std::vector<std::string> terms;
  for (const std::vector<TermFactor>& term : sum.terms) {
    const auto factors = factor_codes(writer, sum, term, constants);
    terms.push_back(sum.is_eq4 ? joined(factors, " * ") : writer.product(factors));
  }
  if (sum.is_eq4) {
    std::vector<std::string> factors = factor_codes(writer, sum, sum.common, constants);
    factors.insert(factors.begin(),
                   sum.spec->has_scales_only() ? terms.front() : "(" + joined(terms, " + ") + ")");
    terms = {writer.product(factors)};
  }
  terms.push_back(writer.dialect().number(constants[static_cast<Index>(sum.intercept)]));
  return writer.function(joined(terms, writer.dialect().syntax().plus), "");
}

std::string own_code(const ModelSpec& spec, const Formula& formula,
                     const std::vector<FormulaOperand>& operands, double factor,
                     const CodeLanguage& language) {
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
  const CodeWriter writer(spec, language);
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
  const CodeWriter writer(spec, language);
  return writer.function(result(writer.inputs()), helpers);
}

}  // namespace perfmodel
