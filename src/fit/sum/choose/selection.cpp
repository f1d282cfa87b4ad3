#include "fit/sum/choose/selection.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "fit/sum/choose/candidate_judge.hpp"
#include "fit/sum/choose/candidate_shapes.hpp"
#include "fit/sum/choose/choice.hpp"
#include "fit/sum/choose/held_out_errors.hpp"
#include "fit/sum/choose/steepness.hpp"
#include "fit/task/stage_steps.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

constexpr Index kFurtherTerms = 6;
constexpr double kStrongRidge = 1e-2;
constexpr std::size_t kRows = 1000;
constexpr std::size_t kRowsOfCloserLook = 5000;
constexpr std::size_t kFamiliesOfCloserLook = 4;
/// A family whose score is behind the best by this is not given further terms.
constexpr double kFallenBehind = 0.5;
constexpr std::size_t kPartsOfFirstLook = 2;
constexpr double kFewRowsRidge = 1e-3;
constexpr std::size_t kRowsOfSimpleForms = 200;
/// A sum whose slope beyond the runs is larger than within by this says more than they do.
constexpr double kSteep = 0.3;
/// The same grows on where errors at the far ends are smaller for it by this, as a logarithm.
constexpr double kGainOfGrowth = 0.1;

/// Whether Eq. (4) is among the candidates.
enum class Generic { offered, left_out };

class Selector {
 public:
  Selector(const SelectionTask& task, std::vector<Fold> folds, Generic generic,
           const FitProgress& progress)
      : task_(task),
        generic_(generic),
        progress_(progress),
        out_{.chosen = {}, .best = {}, .tried = {}, .folds = std::move(folds)},
        judge_(task, out_.folds) {}

  Selection run() {
    out_.chosen.shape = plain_shape(task_, 1, false);
    out_.chosen.ridge = kFewRowsRidge;
    if (out_.folds.empty())
      return out_;
    StageSteps done(progress_, FitStage::sums, kSteps.size());
    for (const auto step : kSteps) {
      (this->*step)();
      done.next();
    }
    if (!out_.tried.empty())
      choose();
    return out_;
  }

 private:
  const SelectionTask& task_;
  Generic generic_;
  const FitProgress& progress_;
  Selection out_;
  CandidateJudge judge_;

  /// The sum that the next step starts from. A step that makes the model richer moves on only where
  /// it gains more than a standard error, lest many small steps follow the noise of the folds.
  std::optional<Candidate> current_;

  void advance(const std::vector<Candidate>& judged) {
    std::optional<Candidate> top;
    for (const Candidate& candidate : judged)
      if (is_sum(candidate) && (!top || scores_better(candidate, *top)))
        top = candidate;
    if (top &&
        (!current_ || current_->score - top->score > standard_error(out_.folds, *current_, *top)))
      current_ = top;
  }

  /// Judges the candidates with 1, 2, ..., all their terms.
  std::vector<Candidate> judge(const std::vector<Candidate>& candidates) {
    if (candidates.empty() || task_.options.stop.stop_requested())
      return {};
    std::vector<Candidate> judged = judge_(candidates);
    keep(judged);
    return judged;
  }

  void keep(const std::vector<Candidate>& judged) {
    out_.tried.insert(out_.tried.end(), judged.begin(), judged.end());
    advance(judged);
  }

  void try_shapes() {
    std::vector<Candidate> candidates;
    if (generic_ == Generic::offered)
      candidates.push_back({.generic = true, .shape = {}, .log_errors = {}});
    candidates.push_back({.shape = plain_shape(task_, 0, true), .log_errors = {}});
    if (const auto additive = additive_shape(task_))
      candidates.push_back({.shape = *additive, .log_errors = {}});
    judge(candidates);
    grow(plain_candidates(task_));
  }

  /// A term more at a time. Families for which the last two did not pay, or which have fallen far
  /// behind, go no further.
  void grow(std::vector<Candidate> families) {
    std::vector<Candidate> all;
    const auto has_gained = [&](const Candidate& candidate) {
      const auto smaller = std::find_if(all.begin(), all.end(), [&](const Candidate& other) {
        return other.shape.terms + 2 == candidate.shape.terms && same_family(other, candidate);
      });
      return smaller == all.end() || scores_better(candidate, *smaller);
    };
    for (Index terms = 1; terms <= kMostTerms && !families.empty(); ++terms) {
      for (Candidate& family : families)
        family.shape = with_terms(family.shape, terms);
      std::vector<Candidate> judged = judge_(families);
      std::erase_if(judged, [&](const Candidate& candidate) {  // what the rows cannot bear
        return candidate.shape.terms != terms;
      });
      if (judged.empty())
        break;
      all.insert(all.end(), judged.begin(), judged.end());
      const double best = std::min_element(judged.begin(), judged.end(), scores_better)->score;
      families.clear();
      for (const Candidate& candidate : judged)
        if (candidate.score <= best + kFallenBehind && has_gained(candidate))
          families.push_back(candidate);
    }
    keep(all);
  }

