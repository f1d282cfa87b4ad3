#include "fit/choose/form_selection.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/index.hpp"
#include "fit/choose/beside_sum.hpp"
#include "fit/choose/form_choice.hpp"
#include "fit/process/merged_rows.hpp"
#include "fit/sum/choose/candidate_judge.hpp"
#include "fit/sum/choose/candidate_shapes.hpp"
#include "fit/sum/choose/choice.hpp"
#include "fit/sum/choose/held_out_errors.hpp"
#include "fit/sum/descent/term_search.hpp"
#include "fit/task/stage_steps.hpp"

namespace perfmodel {
namespace {

/// Of few rows the process is exact, in time that grows with their cube. Of many it looks at those
/// nearby, and sums of many terms take more to be told apart.
constexpr std::size_t kRowsBesideProcess = 450;
constexpr std::size_t kRowsOfMany = 5000;
constexpr std::size_t kManyRows = 2000;
constexpr Eigen::Index kHeldOutRows = 300;

/// How many candidates are judged in the time that the chosen form's fit to all rows takes.
constexpr std::size_t kStepsOfFit = 4;

/// Folds that judge by no more rows than it takes.
std::vector<Fold> thinned(std::vector<Fold> folds, std::uint64_t seed) {
  for (Fold& fold : folds) {
    std::vector<Eigen::Index> kept;
    for (const Eigen::Index place :
         process::sampled_rows(index(fold.held_out.size()), kHeldOutRows, seed))
      kept.push_back(fold.held_out[static_cast<std::size_t>(place)]);
    std::sort(kept.begin(), kept.end());
    fold.held_out = std::move(kept);
  }
  return folds;
}

class FormSelector {
 public:
  explicit FormSelector(const SumChoice& sums)
      : sums_(sums),
        task_(sums.task()),
        out_{.tried = {},
             .folds = thinned(
                 make_folds(task_.coordinates, task_.spec,
                            task_.training.rows < kManyRows ? kRowsBesideProcess : kRowsOfMany,
                            task_.options.seed),
                 task_.options.seed),
             .chosen = {}},
        plain_(task_, out_.folds),
        with_process_(task_, out_.folds) {}

  FormSelection run() {
    const std::vector<std::vector<std::size_t>> products = sets_of_rings();
    const auto sums = static_cast<std::size_t>(sums_.selection().chosen.shape.terms);
    StageSteps done(task_.options.progress, FitStage::processes,
                    1 + sums + products.size() + kStepsOfFit);
    try_generic();
    const std::optional<Candidate> sum = try_sum();
    done.next();
    for (const std::vector<std::size_t>& rings : products) {
      try_product(rings);
      done.next();
    }
    try_beside_sum(sum, [&] { done.next(); });
    done.reach(1 + products.size() + sums);
    if (!task_.options.stop.stop_requested())
      out_.chosen = choose_form(task_, out_.folds, out_.tried);
    if (out_.chosen && may_be_held())
      try_held();
    return std::move(out_);
  }

 private:
  const SumChoice& sums_;
  const SelectionTask& task_;
  FormSelection out_;
  CandidateJudge plain_;
  ProcessJudge with_process_;

  /// The candidate without a process; nothing where a stop was requested.
  std::optional<Candidate> judged(const Candidate& candidate) {
    const std::vector<Candidate> out = plain_({candidate});
    return out.empty() ? std::nullopt : std::optional(out.back());
  }

  void try_generic() {
    if (const auto generic = judged({.generic = true, .shape = {}, .log_errors = {}}))
      out_.tried.push_back({.trend = *generic});
  }

  /// The sum that was chosen among sums.
  std::optional<Candidate> try_sum() {
    Candidate sum = sums_.selection().chosen;
    sum.shape.caps.clear();
    std::optional<Candidate> alone = judged(sum);
    if (alone)
      out_.tried.push_back({.trend = *alone, .was_chosen = true});
    return alone;
  }

