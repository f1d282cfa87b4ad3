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
constexpr Index kFewTerms = 2;
constexpr std::size_t kRowsOfSimpleForms = 200;

/// The regimes that are part of every form.
std::vector<Index> zeros_apart(const SelectionTask& task) {
  std::vector<Index> out(zero_regimes(task.spec).size());
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

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
    try_negative_terms();
    try_rings();
    try_growths();
    try_regimes_of_intrinsics();
    try_simple_forms();
    try_strong_ridge();
    try_more_terms();
    try_shared_powers();
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
    out_.tried.insert(out_.tried.end(), judged.begin(), judged.end());
    advance(judged);
    return judged;
  }

  bool is_extrinsic(std::size_t numeric) const { return numeric < task_.spec.extrinsic.size(); }

  /// No regime, each alone, and all; of the scales.
  std::vector<std::vector<Index>> sets_of_regimes() const {
    std::vector<std::vector<Index>> sets = {zeros_apart(task_)};
    std::vector<Index> all;
    for (std::size_t g = 0; g < task_.coordinates.regimes().size(); ++g) {
      if (!is_extrinsic(task_.coordinates.regimes()[g].numeric))
        continue;
      all.push_back(static_cast<Index>(g));
      sets.push_back(sets.front());
      sets.back().push_back(all.back());
    }
    if (all.size() > 1) {
      sets.push_back(sets.front());
      sets.back().insert(sets.back().end(), all.begin(), all.end());
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
    if (const auto additive = additive_shape())
      candidates.push_back({.shape = *additive, .log_errors = {}});
    judge(candidates);
  }

  /// A term for each numeric column, which leaves out the others.
  std::optional<SumShape> additive_shape() const {
    const std::size_t numerics = numeric_count(task_.spec);
    if (numerics < 2 || numerics > static_cast<std::size_t>(kMostTerms))
      return std::nullopt;
    SumShape out = plain_shape(task_, static_cast<Index>(numerics), true);
    out.left_out.resize(numerics);
    for (std::size_t k = 0; k < numerics; ++k) {
      for (std::size_t n = 0; n < numerics; ++n)
        if (n != k)
          out.left_out[k].push_back(n);
    }
    return out;
  }

  /// A count whose far end is held out, so that the folds can judge its ring.
  bool may_be_ring(std::size_t numeric) const {
    const auto is_judged = [&](const Fold& fold) { return fold.scale == numeric; };
    return std::any_of(out_.folds.begin(), out_.folds.end(), is_judged) &&
           is_count(numeric_factor(task_.training, numeric), task_.training.rows);
  }

  /// Rings of each scale, and of all of them that count from 1: GPUs and the nodes that hold them
  /// grow together.
  void try_rings() {
    const std::optional<Candidate> from = current_;
    if (!from)
      return;
    std::vector<Candidate> candidates;
    std::vector<std::size_t> all;
    for (std::size_t n = 0; n < task_.spec.extrinsic.size(); ++n) {
      if (!may_be_ring(n))
        continue;
      candidates.push_back(*from);
      candidates.back().shape.rings = {n};
      if (task_.spec.extrinsic[n].low == 1)
        all.push_back(n);
    }
    if (all.size() > 1) {
      candidates.push_back(*from);
      candidates.back().shape.rings = all;
    }
    judge(candidates);
  }

  /// Other ways in which a numeric column may grow: log2(n)^r in the first term that has the
  /// column, beside n^q or in its place, and the ring.
  std::vector<Candidate> other_growths(const Candidate& from, std::size_t numeric) const {
    std::vector<Candidate> out;
    Index term = 0;
    while (term < from.shape.terms && from.shape.leaves_out(term, numeric))
      ++term;
    if (term == from.shape.terms)
      return out;
    const NumericFactor& factor = numeric_factor(task_.training, numeric);
    if (may_have_logarithm(factor, task_.training.rows)) {
      for (const int r : {1, 2}) {
        for (const bool pure : {false, true}) {
          out.push_back(from);
          out.back().shape.log_powers[static_cast<std::size_t>(term)][numeric] = r;
          out.back().shape.pure_logarithms = pure;
        }
      }
    }
    const std::vector<std::size_t>& rings = from.shape.rings;
    if (may_be_ring(numeric) && std::find(rings.begin(), rings.end(), numeric) == rings.end()) {
      out.push_back(from);
      out.back().shape.rings.push_back(numeric);
    }
    return out;
  }

  /// Column by column. Sums of several terms approach other growths of intrinsic columns by
  /// themselves.
  void try_growths() {
    for (std::size_t n = 0; n < numeric_count(task_.spec); ++n) {
      const std::optional<Candidate> from = current_;
      if (from && (is_extrinsic(n) || from->shape.terms <= kFewTerms))
        judge(other_growths(*from, n));
    }
  }

  /// Where rows are few, the simple forms with other growths are within reach, each on its own:
  /// what is best without them need not lead there.
  void try_simple_forms() {
    if (task_.training.rows > kRowsOfSimpleForms)
      return;
    std::vector<SumShape> shapes = {plain_shape(task_, 1, true), plain_shape(task_, 1, false)};
    if (const auto additive = additive_shape())
      shapes.push_back(*additive);
    if (task_.options.signed_terms) {
      for (SumShape shape : std::vector(shapes)) {
        shape.signs.assign(static_cast<std::size_t>(shape.terms), 1);
        shape.signs.back() = -1;
        if (shape.intercept || shape.terms > 1)
          shapes.push_back(shape);
      }
    }
    for (const SumShape& shape : shapes)
      walk_from({.shape = shape, .log_errors = {}});
  }

  void walk_from(const Candidate& start) {
    std::vector<Candidate> judged = judge({start});
    if (judged.empty())
      return;
    Candidate at = judged.back();
    for (std::size_t n = 0; n < numeric_count(task_.spec); ++n) {
      for (const Candidate& next : judge(other_growths(at, n)))
        if (next.shape.terms == at.shape.terms && scores_better(next, at))
          at = next;
    }
  }

  /// "more than 1" in an intrinsic column.
  void try_regimes_of_intrinsics() {
    const std::size_t first = zeros_apart(task_).size();
    for (std::size_t g = first; g < task_.coordinates.regimes().size(); ++g) {
      const std::optional<Candidate> from = current_;
      if (!from || is_extrinsic(task_.coordinates.regimes()[g].numeric) ||
          from->shape.terms > kFewTerms)
        continue;
      std::vector<Candidate> candidates = {*from};
      candidates.back().shape.regimes.push_back(static_cast<Index>(g));
      judge(candidates);
    }
  }

  /// A term that is taken away.
  void try_negative_terms() {
    if (!task_.options.signed_terms)
      return;
    std::vector<Candidate> candidates;
    for (const bool intercept : {true, false}) {
      candidates.push_back({.shape = plain_shape(task_, kFewTerms, intercept), .log_errors = {}});
      candidates.back().shape.signs = {1, -1};
    }
    candidates.push_back({.shape = plain_shape(task_, 1, true), .log_errors = {}});
    candidates.back().shape.signs = {-1};
    judge(candidates);
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

  void choose() {
    Candidate top = current_.value_or(out_.tried.front());
    for (const Candidate& candidate : out_.tried)
      if (!is_sum(candidate) && scores_better(candidate, top))
        top = candidate;
    out_.best = top;
    out_.chosen = cautious_choice(task_.spec, out_);
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
               .regimes = zeros_apart(task),
               .intercept = intercept,
               .log_powers = {},
               .pure_logarithms = false};
  out.numeric_features = task.coordinates.numeric_features();
  out.log_powers.assign(static_cast<std::size_t>(terms),
                        std::vector<int>(numeric_count(task.spec), 0));
  return out;
}

}  // namespace perfmodel
