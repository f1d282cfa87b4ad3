#include "fit/choose/form_selection.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <tuple>

#include "fit/eq4/generic_form.hpp"
#include "fit/sum/choose/candidate_judge.hpp"
#include "fit/sum/choose/candidate_shapes.hpp"
#include "fit/sum/choose/choice.hpp"
#include "fit/sum/choose/held_out_errors.hpp"
#include "fit/sum/form/sum_form.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

constexpr std::size_t kRowsBesideProcess = 600;

class FormSelector {
 public:
  explicit FormSelector(const SumChoice& sums)
      : sums_(sums),
        task_(sums.task()),
        out_{.chosen = {},
             .chosen_sum = false,
             .tried = {},
             .folds =
                 make_folds(task_.coordinates, task_.spec, kRowsBesideProcess, task_.options.seed)},
        plain_(task_, out_.folds),
        with_process_(task_, out_.folds) {}

  FormSelection run() {
    try_sums();
    try_products();
    choose();
    return std::move(out_);
  }

 private:
  const SumChoice& sums_;
  const SelectionTask& task_;
  FormSelection out_;
  CandidateJudge plain_;
  ProcessJudge with_process_;

  void add(std::vector<FormCandidate> judged) {
    for (FormCandidate& candidate : judged)
      out_.tried.push_back(std::move(candidate));
  }

  void try_sums() {
    const Candidate generic{.generic = true, .shape = {}, .log_errors = {}};
    for (const Candidate& candidate : plain_({generic, sums_.selection().chosen})) {
      out_.tried.push_back({candidate});
      if (candidate.generic || candidate.shape.terms == 0)
        continue;
      const auto form = std::make_shared<const SumForm>(
          task_.coordinates.structure(candidate.shape),
          SumEstimates{.parted = {},
                       .sums = {{.ridge = 0, .intercept = candidate.shape.intercept}}});
      add(with_process_(candidate, candidate.shape.rings,
                        [&](std::size_t fold, const Design& training) {
                          return runs_beside(form, task_.spec, plain_.constants_in(candidate, fold),
                                             training, candidate.shape.rings);
                        }));
    }
  }

  void try_products() {
    std::vector<std::vector<std::size_t>> sets = {{}};
    for (std::size_t n = 0; n < task_.spec.extrinsic.size(); ++n) {
      if (may_be_ring(task_, out_.folds, n)) {
        sets.resize(2);
        sets[1].push_back(n);
      }
    }
    Candidate product;
    product.shape = plain_shape(task_, 1, false);
    for (const std::vector<std::size_t>& rings : sets) {
      product.shape.rings = rings;
      std::vector<FormCandidate> judged =
          with_process_(product, rings, [&](std::size_t, const Design& training) {
            return runs_beside_product(task_.spec, training, rings);
          });
      for (FormCandidate& candidate : judged)
        candidate.from_nothing = true;
      add(std::move(judged));
    }
  }

  void choose() {
    const auto best = std::min_element(out_.tried.begin(), out_.tried.end(),
                                       [](const FormCandidate& a, const FormCandidate& b) {
                                         return scores_better(a.trend, b.trend);
                                       });
    if (best == out_.tried.end())
      return;
    const auto effort = [](const FormCandidate& candidate) {
      return std::tuple(candidate.process.has_value(), candidate.trend.shape.terms,
                        candidate.trend.score);
    };
    const FormCandidate* chosen = &*best;
    for (const FormCandidate& candidate : out_.tried)
      if (as_good_as(out_.folds, candidate.trend, best->trend) &&
          effort(candidate) < effort(*chosen))
        chosen = &candidate;
    out_.chosen = *chosen;
    if (std::getenv("PM_DEBUG"))
      for (const FormCandidate& candidate : out_.tried) {
        double random = 0, far = 0, cap = 0, n = 0, m = 0;
        for (std::size_t f = 0; f < out_.folds.size(); ++f)
          if (out_.folds[f].far_end())
            far += candidate.trend.log_errors[f], cap += candidate.trend.capped_log_errors[f], ++m;
          else
            random += candidate.trend.log_errors[f], ++n;
        std::fprintf(
            stderr,
            "%s%s k=%ld C=%d rings=%zu %s: random %.2f far %.2f cap %.2f score %.3f good %d |",
            &candidate == chosen ? ">" : " ", candidate.trend.generic ? "eq4" : "sum",
            long(candidate.trend.shape.terms), candidate.trend.shape.intercept,
            candidate.trend.shape.rings.size(),
            !candidate.process                             ? "-"
            : candidate.process->prior == TrendPrior::free ? "free"
                                                           : "likely",
            100 * mean_error(random / n), 100 * mean_error(m > 0 ? far / m : 0),
            100 * mean_error(m > 0 ? cap / m : 0), candidate.trend.score,
            as_good_as(out_.folds, candidate.trend, best->trend));
        for (std::size_t f = 0; f < out_.folds.size(); ++f)
          if (out_.folds[f].far_end())
            std::fprintf(stderr, " %zu:%.1f/%.1f", *out_.folds[f].scale,
                         100 * mean_error(candidate.trend.log_errors[f]),
                         100 * mean_error(candidate.trend.capped_log_errors[f]));
        std::fprintf(stderr, "\n");
      }
  }
};

}  // namespace

FormSelection select_form(const SumChoice& sums) {
  return FormSelector(sums).run();
}

}  // namespace perfmodel
