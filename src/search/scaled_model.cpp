#include "search/scaled_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using optimise::LevelColumns;
using optimise::LevelMatrix;

std::size_t entry(const NumericFactor& factor, std::size_t row) {
  return factor.coded() ? factor.codes[row] : row;
}

std::vector<std::vector<double>> centred_logs(const std::vector<NumericFactor>& factors,
                                              const std::vector<double>& log_centres) {
  std::vector<std::vector<double>> out;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    std::vector<double> logs;
    logs.reserve(factors[i].values.size());
    for (const double value : factors[i].values)
      logs.push_back(log_of_value(value) - log_centres[i]);
    out.push_back(std::move(logs));
  }
  return out;
}

}  // namespace

/// Parts of predictions: powers of every distinct value, and per row the sum and the product.
struct ScaledModel::Parts {
  std::vector<std::vector<double>> powers;  ///< I^p per intrinsic column and distinct value
  VectorXd sum;
  VectorXd product;

  VectorXd predicted(const VectorXd& scaled) const {
    return (sum.array() * product.array() + scaled[scaled.size() - 1]).matrix();
  }
};

ScaledModel::ScaledModel(const Design& design, const SearchSpace& space)
    : design_(design),
      space_(space),
      layout_(space.layout()),
      first_power_(index(layout_.intrinsic_power(0))),
      many_levels_(column_of_many_levels(design)),
      intrinsic_logs_(centred_logs(design.intrinsic, space.intrinsic_log_centres())),
      extrinsic_logs_(centred_logs(design.extrinsic, space.extrinsic_log_centres())) {}

ScaledModel::Parts ScaledModel::parts(const VectorXd& scaled) const {
  Parts out;
  const Index rows = static_cast<Index>(design_.rows);
  const auto at = [&](std::size_t index) { return scaled[static_cast<Index>(index)]; };
  const auto lone = layout_.lone_coefficient();
  out.sum = VectorXd::Constant(rows, lone ? at(*lone) : 0);
  VectorXd exponent = VectorXd::Zero(rows);
  for (std::size_t i = 0; i < design_.intrinsic.size(); ++i) {
    std::vector<double> powers;
    powers.reserve(intrinsic_logs_[i].size());
    for (const double log_value : intrinsic_logs_[i])
      powers.push_back(std::exp(at(layout_.intrinsic_power(i)) * log_value));
    const double a = at(layout_.coefficient(i));
    for (std::size_t r = 0; r < design_.rows; ++r)
      out.sum[static_cast<Index>(r)] += a * powers[entry(design_.intrinsic[i], r)];
    out.powers.push_back(std::move(powers));
  }
  for (std::size_t c = 0; c < design_.categorical.size(); ++c)
    for (std::size_t r = 0; r < design_.rows; ++r)
      out.sum[static_cast<Index>(r)] += at(layout_.level(c, design_.categorical[c].codes[r]));
  for (std::size_t j = 0; j < design_.extrinsic.size(); ++j) {
    const double q = at(layout_.extrinsic_power(j));
    for (std::size_t r = 0; r < design_.rows; ++r)
      exponent[static_cast<Index>(r)] += q * extrinsic_logs_[j][entry(design_.extrinsic[j], r)];
  }
  out.product = exponent.array().exp();
  return out;
}

VectorXd ScaledModel::predict(const VectorXd& scaled) const {
  return parts(scaled).predicted(scaled);
}

/// Calls put(row, constant, derivative) for all derivatives that can be nonzero.
template <class Put>
void ScaledModel::put_derivatives(const VectorXd& scaled, const Parts& part, const Put& put) const {
  for (std::size_t r = 0; r < design_.rows; ++r) {
    const Index row = static_cast<Index>(r);
    const double product = part.product[row];
    for (std::size_t i = 0; i < design_.intrinsic.size(); ++i) {
      const std::size_t e = entry(design_.intrinsic[i], r);
      const double power = part.powers[i][e] * product;
      put(row, layout_.coefficient(i), power);
      put(row, layout_.intrinsic_power(i),
          scaled[index(layout_.coefficient(i))] * power * intrinsic_logs_[i][e]);
    }
    for (std::size_t c = 0; c < design_.categorical.size(); ++c)
      put(row, layout_.level(c, design_.categorical[c].codes[r]), product);
    if (const auto lone = layout_.lone_coefficient())
      put(row, *lone, product);
    for (std::size_t j = 0; j < design_.extrinsic.size(); ++j)
      put(row, layout_.extrinsic_power(j),
          part.sum[row] * product * extrinsic_logs_[j][entry(design_.extrinsic[j], r)]);
    put(row, layout_.intercept(), 1);
  }
}

LevelColumns ScaledModel::levels_apart() const {
  LevelColumns out;
  if (many_levels_) {
    out.first = index(layout_.level(*many_levels_, 0));
    out.count = index(design_.categorical[*many_levels_].levels);
  }
  return out;
}

class ScaledModel::Linearised : public LinearisedModel {
 public:
  Linearised(const ScaledModel& model, const VectorXd& scaled)
      : Linearised(model, scaled, model.parts(scaled)) {}

  LevelMatrix jacobian() const override { return jacobian_.matrix(); }
  VectorXd slopes(const VectorXd& v) const override { return jacobian_.slopes(v); }
  ArrowMatrix gram(const VectorXd& weights) const override { return jacobian_.gram(weights); }
  ArrowMatrix bend(const VectorXd& weights) const override;

 private:
  const ScaledModel& model_;
  LevelJacobian jacobian_;

