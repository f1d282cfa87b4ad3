#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fit/sum/choose/selection.hpp"

namespace perfmodel {

// The sums that a selection tries, step by step; what a step starts from is `from`.

inline constexpr Eigen::Index kMostTerms = 5;
/// Of a sum whose other growths are tried for every column, and of one that is taken away from.
inline constexpr Eigen::Index kFewTerms = 2;

/// The regimes that are part of every form: of zeros.
std::vector<Eigen::Index> zeros_apart(const SelectionTask& task);

/// So many terms with all inputs, without logarithms and regimes but those of zeros.
SumShape plain_shape(const SelectionTask& task, Eigen::Index terms, bool intercept);

bool is_extrinsic(const SelectionTask& task, std::size_t numeric);

/// Regimes and C in all combinations, of one term: what matters most and acts together.
std::vector<Candidate> plain_candidates(const SelectionTask& task);

std::vector<Candidate> with_other_ridges(const Candidate& from);

/// A term for each numeric column, which leaves out the others.
std::optional<SumShape> additive_shape(const SelectionTask& task);

/// Rings of each scale, and of all of them that count from 1: GPUs and the nodes that hold them
/// grow together.
std::vector<Candidate> with_rings(const SelectionTask& task, const std::vector<Fold>& folds,
                                  const Candidate& from);

/// Other ways in which a numeric column may grow: log2(n)^r in the first term that has the column,
/// beside n^q or in its place, and the ring.
std::vector<Candidate> other_growths(const SelectionTask& task, const std::vector<Fold>& folds,
                                     const Candidate& from, std::size_t numeric);

/// A step at each inner value of a scale, beside the powers of the scale and in place of them.
std::vector<Candidate> with_steps(const SelectionTask& task, const Candidate& from,
                                  std::size_t scale);

/// The simple forms, where rows are few.
std::vector<SumShape> simple_shapes(const SelectionTask& task);

/// A term that is taken away.
std::vector<Candidate> negative_candidates(const SelectionTask& task);

/// A count whose far end is held out, so that the folds can judge its ring.
bool may_be_ring(const SelectionTask& task, const std::vector<Fold>& folds, std::size_t numeric);

}  // namespace perfmodel
