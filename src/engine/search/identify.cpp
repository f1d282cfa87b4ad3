#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.hpp"
#include "base/text.hpp"
#include "columns/design.hpp"
#include "search/scaled_model.hpp"
#include "search/sensitivity.hpp"
#include "table/expressions.hpp"

namespace perfmodel {
namespace {

constexpr double kSameEffect = 1e-6;    // of unit effects
constexpr double kBoundMargin = 1e-3;   // of the range between the bounds
constexpr double kNegligibleShare = 1;  // percent of the predicted time
constexpr std::size_t kFewestForRise =
    4;                               // values of a scale: one more than the test has constants
constexpr double kLeastRise = 1.05;  // of a doubling: for less, nobody would change a plan

std::vector<Standing> standings_of(const SearchSpace& space, const VectorXd& scaled) {
  const Eq4Layout& layout = space.layout();
  std::vector<Standing> out(layout.size(), Standing::free);
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const double low = space.scaled().lower[index(k)];
    const double high = space.scaled().upper[index(k)];
    const double value = scaled[index(k)];
    if (high <= low)
      out[k] = Standing::fixed;
    else if (!layout.is_power(k) && low == 0 && value == 0)
      out[k] = Standing::at_zero;
    else if (value >= high - kBoundMargin * (high - low) ||
             (value <= low + kBoundMargin * (high - low) && low != 0))
      out[k] = Standing::at_bound;
  }
  for (std::size_t i = 0; i < space.intrinsic_log_centres().size(); ++i) {
    Standing& power = out[layout.intrinsic_power(i)];
    if (power != Standing::fixed && scaled[index(layout.coefficient(i))] == 0)
      power = Standing::idle;
  }
  return out;
}

Sensitivity sensitivity_of(const SearchSpace& space, const Design& training,
                           const FitOptions& options, const VectorXd& scaled) {
  std::vector<Standing> standings = standings_of(space, scaled);
  // Levels and C at 0 are included, since a flat direction may lead back from the bound. A term
  // with coefficient 0 is excluded: its power would always be flat.
  std::vector<bool> left_out;
  for (std::size_t k = 0; k < standings.size(); ++k)
    left_out.push_back(standings[k] == Standing::fixed ||
                       (standings[k] == Standing::at_zero && space.layout().is_of_power(k)));
  const ScaledModel model(training, space);
  return {std::move(standings), std::move(left_out), *model.linearised(scaled), options.loss,
          training};
}

/// The sentence for a column with one value besides 0, which determines the term but not its power.
std::string lone_value_sentence(const NumericInput& input) {
  return "'" + input.column +
         "' has one value beside 0: its coefficient and its power are only determined together";
}

/// A part of the sum that can absorb a constant offset: all levels of a column, a term with power
/// 0, the a of a model without other inputs than scales, or C if nothing scales.
struct OffsetPart {
  bool has_levels;
  std::string name;    ///< a column of levels, or the part as named in a sentence
  VectorXd direction;  ///< 1 for each of its constants
};

std::string exchange_sentence(const std::vector<OffsetPart>& group) {
  std::vector<std::string> level_columns;
  std::vector<std::string> others;
  for (const OffsetPart& part : group)
    (part.has_levels ? level_columns : others).push_back(part.name);
  if (level_columns.empty()) {
    const std::string last = others.back();
    others.pop_back();
    return joined(others, " and ") + " cannot be told from " + last +
           ": only the sum is determined";
  }
  std::string from = joined(others, " or from ");
  if (level_columns.size() > 1)
    from = others.empty() ? "another's" : "another's or from " + from;
  return "only differences between the levels of " + sorted_list(level_columns) +
         " are determined: a constant added to one column's levels can be taken from " + from;
}

/// The constants of Eq. (4) in the terms of IdentifiedConstants, and what only Eq. (4) has: offsets
/// that levels exchange, differences of levels, terms that are idle or take no time.
class Eq4Findings {
 public:
  Eq4Findings(const FittedModel& model, const Design& training, const SearchSpace& space,
              const FitOptions& options, const VectorXd& scaled)
      : model_(model),
        spec_(model.spec),
        training_(training),
        space_(space),
        layout_(space.layout()),
        scaled_(scaled),
        typical_time_(median(training.time)),
        sensitivity_(sensitivity_of(space, training, options, scaled)),
        constants_(sensitivity_, judged(), [&](std::size_t k) { return gradient(k); }) {}

