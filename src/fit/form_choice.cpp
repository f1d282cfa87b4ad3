#include "fit/form_choice.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "fit/fit_with_process.hpp"
#include "fit/sensitivity.hpp"
#include "fit/sum_finish.hpp"
#include "fit/term_choice.hpp"
#include "fit/term_search.hpp"
#include "forms/fit_options.hpp"
#include "forms/sum_form.hpp"
#include "gp/likelihood.hpp"

namespace perfmodel {

/// Processes beside a sum that `plain` has judged. The constants of the sum were good alone: the
/// likelihood says how far to leave them. Nothing where a stop was requested.
std::vector<FormCandidate> beside_sum(const SelectionTask& task, const CandidateJudge& plain,
                                      ProcessJudge& with_process, const Candidate& trend);

/// The same beside constants of the least absolute errors, which stay as they are. Of runs of many
/// small times and few large ones, the likelihood has constants that suit the small ones, and
/// leaves to the process what the large ones need; beyond the runs only the constants count.
/// Nothing where that is not better at the far ends.
std::optional<FormCandidate> beside_held_sum(const SelectionTask& task, const CandidateJudge& plain,
                                             ProcessJudge& with_process,
                                             const std::vector<Fold>& folds,
                                             const FormCandidate& chosen);

/// Which of the candidates it is, by what the folds hold out: of those that are as good as the
/// best, one without a process before one with, fewer terms before more. Nothing where none is
/// eligible.
std::optional<std::size_t> choose_form(const SelectionTask& task, const std::vector<Fold>& folds,
                                       const std::vector<FormCandidate>& tried);

namespace {

using Eigen::VectorXd;

/// Folds tell candidates apart by far larger differences.
constexpr double kGapInFold = 1e-4;

/// The constants of least absolute errors next to those that the fold had for the sum.
VectorXd absolute_constants(const SelectionTask& task, const SumFit& start, const SumShape& shape,
                            const std::vector<Eigen::Index>& training) {
  const FitOptions options = with_absolute_errors(task.options);
  const TermData rows = take_rows(task.coordinates.data(shape), training);
  const SumFit fit =
      finish(rows, shape, SumGoal(task.coordinates, shape, options, 0), start,
             {.held = {}, .instructions = options.instructions, .stop = options.stop}, kGapInFold);
  return task.coordinates.constants(shape, fit.theta);
}

/// `constants_in`: of the sum in a fold.
std::vector<FormCandidate> judged_beside(
    const SelectionTask& task, ProcessJudge& with_process, const Candidate& trend, TrendPrior prior,
    const std::function<VectorXd(std::size_t fold)>& constants_in) {
  const auto form = std::make_shared<const SumForm>(
      task.coordinates.structure(trend.shape),
      SumEstimates{.parted = {}, .sums = {{.ridge = 0, .intercept = trend.shape.intercept}}});
  return with_process.beside_fitted(trend, prior, [&](std::size_t fold, const Design& training) {
    return runs_beside(form, task.spec, constants_in(fold), training, {.rings = trend.shape.rings});
  });
}

}  // namespace

std::vector<FormCandidate> beside_sum(const SelectionTask& task, const CandidateJudge& plain,
                                      ProcessJudge& with_process, const Candidate& trend) {
  return judged_beside(
      task, with_process, trend, TrendPrior::likely,
      [&](std::size_t fold) { return plain.constants_in(trend, fold); });
}

std::optional<FormCandidate> beside_held_sum(const SelectionTask& task, const CandidateJudge& plain,
                                             ProcessJudge& with_process,
                                             const std::vector<Fold>& folds,
                                             const FormCandidate& chosen) {
  Candidate trend = chosen.trend;
  trend.shape.caps.clear();
  std::vector<FormCandidate> held = judged_beside(
      task, with_process, trend, TrendPrior::held,
      [&](std::size_t fold) {
        return absolute_constants(task, plain.fit_in(trend, fold), trend.shape,
                                  folds[fold].training);
      });
  const auto best = std::min_element(held.begin(), held.end(),
                                     [](const FormCandidate& a, const FormCandidate& b) {
                                       return scores_better(a.trend, b.trend);
                                     });
  if (best == held.end() || !better_beyond(folds, best->trend, chosen.trend))
    return std::nullopt;
  return std::move(*best);
}

namespace {

/// What is easier to read may do so much worse.
constexpr Allowance kWorthReading{.in_any_case = 0.01, .within_error = 0.05};

/// Of scores, which are logarithms of errors.
constexpr double kClearGain = 0.05;

/// So few runs do not tell forms apart by what folds hold out: of many, some are better by chance.
/// A process says less of them than it could, never what they do not say. Far ends tell, but of
/// runs that differ in many other columns as well only where the errors differ much.
constexpr std::size_t kFewRuns = 200;
constexpr std::size_t kColumnsOfFewRuns = 5;
/// Another form is then better by so many standard errors: what the best of a dozen exceeds by
/// chance once in twenty times, of five differences (Student).
constexpr double kClearly = 5;
/// Or predicts far ends with errors that are smaller by so much, as a difference of logarithms.
constexpr double kMuchBetterBeyond = 0.2;
/// Or is better in every one of so many folds: one in a dozen is by chance once in twenty times.
constexpr std::size_t kManyFolds = 8;

/// Whether every fold of many says that `a` predicts better than `b`.
bool better_in_all(const Candidate& a, const Candidate& b) {
  return a.log_errors.size() >= kManyFolds &&
         std::equal(a.log_errors.begin(), a.log_errors.end(), b.log_errors.begin(),
                    b.log_errors.end(), std::less<>());
}

class FormChooser {
 public:
  FormChooser(const SelectionTask& task, const std::vector<Fold>& folds,
              const std::vector<FormCandidate>& tried)
      : task_(task), folds_(folds), tried_(tried) {}

