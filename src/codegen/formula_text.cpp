#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "codegen/formula_code.hpp"
#include "perfmodel/columns.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

// Formulas in LaTeX, as lines of amsmath's align*, with three digits. Terms with a coefficient of 0
// and factors that would be printed as 1 are omitted.

/// A number in LaTeX: 2.1 \times 10^{-5}.
std::string latex_number(double value) {
  const std::string text = rounded(value);
  const auto exponent = text.find('e');
  if (exponent == std::string::npos)
    return text;
  return text.substr(0, exponent) + " \\times 10^{" +
         std::to_string(std::stoi(text.substr(exponent + 1))) + "}";
}

namespace {

/// A character of a name in math mode, which ignores blanks; '~' would be one.
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

}  // namespace

std::string latex_name(const std::string& column) {
  std::string out = "\\mathrm{";
  for (const char c : printable_word(column))
    out += latex_character(c);
  return out + "}";
}

namespace {

/// "-2/3" for powers that are exact thirds, which decimals would hide.
std::optional<std::string> thirds(double power) {
  const double count = std::round(3 * power);
  if (power != count / 3 || power == std::round(power))
    return std::nullopt;
  return to_text(count) + "/3";
}

std::string latex_power(const std::string& base, double power) {
  return power == 1 ? base : base + "^{" + thirds(power).value_or(rounded(power)) + "}";
}

/// The values of the levels as a case distinction.
template <class Value>
std::string latex_levels(const CategoricalInput& input, const Value& value) {
  std::string out = "\\left\\{\\begin{array}{ll}";
  for (std::size_t l = 0; l < input.levels.size(); ++l) {
    out += (l == 0 ? "" : " \\\\ ") + latex_number(value(l)) + " & " + latex_name(input.column) +
           " = " + latex_name(input.levels[l]);
  }
  return out + "\\end{array}\\right.";
}

/// The name of a numeric column, clamped if the term clamps it: \min(name, clamp).
std::string latex_clamped(const ModelSpec& spec, const MultiStructure& structure, std::size_t term,
                          std::size_t numeric) {
  const std::string name = latex_name(numeric_input(spec, numeric).column);
  const double clamp = structure.feature(term, numeric).clamp;
  return std::isinf(clamp) ? name : "\\min(" + name + ", " + latex_number(clamp) + ")";
}

/// The factor of a column that may be 0, see NumericInput::counted(); otherwise its name.
std::string latex_counted(const ModelSpec& spec, const MultiStructure& structure, std::size_t term,
                          std::size_t numeric) {
  const std::string name = latex_clamped(spec, structure, term, numeric);
  const std::optional<ZeroValue>& zero = numeric_input(spec, numeric).zero;
  if (!zero)
    return name;
  const std::string unit = latex_number(zero->unit);
  if (zero->apart)
    return "\\max(" + name + ", " + unit + ")";
  return "(1 + " + name + (zero->unit == 1 ? "" : " / " + unit) + ")";
}

constexpr std::size_t kFactorsPerLine = 4;

/// The lines of a formula, aligned at their beginning.
class LatexLines {
 public:
  /// Adds a product between `open` and `close`, in as many lines as it needs.
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

/// Adds "[app = bert]" if the term exists for that level only, a case distinction, or nothing.
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

void add_latex_step(const std::string& name, const StepFactor& step_factor, double below,
                    double above, std::vector<std::string>& factors) {
  const std::string threshold = latex_number(step_factor.above);
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

/// Adds C if it is visible or the only term.
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
      const Feature& feature = structure.feature(k, n);
      if (!feature.saturates)
        add_latex_power(name, power, factors);
      else if (!is_unseen_power(power))
        factors.push_back("e^{" + latex_number(power) + " (1 - 1/" + name + ")}");
      add_latex_power("(\\log_2 " + name + ")", feature.log_power, factors);
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
    for (std::size_t g = 0; g < structure.step_factors.size(); ++g) {
      add_latex_step(latex_clamped(spec, structure, k, structure.step_factors[g].numeric),
                     structure.step_factors[g], constant(layout.step_factor(k, g, 0)),
                     constant(layout.step_factor(k, g, 1)), factors);
    }
    lines.add(sign_of(coefficient, lines.empty()), factors);
  }
  add_intercept(constant(layout.intercept()), seen.intercept, lines);
  return lines.text();
}

namespace {

constexpr double kUnseenPower = 0.005;   // rounds to 0 with two decimals
constexpr double kUnseenChange = 0.005;  // from 1

std::string power_text(double power) {
  if (const std::optional<std::string> exact = thirds(power))
    return "(" + *exact + ")";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", power);
  std::string out = text.data();
  while (out.back() == '0')
    out.pop_back();
  if (out.back() == '.')
    out.pop_back();
  return out;
}

/// Adds "filters^1.9", "filters" or nothing; a power of 1 is only shown with a mark.
void add_power(const std::string& base, double power, const std::string& mark,
               std::vector<std::string>& factors) {
  if (is_unseen_power(power))
    return;
  const std::string text = power_text(power) + mark;
  factors.push_back(text == "1" ? base : base + "^" + text);
}

/// Adds "[app = bert]" if the term exists for that level only, "padding{same: 1, valid: 0.9}", or
/// nothing. Of more than `most` levels, the rest is counted.
void add_levels(const CategoricalInput& input, const std::vector<double>& values,
                const std::vector<std::string>& marks, std::size_t most,
                std::vector<std::string>& factors) {
  const auto present = std::find_if(values.begin(), values.end(), [](double v) { return v != 0; });
  const bool only =
      values.size() > 1 && std::count(values.begin(), values.end(), 0.0) + 1 == std::ssize(values);
  if (only && *present == 1) {
    const auto level = static_cast<std::size_t>(present - values.begin());
    factors.push_back("[" + input.column + " = " + input.levels[level] + "]");
    return;
  }
  if (std::all_of(values.begin(), values.end(), is_unseen_factor))
    return;
  std::string levels;
  const std::size_t shown = std::min(values.size(), most);
  for (std::size_t l = 0; l < shown; ++l)
    levels += (l == 0 ? "" : ", ") + input.levels[l] + ": " + rounded(values[l]) + marks[l];
  if (shown < values.size())
    levels += ", " + std::to_string(values.size() - shown) + " more";
  factors.push_back(input.column + "{" + levels + "}");
}

/// "num_gpus", "min(num_gpus, 8)" or, if 0 is among the values, "(1 + pad/2)" or "max(pad, 2)".
std::string counted_text(const ModelSpec& spec, const MultiStructure& structure, std::size_t term,
                         std::size_t numeric) {
  const std::string& column = numeric_input(spec, numeric).column;
  const double clamp = structure.feature(term, numeric).clamp;
  const std::string text =
      std::isinf(clamp) ? column : "min(" + column + ", " + to_text(clamp) + ")";
  const std::optional<ZeroValue>& zero = numeric_input(spec, numeric).zero;
  if (!zero)
    return text;
  if (zero->apart)
    return "max(" + text + ", " + to_text(zero->unit) + ")";
  return "(1 + " + text + (zero->unit == 1 ? "" : "/" + to_text(zero->unit)) + ")";
}

/// " + 2 * n", or " - 2 * n" for a negative term.
std::string added(std::string plus, const std::string& term) {
  if (!term.starts_with("-"))
    return plus + term;
  plus[plus.find('+')] = '-';
  return plus + term.substr(1);
}

}  // namespace

bool is_unseen_power(double power) {
  return std::abs(power) < kUnseenPower;
}

bool is_unseen_factor(double factor) {
  return std::abs(factor - 1) < kUnseenChange;
}

std::string multi_term_text(const ModelSpec& spec, const MultiStructure& structure,
                            const Eigen::VectorXd& constants, std::size_t term,
                            const std::function<std::string(std::size_t)>& mark,
                            std::size_t most_levels) {
  const MultiLayout layout(spec, structure);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  const auto marked = [&](std::size_t i) { return mark ? mark(i) : std::string(); };
  const auto number = [&](std::size_t i) { return rounded(constant(i)) + marked(i); };
  std::vector<std::string> factors = {number(layout.coefficient(term))};
  const auto power = [&](const std::string& base, std::size_t i) {
    add_power(base, constant(i), marked(i), factors);
  };
  const auto numeric = [&](std::size_t n) {
    const std::string column = counted_text(spec, structure, term, n);
    const Feature& feature = structure.feature(term, n);
    power(feature.saturates ? "exp(1 - 1/" + column + ")" : column, layout.numeric_power(term, n));
    add_power("log2(" + column + ")", feature.log_power, "", factors);
  };
  for (std::size_t n = spec.extrinsic.size(); n < numeric_count(spec); ++n)
    numeric(n);
  for (std::size_t n = 0; n < spec.extrinsic.size(); ++n)
    numeric(n);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    std::vector<double> values;
    std::vector<std::string> marks;
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l) {
      values.push_back(constant(layout.level(term, c, l)));
      marks.push_back(marked(layout.level(term, c, l)));
    }
    add_levels(spec.categorical[c], values, marks, most_levels, factors);
  }
  for (std::size_t g = 0; g < structure.step_factors.size(); ++g) {
    const StepFactor& step_factor = structure.step_factors[g];
    const std::string column = numeric_input(spec, step_factor.numeric).column;
    const double below = constant(layout.step_factor(term, g, 0));
    const double above = constant(layout.step_factor(term, g, 1));
    const std::string threshold = to_text(step_factor.above);
    if (below == 0)
      factors.push_back("[" + column + " > " + threshold + "]");
    else if (above == 0)
      factors.push_back("[" + column + " <= " + threshold + "]");
    else if (!is_unseen_factor(above))
      factors.push_back(number(layout.step_factor(term, g, 1)) + "^[" + column + " > " + threshold +
                        "]");
  }
  std::string text;
  for (const std::string& factor : factors)
    text += (text.empty() ? "" : " * ") + factor;
  return text;
}

