#include "export/latex_formula.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "export/multi_formula.hpp"
#include "model/form/generic_expression.hpp"
#include "model/form/unseen_parts.hpp"

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
  if (zero->apart)
    return "\\max(" + name + ", " + unit + ")";
  return "(1 + " + name + (zero->unit == 1 ? "" : " / " + unit) + ")";
}

constexpr std::size_t kFactorsPerLine = 4;

/// The lines of a formula, each aligned at its beginning.
class LatexLines {
 public:
  /// A product, in as many lines as it needs, between what opens and what closes it.
  void add(const std::string& open, const std::vector<std::string>& factors,
           const std::string& close = "") {
    std::string line = "& " + open;
    std::size_t width = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      width += factors[i].find("\\begin{array}") == std::string::npos ? 1U : 2U;
      if (i > 0 && width > kFactorsPerLine) {
        lines_.push_back(line);
        line = "& \\qquad";
        width = 1;
      }
      line += (i == 0 ? "" : " \\cdot ") + factors[i];
    }
    lines_.push_back(line + close);
  }

  void close_last(const std::string& text) { lines_.back() += text; }
  bool empty() const { return lines_.empty(); }

  std::string text() const {
    return "\\begin{align*}\n  t ={} " + joined(lines_, " \\\\\n  ") + "\n\\end{align*}\n";
  }

 private:
  std::vector<std::string> lines_;
};

std::string sign_of(double coefficient, bool first) {
  return coefficient < 0 ? "- " : first ? "" : "+ ";
}

void add_latex_power(const std::string& base, double power, std::vector<std::string>& factors) {
  if (!is_unseen_power(power))
    factors.push_back(latex_power(base, power));
}

/// "[app = bert]" of a term that the other levels lack, a list of values, or nothing.
void add_latex_levels(const CategoricalInput& input, const std::vector<double>& values,
                      std::vector<std::string>& factors) {
  const auto present = std::find_if(values.begin(), values.end(), [](double v) { return v != 0; });
  const bool only =
      values.size() > 1 && std::count(values.begin(), values.end(), 0.0) + 1 == std::ssize(values);
  if (only && *present == 1) {
    const auto level = static_cast<std::size_t>(present - values.begin());
    factors.push_back("[" + latex_name(input.column) + " = " + latex_name(input.levels[level]) +
                      "]");
  } else if (!std::all_of(values.begin(), values.end(), is_unseen_factor)) {
    factors.push_back(latex_levels(
        input, [&](std::size_t l) { return values[l]; }));
  }
}

void add_latex_regime(const std::string& name, const Regime& regime, double below, double above,
                      std::vector<std::string>& factors) {
  const std::string threshold = latex_number(regime.above);
  if (is_unseen_factor(below) && is_unseen_factor(above))
    return;
  if (below == 0 && above == 1)
    factors.push_back("[" + name + " > " + threshold + "]");
  else if (above == 0 && below == 1)
    factors.push_back("[" + name + " \\le " + threshold + "]");
  else
    factors.push_back("\\left\\{\\begin{array}{ll}" + latex_number(above) + " & " + name + " > " +
                      threshold + " \\\\ " + latex_number(below) + " & " + name + " \\le " +
                      threshold + "\\end{array}\\right.");
}

/// C, where it is seen, or all there is.
void add_intercept(double intercept, bool seen, LatexLines& lines) {
  if (seen || lines.empty())
    lines.add(sign_of(intercept, lines.empty()), {latex_number(std::abs(intercept))});
}

}  // namespace

std::string latex_generic(const ModelSpec& spec, const Eigen::VectorXd& constants) {
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  std::vector<std::string> scales;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    add_latex_power(latex_name(spec.extrinsic[j].column), constant(layout.extrinsic_power(j)),
                    scales);
  }
  const SeenParts seen = seen_parts_of_generic(spec, constants);
  LatexLines lines;
  if (const auto lone = layout.lone_coefficient()) {
    if (constant(*lone) != 0) {
      scales.insert(scales.begin(), latex_number(constant(*lone)));
      lines.add("", scales);
    }
    add_intercept(constant(layout.intercept()), seen.intercept, lines);
    return lines.text();
  }
  const auto open = [&] { return lines.empty() ? "\\Bigl(" : "\\quad + "; };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    if (!seen.terms[i])
      continue;
    std::vector<std::string> factors = {latex_number(constant(layout.coefficient(i)))};
    add_latex_power(latex_name(spec.intrinsic[i].column), constant(layout.intrinsic_power(i)),
                    factors);
    lines.add(open(), factors);
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const auto value = [&](std::size_t l) { return constant(layout.level(c, l)); };
    if (seen.terms[spec.intrinsic.size() + c])
      lines.add(open(), {latex_levels(spec.categorical[c], value)});
  }
  if (!lines.empty()) {
    lines.close_last("\\Bigr)");
    if (!scales.empty())
      lines.add("\\cdot ", scales);
  }
  add_intercept(constant(layout.intercept()), seen.intercept, lines);
  return lines.text();
}

std::string latex_multi(const ModelSpec& spec, const MultiStructure& structure,
                        const Eigen::VectorXd& constants) {
  const SeenParts seen = seen_parts_of_multi(spec, structure, constants);
  const MultiLayout layout(spec, structure);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  LatexLines lines;
  for (std::size_t k = 0; k < structure.terms; ++k) {
    const double coefficient = constant(layout.coefficient(k));
    if (!seen.terms[k] || coefficient == 0)
      continue;
    std::vector<std::string> factors = {latex_number(std::abs(coefficient))};
    const auto add_numeric = [&](std::size_t n) {
      const std::string name = latex_counted(spec, structure, k, n);
      const double power = constant(layout.numeric_power(k, n));
      if (!structure.has_ring(k, n))
        add_latex_power(name, power, factors);
      else if (!is_unseen_power(power))
        factors.push_back("e^{" + latex_number(power) + " (1 - 1/" + name + ")}");
      add_latex_power("(\\log_2 " + name + ")", structure.log_power(k, n), factors);
    };
    for (std::size_t n = spec.extrinsic.size(); n < numeric_count(spec); ++n)
      add_numeric(n);
    for (std::size_t n = 0; n < spec.extrinsic.size(); ++n)
      add_numeric(n);
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      std::vector<double> values;
      for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
        values.push_back(constant(layout.level(k, c, l)));
      add_latex_levels(spec.categorical[c], values, factors);
    }
    for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
      add_latex_regime(latex_capped(spec, structure, k, structure.regimes[g].numeric),
                       structure.regimes[g], constant(layout.regime(k, g, 0)),
                       constant(layout.regime(k, g, 1)), factors);
    }
    lines.add(sign_of(coefficient, lines.empty()), factors);
  }
  add_intercept(constant(layout.intercept()), seen.intercept, lines);
  return lines.text();
}

}  // namespace perfmodel
