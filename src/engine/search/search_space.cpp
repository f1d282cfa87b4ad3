#include "search/search_space.hpp"

#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "forms/fit_options.hpp"

namespace perfmodel {

bool has_many_levels(const Design& design) {
  return std::ranges::any_of(
      design.categorical, [](const LevelFactor& factor) { return factor.levels >= kManyLevels; });
}

namespace {

/// Minus the powers that a coefficient goes with times the logarithms by which their columns are
/// divided.
double log_of_units(const Eq4Layout& layout, std::size_t coefficient, const VectorXd& scaled,
                    const std::vector<double>& intrinsic, const std::vector<double>& extrinsic) {
  const auto at = [&](std::size_t index) { return scaled[static_cast<Index>(index)]; };
  double out = 0;
  if (coefficient < intrinsic.size())
    out -= at(layout.intrinsic_power(coefficient)) * intrinsic[coefficient];
  for (std::size_t j = 0; j < extrinsic.size(); ++j)
    out -= at(layout.extrinsic_power(j)) * extrinsic[j];
  return out;
}

constexpr double kLargestPower = 5;  // Table 2's box in the paper
constexpr double kPaperLargestConstant = 1000;
constexpr double kSmallestShare = 1e-4;  // of the median time: lower bound of a and C in the search
constexpr double kLargestShare = 2;      // of the largest time
constexpr double kSmallestOfUserRange = 1e-9;

struct Range {
  double low = 0;
  double high = 0;
  bool by_user = false;
};

/// Column names that a bound on this kind of constant may have.
std::vector<std::string> columns_of(const ModelSpec& spec, std::string_view constant) {
  std::vector<std::string> names;
  if (constant == "a" || constant == "p")
    for (const NumericInput& input : spec.intrinsic)
      names.push_back(input.column);
  if (constant == "a")
    for (const CategoricalInput& input : spec.categorical)
      names.push_back(input.column);
  if (constant == "q")
    for (const NumericInput& input : spec.extrinsic)
      names.push_back(input.column);
  return names;
}

void check_columns(const ModelSpec& spec, const std::vector<BoundOverride>& bounds) {
  for (const BoundOverride& bound : bounds) {
    if (bound.constant.size() != 1 ||
        std::string_view("apqC").find(bound.constant[0]) == std::string_view::npos)
      throw UsageError(spelled("bounds") + " " + bound.constant +
                       ": the constants are a, p, q and C");
    if (!bound.column)
      continue;
    const std::vector<std::string> known = columns_of(spec, bound.constant);
    if (std::find(known.begin(), known.end(), *bound.column) != known.end())
      continue;
    const std::string& kind = bound.constant;
    throw UsageError(spelled("bounds") + " " + kind + "." + *bound.column +
                     ": the model has no constant " + kind + " for a column '" + *bound.column +
                     "'" + did_you_mean(*bound.column, known));
  }
}

/// The last matching bound wins; one with a column wins over one without.
Range bound_for(const std::vector<BoundOverride>& bounds, std::string_view constant,
                const std::string& column, Range otherwise) {
  Range range = otherwise;
  bool by_column = false;
  for (const BoundOverride& bound : bounds) {
    if (bound.constant != constant)
      continue;
    if (bound.column ? *bound.column != column : by_column)
      continue;
    range = {bound.low, bound.high, true};
    by_column = bound.column.has_value();
  }
  return range;
}

/// Restricts the power of a column with zeros to p > 0, for which 0^p is finite.
Range power_range(const NumericInput& input, Range range) {
  if (!input.zero)
    return range;
  range.low = std::max(range.low, kLeastPowerAtZero);
  if (range.low <= range.high)
    return range;
  throw UsageError(spelled("bounds") + " p." + input.column + ": '" + input.column +
                   "' has the value 0, whose power must be at least " + to_text(kLeastPowerAtZero));
}

}  // namespace

Regulariser::Regulariser(const SearchSpace& space, const WeightedRows& training,
                         const FitOptions& options)
    : PenaltyTerms(options.penalty.l1, options.penalty.l2),
      layout_(space.layout()),
      is_sparse_(has_many_levels(training.design())),
      intrinsic_shift_(space.intrinsic_log_centres()),
      extrinsic_shift_(space.extrinsic_log_centres()) {
  if (options.penalty.constants == Penalise::raw || !active())
    return;
  unit_ = median(training.measured().time);
  l1_ *= loss_of_time(options.loss, unit_);
  l2_ *= loss_of_time(options.loss, unit_);
  for (std::size_t i = 0; i < intrinsic_shift_.size(); ++i)
    intrinsic_shift_[i] -= log_geometric_mean(training.design().intrinsic[i], training);
  for (std::size_t j = 0; j < extrinsic_shift_.size(); ++j)
    extrinsic_shift_[j] -= log_geometric_mean(training.design().extrinsic[j], training);
}

double Regulariser::factor(std::size_t coefficient, const VectorXd& scaled) const {
  return std::exp(log_of_units(layout_, coefficient, scaled, intrinsic_shift_, extrinsic_shift_)) /
         unit_;
}

VectorXd Regulariser::values(const VectorXd& scaled) const {
  VectorXd out = scaled.head(scaled.size() - 1);
  for (std::size_t k = 0; k < layout_.intrinsic_power(0); ++k)
    out[static_cast<Index>(k)] *= factor(k, scaled);
  return out;
}

PenalisedConstants Regulariser::linearise(const VectorXd& scaled) const {
  const Index penalised = scaled.size() - 1;
  PenalisedConstants out{.values = values(scaled), .gradients = {}};
  const auto put_gradients = [&](const auto& put) {
    for (Index k = 0; k < penalised; ++k) {
      const std::size_t constant = static_cast<std::size_t>(k);
      if (layout_.is_power(constant)) {
        put(k, k, 1);
        continue;
      }
      // x = a * exp(-p shift - sum_j q_j shift_j) / unit
      put(k, k, factor(constant, scaled));
      if (layout_.is_of_power(constant))
        put(k, index(layout_.intrinsic_power(constant)),
            -intrinsic_shift_[constant] * out.values[k]);
      for (std::size_t j = 0; j < extrinsic_shift_.size(); ++j)
        put(k, index(layout_.extrinsic_power(j)), -extrinsic_shift_[j] * out.values[k]);
    }
  };
  out.gradients = {penalised, scaled.size(), is_sparse_, put_gradients};
  return out;
}

double log_geometric_mean(const NumericFactor& factor, const WeightedRows& rows) {
  double sum = 0;
  double zeros = 0;
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (factor.value(r) == 0)
      zeros += rows.weight(r);
    else
      sum += rows.weight(r) * std::log(factor.value(r));
  const double weight = rows.total_weight() - zeros;
  return weight > 0 ? sum / weight : 0;
}

SearchSpace::SearchSpace(const ModelSpec& spec, const WeightedRows& training,
                         const FitOptions& options)
    : layout_(spec) {
  const std::vector<BoundOverride>& bounds = search_settings(options).bounds;
  check_columns(spec, bounds);
  const bool scale = method_of(options) == Method::scaled;
  const Range power{-kLargestPower, kLargestPower};
  const VectorXd& times = training.measured().time;
  const Range constant{0, scale ? kLargestShare * times.maxCoeff() : kPaperLargestConstant};
  const double floor = scale ? kSmallestShare * median(times) : 0;
  const Index size = static_cast<Index>(layout_.size());
  logarithmic_.assign(layout_.size(), 0);
  scaled_ = {VectorXd::Zero(size), VectorXd::Zero(size)};
  coordinates_ = scaled_;

  const auto set = [&](std::size_t index, const Range& range, bool positive) {
    const Index i = static_cast<Index>(index);
    scaled_.lower[i] = coordinates_.lower[i] = range.low;
    scaled_.upper[i] = coordinates_.upper[i] = range.high;
    if (!scale || !positive || range.low < 0 || range.high <= range.low)
      return;
    const double least = range.by_user ? kSmallestOfUserRange * range.high : floor;
    logarithmic_[index] = 1;
    coordinates_.lower[i] = std::log(std::max(range.low, std::min(least, range.high / 2)));
    coordinates_.upper[i] = std::log(range.high);
  };

  // A user's bound on a coefficient is in the units of the data. Its column, and all extrinsic
  // columns, are then not divided by their means, so that the bound applies.
  bool extrinsic_scaled = scale;
  const auto set_coefficient = [&](std::size_t index, const std::string& column) {
    const Range range = bound_for(bounds, "a", column, constant);
    set(index, range, true);
    extrinsic_scaled = extrinsic_scaled && !range.by_user;
    return range;
  };
  intrinsic_log_centres_.assign(spec.intrinsic.size(), 0);
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    const std::string& column = spec.intrinsic[i].column;
    const Range range = set_coefficient(layout_.coefficient(i), column);
    set(layout_.intrinsic_power(i),
        power_range(spec.intrinsic[i], bound_for(bounds, "p", column, power)), false);
    if (scale && !range.by_user)
      intrinsic_log_centres_[i] = log_geometric_mean(training.design().intrinsic[i], training);
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
      set_coefficient(layout_.level(c, l), spec.categorical[c].column);
  if (const auto lone = layout_.lone_coefficient())
    set_coefficient(*lone, "");
  extrinsic_log_centres_.assign(spec.extrinsic.size(), 0);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
    const std::string& column = spec.extrinsic[j].column;
    set(layout_.extrinsic_power(j), bound_for(bounds, "q", column, power), false);
    if (extrinsic_scaled)
      extrinsic_log_centres_[j] = log_geometric_mean(training.design().extrinsic[j], training);
  }
  set(layout_.intercept(), bound_for(bounds, "C", "", constant), true);
}

