#include "perfmodel/pipeline/compare_models.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "analysis/compare/regressor.hpp"
#include "base/readable.hpp"
#include "fit/sum/terms/sum_size.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/pipeline/judging.hpp"
#include "pipeline/shared/task_codecs.hpp"

namespace perfmodel {
namespace {

using Regressors = std::vector<std::unique_ptr<Regressor>>;

Regressors models_for(const ModelSpec& spec, const CompareRequest& request) {
  Regressors models;
  FitOptions options = request.options;
  options.expression = Expression::generic;
  options.loss = request.loss.value_or(default_loss(options));
  options.penalty.l1 = options.penalty.l2 = 0;
  models.push_back(make_expression("Eq. (4)", spec, options));
  options.penalty.l1 = request.l1;
  models.push_back(make_expression("Eq. (4), L1 " + short_number(request.l1), spec, options));
  options.penalty.l1 = 0;
  options.penalty.l2 = request.l2;
  models.push_back(make_expression("Eq. (4), L2 " + short_number(request.l2), spec, options));
  options.penalty.l2 = 0;
  options.expression = Expression::multi;
  options.loss = request.loss.value_or(default_loss(options));
  if (terms_can_be_chosen(spec))
    models.push_back(make_expression("sum of products", spec, options));
  if (options.method == Method::scaled) {
    options.terms = 1;
    options.residual = Residual::process;
    models.push_back(make_expression("product and process", spec, options));
  }
  if (has_black_boxes()) {
    models.push_back(make_random_forest(options.seed));
    models.push_back(make_support_vectors(SvrTarget::time));
    models.push_back(make_support_vectors(SvrTarget::log_time));
  }
  if (has_gradient_boosting())
    models.push_back(make_gradient_boosting(options.seed));
  return models;
}

/// Fits a model to the training rows and judges it on every part.
ModelScore score_model(Regressor& model, const PreparedRuns& runs) {
  ModelScore out;
  const auto start = std::chrono::steady_clock::now();
  model.fit(runs.training);
  out.fit_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.name = model.name();
  out.file = runs.provenance.file;
  const auto judge = [&](const Design& design) {
    return measure(design, model.predict(design), out.file + " by " + out.name);
  };
  out.metrics.train = judge(runs.training);
  if (runs.validation)
    out.metrics.validation = judge(*runs.validation);
  if (runs.test)
    out.metrics.test = judge(*runs.test);
  if (const FittedModel* fitted = model.expression()) {
    for (const auto& input : runs.spec.extrinsic)
      out.columns.push_back(input.column);
    out.scaling_powers = scaling_powers(*fitted);
  }
  return out;
}

}  // namespace

std::vector<ModelScore> compare_models(const PreparedRuns& runs, const CompareRequest& request,
                                       const std::function<void(std::size_t, std::size_t)>& done,
                                       const TaskShare* share, std::size_t first_task) {
  const Regressors models = models_for(runs.spec, request);
  const auto found = run_tasks<ModelScore>(
      models.size(), 1, hooks_of(share, first_task, score_codec()),  // each has all threads
      [&](std::size_t k) -> std::optional<ModelScore> {
        ModelScore score = score_model(*models[k], runs);
        if (request.options.stop.stop_requested())
          throw Interrupted();
        return score;
      },
      [&](std::size_t k) {
        if (done)
          done(k, models.size());
      });
  std::vector<ModelScore> scores;
  for (const auto& score : found)
    if (score)
      scores.push_back(*score);
  return scores;
}

std::size_t compared_model_count(const ModelSpec& spec, const CompareRequest& request) {
  return models_for(spec, request).size();
}

}  // namespace perfmodel