  /// The other ridges, for the best sum alone.
  void try_ridges() {
    if (const std::optional<Candidate> from = current_)
      judge(with_other_ridges(*from));
  }

  void try_rings() {
    if (const std::optional<Candidate> from = current_)
      judge(promising(with_rings(task_, out_.folds, *from), *from, std::nullopt));
  }

  /// What is better than another at the far ends of a column, or of all, and in some random parts:
  /// the others need no closer look.
  std::vector<Candidate> promising(const std::vector<Candidate>& candidates, const Candidate& than,
                                   std::optional<std::size_t> numeric) {
    std::vector<std::size_t> folds;
    std::size_t random = 0;
    for (std::size_t f = 0; f < out_.folds.size(); ++f) {
      const Fold& fold = out_.folds[f];
      if (fold.far_end() ? !numeric || fold.scale == numeric : random++ < kPartsOfFirstLook)
        folds.push_back(f);
    }
    return candidates.empty() ? candidates : judge_.better_on(folds, candidates, than);
  }

  /// Column by column. Sums of several terms approach other growths of intrinsic columns by
  /// themselves.
  void try_growths() {
    for (std::size_t n = 0; n < numeric_count(task_.spec); ++n) {
      const std::optional<Candidate> from = current_;
      if (from && (is_extrinsic(task_, n) || from->shape.terms <= kFewTerms))
        judge(promising(other_growths(task_, out_.folds, *from, n), *from, n));
    }
  }

  /// Where rows are few, the simple forms with other growths are within reach, each on its own:
  /// what is best without them need not lead there.
  void try_simple_forms() {
    if (task_.training.rows > kRowsOfSimpleForms)
      return;
    for (const SumShape& shape : simple_shapes(task_))
      walk_from({.shape = shape, .log_errors = {}});
  }

  void walk_from(const Candidate& start) {
    std::vector<Candidate> judged = judge({start});
    if (judged.empty())
      return;
    Candidate at = judged.back();
    for (std::size_t n = 0; n < numeric_count(task_.spec); ++n) {
      for (const Candidate& next : judge(other_growths(task_, out_.folds, at, n)))
        if (next.shape.terms == at.shape.terms && scores_better(next, at))
          at = next;
    }
  }

  /// "more than 1" in an intrinsic column.
  void try_regimes_of_intrinsics() {
    const std::size_t first = zeros_apart(task_).size();
    for (std::size_t g = first; g < task_.coordinates.regimes().size(); ++g) {
      const std::optional<Candidate> from = current_;
      if (!from || is_extrinsic(task_, task_.coordinates.regimes()[g].numeric) ||
          from->shape.terms > kFewTerms)
        continue;
      std::vector<Candidate> candidates = {*from};
      candidates.back().shape.regimes.push_back(static_cast<Index>(g));
      judge(candidates);
    }
  }

  void try_negative_terms() {
    if (task_.options.signed_terms)
      judge(negative_candidates(task_));
  }

