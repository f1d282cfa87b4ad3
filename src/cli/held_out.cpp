#include "cli/held_out.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "cli/numbers.hpp"
#include "cli/search_progress.hpp"
#include "cli/text_table.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/fit/folds.hpp"
#include "perfmodel/fit/spread.hpp"

namespace perfmodel::cli {
namespace {

/// Of `--coverage` without validation rows.
constexpr std::size_t default_folds = 10;

HeldOutArguments::Folds parse_folds(const std::string& text) {
  if (text == "all") {
    return {};
  }
  const auto count = parse_number(text);
  if (!count || *count < 2 || *count > 1e6 || *count != std::floor(*count)) {
    throw CLI::ValidationError("--folds", "'" + text + "' is neither 'all' nor a number >= 2");
  }
  return {static_cast<std::size_t>(*count)};
}

bool calibrates_on_folds(const HeldOutArguments& arguments, const Split& split) {
  return arguments.coverage && split.validation.empty();
}

RowGroups groups_for(const HeldOutArguments& arguments, const Table& table, const Split& split,
                     const Design& training) {
  if (!arguments.group_by) {
    return configuration_groups(training);
  }
  const Column& column = table.at(*arguments.group_by);
  if (!column.bad_cells.empty()) {
    throw InputError(table.where(column.bad_cells.front().row) + ": column '" + column.name +
                     "': \"" + column.bad_cells.front().text +
                     "\" is not a number, but --group-by groups by this column; pass it as "
                     "--categorical too, or clean it");
  }
  return column_groups(column, split.train);
}

void cross_validate_model(const HeldOutArguments& arguments, const HeldOutPlan& plan,
                          const Split& split, const Design& training, const FitOptions& options,
                          FittedModel& model, Console& console) {
  SearchProgress progress(console);
  auto validation =
      cross_validate(model.spec, training, options, plan.parts,
                     [&](std::size_t done) { progress.show("folds", done, plan.parts.size()); });
  if (!validation) {
    return;  // a signal
  }
  if (calibrates_on_folds(arguments, split)) {
    model.intervals = calibrate(training.time, validation->predicted, Calibration::cross_validation,
                                *arguments.coverage);
  }
  if (arguments.folds) {
    validation->group_by = plan.group_by;
    model.cross_validation = std::move(validation);
  }
}

}  // namespace

void add_coverage(CLI::App& app, std::optional<double>& coverage, const std::string& description) {
  add_number(app, "--coverage", coverage, description,
             {1e-9, 1 - 1e-9, true, "a share between 0 and 1 such as 0.9"})
      ->type_name("SHARE");
}

std::optional<IntervalFactors> interval_of(const FittedModel& model, std::optional<double> coverage,
                                           const std::string& file) {
  if (model.intervals) {
    return interval_factors(*model.intervals, coverage.value_or(model.intervals->level));
  }
  if (coverage) {
    throw InputError(file +
                     ": the model holds no prediction intervals; fit it again with --coverage " +
                     to_text(*coverage));
  }
  return std::nullopt;
}

void add_held_out_options(CLI::App& app, HeldOutArguments& arguments) {
  constexpr auto group = "Judging the model";
  app.add_option_function<std::string>(
         "--folds", [&](const std::string& text) { arguments.folds = parse_folds(text); },
         "cross-validation: fit K times without a K-th of the\n"
         "training rows and judge on it; all: leave one group out;\n"
         "the model is still fitted to all training rows")
      ->type_name("K|all")
      ->group(group);
  app.add_option("--group-by", arguments.group_by,
                 "rows with one value of this column are held out\n"
                 "together (default: those of one configuration)")
      ->type_name("COL")
      ->group(group);
  add_coverage(app, arguments.coverage,
               "prediction intervals that cover this share of new\n"
               "times, from the validation rows, else from " +
                   std::to_string(default_folds) + " folds");
  app.get_option("--coverage")->group(group);
}

HeldOutPlan plan_held_out(const HeldOutArguments& arguments, const Table& table, const Split& split,
                          const Design& training, std::uint64_t seed) {
  HeldOutPlan plan;
  plan.group_by = arguments.group_by;
  const bool needs_folds = arguments.folds || calibrates_on_folds(arguments, split);
  if (arguments.group_by && !needs_folds) {
    throw UsageError("--group-by has no effect without --folds" +
                     std::string(arguments.coverage ? " where there are validation rows" : ""));
  }
  if (arguments.coverage) {
    require_level(*arguments.coverage,
                  split.validation.empty() ? training.rows : split.validation.size());
  }
  if (needs_folds) {
    const RowGroups groups = groups_for(arguments, table, split, training);
    plan.parts = make_held_out_parts(
        groups, arguments.folds ? arguments.folds->count : std::min(default_folds, groups.count),
        seed);
  }
  return plan;
}

void add_held_out(const HeldOutArguments& arguments, const HeldOutPlan& plan, const Table& table,
                  const Split& split, const Design& training, const FitOptions& options,
                  const std::optional<Design>& test, FittedModel& model, Console& console) {
  if (arguments.coverage && !split.validation.empty()) {
    const Design validation = make_design(table, model.spec, Target::required, split.validation);
    model.intervals = calibrate(validation.time, predict(model, validation),
                                Calibration::validation, *arguments.coverage);
  }
  if (!plan.parts.empty()) {
    cross_validate_model(arguments, plan, split, training, options, model, console);
  }
  if (model.intervals && test) {
    model.intervals->test_coverage =
        covered_share(interval_factors(*model.intervals, model.intervals->level), test->time,
                      predict(model, *test));
  }
}
std::string held_out_section(const FittedModel& model, const Console& console) {
  using enum Align;
  std::string text;
  if (model.cross_validation) {
    const auto& validation = *model.cross_validation;
    const std::string& unit = model.spec.unit;
    TextTable table({left, right, right, right, right, right});
    table.add({std::to_string(validation.folds.size()) + " folds" +
                   (validation.group_by ? " by " + clipped(*validation.group_by, 28) : ""),
               with_unit("MAE", unit), "MAPE %", "SMAPE %", with_unit("RMSE", unit), "R2"});
    const std::vector<Spread> spreads = metrics_spread(validation.folds);
    const auto add = [&](const std::string& name, double Spread::*value) {
      std::vector<std::string> cells = {name};
      for (const char* metric : {"mae", "mape_percent", "smape_percent", "rmse", "r2"}) {
        const auto spread = std::find_if(spreads.begin(), spreads.end(),
                                         [&](const Spread& each) { return each.name == metric; });
        cells.push_back(spread == spreads.end() ? "-" : short_number((*spread).*value));
      }
      table.add(cells);
    };
    add("mean", &Spread::mean);
    add("sd over folds (n - 1)", &Spread::standard_deviation);
    auto lines = table.lines(2);
    lines.front() = console.strong(lines.front());
    for (const auto& line : lines) {
      text += (text.empty() ? "\n" : "") + line + "\n";
    }
  }
  if (model.intervals) {
    const IntervalFactors factors = interval_factors(*model.intervals, model.intervals->level);
    text +=
        "\n  " + console.strong("intervals") + "  " + short_number(100 * model.intervals->level) +
        " % of new times: " + short_number(factors.lower) + " to " + short_number(factors.upper) +
        " times the prediction\n             " +
        std::string(to_text(model.intervals->calibration)) + " on " +
        std::to_string(model.intervals->count) + " held-out rows" +
        (model.intervals->test_coverage ? "; " + percent(100 * *model.intervals->test_coverage) +
                                              " of the test rows lie inside"
                                        : "") +
        "\n";
  }
  return text;
}

}  // namespace perfmodel::cli
