#pragma once

#include <optional>

#include "choice/fit_sum.hpp"

namespace perfmodel {

/// The laws that the runs allow: formulas that predict held-out runs about as well as the chosen
/// one of `model`, and go on otherwise beyond the runs. Each is fitted to all rows.
///
/// The weight of a law is the density of Student's t, with a degree of freedom less than folds, at
/// the standard errors by which its score on held-out runs is behind the best, over their sum;
/// formulas that go on alike are one law, that of the best. nullopt if there is one law, no scale,
/// or more than 200 rows, which tell laws apart.
std::optional<Laws> rival_laws(const SumChoice& sums, const Candidate& chosen,
                               const FittedModel& model, const FitOptions& options);

}  // namespace perfmodel