  /// One power of a scale of two values for all terms: taken where it does as well.
  void try_shared_powers() {
    const std::optional<Candidate> from = current_;
    if (!from || task_.coordinates.two_valued().empty())
      return;
    std::vector<Candidate> candidates = {*from};
    candidates.back().shape.shared = task_.coordinates.two_valued();
    judge(candidates);
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

  static constexpr std::array kSteps = {
      &Selector::try_shapes,         &Selector::try_ridges,
      &Selector::try_negative_terms, &Selector::try_rings,
      &Selector::try_growths,        &Selector::try_regimes_of_intrinsics,
      &Selector::try_simple_forms,   &Selector::try_strong_ridge,
      &Selector::try_more_terms,     &Selector::try_shared_powers};

  void choose() {
    Candidate top = current_.value_or(out_.tried.front());
    for (const Candidate& candidate : out_.tried)
      if (!is_sum(candidate) && scores_better(candidate, top))
        top = candidate;
    out_.best = top;
    out_.chosen = cautious_choice(task_.spec, out_);
    // Levels are chosen for what they gain together where they were measured.
    if (generic_ == Generic::left_out)
      return;
    for (std::size_t n = 0; n < task_.spec.extrinsic.size(); ++n)
      prefer_steps(n);
  }

  /// Of the forms that the runs cannot tell apart one that says less beyond them: where the chosen
  /// one grows much faster beyond a scale than the last two gaps show, a step at an inner value
  /// that does as well.
  void prefer_steps(std::size_t scale) {
    if (!is_sum(out_.chosen) || task_.options.stop.stop_requested())
      return;
    const std::vector<Candidate> steps = with_steps(task_, out_.chosen, scale);
    if (steps.empty())
      return;
    const Steepness steepness(task_.coordinates, scale);
    if (excess(steepness, out_.chosen) <= kSteep)
      return;
    Selection stepped{.chosen = {}, .best = {}, .tried = judge_(steps), .folds = out_.folds};
    std::erase_if(stepped.tried, [&](const Candidate& candidate) {
      return !as_good_where_measured(out_.folds, candidate, out_.chosen) ||
             is_worse_beyond(candidate, out_.chosen) || excess(steepness, candidate) > kSteep;
    });
    if (stepped.tried.empty()) {
      if (!grows_on(scale))
        out_.chosen.shape.caps.push_back(scale);
      return;
    }
    stepped.best = *std::min_element(stepped.tried.begin(), stepped.tried.end(), scores_better);
    out_.tried.insert(out_.tried.end(), stepped.tried.begin(), stepped.tried.end());
    out_.chosen = cautious_choice(task_.spec, stepped);
  }

  /// Whether the far ends say that the chosen sum grows on beyond the values that it knows.
  bool grows_on(std::size_t scale) const {
    const Candidate& chosen = out_.chosen;
    double gain = 0;
    for (std::size_t f = 0; f < out_.folds.size(); ++f)
      if (out_.folds[f].scale == scale)
        gain += chosen.capped_log_errors[f] - chosen.log_errors[f];
    return gain > kGainOfGrowth;
  }

  /// Where a far end is held out with all that lies above the step, it can say nothing of it.
  bool is_worse_beyond(const Candidate& stepped, const Candidate& than) const {
    const Index step = task_.coordinates.plain_features() + stepped.shape.regimes.back();
    const Eigen::MatrixXd& features = task_.coordinates.data().features;
    double loss = 0;
    for (std::size_t f = 0; f < out_.folds.size(); ++f) {
      const Fold& fold = out_.folds[f];
      const auto differs = [&](Index row) {
        return features(row, step) != features(fold.training.front(), step);
      };
      if (fold.far_end() && std::any_of(fold.training.begin(), fold.training.end(), differs))
        loss += stepped.log_errors[f] - than.log_errors[f];
    }
    return loss > 0;
  }

  /// Of the fits to random parts.
  double excess(const Steepness& steepness, const Candidate& candidate) const {
    double sum = 0;
    double count = 0;
    for (std::size_t f = 0; f < out_.folds.size(); ++f) {
      if (out_.folds[f].far_end())
        continue;
      sum += steepness.excess(candidate.shape, judge_.fit_in(candidate, f).theta);
      count += 1;
    }
    return sum / count;
  }
};

/// The best families among those that were as good as the best, with as many terms as may be.
std::vector<Candidate> finalists(const Selection& selection) {
  std::vector<Candidate> good;
  for (const Candidate& candidate : selection.tried)
    if (is_sum(candidate) && as_good_as(selection.folds, candidate, selection.best))
      good.push_back(candidate);
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

}  // namespace

Design design_of(const SelectionTask& task, const std::vector<Index>& rows) {
  std::vector<std::size_t> of_design;
  for (const Index row : rows)
    of_design.push_back(task.coordinates.order()[static_cast<std::size_t>(row)]);
  return take_rows(task.training, of_design);
}

Selection select_shape(const SelectionTask& task) {
  std::vector<Fold> folds = make_folds(task.coordinates, task.spec, kRows, task.options.seed);
  return Selector(task, std::move(folds), Generic::offered, task.options.progress).run();
}

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

Selection select_shape_of_level(const SelectionTask& task, std::vector<Fold> folds) {
  return Selector(task, std::move(folds), Generic::left_out, {}).run();
}

}  // namespace perfmodel
