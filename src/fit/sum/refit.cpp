#include "fit/sum/refit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "fit/sum/descent/approach.hpp"
#include "fit/sum/shared_sum.hpp"
#include "fit/sum/terms/sum_of_terms.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Where a C of 0 starts again, of the shortest time: from 0 itself no descent of ln C leads away.
constexpr double kLeastRefittedIntercept = 0.01;
/// Of the largest factor: one that went to nothing is not divided by.
constexpr double kLeastReference = 1e-87;

SumShape shape_of(const SumPart& part, const TermCoordinates& coordinates) {
  SumShape out;
  out.terms = static_cast<Index>(part.structure.terms);
  out.plain_features = coordinates.plain_features();
  for (std::size_t g = 0; g < part.structure.regimes.size(); ++g)
    out.regimes.push_back(static_cast<Index>(g));
  out.intercept = part.estimate.intercept;
  out.log_powers = part.structure.log_powers;
  out.numeric_features = coordinates.numeric_features();
  out.shared = part.estimate.shared;
  for (std::size_t n = 0; n < numeric_count(part.spec); ++n)
    if (part.structure.has_ring(0, n))  // as in all terms of the part
      out.rings.push_back(n);
  const MultiLayout layout(part.spec, part.structure);
  for (std::size_t k = 0; k < part.structure.terms; ++k)
    out.signs.push_back(part.constants[index(layout.coefficient(k))] < 0 ? -1 : 1);
  return out;
}

/// Coordinates of inputs that play no part in a term.
std::vector<bool> still_coordinates(const SumPart& part, const TermCoordinates& coordinates,
                                    const SumShape& shape) {
  const MultiLayout layout(part.spec, part.structure);
  const std::vector<SumConstant> constants = sum_constants(part);
  std::vector<bool> out(static_cast<std::size_t>(shape.size()), false);
  for (std::size_t k = 0; k < part.structure.terms; ++k) {
    std::size_t input = 0;
    const auto add = [&](std::size_t first, std::size_t count) {
      const auto [start, size] = coordinates.inputs()[input++];
      const auto begin = constants.begin() + index(first);
      if (std::find(begin, begin + index(count), SumConstant::unused) == begin + index(count))
        return;
      for (Index j = start; j < start + size; ++j)
        out[static_cast<std::size_t>(static_cast<Index>(k) * shape.features() + j)] = true;
    };
    for (std::size_t i = 0; i < part.spec.intrinsic.size(); ++i)
      add(layout.intrinsic_power(k, i), 1);
    for (std::size_t c = 0; c < part.spec.categorical.size(); ++c)
      add(layout.level(k, c, 0), part.spec.categorical[c].levels.size());
    for (std::size_t j = 0; j < part.spec.extrinsic.size(); ++j)
      add(layout.extrinsic_power(k, j), 1);
    for (std::size_t g = 0; g < part.structure.regimes.size(); ++g)
      add(layout.regime(k, g, 0), 2);
  }
  return out;
}

/// By row: 0 at or below the threshold, 1 above it.
std::vector<std::uint32_t> sides(const Regime& regime, const Design& runs) {
  std::vector<std::uint32_t> out(runs.rows);
  for (std::size_t row = 0; row < runs.rows; ++row)
    out[row] = numeric_factor(runs, regime.numeric).value(row) > regime.above ? 1 : 0;
  return out;
}