  std::optional<std::size_t> chosen() const {
    const std::optional<std::size_t> best =
        best_of([&](const FormCandidate& candidate) { return is_eligible(candidate); });
    if (!best)
      return std::nullopt;
    if (const auto product = best_of(is_product_with_process);
        product && runs_are_few() && may_stand_for(tried_[*product].trend, tried_[*best].trend))
      return product;
    return kernel_of_product(tried_[*best].trend).value_or(easiest_beside(*best));
  }

 private:
  const SelectionTask& task_;
  const std::vector<Fold>& folds_;
  const std::vector<FormCandidate>& tried_;

  /// Of those for which this holds.
  template <typename Predicate>
  std::optional<std::size_t> best_of(Predicate&& holds) const {
    std::optional<std::size_t> out;
    for (std::size_t c = 0; c < tried_.size(); ++c)
      if (holds(tried_[c]) && (!out || scores_better(tried_[c].trend, tried_[*out].trend)))
        out = c;
    return out;
  }

  /// Eq. (4) and plain products beside the chosen sum have been judged with all sums before.
  bool is_eligible(const FormCandidate& candidate) const {
    return candidate.process ? !candidate.process->kernel_of_product
                             : candidate.was_chosen && task_.options.residual != Residual::process;
  }

  /// As it is fitted where it is asked for.
  static bool is_product_with_process(const FormCandidate& candidate) {
    return candidate.process && candidate.from_nothing &&
           candidate.process->prior == TrendPrior::free;
  }

  bool runs_are_few() const {
    const std::size_t columns =
        task_.spec.intrinsic.size() + task_.spec.categorical.size() + task_.spec.extrinsic.size();
    return task_.training.rows <= kFewRuns &&
           (columns >= kColumnsOfFewRuns ||
            std::none_of(folds_.begin(), folds_.end(),
                         [](const Fold& fold) { return fold.far_end(); }));
  }

