#include "export/formula_code.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "data/formula.hpp"
#include "export/code_levels.hpp"
#include "export/code_names.hpp"
#include "export/derived_code.hpp"
#include "export/readable_formula.hpp"
#include "model/form/generic_expression.hpp"
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

/// The pieces of an expression in one language.
class Writer {
 public:
  Writer(const ModelSpec& spec, FormulaLanguage language)
      : spec_(spec), language_(language), names_(language) {
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

  const std::vector<std::string>& intrinsic() const { return intrinsic_; }
  const std::vector<std::string>& extrinsic() const { return extrinsic_; }
  const std::string& numeric(std::size_t n) const {
    return n < extrinsic_.size() ? extrinsic_[n] : intrinsic_[n - extrinsic_.size()];
  }

  std::string number(double value) const {
    std::string text = to_text(value);
    // A whole number would be one of C's integers.
    if (language_ == FormulaLanguage::c && text.find_first_of(".e") == std::string::npos)
      text += ".0";
    return value < 0 ? "(" + text + ")" : text;
  }

  std::string power(const std::string& base, double exponent) const {
    if (exponent == 1)
      return base;
    switch (language_) {
      case FormulaLanguage::c:
        return "pow(" + base + ", " + number(exponent) + ")";
      case FormulaLanguage::python:
        return base + " ** " + number(exponent);
      default:
        return base + "^" + number(exponent);
    }
  }

  /// exp(1 - 1/n), whose power a ring of n takes.
  std::string ring(const std::string& name) const {
    const char* const function = language_ == FormulaLanguage::python ? "math.exp" : "exp";
    const std::string inner = "(" + number(1) + " - " + number(1) + " / " + name + ")";
    return language_ == FormulaLanguage::spreadsheet ? "EXP(1-1/" + name + ")" : function + inner;
  }

  /// The name where it is no cap, the smaller of the two otherwise.
  std::string capped(const std::string& name, double cap) const {
    if (!std::isfinite(cap))
      return name;
    switch (language_) {
      case FormulaLanguage::c:
        return "fmin(" + name + ", " + number(cap) + ")";
      case FormulaLanguage::python:
        return "min(" + name + ", " + number(cap) + ")";
      default:
        return "MIN(" + name + "," + number(cap) + ")";
    }
  }

  /// What a numeric column counts as where 0 is among its values, else the name.
  std::string counted(const std::string& name, const NumericInput& input) const {
    if (!input.zero)
      return name;
    const std::string unit = number(input.zero->unit);
    if (!input.zero->apart)
      return "(" + number(1) + " + " + name + " / " + unit + ")";
    switch (language_) {
      case FormulaLanguage::c:
        return "fmax(" + name + ", " + unit + ")";
      case FormulaLanguage::python:
        return "max(" + name + ", " + unit + ")";
      default:
        return "MAX(" + name + "," + unit + ")";
    }
  }

  std::string log2(const std::string& name) const {
    switch (language_) {
      case FormulaLanguage::c:
        return "log2(" + name + " < 1 ? 1 : " + name + ")";
      case FormulaLanguage::python:
        return "math.log2(max(" + name + ", 1))";
      default:
        return "LOG(MAX(" + name + ",1),2)";
    }
  }

  /// The value that belongs to the level. The levels of a derived column are numbers.
  std::string choice(std::size_t column, const std::function<double(std::size_t)>& value) const {
    const std::string& name = categorical_[column];
    const auto& levels = spec_.categorical[column].levels;
    const bool is_text = !spec_.is_derived(spec_.categorical[column].column);
    const auto level_text = [&](std::size_t l) {
      return is_text ? quoted(levels[l], language_) : number(parse_number(levels[l]).value());
    };
    if (language_ == FormulaLanguage::python) {
      std::vector<std::string> items;
      for (std::size_t l = 0; l < levels.size(); ++l)
        items.push_back(level_text(l) + ": " + number(value(l)));
      return "{" + joined(items, ", ") + "}[" + name + "]";
    }
    const bool is_c = language_ == FormulaLanguage::c;
    const CellMatch match = cell_match(levels);
    std::string open;
    std::string close;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const std::string level = level_text(l);
      if (!is_c)
        open += "IF(" + (is_text ? cell_has(name, levels[l], match) : name + "=" + level) + "," +
                number(value(l)) + ",";
      else if (is_text)
        open += "strcmp(" + name + ", " + level + ") == 0 ? " + number(value(l)) + " : ";
      else
        open += name + " == " + level + " ? " + number(value(l)) + " : ";
      close += is_c ? "" : ")";
    }
    return is_c ? "(" + open + "NAN)" : open + "NA()" + close;
  }

