#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "fit/losses.hpp"
#include "fit/scaled_model.hpp"
#include "fit/search_space.hpp"
#include "fit/sensitivity.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"
#include "table/table.hpp"

namespace perfmodel {

/// One sentence in the user's terms per flat direction of Eq. (4) at its optimum, without
/// duplicates.
std::vector<std::string> describe_flat_directions(const Sensitivity& sensitivity,
                                                  const ModelSpec& spec, const Design& training);

/// Number of distinct values of a column, at most 3.
std::size_t few_values(const NumericFactor& factor, std::size_t rows);

/// Sentence for a column with one value besides 0, which determines the term but not its power.
std::string lone_value_sentence(const NumericInput& input);

/// Sensitivity of Eq. (4) at its scaled constants.
Sensitivity generic_sensitivity(const SearchSpace& space, const Design& training,
                                const FitOptions& options, const Eigen::VectorXd& scaled);

namespace {

using Eigen::VectorXd;

constexpr double kSameEffect = 1e-6;  // of unit effects
constexpr double kPlaysAPart = 1e-3;  // of the largest entry of a direction

/// A part of the sum that can absorb a constant offset: all levels of a column, a term with power
/// 0, the a of a model without other inputs than scales, or C if nothing scales.
struct OffsetPart {
  enum class Kind { levels, term, lone, intercept };
  Kind kind;
  std::string column;    ///< empty for a and C
  VectorXd direction;    ///< 1 for each of its constants
  std::size_t held = 0;  ///< the constant that removes the freedom if fixed
};

std::vector<OffsetPart> offset_parts(const Sensitivity& sensitivity, const ModelSpec& spec) {
  const GenericLayout layout(spec);
  const std::vector<Standing>& standings = sensitivity.standings();
  const auto moves = [&](std::size_t k) {
    return standings[k] != Standing::fixed && standings[k] != Standing::untrained;
  };
  std::vector<OffsetPart> out;
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    OffsetPart part{OffsetPart::Kind::levels, spec.categorical[c].column,
                    VectorXd::Zero(index(layout.size())), layout.size()};
    bool all_move = true;
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l) {
      const std::size_t k = layout.level(c, l);
      all_move = all_move && standings[k] != Standing::fixed;
      if (!moves(k))
        continue;
      part.direction[index(k)] = 1;
      part.held = std::min(part.held, k);
    }
    if (all_move && part.held < layout.size())
      out.push_back(part);
  }
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    const std::size_t k = layout.coefficient(i);
    if (moves(k) && standings[k] != Standing::at_zero)
      out.push_back({OffsetPart::Kind::term, spec.intrinsic[i].column,
                     VectorXd::Unit(index(layout.size()), index(k)), k});
  }
  const auto lone = layout.lone_coefficient();
  if (lone && moves(*lone) && standings[*lone] != Standing::at_zero)
    out.push_back(
        {OffsetPart::Kind::lone, "", VectorXd::Unit(index(layout.size()), index(*lone)), *lone});
  if (moves(layout.intercept()))
    out.push_back({OffsetPart::Kind::intercept, "",
                   VectorXd::Unit(index(layout.size()), index(layout.intercept())),
                   layout.intercept()});
  return out;
}

/// Parts between which an offset can be moved: groups of at least two.
std::vector<std::vector<OffsetPart>> exchangeable(const Sensitivity& sensitivity,
                                                  std::vector<OffsetPart> parts) {
  std::vector<std::vector<OffsetPart>> groups;
  while (!parts.empty()) {
    std::vector<OffsetPart> group = {parts.front()};
    std::vector<OffsetPart> others;
    const auto unit = [&](const OffsetPart& part) -> VectorXd {
      return part.direction / sensitivity.effect(part.direction);
    };
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const bool same = sensitivity.effect(unit(parts[0]) - unit(parts[i])) < kSameEffect;
      (same ? group : others).push_back(parts[i]);
    }
    if (group.size() > 1)
      groups.push_back(group);
    parts = others;
  }
  return groups;
}

