#include "cli/runs/held_out_options.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "cli/terminal/shown_time.hpp"
#include "cli/terminal/text_table.hpp"
#include "perfmodel/base/error.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/spread.hpp"

namespace perfmodel::cli {
namespace {

/// Of one metric; not numbers where it has none.
Spread metric_spread(const std::vector<Spread>& spreads, std::string_view metric) {
  const auto spread = std::find_if(spreads.begin(), spreads.end(),
                                   [&](const Spread& each) { return each.name == metric; });
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return spread == spreads.end() ? Spread{std::string(metric), none, none} : *spread;
}

HeldOutRequest::Folds parse_folds(const std::string& text) {
  if (text == "all")
    return {};
  const auto count = parse_number(text);
  if (!count || *count < 2 || *count > 1e6 || *count != std::floor(*count))
    throw OptionError("--folds", "'" + text + "' is neither 'all' nor a number >= 2");
  return {static_cast<std::size_t>(*count)};
}

}  // namespace

void add_coverage(OptionSet& app, std::optional<double>& coverage, const std::string& description) {
  add_number(app, "--coverage", coverage, description,
             {1e-9, 1 - 1e-9, true, "a share between 0 and 1 such as 0.9"})
      .type_name("SHARE");
}

std::optional<double> interval_level(const FittedModel& model, std::optional<double> coverage,
                                     const std::string& file) {
  if (model.intervals)
    return coverage.value_or(model.intervals->level);
  if (coverage) {
    throw InputError(file +
                     ": the model holds no prediction intervals; fit it again with --coverage " +
                     to_text(*coverage));
  }
  return std::nullopt;
}

Certainty certainty_of(const FittedModel& model, std::optional<double> coverage,
                       const std::string& file, const Design& design) {
  const auto level = interval_level(model, coverage, file);
  Certainty out;
  out.reach = model.form->process_reach(model.spec, model.constants, design);
  if (level)
    out.intervals = row_intervals(model, *level, design, out.reach);
  return out;
}

void add_held_out_options(OptionSet& app, HeldOutRequest& request) {
  constexpr auto group = "Judging the model";
  app.add_option_function(
         "--folds", [&](const std::string& text) { request.folds = parse_folds(text); },
         "cross-validation: fit K times without a K-th of the\n"
         "training rows and judge on it; all: leave one group out;\n"
         "the model is still fitted to all training rows")
      .type_name("K|all")
      .group(group);
  app.add_option("--group-by", request.group_by,
                 "rows with one value of this column are held out\n"
                 "together (default: those of one configuration)")
      .type_name("COL")
      .group(group);
  add_coverage(app, request.coverage,
               "prediction intervals that cover this share of new\n"
               "times, from the validation rows, else from " +
                   std::to_string(HeldOutRequest::default_folds) + " folds");
  app.get_option("--coverage").group(group);
}

std::string held_out_section(const FittedModel& model, const Console& console) {
  using enum Align;
  std::string text;
  if (model.cross_validation) {
    const auto& validation = *model.cross_validation;
    const std::vector<Spread> spreads = metrics_spread(validation.folds);
    const ShownTime time(model.spec.unit, metric_spread(spreads, "mae").mean);
    TextTable table({left, right, right, right, right, right});
    table.add({std::to_string(validation.folds.size()) + " folds" +
                   (validation.group_by ? " by " + clipped(*validation.group_by, 28) : ""),
               time.heading("MAE"), "MAPE %", "SMAPE %", time.heading("RMSE"), "R2"});
    const auto add = [&](const std::string& name, double Spread::*value) {
      std::vector<std::string> cells = {name};
      for (const char* metric : {"mae", "mape_percent", "smape_percent", "rmse", "r2"}) {
        const double figure = metric_spread(spreads, metric).*value;
        const bool is_time =
            metric == std::string_view("mae") || metric == std::string_view("rmse");
        cells.push_back(std::isnan(figure) ? "-"
                        : is_time          ? time.number(figure)
                                           : short_number(figure));
      }
      table.add(cells);
    };
    add("mean", &Spread::mean);
    add("sd over folds (n - 1)", &Spread::standard_deviation);
    auto lines = table.lines(2, console.width());
    lines.front() = console.strong(lines.front());
    for (const auto& line : lines)
      text += (text.empty() ? "\n" : "") + line + "\n";
  }
  if (model.intervals) {
    const PredictionIntervals& intervals = *model.intervals;
    const IntervalFactors factors = usual_factors(intervals).value();
    text +=
        "\n  " + console.strong("intervals") + "  " + short_number(100 * model.intervals->level) +
        " % of new times: " + short_number(factors.lower) + " to " + short_number(factors.upper) +
        " times the prediction" +
        (intervals.by_deviation
             ? ", where it is as\n             unsure as of the median held-out "
               "row; narrower where runs are near,\n             wider where none are"
             : "") +
        "\n             " + std::string(to_text(model.intervals->calibration)) + " on " +
        std::to_string(model.intervals->count) + " held-out rows" +
        (model.intervals->test_coverage ? "; " + percent(100 * *model.intervals->test_coverage) +
                                              " of the test rows lie inside"
                                        : "") +
        "\n";
  }
  return text;
}

}  // namespace perfmodel::cli
