#include "page/page_content.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/form.hpp"
#include "forms/scaling_belief.hpp"
#include "table/expressions.hpp"
#include "trust/resampling.hpp"

namespace perfmodel::page {
namespace {

bool is_limit(const NumericFactor& lower, const NumericFactor& higher, std::size_t rows) {
  std::optional<double> first_equal;
  bool two_equal = false;
  bool differ = false;
  for (std::size_t row = 0; row < rows; ++row) {
    const double low = lower.value(row);
    const double high = higher.value(row);
    if (low > high)
      return false;
    differ = differ || low != high;
    if (low == high) {
      two_equal = two_equal || (first_equal && *first_equal != low);
      first_equal = low;
    }
  }
  return two_equal && differ;
}

constexpr double kRoom = 0.04;  // margin at each end, as a share of the span of the values

constexpr double kSeen = 0.0005;  // of the time: "0.1 %" with one decimal

/// The name of a term in the tables comes first, so that clipping does not remove it.
std::string step_name(const Share& share) {
  return share.title == share.name ? share.name : share.name + ": " + share.title;
}

/// Returns nullopt if there are no shares.
std::optional<TimeSteps> time_steps(const FittedModel& model, const std::vector<Share>& shares,
                                    const Configuration& shown, std::optional<double> time) {
  if (shares.empty() || !time)
    return std::nullopt;
  const auto factors = correction_factors(model, design_of(shown, model.spec));
  const double trend = factors ? *time / (*factors)[0] : *time;
  TimeSteps out{.steps = {}, .formula = trend, .gp = {}};
  double small = 0;
  std::size_t folded = 0;
  std::string only;
  for (const Share& share : shares) {
    const double part = trend * share.percent_shown / 100;
    if (std::abs(share.percent_shown) >= TimeSteps::least) {
      out.steps.push_back({step_name(share), part});
    } else {
      small += part;
      only = step_name(share);
      ++folded;
    }
  }
  if (std::abs(small) >= kSeen * trend)
    out.steps.push_back({folded == 1 ? only : std::to_string(folded) + " small parts", small});
  if (factors)
    out.gp = *time - trend;
  return out;
}

std::vector<Part> parts_of(const FittedModel& model) {
  std::vector<Part> parts;
  if (model.known.metrics.train.rows > 0)
    parts.push_back({"training", model.known.metrics.train});
  if (model.known.metrics.validation)
    parts.push_back({"validation", *model.known.metrics.validation});
  if (model.known.metrics.test)
    parts.push_back({"test", *model.known.metrics.test});
  if (model.known.cross_validation && !model.known.cross_validation->folds.empty()) {
    const CrossValidation& validation = *model.known.cross_validation;
    parts.push_back({"mean of " + std::to_string(validation.folds.size()) + " folds" +
                         (validation.group_by ? " by " + *validation.group_by : ""),
                     mean_metrics(validation.folds)});
  }
  return parts;
}

std::vector<ConstantGroup> constants_of(const FittedModel& model) {
  std::vector<ConstantGroup> out;
  for (std::string& name : model.form->groups(model.spec))
    out.push_back({std::move(name), {}});
  for (ConstantRow& row : constant_table(model)) {
    std::vector<ConstantRow>& group = out[row.group].constants;
    group.push_back(std::move(row));
  }
  return out;
}

CentralConfiguration central_of(const FittedModel& model, const Source& source) {
  const std::optional<Centre> centre = centre_of(model);
  CentralConfiguration out;
  out.of_the_fit = centre.has_value();
  if (centre) {
    out.configuration = centre->configuration;
    out.place = centre->place;
  } else {
    const std::size_t row = central_row(model.spec, source.design);
    out.configuration = configuration_of(source.design, row);
    out.place = "the central run (line " + std::to_string(source.lines[row]) + ")";
  }
  out.time = time_of(model, out.configuration);
  return out;
}

/// Returns the coverage, with the factors of the central configuration.
std::optional<IntervalCoverage> coverage_of(const Source& source, const Configuration& central) {
  const auto& intervals = source.model.known.intervals;
  if (!intervals)
    return std::nullopt;
  const auto of = [&](const Design& design) {
    return row_intervals(source.model, intervals->level, design);
  };
  return IntervalCoverage{covered_share(of(source.design), source.design.time, source.predicted),
                          of(design_of(central, source.model.spec))[0]};
}

/// Checks Eq. (4) only; other forms were chosen or requested by name.
std::optional<FormCheck> other_form(const Source& source) {
  if (source.model.form->name() != to_text(Expression::eq4) || !source.has_runs)
    return std::nullopt;
  const std::optional<FormCheck> check = check_form(source.model, source.design);
  return check && check->points_elsewhere() ? check : std::nullopt;
}

}  // namespace

bool all_whole(const std::vector<double>& values) {
  return std::ranges::all_of(
      values, [](double value) { return value == std::round(value); });
}

std::vector<NotAbove> orders_of(const Design& runs) {
  const std::size_t count = runs.intrinsic.size() + runs.extrinsic.size();
  std::vector<NotAbove> out;
  for (std::size_t lower = 0; lower < count; ++lower)
    for (std::size_t higher = 0; higher < count; ++higher) {
      const NumericFactor& low = numeric_factor(runs, lower);
      const NumericFactor& high = numeric_factor(runs, higher);
      if (lower != higher && all_whole(low.values) && all_whole(high.values) &&
          is_limit(low, high, runs.rows))
        out.push_back({lower, higher});
    }
  return out;
}

bool keeps_to(const std::vector<NotAbove>& orders, const Configuration& configuration) {
  const auto value = [&](std::size_t input) {
    const std::size_t extrinsic = configuration.extrinsic.size();  // first, as in numeric_factor()
    return input < extrinsic ? configuration.extrinsic[input]
                             : configuration.intrinsic[input - extrinsic];
  };
  return std::ranges::all_of(
      orders, [&](const NotAbove& order) { return value(order.lower) <= value(order.higher); });
}

double Range::position(double value) const {
  // Differences of logarithms, because ratios of very large and very small numbers overflow.
  if (spacing == Spacing::logarithmic)
    return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return (value - low) / (high - low);
}

double Range::value(double position) const {
  if (spacing == Spacing::logarithmic)
    return std::exp(std::log(low) + position * (std::log(high) - std::log(low)));
  return low + (high - low) * position;
}

Range range_of(const std::vector<double>& values, Spacing spacing) {
  using Limits = std::numeric_limits<double>;
  const auto [lowest, highest] = std::ranges::minmax_element(values);
  if (spacing == Spacing::logarithmic) {
    const double widening =
        std::exp(std::max(kRoom * (std::log(*highest) - std::log(*lowest)), kRoom));
    const double low = std::max(*lowest / widening, Limits::denorm_min());
    const double high = std::min(*highest * widening, Limits::max());
    // A small relative margin of the smallest doubles rounds to 0.
    return {low, std::max(high, std::nextafter(low, Limits::max())), spacing};
  }
  const double size = std::max(std::abs(*lowest), std::abs(*highest));
  double widening = kRoom * (*highest - *lowest);
  if (*highest == *lowest)
    widening = size > 0 ? kRoom * size : 1;
  return {*lowest - widening, *highest + widening, spacing};
}

double round_step(double span, std::size_t most) {
  const double least = span / static_cast<double>(most);
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    // A step may fall short of the least one by a rounding error.
    if (factor * power >= least * (1 - 1e-12))
      return factor * power;
  }
  return 10 * power;
}

