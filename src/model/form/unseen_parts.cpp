#include "model/form/unseen_parts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/index.hpp"
#include "model/form/generic_expression.hpp"

namespace perfmodel {
namespace {

constexpr double kUnseenShare = 1e-6;

/// What a part can be within the measured ranges; both >= 0.
struct Bounds {
  double low = 1;
  double high = 1;

  void multiply(double a, double b) {
    low *= std::min(a, b);
    high *= std::max(a, b);
  }
};

/// A part is not seen where its largest value is below the share of the smallest time.
SeenParts seen_of(const std::vector<Bounds>& terms, double intercept) {
  SeenParts out{std::vector<bool>(terms.size(), true), true};
  double least = intercept;
  for (const Bounds& term : terms)
    least += term.low;
  if (!(least > 0) || !std::isfinite(least))
    return out;
  for (std::size_t k = 0; k < terms.size(); ++k)
    out.terms[k] = !(terms[k].high < kUnseenShare * least);
  out.intercept = !(intercept < kUnseenShare * least);
  return out;
}

SeenParts all_seen(std::size_t terms) {
  return {std::vector<bool>(terms, true), true};
}

}  // namespace

SeenParts seen_parts_of_generic(const ModelSpec& spec, const Eigen::VectorXd& constants) {
  const GenericLayout layout(spec);
  const auto constant = [&](std::size_t i) { return constants[index(i)]; };
  Bounds scaled;
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    const double q = constant(layout.extrinsic_power(j));
    scaled.multiply(std::pow(spec.extrinsic[j].low, q), std::pow(spec.extrinsic[j].high, q));
  }
  std::vector<Bounds> terms;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    const double a = constant(layout.coefficient(i));
    const double p = constant(layout.intrinsic_power(i));
    const NumericInput& input = spec.intrinsic[i];
    Bounds term = scaled;
    if (input.zero)  // absent where the column is 0
      term.multiply(0, a * std::max(std::pow(input.zero->unit, p), std::pow(input.high, p)));
    else
      term.multiply(a * std::pow(input.low, p), a * std::pow(input.high, p));
    terms.push_back(term);
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l) {
      low = std::min(low, constant(layout.level(c, l)));
      high = std::max(high, constant(layout.level(c, l)));
    }
    Bounds term = scaled;
    term.multiply(low, high);
    terms.push_back(term);
  }
  const double intercept = constant(layout.intercept());
  if (const auto lone = layout.lone_coefficient()) {
    scaled.multiply(constant(*lone), constant(*lone));
    SeenParts out = seen_of({scaled}, intercept);
    out.terms.clear();
    return out;
  }
  if (intercept < 0 ||
      std::any_of(terms.begin(), terms.end(), [](const Bounds& term) { return term.low < 0; }))
    return all_seen(terms.size());
  return seen_of(terms, intercept);
}

SeenParts seen_parts_of_multi(const ModelSpec& spec, const MultiStructure& structure,
                              const Eigen::VectorXd& constants) {
  const MultiLayout layout(spec, structure);
  const auto constant = [&](std::size_t i) { return constants[index(i)]; };
  std::vector<Bounds> terms;
  for (std::size_t k = 0; k < structure.terms; ++k) {
    const double a = constant(layout.coefficient(k));
    if (a < 0)
      return all_seen(structure.terms);
    Bounds term{a, a};
    for (std::size_t n = 0; n < numeric_count(spec); ++n) {
      const NumericInput& input = numeric_input(spec, n);
      const auto add = [&](const std::function<double(double)>& factor) {
        const auto at = [&](double value) {
          return factor(input.counted(structure.capped(k, n, value)));
        };
        term.multiply(at(input.low), at(input.high));
      };
      const double p = constant(layout.numeric_power(k, n));
      const double r = structure.log_power(k, n);
      if (structure.has_ring(k, n))
        add([&](double x) { return std::exp(p * (1 - 1 / x)); });
      else
        add([&](double x) { return std::pow(x, p); });
      if (r != 0)
        add([&](double x) { return x > 1 ? std::pow(std::log2(x), r) : 0; });
    }
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      Bounds levels{std::numeric_limits<double>::infinity(), 0};
      for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l) {
        levels.low = std::min(levels.low, constant(layout.level(k, c, l)));
        levels.high = std::max(levels.high, constant(layout.level(k, c, l)));
      }
      term.multiply(levels.low, levels.high);
    }
    for (std::size_t g = 0; g < structure.regimes.size(); ++g)
      term.multiply(constant(layout.regime(k, g, 0)), constant(layout.regime(k, g, 1)));
    terms.push_back(term);
  }
  const double intercept = constant(layout.intercept());
  return intercept < 0 ? all_seen(structure.terms) : seen_of(terms, intercept);
}

}  // namespace perfmodel
