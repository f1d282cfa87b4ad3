#include "trust/cross_validation.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/parallel.hpp"
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

}  // namespace

std::optional<CrossValidation> cross_validate(const ModelSpec& spec, const Design& training,
                                              const FitOptions& options,
                                              const std::vector<std::vector<std::size_t>>& held_out,
                                              const std::function<void(std::size_t)>& fold_done) {
  FitOptions fold_options = options;
  fold_options.threads = 1;
  fold_options.observer = nullptr;
  CrossValidation out;
  out.folds.resize(held_out.size());
  out.predicted.resize(static_cast<Eigen::Index>(training.rows));
  Eigen::VectorXd deviations = Eigen::VectorXd::Zero(out.predicted.size());
  std::size_t with_deviations = 0;
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(held_out.size(), options.threads, [&](std::size_t fold) {
    if (options.stop.stop_requested())
      return;
    const Design kept = take_rows(training, other_rows(training.rows, held_out[fold]));
    require_variation(spec, training, kept);
    const Design judged = take_rows(training, held_out[fold]);
    FittedModel model = fit(spec, kept, fold_options);
    model.form->settle_unseen_levels(kept, model);
    const Eigen::VectorXd predicted = predict(model, judged);
    out.folds[fold] = compute_metrics(judged.time, predicted);
    out.predicted(rows_of(held_out[fold])) = predicted;
    const auto reach = model.form->process_reach(model.spec, model.constants, judged);
    if (reach)
      deviations(rows_of(held_out[fold])) = reach->deviations;
    const std::lock_guard lock(mutex);
    with_deviations += reach ? 1U : 0U;
    if (fold_done)
      fold_done(++done);
  });
  if (options.stop.stop_requested())
    return std::nullopt;
  if (with_deviations == held_out.size())
    out.deviations = std::move(deviations);
  return out;
}

}  // namespace perfmodel
