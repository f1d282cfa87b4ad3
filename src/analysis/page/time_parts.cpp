#include "analysis/page/time_parts.hpp"

#include <algorithm>
#include <cmath>

#include "fit/result/form.hpp"

namespace perfmodel::page {
namespace {

constexpr double kSeen = 0.0005;  // of the time: "0.1 %" with one decimal

bool all_finite(const std::vector<double>& values) {
  return std::all_of(
      values.begin(), values.end(), [](double p) { return std::isfinite(p); });
}

/// The name by which tables call a term stands first, lest it be lost where the rest is cut.
std::string step_name(const Share& share) {
  return share.title == share.name ? share.name : share.name + ": " + share.title;
}

}  // namespace

std::vector<Share> shares_of(const FittedModel& model, const Design& runs,
                             const Configuration& shown) {
  const std::vector<double> percents = time_shares(model, runs);
  const std::vector<double> percents_shown = time_shares(model, design_of(shown, model.spec));
  if (!all_finite(percents) || !all_finite(percents_shown))
    return {};
  std::vector<Share> shares;
  std::size_t part_number = 0;
  for (TimePart& part : model.form->parts(model.spec, model.constants)) {
    const std::size_t k = part_number++;
    if (part.exists) {
      shares.push_back({part.name, part.title.empty() ? part.name : std::move(part.title),
                        std::move(part.formula), percents[k], percents_shown[k]});
    }
  }
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) {
    return a.percent_shown > b.percent_shown;
  });
  return shares;
}

std::optional<TimeSteps> time_steps(const FittedModel& model, const std::vector<Share>& shares,
                                    const Configuration& shown, std::optional<double> time) {
  if (shares.empty() || !time)
    return std::nullopt;
  const auto factors = model.form->process_factors(design_of(shown, model.spec));
  const double trend = factors ? *time / (*factors)[0] : *time;
  TimeSteps out{.steps = {}, .folded = 0, .process = {}, .total = *time};
  double small = 0;
  std::string only;
  for (const Share& share : shares) {
    const double part = trend * share.percent_shown / 100;
    if (std::abs(share.percent_shown) >= TimeSteps::least) {
      out.steps.push_back({step_name(share), part});
    } else {
      small += part;
      only = step_name(share);
      ++out.folded;
    }
  }
  if (std::abs(small) >= kSeen * trend)
    out.steps.push_back(
        {out.folded == 1 ? only : std::to_string(out.folded) + " small parts", small});
  if (factors)
    out.process = *time - trend;
  return out;
}

}  // namespace perfmodel::page
