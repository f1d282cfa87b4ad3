#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/fit/task/fit_options.hpp"

namespace perfmodel {

/// Fits Eq. (4), or a sum of product terms, to the rows of a design (the training rows). Fills
/// spec, constants, metrics.train, search and warnings; the rest is the caller's.
///
/// Throws UsageError for bounds that name unknown columns or are crossed. A search that did not
/// converge is a result with a warning.
FittedModel fit(const ModelSpec& spec, const Design& training, const FitOptions& options);

/// The sum that the levels of a categorical column share, for `options.shared_form`, and how it
/// does beside forms of their own where groups have as many rows as these `sizes` say, ascending:
/// the same for any order of rows and columns.
SharedForm shared_form(const ModelSpec& spec, const Design& runs, const std::string& column,
                       const std::vector<std::size_t>& sizes, const FitOptions& options);

}  // namespace perfmodel