std::string exchange_sentence(const std::vector<OffsetPart>& group) {
  std::vector<std::string> level_columns;
  std::vector<std::string> others;
  for (const OffsetPart& part : group)
    if (part.kind == OffsetPart::Kind::levels)
      level_columns.push_back(part.column);
    else if (part.kind == OffsetPart::Kind::term)
      others.push_back("the term of '" + part.column + "', whose power is 0");
    else
      others.emplace_back(part.kind == OffsetPart::Kind::lone ? "a" : "C");
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

std::string direction_sentence(const VectorXd& direction, const ModelSpec& spec,
                               const Design& training) {
  const GenericLayout layout(spec);
  const double least = kPlaysAPart * direction.cwiseAbs().maxCoeff();
  const auto in = [&](std::size_t k) { return std::abs(direction[index(k)]) > least; };
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
    if (!in(layout.coefficient(i)) && !in(layout.intrinsic_power(i)))
      continue;
    if (few_values(training.intrinsic[i], training.rows) == 2) {
      if (spec.intrinsic[i].zero)
        return lone_value_sentence(spec.intrinsic[i]);
      return "'" + spec.intrinsic[i].column +
             "' has two values only: its coefficient and its power cannot be told from a constant";
    }
    columns.push_back(spec.intrinsic[i].column);
  }
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    bool any = false;
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
      any = any || in(layout.level(c, l));
    if (any)
      columns.push_back(spec.categorical[c].column);
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    if (in(layout.extrinsic_power(j)))
      columns.push_back(spec.extrinsic[j].column);
  if (columns.empty())
    return "a cannot be told from C: only the sum is determined";
  if (columns.size() == 1)
    return "the constants of '" + columns[0] + "' are not determined one by one, only together" +
           (in(layout.intercept()) ? " with C" : "");
  return sorted_list(columns) + " move together: only their joint effect is determined";
}

}  // namespace

std::size_t few_values(const NumericFactor& factor, std::size_t rows) {
  std::set<double> values;
  for (std::size_t r = 0; r < rows && values.size() < 3; ++r)
    values.insert(factor.value(r));
  return values.size();
}

std::string lone_value_sentence(const NumericInput& input) {
  return "'" + input.column +
         "' has one value beside 0: its coefficient and its power are only determined together";
}

std::vector<std::string> describe_flat_directions(const Sensitivity& sensitivity,
                                                  const ModelSpec& spec, const Design& training) {
  std::vector<std::string> out;
  std::vector<bool> held(GenericLayout(spec).size(), false);
  for (const auto& group : exchangeable(sensitivity, offset_parts(sensitivity, spec))) {
    out.push_back(exchange_sentence(group));
    for (std::size_t i = 1; i < group.size(); ++i)
      held[group[i].held] = true;
  }
  const Eigen::MatrixXd others = sensitivity.flat_directions(held);
  for (Eigen::Index d = 0; d < others.cols(); ++d) {
    const std::string sentence = direction_sentence(others.col(d), spec, training);
    if (std::find(out.begin(), out.end(), sentence) == out.end())
      out.push_back(sentence);
  }
  return out;
}

namespace {

using Eigen::Index;

constexpr double kBoundMargin = 1e-3;  // of the range between the bounds

std::vector<Standing> standings_of(const SearchSpace& space, const VectorXd& scaled) {
  const GenericLayout& layout = space.layout();
  std::vector<Standing> out(layout.size(), Standing::free);
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const Index i = static_cast<Index>(k);
    const double low = space.scaled().lower[i];
    const double high = space.scaled().upper[i];
    const ConstantKind kind = layout.kind(k);
    const bool power =
        kind == ConstantKind::intrinsic_power || kind == ConstantKind::extrinsic_power;
    if (high <= low)
      out[k] = Standing::fixed;
    else if (!power && low == 0 && scaled[i] == 0)
      out[k] = Standing::at_zero;
    else if (scaled[i] >= high - kBoundMargin * (high - low) ||
             (scaled[i] <= low + kBoundMargin * (high - low) && low != 0))
      out[k] = Standing::at_bound;
  }
  for (std::size_t i = 0; i < space.intrinsic_log_centres().size(); ++i) {
    Standing& power = out[layout.intrinsic_power(i)];
    if (power != Standing::fixed && scaled[static_cast<Index>(layout.coefficient(i))] == 0)
      power = Standing::idle;
  }
  return out;
}

}  // namespace

Sensitivity generic_sensitivity(const SearchSpace& space, const Design& training,
                                const FitOptions& options, const VectorXd& scaled) {
  NormalEquations out{.rows = training.total_runs(),
                      .standings = standings_of(space, scaled),
                      .left_out = {},
                      .normal = {},
                      .scores = {}};
  // Levels and C at 0 are included, since a flat direction may lead back from the bound. A term
  // with coefficient 0 is excluded: its power would always be flat.
  for (std::size_t k = 0; k < out.standings.size(); ++k)
    out.left_out.push_back(out.standings[k] == Standing::fixed ||
                           (out.standings[k] == Standing::at_zero &&
                            space.layout().kind(k) == ConstantKind::coefficient));
  const ScaledModel model(training, space);
  const auto at = model.linearised(scaled);
  const Curvature curvature = curvature_of(options.loss, training, at->predicted());
  out.normal = at->gram(curvature.weights);
  out.scores = at->gram(curvature.weights.cwiseProduct(curvature.scores.cwiseAbs2()));
  return Sensitivity(std::move(out));
}

