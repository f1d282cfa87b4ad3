#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "base/text.hpp"
#include "columns/replicates.hpp"
#include "fit/censored.hpp"
#include "forms/failure_model.hpp"
#include "forms/fit_options.hpp"
#include "jobs/large_runs.hpp"
#include "roles/derived.hpp"
#include "table/expressions.hpp"
#include "table/table.hpp"
#include "trust/cross_validation.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel {
namespace {

RowGroups groups_for(const HeldOutRequest& request, const Table& table, const Split& split,
                     const Design& training) {
  if (!request.group_by)
    return held_out_groups(training);
  const Column& column = table.at(*request.group_by);
  if (!column.bad_cells.empty()) {
    throw InputError(table.where(column.bad_cells.front().row) + ": column '" + column.name +
                     "': \"" + column.bad_cells.front().text +
                     "\" is not a number, but --group-by groups by this column; pass it as "
                     "--categorical too, or clean it");
  }
  return column_groups(column, split.train);
}

/// The level of the model's intervals, which a bound needs; nullopt if there are to be none, or if
/// a single run says nothing of others.
std::optional<double> level_of(const FitRequest& fit, const Design& training,
                               std::size_t validation_rows) {
  const HeldOutRequest& request = fit.held_out;
  const std::size_t calibration_rows = validation_rows > 0 ? validation_rows : training.rows;
  if (fit.options.quantile && calibration_rows < 2)
    throw UsageError("--quantile needs at least 2 held-out rows");
  if (fit.options.quantile)
    return std::min(PredictionIntervals::default_level, highest_level(calibration_rows));
  if (!request.intervals || training.rows < 2)
    return std::nullopt;
  return request.coverage.value_or(PredictionIntervals::default_level);
}

/// Plans the held-out groups before a long fit. Throws UsageError if the request is impossible.
HeldOutPlan plan_held_out(const FitRequest& fit, const Table& table, const Split& split,
                          const Design& training) {
  const HeldOutRequest& request = fit.held_out;
  HeldOutPlan plan{.level = level_of(fit, training, split.validation.size())};
  if (request.group_by && !request.folds && (!plan.level || !split.validation.empty())) {
    throw UsageError("--group-by has no effect without --folds" +
                     std::string(plan.level ? " if there are validation rows" : ""));
  }
  if (!request.folds && !plan.level)
    return plan;
  const RowGroups groups = groups_for(request, table, split, training);
  plan.group_of = groups.of_row;
  if (request.folds)
    plan.parts = make_held_out_parts(groups, request.folds->count, fit.options.seed);
  return plan;
}

/// Throws UsageError for estimates that are not made of a bound.
void require_estimates_of_bound(const FitRequest& request) {
  const auto refuse = [&](bool asked, const char* flag) {
    if (request.options.quantile && asked)
      throw UsageError(
          fmt::format("{} does not go with --quantile: held-out rows have moved the bound away "
                      "from the constants that it would vary",
                      flag));
  };
  refuse(request.bootstrap.has_value(), "--bootstrap");
  refuse(request.held_out.folds.has_value(), "--folds");
  refuse(request.repeats > 1, "--repeats");
  refuse(request.held_out.coverage.has_value() || !request.held_out.intervals, "--coverage");
}

/// Extends the measured ranges of an earlier model's inputs by those of further runs.
void extend_ranges(const Design& runs, ModelSpec& spec) {
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    NumericInput& input =
        n < spec.extrinsic.size() ? spec.extrinsic[n] : spec.intrinsic[n - spec.extrinsic.size()];
    for (std::size_t row = 0; row < runs.rows; ++row) {
      const double value = numeric_factor(runs, n).value(row);
      input.low = std::min(input.low, value);
      input.high = std::max(input.high, value);
    }
  }
}

/// The central row of those whose time is measured.
std::size_t central_finished_row(const ModelSpec& spec, const Design& training) {
  if (!has_cut_runs(training))
    return central_row(spec, training);
  const std::vector<std::size_t> finished = finished_rows(training);
  if (finished.empty())
    throw InputError("all training runs were cut off: nothing says how long any takes");
  return finished[central_row(spec, take_rows(training, finished))];
}

