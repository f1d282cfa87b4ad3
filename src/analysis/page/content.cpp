#include "analysis/page/content.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/central/moved_configuration.hpp"
#include "base/text.hpp"
#include "export/formula_code.hpp"
#include "fit/fit.hpp"
#include "fit/result/form.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/spread.hpp"

namespace perfmodel::page {
namespace {

std::vector<Part> parts_of(const FittedModel& model) {
  std::vector<Part> parts;
  if (model.metrics.train.rows > 0)
    parts.push_back({"training", model.metrics.train});
  if (model.metrics.validation)
    parts.push_back({"validation", *model.metrics.validation});
  if (model.metrics.test)
    parts.push_back({"test", *model.metrics.test});
  if (model.cross_validation && !model.cross_validation->folds.empty()) {
    const CrossValidation& validation = *model.cross_validation;
    parts.push_back({"mean of " + std::to_string(validation.folds.size()) + " folds" +
                         (validation.group_by ? " by " + *validation.group_by : ""),
                     mean_metrics(validation.folds)});
  }
  return parts;
}

std::vector<ConstantGroup> constants_of(const FittedModel& model) {
  std::vector<ConstantGroup> out;
  for (std::string& name : model.form->groups(model.spec))
    out.push_back({std::move(name), {}});
  for (ConstantRow& row : constant_table(model)) {
    std::vector<ConstantRow>& group = out[row.group].constants;
    group.push_back(std::move(row));
  }
  return out;
}

std::vector<Setting> settings_of(const ModelSpec& spec, const Configuration& configuration) {
  std::vector<Setting> settings;
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    settings.push_back({spec.intrinsic[i].column, setting_text(configuration.intrinsic[i])});
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const CategoricalInput& input = spec.categorical[c];
    settings.push_back({input.column, input.levels[configuration.levels[c]]});
  }
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    settings.push_back({spec.extrinsic[j].column, setting_text(configuration.extrinsic[j])});
  return settings;
}

std::vector<std::vector<Setting>> settings_of_worst(const Source& source, const Errors& errors) {
  std::vector<std::vector<Setting>> out;
  for (const JudgedRow& row : errors.worst)
    out.push_back(settings_of(source.model.spec, configuration_of(source.design, row.row)));
  return out;
}

TypicalConfiguration typical_of(const FittedModel& model, const Source& source) {
  const std::optional<Centre> centre = centre_of(model);
  TypicalConfiguration out;
  out.of_the_fit = centre.has_value();
  if (centre) {
    out.configuration = centre->configuration;
    out.place = centre->place;
  } else {
    const std::size_t row = central_row(model.spec, source.design);
    out.configuration = configuration_of(source.design, row);
    out.place = "the run of line " + std::to_string(source.lines[row]);
  }
  out.settings = settings_of(model.spec, out.configuration);
  out.time = time_of(model, out.configuration);
  return out;
}

/// The factors are those of the typical configuration.
std::optional<IntervalCoverage> coverage_of(const Source& source, const Configuration& typical) {
  const auto& intervals = source.model.intervals;
  if (!intervals)
    return std::nullopt;
  const double level = intervals->level;
  const IntervalFactors factors =
      row_intervals(source.model, level, design_of(typical, source.model.spec))[0];
  const auto usual = usual_factors(*intervals);
  return IntervalCoverage{
      level,
      covered_share(row_intervals(source.model, level, source.design), source.design.time,
                    source.predicted),
      {factors.lower, factors.upper},
      usual ? std::optional(Interval{usual->lower, usual->upper}) : std::nullopt,
      intervals->by_deviation};
}

/// Of Eq. (4) alone; other forms were chosen, or asked for by name.
std::optional<FormCheck> other_form(const Source& source) {
  if (source.model.form->name() != to_text(Expression::generic) || !source.design.runs.empty())
    return std::nullopt;
  const std::optional<FormCheck> check = check_form(source.model, source.design);
  return check && check->points_elsewhere() ? check : std::nullopt;
}

}  // namespace

Content content_of(const Source& source) {
  const FittedModel& model = source.model;
  const auto formula = [&](FormulaLanguage language) { return formula_code(model, language); };
  std::vector<double> times(source.design.time.begin(), source.design.time.end());
  std::sort(times.begin(), times.end());

  const TypicalConfiguration typical = typical_of(model, source);
  const Configuration& shown = typical.configuration;
  const std::vector<NotAbove> orders = orders_of(source.design);
  const std::vector<Share> shares = shares_of(model, source.design, shown);
  const Errors errors = errors_of(source.lines, source.design.time, source.predicted, kWorstRows);
  const auto process = model.form->process_size();
  return {.model = model,
          .tool = source.tool,
          .model_file = source.model_file,
          .options = source.options,
          .runs = source.runs,
          .fitted_to_these_runs =
              !source.runs.sha256.empty() && source.runs.sha256 == model.provenance.sha256,
          .other_form = other_form(source),
          .range_findings = source.range_findings,
          .left_out = source.left_out,
          .metrics = source.metrics,
          .parts = parts_of(model),
          .noise_floor = noise_floor(source.design),
          .intervals = coverage_of(source, shown),
          .shortest_time = times.front(),
          .median_time = sorted_quantile(times, 0.5),
          .longest_time = times.back(),
          .errors = errors,
          .errors_along = errors_along(model.spec, source.design, source.predicted),
          .worst_settings = settings_of_worst(source, errors),
          .shares = shares,
          .steps = time_steps(model, shares, shown, typical.time),
          .process_percent = process ? std::optional(100 * std::expm1(*process)) : std::nullopt,
          .typical = typical,
          .effects = effects_of(model, shown),
          .powers = scaling_power_table(model),
          .doublings = doublings_of(model, shown),
          .curves = scale_curves(model, shown, source.design, source.predicted, orders),
          .groups = run_groups(model, source.design, source.predicted, orders),
          .constants = constants_of(model),
          .differences = difference_table(model),
          .comparison = source.comparison,
          .formula = formula(FormulaLanguage::text),
          .latex = formula(FormulaLanguage::latex)};
}

}  // namespace perfmodel::page