namespace {

constexpr double kNegligibleShare = 1;  // percent of the predicted time

class Judge {
 public:
  Judge(const FittedModel& model, const Design& training, const SearchSpace& space,
        const FitOptions& options, const VectorXd& scaled)
      : model_(model),
        training_(training),
        space_(space),
        layout_(space.layout()),
        scaled_(scaled),
        sensitivity_(generic_sensitivity(space, training, options, scaled)),
        typical_time_(median(training.time, training.runs)) {}

  Identifiability identifiability() const {
    Identifiability out;
    for (std::size_t k = 0; k < layout_.size(); ++k) {
      out.constants.push_back(is_identified(k));
      out.at_bound.push_back(standing(k) == Standing::at_bound);
    }
    for (std::size_t c = 0; c < model_.spec.categorical.size(); ++c) {
      const CategoricalInput& input = model_.spec.categorical[c];
      for (std::size_t l = 0; l < input.levels.size(); ++l)
        out.differences.push_back(
            is_difference_identified(layout_.level(c, input.shown_level(0)), layout_.level(c, l)));
    }
    return out;
  }

  std::vector<Warning> warnings(const Identifiability& found) const {
    std::vector<Warning> out;
    for (std::size_t k = 0; k < layout_.size(); ++k)
      if (standing(k) == Standing::at_bound)
        out.push_back(bound_warning(k));
    std::vector<std::string> flat = describe_flat_directions(sensitivity_, model_.spec, training_);
    for (std::size_t i = 0; i < model_.spec.intrinsic.size(); ++i) {
      const std::string sentence = lone_value_sentence(model_.spec.intrinsic[i]);
      if (only_with_power(i) && std::find(flat.begin(), flat.end(), sentence) == flat.end())
        flat.push_back(sentence);
    }
    for (const std::string& sentence : flat)
      out.push_back({"flat_direction", "", sentence});
    const std::vector<double> shares = time_shares(model_, training_);
    for (std::size_t i = 0; i < model_.spec.intrinsic.size(); ++i)
      warn_of_power(layout_.intrinsic_power(i), shares[i], model_.spec.intrinsic[i].column, found,
                    out);
    for (std::size_t j = 0; j < model_.spec.extrinsic.size(); ++j)
      warn_of_width(layout_.extrinsic_power(j), found, out);
    warn_of_width(layout_.intercept(), found, out);
    return out;
  }

 private:
  const FittedModel& model_;
  const Design& training_;
  const SearchSpace& space_;
  const GenericLayout& layout_;
  const VectorXd& scaled_;
  Sensitivity sensitivity_;
  double typical_time_;

  Standing standing(std::size_t k) const { return sensitivity_.standings()[k]; }

  bool is_coefficient(std::size_t k) const {
    const ConstantKind kind = layout_.kind(k);
    return kind == ConstantKind::coefficient || kind == ConstantKind::level_coefficient ||
           kind == ConstantKind::lone_coefficient;
  }

  /// Gradient of the raw constant with respect to the scaled ones.
  VectorXd gradient(std::size_t k) const {
    VectorXd out = VectorXd::Unit(scaled_.size(), index(k));
    if (!is_coefficient(k))
      return out;
    // raw = scaled * exp(-p centre - sum_j q_j centre_j)
    out *= raw_factor(k);
    const double raw = scaled_[index(k)] * raw_factor(k);
    if (layout_.kind(k) == ConstantKind::coefficient)
      out[index(layout_.intrinsic_power(k))] = -raw * space_.intrinsic_log_centres()[k];
    for (std::size_t j = 0; j < model_.spec.extrinsic.size(); ++j)
      out[index(layout_.extrinsic_power(j))] = -raw * space_.extrinsic_log_centres()[j];
    return out;
  }

  /// True for a column with one value besides 0, which determines the term but not its power.
  bool only_with_power(std::size_t intrinsic) const {
    return model_.spec.intrinsic[intrinsic].zero &&
           standing(layout_.intrinsic_power(intrinsic)) != Standing::fixed &&
           few_values(training_.intrinsic[intrinsic], training_.rows) == 2;
  }

