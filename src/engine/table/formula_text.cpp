#include "table/formula_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/text.hpp"

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

constexpr std::size_t kFactorsPerLine = 4;

/// The lines of a formula, aligned at their beginning.
class LatexLines {
 public:
  /// Adds a product after `open`, in as many lines as it needs.
  void add(const std::string& open, const std::vector<std::string>& factors) {
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
    lines_.push_back(line);
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

std::string latex_cases(const std::string& lines) {
  return "\\left\\{\\begin{array}{ll}" + lines + "\\end{array}\\right.";
}

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

/// "filters^1.9", or "filters" for a power of 1 without a mark.
std::string power_of(const std::string& base, double power, const std::string& mark = "") {
  const std::string text = power_text(power) + mark;
  return text == "1" ? base : base + "^" + text;
}

std::vector<double> level_values(const TermSum& sum, const TermFactor& factor,
                                 const Eigen::VectorXd& constants) {
  const double* const own = constants.data() + factor.constant;
  return {own, own + sum.spec->categorical[factor.input].levels.size()};
}

/// The level for which alone the factor is not 0.
std::optional<std::size_t> only_level(const std::vector<double>& values) {
  const auto zeros = std::count(values.begin(), values.end(), 0.0);
  if (values.size() < 2 || zeros + 1 != std::ssize(values))
    return std::nullopt;
  const auto only = std::find_if(values.begin(), values.end(), [](double v) { return v != 0; });
  return static_cast<std::size_t>(only - values.begin());
}

/// " + 2 * n", or " - 2 * n" for a negative term.
std::string added(std::string plus, const std::string& term) {
  if (!term.starts_with("-"))
    return plus + term;
  plus[plus.find('+')] = '-';
  return plus + term.substr(1);
}

/// Whether a power would be printed as 0, or a factor as 1.
bool is_unseen_power(double power) {
  return std::abs(power) < kUnseenPower;
}

bool is_unseen_factor(double factor) {
  return std::abs(factor - 1) < kUnseenChange;
}

/// Numbers, numeric columns, levels and steps, in this order.
std::vector<TermFactor> in_reading_order(std::vector<TermFactor> factors) {
  std::ranges::stable_sort(factors, {}, &TermFactor::kind);
  return factors;
}

/// Writes the factors of terms as text or in LaTeX.
class FactorWriter {
 public:
  FactorWriter(const TermSum& sum, const Eigen::VectorXd& constants, bool latex,
               std::function<std::string(std::size_t)> mark = nullptr,
               std::size_t most_levels = std::numeric_limits<std::size_t>::max())
      : sum_(sum),
        constants_(constants),
        latex_(latex),
        mark_(std::move(mark)),
        most_levels_(most_levels) {}

  std::vector<std::string> factors(const std::vector<TermFactor>& of) const {
    std::vector<std::string> out;
    for (const TermFactor& factor : in_reading_order(of)) {
      switch (factor.kind) {
        case TermFactor::Kind::number:
          out.push_back(number(factor.constant));
          break;
        case TermFactor::Kind::power:
          add_numeric(factor, out);
          break;
        case TermFactor::Kind::levels:
          add_levels(factor, out);
          break;
        case TermFactor::Kind::step:
          if (latex_)
            add_latex_step(factor, out);
          else
            add_step(factor, out);
          break;
      }
    }
    return out;
  }

 private:
  const TermSum& sum_;
  const Eigen::VectorXd& constants_;
  bool latex_;
  std::function<std::string(std::size_t)> mark_;
  std::size_t most_levels_;

  double constant(std::size_t k) const { return constants_[static_cast<Eigen::Index>(k)]; }
  std::string mark(std::size_t k) const { return mark_ ? mark_(k) : std::string(); }
  std::string number(std::size_t k) const {
    return latex_ ? latex_number(constant(k)) : rounded(constant(k)) + mark(k);
  }
  /// Numbers of the structure have all digits in text.
  std::string given(double value) const { return latex_ ? latex_number(value) : to_text(value); }
  std::string name(const std::string& text) const { return latex_ ? latex_name(text) : text; }
  std::string function(const std::string& of, const std::string& name, double value) const {
    return (latex_ ? "\\" : "") + of + "(" + name + ", " + given(value) + ")";
  }

  /// "num_gpus", or "min(num_gpus, 8)" if the term clamps it.
  std::string clamped(const TermFactor& factor) const {
    const std::string column = name(numeric_input(*sum_.spec, factor.input).column);
    const double clamp = factor.feature.clamp;
    return std::isinf(clamp) ? column : function("min", column, clamp);
  }

  /// The same or, in a sum with 0 among the values, "(1 + pad/2)" or "max(pad, 2)".
  std::string counted(const TermFactor& factor) const {
    const std::string text = clamped(factor);
    const std::optional<ZeroValue>& zero = numeric_input(*sum_.spec, factor.input).zero;
    if (!zero || sum_.is_eq4)
      return text;
    if (zero->apart)
      return function("max", text, zero->unit);
    const std::string over = latex_ ? " / " : "/";
    return "(1 + " + text + (zero->unit == 1 ? "" : over + given(zero->unit)) + ")";
  }

  void add_power(const std::string& base, double power, const std::string& mark,
                 std::vector<std::string>& out) const {
    if (!is_unseen_power(power))
      out.push_back(latex_        ? latex_power(base, power)
                    : sum_.is_eq4 ? base + "^" + rounded(power)
                                  : power_of(base, power, mark));
  }

  void add_numeric(const TermFactor& factor, std::vector<std::string>& out) const {
    const std::string column = counted(factor);
    const double power = constant(factor.constant);
    if (!factor.feature.saturates)
      add_power(column, power, mark(factor.constant), out);
    else if (!latex_)
      add_power("exp(1 - 1/" + column + ")", power, mark(factor.constant), out);
    else if (!is_unseen_power(power))
      out.push_back("e^{" + latex_number(power) + " (1 - 1/" + column + ")}");
    add_power(latex_ ? "(\\log_2 " + column + ")" : "log2(" + column + ")",
              factor.feature.log_power, "", out);
  }

  /// Of a sum, adds "[app = bert]" if the term exists for that level only, and nothing if all
  /// factors are 1.
  void add_levels(const TermFactor& factor, std::vector<std::string>& out) const {
    const CategoricalInput& input = sum_.spec->categorical[factor.input];
    const std::vector<double> values = level_values(sum_, factor, constants_);
    const auto only = only_level(values);
    if (sum_.is_eq4)
      out.push_back(level_list(factor, input));
    else if (only && values[*only] == 1)
      out.push_back("[" + name(input.column) + " = " + name(input.levels[*only]) + "]");
    else if (!std::all_of(values.begin(), values.end(), is_unseen_factor))
      out.push_back(level_list(factor, input));
  }

  /// "padding{same: 1, valid: 0.9}", or a case distinction in LaTeX.
  std::string level_list(const TermFactor& factor, const CategoricalInput& input) const {
    std::string levels;
    const std::size_t shown = std::min(input.levels.size(), most_levels_);
    for (std::size_t l = 0; l < shown; ++l) {
      const std::string value = number(factor.constant + l);
      if (latex_)
        levels += (l == 0 ? "" : " \\\\ ") + value + " & " + name(input.column) + " = " +
                  name(input.levels[l]);
      else
        levels += (l == 0 ? "" : ", ") + input.levels[l] + ": " + value;
    }
    if (shown < input.levels.size())
      levels += ", " + std::to_string(input.levels.size() - shown) + " more";
    return latex_ ? latex_cases(levels) : input.column + "{" + levels + "}";
  }

  void add_step(const TermFactor& factor, std::vector<std::string>& out) const {
    const std::string column = numeric_input(*sum_.spec, factor.input).column;
    const std::string above = "[" + column + " > " + to_text(factor.above) + "]";
    if (constant(factor.constant) == 0)
      out.push_back(above);
    else if (constant(factor.constant + 1) == 0)
      out.push_back("[" + column + " <= " + to_text(factor.above) + "]");
    else if (!is_unseen_factor(constant(factor.constant + 1)))
      out.push_back(number(factor.constant + 1) + "^" + above);
  }

  void add_latex_step(const TermFactor& factor, std::vector<std::string>& out) const {
    const double below = constant(factor.constant);
    const double above = constant(factor.constant + 1);
    const std::string is_above = clamped(factor) + " > " + latex_number(factor.above);
    const std::string is_below = clamped(factor) + " \\le " + latex_number(factor.above);
    if (is_unseen_factor(below) && is_unseen_factor(above))
      return;
    if (below == 0 && above == 1)
      out.push_back("[" + is_above + "]");
    else if (above == 0 && below == 1)
      out.push_back("[" + is_below + "]");
    else
      out.push_back(latex_cases(latex_number(above) + " & " + is_above + " \\\\ " +
                                latex_number(below) + " & " + is_below));
  }
};

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

std::string text_eq4(const TermSum& sum, const Eigen::VectorXd& constants, const SeenParts& seen) {
  const FactorWriter writer(sum, constants, false);
  const std::string intercept = rounded(constants[constants.size() - 1]);
  const bool lone = sum.spec->has_scales_only();
  std::vector<std::string> terms;
  for (std::size_t k = 0; k < sum.terms.size(); ++k)
    if (seen.terms[k] || lone)
      terms.push_back(joined(writer.factors(sum.terms[k]), " * "));
  if (terms.empty())
    return "t = " + intercept;
  std::vector<std::string> factors = writer.factors(sum.common);
  factors.insert(factors.begin(), lone ? terms.front() : "(" + joined(terms, " + ") + ")");
  return "t = " + joined(factors, " * ") + (seen.intercept ? " + " + intercept : "");
}

void add_latex_eq4(const TermSum& sum, const Eigen::VectorXd& constants, const SeenParts& seen,
                   LatexLines& lines) {
  const FactorWriter writer(sum, constants, true);
  std::vector<std::string> scales = writer.factors(sum.common);
  if (sum.spec->has_scales_only()) {
    if (constants[0] == 0)
      return;
    scales.insert(scales.begin(), latex_number(constants[0]));
    return lines.add("", scales);
  }
  for (std::size_t k = 0; k < sum.terms.size(); ++k)
    if (seen.terms[k])
      lines.add(lines.empty() ? "\\Bigl(" : "\\quad + ", writer.factors(sum.terms[k]));
  if (lines.empty())
    return;
  lines.close_last("\\Bigr)");
  if (!scales.empty())
    lines.add("\\cdot ", scales);
}

void add_latex_terms(const TermSum& sum, const Eigen::VectorXd& constants, const SeenParts& seen,
                     LatexLines& lines) {
  const FactorWriter writer(sum, constants, true);
  for (std::size_t k = 0; k < sum.terms.size(); ++k) {
    const double coefficient = constants[static_cast<Eigen::Index>(sum.terms[k].front().constant)];
    if (!seen.terms[k] || coefficient == 0)
      continue;
    std::vector<std::string> factors = writer.factors(sum.terms[k]);
    factors.front() = latex_number(std::abs(coefficient));
    lines.add(sign_of(coefficient, lines.empty()), factors);
  }
}

constexpr double kHiddenPower = 0.05;
constexpr double kHiddenChange = 0.05;  // from 1

/// "by activation", "activation = tanh" if the term exists for that level only, or empty.
std::string levels_of(const CategoricalInput& input, const std::vector<double>& values) {
  if (const auto only = only_level(values))
    return input.column + " = " + input.levels[*only];
  const bool same = std::all_of(values.begin(), values.end(),
                                [](double value) { return std::abs(value - 1) < kHiddenChange; });
  return same ? "" : "by " + input.column;
}

/// "gpus > 1" if the term exists on one side only, "a step at gpus = 1", or empty without a step.
std::string step_factor_of(const std::string& column, double above, const double* factors) {
  if (factors[0] == 0)
    return column + " > " + to_text(above);
  if (factors[1] == 0)
    return column + " \u2264 " + to_text(above);
  const bool same = std::abs(factors[0] - factors[1]) < kHiddenChange * std::abs(factors[0]);
  return same ? "" : "a step at " + column + " = " + to_text(above);
}

}  // namespace

std::string latex_name(const std::string& column) {
  std::string out = "\\mathrm{";
  for (const char c : printable_word(column))
    out += latex_character(c);
  return out + "}";
}

std::string term_text(const TermSum& sum, const Eigen::VectorXd& constants, std::size_t term,
                      const std::function<std::string(std::size_t)>& mark,
                      std::size_t most_levels) {
  return joined(FactorWriter(sum, constants, false, mark, most_levels).factors(sum.terms[term]),
                " * ");
}

std::string sum_text(const TermSum& sum, const Eigen::VectorXd& constants, const std::string& plus,
                     const SeenParts* seen) {
  std::string text;
  for (std::size_t k = 0; k < sum.terms.size(); ++k)
    if (seen == nullptr || seen->terms[k]) {
      const std::string term = term_text(sum, constants, k);
      text += text.empty() ? term : added(plus, term);
    }
  const double intercept = constants[constants.size() - 1];
  if (text.empty() || (intercept != 0 && (seen == nullptr || seen->intercept)))
    text += (text.empty() ? "" : plus) + rounded(intercept);
  return "t = " + text;
}

std::string readable_terms(const TermSum& sum, const Eigen::VectorXd& constants,
                           FormulaLanguage language) {
  const ModelSpec spec = with_printable_names(*sum.spec);
  TermSum shown = sum;
  shown.spec = &spec;
  const SeenParts seen = seen_parts(sum, constants);
  if (language != FormulaLanguage::latex)
    return (sum.is_eq4 ? text_eq4(shown, constants, seen)
                       : sum_text(shown, constants, "\n  + ", &seen)) +
           "\n";
  LatexLines lines;
  if (sum.is_eq4)
    add_latex_eq4(shown, constants, seen, lines);
  else
    add_latex_terms(shown, constants, seen, lines);
  const double intercept = constants[constants.size() - 1];
  if (seen.intercept || lines.empty())
    lines.add(sign_of(intercept, lines.empty()), {latex_number(std::abs(intercept))});
  return lines.text();
}

std::string term_title(const TermSum& sum, const Eigen::VectorXd& constants, std::size_t term) {
  std::vector<std::string> factors;
  std::vector<std::string> missing;
  const auto has_step = [&](std::size_t numeric) {
    return std::ranges::any_of(
        sum.terms[term],
        [&](const TermFactor& other) {
          return other.kind == TermFactor::Kind::step && other.input == numeric;
        });
  };
  const auto add = [&](const std::string& factor) {
    if (!factor.empty())
      factors.push_back(factor);
  };
  for (const TermFactor& factor : in_reading_order(sum.terms[term])) {
    const double* const own = constants.data() + factor.constant;
    if (factor.kind == TermFactor::Kind::levels) {
      add(levels_of(sum.spec->categorical[factor.input], level_values(sum, factor, constants)));
    } else if (factor.kind == TermFactor::Kind::step) {
      add(step_factor_of(numeric_input(*sum.spec, factor.input).column, factor.above, own));
    } else if (factor.kind == TermFactor::Kind::power) {
      const std::string& column = numeric_input(*sum.spec, factor.input).column;
      const bool has_log = factor.feature.log_power != 0;
      const bool has_power = std::abs(*own) >= kHiddenPower;
      if (has_power)
        factors.push_back(factor.feature.saturates ? "ring of " + column : power_of(column, *own));
      if (has_log)
        factors.push_back(power_of("log " + column, factor.feature.log_power));
      if (factor.input < sum.spec->extrinsic.size() && !has_power && !has_log &&
          !has_step(factor.input))
        missing.push_back(column);
    }
  }
  const std::string title = factors.empty() ? "the same everywhere" : joined(factors, " \u00b7 ");
  return title + (missing.empty() || factors.empty() ? "" : ", not " + joined(missing, ", "));
}

}  // namespace perfmodel
