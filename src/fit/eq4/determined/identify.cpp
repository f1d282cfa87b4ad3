#include "fit/eq4/determined/identify.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/text.hpp"
#include "data/median.hpp"
#include "fit/eq4/determined/flat_directions.hpp"
#include "fit/eq4/determined/generic_sensitivity.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

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

  /// Of the raw constant by the scaled ones.
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

  /// Whether a column has one value beside 0: what its term takes there says nothing of its power.
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

  /// The widest interval with which the raw constant, or a difference like it, can be quoted.
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
    // What a bound makes of a power is in its coefficient too.
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
      return;  // said already
    const std::string part = share < 0.05 ? "next to nothing to" : rounded_percent(share) + " of";
    out.push_back({"negligible_term", layout_.name(power),
                   column + " contributes " + part + " the time: its power is not determined"});
  }

  static std::string rounded_percent(double share) {
    return to_text(std::round(10 * share) / 10) + " %";
  }

  /// Constants that no flat direction moves and that are wide all the same.
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
