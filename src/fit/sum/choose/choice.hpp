#pragma once

#include "fit/sum/choose/selection.hpp"

namespace perfmodel {

/// A sum of at least one term, not Eq. (4).
bool is_sum(const Candidate& candidate);

bool scores_better(const Candidate& a, const Candidate& b);

/// Which of the candidates that are as good as the best is taken.
///
/// The one with the fewest constants says how many terms it has. Of those with as many, the ones
/// that grow least beyond the measured range stay: where held-out rows cannot tell candidates
/// apart, one that grows too fast out there can be wrong by any factor, one that grows too slowly
/// by no more than the growth. Of these the fewest constants, then the best score. Logarithms are
/// taken only where no candidate of as many terms does without.
Candidate cautious_choice(const ModelSpec& spec, const Selection& selection);

/// "As at the largest measured value" is the forecast to beat: a scale whose far ends it predicts
/// better, each of them, counts no further than it was measured.
void cap_scales(const std::vector<Fold>& folds, Candidate& candidate);

/// The same, and its errors are those of what it then says.
void judge_as_capped(const std::vector<Fold>& folds, Candidate& candidate);

}  // namespace perfmodel
