#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "fit/sum/choose/selection.hpp"
#include "perfmodel/fit/task/shared_form.hpp"

namespace perfmodel {

/// A form with the coordinates of its common constants.
struct FoundForm {
  SharedForm form;
  SumShape shape;
  double ridge;
  Eigen::VectorXd theta;
};

/// The sums of a candidate with 1, 2, ... terms, without C and with it, where the levels of a
/// column are groups that share the rest.
std::vector<FoundForm> forms_of(const SelectionTask& task, std::size_t column,
                                const Candidate& chosen);

/// What a form would be, had this group not been there.
SharedForm form_without(const SelectionTask& task, std::size_t column, std::size_t level,
                        const FoundForm& found);

}  // namespace perfmodel
