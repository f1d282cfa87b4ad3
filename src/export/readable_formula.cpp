#include "export/readable_formula.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "export/multi_formula.hpp"
#include "export/unseen_parts.hpp"
#include "model/form/generic_expression.hpp"

namespace perfmodel {
namespace {

/// A number as LaTeX sets it: 2.1 \times 10^{-5}.
std::string latex_number(double value) {
  const std::string text = rounded(value);
  const auto exponent = text.find('e');
  if (exponent == std::string::npos)
    return text;
  return text.substr(0, exponent) + " \\times 10^{" +
         std::to_string(std::stoi(text.substr(exponent + 1))) + "}";
}

/// A character of a name in math mode, where a blank leaves no room and '~' is one.
std::string latex_character(char c) {
  switch (c) {
    case '\\':
      return "\\backslash{}";
    case '^':
      return "\\hat{}";
    case '~':
      return "{\\sim}";
    case ' ':
    case '_':
    case '&':
    case '%':
    case '$':
    case '#':
    case '{':
    case '}':
      return {'\\', c};
    default:
      return {c};
  }
}

std::string latex_name(const std::string& column) {
  std::string out = "\\mathrm{";
  for (const char c : column)
    out += latex_character(c);
  return out + "}";
}

/// A smaller power changes nothing that is measured, whatever the column.
bool is_seen_power(double power) {
  return !(std::abs(power) < 1e-6);
}

std::string latex_power(const std::string& base, double power) {
  return power == 1 ? base : base + "^{" + rounded(power) + "}";
}

/// The values of the levels, as a list under a name.
template <class Value>
std::string latex_levels(const CategoricalInput& input, const Value& value) {
  std::string out = "\\left\\{\\begin{array}{ll}";
  for (std::size_t l = 0; l < input.levels.size(); ++l) {
    out += (l == 0 ? "" : " \\\\ ") + latex_number(value(l)) + " & " + latex_name(input.column) +
           " = " + latex_name(input.levels[l]);
  }
  return out + "\\end{array}\\right.";
}

/// The name of a numeric column, or the smaller of it and its cap in the term.
std::string latex_capped(const ModelSpec& spec, const MultiStructure& structure, std::size_t term,
                         std::size_t numeric) {
  const std::string name = latex_name(numeric_input(spec, numeric).column);
  const double infinite = std::numeric_limits<double>::infinity();
  const double cap = structure.capped(term, numeric, infinite);
  return cap == infinite ? name : "\\min(" + name + ", " + latex_number(cap) + ")";
}

/// What the column counts as where 0 is among its values, else the same.
std::string latex_counted(const ModelSpec& spec, const MultiStructure& structure, std::size_t term,
                          std::size_t numeric) {
  const std::string name = latex_capped(spec, structure, term, numeric);
  const std::optional<ZeroValue>& zero = numeric_input(spec, numeric).zero;
  if (!zero)
    return name;
  const std::string unit = latex_number(zero->unit);
  return zero->apart ? "\\max(" + name + ", " + unit + ")" : "(1 + " + name + " / " + unit + ")";
}

std::string latex_multi(const ModelSpec& spec, const MultiStructure& structure,
                        const Eigen::VectorXd& constants, const SeenParts& seen) {
  const MultiLayout layout(spec, structure);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  std::string out;
  for (std::size_t k = 0; k < structure.terms; ++k) {
    if (!seen.terms[k])
      continue;
    const double coefficient = constant(layout.coefficient(k));
    out += out.empty()
               ? latex_number(coefficient)
               : (coefficient < 0 ? "\n  - " : "\n  + ") + latex_number(std::abs(coefficient));
    const auto add_numeric = [&](std::size_t n) {
      const std::string name = latex_counted(spec, structure, k, n);
      const double power = constant(layout.numeric_power(k, n));
      if (is_seen_power(power))
        out += " \\cdot " + (structure.has_ring(k, n)
                                 ? "e^{" + latex_number(power) + " (1 - 1/" + name + ")}"
                                 : latex_power(name, power));
      if (structure.log_power(k, n) != 0)
        out += " \\cdot " + latex_power("(\\log_2 " + name + ")", structure.log_power(k, n));
    };
    for (std::size_t n = spec.extrinsic.size(); n < numeric_count(spec); ++n)
      add_numeric(n);
    for (std::size_t n = 0; n < spec.extrinsic.size(); ++n)
      add_numeric(n);
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      out += " \\cdot " + latex_levels(
                              spec.categorical[c],
                              [&](std::size_t l) { return constant(layout.level(k, c, l)); });
    }
    for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
      const Regime& regime = structure.regimes[g];
      const std::string name = latex_capped(spec, structure, k, regime.numeric);
      out += " \\cdot \\left\\{\\begin{array}{ll}" +
             latex_number(constant(layout.regime(k, g, 1))) + " & " + name + " > " +
             rounded(regime.above) + " \\\\ " + latex_number(constant(layout.regime(k, g, 0))) +
             " & " + name + " \\le " + rounded(regime.above) + "\\end{array}\\right.";
    }
  }
  if (out.empty() || seen.intercept)
    out += (out.empty() ? "" : "\n  + ") + latex_number(constant(layout.intercept()));
  return "t = " + out + "\n";
}

