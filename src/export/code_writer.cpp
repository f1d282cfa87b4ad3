#include "export/code_writer.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "export/derived_code.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostInACell = 8192;  // of Excel; others take more

/// "(a + b) * c" of "((a + b) * c)"; "(a + b) * (c + d)" stays as it is.
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
    intrinsic_.push_back(operands_.at(input.column));
  for (const CategoricalInput& input : spec.categorical)
    categorical_.push_back(operands_.at(input.column));
  for (const NumericInput& input : spec.extrinsic)
    extrinsic_.push_back(operands_.at(input.column));
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

std::string CodeWriter::capped(const std::string& name, double cap) const {
  return std::isfinite(cap) ? dialect_.capped(name, cap) : name;
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
  return dialect_.function({helpers, comments_, parameters_, statements_, result});
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
}

/// A variable of the function, or the expression itself.
void CodeWriter::add_derived(const DerivedColumn& column) {
  const std::string code =
      derived_code(column, dialect_, [&](const std::string& name) { return as_number(name); });
  if (!dialect_.has_variables()) {
    // Columns that use one another twice double it each time.
    if (code.size() > kMostInACell) {
      throw InputError("column '" + column.column + "' takes more than " +
                       std::to_string(kMostInACell) +
                       " characters in one formula, which no spreadsheet reads; use " +
                       Field{"language", {"python"}} + " or " + Field{"language", {"c"}});
    }
    operands_[column.column] = code;
    return;
  }
  const std::string name = names_.of(column.column);
  operands_[column.column] = name;
  statements_ += dialect_.variable(name, without_outer_parentheses(code));
}

/// A column whose values are levels is passed as text, also where they are numbers.
std::string CodeWriter::as_number(const std::string& column) const {
  const std::string& operand = operands_.at(column);
  const bool is_number = !is_text(column) || spec_.is_derived(column);
  return is_number ? operand : dialect_.number_of(operand);
}

}  // namespace perfmodel
