#include "perfmodel/pipeline/held_out.hpp"

#include <algorithm>

#include "model/design/row_folds.hpp"
#include "perfmodel/base/error.hpp"
#include "pipeline/shared/task_codecs.hpp"
#include "trust/cross_validation.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel {
namespace {

RowGroups groups_for(const HeldOutRequest& request, const Table& table, const Split& split,
                     const Design& training) {
  if (!request.group_by)
    return configuration_groups(training);
  const Column& column = table.at(*request.group_by);
  if (!column.bad_cells.empty()) {
    throw InputError(table.where(column.bad_cells.front().row) + ": column '" + column.name +
                     "': \"" + column.bad_cells.front().text + "\" is not a number, but " +
                     Field{"group_by"} + " groups by this column; pass it as " +
                     Field{"categorical"} + " too, or clean it");
  }
  return column_groups(column, split.train);
}

void cross_validate_model(const HeldOutRequest& request, const HeldOutPlan& plan,
                          const Design& training, bool calibrates, const FitOptions& options,
                          FittedModel& model, const std::function<void(std::size_t)>& fold_done,
                          const TaskHooks<HeldOutFold>& hooks) {
  auto validation = cross_validate(model.spec, training, options, plan.parts, fold_done, hooks);
  if (!validation)
    return;  // stopped
  if (calibrates) {
    const auto alike = predictions_alike(model, training, options, plan.parts, *validation);
    if (!alike)
      return;  // stopped
    model.intervals = calibrate(training.time, alike->predicted, Calibration::cross_validation,
                                *request.coverage, alike->deviations);
  }
  if (request.folds) {
    validation->group_by = plan.group_by;
    model.cross_validation = std::move(validation);
  }
}

}  // namespace

HeldOutPlan plan_held_out(const HeldOutRequest& request, const Table& table, const Split& split,
                          const Design& training, std::uint64_t seed) {
  HeldOutPlan plan;
  plan.group_by = request.group_by;
  const bool needs_folds = request.folds || (request.coverage && split.validation.empty());
  if (request.group_by && !needs_folds) {
    throw UsageError(Field{"group_by"} + " has no effect without " + Field{"folds"} +
                     std::string(request.coverage ? " where there are validation rows" : ""));
  }
  if (request.coverage) {
    require_level(*request.coverage,
                  split.validation.empty() ? training.rows : split.validation.size());
  }
  if (needs_folds) {
    const RowGroups groups = groups_for(request, table, split, training);
    plan.parts =
        make_held_out_parts(groups,
                            request.folds ? request.folds->count
                                          : std::min(HeldOutRequest::default_folds, groups.count),
                            seed);
  }
  return plan;
}

void add_held_out(const HeldOutRequest& request, const HeldOutPlan& plan, const Design& training,
                  const JudgingParts& judging, const FitOptions& options, FittedModel& model,
                  const std::function<void(std::size_t)>& fold_done, const TaskShare* share,
                  std::size_t first_fold) {
  if (request.coverage && judging.validation) {
    const Design& validation = *judging.validation;
    const auto reach = model.form->process_reach(model.spec, model.constants, validation);
    model.intervals =
        calibrate(validation.time, predict(model, validation), Calibration::validation,
                  *request.coverage, reach ? std::optional(reach->deviations) : std::nullopt);
  }
  if (!plan.parts.empty()) {
    cross_validate_model(request, plan, training, request.coverage && !judging.validation, options,
                         model, fold_done, hooks_of(share, first_fold, fold_codec()));
  }
  if (model.intervals && judging.test) {
    model.intervals->test_coverage =
        covered_share(row_intervals(model, model.intervals->level, *judging.test),
                      judging.test->time, predict(model, *judging.test));
  }
}

}  // namespace perfmodel
