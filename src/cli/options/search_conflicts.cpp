#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/options/search_options.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

/// A residual process has an objective of its own.
void refuse_options_beside_process(const SearchArguments& arguments) {
  const FitOptions& options = arguments.options;
  std::vector<std::string> idle;
  const auto refuse = [&](const char* name, bool given) {
    if (given)
      idle.emplace_back(name);
  };
  refuse("--loss", arguments.loss.has_value());
  refuse("--l1", arguments.l1.has_value());
  refuse("--l2", arguments.l2.has_value());
  refuse("--penalise", arguments.penalise.has_value());
  refuse("--method", options.method != Method::scaled);
  refuse("--bounds", !options.bounds.empty());
  refuse("--no-polish", arguments.no_polish);
  refuse("--signed", options.signed_terms);
  if (!idle.empty()) {
    throw UsageError(quoted_list(idle) + (idle.size() == 1 ? " does" : " do") +
                     " not go with --residual process, whose constants and hyper-parameters "
                     "maximise a likelihood; leave out one of them");
  }
}

}  // namespace

void refuse_options_of_others(const SearchArguments& arguments) {
  const FitOptions& options = arguments.options;
  if (options.residual == Residual::process)
    refuse_options_beside_process(arguments);
  if (options.expression == Expression::generic) {
    if (arguments.terms_given)
      throw UsageError("--terms has no effect without --expression multi");
    if (options.signed_terms)
      throw UsageError("--signed has no effect without --expression multi");
    return;
  }
  const std::string expression = "--expression " + std::string(to_text(options.expression));
  if (options.expression == Expression::automatic && options.terms)
    throw UsageError("--terms does not go with " + expression + ", which chooses the terms, too");
  if (options.signed_terms && options.terms)
    throw UsageError("--signed is for terms that are chosen: leave --terms out");
  std::vector<std::string> idle;
  const auto refuse = [&](const char* name, bool given) {
    if (given)
      idle.emplace_back(name);
  };
  refuse("--method", options.method != Method::scaled);
  refuse("--bounds", !options.bounds.empty());
  refuse("--penalise", arguments.penalise.has_value());
  refuse("--exploration-rows", options.exploration_rows.has_value());
  refuse("--strategy", options.strategy.has_value());
  refuse("--population", options.population.has_value());
  refuse("--generations", options.generations.has_value());
  refuse("--tolerance", options.tolerance.has_value());
  refuse("--differential-weight", options.differential_weight.has_value());
  refuse("--crossover-rate", options.crossover_rate.has_value());
  refuse("--no-polish", arguments.no_polish);
  if (!idle.empty()) {
    throw UsageError(quoted_list(idle) + (idle.size() == 1 ? " is" : " are") + " for Eq. (4); " +
                     expression + " has a search of its own, which takes " +
                     (options.expression == Expression::multi ? "--terms, " : "") +
                     "--loss, --l1, --l2, --seed, --starts and --threads");
  }
}

}  // namespace perfmodel::cli