  Findings findings() const {
    Findings out;
    out.identifiability = constants_.identifiability();
    for (std::size_t c = 0; c < spec_.categorical.size(); ++c) {
      const CategoricalInput& input = spec_.categorical[c];
      for (std::size_t l = 0; l < input.levels.size(); ++l)
        out.identifiability.differences.push_back(
            is_difference_identified(layout_.level(c, input.shown_level(0)), layout_.level(c, l)));
    }
    out.warnings = warnings();
    return out;
  }

 private:
  const FittedModel& model_;
  const ModelSpec& spec_;
  const Design& training_;
  const SearchSpace& space_;
  const Eq4Layout& layout_;
  const VectorXd& scaled_;
  double typical_time_;
  Sensitivity sensitivity_;
  IdentifiedConstants constants_;

  Standing standing(std::size_t k) const { return sensitivity_.standings()[k]; }

  std::vector<JudgedConstant> judged() const {
    std::vector<JudgedConstant> out;
    for (std::size_t k = 0; k < layout_.size(); ++k)
      out.push_back({.name = layout_.name(k),
                     .value = model_.constants[index(k)],
                     .widest = widest(k, model_.constants[index(k)])});
    for (std::size_t i = 0; i < spec_.intrinsic.size(); ++i) {
      JudgedConstant& coefficient = out[layout_.coefficient(i)];
      JudgedConstant& power = out[layout_.intrinsic_power(i)];
      coefficient.column = power.column = spec_.intrinsic[i].column;
      power.distorted = only_with_power(i);
      // A power at its bound also distorts its coefficient.
      coefficient.distorted =
          power.distorted || standing(layout_.intrinsic_power(i)) == Standing::at_bound;
    }
    for (std::size_t c = 0; c < spec_.categorical.size(); ++c)
      for (std::size_t l = 0; l < spec_.categorical[c].levels.size(); ++l)
        out[layout_.level(c, l)].column = spec_.categorical[c].column;
    for (std::size_t j = 0; j < spec_.extrinsic.size(); ++j)
      out[layout_.extrinsic_power(j)].column = spec_.extrinsic[j].column;
    return out;
  }

  double raw_factor(std::size_t k) const {
    return layout_.is_coefficient(k) ? std::exp(space_.log_raw_factor(k, scaled_)) : 1;
  }

  /// Gradient of the raw constant with respect to the scaled ones.
  VectorXd gradient(std::size_t k) const {
    VectorXd out = VectorXd::Unit(scaled_.size(), index(k));
    if (!layout_.is_coefficient(k))
      return out;
    // raw = scaled * exp(-p centre - sum_j q_j centre_j)
    out *= raw_factor(k);
    const double raw = scaled_[index(k)] * raw_factor(k);
    if (layout_.is_of_power(k))
      out[index(layout_.intrinsic_power(k))] = -raw * space_.intrinsic_log_centres()[k];
    for (std::size_t j = 0; j < spec_.extrinsic.size(); ++j)
      out[index(layout_.extrinsic_power(j))] = -raw * space_.extrinsic_log_centres()[j];
    return out;
  }

  /// True for a column with one value besides 0, which determines the term but not its power.
  bool only_with_power(std::size_t intrinsic) const {
    return spec_.intrinsic[intrinsic].zero &&
           standing(layout_.intrinsic_power(intrinsic)) != Standing::fixed &&
           has_two_values(training_.intrinsic[intrinsic], training_.rows);
  }

  /// Largest half width with which the raw constant, or a difference of levels, can be quoted.
  double widest(std::size_t k, double value) const {
    if (layout_.is_power(k))
      return kWidestPower;
    const double relative = kWidestShareOfValue * std::abs(value);
    if (layout_.is_of_power(k) || layout_.lone_coefficient() == k)
      return relative;
    return std::max(relative, kWidestShareOfTime * typical_time_ * raw_factor(k));
  }