  /// One value above the threshold, another up to it.
  std::string regime(const std::string& name, double threshold, double below, double above) const {
    const std::string condition = name + " > " + number(threshold);
    switch (language_) {
      case FormulaLanguage::c:
        return "(" + condition + " ? " + number(above) + " : " + number(below) + ")";
      case FormulaLanguage::python:
        return "(" + number(above) + " if " + condition + " else " + number(below) + ")";
      default:
        return "IF(" + name + ">" + number(threshold) + "," + number(above) + "," + number(below) +
               ")";
    }
  }

  std::string product(const std::vector<std::string>& factors) const {
    return joined(factors, language_ == FormulaLanguage::spreadsheet ? "*" : " * ");
  }

  std::string whole(const std::vector<std::string>& terms) const {
    return function(joined(terms, language_ == FormulaLanguage::spreadsheet ? "+" : "\n      + "),
                    "");
  }

  /// A function that returns `result`; `helpers` are functions that it calls.
  std::string function(const std::string& result, const std::string& helpers) const {
    switch (language_) {
      case FormulaLanguage::c:
        return "#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n\n" + helpers +
               "double predict(" + joined(parameters_, ", ") + ") {\n" + statements_ + "  return " +
               result + ";\n}\n";
      case FormulaLanguage::python:
        return "import math\n\n\n" + helpers + "def predict(" + joined(parameters_, ", ") + "):\n" +
               statements_ + "    return (" + result + ")\n";
      default:
        return "=" + result + "\n";
    }
  }

  CodeInputs inputs() const {
    CodeInputs out{
        .parameters = {}, .intrinsic = intrinsic_, .levels = {}, .extrinsic = extrinsic_};
    for (const std::string& column : required_columns(spec_))
      out.parameters.push_back(operands_.at(column));
    for (std::size_t c = 0; c < categorical_.size(); ++c)
      out.levels.push_back(choice(c, [](std::size_t l) { return static_cast<double>(l); }));
    return out;
  }

 private:
  const ModelSpec& spec_;
  FormulaLanguage language_;
  CodeNames names_;
  std::vector<std::string> parameters_;
  std::string statements_;                       ///< that compute the derived columns
  std::map<std::string, std::string> operands_;  ///< what stands for a column
  std::vector<std::string> intrinsic_;
  std::vector<std::string> categorical_;
  std::vector<std::string> extrinsic_;

  bool is_text(const std::string& column) const {
    return std::any_of(
        spec_.categorical.begin(), spec_.categorical.end(),
        [&](const CategoricalInput& input) { return input.column == column; });
  }

  void add_parameter(const std::string& column) {
    const std::string name = names_.of(column);
    operands_[column] = name;
    const char* const type = is_text(column) ? "const char *" : "double ";
    parameters_.push_back((language_ == FormulaLanguage::c ? type : "") + name);
  }

