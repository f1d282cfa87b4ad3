#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "fit/polish.hpp"
#include "fit/search_space.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
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

/// What a prediction is made of: powers of every distinct value, and per row the sum and the
/// product.
struct ScaledModel::Parts {
  std::vector<std::vector<double>> powers;  ///< I^p per intrinsic column and distinct value
  VectorXd sum;
  VectorXd product;
};

ScaledModel::ScaledModel(const Design& design, const SearchSpace& space)
    : design_(design),
      layout_(space.layout()),
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
  const Parts p = parts(scaled);
  return (p.sum.array() * p.product.array() + scaled[scaled.size() - 1]).matrix();
}

LevelMatrix ScaledModel::empty_jacobian() const {
  LevelMatrix out;
  if (many_levels_) {
    out.levels.first = index(layout_.level(*many_levels_, 0));
    out.levels.count = index(design_.categorical[*many_levels_].levels);
    const std::vector<std::uint32_t>& codes = design_.categorical[*many_levels_].codes;
    out.levels.of_row.assign(codes.begin(), codes.end());
    out.levels.value.resize(index(design_.rows));
  }
  out.others.setZero(index(design_.rows), index(layout_.size()) - out.levels.count);
  return out;
}

VectorXd ScaledModel::linearise(const VectorXd& scaled, LevelMatrix& jacobian) const {
  const Parts part = parts(scaled);
  jacobian = empty_jacobian();
  for (std::size_t r = 0; r < design_.rows; ++r) {
    const Index row = static_cast<Index>(r);
    const auto put = [&](std::size_t constant, double derivative) {
      jacobian.others(row, jacobian.levels.other(index(constant))) = derivative;
    };
    const double product = part.product[row];
    for (std::size_t i = 0; i < design_.intrinsic.size(); ++i) {
      const std::size_t e = entry(design_.intrinsic[i], r);
      const double power = part.powers[i][e] * product;
      put(layout_.coefficient(i), power);
      put(layout_.intrinsic_power(i),
          scaled[static_cast<Index>(layout_.coefficient(i))] * power * intrinsic_logs_[i][e]);
    }
    for (std::size_t c = 0; c < design_.categorical.size(); ++c)
      if (c == many_levels_)
        jacobian.levels.value[row] = product;
      else
        put(layout_.level(c, design_.categorical[c].codes[r]), product);
    if (const auto lone = layout_.lone_coefficient())
      put(*lone, product);
    for (std::size_t j = 0; j < design_.extrinsic.size(); ++j) {
      put(layout_.extrinsic_power(j),
          part.sum[row] * product * extrinsic_logs_[j][entry(design_.extrinsic[j], r)]);
    }
    put(layout_.intercept(), 1);
  }
  return (part.sum.array() * part.product.array() + scaled[scaled.size() - 1]).matrix();
}

ArrowMatrix ScaledModel::curvature(const LevelMatrix& jacobian, const VectorXd& weights) const {
  ArrowMatrix out = zero_arrow(jacobian);
  const auto weighted_logs = [&](const NumericFactor& factor, const std::vector<double>& logs) {
    VectorXd weighted = weights;
    for (std::size_t r = 0; r < design_.rows; ++r)
      weighted[static_cast<Index>(r)] *= logs[entry(factor, r)];
    return weighted;
  };
  const auto place = [&](std::size_t constant) { return jacobian.levels.other(index(constant)); };
  for (std::size_t i = 0; i < design_.intrinsic.size(); ++i) {
    const VectorXd weighted = weighted_logs(design_.intrinsic[i], intrinsic_logs_[i]);
    const Index a = place(layout_.coefficient(i));
    const Index p = place(layout_.intrinsic_power(i));
    out.core(a, p) = out.core(p, a) = jacobian.others.col(a).dot(weighted);
    out.core(p, p) = jacobian.others.col(p).dot(weighted);
  }
  for (std::size_t j = 0; j < design_.extrinsic.size(); ++j) {
    const Index q = place(layout_.extrinsic_power(j));
    VectorXd row = optimise::transposed_product(
        jacobian.others, jacobian.levels, weighted_logs(design_.extrinsic[j], extrinsic_logs_[j]));
    row[row.size() - 1] = 0;  // C does not scale
    const VectorXd others = jacobian.levels.empty() ? row : jacobian.levels.others(row);
    out.core.row(q) = others;
    out.core.col(q) = others;
    if (!jacobian.levels.empty())
      out.border.col(q) = jacobian.levels.levels(row);
  }
  return out;
}

using Eigen::Index;
using Eigen::VectorXd;