std::string multi_formula(const ModelSpec& spec, const MultiStructure& structure,
                          const Eigen::VectorXd& constants, const std::string& plus,
                          const SeenParts* seen) {
  std::string text;
  for (std::size_t k = 0; k < structure.terms; ++k)
    if (seen == nullptr || seen->terms[k]) {
      const std::string term = multi_term_text(spec, structure, constants, k);
      text += text.empty() ? term : added(plus, term);
    }
  const double intercept = constants[constants.size() - 1];
  if (text.empty() || (intercept != 0 && (seen == nullptr || seen->intercept)))
    text += (text.empty() ? "" : plus) + rounded(intercept);
  return "t = " + text;
}

namespace {

/// The spec with control characters in names replaced.
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

std::string text_generic(const ModelSpec& spec, const Eigen::VectorXd& constants) {
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  /// A factor and the operator before it.
  const auto power = [](const std::string& column, double exponent) {
    return is_unseen_power(exponent) ? std::string() : " * " + column + "^" + rounded(exponent);
  };
  const SeenParts seen = seen_parts_of_generic(spec, constants);
  std::string sum;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    if (!seen.terms[i])
      continue;
    sum += (sum.empty() ? "" : " + ") + rounded(constant(layout.coefficient(i))) +
           power(spec.intrinsic[i].column, constant(layout.intrinsic_power(i)));
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    if (!seen.terms[spec.intrinsic.size() + c])
      continue;
    const CategoricalInput& input = spec.categorical[c];
    std::string levels;
    for (std::size_t l = 0; l < input.levels.size(); ++l) {
      levels +=
          (l == 0 ? "" : ", ") + input.levels[l] + ": " + rounded(constant(layout.level(c, l)));
    }
    sum += (sum.empty() ? "" : " + ") + input.column + "{" + levels + "}";
  }
  if (const auto lone = layout.lone_coefficient())
    sum = rounded(constant(*lone));
  if (sum.empty())
    return "t = " + rounded(constant(layout.intercept())) + "\n";
  std::string out = layout.lone_coefficient() ? "t = " + sum : "t = (" + sum + ")";
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out += power(spec.extrinsic[j].column, constant(layout.extrinsic_power(j)));
  return out + (seen.intercept ? " + " + rounded(constant(layout.intercept())) : "") + "\n";
}

}  // namespace