/// `earlier`: the model that is adapted; null for a new one.
PreparedRuns parts_of(const LabelledRuns& runs, const Split& split,
                      const FittedModel* earlier = nullptr) {
  const Table& table = runs.file.table;
  PreparedRuns out;
  out.provenance = provenance_of(runs.file, runs.roles);
  out.spec = earlier != nullptr ? earlier->spec : make_spec(table, runs.roles, split.train);
  out.training = make_design(table, out.spec, Target::required, split.train);
  if (earlier != nullptr)
    extend_ranges(out.training, out.spec);
  const std::size_t central = central_finished_row(out.spec, out.training);
  const std::size_t row = split.train[central];
  set_typical_values(table, row, out.spec);
  out.central = {configuration_of(out.training, central), table.lines[row],
                 out.training.time[index(central)]};
  if (!split.validation.empty())
    out.validation = make_design(table, out.spec, Target::required, split.validation);
  if (!split.test.empty())
    out.test = make_design(table, out.spec, Target::required, split.test);
  return out;
}

/// Leaves only the rows of the split in the table.
void keep_only(Split& split, LabelledRuns& runs) {
  std::vector<std::size_t> kept;
  for (std::vector<std::size_t>* part : {&split.train, &split.validation, &split.test})
    for (std::size_t& row : *part) {
      kept.push_back(row);
      row = kept.size() - 1;
    }
  runs.file.table = take_rows(runs.file.table, kept);
  runs.rows = indices(kept.size());
}

/// Draws training rows as requested. Returns false if all are kept.
bool draw_as_requested(const FitRequest& request, Split& split, LabelledRuns& runs) {
  const FitOptions& options = request.options;
  std::optional<std::size_t> most = request.training_rows;
  if (!most && chooses_terms(options))
    most = kRowsOfChoice;
  const std::size_t rows = split.train.size();
  if (!most || !draw_training_rows(runs, *most, options.seed, split, options.earlier()))
    return false;
  keep_only(split, runs);
  runs.roles.notices.push_back(fitted_to_drawn_rows(*most, rows) +
                               (request.training_rows ? "" : " --sample-rows takes more."));
  return true;
}

}  // namespace

bool draw_training_rows(const LabelledRuns& runs, std::size_t most, std::uint64_t seed,
                        Split& split, const FittedModel* earlier) {
  const std::vector<std::size_t>& rows = split.train;
  if (rows.size() <= most)
    return false;
  const Table& table = runs.file.table;
  const ModelSpec spec = earlier != nullptr ? earlier->spec : make_spec(table, runs.roles, rows);
  std::vector<std::size_t> order = indices(rows.size());
  RandomStream(seed, "training rows").shuffle(std::span(order));
  std::vector<std::size_t> drawn = drawn_rows(
      configuration_groups(make_design(table, spec, Target::required, rows)), order, most);
  std::ranges::sort(drawn);
  split.train = mapped(drawn, [&](std::size_t place) { return rows[place]; });
  return true;
}

PreparedRuns prepare_runs(const LabelledRuns& runs, const Split& split) {
  PreparedRuns out = parts_of(runs, split);
  for (const auto* part : {&out.validation, &out.test})
    if (*part)
      require_fitted_range(**part);
  return out;
}

PreparedFit prepare_fit(LabelledRuns runs, const FitRequest& request) {
  if (request.test_runs && request.split.test > 0)
    throw UsageError(
        "further runs and a share of the split both name test rows; pass only one of them");
  require_estimates_of_bound(request);
  Split split = split_rows(runs.rows, request.split, request.split_seed);
  const bool is_drawn = draw_as_requested(request, split, runs);
  PreparedFit out{
      parts_of(runs, split, request.options.earlier()), std::move(runs), {}, {}, is_drawn};
  out.runs.file.bytes = {};  // their digest stands in the model
  out.held_out = plan_held_out(request, out.runs.file.table, split, out.training);
  out.warnings = always_failing(out.runs.file.failed_rows, out.spec);
  if (request.test_runs) {
    TestRuns test = select_test_runs(request.test_runs(categorical_columns(out.spec)), out.spec,
                                     out.runs.file.reading, request.gated);
    out.test = std::move(test.design);
    out.warnings.insert(out.warnings.end(), test.warnings.begin(), test.warnings.end());
  }
  return out;
}

}  // namespace perfmodel
