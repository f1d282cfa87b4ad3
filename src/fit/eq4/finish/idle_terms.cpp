#include "fit/eq4/finish/idle_terms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Powers that are tried are this far apart.
constexpr double kPowerSpacing = 0.25;
/// A slope counts as downhill beyond this share of the largest that rows of these pulls could have:
/// the rest is rounding.
constexpr double kDownhillShare = 1e-9;

std::size_t place_of(const NumericFactor& factor, std::size_t row) {
  return factor.coded() ? factor.codes[row] : row;
}

/// What scales the sum of intrinsic terms in each row: the product of E_j^q_j.
VectorXd extrinsic_products(const Design& training, const SearchSpace& space,
                            const VectorXd& scaled) {
  VectorXd exponent = VectorXd::Zero(static_cast<Index>(training.rows));
  for (std::size_t j = 0; j < training.extrinsic.size(); ++j) {
    const NumericFactor& factor = training.extrinsic[j];
    const double q = scaled[static_cast<Index>(space.layout().extrinsic_power(j))];
    std::vector<double> parts;
    parts.reserve(factor.values.size());
    for (const double value : factor.values)
      parts.push_back(q * (std::log(value) - space.extrinsic_log_centres()[j]));
    for (std::size_t r = 0; r < training.rows; ++r)
      exponent[static_cast<Index>(r)] += parts[place_of(factor, r)];
  }
  return exponent.array().exp();
}

/// The powers that are tried for an idle term: from low to high.
struct PowerGrid {
  double low = 0;
  double high = 0;
  int steps = 1;

  double power(int k) const { return k == steps ? high : low + (high - low) / steps * k; }
};

struct IdleTerm {
  std::size_t column = 0;
  PowerGrid grid;
};

std::vector<IdleTerm> idle_terms(const SearchSpace& space, const VectorXd& scaled) {
  std::vector<IdleTerm> out;
  for (std::size_t i = 0; i < space.intrinsic_log_centres().size(); ++i) {
    const Index a = static_cast<Index>(space.layout().coefficient(i));
    if (scaled[a] != 0 || !(space.scaled().upper[a] > 0))
      continue;
    const Index p = static_cast<Index>(space.layout().intrinsic_power(i));
    const double low = space.scaled().lower[p];
    const double high = space.scaled().upper[p];
    const int steps = std::max(1, static_cast<int>(std::lround((high - low) / kPowerSpacing)));
    out.push_back({i, {low, high, steps}});
  }
  return out;
}

/// Of one term, the slopes and squares of its grid. `product`: of E_j^q_j in each row.
void add_slopes(const NumericFactor& factor, double log_centre, const PowerGrid& grid,
                const VectorXd& pull, const VectorXd& product, std::vector<double>& slopes,
                std::vector<double>& squares) {
  const std::size_t places = factor.values.size();
  std::vector<double> slope_of(places, 0);
  std::vector<double> square_of(places, 0);
  for (Index r = 0; r < pull.size(); ++r) {
    const std::size_t place = place_of(factor, static_cast<std::size_t>(r));
    slope_of[place] += pull[r] * product[r];
    square_of[place] += product[r] * product[r];
  }
  // I^p on the grid by repeated multiplication: two exponentials per distinct value.
  std::vector<double> powers(places);
  std::vector<double> factors(places);
  for (std::size_t v = 0; v < places; ++v) {
    const double log_value = log_of_value(factor.values[v]) - log_centre;
    powers[v] = std::exp(grid.low * log_value);
    factors[v] = std::exp((grid.high - grid.low) / grid.steps * log_value);
  }
  for (int k = 0; k <= grid.steps; ++k) {
    double slope = 0;
    double square = 0;
    for (std::size_t v = 0; v < places; ++v) {
      slope += slope_of[v] * powers[v];
      square += square_of[v] * powers[v] * powers[v];
      powers[v] *= factors[v];
    }
    slopes.push_back(slope);
    squares.push_back(square);
  }
}

/// What the rows say of idle terms.
struct IdleSlopes {
  VectorXd slopes;   ///< per idle term and power of the grid: of the cost in a
  VectorXd squares;  ///< of the rows' derivatives by a
  double pull_squares = 0;
};

IdleSlopes idle_slopes(const Design& training, const SearchSpace& space, const VectorXd& scaled,
                       const VectorXd& pull) {
  IdleSlopes out{.slopes = {}, .squares = {}, .pull_squares = pull.squaredNorm()};
  const std::vector<IdleTerm> idle = idle_terms(space, scaled);
  if (idle.empty())
    return out;
  const VectorXd product = extrinsic_products(training, space, scaled);
  std::vector<double> slopes;
  std::vector<double> squares;
  for (const IdleTerm& term : idle) {
    add_slopes(training.intrinsic[term.column], space.intrinsic_log_centres()[term.column],
               term.grid, pull, product, slopes, squares);
  }
  out.slopes = Eigen::Map<const VectorXd>(slopes.data(), static_cast<Index>(slopes.size()));
  out.squares = Eigen::Map<const VectorXd>(squares.data(), static_cast<Index>(squares.size()));
  return out;
}

}  // namespace

/// The power of each idle term at which the cost falls steepest with the size of the term, its root
/// mean square over the rows, where it falls at all.
std::optional<VectorXd> wake_idle_terms(const Design& training, const SearchSpace& space,
                                        const VectorXd& scaled, const VectorXd& pull) {
  const IdleSlopes of_rows = idle_slopes(training, space, scaled, pull);
  std::optional<VectorXd> woken;
  Index at = 0;
  for (const IdleTerm& term : idle_terms(space, scaled)) {
    std::optional<double> best;
    double least = -kDownhillShare * std::sqrt(of_rows.pull_squares);
    for (int k = 0; k <= term.grid.steps; ++k, ++at) {
      const double steepness = of_rows.slopes[at] / std::sqrt(of_rows.squares[at]);
      if (steepness < least) {
        least = steepness;
        best = term.grid.power(k);
      }
    }
    if (!best)
      continue;
    if (!woken)
      woken = scaled;
    (*woken)[static_cast<Index>(space.layout().intrinsic_power(term.column))] = *best;
  }
  return woken;
}

}  // namespace perfmodel
