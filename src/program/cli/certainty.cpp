#include "cli/certainty.hpp"

#include <algorithm>
#include <limits>

#include "base/text.hpp"
#include "cli/fit_summary.hpp"
#include "roles/quantities.hpp"
#include "storage/files.hpp"
#include "trust/resampling.hpp"

namespace perfmodel::cli {
namespace {

/// The spread of one metric; NaN if it has none.
Spread metric_spread(const std::vector<Spread>& spreads, std::string_view metric) {
  const auto spread = std::ranges::find(spreads, metric, &Spread::name);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return spread == spreads.end() ? Spread{std::string(metric), none, none} : *spread;
}

}  // namespace

void add_coverage(OptionSet& app, std::optional<double>& coverage, const std::string& help) {
  app.number("--coverage SHARE", coverage, help,
             {1e-9, 1 - 1e-9, true, "a share between 0 and 1 such as 0.9"});
}

std::optional<double> interval_level(const FittedModel& model, std::optional<double> coverage,
                                     const std::string& file) {
  if (model.known.intervals)
    return coverage.value_or(model.known.intervals->level);
  if (coverage) {
    throw InputError(file +
                     ": the model holds no prediction intervals; fit it again with --coverage " +
                     to_text(*coverage));
  }
  return std::nullopt;
}

Certainty certainty_of(const FittedModel& model, std::optional<double> coverage,
                       const std::string& file, const Design& design) {
  Certainty out{.level = interval_level(model, coverage, file)};
  out.reach = model.form->gp_reach(model.spec, model.constants, design);
  if (out.level)
    out.intervals = row_intervals(model, *out.level, design, out.reach);
  return out;
}

std::string bound_notice(const Bound& bound) {
  return "a bound: " + short_number(100 * bound.quantile) +
         " % of new runs are meant to stay at or below it";
}

std::string certainty_section(const FittedModel& model, const Console& console) {
  std::string text;
  if (model.known.cross_validation) {
    const auto& validation = *model.known.cross_validation;
    const std::vector<Spread> spreads = metrics_spread(validation.folds);
    const ShownTime time(shown_unit(model.spec), metric_spread(spreads, "mae").mean);
    doc::Table table{
        {doc::words(std::to_string(validation.folds.size()) + " folds" +
                    (validation.group_by ? " by " + clipped(*validation.group_by, 28) : "")),
         doc::numbers(time.heading("MAE"), {}, doc::format_of(time)), doc::numbers("MAPE %"),
         doc::numbers("SMAPE %"), doc::numbers(time.heading("RMSE"), {}, doc::format_of(time)),
         doc::numbers("R2")}};
    const auto add = [&](const char* name, double Spread::*value) {
      std::vector<doc::Cell> cells = {name};
      for (const char* metric : {"mae", "mape_percent", "smape_percent", "rmse", "r2"})
        cells.emplace_back(metric_spread(spreads, metric).*value);
      table.add(std::move(cells));
    };
    add("mean", &Spread::mean);
    add("sd over folds (n - 1)", &Spread::standard_deviation);
    text += section(std::move(table), console);
  }
  if (model.known.intervals) {
    const PredictionIntervals& intervals = *model.known.intervals;
    const IntervalFactors factors = usual_factors(model).value();
    const bool few = share_of_folds(model) < 1;
    text +=
        "\n  " + console.strong("intervals") + "  " + short_number(100 * intervals.level) +
        " % of new " + std::string(words_of_measure(measure_of(model.spec)).values) + ": " +
        short_number(factors.lower) + " to " + short_number(factors.upper) +
        " times the prediction" +
        (few ? ", of a new\n             configuration like the measured ones; wider far from them"
         : intervals.by_deviation ? " at the median\n             standard deviation of held-out "
                                    "rows; narrower near the runs, wider\n             far from "
                                    "them"
                                  : "") +
        "\n             " + std::string(to_text(intervals.calibration)) + " on " +
        counted_noun(intervals.count, "held-out row") +
        (few ? ", and how run times of other programs scale" : "") +
        (intervals.test_coverage
             ? "; " + percent(100 * *intervals.test_coverage) + " of the test rows lie inside"
             : "") +
        "\n";
  } else if (model.known.metrics.train.rows == 1) {
    text += "\n  no intervals: one run says nothing of others\n";
  }
  return text;
}

}  // namespace perfmodel::cli
