#pragma once

#include <cstddef>
#include <vector>

#include "fit/share/judged_group.hpp"

namespace perfmodel {

/// The sum that the levels of a categorical column share, each with constants of its own.
///
/// All rows together, each level's typical time taken away, say which terms there are, with the
/// column among their inputs. How many of them, with C or not, and how far the constants of a level
/// may leave the common ones is what predicts held-out rows of the levels best, each fitted to the
/// others of its rows, and to as few of them as the groups of these `sizes` have. Beside that it is
/// compared with what `own` chooses for such rows.
SharedForm choose_shared_form(const ModelSpec& spec, const Design& runs, std::size_t column,
                              const std::vector<std::size_t>& sizes, const FitOptions& options,
                              OwnFit own);

}  // namespace perfmodel
