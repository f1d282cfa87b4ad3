#include "trust/cross_validation.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "fit/fit.hpp"
#include "fit/result/form.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"

namespace perfmodel {
namespace {

bool has_one_value(const NumericFactor& factor, std::size_t rows) {
  for (std::size_t row = 1; row < rows; ++row)
    if (factor.value(row) != factor.value(0))
      return false;
  return true;
}

void require_variation(const std::string& column, const NumericFactor& all, std::size_t all_rows,
                       const NumericFactor& kept, std::size_t kept_rows) {
  if (!has_one_value(kept, kept_rows) || has_one_value(all, all_rows))
    return;
  throw UsageError("a fold leaves no row to fit on with another " + column + " than " +
                   to_text(kept.value(0)) + ", so the power of " + column +
                   " could be anything; hold out less, or " + Field{"ignore", {column}});
}

void require_variation(const ModelSpec& spec, const Design& all, const Design& kept) {
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    require_variation(spec.intrinsic[i].column, all.intrinsic[i], all.rows, kept.intrinsic[i],
                      kept.rows);
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    require_variation(spec.extrinsic[j].column, all.extrinsic[j], all.rows, kept.extrinsic[j],
                      kept.rows);
}

std::vector<Eigen::Index> rows_of(const std::vector<std::size_t>& held_out) {
  return {held_out.begin(), held_out.end()};
}

/// The rows that are not in `some` (ascending).
std::vector<std::size_t> other_rows(std::size_t rows, const std::vector<std::size_t>& some) {
  std::vector<std::size_t> out;
  auto next = some.begin();
  for (std::size_t row = 0; row < rows; ++row)
    if (next != some.end() && *next == row)
      ++next;
    else
      out.push_back(row);
  return out;
}

/// Fits the rows outside of a fold and predicts its own.
HeldOutFold fit_without(const std::vector<std::size_t>& held_out, const ModelSpec& spec,
                        const Design& training, const FitOptions& options) {
  const Design kept = take_rows(training, other_rows(training.rows, held_out));
  require_variation(spec, training, kept);
  const Design judged = take_rows(training, held_out);
  FittedModel model = fit(spec, kept, options);
  model.form->settle_unseen_levels(kept, model);
  HeldOutFold out;
  out.predicted = predict(model, judged);
  out.metrics = compute_metrics(judged.time, out.predicted);
  if (const auto reach = model.form->process_reach(model.spec, model.constants, judged))
    out.deviations = reach->deviations;
  return out;
}

std::vector<std::optional<HeldOutFold>> fit_folds(
    const ModelSpec& spec, const Design& training, const FitOptions& options,
    const std::vector<std::vector<std::size_t>>& held_out,
    const std::function<void(std::size_t)>& fold_done, const TaskHooks<HeldOutFold>& hooks) {
  FitOptions fold_options = options;
  fold_options.threads = 1;
  fold_options.be_silent();
  return run_tasks<HeldOutFold>(
      held_out.size(), options.threads, hooks,
      [&](std::size_t fold) -> std::optional<HeldOutFold> {
        if (options.stop.stop_requested())
          return std::nullopt;
        HeldOutFold out = fit_without(held_out[fold], spec, training, fold_options);
        if (options.stop.stop_requested())
          return std::nullopt;  // perhaps not at its optimum
        return out;
      },
      fold_done);
}

}  // namespace

std::optional<CrossValidation> cross_validate(const ModelSpec& spec, const Design& training,
                                              const FitOptions& options,
                                              const std::vector<std::vector<std::size_t>>& held_out,
                                              const std::function<void(std::size_t)>& fold_done,
                                              const TaskHooks<HeldOutFold>& hooks) {
  const auto folds = fit_folds(spec, training, options, held_out, fold_done, hooks);
  CrossValidation out;
  out.predicted.resize(static_cast<Eigen::Index>(training.rows));
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    if (!folds[fold])
      return std::nullopt;
    out.folds.push_back(folds[fold]->metrics);
    out.predicted(rows_of(held_out[fold])) = folds[fold]->predicted;
    out.deviations.push_back(folds[fold]->deviations);
  }
  return out;
}

std::optional<HeldOutPredictions> predictions_alike(
    const FittedModel& model, const Design& training, const FitOptions& options,
    const std::vector<std::vector<std::size_t>>& held_out, const CrossValidation& validation) {
  const bool process = model.form->process_size().has_value();
  FitOptions alike = options;
  alike.residual = process ? Residual::process : Residual::none;
  TaskHooks<HeldOutFold> hooks;
  hooks.known = [&](std::size_t fold) {
    const std::optional<Eigen::VectorXd>& deviations = validation.deviations[fold];
    return deviations.has_value() == process
               ? std::optional<HeldOutFold>(
                     {.metrics = validation.folds[fold],
                      .predicted = validation.predicted(rows_of(held_out[fold])),
                      .deviations = deviations})
               : std::nullopt;
  };
  const auto folds = fit_folds(model.spec, training, alike, held_out, nullptr, hooks);
  HeldOutPredictions out{.predicted = validation.predicted, .deviations = std::nullopt};
  if (process)
    out.deviations = Eigen::VectorXd::Zero(out.predicted.size());
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    if (!folds[fold])
      return std::nullopt;
    const std::vector<Eigen::Index> rows = rows_of(held_out[fold]);
    out.predicted(rows) = folds[fold]->predicted;
    if (process)
      (*out.deviations)(rows) = folds[fold]->deviations.value();
  }
  return out;
}

}  // namespace perfmodel
