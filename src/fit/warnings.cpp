#include "fit/warnings.hpp"

#include <cmath>
#include <string>

#include "perfmodel/base/text.hpp"
#include "perfmodel/fit/fit.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

constexpr double kNearBound = 1e-3;         // of the range between the bounds
constexpr double kNegligibleShare = 1;      // percent of the predicted time
constexpr double kPowerOfAConstant = 1e-3;  // I^p is a constant to this precision

void warn_of_few_rows(const FittedModel& model, const Design& training, std::vector<Warning>& out) {
  const std::size_t constants = static_cast<std::size_t>(model.constants.size());
  if (training.rows > constants)
    return;
  out.push_back({"few_rows", "",
                 std::to_string(training.rows) + " training rows cannot determine " +
                     std::to_string(constants) +
                     " constants; measure more runs or --ignore columns"});
}

void warn_of_untrained_levels(const FittedModel& model, const Design& training,
                              std::vector<Warning>& out) {
  for (std::size_t c = 0; c < training.categorical.size(); ++c) {
    std::vector<bool> seen(training.categorical[c].levels, false);
    for (const std::uint32_t code : training.categorical[c].codes)
      seen[code] = true;
    for (std::size_t l = 0; l < seen.size(); ++l) {
      if (seen[l])
        continue;
      out.push_back({"untrained_level",
                     (model.multi ? "g[" : "a[") + model.spec.categorical[c].column + "=" +
                         model.spec.categorical[c].levels[l] + "]",
                     "no training row has " + model.spec.categorical[c].column + " = " +
                         model.spec.categorical[c].levels[l] + ": its constant means nothing"});
    }
  }
}

void warn_of_bounds(const SearchSpace& space, const Eigen::VectorXd& scaled,
                    std::vector<Warning>& out) {
  const GenericLayout& layout = space.layout();
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const Index i = static_cast<Index>(k);
    const double low = space.scaled().lower[i];
    const double high = space.scaled().upper[i];
    const double margin = kNearBound * (high - low);
    const bool at_high = high > low && scaled[i] >= high - margin;
    // A coefficient of 0 says that its term is not needed: that is no bound that holds it back.
    const bool at_low = high > low && scaled[i] <= low + margin && low != 0;
    if (!at_high && !at_low)
      continue;
    out.push_back({"at_bound", layout.name(k),
                   layout.name(k) + " is at its " + (at_high ? "upper" : "lower") +
                       " bound: the data do not determine it, or --bounds is too narrow"});
  }
}

void warn_of_flat_levels(const FittedModel& model, std::vector<Warning>& out) {
  if (model.spec.categorical.size() < 2)
    return;
  std::vector<std::string> columns;
  for (const CategoricalInput& input : model.spec.categorical)
    columns.push_back(input.column);
  out.push_back(
      {"flat_direction", "",
       "only differences between the levels of " + quoted_list(columns) +
           " are determined: a constant added to one column's levels can be taken from another's"});
}

void warn_of_idle_terms(const FittedModel& model, const Design& training,
                        std::vector<Warning>& out) {
  const GenericLayout layout(model.spec);
  const std::vector<double> shares = time_shares(model, training);
  for (std::size_t i = 0; i < model.spec.intrinsic.size(); ++i) {
    const std::string& column = model.spec.intrinsic[i].column;
    const std::string name = layout.name(layout.intrinsic_power(i));
    const double power = model.constants[static_cast<Index>(layout.intrinsic_power(i))];
    if (shares[i] < kNegligibleShare) {
      out.push_back(
          {"negligible_term", name,
           column + " contributes less than 1 % of the time: its power is not determined"});
    } else if (std::abs(power) < kPowerOfAConstant) {
      out.push_back({"flat_direction", name,
                     "the power of " + column +
                         " is 0: its term is a constant and cannot be told from others"});
    }
  }
}

/// A scaling power is how the time answers to a column itself.
void warn_of_derived_scales(const FittedModel& model, std::vector<Warning>& out) {
  for (const NumericInput& input : model.spec.extrinsic) {
    if (model.spec.is_derived_from(input.column)) {
      out.push_back({"derived_scale", "q[" + input.column + "]",
                     "a derived column is computed from " + input.column +
                         ": the scaling power of " + input.column + " does not count its effect"});
    }
  }
}

}  // namespace

std::vector<Warning> find_warnings(const FittedModel& model, const Design& training,
                                   const SearchSpace& space, const Eigen::VectorXd& scaled) {
  std::vector<Warning> out;
  warn_of_few_rows(model, training, out);
  if (model.search.termination == "generation_limit") {
    out.push_back(
        {"not_converged", "",
         "the search stopped at its limit of generations; raise --generations or --tolerance"});
  }
  warn_of_untrained_levels(model, training, out);
  warn_of_derived_scales(model, out);
  warn_of_bounds(space, scaled, out);
  warn_of_flat_levels(model, out);
  warn_of_idle_terms(model, training, out);
  return out;
}

std::vector<Warning> find_multi_warnings(const FittedModel& model, const Design& training) {
  std::vector<Warning> out;
  warn_of_few_rows(model, training, out);
  warn_of_untrained_levels(model, training, out);
  warn_of_derived_scales(model, out);
  const std::vector<double> shares = time_shares(model, training);
  for (std::size_t k = 0; k < model.multi->structure.terms; ++k) {
    if (shares[k] >= kNegligibleShare)
      continue;
    const std::string term = std::to_string(k + 1);
    out.push_back({"negligible_term", "a[" + term + "]",
                   "term " + term + " contributes less than 1 % of the time: its constants are " +
                       "not determined"});
  }
  return out;
}

}  // namespace perfmodel
