#include "fit/sum/determined/identify_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "base/text.hpp"
#include "data/median.hpp"
#include "fit/sum/determined/flat_terms.hpp"
#include "fit/sum/determined/sum_sensitivity.hpp"
#include "fit/sum/form/sum_form.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

/// What fewer constants and rows say is there at once, and who stops a fit is told it.
constexpr double kWorkAtOnce = 1e7;
constexpr double kNegligibleTermShare = 1;  // percent of the predicted time
// A power's width and, to first order, that of a coefficient or factor are those of its logarithm.
constexpr double kWidestLog = kWidestShareOfValue;
static_assert(kWidestLog == kWidestPower);

/// A configuration of the model as the part sees it.
Configuration without_level(const Configuration& configuration, const SumPart& part) {
  Configuration out = configuration;
  if (part.level)
    out.levels.erase(out.levels.begin() + index(part.parted));
  return out;
}

/// One part of a sum: the statements about its constants.
class PartJudge {
 public:
  PartJudge(SumPart part, const Design& runs, const FitOptions& options)
      : sum_(std::move(part), runs, options),
        layout_(sum_.part().spec, sum_.part().structure),
        typical_time_(median(runs.time)) {}

  const SumPart& part() const { return sum_.part(); }
  const SumSensitivity& sum() const { return sum_; }
  const MultiLayout& layout() const { return layout_; }

  bool is_identified(std::size_t k) const {
    const bool intercept = k == layout_.intercept();
    switch (standing(k)) {
      case Standing::fixed:
        return true;
      case Standing::at_zero:
        return !intercept || sum_.sensitivity().is_estimable(sum_.gradient(k));
      case Standing::free:
        return is_narrow(sum_.gradient(k), intercept ? widest_intercept() : kWidestLog);
      default:
        return false;
    }
  }

  /// Of the power that scaling_powers() reports of the model that this is a part of.
  bool is_scaling_power_identified(const FittedModel& model, std::size_t extrinsic) const {
    return is_narrow(gradient_of_reported_power(model, extrinsic), kWidestPower);
  }

  bool is_at_bound(std::size_t k) const { return standing(k) == Standing::at_bound; }

  /// Determined by nothing that can be moved at first order, and wide all the same.
  bool is_wide(std::size_t k) const {
    const VectorXd gradient = sum_.gradient(k);
    return standing(k) == Standing::free && std::isfinite(half_width(gradient)) &&
           sum_.sensitivity().is_estimable(gradient) && !is_identified(k);
  }

  double half_width(const VectorXd& gradient) const {
    return kNormalQuantile * sum_.sensitivity().standard_error(gradient);
  }

 private:
  SumSensitivity sum_;
  MultiLayout layout_;
  double typical_time_;

  Standing standing(std::size_t k) const { return sum_.sensitivity().standings()[k]; }

  VectorXd gradient_of_reported_power(const FittedModel& model, std::size_t extrinsic) const {
    const auto of_part = [&](const Configuration& at) { return without_level(at, part()); };
    if (!power_through_derived(model, extrinsic))
      return sum_.gradient_of_scaling_power(extrinsic, of_part(*model.typical));
    const ScaleStep step = *step_through_derived(model, extrinsic);
    return (sum_.gradient_of_log_time(of_part(step.above)) -
            sum_.gradient_of_log_time(of_part(step.below))) /
           step.log_ratio;
  }

  double widest_intercept() const {
    const double value = part().constants[index(layout_.intercept())];
    return std::max(kWidestShareOfValue * value, kWidestShareOfTime * typical_time_);
  }

  bool is_narrow(const VectorXd& gradient, double widest) const {
    return sum_.sensitivity().is_estimable(gradient) && half_width(gradient) <= widest;
  }
};

/// "the powers of 'filters' and 'gpus' are not determined", of those inputs of a term that are
/// wide; empty where there are none.
std::string wide_inputs(const PartJudge& judge, std::size_t term) {
  const ModelSpec& spec = judge.part().spec;
  const MultiLayout& layout = judge.layout();
  std::vector<std::string> powers;
  std::vector<std::string> factors;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    if (judge.is_wide(layout.intrinsic_power(term, i)))
      powers.push_back(spec.intrinsic[i].column);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    if (judge.is_wide(layout.extrinsic_power(term, j)))
      powers.push_back(spec.extrinsic[j].column);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    bool any = false;
    for (std::size_t l = 0; l < spec.categorical[c].levels.size(); ++l)
      any = any || judge.is_wide(layout.level(term, c, l));
    if (any)
      factors.push_back(spec.categorical[c].column);
  }
  std::vector<std::string> wide;
  if (!powers.empty())
    wide.push_back((powers.size() == 1 ? "the power of " : "the powers of ") + sorted_list(powers));
  if (!factors.empty())
    wide.push_back("the factors of " + sorted_list(factors));
  if (wide.empty())
    return {};
  const bool is_one = factors.empty() && powers.size() == 1;
  return joined(wide, " and ") + (is_one ? " is" : " are") + " not determined";
}

