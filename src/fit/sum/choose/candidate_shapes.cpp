#include "fit/sum/choose/candidate_shapes.hpp"

#include <algorithm>
#include <numeric>

#include "fit/sum/terms/regimes.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

/// Of larger numbers 1 - 1/n is 1, and what grows with it any size.
constexpr double kLargestOfRing = 100;

constexpr double kUsualRidge = 1e-4;
constexpr double kOtherRidges[] = {1e-5, 1e-3};

/// No regime, each alone, and all; of the scales.
std::vector<std::vector<Index>> sets_of_regimes(const SelectionTask& task) {
  std::vector<std::vector<Index>> sets = {zeros_apart(task)};
  std::vector<Index> all;
  for (std::size_t g = 0; g < task.coordinates.regimes().size(); ++g) {
    const Regime& regime = task.coordinates.regimes()[g];
    if (!is_extrinsic(task, regime.numeric) || regime.above > 1)
      continue;
    all.push_back(static_cast<Index>(g));
    sets.push_back(sets.front());
    sets.back().push_back(all.back());
  }
  if (all.size() > 1) {
    sets.push_back(sets.front());
    sets.back().insert(sets.back().end(), all.begin(), all.end());
  }
  return sets;
}

}  // namespace

std::vector<Index> zeros_apart(const SelectionTask& task) {
  std::vector<Index> out(zero_regimes(task.spec).size());
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

bool is_extrinsic(const SelectionTask& task, std::size_t numeric) {
  return numeric < task.spec.extrinsic.size();
}

std::vector<Candidate> plain_candidates(const SelectionTask& task) {
  std::vector<Candidate> out;
  for (const std::vector<Index>& regimes : sets_of_regimes(task)) {
    for (const bool intercept : {true, false}) {
      out.push_back(
          {.shape = plain_shape(task, 1, intercept), .ridge = kUsualRidge, .log_errors = {}});
      out.back().shape.regimes = regimes;
    }
  }
  return out;
}

std::vector<Candidate> with_other_ridges(const Candidate& from) {
  std::vector<Candidate> out;
  for (const double ridge : kOtherRidges) {
    out.push_back(from);
    out.back().ridge = ridge;
  }
  return out;
}

std::optional<SumShape> additive_shape(const SelectionTask& task) {
  const std::size_t numerics = numeric_count(task.spec);
  if (numerics < 2 || numerics > static_cast<std::size_t>(kMostTerms))
    return std::nullopt;
  SumShape out = plain_shape(task, static_cast<Index>(numerics), true);
  out.left_out.resize(numerics);
  for (std::size_t k = 0; k < numerics; ++k) {
    for (std::size_t n = 0; n < numerics; ++n)
      if (n != k)
        out.left_out[k].push_back(n);
  }
  return out;
}

bool may_be_ring(const SelectionTask& task, const std::vector<Fold>& folds, std::size_t numeric) {
  const auto is_judged = [&](const Fold& fold) { return fold.scale == numeric; };
  return numeric_input(task.spec, numeric).low <= kLargestOfRing &&
         std::any_of(folds.begin(), folds.end(), is_judged) &&
         is_count(numeric_factor(task.training, numeric), task.training.rows);
}

std::vector<Candidate> with_rings(const SelectionTask& task, const std::vector<Fold>& folds,
                                  const Candidate& from) {
  std::vector<Candidate> out;
  std::vector<std::size_t> all;
  for (std::size_t n = 0; n < task.spec.extrinsic.size(); ++n) {
    if (!may_be_ring(task, folds, n))
      continue;
    out.push_back(from);
    out.back().shape.rings = {n};
    if (task.spec.extrinsic[n].low == 1)
      all.push_back(n);
  }
  if (all.size() > 1) {
    out.push_back(from);
    out.back().shape.rings = all;
  }
  return out;
}

std::vector<Candidate> other_growths(const SelectionTask& task, const std::vector<Fold>& folds,
                                     const Candidate& from, std::size_t numeric) {
  std::vector<Candidate> out;
  Index term = 0;
  while (term < from.shape.terms && from.shape.leaves_out(term, numeric))
    ++term;
  if (term == from.shape.terms)
    return out;
  const NumericFactor& factor = numeric_factor(task.training, numeric);
  if (may_have_logarithm(factor, task.training.rows)) {
    for (const int r : {1, 2}) {
      for (const bool pure : {false, true}) {
        out.push_back(from);
        out.back().shape.log_powers[static_cast<std::size_t>(term)][numeric] = r;
        out.back().shape.pure_logarithms = pure;
      }
    }
  }
  const std::vector<std::size_t>& rings = from.shape.rings;
  if (may_be_ring(task, folds, numeric) &&
      std::find(rings.begin(), rings.end(), numeric) == rings.end()) {
    out.push_back(from);
    out.back().shape.rings.push_back(numeric);
  }
  return out;
}

std::vector<Candidate> with_steps(const SelectionTask& task, const Candidate& from,
                                  std::size_t scale) {
  std::vector<Candidate> out;
  const std::vector<Regime>& regimes = task.coordinates.regimes();
  for (std::size_t g = 0; g < regimes.size(); ++g) {
    if (regimes[g].numeric != scale || regimes[g].above <= 1)
      continue;
    out.push_back(from);
    out.back().shape.regimes.push_back(static_cast<Index>(g));
    out.push_back(out.back());
    SumShape& alone = out.back().shape;
    alone.left_out.resize(static_cast<std::size_t>(alone.terms));
    for (std::vector<std::size_t>& columns : alone.left_out)
      columns.push_back(scale);
  }
  return out;
}

std::vector<SumShape> simple_shapes(const SelectionTask& task) {
  std::vector<SumShape> out = {plain_shape(task, 1, true), plain_shape(task, 1, false)};
  if (const auto additive = additive_shape(task))
    out.push_back(*additive);
  if (task.options.signed_terms) {
    for (SumShape shape : std::vector(out)) {
      shape.signs.assign(static_cast<std::size_t>(shape.terms), 1);
      shape.signs.back() = -1;
      if (shape.intercept || shape.terms > 1)
        out.push_back(shape);
    }
  }
  return out;
}

std::vector<Candidate> negative_candidates(const SelectionTask& task) {
  std::vector<Candidate> out;
  for (const bool intercept : {true, false}) {
    out.push_back({.shape = plain_shape(task, kFewTerms, intercept), .log_errors = {}});
    out.back().shape.signs = {1, -1};
  }
  out.push_back({.shape = plain_shape(task, 1, true), .log_errors = {}});
  out.back().shape.signs = {-1};
  return out;
}

SumShape plain_shape(const SelectionTask& task, Index terms, bool intercept) {
  SumShape out{.terms = terms,
               .plain_features = task.coordinates.plain_features(),
               .regimes = zeros_apart(task),
               .intercept = intercept,
               .log_powers = {},
               .pure_logarithms = false};
  out.numeric_features = task.coordinates.numeric_features();
  out.log_powers.assign(static_cast<std::size_t>(terms),
                        std::vector<int>(numeric_count(task.spec), 0));
  return out;
}

}  // namespace perfmodel
