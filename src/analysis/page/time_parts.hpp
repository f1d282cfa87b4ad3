#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel::page {

/// A part of the predicted time: an input of Eq. (4), a term of a sum, or C.
struct Share {
  std::string name;
  std::string title;         ///< of a term what it depends on; else the name
  std::string formula;       ///< of a term
  double percent = 0;        ///< of the predicted time of the runs, of a process its trend
  double percent_shown = 0;  ///< of that at the shown run
};

/// The largest first; empty where predictions of both signs make shares meaningless.
std::vector<Share> shares_of(const FittedModel& model, const Design& runs,
                             const Configuration& shown);

/// What is added to the time at the shown run, one step after the other.
struct TimeSteps {
  static constexpr double least = 2;  ///< percent; smaller parts are one step together

  struct Step {
    std::string name;
    double time = 0;
  };
  std::vector<Step> steps;
  std::size_t folded = 0;  ///< parts in the step of the small ones
  std::optional<double>
      process;  ///< what a residual process adds there, below 0 where it takes off
  double total = 0;
};

/// Nothing without shares.
std::optional<TimeSteps> time_steps(const FittedModel& model, const std::vector<Share>& shares,
                                    const Configuration& shown, std::optional<double> time);

}  // namespace perfmodel::page
