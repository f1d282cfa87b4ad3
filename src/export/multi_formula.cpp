#include "export/multi_formula.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <vector>

#include "base/text.hpp"

namespace perfmodel {
namespace {

constexpr double kUnseenPower = 0.005;   // rounds to 0 with two decimals
constexpr double kUnseenChange = 0.005;  // of 1

std::string power_text(double power) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", power);
  std::string out = text.data();
  while (out.back() == '0')
    out.pop_back();
  if (out.back() == '.')
    out.pop_back();
  return out;
}

/// "filters^1.9", "filters", or nothing; a mark needs a number before it.
void add_power(const std::string& base, double power, const std::string& mark,
               std::vector<std::string>& factors) {
  if (is_unseen_power(power))
    return;
  const std::string text = power_text(power) + mark;
  factors.push_back(text == "1" ? base : base + "^" + text);
}

/// "[app = bert]" of a term that the other levels lack, "padding{same: 1, valid: 0.9}", or nothing.
/// Of more than `most` levels the others are counted.
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

/// "num_gpus", or "min(num_gpus, 8)"; where 0 is among the values, "(1 + pad/2)" or "max(pad, 2)".
std::string counted_text(const ModelSpec& spec, const MultiStructure& structure, std::size_t term,
                         std::size_t numeric) {
  const std::string& column = numeric_input(spec, numeric).column;
  const double infinite = std::numeric_limits<double>::infinity();
  const double cap = structure.capped(term, numeric, infinite);
  const std::string text = cap == infinite ? column : "min(" + column + ", " + to_text(cap) + ")";
  const std::optional<ZeroValue>& zero = numeric_input(spec, numeric).zero;
  if (!zero)
    return text;
  if (zero->apart)
    return "max(" + text + ", " + to_text(zero->unit) + ")";
  return "(1 + " + text + (zero->unit == 1 ? "" : "/" + to_text(zero->unit)) + ")";
}

/// " + 2 * n", or " - 2 * n" of a term that is taken away.
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
    const bool ring = structure.has_ring(term, n);
    power(ring ? "exp(1 - 1/" + column + ")" : column, layout.numeric_power(term, n));
    add_power("log2(" + column + ")", structure.log_power(term, n), "", factors);
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
  for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
    const Regime& regime = structure.regimes[g];
    const std::string column = numeric_input(spec, regime.numeric).column;
    const double below = constant(layout.regime(term, g, 0));
    const double above = constant(layout.regime(term, g, 1));
    const std::string threshold = to_text(regime.above);
    if (below == 0)
      factors.push_back("[" + column + " > " + threshold + "]");
    else if (above == 0)
      factors.push_back("[" + column + " <= " + threshold + "]");
    else if (!is_unseen_factor(above))
      factors.push_back(number(layout.regime(term, g, 1)) + "^[" + column + " > " + threshold +
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

}  // namespace perfmodel