std::string readable_generic(const ModelSpec& spec, const Eigen::VectorXd& constants,
                             FormulaLanguage language) {
  const ModelSpec shown = with_printable_names(spec);
  return language == FormulaLanguage::latex ? latex_generic(shown, constants)
                                            : text_generic(shown, constants);
}

std::string readable_multi(const ModelSpec& spec, const MultiStructure& structure,
                           const Eigen::VectorXd& constants, FormulaLanguage language) {
  const ModelSpec shown = with_printable_names(spec);
  const SeenParts seen = seen_parts_of_multi(spec, structure, constants);
  return language == FormulaLanguage::latex
             ? latex_multi(shown, structure, constants)
             : multi_formula(shown, structure, constants, "\n  + ", &seen) + "\n";
}

namespace {

constexpr double kHiddenPower = 0.05;
constexpr double kHiddenChange = 0.05;  // from 1

std::string power_of(const std::string& base, double power) {
  const std::string text = power_text(power);
  return text == "1" ? base : base + "^" + text;
}

/// "by activation", "activation = tanh" if the term exists for that level only, or empty.
std::string levels_of(const CategoricalInput& input, const std::vector<double>& values) {
  const auto zeros = std::count(values.begin(), values.end(), 0.0);
  if (values.size() > 1 && zeros + 1 == std::ssize(values)) {
    const auto only =
        std::find_if(values.begin(), values.end(), [](double value) { return value != 0; });
    return input.column + " = " + input.levels[static_cast<std::size_t>(only - values.begin())];
  }
  const bool same = std::all_of(values.begin(), values.end(),
                                [](double value) { return std::abs(value - 1) < kHiddenChange; });
  return same ? "" : "by " + input.column;
}

/// "gpus > 1" if the term exists on one side only, "a step at gpus = 1", or empty without a step.
std::string step_factor_of(const std::string& column, double above, const double (&factors)[2]) {
  if (factors[0] == 0)
    return column + " > " + to_text(above);
  if (factors[1] == 0)
    return column + " \u2264 " + to_text(above);
  const bool same = std::abs(factors[0] - factors[1]) < kHiddenChange * std::abs(factors[0]);
  return same ? "" : "a step at " + column + " = " + to_text(above);
}

}  // namespace

