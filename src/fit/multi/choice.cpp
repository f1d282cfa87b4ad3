#include "fit/multi/choice.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "fit/multi/held_out_errors.hpp"
#include "perfmodel/model/generic_expression.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

/// Growths that differ by less are the same, as a logarithm of time.
constexpr double kEqualGrowth = 0.02;

/// How many logarithms there are.
Index logarithms_of(const SumShape& shape) {
  Index out = 0;
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
      candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
        return std::tuple(size_of(a, spec), departures_of(a), a.score) <
               std::tuple(size_of(b, spec), departures_of(b), b.score);
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
    if (!candidate.barred && as_good_as(selection.folds, candidate, selection.best))
      good.push_back(candidate);
  }
  const Candidate first = simplest(spec, good);
  if (logarithms_of(first.shape) == 0) {
    // Those with logarithms are no better, and where they grow less, they do so by chance.
    std::erase_if(good, [](const Candidate& candidate) {
      return logarithms_of(candidate.shape) > 0;
    });
  }
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
