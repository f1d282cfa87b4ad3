#include "fit/residual/trend_of_form.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/index.hpp"
#include "fit/residual/factor_groups.hpp"
#include "fit/sum/finish/simplify.hpp"
#include "fit/sum/form/sum_form.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Of a factor, beside a power over one standard deviation of its column's logarithm.
const double kFactorScale = std::sqrt(0.5);

/// Where the logarithms of a column lie.
struct LogPlace {
  double middle = 0;
  double spread = 1;
};

LogPlace trend_place_of(const NumericInput& input, const NumericFactor& factor, std::size_t rows) {
  VectorXd logs(index(rows));
  for (std::size_t row = 0; row < rows; ++row)
    logs[index(row)] = std::log(input.counted(factor.value(row)));
  LogPlace out;
  out.middle = logs.mean();
  const double spread = std::sqrt((logs.array() - out.middle).square().mean());
  if (spread > 1e-12 * (1 + std::abs(out.middle)))
    out.spread = spread;
  return out;
}

std::map<std::string, LogPlace> places_of(const ModelSpec& spec, const Design& runs) {
  std::map<std::string, LogPlace> out;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    out[spec.intrinsic[i].column] = trend_place_of(spec.intrinsic[i], runs.intrinsic[i], runs.rows);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out[spec.extrinsic[j].column] = trend_place_of(spec.extrinsic[j], runs.extrinsic[j], runs.rows);
  return out;
}

bool is_power(const ConstantInfo& constant) {
  return constant.range == ConstantRange::any;
}

/// Whether a constant is a time, or a factor of one.
bool carries_time(const ConstantInfo& constant) {
  return constant.role == ConstantRole::coefficient ||
         constant.range == ConstantRange::not_negative;
}

/// A power, and what goes with it.
struct Power {
  Index constant = 0;
  double middle = 0;                ///< of the logarithms of its column
  std::vector<Index> coefficients;  ///< that it is a factor of
};

/// The coefficients of its own group; where it has none, such as q of Eq. (4), those of all.
std::vector<Index> coefficients_of(const ConstantInfo& power,
                                   const std::vector<ConstantInfo>& constants) {
  std::vector<Index> own;
  std::vector<Index> all;
  for (std::size_t k = 0; k < constants.size(); ++k) {
    const ConstantInfo& constant = constants[k];
    if (!carries_time(constant) || constant.role == ConstantRole::intercept)
      continue;
    all.push_back(index(k));
    if (constant.group == power.group)
      own.push_back(index(k));
  }
  return own.empty() ? all : own;
}

/// Factors of a column, relative to the first that is not 0, and the coefficient beside them.
struct FactorGroup {
  std::vector<Index> factors;
  Index coefficient = 0;
};

std::vector<FactorGroup> factors_of(const std::vector<ConstantInfo>& constants,
                                    const ModelSpec& spec) {
  std::vector<FactorGroup> out;
  for (std::vector<Index>& group : factor_groups(constants, spec)) {
    const std::size_t term = constants[static_cast<std::size_t>(group.front())].group;
    for (std::size_t k = 0; k < constants.size(); ++k)
      if (constants[k].group == term && constants[k].role == ConstantRole::coefficient)
        out.push_back({group, index(k)});
  }
  return out;
}

/// Powers that a sum was left simpler by, and factors of inputs that play no part: the process must
/// not make them what they were.
std::vector<Index> settled(const Form& form, const std::vector<ConstantInfo>& constants,
                           const std::vector<FactorGroup>& factors, const VectorXd& values) {
  std::vector<Index> out;
  if (dynamic_cast<const SumForm*>(&form) == nullptr)
    return out;
  for (std::size_t k = 0; k < constants.size(); ++k)
    if (is_power(constants[k]) && is_plain_power(values[index(k)]))
      out.push_back(index(k));
  for (const FactorGroup& group : factors)
    if (std::all_of(group.factors.begin(), group.factors.end(),
                    [&](Index k) { return values[k] == 1; }))
      out.insert(out.end(), group.factors.begin(), group.factors.end());
  return out;
}

double first_above_zero(const VectorXd& constants, const std::vector<Index>& factors) {
  for (const Index k : factors)
    if (constants[k] > 0)
      return constants[k];
  return 1;
}

std::vector<std::size_t> column_positions(std::span<const Index> rows) {
  return {rows.begin(), rows.end()};
}

}  // namespace