  Linearised(const ScaledModel& model, const VectorXd& scaled, const Parts& parts)
      : model_(model),
        jacobian_(model.levels_apart(), index(model.design_.rows), scaled.size(),
                  [&](const auto& put) {
                    model.put_derivatives(scaled, parts, [&](Index row, std::size_t k, double d) {
                      put(row, index(k), d);
                    });
                  }) {
    predicted_ = parts.predicted(scaled);
  }
};

/// All second derivatives of Eq. (4) are a first derivative times the logarithm of a column.
ArrowMatrix ScaledModel::Linearised::bend(const VectorXd& weights) const {
  const Design& design = model_.design_;
  const GenericLayout& layout = model_.layout_;
  std::vector<Eigen::Triplet<double>> entries;
  const auto slopes_by = [&](const NumericFactor& factor, const std::vector<double>& logs) {
    VectorXd weighted = weights;
    for (std::size_t r = 0; r < design.rows; ++r)
      weighted[static_cast<Index>(r)] *= logs[entry(factor, r)];
    return slopes(weighted);
  };
  const auto put = [&](std::size_t i, std::size_t j, double value) {
    entries.emplace_back(static_cast<int>(i), static_cast<int>(j), value);
  };
  for (std::size_t i = 0; i < design.intrinsic.size(); ++i) {
    const VectorXd row = slopes_by(design.intrinsic[i], model_.intrinsic_logs_[i]);
    const std::size_t a = layout.coefficient(i);
    const std::size_t p = layout.intrinsic_power(i);
    put(a, p, row[index(a)]);
    put(p, p, row[index(p)]);
  }
  for (std::size_t j = 0; j < design.extrinsic.size(); ++j) {
    const VectorXd row = slopes_by(design.extrinsic[j], model_.extrinsic_logs_[j]);
    // Each pair of scales is added once; C does not scale.
    for (std::size_t k = 0; k < layout.intercept(); ++k)
      if (k < layout.extrinsic_power(0) || k >= layout.extrinsic_power(j))
        put(layout.extrinsic_power(j), k, row[index(k)]);
  }
  return arrow_of(model_.levels_apart(), index(layout.size()), entries);
}

std::unique_ptr<LinearisedModel> ScaledModel::linearised(const VectorXd& scaled) const {
  return std::make_unique<Linearised>(*this, scaled);
}

optimise::Bounds ScaledModel::around(const VectorXd& at, double radius, bool curved_penalty) const {
  VectorXd reach = VectorXd::Constant(at.size(), radius);
  if (curved_penalty) {
    reach.head(first_power_) =
        radius * at.head(first_power_).cwiseAbs().cwiseMax(0.05 * box().upper.head(first_power_));
  } else {
    reach.head(first_power_).setConstant(std::numeric_limits<double>::infinity());
  }
  reach[at.size() - 1] = std::numeric_limits<double>::infinity();
  return {(box().lower - at).cwiseMax(-reach).cwiseMin(0),
          (box().upper - at).cwiseMin(reach).cwiseMax(0)};
}

VectorXd ScaledModel::inside(const VectorXd& scaled, const VectorXd& effects, double cost) const {
  constexpr double rounding = 1e-13;
  VectorXd out = scaled.cwiseMax(box().lower).cwiseMin(box().upper);
  for (Index k = 0; k < out.size(); ++k) {
    const bool power = k >= first_power_ && k < scaled.size() - 1;
    const double above = out[k] - box().lower[k];
    if (power ? above < rounding * (box().upper[k] - box().lower[k])
              : above * effects[k] < rounding * cost)
      out[k] = box().lower[k];
  }
  return out;
}

double ScaledModel::length(const VectorXd& step) const {
  const Index powers = step.size() - 1 - first_power_;
  return powers == 0 ? 0 : step.segment(first_power_, powers).cwiseAbs().maxCoeff();
}

std::optional<VectorXd> ScaledModel::wake(const VectorXd& scaled, const VectorXd& pull) const {
  return wake_idle_terms(design_, space_, scaled, pull);
}

namespace {

/// Spacing of the powers that are tried.
constexpr double kPowerSpacing = 0.25;
/// Least downhill slope, as a share of the largest possible: smaller ones are rounding.
constexpr double kDownhillShare = 1e-9;

/// Per row, the product of E_j^q_j.
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
      exponent[static_cast<Index>(r)] += parts[entry(factor, r)];
  }
  return exponent.array().exp();
}

/// The powers that are tried for an idle term, ascending.
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

/// Appends slopes and squares of one term for the powers of its grid. `product`: per row.
void add_slopes(const NumericFactor& factor, double log_centre, const PowerGrid& grid,
                const VectorXd& pull, const VectorXd& product, std::vector<double>& slopes,
                std::vector<double>& squares) {
  const std::size_t places = factor.values.size();
  std::vector<double> slope_of(places, 0);
  std::vector<double> square_of(places, 0);
  for (Index r = 0; r < pull.size(); ++r) {
    const std::size_t place = entry(factor, static_cast<std::size_t>(r));
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

/// Derivatives with respect to the coefficients of idle terms.
struct IdleSlopes {
  VectorXd slopes;   ///< d cost / d a per idle term and power of its grid
  VectorXd squares;  ///< sum of (d y / d a)^2 over the rows, likewise
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

/// Chooses for each idle term the power of steepest descent per size of the term, its root mean
/// square over the rows, if any is downhill.
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

Optimum polish(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
               const FitOptions& options, const VectorXd& start, double gap_to_stop) {
  return finish(ScaledModel(rows.design(), space), rows, SignedLoss(options), penalty, start,
                gap_to_stop, options.stop);
}

}  // namespace perfmodel
