#pragma once

#include <string>
#include <vector>

#include "cli/console.hpp"
#include "perfmodel/fit/fitted_model.hpp"
#include "perfmodel/model/roles.hpp"

namespace perfmodel::cli {

/// What there is to say about a finished fit.
struct FitReport {
  const FittedModel& model;
  const Roles& roles;
  std::vector<double> time_shares;  ///< as time_shares() gives them
  double seconds = 0;               ///< of the search
};

/// The table for people: constants, scaling, errors, search; at most 100 columns wide.
std::string fit_summary(const FitReport& report, const Console& console);

/// A scaling power in words: "far from ideal -1: doubling it cuts the scalable part by 8 %".
std::string scaling_in_words(double power);

}  // namespace perfmodel::cli
