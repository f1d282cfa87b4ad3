#pragma once

#include <functional>

#include "optimise/lad/least_absolute_deviations.hpp"

namespace perfmodel::optimise {

using LadSolver =
    std::function<LadResult(const LadProblem&, const Eigen::VectorXd& start, const LadOptions&)>;

/// Whether sifting begins with fewer rows than the problem has.
bool leaves_rows_out(const LadProblem& problem);

/// Solves a problem of many rows through problems of few: only rows whose residual may change its
/// sign keep their kink, all others count as linear with the sign they have. Rows that turn out to
/// have changed sign are taken in, and it is solved again. Exact: at the end no sign is wrong, and
/// the multipliers of the linear rows, +-w, are feasible (Portnoy and Koenker 1997, "globs").
LadResult sift(const LadProblem& problem, const Eigen::VectorXd& start, const LadOptions& options,
               const LadSolver& solve);

}  // namespace perfmodel::optimise
