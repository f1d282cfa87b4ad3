#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "effects/effects.hpp"
#include "perfmodel/model.hpp"
#include "report/document.hpp"

namespace perfmodel::cli {

struct FitDocument {
  const FittedModel& model;
  std::vector<double> time_shares;  ///< see time_shares()
  std::size_t training_rows = 0;
  double seconds = 0;              ///< of the search
  double all_seconds = 0;          ///< of the whole command, including reading
  bool scales_wrongly = false;     ///< the form's scaling forecasts are not reliable
  std::vector<Share> shares = {};  ///< of a sum, over the training rows
};

/// Tables of constants, scaling, errors and search, at most 100 columns wide.
std::string fit_summary(const FitDocument& report, const Console& console);

/// "94.8 % of the rows are at or below their 95 % bound, and all bounds together are 1.31 times the
/// measured sum".
std::string bound_in_words(const Bound& bound, const BoundUse& use);

/// A section of a summary: a blank line, an emphasised heading and the table.
std::string section(doc::Table table, const Console& console);

/// The warnings of a fit in order; many warnings of one kind become one line, such as "104 of 495
/// constants are not determined by these runs". model.json contains each of them.
std::vector<std::string> warning_lines(const FittedModel& model);

}  // namespace perfmodel::cli