  /// With a process it may need fewer terms.
  void try_beside_sum(const std::optional<Candidate>& sum,
                      const std::function<void()>& term_tried) {
    if (!sum || !is_sum(*sum))
      return;
    for (Eigen::Index terms = 1; terms <= sum->shape.terms; ++terms) {
      Candidate fewer = *sum;
      fewer.shape = with_terms(sum->shape, terms);
      fewer.shape.caps.clear();
      if (const std::optional<Candidate> trend = judged(fewer))
        add(beside_sum(task_, plain_, with_process_, *trend));
      term_tried();
    }
  }

  /// Of many runs the far ends tell so much.
  bool may_be_held() const {
    const FormCandidate& chosen = out_.tried[*out_.chosen];
    return task_.training.rows >= kManyRows && chosen.process && !chosen.from_nothing;
  }

  void try_held() {
    std::optional<FormCandidate> held =
        beside_held_sum(task_, plain_, with_process_, out_.folds, out_.tried[*out_.chosen]);
    if (!held)
      return;
    out_.chosen = out_.tried.size();
    out_.tried.push_back(*std::move(held));
  }

  /// None, and all that the folds can judge; only those that count from 1, where there are any:
  /// GPUs and the nodes that hold them grow together.
  std::vector<std::vector<std::size_t>> sets_of_rings() const {
    std::vector<std::size_t> all;
    std::vector<std::size_t> from_one;
    for (std::size_t n = 0; n < task_.spec.extrinsic.size(); ++n) {
      if (!may_be_ring(task_, out_.folds, n))
        continue;
      all.push_back(n);
      if (task_.spec.extrinsic[n].low == 1)
        from_one.push_back(n);
    }
    std::vector<std::vector<std::size_t>> out(1);
    if (!all.empty())
      out.push_back(from_one.empty() ? all : from_one);
    return out;
  }

  void try_product(const std::vector<std::size_t>& rings) {
    Candidate product;
    product.shape = plain_shape(task_, 1, false);
    product.shape.rings = rings;
    const std::optional<Candidate> alone = judged(product);
    if (!alone)
      return;
    out_.tried.push_back({.trend = *alone, .from_nothing = true});
    add(with_process_.beside_product(*alone, {TrendPrior::free, TrendPrior::likely}));
  }

  void add(std::vector<FormCandidate> candidates) {
    for (FormCandidate& candidate : candidates)
      out_.tried.push_back(std::move(candidate));
  }
};

/// The mean error over the random parts or the far ends.
std::optional<double> mean_over(const std::vector<Fold>& folds, const Candidate& candidate,
                                bool far_ends) {
  const std::optional<double> mean = mean_log_error(folds, candidate, far_ends);
  return mean ? std::optional(mean_error(*mean)) : std::nullopt;
}

}  // namespace

double FormSelection::error_within(const FormCandidate& candidate) const {
  return mean_over(folds, candidate.trend, false).value_or(0);
}

const FormCandidate* FormSelection::chosen_with_process() const {
  for (const FormCandidate& candidate : tried)
    if (candidate.process && !candidate.from_nothing &&
        candidate.trend.shape.terms == tried[*chosen].trend.shape.terms)
      return &candidate;
  return nullptr;
}

std::vector<HeldOutErrors> FormSelection::compared() const {
  std::vector<HeldOutErrors> out;
  if (!chosen)
    return out;
  const auto add = [&](std::string_view form, const FormCandidate* candidate) {
    if (candidate != nullptr)
      out.push_back(
          {std::string(form), error_within(*candidate), mean_over(folds, candidate->trend, true)});
  };
  const FormCandidate* process = nullptr;
  for (const FormCandidate& candidate : tried)
    if (candidate.process && (process == nullptr || scores_better(candidate.trend, process->trend)))
      process = &candidate;
  if (tried[*chosen].process)
    process = &tried[*chosen];
  const FormCandidate* alone = &tried[*chosen];
  for (const FormCandidate& candidate : tried)
    if (alone->process && !candidate.process && candidate.from_nothing == alone->from_nothing &&
        !candidate.trend.generic && candidate.trend.shape.rings == alone->trend.shape.rings)
      alone = &candidate;
  add(to_text(Expression::generic), &tried.front());
  add(to_text(alone->trend.generic ? Expression::generic : Expression::multi), alone);
  add(to_text(Residual::process), process);
  return out;
}

FormSelection select_form(const SumChoice& sums) {
  return FormSelector(sums).run();
}

}  // namespace perfmodel