std::string multi_term_title(const ModelSpec& spec, const MultiStructure& structure,
                             const Eigen::VectorXd& constants, std::size_t term) {
  const MultiLayout layout(spec, structure);
  const auto constant = [&](std::size_t i) { return constants[static_cast<Eigen::Index>(i)]; };
  std::vector<std::string> factors;
  std::vector<std::string> missing;
  const std::size_t scales = spec.extrinsic.size();
  const std::size_t all = scales + spec.intrinsic.size();
  for (std::size_t k = 0; k < all; ++k) {
    const std::size_t n = k < spec.intrinsic.size() ? scales + k : k - spec.intrinsic.size();
    const std::string& column = numeric_input(spec, n).column;
    const double power = constant(layout.numeric_power(term, n));
    const Feature& feature = structure.feature(term, n);
    const bool has_log = feature.log_power != 0;
    const bool has_power = std::abs(power) >= kHiddenPower;
    if (has_power)
      factors.push_back(feature.saturates ? "ring of " + column : power_of(column, power));
    if (has_log)
      factors.push_back(power_of("log " + column, feature.log_power));
    const bool has_step_factor =
        std::any_of(structure.step_factors.begin(), structure.step_factors.end(),
                    [&](const StepFactor& step_factor) { return step_factor.numeric == n; });
    if (n < scales && !has_power && !has_log && !has_step_factor)
      missing.push_back(column);
  }
  const auto add = [&](const std::string& factor) {
    if (!factor.empty())
      factors.push_back(factor);
  };
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    std::vector<double> values;
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
      values.push_back(constant(layout.level(term, c, l)));
    add(levels_of(spec.categorical[c], values));
  }
  for (std::size_t g = 0; g < structure.step_factors.size(); ++g) {
    const StepFactor& step_factor = structure.step_factors[g];
    const double sides[2] = {constant(layout.step_factor(term, g, 0)),
                             constant(layout.step_factor(term, g, 1))};
    add(step_factor_of(numeric_input(spec, step_factor.numeric).column, step_factor.above, sides));
  }
  const std::string title = factors.empty() ? "the same everywhere" : joined(factors, " \u00b7 ");
  return title + (missing.empty() || factors.empty() ? "" : ", not " + joined(missing, ", "));
}

}  // namespace perfmodel
