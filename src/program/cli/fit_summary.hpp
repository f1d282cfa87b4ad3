#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/fit_command.hpp"
#include "effects/effects.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "report/document.hpp"
#include "trust/cross_validation.hpp"

namespace perfmodel::cli {

/// Compares the default form, Eq. (4), with a response surface. Returns nullopt if the form or a
/// search option was chosen by the user, or if no other form promises far lower errors.
std::optional<FormCheck> check_default_form(const FitArguments& arguments, const FittedModel& model,
                                            const Design& training);
/// Whether the user chose neither a form nor its search.
bool chose_no_form(const FitArguments& arguments);
/// Describes that comparison or, without one, that Eq. (4) fits badly, with the command to run
/// instead; nullopt if neither holds.
std::optional<std::string> other_form_note(const FitArguments& arguments, const FittedModel& model,
                                           const std::optional<FormCheck>& check);

/// Suggestions after a fit, at most `most`, each with a command to run, in this order: measure more
/// combinations of values if there are few for the number of constants; look at the level, or the
/// end of a numeric range, whose runs are predicted clearly worse than the others.
std::vector<std::string> next_steps(const FitArguments& arguments, const FittedModel& model,
                                    const Design& training, std::size_t most);

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
