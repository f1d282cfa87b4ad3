#include "fit/sum/choose/choice.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "fit/sum/choose/held_out_errors.hpp"
#include "model/form/generic_expression.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

/// Growths that differ by less are the same, as a logarithm of time.
constexpr double kEqualGrowth = 0.02;
/// A cap must be better by this on every far end, as a logarithm of errors, lest noise puts one.
constexpr double kGainOfCap = 0.05;

/// How many logarithms there are that a plain power is preferred to. A power beside a term that is
/// taken away can be as good as a logarithm only where two huge parts cancel.
Index logarithms_of(const SumShape& shape) {
  Index out = 0;
  if (!shape.signs.empty())
    return out;
  for (const std::vector<int>& powers : shape.log_powers)
    out += std::count_if(powers.begin(), powers.end(), [](int r) { return r != 0; });
  return out;
}

/// The number of constants that are fitted, which stands for "the simplest". A logarithm counts as
/// one, also in place of a power: that it was tried is as good as a constant.
Index size_of(const Candidate& candidate, const ModelSpec& spec) {
  if (candidate.generic)
    return static_cast<Index>(GenericLayout(spec).size());
  const SumShape& shape = candidate.shape;
  const std::vector<bool> held = shape.held();
  return shape.size() - std::count(held.begin(), held.end(), true) -
         static_cast<Index>(shape.followers().size()) + logarithms_of(shape);
}

/// Logarithms and rings, which are taken where a power does not do.
Index departures_of(const Candidate& candidate) {
  return logarithms_of(candidate.shape) + static_cast<Index>(candidate.shape.rings.size());
}

const Candidate& simplest(const ModelSpec& spec, const std::vector<Candidate>& candidates) {
  return *std::min_element(
      candidates.begin(), candidates.end(),
      [&](const Candidate& a, const Candidate& b) {
        return std::tuple(size_of(a, spec), departures_of(a), a.score) <
               std::tuple(size_of(b, spec), departures_of(b), b.score);
      });
}

bool same_number_of_terms(const Candidate& a, const Candidate& b) {
  return a.generic == b.generic && a.shape.terms == b.shape.terms;
}

/// Leaves out logarithms where a form without does as well: where they grow less, they do so by
/// chance.
void prefer_plain_powers(const std::vector<Fold>& folds, std::vector<Candidate>& good) {
  const Candidate* plain = nullptr;
  const Candidate* other = nullptr;
  for (const Candidate& candidate : good) {
    const Candidate*& best = logarithms_of(candidate.shape) == 0 ? plain : other;
    if (best == nullptr || scores_better(candidate, *best))
      best = &candidate;
  }
  if (plain == nullptr || other == nullptr ||
      plain->score - other->score > standard_error(folds, *plain, *other))
    return;
  std::erase_if(good,
                [](const Candidate& candidate) { return logarithms_of(candidate.shape) > 0; });
}

}  // namespace

bool is_sum(const Candidate& candidate) {
  return !candidate.generic && candidate.shape.terms > 0;
}

bool scores_better(const Candidate& a, const Candidate& b) {
  return a.score < b.score;
}

Candidate cautious_choice(const ModelSpec& spec, const Selection& selection) {
  std::vector<Candidate> good;
  for (const Candidate& candidate : selection.tried)
    if (as_good_as(selection.folds, candidate, selection.best))
      good.push_back(candidate);
  const Candidate first = simplest(spec, good);
  std::erase_if(
      good, [&](const Candidate& candidate) { return !same_number_of_terms(candidate, first); });
  prefer_plain_powers(selection.folds, good);
  double least = good.front().growth;
  for (const Candidate& candidate : good)
    least = std::min(least, candidate.growth);
  std::vector<Candidate> cautious;
  for (const Candidate& candidate : good)
    if (candidate.growth <= least + kEqualGrowth)
      cautious.push_back(candidate);
  Candidate out = simplest(spec, cautious);
  cap_scales(selection.folds, out);
  return out;
}

void cap_scales(const std::vector<Fold>& folds, Candidate& candidate) {
  if (!is_sum(candidate))
    return;
  std::map<std::size_t, std::vector<double>> gains;
  for (std::size_t f = 0; f < folds.size() && f < candidate.capped_log_errors.size(); ++f)
    if (folds[f].far_end())
      gains[*folds[f].scale].push_back(candidate.log_errors[f] - candidate.capped_log_errors[f]);
  candidate.shape.caps.clear();
  for (const auto& [scale, of_folds] : gains)
    if (*std::min_element(of_folds.begin(), of_folds.end()) > kGainOfCap)
      candidate.shape.caps.push_back(scale);
}

void judge_as_capped(const std::vector<Fold>& folds, Candidate& candidate) {
  cap_scales(folds, candidate);
  const std::vector<std::size_t>& caps = candidate.shape.caps;
  for (std::size_t f = 0; f < folds.size(); ++f)
    if (folds[f].far_end() && std::find(caps.begin(), caps.end(), *folds[f].scale) != caps.end())
      candidate.log_errors[f] = candidate.capped_log_errors[f];
  set_score(folds, candidate);
}

}  // namespace perfmodel
