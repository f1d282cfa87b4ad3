#include "choice/term_choice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "forms/fit_options.hpp"
#include "table/expressions.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

/// Number of logarithms to which a plain power is preferred. With a negative term there are none: a
/// power then matches a logarithm only if two huge terms cancel.
Index logarithms_of(const SumShape& shape) {
  Index out = 0;
  if (!shape.signs.empty())
    return out;
  for (const std::vector<int>& powers : shape.log_powers)
    out += std::count_if(powers.begin(), powers.end(), [](int r) { return r != 0; });
  return out;
}

}  // namespace

Index size_of(const Candidate& candidate, const ModelSpec& spec) {
  if (candidate.eq4)
    return static_cast<Index>(Eq4Layout(spec).size());
  const SumShape& shape = candidate.shape;
  const std::vector<bool> held = shape.held();
  // Of many levels, one more coordinate than constants.
  const Index surplus = shape.plain_features + 1 - static_cast<Index>(count_sum_constants(spec, 1));
  return shape.size() - std::count(held.begin(), held.end(), true) - shape.terms * surplus -
         static_cast<Index>(shape.followers().size()) + logarithms_of(shape);
}

bool is_sum(const Candidate& candidate) {
  return !candidate.eq4 && candidate.shape.terms > 0;
}

bool scores_better(const Candidate& a, const Candidate& b) {
  return a.score < b.score;
}

namespace {

/// Number of logarithms and 1 - 1/n terms, which are taken only if a power fits worse.
Index departures_of(const Candidate& candidate) {
  return logarithms_of(candidate.shape) + static_cast<Index>(candidate.shape.saturations.size());
}

const Candidate& simplest(const ModelSpec& spec, const std::vector<Candidate>& candidates) {
  return *std::ranges::min_element(
      candidates, {},
      [&](const Candidate& candidate) {
        return std::tuple(size_of(candidate, spec), departures_of(candidate), candidate.score);
      });
}

/// Per scale, the gains in the log errors of its extrapolation folds from clamping it.
std::map<std::size_t, std::vector<double>> gains_of_clamps(const std::vector<Fold>& folds,
                                                           const Candidate& candidate) {
  std::map<std::size_t, std::vector<double>> out;
  for (std::size_t f = 0; f < folds.size() && f < candidate.clamped_log_errors.size(); ++f)
    if (folds[f].is_extrapolation())
      out[*folds[f].scale].push_back(candidate.log_errors[f] - candidate.clamped_log_errors[f]);
  return out;
}

}  // namespace

Candidate cautious_choice(const ModelSpec& spec, const std::vector<Fold>& folds,
                          const std::vector<Candidate>& tried, const Candidate& best) {
  std::vector<Candidate> good;
  for (const Candidate& candidate : tried)
    if (as_good_as(folds, candidate, best))
      good.push_back(candidate);
  return simplest(spec, good);
}

void judge_as_clamped(const std::vector<Fold>& folds, Candidate& candidate) {
  candidate.shape.clamps = candidate.shape.steep;
  for (std::size_t f = 0; f < folds.size(); ++f)
    if (folds[f].is_extrapolation() && contains(candidate.shape.clamps, *folds[f].scale))
      candidate.log_errors[f] = candidate.clamped_log_errors[f];
  set_score(folds, candidate);
}

