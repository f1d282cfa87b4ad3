#include "fit/sum/choose/selection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/sum/choose/candidate_judge.hpp"
#include "fit/sum/choose/choice.hpp"
#include "fit/sum/choose/held_out_errors.hpp"
#include "fit/sum/terms/regimes.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

constexpr Index kMostTerms = 5;
constexpr Index kFurtherTerms = 6;
constexpr double kRidges[] = {1e-5, 1e-4, 1e-3};
constexpr double kStrongRidge = 1e-2;
constexpr std::size_t kRows = 1000;
constexpr std::size_t kRowsOfCloserLook = 5000;
constexpr std::size_t kFamiliesOfCloserLook = 4;
constexpr double kFewRowsRidge = 1e-3;

/// Whether Eq. (4) is among the candidates.
enum class Generic { offered, left_out };

class Selector {
 public:
  Selector(const SelectionTask& task, std::vector<Fold> folds, Generic generic)
      : task_(task),
        generic_(generic),
        out_{.chosen = {}, .best = {}, .tried = {}, .folds = std::move(folds)},
        judge_(task, out_.folds) {}

  Selection run() {
    out_.chosen.shape = plain_shape(task_, 1, false);
    out_.chosen.ridge = kFewRowsRidge;
    if (out_.folds.empty())
      return out_;
    try_shapes();
    try_logarithms();
    try_strong_ridge();
    try_more_terms();
    if (!out_.tried.empty())
      choose();
    return out_;
  }

 private:
  const SelectionTask& task_;
  Generic generic_;
  Selection out_;
  CandidateJudge judge_;

  /// The sum that the next step starts from. A step that makes the model richer moves on only where
  /// it gains more than a standard error, lest many small steps follow the noise of the folds.
  std::optional<Candidate> current_;

  void advance(const std::vector<Candidate>& judged) {
    std::optional<Candidate> top;
    for (const Candidate& candidate : judged) {
      if (is_sum(candidate) && (!top || scores_better(candidate, *top)))
        top = candidate;
    }
    if (top &&
        (!current_ || current_->score - top->score > standard_error(out_.folds, *current_, *top)))
      current_ = top;
  }

  /// Judges the candidates with 1, 2, ..., all their terms.
  void judge(const std::vector<Candidate>& candidates) {
    if (candidates.empty() || task_.options.stop.stop_requested())
      return;
    const std::vector<Candidate> judged = judge_(candidates);
    out_.tried.insert(out_.tried.end(), judged.begin(), judged.end());
    advance(judged);
  }

  /// No regime, each alone, and all.
  std::vector<std::vector<Index>> sets_of_regimes() const {
    const Index count = static_cast<Index>(task_.coordinates.regimes().size());
    std::vector<std::vector<Index>> sets(1);
    for (Index g = 0; g < count; ++g)
      sets.push_back({g});
    if (count > 1) {
      sets.emplace_back(static_cast<std::size_t>(count));
      std::iota(sets.back().begin(), sets.back().end(), Index{0});
    }
    return sets;
  }

  /// What matters most and acts together is tried in all combinations: a regime may ask for another
  /// ridge, and more terms, before it helps.
  void try_shapes() {
    std::vector<Candidate> candidates;
    if (generic_ == Generic::offered)
      candidates.push_back({.generic = true, .shape = {}, .log_errors = {}});
    candidates.push_back({.shape = plain_shape(task_, 0, true), .log_errors = {}});
    for (const std::vector<Index>& regimes : sets_of_regimes()) {
      for (const bool intercept : {true, false}) {
        for (const double strength : kRidges) {
          candidates.push_back({.shape = plain_shape(task_, kMostTerms, intercept),
                                .ridge = strength,
                                .log_errors = {}});
          candidates.back().shape.regimes = regimes;
        }
      }
    }
    judge(candidates);
  }