/// What is said of one term, or nothing.
std::vector<Warning> term_warnings(const PartJudge& judge, std::size_t term, double share) {
  const std::string number = std::to_string(judge.part().terms[term] + 1);
  const MultiLayout& layout = judge.layout();
  const std::size_t first = layout.coefficient(term);
  const std::size_t end =
      term + 1 < judge.part().structure.terms ? layout.coefficient(term + 1) : layout.intercept();
  bool all_identified = true;
  for (std::size_t k = first; k < end; ++k)
    all_identified = all_identified && judge.is_identified(k);
  if (all_identified)
    return {};
  if (share < kNegligibleTermShare) {
    return {{"negligible_term", "a[" + number + "]",
             "term " + number + " contributes less than 1 % of the time: its constants are " +
                 "not determined"}};
  }
  const std::string inputs = wide_inputs(judge, term);
  if (inputs.empty())
    return {};
  return {{"undetermined", "a[" + number + "]", "term " + number + ": " + inputs}};
}

std::vector<Warning> part_warnings(const PartJudge& judge, const MultiLayout& layout_of_model,
                                   const std::vector<double>& shares) {
  std::vector<Warning> out;
  for (const std::string& sentence : describe_flat_terms(judge.sum().sensitivity(), judge.part()))
    out.push_back({"flat_direction", "", sentence});
  for (std::size_t k = 0; k < judge.part().structure.terms; ++k)
    for (Warning& warning : term_warnings(judge, k, shares[judge.part().terms[k]]))
      out.push_back(std::move(warning));
  for (std::size_t k = 0; k < judge.part().origin.size(); ++k) {
    if (judge.is_at_bound(k)) {
      const std::string& name = layout_of_model.name(judge.part().origin[k]);
      out.push_back({"at_bound", name,
                     name + " is at its bound " + to_text(judge.part().constants[index(k)]) +
                         ": the data do not determine it"});
    }
  }
  const std::size_t intercept = judge.layout().intercept();
  if (judge.is_wide(intercept)) {
    out.push_back({"undetermined", "C",
                   "C is not determined: " + rounded(judge.part().constants[index(intercept)]) +
                       " +- " + rounded(judge.half_width(judge.sum().gradient(intercept)))});
  }
  return out;
}

double work_of(const FittedModel& model, const Design& training) {
  const auto constants = static_cast<double>(model.constants.size());
  return constants * constants * (constants + static_cast<double>(training.rows));
}

Findings findings_of(const FittedModel& model, const Design& training, const FitOptions& options) {
  Findings out;
  const Configuration& typical = *model.typical;
  const std::vector<double> shares = time_shares(model, training);
  const MultiLayout layout(model.spec, sum_form(model).structure);
  out.identifiability.constants.resize(static_cast<std::size_t>(model.constants.size()), true);
  out.identifiability.at_bound.resize(out.identifiability.constants.size(), false);
  for (const SumPart& part : sum_parts(model)) {
    const Design runs = part.runs(training);
    if (runs.rows == 0)
      continue;
    const PartJudge judge(part, runs, options);
    for (std::size_t k = 0; k < part.origin.size(); ++k) {
      out.identifiability.constants[part.origin[k]] = judge.is_identified(k);
      out.identifiability.at_bound[part.origin[k]] = judge.is_at_bound(k);
    }
    for (Warning& warning : part_warnings(judge, layout, shares)) {
      const bool said = std::any_of(out.warnings.begin(), out.warnings.end(),
                                    [&](const Warning& w) { return w.message == warning.message; });
      if (!said)
        out.warnings.push_back(std::move(warning));
    }
    if (!part.level || *part.level == typical.levels[part.parted])
      for (std::size_t j = 0; j < part.spec.extrinsic.size(); ++j)
        out.identifiability.scaling_powers.push_back(judge.is_scaling_power_identified(model, j));
  }
  return out;
}

}  // namespace

std::optional<Findings> identify_sum(const FittedModel& model, const Design& training,
                                     const FitOptions& options) {
  FitOptions own = options;
  if (work_of(model, training) <= kWorkAtOnce)
    own.stop = {};
  try {
    return findings_of(model, training, own);
  } catch (const Interrupted&) {
    return std::nullopt;
  }
}

}  // namespace perfmodel