VectorXd SearchSpace::scaled_from_coordinates(const VectorXd& x) const {
  VectorXd scaled = x;
  for (Index i = 0; i < x.size(); ++i)
    if (logarithmic_[static_cast<std::size_t>(i)])
      scaled[i] = std::exp(x[i]);
  return scaled.cwiseMax(scaled_.lower).cwiseMin(scaled_.upper);
}

double SearchSpace::log_raw_factor(std::size_t index, const VectorXd& scaled) const {
  return log_of_units(layout_, index, scaled, intrinsic_log_centres_, extrinsic_log_centres_);
}

VectorXd SearchSpace::raw_from_scaled(const VectorXd& scaled) const {
  VectorXd raw = scaled;
  for (std::size_t i = 0; i < layout_.intrinsic_power(0); ++i)
    raw[static_cast<Index>(i)] *= std::exp(log_raw_factor(i, scaled));
  return raw;
}

VectorXd SearchSpace::scaled_from_raw(const VectorXd& raw) const {
  VectorXd scaled = raw;  // the powers are the same
  for (std::size_t i = 0; i < layout_.intrinsic_power(0); ++i)
    scaled[static_cast<Index>(i)] *= std::exp(-log_raw_factor(i, scaled));
  return scaled.cwiseMax(scaled_.lower).cwiseMin(scaled_.upper);
}

}  // namespace perfmodel
