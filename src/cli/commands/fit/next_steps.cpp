#include "cli/commands/fit/next_steps.hpp"

#include <cmath>
#include <optional>

#include "analysis/errors/worst_group.hpp"
#include "base/readable.hpp"
#include "cli/options/flag_names.hpp"
#include "model/design/row_groups.hpp"
#include "trust/form_check.hpp"

namespace perfmodel::cli {
namespace {

/// A mean distance of logarithms in percent.
std::string as_percent(double log_distance) {
  return percent(100 * std::expm1(log_distance));
}

/// How many combinations there are of the values that columns have.
double combinations(const Design& design) {
  double out = 1;
  for (const auto* factors : {&design.intrinsic, &design.extrinsic})
    for (const NumericFactor& factor : *factors)
      out *= static_cast<double>(factor.values.size());
  for (const LevelFactor& factor : design.categorical)
    out *= static_cast<double>(factor.levels);
  return out;
}

/// Whether commands can name the model and its runs.
bool stands_in_files(const FitArguments& arguments) {
  return arguments.output.value_or("-") != "-" && arguments.output->ends_with(".json") &&
         arguments.runs.size() == 1 && arguments.runs.front().ends_with(".csv");
}

}  // namespace

std::optional<FormCheck> check_default_form(const FitArguments& arguments, const FittedModel& model,
                                            const Design& training) {
  const SearchArguments& search = arguments.search;
  const bool is_default = search.options.expression == Expression::generic &&
                          search.options.residual == Residual::none &&
                          search.options.method == Method::scaled && !search.loss && !search.l1 &&
                          !search.l2 && arguments.runs.front() != "-" &&
                          arguments.command_line.find(" --expression") == std::string::npos;
  if (!is_default || !training.runs.empty())
    return std::nullopt;
  const std::optional<FormCheck> check = check_form(model, training);
  return check && check->points_elsewhere() ? check : std::nullopt;
}

std::string other_form_note(const FitArguments& arguments, const FormCheck& check) {
  return "products have " + as_percent(check.of_surface) + " on held-out runs where Eq. (4) has " +
         as_percent(check.of_model) + " on its own: another form may fit far better:\n  " +
         arguments.command_line + " --expression auto";
}

namespace {

std::optional<std::string> next_runs_note(const FitArguments& arguments, const FittedModel& model,
                                          const Design& training) {
  constexpr std::size_t runs_per_constant = 10;
  const std::size_t measured = configuration_groups(training).count;
  const auto constants = static_cast<std::size_t>(model.constants.size());
  if (!stands_in_files(arguments) || measured >= runs_per_constant * constants ||
      static_cast<double>(measured) >= combinations(training))
    return std::nullopt;
  return std::to_string(measured) + " configurations are few for " + std::to_string(constants) +
         " constants; which to measure next:\n  perfmodel suggest " +
         shell_word(*arguments.output) + " " + shell_word(arguments.runs.front()) + " --next 3";
}

std::optional<std::string> worst_runs_note(const FitArguments& arguments, const FittedModel& model,
                                           const Design& training) {
  if (!stands_in_files(arguments))
    return std::nullopt;
  const std::optional<WorstGroup> worst =
      worst_group(model.spec, training, predict(model, training));
  if (!worst)
    return std::nullopt;
  return "where " + worst->column + " is " + worst->values + " the model is off by " +
         percent(worst->mape) + ", elsewhere by " + percent(worst->mape_of_the_rest) +
         "; errors by level and value:\n  perfmodel report " + shell_word(*arguments.output) + " " +
         shell_word(arguments.runs.front()) +
         (model.provenance.failed.empty() ? "" : " --failed drop") + " -o report.html";
}

}  // namespace

std::vector<std::string> next_steps(const FitArguments& arguments, const FittedModel& model,
                                    const Design& training, std::size_t most) {
  std::vector<std::string> notes;
  for (const auto note_of : {next_runs_note, worst_runs_note})
    if (const auto note = note_of(arguments, model, training); note && notes.size() < most)
      notes.push_back(*note);
  return notes;
}

}  // namespace perfmodel::cli