std::string UsedRows::text() const {
  if (used == 0)
    return {};
  const std::string begin = fmt::format("{} of {} rows were used for the fit", used, rows);
  return all() || are_judged ? begin + ": errors on other runs may be larger"
                             : begin + fmt::format(": the other {} are judged", rows - used);
}

std::string settings_text(const ModelSpec& spec, const Configuration& configuration) {
  std::vector<std::string> settings;
  const auto add = [&](const std::string& column, const std::string& value) {
    settings.push_back(column + " = " + value);
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    add(spec.intrinsic[i].column, setting_text(configuration.intrinsic[i]));
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    add(spec.categorical[c].column, spec.categorical[c].levels[configuration.levels[c]]);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    add(spec.extrinsic[j].column, setting_text(configuration.extrinsic[j]));
  return joined(settings, ", ");
}

Content content_of(const Source& source) {
  const FittedModel& model = source.model;
  const std::vector<NotAbove> orders = orders_of(source.design);

  Content out(source);
  out.fitted_to_these_runs =
      source.used.all() || (source.used.used == 0 && !source.runs.sha256.empty() &&
                            source.runs.sha256 == model.provenance.sha256);
  if (source.has_runs && !out.fitted_to_these_runs && !model.bound)
    out.biases = judged_biases(model, source.design, source.predicted);
  out.turns = turns_against(source.model);
  out.other_form = other_form(source);
  out.parts = parts_of(model);
  out.noise_floor = noise_floor(source.design);
  out.central = central_of(model, source);
  const Configuration& shown = out.central.configuration;
  out.intervals = coverage_of(source, shown);
  out.median_time = sample_median(source.design.time);
  out.errors = errors_of(source.lines, source.design.time, source.predicted, kWorstRows);
  out.errors_along = errors_along(model.spec, source.design, source.predicted);
  out.shares = shares_of(model, source.design, shown);
  out.steps = time_steps(model, out.shares, shown, out.central.time);
  out.is_average = is_averaged(model);
  out.effects = effects_of(model, shown);
  out.powers = scaling_power_table(model);
  out.doublings = scale_effects_of(model, shown);
  out.curves = scale_curves(model, shown, source.design, source.predicted, orders);
  out.groups = run_groups(model, source.design, source.predicted, orders);
  out.constants = constants_of(model);
  if (model.bound && source.has_runs) {
    out.bound = bound_use(source.design.time, source.predicted);
    out.noise_floor.reset();
    out.errors_along.clear();
    out.errors.worst.clear();
  }
  return out;
}

}  // namespace perfmodel::page
