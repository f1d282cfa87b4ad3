#include "fit/multi/refining.hpp"

#include <algorithm>
#include <cmath>

#include "fit/loss_value.hpp"
#include "fit/multi/candidate_judge.hpp"
#include "fit/multi/held_out_errors.hpp"
#include "fit/multi/refine.hpp"
#include "perfmodel/base/parallel.hpp"

namespace perfmodel {

using Eigen::VectorXd;

namespace {

constexpr std::size_t kRefiningRows = 5000;

}  // namespace

bool refining_pays(const SelectionTask& task, const Selection& selection) {
  const FitOptions& options = task.options;
  // A penalty is the user's word on what the constants shall be like, not on how well they predict.
  if (selection.folds.empty() || options.penalty.l1 > 0 || options.penalty.l2 > 0)
    return true;
  const SumShape& shape = selection.chosen.shape;
  // How well a loss that rests on few runs is determined depends on how many there are.
  const std::vector<Fold> folds =
      make_folds(task.coordinates, task.spec, kRefiningRows, options.seed);
  const TermData data = task.coordinates.data(shape);
  Candidate robust;
  Candidate refined;
  robust.log_errors.resize(folds.size());
  refined.log_errors.resize(folds.size());
  parallel_for(folds.size(), options.threads, [&](std::size_t f) {
    const TermData training = take_rows(data, folds[f].training);
    const TermData held_out = take_rows(data, folds[f].held_out);
    const auto log_loss = [&](const VectorXd& theta) {
      return std::log(1e-300 + loss_value(options.loss, held_out.time,
                                          evaluate_sum(held_out, shape, theta).total));
    };
    std::vector<SumFit> path;
    extend_path(training, shape, fold_search(options, selection.chosen.ridge), path);
    const SumFit& start = path.back();
    const SumFit end =
        refine(task.coordinates, training, shape, options, selection.chosen.ridge, start);
    robust.log_errors[f] = log_loss(start.theta);
    refined.log_errors[f] = log_loss(end.theta);
  });
  return better_where_measured(folds, refined, robust);
}

}  // namespace perfmodel