TrendOfForm trend_around(const std::shared_ptr<const Form>& form, const ModelSpec& spec,
                         const VectorXd& constants, const Design& runs) {
  const std::vector<ConstantInfo> infos = form->constants(spec);
  const std::map<std::string, LogPlace> places = places_of(spec, runs);
  const std::vector<FactorGroup> factors = factors_of(infos, spec);
  const std::vector<Index> still = settled(*form, infos, factors, constants);
  std::vector<Power> powers;
  TrendOfForm out{.form = form, .trend = {}, .constants = {}};
  out.trend.start = VectorXd::Zero(constants.size());
  out.trend.scales = VectorXd::Constant(constants.size(), kFactorScale);
  for (std::size_t k = 0; k < infos.size(); ++k) {
    if (is_power(infos[k])) {
      const LogPlace& place = places.at(infos[k].column);
      out.trend.scales[index(k)] = 1 / place.spread;
      powers.push_back({index(k), place.middle, coefficients_of(infos[k], infos)});
    }
    out.trend.groups.push_back(is_power(infos[k]) ? 1 : 0);
  }
  out.trend.group_count = powers.empty() ? 1 : 2;

  out.constants = [=](const VectorXd& estimates, double level) {
    VectorXd logs = estimates;
    for (const Power& power : powers)
      for (const Index k : power.coefficients)
        logs[k] -= power.middle * estimates[power.constant];
    VectorXd moved = constants;
    for (std::size_t k = 0; k < infos.size(); ++k) {
      const Index i = index(k);
      if (is_power(infos[k]))
        moved[i] += estimates[i];
      else
        moved[i] *= std::exp(logs[i] + (carries_time(infos[k]) ? level : 0));
    }
    for (const FactorGroup& group : factors) {
      const double first = first_above_zero(moved, group.factors);
      for (const Index k : group.factors)
        moved[k] /= first;
      moved[group.coefficient] *= first;
    }
    form->keep_in_bounds(spec, moved);
    return moved;
  };
  out.trend.at = [=, of = out.constants](const VectorXd& estimates, std::span<const Index> rows) {
    const Design some = take_rows(runs, column_positions(rows));
    const VectorXd at = of(estimates, 0);
    process::TrendValues values;
    values.values = form->predict(spec, at, some).array().log();
    values.slopes = form->log_slopes(spec, at, some);
    for (const Power& power : powers) {
      for (const Index k : power.coefficients)
        values.slopes.col(power.constant) -= power.middle * values.slopes.col(k);
    }
    for (const Index k : still)
      values.slopes.col(k).setZero();
    return values;
  };
  return out;
}

TrendOfForm product_trend_of(const ModelSpec& spec, const ProcessColumns& columns,
                             const process::Inputs& inputs,
                             std::vector<process::Coordinate> coordinates,
                             const std::vector<Cap>& caps) {
  MultiStructure structure;
  structure.log_powers = {std::vector<int>(spec.extrinsic.size(), 0)};
  std::vector<std::size_t> rings;
  for (std::size_t j = 0; j < coordinates.size(); ++j) {
    const std::size_t numeric = j < columns.intrinsic.size()
                                    ? spec.extrinsic.size() + columns.intrinsic[j]
                                    : columns.extrinsic[j - columns.intrinsic.size()];
    if (coordinates[j].form == process::CoordinateForm::ring)
      rings.push_back(numeric);
    coordinates[j].most = std::numeric_limits<double>::infinity();
    for (const Cap& cap : caps)
      if (cap.numeric == numeric)
        coordinates[j].most = cap.at;
  }
  if (!rings.empty())
    structure.rings = {rings};
  if (!caps.empty())
    structure.caps = {caps};
  const MultiLayout layout(spec, structure);
  const std::vector<Index> counts = process::level_counts(inputs);
  TrendOfForm out{
      .form = std::make_shared<SumForm>(
          structure, SumEstimates{.parted = {}, .sums = {{.ridge = 0, .intercept = false}}}),
      .trend = process::product_trend(process::placed(inputs, coordinates)),
      .constants = {}};
  out.constants = [=, places = std::move(coordinates), categorical = spec.categorical](
                      const VectorXd& estimates, double level) {
    const std::size_t intrinsic = columns.intrinsic.size();
    VectorXd constants = VectorXd::Zero(index(layout.size()));
    double log_coefficient = level;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double power = estimates[index(i)] / places[i].scale;
      log_coefficient -= power * places[i].centre;
      constants[index(i < intrinsic
                          ? layout.intrinsic_power(0, columns.intrinsic[i])
                          : layout.extrinsic_power(0, columns.extrinsic[i - intrinsic]))] = power;
    }
    Index first = index(places.size());
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const std::size_t column = columns.categorical[c];
      const std::size_t levels = categorical[column].levels.size();
      const auto log_factor = [&](std::size_t l) {  // levels that no run has are like the average
        return index(l) < counts[c] ? estimates[first + index(l)] : 0.0;
      };
      const double of_first = log_factor(categorical[column].shown_level(0));
      log_coefficient += of_first;
      for (std::size_t l = 0; l < levels; ++l)
        constants[index(layout.level(0, column, l))] = std::exp(log_factor(l) - of_first);
      first += counts[c];
    }
    constants[index(layout.coefficient(0))] = std::exp(log_coefficient);
    return constants;
  };
  return out;
}

}  // namespace perfmodel