  /// log2(E)^r in the first term, column by column, beside E^q or in its place.
  void try_logarithms() {
    for (std::size_t j = 0; j < task_.spec.extrinsic.size(); ++j) {
      const std::optional<Candidate> from = current_;
      const std::set<double> values =
          distinct_values(task_.training.extrinsic[j], task_.training.rows);
      if (!from || !are_counts(values) || values.size() < 3)
        continue;
      std::vector<Candidate> candidates;
      for (const int r : {1, 2}) {
        for (const bool pure : {false, true}) {
          candidates.push_back(*from);
          candidates.back().shape.log_powers.front()[j] = r;
          candidates.back().shape.pure_logarithms = pure;
        }
      }
      judge(candidates);
    }
  }

  void try_strong_ridge() {
    const std::optional<Candidate> from = current_;
    if (!from)
      return;
    std::vector<Candidate> candidates = {*from};
    candidates.back().ridge = kStrongRidge;
    judge(candidates);
  }

  void try_more_terms() {
    const std::optional<Candidate> from = current_;
    if (!from || from->shape.terms < kMostTerms)
      return;
    std::vector<Candidate> candidates = {*from};
    candidates.back().shape = with_terms(from->shape, kFurtherTerms);
    judge(candidates);
  }

  void choose() {
    Candidate top = current_.value_or(out_.tried.front());
    for (const Candidate& candidate : out_.tried) {
      if (!is_sum(candidate) && scores_better(candidate, top))
        top = candidate;
    }
    out_.best = top;
    out_.chosen = cautious_choice(task_.spec, out_);
  }
};

/// The best families among those that were as good as the best, with as many terms as may be.
std::vector<Candidate> finalists(const Selection& selection) {
  std::vector<Candidate> good;
  for (const Candidate& candidate : selection.tried) {
    if (is_sum(candidate) && as_good_as(selection.folds, candidate, selection.best))
      good.push_back(candidate);
  }
  std::stable_sort(good.begin(), good.end(), scores_better);
  std::vector<Candidate> out;
  for (const Candidate& candidate : good) {
    const bool known = std::any_of(out.begin(), out.end(), [&](const Candidate& other) {
      return same_family(other, candidate);
    });
    if (known || out.size() == kFamiliesOfCloserLook)
      continue;
    out.push_back(candidate);
    out.back().shape = with_terms(candidate.shape, kFurtherTerms);
  }
  return out;
}

/// Where there are far more rows than were looked at, they can bear more terms: the best families
/// are judged again, on many more of the rows.
void look_closer(const SelectionTask& task, Selection& selection) {
  const bool nothing_tried = selection.tried.empty();  // too few configurations, or interrupted
  if (nothing_tried || task.training.rows < 2 * kRows || !is_sum(selection.chosen))
    return;
  Selection closer;
  closer.folds = make_folds(task.coordinates, task.spec, kRowsOfCloserLook, task.options.seed);
  closer.tried = CandidateJudge(task, closer.folds)(finalists(selection));
  if (task.options.stop.stop_requested())
    return;
  closer.best = *std::min_element(closer.tried.begin(), closer.tried.end(), scores_better);
  closer.chosen = cautious_choice(task.spec, closer);
  selection = closer;
}

}  // namespace

Selection select_shape(const SelectionTask& task) {
  std::vector<Fold> folds = make_folds(task.coordinates, task.spec, kRows, task.options.seed);
  Selection out = Selector(task, std::move(folds), Generic::offered).run();
  look_closer(task, out);
  return out;
}

Selection select_shape_of_level(const SelectionTask& task, std::vector<Fold> folds) {
  return Selector(task, std::move(folds), Generic::left_out).run();
}

SumShape plain_shape(const SelectionTask& task, Index terms, bool intercept) {
  SumShape out{.terms = terms,
               .plain_features = task.coordinates.plain_features(),
               .regimes = {},
               .intercept = intercept,
               .log_powers = {},
               .pure_logarithms = false};
  out.log_powers.assign(static_cast<std::size_t>(terms),
                        std::vector<int>(task.spec.extrinsic.size(), 0));
  return out;
}

}  // namespace perfmodel