/// The inputs under names that are safe to print.
ModelSpec with_printable_names(ModelSpec spec) {
  for (auto* const inputs : {&spec.intrinsic, &spec.extrinsic})
    for (NumericInput& input : *inputs)
      input.column = printable_word(input.column);
  for (CategoricalInput& input : spec.categorical) {
    input.column = printable_word(input.column);
    for (std::string& level : input.levels)
      level = printable_word(level);
  }
  return spec;
}

/// Eq. (4) with its numbers; `latex` decides how names and numbers are set.
std::string generic(const ModelSpec& spec, const Eigen::VectorXd& constants, bool latex) {
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  const std::string times = latex ? " \\cdot " : " * ";
  /// A factor with what stands before it.
  const auto power = [&](const std::string& column, double exponent) {
    if (!is_seen_power(exponent))
      return std::string();
    return times +
           (latex ? latex_power(latex_name(column), exponent) : column + "^" + rounded(exponent));
  };
  const auto number = [&](double value) { return latex ? latex_number(value) : rounded(value); };
  const SeenParts seen = seen_parts_of_generic(spec, constants);
  std::string sum;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    if (!seen.terms[i])
      continue;
    sum += (sum.empty() ? "" : " + ") + number(constant(layout.coefficient(i))) +
           power(spec.intrinsic[i].column, constant(layout.intrinsic_power(i)));
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    if (!seen.terms[spec.intrinsic.size() + c])
      continue;
    const CategoricalInput& input = spec.categorical[c];
    const auto value = [&](std::size_t l) { return constant(layout.level(c, l)); };
    std::string levels;
    for (std::size_t l = 0; l < input.levels.size(); ++l)
      levels += (l == 0 ? "" : ", ") + input.levels[l] + ": " + rounded(value(l));
    sum += (sum.empty() ? "" : " + ") +
           (latex ? latex_levels(input, value) : input.column + "{" + levels + "}");
  }
  if (const auto lone = layout.lone_coefficient())
    sum = number(constant(*lone));
  if (sum.empty())
    return "t = " + number(constant(layout.intercept())) + "\n";
  std::string out = layout.lone_coefficient() ? "t = " + sum
                    : latex                   ? "t = \\left(" + sum + "\\right)"
                                              : "t = (" + sum + ")";
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out += power(spec.extrinsic[j].column, constant(layout.extrinsic_power(j)));
  return out + (seen.intercept ? " + " + number(constant(layout.intercept())) : "") + "\n";
}

}  // namespace

std::string readable_generic(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             FormulaLanguage language) {
  return generic(with_printable_names(spec), constants, language == FormulaLanguage::latex);
}

std::string readable_multi(const ModelSpec& spec, const MultiStructure& structure,
                           const Eigen::VectorXd& constants, FormulaLanguage language) {
  const ModelSpec shown = with_printable_names(spec);
  const SeenParts seen = seen_parts_of_multi(spec, structure, constants);
  return language == FormulaLanguage::latex
             ? latex_multi(shown, structure, constants, seen)
             : multi_formula(shown, structure, constants, "\n  + ", &seen) + "\n";
}

}  // namespace perfmodel