  double raw_factor(std::size_t k) const {
    return is_coefficient(k) ? std::exp(space_.log_raw_factor(k, scaled_)) : 1;
  }

  double half_width(const VectorXd& gradient) const {
    return kNormalQuantile * sensitivity_.standard_error(gradient);
  }

  /// Largest half width with which the raw constant, or a difference of levels, can be quoted.
  double widest(std::size_t k, double value) const {
    const double relative = kWidestShareOfValue * std::abs(value);
    switch (layout_.kind(k)) {
      case ConstantKind::intrinsic_power:
      case ConstantKind::extrinsic_power:
        return kWidestPower;
      case ConstantKind::coefficient:
      case ConstantKind::lone_coefficient:
        return relative;
      case ConstantKind::level_coefficient:
      case ConstantKind::intercept:
        break;
    }
    return std::max(relative, kWidestShareOfTime * typical_time_ * raw_factor(k));
  }

  bool is_identified(std::size_t k) const {
    switch (standing(k)) {
      case Standing::fixed:
        return true;
      case Standing::at_bound:
      case Standing::idle:
      case Standing::untrained:
        return false;
      case Standing::at_zero:
        return layout_.kind(k) == ConstantKind::coefficient ||
               sensitivity_.is_estimable(gradient(k));
      case Standing::free:
        break;
    }
    // A power at its bound also distorts its coefficient.
    const bool is_of_term = layout_.kind(k) == ConstantKind::coefficient;
    if (is_of_term && standing(layout_.intrinsic_power(k)) == Standing::at_bound)
      return false;
    if (is_of_term && only_with_power(k))
      return false;
    if (layout_.kind(k) == ConstantKind::intrinsic_power &&
        only_with_power(k - layout_.intrinsic_power(0)))
      return false;
    const VectorXd slope = gradient(k);
    return sensitivity_.is_estimable(slope) &&
           half_width(slope) <= widest(k, model_.constants[index(k)]);
  }

  bool is_difference_identified(std::size_t reference, std::size_t level) const {
    if (level == reference)
      return true;
    for (const std::size_t k : {reference, level})
      if (standing(k) == Standing::untrained || standing(k) == Standing::at_bound)
        return false;
    const VectorXd slope = gradient(level) - gradient(reference);
    const double value = model_.constants[index(level)] - model_.constants[index(reference)];
    return sensitivity_.is_estimable(slope) && half_width(slope) <= widest(level, value);
  }

  Warning bound_warning(std::size_t k) const {
    const bool upper = scaled_[index(k)] - space_.scaled().lower[index(k)] >
                       space_.scaled().upper[index(k)] - scaled_[index(k)];
    return {"at_bound", layout_.name(k),
            layout_.name(k) + " is at its " + (upper ? "upper" : "lower") +
                " bound: the data do not determine it, or " + Field{"bounds"} + " is too narrow"};
  }

  void warn_of_power(std::size_t power, double share, const std::string& column,
                     const Identifiability& found, std::vector<Warning>& out) const {
    const bool idle = standing(power) == Standing::idle;
    if (found.constants[power] || (share >= kNegligibleShare && !idle))
      return warn_of_width(power, found, out);
    if (standing(power) == Standing::at_bound)
      return;  // already reported
    const std::string part = share < 0.05 ? "next to nothing to" : rounded_percent(share) + " of";
    out.push_back({"negligible_term", layout_.name(power),
                   column + " contributes " + part + " the time: its power is not determined"});
  }

  static std::string rounded_percent(double share) {
    return to_text(std::round(10 * share) / 10) + " %";
  }

  /// Warns of constants that no flat direction changes, but whose intervals are too wide.
  void warn_of_width(std::size_t k, const Identifiability& found, std::vector<Warning>& out) const {
    const VectorXd slope = gradient(k);
    const double width = half_width(slope);
    if (found.constants[k] || standing(k) != Standing::free || !std::isfinite(width) ||
        !sensitivity_.is_estimable(slope))
      return;
    out.push_back({"undetermined", layout_.name(k),
                   layout_.name(k) + " is not determined: " + rounded(model_.constants[index(k)]) +
                       " +- " + rounded(width)});
  }
};

}  // namespace

Findings identify(const FittedModel& model, const Design& training, const SearchSpace& space,
                  const FitOptions& options, const VectorXd& scaled) {
  const Judge judge(model, training, space, options, scaled);
  Findings out;
  out.identifiability = judge.identifiability();
  out.warnings = judge.warnings(out.identifiability);
  return out;
}

}  // namespace perfmodel
