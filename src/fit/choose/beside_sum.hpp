#pragma once

#include <optional>
#include <vector>

#include "fit/choose/process_judge.hpp"
#include "fit/sum/choose/candidate_judge.hpp"

namespace perfmodel {

/// Processes beside a sum that `plain` has judged. The constants of the sum were good alone: the
/// likelihood says how far to leave them. Nothing where a stop was requested.
std::vector<FormCandidate> beside_sum(const SelectionTask& task, const CandidateJudge& plain,
                                      ProcessJudge& with_process, const Candidate& trend);

/// The same beside constants of the least absolute errors, which stay as they are. Of runs of many
/// small times and few large ones, the likelihood has constants that suit the small ones, and
/// leaves to the process what the large ones need; beyond the runs only the constants count.
/// Nothing where that is not better at the far ends.
std::optional<FormCandidate> beside_held_sum(const SelectionTask& task, const CandidateJudge& plain,
                                             ProcessJudge& with_process,
                                             const std::vector<Fold>& folds,
                                             const FormCandidate& chosen);

}  // namespace perfmodel
