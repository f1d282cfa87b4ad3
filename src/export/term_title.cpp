#include "export/term_title.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.hpp"

namespace perfmodel {
namespace {

constexpr double kHiddenPower = 0.05;
constexpr double kHiddenChange = 0.05;  // of 1

std::string power_of(const std::string& base, double power) {
  const std::string text = to_text(std::round(100 * power) / 100);
  return text == "1" ? base : base + "^" + text;
}

/// "by activation", "activation = tanh" of a term that the other levels lack, or nothing.
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

/// "above 1 gpus", or nothing where both sides have the term.
std::string regime_of(const std::string& column, double above, const double (&factors)[2]) {
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
    const bool has_log = structure.log_power(term, n) != 0;
    const bool has_power = std::abs(power) >= kHiddenPower;
    if (has_power)
      factors.push_back(structure.has_ring(term, n) ? "ring of " + column
                                                    : power_of(column, power));
    if (has_log)
      factors.push_back(power_of("log " + column, structure.log_power(term, n)));
    const bool has_regime = std::any_of(structure.regimes.begin(), structure.regimes.end(),
                                        [&](const Regime& regime) { return regime.numeric == n; });
    if (n < scales && !has_power && !has_log && !has_regime)
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
  for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
    const Regime& regime = structure.regimes[g];
    const double sides[2] = {constant(layout.regime(term, g, 0)),
                             constant(layout.regime(term, g, 1))};
    add(regime_of(numeric_input(spec, regime.numeric).column, regime.above, sides));
  }
  const std::string title = factors.empty() ? "the same everywhere" : joined(factors, " \u00b7 ");
  return title + (missing.empty() || factors.empty() ? "" : ", not " + joined(missing, ", "));
}

}  // namespace perfmodel