optimise::Bounds ScaledSteps::around(const VectorXd& at, double radius, bool holds_a) const {
  VectorXd reach = VectorXd::Constant(constants_, radius);
  if (holds_a) {
    reach.head(first_power_) =
        radius * at.head(first_power_).cwiseAbs().cwiseMax(0.05 * box_.upper.head(first_power_));
  } else {
    reach.head(first_power_).setConstant(std::numeric_limits<double>::infinity());
  }
  reach[constants_ - 1] = std::numeric_limits<double>::infinity();
  return {(box_.lower - at).cwiseMax(-reach).cwiseMin(0),
          (box_.upper - at).cwiseMin(reach).cwiseMax(0)};
}

VectorXd ScaledSteps::inside(const VectorXd& scaled, const VectorXd& effects, double cost) const {
  constexpr double rounding = 1e-13;
  VectorXd out = scaled.cwiseMax(box_.lower).cwiseMin(box_.upper);
  for (Index k = 0; k < out.size(); ++k) {
    const bool power = k >= first_power_ && k < constants_ - 1;
    const double above = out[k] - box_.lower[k];
    if (power ? above < rounding * (box_.upper[k] - box_.lower[k])
              : above * effects[k] < rounding * cost)
      out[k] = box_.lower[k];
  }
  return out;
}

double ScaledSteps::length(const VectorXd& step) const {
  const Index powers = constants_ - 1 - first_power_;
  return powers == 0 ? 0 : step.segment(first_power_, powers).cwiseAbs().maxCoeff();
}

SquaredRows::SquaredRows(const WeightedRows& rows, const SearchSpace& space, Loss loss)
    : rows_(rows),
      training_(rows.design()),
      space_(space),
      logarithmic_(loss == Loss::rmsle),
      model_(training_, space) {}

VectorXd SquaredRows::residuals(const VectorXd& predicted) const {
  if (!logarithmic_)
    return training_.time - predicted;
  return training_.time.array().log() - predicted.array().log();
}

VectorXd SquaredRows::weighted(const VectorXd& residual) const {
  return rows_.weights().size() > 0 ? VectorXd(rows_.weights().cwiseProduct(residual)) : residual;
}

double SquaredRows::square_sum_of(const VectorXd& residual) const {
  const double sum =
      rows_.weights().size() > 0 ? residual.dot(weighted(residual)) : residual.squaredNorm();
  return sum + rows_.scatter();
}

double SquaredRows::mean_square(const VectorXd& scaled) const {
  return square_sum_of(residuals(model_.predict(scaled))) / rows_.total_weight();
}

SquareSums SquaredRows::sums(const VectorXd& scaled) const {
  optimise::LevelMatrix jacobian;
  const VectorXd predicted = model_.linearise(scaled, jacobian);
  const VectorXd residual = residuals(predicted);
  SquareSums out;
  out.factor = 2 / rows_.total_weight();
  if (logarithmic_) {
    // d sqrt(m) = dm / (2 sqrt(m))
    out.root = std::max(1e-300, std::sqrt(square_sum_of(residual) / rows_.total_weight()));
    out.factor /= 2 * out.root;
  }
  add_derivatives(predicted, residual, jacobian, out);
  return out;
}

void SquaredRows::add_derivatives(const VectorXd& predicted, const VectorXd& residual,
                                  optimise::LevelMatrix& jacobian, SquareSums& out) const {
  const VectorXd pull = weighted(residual);
  out.bend =
      model_.curvature(jacobian, logarithmic_ ? VectorXd(pull.cwiseQuotient(predicted)) : pull);
  if (logarithmic_) {
    jacobian.others.array().colwise() /= predicted.array();
    if (!jacobian.levels.empty())
      jacobian.levels.value.array() /= predicted.array();
  }
  out.gradient = optimise::scaled_transposed_product(-out.factor, jacobian, pull);
  out.gauss_newton = gram(out.factor, jacobian, rows_.weights());
  if (!logarithmic_)
    return;
  if (jacobian.levels.empty())
    out.of_logarithm = dense_arrow(
        out.factor * (jacobian.others.transpose() * pull.asDiagonal() * jacobian.others));
  else
    out.of_logarithm = gram(out.factor, jacobian, pull);
}

std::optional<VectorXd> SquaredRows::wake(const VectorXd& scaled) const {
  const VectorXd predicted = model_.predict(scaled);
  VectorXd pull = -weighted(residuals(predicted));  // d cost / d prediction, up to a factor
  if (logarithmic_)
    pull.array() /= predicted.array();
  return wake_idle_terms(training_, space_, scaled, pull);
}

}  // namespace perfmodel
