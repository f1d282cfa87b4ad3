#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "fit/choose/process_judge.hpp"

namespace perfmodel {

/// Which of the candidates it is, by what the folds hold out: of those that are as good as the
/// best, one without a process before one with, fewer terms before more. Nothing where none is
/// eligible.
std::optional<std::size_t> choose_form(const SelectionTask& task, const std::vector<Fold>& folds,
                                       const std::vector<FormCandidate>& tried);

}  // namespace perfmodel
