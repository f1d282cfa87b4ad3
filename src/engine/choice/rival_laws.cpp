#include "choice/form_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "columns/design.hpp"
#include "forms/sum_form.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kMostConfigurations = 200;
constexpr std::size_t kMostFitted = 12;
constexpr std::size_t kMostLaws = 4;
constexpr double kLeastWeight = 0.05;  ///< of a law, before and after weights add up to 1
/// Laws whose times differ by less than this in ln at the farthest value are one.
constexpr double kOtherwise = 0.2;
/// An error of a law on its own runs above this multiple of the least, and 1 %, refutes it.
constexpr double kOfLeastError = 2;
constexpr double kExact = 0.01;
constexpr std::array kMultiples = {2.0, 4.0};  ///< of the largest measured value

struct Rival {
  double weight;
  Candidate candidate;
  std::optional<FittedModel> model = {};
};

/// Student's t density of the gap in standard errors, relative to that of 0.
double weight_of(const std::vector<Fold>& folds, const Candidate& candidate,
                 const Candidate& best) {
  const double gap = candidate.score - best.score;
  const double t = gap / standard_error(folds, candidate, best);
  const auto freedom = static_cast<double>(folds.size() - 1);
  return gap > 0 ? std::pow(1 + t * t / freedom, -(freedom + 1) / 2) : 1;
}

/// The chosen formula, and the sums that held-out runs do not refute, the best first.
std::vector<Rival> rivals_of(const SumChoice& sums, const Candidate& chosen) {
  const std::vector<Candidate>& tried = sums.selection().tried;
  const std::vector<Fold>& folds = sums.task().folds;
  const auto best = std::ranges::min_element(tried, scores_better);
  std::vector<Rival> out;
  for (const Candidate& candidate : tried)
    if (const double weight = weight_of(folds, candidate, *best);
        is_sum(candidate) && weight >= kLeastWeight)
      out.push_back({weight, candidate});
  std::ranges::stable_sort(out, scores_better, &Rival::candidate);
  out.resize(std::min(out.size(), kMostFitted));
  out.insert(out.begin(), {weight_of(folds, chosen, *best), chosen});
  return out;
}

/// The times at multiples of the largest value of a scale; empty if there is one without a time.
std::vector<double> times_beyond(const FittedModel& model, std::size_t scale) {
  std::vector<double> out;
  for (const double multiple : kMultiples) {
    const auto moved =
        with_scale(model.spec, *model.typical, scale, multiple * model.spec.extrinsic[scale].high);
    const double time = moved ? model.form->trend().predict(model.spec, model.constants,
                                                            design_of(*moved, model.spec))[0]
                              : 0;
    if (!is_time(time))
      return {};
    out.push_back(time);
  }
  return out;
}

/// Mean |ln| error of a formula on its own runs.
double own_error(const FittedModel& model, const Design& runs) {
  const Eigen::ArrayXd ratio =
      model.form->trend().predict(model.spec, model.constants, runs).array() / runs.time.array();
  return ratio.log().abs().mean();
}

/// Removes rivals of the first, the chosen one, that their own runs refute.
void drop_refuted(const Design& runs, std::vector<Rival>& rivals) {
  double least = std::numeric_limits<double>::infinity();
  for (const Rival& rival : rivals)
    least = std::min(least, own_error(*rival.model, runs));
  const auto is_refuted = [&](const Rival& rival) {
    return !(own_error(*rival.model, runs) <= kOfLeastError * least + kExact);
  };
  rivals.erase(std::remove_if(rivals.begin() + 1, rivals.end(), is_refuted), rivals.end());
}

/// A rival that goes on along a scale unlike those before it, with the weight of the best of those
/// that go on like it.
struct OtherLaw {
  std::size_t rival;
  double weight;
  std::vector<double> times;
};

std::vector<OtherLaw> others_along(const std::vector<Rival>& rivals, std::size_t scale) {
  std::vector<OtherLaw> out;
  for (std::size_t i = 0; i < rivals.size(); ++i) {
    OtherLaw law{i, rivals[i].weight, times_beyond(*rivals[i].model, scale)};
    if (law.times.empty())
      continue;
    const auto known = std::ranges::find_if(out, [&](const OtherLaw& other) {
      return std::abs(std::log(law.times.back() / other.times.back())) < kOtherwise;
    });
    if (known == out.end())
      out.push_back(std::move(law));
    else
      known->weight = std::max(known->weight, law.weight);
  }
  return out;
}

