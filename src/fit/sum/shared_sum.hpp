#pragma once

#include "fit/sum/choose/selection.hpp"
#include "fit/sum/terms/sum_of_terms.hpp"
#include "perfmodel/fit/task/shared_form.hpp"

namespace perfmodel {

/// Shape and common constants of a sum, by the names of its columns; times as the task has them.
SharedForm shared_form_of(const SelectionTask& task, const SumShape& shape,
                          const Eigen::VectorXd& theta);

/// The constants of a group of runs for a form that it shares with others: one descent from the
/// common ones, of which each row takes them further away where the runs say so. A C is searched
/// as a term that nothing changes.
SumOfTerms search_shared_sum(const SelectionTask& task, const SharedForm& form);

}  // namespace perfmodel
