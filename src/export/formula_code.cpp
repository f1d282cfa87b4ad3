#include "export/formula_code.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "data/formula.hpp"
#include "export/code_writer.hpp"
#include "export/readable_formula.hpp"
#include "model/form/generic_expression.hpp"

namespace perfmodel {
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
    const auto capped = [&](std::size_t n) {
      return writer.capped(writer.numeric(n),
                           structure.capped(k, n, std::numeric_limits<double>::infinity()));
    };
    const auto add_numeric = [&](std::size_t n) {
      const std::string name = writer.counted(capped(n), numeric_input(spec, n));
      add_power(structure.has_ring(k, n) ? dialect.ring(name) : name,
                constant(layout.numeric_power(k, n)));
      add_power(dialect.log2(name), structure.log_power(k, n));
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
      factors.push_back(dialect.step(capped(regime.numeric), regime.above,
                                     constant(layout.regime(k, g, 0)),
                                     constant(layout.regime(k, g, 1))));
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
    case FormulaLanguage::javascript:
      return "javascript";
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