namespace {

using Eigen::VectorXd;

constexpr std::size_t kMostThinned = 60;

/// Slope of ln of each numeric column over ln of the scale.
std::vector<double> slopes_along(const TermCoordinates& coordinates, std::size_t scale) {
  const TermData& data = coordinates.data();
  const std::vector<Index> features = coordinates.numeric_features();
  const VectorXd own = data.features.col(features[scale]);
  std::vector<double> out;
  for (const Index feature : features)  // features are centred
    out.push_back(own.dot(data.features.col(feature)) / own.squaredNorm());
  return out;
}

/// Of more than 60 ascending rows of sorted data, one per configuration, and every n-th of these,
/// so that at most 60 are left.
std::vector<Index> thinned(const TermData& data, const std::vector<Index>& rows) {
  std::vector<Index> some = rows;
  if (some.size() > kMostThinned) {
    const auto same = [&](Index a, Index b) { return data.same_configuration(a, b); };
    some.erase(std::unique(some.begin(), some.end(), same), some.end());
  }
  std::vector<Index> out;
  for (std::size_t i = 0; i < some.size(); i += some.size() / kMostThinned + 1)
    out.push_back(some[i]);
  return out;
}

/// ln(time) of rows of all features, in units of the typical time.
VectorXd log_times(const TermCoordinates& coordinates, const TermData& all_features,
                   const SumShape& shape, const VectorXd& theta) {
  const VectorXd time = evaluate_sum(coordinates.select(all_features, shape), shape, theta).total;
  return time.array().max(1e-300).log();
}

/// One row per value of the scale, given by its feature.
std::map<double, Index> row_of_value(const TermData& data, Index feature) {
  std::map<double, Index> out;
  for (Index row = 0; row < data.rows(); ++row)
    out.emplace(data.features(row, feature), row);
  return out;
}

std::vector<Index> rows_at(const TermData& data, Index feature, double value) {
  std::vector<Index> out;
  for (Index row = 0; row < data.rows(); ++row)
    if (data.features(row, feature) == value)
      out.push_back(row);
  return thinned(data, out);
}

/// Growth of a sum along a scale: over the last two gaps between its measured values, and beyond.
///
/// A cost that begins at the last gap, as on the second node of a cluster, can be fitted by any
/// sufficiently steep power, and is then off by orders of magnitude slightly further on.
class Steepness {
 public:
  /// Requires at least three values of the scale, an extrinsic column.
  Steepness(const TermCoordinates& coordinates, std::size_t scale) : coordinates_(coordinates) {
    const TermData& data = coordinates.data();
    const Index feature = coordinates.numeric_features()[scale];
    const std::vector<double> slopes = slopes_along(coordinates, scale);
    const std::map<double, Index> values = row_of_value(data, feature);
    auto value = values.rbegin();
    const double largest = value->first;
    const TermData there = take_rows(data, rows_at(data, feature, largest));
    const auto moved = [&](double shift) {
      TermData out = there;
      for (Index row = 0; row < out.rows(); ++row)
        coordinates.move(out, row, slopes, shift);
      return out;
    };
    at_[3] = moved(std::log(kStretch));
    log_gap_[2] = std::log(kStretch);
    double above = largest;
    for (std::size_t place = 3; place-- > 0; ++value) {
      at_[place] = moved(value->first - largest);
      // Moves the step features of the scale too.
      for (Index row = 0; row < there.rows(); ++row)
        coordinates.copy_numeric(at_[place], row, scale, data, value->second);
      if (place < 2)
        log_gap_[place] = above - value->first;
      above = value->first;
    }
  }

  /// Excess of the slope d ln t / d ln n beyond the largest value over the larger slope of the two
  /// gaps: a mean over the rows with the largest value. The other numeric columns change with the
  /// scale as they do in the runs.
  double excess(const SumShape& shape, const VectorXd& theta) const {
    std::array<VectorXd, kPlaces> log_time;
    for (std::size_t place = 0; place < kPlaces; ++place)
      log_time[place] = log_times(coordinates_, at_[place], shape, theta);
    const auto slope = [&](std::size_t place) {
      return (log_time[place + 1] - log_time[place]).mean() / log_gap_[place];
    };
    return slope(2) - std::max(slope(0), slope(1));
  }

 private:
  static constexpr std::size_t kPlaces = 4;