/// The laws along a scale, the largest weight first.
Laws laws_along(const std::vector<Rival>& rivals, std::size_t scale) {
  const NumericInput& input = rivals.front().model->spec.extrinsic[scale];
  Laws out{input.column, {}, {}};
  for (const double multiple : kMultiples)
    out.values.push_back(multiple * input.high);
  for (OtherLaw& law : others_along(rivals, scale)) {
    const FittedModel& model = *rivals[law.rival].model;
    out.laws.push_back({.formula = model.form->trend().formula(model.spec, model.constants),
                        .weight = law.weight,
                        .times = std::move(law.times)});
  }
  double sum = 0;
  for (const Law& law : out.laws)
    sum += law.weight;
  for (Law& law : out.laws)
    law.weight /= sum;
  std::erase_if(out.laws, [](const Law& law) { return law.weight < kLeastWeight; });
  std::ranges::stable_sort(out.laws, std::greater(), &Law::weight);
  out.laws.resize(std::min(out.laws.size(), kMostLaws));
  return out;
}

/// ln of the ratio between the longest and the shortest time that the laws expect.
double spread_of(const Laws& laws) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const Law& law : laws.laws) {
    low = std::min(low, law.times.back());
    high = std::max(high, law.times.back());
  }
  return laws.laws.size() > 1 ? std::log(high / low) : 0;
}

/// The rivals with their fits to the training rows of the first fold, but for the chosen one, which
/// has its own; without those that go on like another along all scales.
std::vector<Rival> unlike_each_other(const SumChoice& sums, const FittedModel& model,
                                     std::vector<Rival> rivals) {
  const SelectionTask& task = sums.task();
  rivals.front().model = model;
  for (Rival& rival : rivals)
    if (!rival.model) {
      rival.model.emplace();
      rival.model->spec = task.spec;
      rival.model->form =
          std::make_shared<const SumForm>(task.coordinates.structure(rival.candidate.shape));
      rival.model->constants = sums.judge().constants_in(rival.candidate, 0);
      rival.model->typical = model.typical;
    }
  drop_refuted(task.training, rivals);
  std::vector<bool> differs(rivals.size());
  differs.front() = true;
  for (std::size_t scale = 0; scale < task.spec.extrinsic.size(); ++scale)
    for (const OtherLaw& law : others_along(rivals, scale)) {
      differs[law.rival] = true;
      rivals[law.rival].weight = std::max(rivals[law.rival].weight, law.weight);
    }
  std::size_t i = 0;
  std::erase_if(rivals, [&](const Rival&) { return !differs[i++]; });
  return rivals;
}

}  // namespace

std::optional<Laws> rival_laws(const SumChoice& sums, const Candidate& chosen,
                               const FittedModel& model, const FitOptions& options) {
  if (sums.selection().tried.empty() || !model.typical || chosen.eq4 ||
      configuration_groups(sums.task().training).count > kMostConfigurations)
    return std::nullopt;
  FitOptions own = options;
  own.be_silent();
  std::vector<Rival> rivals = unlike_each_other(sums, model, rivals_of(sums, chosen));
  for (Rival& rival : std::span(rivals).subspan(1)) {
    try {
      rival.model = sums.fitted(rival.candidate, own);
    } catch (const Error&) {
      rival.model.reset();
    }
  }
  std::erase_if(rivals, [](const Rival& rival) { return !rival.model || !rival.model->typical; });
  drop_refuted(sums.task().training, rivals);
  Laws widest;
  for (std::size_t scale = 0; scale < model.spec.extrinsic.size(); ++scale)
    if (Laws laws = laws_along(rivals, scale);
        !model.spec.follows(laws.column) && spread_of(laws) > spread_of(widest))
      widest = std::move(laws);
  return widest.laws.size() > 1 ? std::optional(std::move(widest)) : std::nullopt;
}

}  // namespace perfmodel