  /// Of few runs, a product for the best of all forms.
  bool may_stand_for(const Candidate& product, const Candidate& best) const {
    const std::optional<double> beyond = mean_log_error(folds_, product, true);
    return as_good_as(folds_, product, best, kClearly) && !better_in_all(best, product) &&
           !(beyond && *beyond - *mean_log_error(folds_, best, true) > kMuchBetterBeyond);
  }

  std::size_t easiest_beside(std::size_t best) const {
    const auto effort = [&](std::size_t c) {
      const FormCandidate& candidate = tried_[c];
      return std::tuple(candidate.process.has_value(), candidate.trend.shape.terms,
                        candidate.trend.score);
    };
    std::size_t out = best;
    for (std::size_t c = 0; c < tried_.size(); ++c)
      if (is_eligible(tried_[c]) &&
          nearly_as_good_as(folds_, tried_[c].trend, tried_[best].trend, kWorthReading) &&
          effort(c) < effort(out))
        out = c;
    return out;
  }

  /// With the kernel of a product, which is another choice among many: it must gain more than a
  /// standard error on the best without, and what matters.
  std::optional<std::size_t> kernel_of_product(const Candidate& best_without) const {
    const std::optional<std::size_t> out = best_of([](const FormCandidate& candidate) {
      return candidate.process && candidate.process->kernel_of_product;
    });
    if (!out)
      return out;
    const Candidate& best = tried_[*out].trend;
    const double gain = best_without.score - best.score;
    return gain > std::max(kClearGain, standard_error(folds_, best_without, best)) ? out
                                                                                   : std::nullopt;
  }
};

}  // namespace

std::optional<std::size_t> choose_form(const SelectionTask& task, const std::vector<Fold>& folds,
                                       const std::vector<FormCandidate>& tried) {
  return FormChooser(task, folds, tried).chosen();
}

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
      if (terms < sum->shape.terms)
        fewer.shape.steep.clear();
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

namespace {

FittedModel fitted_with_process(const SumChoice& sums, const FormSelection& selection,
                                const FormCandidate& chosen) {
  const SelectionTask& task = sums.task();
  if (chosen.from_nothing)
    return product_with_process(task.spec, task.training, task.options, *chosen.process);
  const bool held = chosen.process->prior == TrendPrior::held;
  return with_process(held ? sums.fitted_to_largest(chosen.trend) : sums.fitted(chosen.trend),
                      task.training, task.options, *chosen.process, selection.error_within(chosen));
}

FittedModel fitted_sum(SumChoice& sums, const FormSelection& selection,
                       const FormCandidate& chosen) {
  const SelectionTask& task = sums.task();
  sums.look_closer();
  FittedModel alone = sums.fitted();
  const FormCandidate* beside = selection.chosen_with_process();
  if (beside != nullptr && needs_process(alone, task.training, task.options, *beside->process,
                                         selection.error_within(chosen)))
    return fitted_with_process(sums, selection, *beside);
  return alone;
}

}  // namespace

FittedModel fit_auto(const ModelSpec& spec, const Design& training, const FitOptions& options) {
  SumChoice sums(spec, training, options);
  if (options.residual == Residual::none || options.stop.stop_requested()) {
    sums.look_closer();
    return sums.fitted();
  }
  if (sums.selection().folds.empty()) {  // too few configurations
    return options.residual == Residual::process ? product_with_process(spec, training, options, {})
                                                 : sums.fitted();
  }
  const FormSelection selection = select_form(sums);
  if (!selection.chosen)  // a stop was requested
    return sums.fitted();
  const FormCandidate& chosen = selection.tried[*selection.chosen];
  FittedModel model = chosen.process ? fitted_with_process(sums, selection, chosen)
                                     : fitted_sum(sums, selection, chosen);
  model.search.form = sums.facts();
  model.search.form->candidates += selection.tried.size();
  model.search.form->held_out = selection.compared();
  // That the form is the best of so many is known only here.
  std::erase_if(model.warnings,
                [](const Warning& warning) { return warning.kind == "few_configurations"; });
  warn_of_few_configurations(model, training, model.warnings);
  return model;
}

}  // namespace perfmodel
