#include "trust/cross_validation.hpp"

#include <algorithm>
#include <mutex>

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
    for (std::size_t k = 0; k < held_out[fold].size(); ++k)
      out.predicted[static_cast<Eigen::Index>(held_out[fold][k])] =
          predicted[static_cast<Eigen::Index>(k)];
    const std::lock_guard lock(mutex);
    if (fold_done)
      fold_done(++done);
  });
  if (options.stop.stop_requested())
    return std::nullopt;
  return out;
}

}  // namespace perfmodel
