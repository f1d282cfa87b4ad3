#include "fit/choose/form_choice.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

#include "fit/sum/choose/choice.hpp"
#include "fit/sum/choose/held_out_errors.hpp"

namespace perfmodel {
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

}  // namespace perfmodel
