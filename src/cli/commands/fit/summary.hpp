#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/terminal/console.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/columns/roles.hpp"

namespace perfmodel::cli {

/// What there is to say about a finished fit.
struct FitDocument {
  const FittedModel& model;
  const Roles& roles;
  std::vector<double> time_shares;  ///< as time_shares() gives them
  std::size_t training_rows = 0;
  double seconds = 0;           ///< of the search
  double all_seconds = 0;       ///< of all that was asked for, from reading on
  bool scales_wrongly = false;  ///< what the form says of scales is not worth a headline
};

/// The table for people: constants, scaling, errors, search; at most 100 columns wide.
std::string fit_summary(const FitDocument& report, const Console& console);

}  // namespace perfmodel::cli