  bool is_difference_identified(std::size_t reference, std::size_t level) const {
    if (level == reference)
      return true;
    for (const std::size_t k : {reference, level})
      if (standing(k) == Standing::untrained || standing(k) == Standing::at_bound)
        return false;
    const double value = model_.constants[index(level)] - model_.constants[index(reference)];
    return constants_.is_narrow(gradient(level) - gradient(reference), widest(level, value));
  }

  std::vector<OffsetPart> offset_parts() const {
    std::vector<OffsetPart> out;
    const auto add = [&](bool has_levels, const std::string& name, std::size_t first,
                         std::size_t count, bool may_be_zero) {
      OffsetPart part{has_levels, name, VectorXd::Zero(scaled_.size())};
      for (std::size_t k = first; k < first + count; ++k) {
        if (standing(k) == Standing::fixed || (standing(k) == Standing::at_zero && !may_be_zero))
          return;
        part.direction[index(k)] = standing(k) == Standing::untrained ? 0 : 1;
      }
      if ((part.direction.array() != 0).any())
        out.push_back(std::move(part));
    };
    for (std::size_t c = 0; c < spec_.categorical.size(); ++c)
      add(true, spec_.categorical[c].column, layout_.level(c, 0),
          spec_.categorical[c].levels.size(), true);
    for (std::size_t i = 0; i < spec_.intrinsic.size(); ++i)
      add(false, "the term of '" + spec_.intrinsic[i].column + "', whose power is 0",
          layout_.coefficient(i), 1, false);
    if (const auto lone = layout_.lone_coefficient())
      add(false, "a", *lone, 1, false);
    add(false, "C", layout_.intercept(), 1, true);
    return out;
  }

  /// Parts between which an offset can be moved: groups of at least two.
  std::vector<std::vector<OffsetPart>> exchangeable() const {
    std::vector<std::vector<OffsetPart>> groups;
    std::vector<OffsetPart> parts = offset_parts();
    for (OffsetPart& part : parts)
      part.direction /= sensitivity_.effect(part.direction);
    while (!parts.empty()) {
      const VectorXd first = parts.front().direction;
      const auto others =
          std::stable_partition(parts.begin() + 1, parts.end(), [&](const OffsetPart& part) {
            return sensitivity_.effect(first - part.direction) < kSameEffect;
          });
      if (others > parts.begin() + 1)
        groups.emplace_back(parts.begin(), others);
      parts.erase(parts.begin(), others);
    }
    return groups;
  }

  std::string direction_sentence(const VectorXd& direction) const {
    const auto [columns, terms, intercept] = constants_.moved_by(direction);
    for (std::size_t i = 0; i < spec_.intrinsic.size(); ++i) {
      const NumericInput& input = spec_.intrinsic[i];
      if (std::find(columns.begin(), columns.end(), input.column) == columns.end() ||
          !has_two_values(training_.intrinsic[i], training_.rows))
        continue;
      return input.zero ? lone_value_sentence(input)
                        : "'" + input.column +
                              "' has two values only: its coefficient and its power cannot be told "
                              "from a constant";
    }
    if (columns.empty())
      return "a cannot be told from C: only the sum is determined";
    return together_sentence(columns, "", intercept ? " with C" : "");
  }

  /// One sentence in the user's terms per flat direction, without duplicates.
  std::vector<std::string> flat_sentences() const {
    std::vector<std::string> out;
    const auto add = [&](const std::string& sentence) {
      if (std::find(out.begin(), out.end(), sentence) == out.end())
        out.push_back(sentence);
    };
    std::vector<bool> held(layout_.size(), false);
    for (const auto& group : exchangeable()) {
      add(exchange_sentence(group));
      // Fixing one constant of each further part removes the freedom.
      for (std::size_t i = 1; i < group.size(); ++i) {
        const VectorXd& moved = group[i].direction;
        held[to_size(std::find_if(moved.begin(), moved.end(), [](double x) { return x != 0; }) -
                     moved.begin())] = true;
      }
    }
    const MatrixXd directions = sensitivity_.flat_directions(held);
    for (const auto& direction : directions.colwise())
      add(direction_sentence(direction));
    for (std::size_t i = 0; i < spec_.intrinsic.size(); ++i)
      if (only_with_power(i))
        add(lone_value_sentence(spec_.intrinsic[i]));
    return out;
  }

