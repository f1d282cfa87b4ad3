#pragma once

#include <utility>
#include <vector>

#include "fit/sum/finish/goal_search.hpp"

namespace perfmodel {

/// A power that a simplification may have put there: a whole or a half number, at most 3.
bool is_plain_power(double power);

/// The fit with what the runs do not ask for taken away, term by term: an input that changes nothing
/// plays no part, a power next to a whole or a half number is that. Each time all other constants
/// are fitted anew.
///
/// A constant must earn its place by Akaike's information criterion: taking it away may raise the
/// goal of n runs by the factor exp(1 / n), as for errors like those of Laplace's distribution.
/// `inputs` are those of TermCoordinates. The loss of each row must be relative to its time, as that
/// of logarithms is.
SumFit simplified(const GoalTask& task,
                  const std::vector<std::pair<Eigen::Index, Eigen::Index>>& inputs,
                  const SumFit& fit);

}  // namespace perfmodel
