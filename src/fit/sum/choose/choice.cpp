#include "fit/sum/choose/choice.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "fit/sum/choose/held_out_errors.hpp"
#include "model/form/generic_expression.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

/// Growths that differ by less are the same, as a logarithm of time.
constexpr double kEqualGrowth = 0.02;

/// The number of constants that are fitted, which stands for "the simplest": the r of log2(E)^r is
/// one of two choices, not a constant, so that a logarithm in place of a power is simpler.
Index size_of(const Candidate& candidate, const ModelSpec& spec) {
  if (candidate.generic)
    return static_cast<Index>(GenericLayout(spec).size());
  const std::vector<bool> held = candidate.shape.held();
  return candidate.shape.size() - std::count(held.begin(), held.end(), true);
}

const Candidate& simplest(const ModelSpec& spec, const std::vector<Candidate>& candidates) {
  return *std::min_element(
      candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
        return std::pair(size_of(a, spec), a.score) < std::pair(size_of(b, spec), b.score);
      });
}

bool same_number_of_terms(const Candidate& a, const Candidate& b) {
  return a.generic == b.generic && a.shape.terms == b.shape.terms;
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
  for (const Candidate& candidate : selection.tried) {
    if (as_good_as(selection.folds, candidate, selection.best))
      good.push_back(candidate);
  }
  const Candidate first = simplest(spec, good);
  double least = first.growth;
  for (const Candidate& candidate : good) {
    if (same_number_of_terms(candidate, first))
      least = std::min(least, candidate.growth);
  }
  std::vector<Candidate> cautious;
  for (const Candidate& candidate : good) {
    if (same_number_of_terms(candidate, first) && candidate.growth <= least + kEqualGrowth)
      cautious.push_back(candidate);
  }
  return simplest(spec, cautious);
}

}  // namespace perfmodel
