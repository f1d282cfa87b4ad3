#include "cli/commands/fit/next_steps.hpp"

#include <cmath>

#include "base/readable.hpp"
#include "trust/form_check.hpp"

namespace perfmodel::cli {
namespace {

/// A mean distance of logarithms in percent.
std::string as_percent(double log_distance) {
  return percent(100 * std::expm1(log_distance));
}

}  // namespace

std::optional<std::string> other_form_note(const FitArguments& arguments, const FittedModel& model,
                                           const Design& training) {
  const SearchArguments& search = arguments.search;
  const bool is_default = search.options.expression == Expression::generic &&
                          search.options.residual == Residual::none &&
                          search.options.method == Method::scaled && !search.loss && !search.l1 &&
                          !search.l2 && arguments.runs != "-" &&
                          arguments.command_line.find(" --expression") == std::string::npos;
  if (!is_default)
    return std::nullopt;
  const std::optional<FormCheck> check = check_form(model, training);
  if (!check || !check->points_elsewhere())
    return std::nullopt;
  return "Eq. (4) is off by " + as_percent(check->of_model) +
         " where a quick check of products is off by " + as_percent(check->of_surface) +
         " on held-out runs; another form may fit far better:\n  " + arguments.command_line +
         " --expression auto";
}

}  // namespace perfmodel::cli