/// Takes each term away where it does not exist: a further column of logarithms per term, which are
/// 0 or -infinity, with the power 1.
void switch_off(const SumPart& part, const Design& runs, const TermCoordinates& coordinates,
                TermData& data, SumShape& shape) {
  const MultiLayout layout(part.spec, part.structure);
  const Index columns = data.log_logs.cols();
  const Index terms = shape.terms;
  MatrixXd logs = MatrixXd::Zero(data.rows(), columns + terms);
  logs.leftCols(columns) = data.log_logs;
  for (Index k = 0; k < terms; ++k) {
    const auto off = [&](std::size_t first, const std::vector<std::uint32_t>& codes) {
      for (Index row = 0; row < data.rows(); ++row) {
        const std::uint32_t code = codes[coordinates.order()[static_cast<std::size_t>(row)]];
        if (part.constants[index(first + code)] == 0)
          logs(row, columns + k) = -std::numeric_limits<double>::infinity();
      }
    };
    const auto term = static_cast<std::size_t>(k);
    for (std::size_t c = 0; c < runs.categorical.size(); ++c)
      off(layout.level(term, c, 0), runs.categorical[c].codes);
    for (std::size_t g = 0; g < part.structure.regimes.size(); ++g)
      off(layout.regime(term, g, 0), sides(part.structure.regimes[g], runs));
    std::vector<int>& powers = shape.log_powers[term];
    powers.resize(static_cast<std::size_t>(columns + terms), 0);
    powers[static_cast<std::size_t>(columns + k)] = 1;
  }
  data.log_logs = std::move(logs);
}

/// Factors that were 0 are 0 again, and the first that is left is 1.
void restore_zeros(const SumPart& part, VectorXd& constants) {
  const MultiLayout layout(part.spec, part.structure);
  for (std::size_t k = 0; k < part.structure.terms; ++k) {
    const auto restore = [&](std::size_t first, std::size_t count) {
      auto factors = constants.segment(index(first), index(count));
      const auto were = part.constants.segment(index(first), index(count)).array();
      factors = (were == 0).select(0, factors.array()).matrix();
      const auto first_left =
          std::find_if(were.begin(), were.end(), [](double was) { return was > 0; });
      if (first_left == were.end())
        return;
      double& reference = factors[first_left - were.begin()];
      const double scale = std::max(reference, kLeastReference * factors.maxCoeff());
      if (scale == 1)
        return;
      constants[index(layout.coefficient(k))] *= scale;
      factors /= scale;
      reference = 1;
    };
    for (std::size_t c = 0; c < part.spec.categorical.size(); ++c)
      restore(layout.level(k, c, 0), part.spec.categorical[c].levels.size());
    for (std::size_t g = 0; g < part.structure.regimes.size(); ++g)
      restore(layout.regime(k, g, 0), 2);
  }
}

}  // namespace

SumRefit::SumRefit(const FittedModel& model, const FitOptions& options)
    : model_(model), options_(options), parts_(sum_parts(model)) {}

VectorXd SumRefit::operator()(const Design& runs) const {
  VectorXd out = model_.constants;
  for (const SumPart& part : parts_) {
    const Design own = part.runs(runs);
    const bool has_any = part.structure.terms > 0 || part.estimate.intercept;
    if (own.rows == 0 || !has_any)
      continue;
    const VectorXd found = refitted(part, own);
    for (std::size_t i = 0; i < part.origin.size(); ++i)
      out[index(part.origin[i])] = found[index(i)];
  }
  return out;
}

VectorXd SumRefit::refitted(const SumPart& part, const Design& runs) const {
  const TermCoordinates coordinates(part.spec, runs, part.structure.regimes);
  if (model_.search.sharing && model_.search.sharing->shared)
    return search_shared_sum({coordinates, part.spec, runs, options_}, *options_.shared_form)
        .constants;
  const SumShape shape = shape_of(part, coordinates);
  VectorXd from = part.constants;
  if (shape.intercept) {
    double& intercept = from[from.size() - 1];
    intercept = std::max(intercept, kLeastRefittedIntercept * runs.time.minCoeff());
  }
  SumShape masked = shape;
  masked.still = still_coordinates(part, coordinates, shape);
  TermData data = coordinates.data(shape);
  switch_off(part, runs, coordinates, data, masked);
  const double strength = part.estimate.ridge;
  SumFit start;
  start.theta = coordinates.theta(shape, from);
  // Resampled rows can have a better optimum of absolute errors far away, in which the terms have
  // changed their parts: their intervals would say nothing of either.
  const SumFit found = approach(data, masked, options_, strength, start, Reach::nearby);
  VectorXd out = coordinates.constants(shape, found.theta);
  restore_zeros(part, out);
  double& intercept = out[out.size() - 1];
  if (shape.terms > 0 && intercept < kNoIntercept * coordinates.typical_time())
    intercept = 0;
  return out;
}

}  // namespace perfmodel