  const TermCoordinates& coordinates_;
  std::array<TermData, kPlaces> at_;  ///< at the third-largest value, second, largest, beyond
  std::array<double, kPlaces - 1> log_gap_;  ///< differences of ln(scale) between them
};

/// Families with a score this far behind the best get no further terms.
constexpr double kFallenBehind = 0.5;
constexpr std::size_t kPartsOfFirstLook = 2;
/// Standard deviation of ln(time) over the runs from which a column's growth is worth a look.
constexpr double kMatters = 0.05;
constexpr double kFewRowsRidge = 1e-3;
constexpr std::size_t kConfigurationsOfSimpleForms = 200;
/// Largest excess of the slope beyond the runs that the runs justify.
constexpr double kSteep = 0.3;
/// A steep sum is still accepted if its log errors are smaller than the clamped ones by this in
/// every extrapolation fold. For synthetic costs that begin at a border, one fold gains up to 0.5
/// by chance.
constexpr double kGainOfGrowth = 0.5;

class Selector {
 public:
  Selector(const SelectionTask& task, CandidateJudge& judge) : task_(task), judge_(judge) {}

  Selection run() {
    out_.chosen.shape = plain_shape(task_, 1, false);
    out_.chosen.ridge = kFewRowsRidge;
    if (task_.folds.empty())
      return out_;
    StageSteps done(task_.options.progress, FitStage::sums, kSteps.size());
    for (const auto& [name, step] : kSteps) {
      if (!task_.options.stop.stop_requested() && !ablated(name))
        (this->*step)();
      done.next();
    }
    if (!out_.tried.empty())
      choose();
    return out_;
  }

 private:
  const SelectionTask& task_;
  Selection out_;
  CandidateJudge& judge_;

  /// The sum from which the next step starts. It is replaced only by one that gains more than a
  /// standard error, so that many small steps do not fit the noise of the folds. The first step
  /// sets it, unless a stop is requested.
  std::optional<Candidate> current_;

  void advance(const std::vector<Candidate>& judged) {
    std::optional<Candidate> top;
    for (const Candidate& candidate : judged)
      if (is_sum(candidate) && (!top || scores_better(candidate, *top)))
        top = candidate;
    if (top &&
        (!current_ || current_->score - top->score > standard_error(task_.folds, *current_, *top)))
      current_ = top;
  }

  /// Judges the candidates with 1, 2, ..., shape.terms terms.
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
    std::vector<Candidate> candidates = {{.eq4 = true, .shape = {}},
                                         {.shape = plain_shape(task_, 0, true)}};
    if (const auto additive = additive_shape(task_))
      candidates.push_back({.shape = *additive});
    judge(candidates);
    grow(plain_candidates(task_));
  }

