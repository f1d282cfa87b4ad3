#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/ssgd.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "report/document.hpp"
#include "report/documents.hpp"
#include "trust/cross_validation.hpp"

namespace perfmodel::cli {

/// Where nobody asked for Eq. (4) by name and another form may gain far more: how they compare.
std::optional<FormCheck> check_default_form(const FitArguments& arguments, const FittedModel& model,
                                            const Design& training);
/// The same in words, with the command to paste.
std::string other_form_note(const FitArguments& arguments, const FormCheck& check);

/// What helps after a fit, at most so many notes, each with the command to paste. In this order:
/// that few of the
/// combinations of values were measured for the constants that there are; the level, or the end of
/// a number, whose runs are clearly predicted worse than the others.
std::vector<std::string> next_steps(const FitArguments& arguments, const FittedModel& model,
                                    const Design& training, std::size_t most);

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

/// A table as a part of a summary: behind a blank line, with an emphasised heading.
std::string section(doc::Table table, const Console& console);

/// The warnings of a fit, in their order; of many of one kind, one line: "104 of 495 constants are
/// not determined by these runs". Each stands in model.json.
std::vector<std::string> warning_lines(const FittedModel& model);

/// What evaluate prints.
std::string formatted(const EvaluationDocument& report, const FittedModel& model,
                      OutputFormat format);

/// JUnit's XML: a test case per condition, which fails where the condition holds.
std::string junit_report(const EvaluationDocument& report, const FittedModel& model);

/// Workflow commands of GitHub Actions: the errors as a notice, an error per condition that holds.
std::string github_annotations(const EvaluationDocument& report, const FittedModel& model);

/// What scaling prints; as CSV the rows alone. Throws InputError for figures that are no numbers.
/// `width` is that of the terminal that shows it.
std::string formatted(const ScalingDocument& document, OutputFormat format,
                      std::optional<std::size_t> width);

/// What ssgd prints, with a picture of the timeline in characters at its end where there is one; as
/// CSV the schedules alone. `width` is that of the terminal that shows it.
std::string formatted(const SsgdDocument& document, OutputFormat format,
                      const ssgd::Timeline* timeline, std::optional<std::size_t> width);

/// Whole sentences: what of this study is our own design rather than a formula of the authors of
/// the model.
std::vector<std::string> own_designs(const ssgd::Profile& profile,
                                     const ssgd::StudyRequest& request,
                                     const std::optional<ssgd::Aggregation>& aggregation);

}  // namespace perfmodel::cli