  std::vector<Warning> warnings() const {
    std::vector<Warning> out;
    for (std::size_t k = 0; k < layout_.size(); ++k)
      if (standing(k) == Standing::at_bound)
        out.push_back(bound_warning(k));
    for (const std::string& sentence : flat_sentences())
      out.push_back({"flat_direction", "", sentence});
    const std::vector<double> shares = time_shares(model_, training_);
    for (std::size_t i = 0; i < spec_.intrinsic.size(); ++i)
      warn_of_power(layout_.intrinsic_power(i), shares[i], spec_.intrinsic[i].column, out);
    for (std::size_t j = 0; j < spec_.extrinsic.size(); ++j)
      constants_.warn_of_width(layout_.extrinsic_power(j), out);
    for (std::size_t j = 0; j < spec_.extrinsic.size(); ++j)
      warn_of_rise(j, out);
    constants_.warn_of_width(layout_.intercept(), out);
    return out;
  }

  /// Warns if ln(measured / predicted) rises at the end of a scale: a t test of the scale itself as
  /// a regressor beside its logarithm, which a power would follow.
  void warn_of_rise(std::size_t j, std::vector<Warning>& out) const {
    const NumericInput& scale = spec_.extrinsic[j];
    MatrixXd terms(index(training_.rows), 3);
    std::set<double> values;
    for (std::size_t row = 0; row < training_.rows; ++row) {
      const double x = training_.extrinsic[j].value(row) / scale.high;
      terms.row(index(row)) << 1, std::log(x), x;
      values.insert(x);
    }
    if (!(scale.low > 0) || values.size() < kFewestForRise)
      return;
    const VectorXd misses = (training_.time.array() / predict(model_, training_).array()).log();
    const auto normal = (terms.transpose() * terms).eval().ldlt();
    const VectorXd fitted = normal.solve(terms.transpose() * misses);
    const std::size_t degrees = training_.rows - 3;
    const double error =
        std::sqrt((misses - terms * fitted).squaredNorm() / static_cast<double>(degrees) *
                  normal.solve(VectorXd::Unit(3, 2))[2]);
    const double factor = std::exp2(fitted[1] + fitted[2]);  // the slope at the largest value
    if (fitted[2] > t_quantile_95(degrees) * error && factor > kLeastRise)
      out.push_back({"rise", layout_.name(layout_.extrinsic_power(j)),
                     "beyond " + scale.column + " = " + rounded(scale.high) +
                         " a doubling may take " + rounded(factor) +
                         " times as long as the model says, by the rise of its residuals there"});
  }

  Warning bound_warning(std::size_t k) const {
    const bool upper = scaled_[index(k)] - space_.scaled().lower[index(k)] >
                       space_.scaled().upper[index(k)] - scaled_[index(k)];
    return {"at_bound", layout_.name(k),
            layout_.name(k) + " is at its " + (upper ? "upper" : "lower") +
                " bound: the data do not determine it, or " + spelled("bounds") + " is too narrow"};
  }

  void warn_of_power(std::size_t power, double share, const std::string& column,
                     std::vector<Warning>& out) const {
    const bool idle = standing(power) == Standing::idle;
    if (constants_.is_identified(power) || (share >= kNegligibleShare && !idle))
      return constants_.warn_of_width(power, out);
    if (standing(power) == Standing::at_bound)
      return;  // already reported
    const std::string part =
        share < 0.05 ? "next to nothing to" : to_text(std::round(10 * share) / 10) + " % of";
    out.push_back({"negligible_term", layout_.name(power),
                   column + " contributes " + part + " the time: its power is not determined"});
  }
};

}  // namespace

Findings identify(const FittedModel& model, const Design& training, const SearchSpace& space,
                  const FitOptions& options, const VectorXd& scaled) {
  return Eq4Findings(model, training, space, options, scaled).findings();
}

}  // namespace perfmodel