  /// Adds one term at a time, and drops families that gained nothing from the last two terms or
  /// that are far behind.
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
      std::erase_if(judged, [&](const Candidate& candidate) {  // too many constants for the rows
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

  /// Tries other ridges for the best sum only.
  void try_ridges() { judge(with_ridges(*current_, {1e-5, 1e-3})); }
  void try_strong_ridge() { judge(with_ridges(*current_, {1e-2})); }

  /// Keeps the candidates that are better than `than` over the first random folds together with the
  /// extrapolation folds of a column.
  std::vector<Candidate> promising(const std::vector<Candidate>& candidates, const Candidate& than,
                                   std::size_t numeric) {
    std::vector<std::size_t> folds;
    std::size_t random = 0;
    for (std::size_t f = 0; f < task_.folds.size(); ++f) {
      const Fold& fold = task_.folds[f];
      if (fold.is_extrapolation() ? fold.scale == numeric : random++ < kPartsOfFirstLook)
        folds.push_back(f);
    }
    return candidates.empty() ? candidates : judge_.better_on(folds, candidates, than);
  }

  /// Whether a numeric column changes the time in a sum enough for the runs to tell one growth from
  /// another.
  bool matters(const Candidate& sum, std::size_t numeric) const {
    const SumShape& shape = sum.shape;
    if (!shape.signs.empty())
      return true;  // a small share of a large term that is taken away
    const VectorXd& theta = judge_.fit_in(sum, 0).theta;
    const TermData& data = task_.coordinates.data();
    const Index feature = shape.numeric_features[numeric];
    const double spread = data.features.col(feature).norm() / std::sqrt(data.rows());
    double most = 0;
    for (Index k = 0; k < shape.terms; ++k)
      most = std::max(most, std::abs(theta[k * shape.features() + feature]) * spread);
    return most > kMatters || contains(shape.saturations, numeric);
  }

  /// Tries other growths column by column. Several terms approximate them for intrinsic columns.
  void try_growths() {
    for (std::size_t n = 0; n < numeric_count(task_.spec); ++n)
      if (matters(*current_, n) && (is_extrinsic(task_, n) || current_->shape.terms <= kFewTerms))
        judge(promising(other_growths(task_, *current_, n), *current_, n));
  }

  /// Walks from each simple form if there are few configurations: the best of them with other
  /// growths may not be reachable from the best without.
  void try_simple_forms() {
    if (configuration_groups(task_.training).count > kConfigurationsOfSimpleForms)
      return;
    for (const SumShape& shape : simple_shapes(task_)) {
      const Candidate start{.shape = shape};
      if (takes_away(start) && !may_subtract(task_.options))
        judge({start});
      else
        walk_from(start);
    }
  }

  void walk_from(const Candidate& start) {
    std::vector<Candidate> judged = judge({start});
    if (judged.empty())
      return;
    Candidate at = judged.back();
    for (std::size_t n = 0; n < numeric_count(task_.spec); ++n) {
      if (!matters(at, n))
        continue;
      for (const Candidate& next : judge(promising(other_growths(task_, at, n), at, n)))
        if (next.shape.terms == at.shape.terms && scores_better(next, at))
          at = next;
    }
  }

  void try_negative_terms() {
    if (may_subtract(task_.options))
      judge(negative_candidates(task_));
  }

  /// Tries one power for all terms in scales of two values.
  void try_shared_powers() {
    if (task_.coordinates.two_valued().empty())
      return;
    Candidate next = *current_;
    next.shape.shared = task_.coordinates.two_valued();
    judge({next});
  }

  using Step = std::pair<std::string_view, void (Selector::*)()>;
  static constexpr std::array kSteps = {Step("shapes", &Selector::try_shapes),
                                        Step("ridges", &Selector::try_ridges),
                                        Step("negative terms", &Selector::try_negative_terms),
                                        Step("growths", &Selector::try_growths),
                                        Step("simple forms", &Selector::try_simple_forms),
                                        Step("strong ridge", &Selector::try_strong_ridge),
                                        Step("shared powers", &Selector::try_shared_powers)};

  static bool takes_away(const Candidate& candidate) {
    return candidate.shape.terms > 1 && candidate.shape.sign(1) < 0;
  }

  /// True if, in some fold, the constant is longer than the typical time, a difference of large
  /// numbers that says nothing of other values, or if the product falls with a column, so that
  /// larger values would leave no time.
  bool takes_too_much(const Candidate& candidate) const {
    const SumShape& shape = candidate.shape;
    if (!takes_away(candidate))
      return false;
    for (std::size_t fold = 0; fold < task_.folds.size(); ++fold) {
      const VectorXd& theta = judge_.fit_in(candidate, fold).theta;
      if (theta[shape.features()] > 0 ||
          std::ranges::any_of(shape.numeric_features,
                              [&](Index feature) { return theta[feature] < 0; }))
        return true;
    }
    return false;
  }

  /// A constant that is taken away can leave no time at other values: it has to predict held-out
  /// rows better, by more than a standard error, than all sums without.
  void drop_negative_constants() {
    if (may_subtract(task_.options))
      return;
    std::erase_if(out_.tried, [&](const Candidate& each) { return takes_too_much(each); });
    const Candidate* best = nullptr;
    const Candidate* added = nullptr;
    for (const Candidate& candidate : out_.tried)
      for (const Candidate** of : {&best, &added})
        if (is_sum(candidate) && (of == &best || !takes_away(candidate)) &&
            (*of == nullptr || scores_better(candidate, **of)))
          *of = &candidate;
    if (added == nullptr)
      return;
    const bool asked_for = takes_away(*best) && !as_good_as(task_.folds, *added, *best);
    if (current_ && takes_away(*current_))
      current_ = asked_for ? *best : *added;
    if (!asked_for)
      std::erase_if(out_.tried, takes_away);
  }

  void choose() {
    drop_negative_constants();
    Candidate top = current_.value_or(out_.tried.front());
    for (const Candidate& candidate : out_.tried)
      if (!is_sum(candidate) && scores_better(candidate, top))
        top = candidate;
    out_.chosen = cautious_choice(task_.spec, task_.folds, out_.tried, top);
    for (std::size_t scale = 0; scale < task_.spec.extrinsic.size(); ++scale)
      prefer_steps(scale);
  }

  /// If the chosen form grows much faster beyond a scale than over the last two gaps, replaces it
  /// by one with a step at an inner value that is as good and less steep; without such a form,
  /// clamps the scale unless the extrapolation folds confirm the growth.
  void prefer_steps(std::size_t scale) {
    if (!is_sum(out_.chosen) || !judge_.knows(out_.chosen) || task_.options.stop.stop_requested())
      return;
    const std::vector<Candidate> steps = with_steps(task_, out_.chosen, scale);
    if (steps.empty() || !is_steep_beyond(task_, judge_, out_.chosen, scale))
      return;
    std::vector<Candidate> stepped = judge_(steps);
    std::erase_if(stepped, [&](const Candidate& candidate) {
      return !as_good_where_measured(task_.folds, candidate, out_.chosen) ||
             is_worse_beyond(candidate, out_.chosen) ||
             is_steep_beyond(task_, judge_, candidate, scale);
    });
    if (stepped.empty()) {
      if (!ablated("steep scales") && !grows_on(task_.folds, out_.chosen, scale)) {
        out_.chosen.shape.steep.push_back(scale);
        out_.chosen.shape.clamps = out_.chosen.shape.steep;
      }
      return;
    }
    out_.tried.insert(out_.tried.end(), stepped.begin(), stepped.end());
    out_.chosen = cautious_choice(task_.spec, task_.folds, stepped,
                                  *std::min_element(stepped.begin(), stepped.end(), scores_better));
  }

  /// Ignores extrapolation folds that hold out all rows above the step: they cannot judge it.
  bool is_worse_beyond(const Candidate& stepped, const Candidate& than) const {
    const Index step = task_.coordinates.step_feature(stepped.shape.step_factors.back());
    const Eigen::MatrixXd& features = task_.coordinates.data().features;
    double loss = 0;
    for (std::size_t f = 0; f < task_.folds.size(); ++f) {
      const Fold& fold = task_.folds[f];
      const auto differs = [&](Index row) {
        return features(row, step) != features(fold.training.front(), step);
      };
      if (fold.is_extrapolation() && std::ranges::any_of(fold.training, differs))
        loss += stepped.log_errors[f] - than.log_errors[f];
    }
    return loss > 0;
  }
};

}  // namespace

Design design_of(const SelectionTask& task, const std::vector<Index>& rows) {
  std::vector<std::size_t> of_design;
  for (const Index row : rows)
    of_design.push_back(task.coordinates.order()[static_cast<std::size_t>(row)]);
  return take_rows(task.training, of_design);
}

bool is_steep_beyond(const SelectionTask& task, const CandidateJudge& judge, const Candidate& sum,
                     std::size_t scale) {
  if (!judge.knows(sum) || distinct_values(task.training, scale).size() < 3)
    return false;
  const Steepness steepness(task.coordinates, scale);
  double excess = 0;  // over the fits to random folds
  double count = 0;
  for (std::size_t f = 0; f < task.folds.size(); ++f) {
    if (task.folds[f].is_extrapolation())
      continue;
    excess += steepness.excess(sum.shape, judge.fit_in(sum, f).theta);
    count += 1;
  }
  return excess / count > kSteep;
}

bool grows_on(const std::vector<Fold>& folds, const Candidate& sum, std::size_t scale) {
  const std::vector<double> gains = gains_of_clamps(folds, sum)[scale];
  return gains.size() > 1 && *std::max_element(gains.begin(), gains.end()) < -kGainOfGrowth;
}

Selection select_shape(const SelectionTask& task, CandidateJudge& judge) {
  return Selector(task, judge).run();
}

}  // namespace perfmodel
