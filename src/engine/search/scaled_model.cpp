#include "search/scaled_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"

namespace perfmodel {
namespace {

std::size_t entry(const NumericFactor& factor, std::size_t row) {
  return factor.coded() ? factor.codes[row] : row;
}

std::vector<std::vector<double>> centred_logs(const std::vector<NumericFactor>& factors,
                                              const std::vector<double>& log_centres) {
  std::vector<std::vector<double>> out;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    std::vector<double> logs = mapped(
        factors[i].values, [&](double value) { return log_of_value(value) - log_centres[i]; });
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
      is_sparse_(has_many_levels(design)),
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
    std::vector<double> powers = mapped(intrinsic_logs_[i], [&](double log_value) {
      return std::exp(at(layout_.intrinsic_power(i)) * log_value);
    });
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

class ScaledModel::Linearised : public LinearisedModel {
 public:
  Linearised(const ScaledModel& model, const VectorXd& scaled)
      : Linearised(model, scaled, model.parts(scaled)) {}

  SymmetricMatrix bend(const VectorXd& weights) const override;

 private:
  const ScaledModel& model_;

  Linearised(const ScaledModel& model, const VectorXd& scaled, const Parts& parts) : model_(model) {
    predicted_ = parts.predicted(scaled);
    jacobian_ = {index(model.design_.rows), scaled.size(), model.is_sparse_, [&](const auto& put) {
                   model.put_derivatives(scaled, parts, [&](Index row, std::size_t k, double d) {
                     put(row, index(k), d);
                   });
                 }};
  }
};

/// All second derivatives of Eq. (4) are a first derivative times the logarithm of a column.
SymmetricMatrix ScaledModel::Linearised::bend(const VectorXd& weights) const {
  const Design& design = model_.design_;
  const Eq4Layout& layout = model_.layout_;
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
  return {index(layout.size()), model_.is_sparse_, std::move(entries)};
}

std::unique_ptr<LinearisedModel> ScaledModel::linearised(const VectorXd& scaled) const {
  return std::make_unique<Linearised>(*this, scaled);
}

VectorXd ScaledModel::reach(const VectorXd& at, double radius, bool curved_penalty) const {
  VectorXd out = VectorXd::Constant(at.size(), radius);
  if (curved_penalty) {
    out.head(first_power_) =
        radius * at.head(first_power_).cwiseAbs().cwiseMax(0.05 * box().upper.head(first_power_));
  } else {
    out.head(first_power_).setConstant(std::numeric_limits<double>::infinity());
  }
  out[at.size() - 1] = std::numeric_limits<double>::infinity();
  return out;
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

namespace {

/// Spacing of the powers that are tried.
constexpr double kPowerSpacing = 0.25;
/// Least downhill slope, as a share of the largest possible: smaller ones are rounding.
constexpr double kDownhillShare = 1e-9;

/// The powers that are tried for an idle term, ascending.
struct PowerGrid {
  double low = 0;
  double high = 0;
  int steps = std::max(1, static_cast<int>(std::lround((high - low) / kPowerSpacing)));

  double power(int k) const { return k == steps ? high : low + (high - low) / steps * k; }
};

/// The power of steepest descent of a term's column, if any is downhill. `logs`: per distinct value
/// of the column; `product`: of the scales, per row.
std::optional<double> steepest_power(const NumericFactor& factor, const std::vector<double>& logs,
                                     const PowerGrid& grid, const VectorXd& pull,
                                     const VectorXd& product) {
  const std::size_t places = logs.size();
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
    powers[v] = std::exp(grid.low * logs[v]);
    factors[v] = std::exp((grid.high - grid.low) / grid.steps * logs[v]);
  }
  std::optional<double> best;
  double least = -kDownhillShare * pull.norm();
  for (int k = 0; k <= grid.steps; ++k) {
    double slope = 0;   // d cost / d a
    double square = 0;  // sum of (d y / d a)^2 over the rows
    for (std::size_t v = 0; v < places; ++v) {
      slope += slope_of[v] * powers[v];
      square += square_of[v] * powers[v] * powers[v];
      powers[v] *= factors[v];
    }
    if (const double steepness = slope / std::sqrt(square); steepness < least) {
      least = steepness;
      best = grid.power(k);
    }
  }
  return best;
}

}  // namespace

std::optional<VectorXd> ScaledModel::wake(const VectorXd& scaled, const VectorXd& pull) const {
  std::optional<VectorXd> product;
  std::optional<VectorXd> woken;
  for (std::size_t i = 0; i < design_.intrinsic.size(); ++i) {
    const Index a = index(layout_.coefficient(i));
    if (scaled[a] != 0 || !(box().upper[a] > 0))
      continue;
    if (!product)
      product = parts(scaled).product;
    const Index p = index(layout_.intrinsic_power(i));
    const auto power =
        steepest_power(design_.intrinsic[i], intrinsic_logs_[i],
                       {.low = box().lower[p], .high = box().upper[p]}, pull, *product);
    if (!power)
      continue;
    if (!woken)
      woken = scaled;
    (*woken)[p] = *power;
  }
  return woken;
}

Optimum polish(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
               const FitOptions& options, const VectorXd& start, double gap_to_stop) {
  return finish(ScaledModel(rows.design(), space), rows, SignedLoss(options), penalty, start,
                gap_to_stop, options.stop);
}

}  // namespace perfmodel