  /// A variable of the function; a cell of a spreadsheet has none, so that the expression itself
  /// stands for the column.
  void add_derived(const DerivedColumn& column) {
    std::string code =
        derived_code(column, language_,
                     {.column = [&](const std::string& name) { return as_number(name); },
                      .number = [&](double value) { return number(value); }});
    if (language_ == FormulaLanguage::spreadsheet) {
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
    code = without_outer_parentheses(code);
    const std::string name = names_.of(column.column);
    operands_[column.column] = name;
    statements_ += language_ == FormulaLanguage::c ? "  const double " + name + " = " + code + ";\n"
                                                   : "    " + name + " = " + code + "\n";
  }

  /// A column whose values are levels is passed as text, also where they are numbers.
  std::string as_number(const std::string& column) const {
    const std::string& operand = operands_.at(column);
    if (!is_text(column) || spec_.is_derived(column))
      return operand;
    switch (language_) {
      case FormulaLanguage::c:
        return "strtod(" + operand + ", NULL)";
      case FormulaLanguage::python:
        return "float(" + operand + ")";
      default:
        return "VALUE(" + operand + ")";
    }
  }
};

std::string multi_computed(const ModelSpec& spec, const MultiStructure& structure,
                           const Eigen::VectorXd& constants, FormulaLanguage language) {
  const Writer writer(spec, language);
  const MultiLayout layout(spec, structure);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  std::vector<std::string> terms;
  for (std::size_t k = 0; k < structure.terms; ++k) {
    std::vector<std::string> factors = {writer.number(constant(layout.coefficient(k)))};
    const auto add_power = [&](const std::string& base, double power) {
      if (power != 0)
        factors.push_back(writer.power(base, power));
    };
    const auto capped = [&](std::size_t n) {
      return writer.capped(writer.numeric(n),
                           structure.capped(k, n, std::numeric_limits<double>::infinity()));
    };
    const auto add_numeric = [&](std::size_t n) {
      const std::string name = writer.counted(capped(n), numeric_input(spec, n));
      add_power(structure.has_ring(k, n) ? writer.ring(name) : name,
                constant(layout.numeric_power(k, n)));
      add_power(writer.log2(name), structure.log_power(k, n));
    };
    for (std::size_t n = spec.extrinsic.size(); n < numeric_count(spec); ++n)
      add_numeric(n);
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      factors.push_back(writer.choice(
          c, [&](std::size_t l) { return constant(layout.level(k, c, l)); }));
    }
    for (std::size_t n = 0; n < spec.extrinsic.size(); ++n)
      add_numeric(n);
    for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
      const Regime& regime = structure.regimes[g];
      factors.push_back(writer.regime(capped(regime.numeric), regime.above,
                                      constant(layout.regime(k, g, 0)),
                                      constant(layout.regime(k, g, 1))));
    }
    terms.push_back(writer.product(factors));
  }
  terms.push_back(writer.number(constant(layout.intercept())));
  return writer.whole(terms);
}

std::string generic_computed(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             FormulaLanguage language) {
  const Writer writer(spec, language);
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  std::vector<std::string> sum;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    sum.push_back(writer.number(constant(layout.coefficient(i))) + " * " +
                  writer.power(writer.intrinsic()[i], constant(layout.intrinsic_power(i))));
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    sum.push_back(writer.choice(c, [&](std::size_t l) { return constant(layout.level(c, l)); }));
  const auto lone = layout.lone_coefficient();
  std::vector<std::string> factors = {lone ? writer.number(constant(*lone))
                                           : "(" + joined(sum, " + ") + ")"};
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    factors.push_back(writer.power(writer.extrinsic()[j], constant(layout.extrinsic_power(j))));
  return writer.whole({writer.product(factors), writer.number(constant(layout.intercept()))});
}

bool is_for_reading(FormulaLanguage language) {
  return language == FormulaLanguage::text || language == FormulaLanguage::latex;
}

/// What the derived columns are, one per line: a line feed would end the comment that it stands
/// in.
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

std::string_view to_text(FormulaLanguage language) {
  switch (language) {
    case FormulaLanguage::text:
      return "text";
    case FormulaLanguage::latex:
      return "latex";
    case FormulaLanguage::python:
      return "python";
    case FormulaLanguage::c:
      return "c";
    case FormulaLanguage::spreadsheet:
      return "spreadsheet";
  }
  return "";
}

std::string generic_code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                         FormulaLanguage language) {
  return is_for_reading(language)
             ? readable_generic(spec, constants, language) + definitions(spec, language)
             : generic_computed(spec, constants, language);
}

std::string function_code(const ModelSpec& spec, FormulaLanguage language,
                          const std::string& helpers,
                          const std::function<std::string(const CodeInputs&)>& result) {
  const Writer writer(spec, language);
  return writer.function(result(writer.inputs()), helpers);
}

std::string multi_code(const ModelSpec& spec, const MultiStructure& structure,
                       const Eigen::VectorXd& constants, FormulaLanguage language) {
  return is_for_reading(language)
             ? readable_multi(spec, structure, constants, language) + definitions(spec, language)
             : multi_computed(spec, structure, constants, language);
}

}  // namespace perfmodel
