#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "choice/term_choice.hpp"
#include "forms/eq4_form.hpp"
#include "search/global_search.hpp"

namespace perfmodel {
namespace {

/// Errors well below this count as equal.
constexpr double kSmallestError = 1e-3;

}  // namespace

double log_of_mean_error(double mean) {
  return std::log(kSmallestError + mean);
}

double mean_error(double log_error) {
  return std::exp(log_error) - kSmallestError;
}

double held_out_error(const Eigen::VectorXd& measured, const Eigen::VectorXd& predicted) {
  const Eigen::ArrayXd ratio = predicted.array() / measured.array();
  double sum = 0;
  for (const double r : ratio) {
    const double error = std::abs(std::log(r));
    sum += error < kLargestError ? error : kLargestError;  // also clamps NaN
  }
  return log_of_mean_error(sum / static_cast<double>(ratio.size()));
}

namespace {

/// Weights of the folds in a score: 0.5 in all for the random folds, 0.5 for the extrapolation
/// folds. Random folds alone weigh 1.
std::vector<double> fold_weights(const std::vector<Fold>& folds) {
  const auto extrapolation_folds = std::count_if(
      folds.begin(), folds.end(), [](const Fold& fold) { return fold.is_extrapolation(); });
  const auto random = static_cast<std::ptrdiff_t>(folds.size()) - extrapolation_folds;
  std::vector<double> out;
  for (const Fold& fold : folds) {
    const double share = extrapolation_folds == 0 ? 1 : 0.5;
    out.push_back(share /
                  static_cast<double>(fold.is_extrapolation() ? extrapolation_folds : random));
  }
  return out;
}

}  // namespace

void set_score(const std::vector<Fold>& folds, Candidate& candidate) {
  const std::vector<double> weights = fold_weights(folds);
  candidate.score = 0;
  for (std::size_t f = 0; f < folds.size(); ++f)
    candidate.score += weights[f] * candidate.log_errors[f];
}

std::optional<double> mean_log_error(const std::vector<Fold>& folds, const Candidate& candidate,
                                     bool extrapolation_folds) {
  double sum = 0;
  double count = 0;
  for (std::size_t f = 0; f < folds.size(); ++f) {
    if (folds[f].is_extrapolation() != extrapolation_folds)
      continue;
    sum += candidate.log_errors[f];
    count += 1;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

namespace {

/// Weighted mean of a - b over the folds, and its standard error.
struct Difference {
  double mean = 0;
  double error = 0;
};

Difference paired_difference(const std::vector<double>& weights, const Candidate& a,
                             const Candidate& b) {
  Difference out;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double count = 0;
  for (std::size_t f = 0; f < weights.size(); ++f) {
    out.mean += weights[f] / all * (a.log_errors[f] - b.log_errors[f]);
    count += weights[f] > 0 ? 1 : 0;
  }
  double sum = 0;
  for (std::size_t f = 0; f < weights.size(); ++f) {
    const double deviation = weights[f] / all * (a.log_errors[f] - b.log_errors[f] - out.mean);
    sum += deviation * deviation;
  }
  out.error = count > 1 ? std::sqrt(sum * count / (count - 1)) : 0;
  return out;
}

/// The difference over the random folds or the extrapolation folds only.
Difference difference_of_part(const std::vector<Fold>& folds, bool is_extrapolation,
                              const Candidate& a, const Candidate& b) {
  std::vector<double> weights;
  for (const Fold& fold : folds)
    weights.push_back(fold.is_extrapolation() == is_extrapolation ? 1 : 0);
  return contains(weights, 1.0) ? paired_difference(weights, a, b) : Difference{};
}

}  // namespace

double standard_error(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b) {
  return paired_difference(fold_weights(folds), a, b).error;
}

bool as_good_as(const std::vector<Fold>& folds, const Candidate& a, const Candidate& b,
                const Allowance& allowance) {
  const auto is_small = [&](const Difference& gap) {
    return gap.mean <= std::max(allowance.in_any_case, std::min(gap.error, allowance.within_error));
  };
  return is_small(difference_of_part(folds, false, a, b)) &&
         is_small(difference_of_part(folds, true, a, b));
}

bool as_good_where_measured(const std::vector<Fold>& folds, const Candidate& a,
                            const Candidate& b) {
  const Difference gap = difference_of_part(folds, false, a, b);
  return gap.mean <= gap.error;
}

namespace {

using Eigen::Index;
using Eigen::VectorXd;

FitOptions eq4_search(const FitOptions& options) {
  FitOptions out = eq4_options(options);
  out.penalty = {};
  out.starts = 1;
  out.be_silent();
  return out;
}

/// The rows of all folds: random ones divide them.
std::vector<Index> rows_of(const std::vector<Fold>& folds) {
  if (folds.empty())
    return {};
  std::vector<Index> out = folds.front().training;
  out.insert(out.end(), folds.front().held_out.begin(), folds.front().held_out.end());
  std::ranges::sort(out);
  return out;
}

/// Differences between candidates on the folds are far larger.
constexpr double kFoldTolerance = 1e-3;

TermSearchOptions fold_search(const FitOptions& options, double ridge) {
  TermSearchOptions out = term_search_options(options, ridge);
  out.starts = 4;
  out.kept = 1;
  out.laggards_stop = true;
  out.iterations = 40;
  out.tolerance = kFoldTolerance;
  out.threads = 1;
  return out;
}

/// Most constants of a candidate, which is fitted in every fold: of a sum of few terms, and of any
/// other, of which there are no more than one for two configurations.
constexpr std::size_t kMostConstantsOfFewTerms = 1000;
constexpr std::size_t kMostConstantsOfCandidate = 300;

/// Reduces the number of terms to what the configurations and the run time allow.
Candidate affordable(std::size_t configurations, Candidate candidate) {
  const auto most_constants = [&](Index terms) {
    return static_cast<Index>(terms <= kFewTerms
                                  ? std::min(configurations, kMostConstantsOfFewTerms)
                                  : std::min(configurations / 2, kMostConstantsOfCandidate));
  };
  while (!candidate.eq4 && candidate.shape.terms > 1 &&
         candidate.shape.size() > most_constants(candidate.shape.terms))
    candidate.shape = with_terms(candidate.shape, candidate.shape.terms - 1);
  return candidate;
}

/// Number of path entries that reach the candidate.
std::size_t entries(const Candidate& candidate) {
  return candidate.eq4 ? 1 : static_cast<std::size_t>(std::max<Index>(1, candidate.shape.terms));
}

/// Powers of logarithms, without trailing terms that have none.
std::vector<std::vector<int>> log_powers_of(const SumShape& shape) {
  std::vector<std::vector<int>> out = shape.log_powers;
  const auto none = [](const std::vector<int>& powers) {
    return std::all_of(powers.begin(), powers.end(), [](int r) { return r == 0; });
  };
  while (!out.empty() && none(out.back()))
    out.pop_back();
  return out;
}

/// True if a term with these powers of logarithms is 0 in a row.
bool is_zero(const std::vector<int>& log_powers, const TermData& data, Index row) {
  for (std::size_t n = 0; n < log_powers.size(); ++n)
    if (log_powers[n] != 0 && std::isinf(data.log_logs(row, static_cast<Index>(n))))
      return true;
  return false;
}

/// True if every row can have a time > 0. Without C and with log2(1) = 0 as a factor of all terms,
/// some rows have time 0 and no fit converges.
bool has_times(const SumShape& shape, const TermData& data) {
  if (shape.intercept || log_powers_of(shape).size() < static_cast<std::size_t>(shape.terms))
    return true;
  for (Index row = 0; row < data.rows(); ++row)
    if (std::all_of(shape.log_powers.begin(), shape.log_powers.end(),
                    [&](const std::vector<int>& powers) { return is_zero(powers, data, row); }))
      return false;
  return true;
}

/// The held-out rows of an extrapolation fold with the scale clamped to the largest training value.
TermData as_at_largest(const TermCoordinates& coordinates, const Fold& fold) {
  const Index feature = coordinates.numeric_features()[*fold.scale];
  const TermData& all = coordinates.data();
  const Index largest = *std::max_element(
      fold.training.begin(), fold.training.end(),
      [&](Index a, Index b) { return all.features(a, feature) < all.features(b, feature); });
  TermData out = take_rows(all, fold.held_out);
  for (Index row = 0; row < out.rows(); ++row)
    coordinates.copy_numeric(out, row, *fold.scale, all, largest);
  return out;
}

/// True if both are of one kind, and sums have the same coordinates and signs, up to further steps
/// of the first: the fits of one are near those of the other.
bool is_near(const Candidate& a, const Candidate& b) {
  const bool of_a_kind = a.eq4 == b.eq4 && (a.shape.terms == 0) == (b.shape.terms == 0);
  if (!of_a_kind || a.eq4 || a.shape.terms == 0)
    return of_a_kind;
  return a.shape.intercept == b.shape.intercept && a.shape.shared == b.shape.shared &&
         a.shape.signs == b.shape.signs && a.shape.left_out == b.shape.left_out &&
         a.shape.step_factors.size() >= b.shape.step_factors.size() &&
         std::ranges::equal(b.shape.step_factors,
                            std::span(a.shape.step_factors).first(b.shape.step_factors.size()));
}

/// True if the candidates are equal except for ridge and number of terms.
bool alike(const Candidate& a, const Candidate& b) {
  return is_near(a, b) && (a.eq4 || a.shape.terms == 0 ||
                           (a.shape.step_factors == b.shape.step_factors &&
                            a.shape.pure_logarithms == b.shape.pure_logarithms &&
                            a.shape.saturations == b.shape.saturations &&
                            log_powers_of(a.shape) == log_powers_of(b.shape)));
}

/// Least C of a start, as a share of the shortest time: a descent in ln C cannot leave 0.
constexpr double kLeastIntercept = 0.1;

/// The coordinates of a fit as a start of a sum with further steps, which are 0, or other growths.
VectorXd start_from(const SumShape& from, const SumShape& to, const VectorXd& theta,
                    double shortest) {
  VectorXd out = VectorXd::Zero(to.size());
  for (Index k = 0; k < to.terms; ++k)
    out.segment(k * to.features(), from.features()) =
        theta.segment(k * from.features(), from.features());
  if (to.intercept)
    out[out.size() - 1] = std::max(theta[theta.size() - 1], std::log(kLeastIntercept * shortest));
  return to.without_held(std::move(out));
}

}  // namespace

FitOptions eq4_options(FitOptions options) {
  options.form = Eq4Options();
  if (options.loss == Loss::soft_l1)
    options.loss = Loss::mae;
  return options;
}

bool same_family(const Candidate& a, const Candidate& b) {
  return alike(a, b) && (a.eq4 || a.shape.terms == 0 || a.ridge == b.ridge);
}

CandidateJudge::CandidateJudge(const SelectionTask& task)
    : task_(task),
      configurations_(configuration_groups(task.training).count),
      rows_(rows_of(task.folds)),
      eq4_search_(eq4_search(task.options)) {}

std::vector<Candidate> CandidateJudge::operator()(const std::vector<Candidate>& candidates) {
  const std::vector<Asked> asked = families_of(candidates);
  std::vector<std::size_t> folds = indices(task_.folds.size());
  fit(asked, folds);
  std::vector<Candidate> out;
  if (task_.options.stop.stop_requested())
    return out;
  for (const auto& [candidate, family] : asked) {
    for (std::size_t entry = 0; entry < entries(candidate); ++entry) {
      Candidate one = judged(candidate, families_[family], entry);
      if (one.eq4 || has_times(one.shape, task_.coordinates.data()))
        out.push_back(std::move(one));
    }
  }
  return out;
}

std::vector<Candidate> CandidateJudge::better_on(const std::vector<std::size_t>& folds,
                                                 const std::vector<Candidate>& candidates,
                                                 const Candidate& than) {
  const std::vector<Asked> asked = families_of(candidates);
  fit(asked, folds);
  std::vector<Candidate> out;
  if (task_.options.stop.stop_requested())
    return out;
  for (std::size_t c = 0; c < asked.size(); ++c) {
    const auto& [candidate, family] = asked[c];
    double gain = 0;
    for (const std::size_t f : folds)
      gain += than.log_errors[f] - families_[family].of_fold[f].log_errors[entries(candidate) - 1];
    if (gain > 0)
      out.push_back(candidates[c]);
  }
  return out;
}

std::vector<CandidateJudge::Asked> CandidateJudge::families_of(
    const std::vector<Candidate>& candidates) {
  std::vector<Asked> out;
  for (const Candidate& candidate : candidates) {
    Candidate asked = affordable(configurations_, candidate);
    const std::size_t family = family_of(asked);
    out.push_back({std::move(asked), family});
  }
  return out;
}

void CandidateJudge::fit(const std::vector<Asked>& asked, const std::vector<std::size_t>& folds) {
  std::set<std::size_t> distinct;  // several candidates may share a family
  for (const Asked& one : asked)
    distinct.insert(one.family);
  // Families from which others start come first.
  for (const bool starts_from_like : {false, true}) {
    std::vector<std::size_t> touched;
    for (const std::size_t family : distinct)
      if (families_[family].like.has_value() == starts_from_like)
        touched.push_back(family);
    search(touched);
    parallel_for(touched.size() * folds.size(), task_.options.threads, [&](std::size_t job) {
      if (task_.options.stop.stop_requested())
        return;
      const std::size_t f = folds[job % folds.size()];
      Family& own = families_[touched[job / folds.size()]];
      extend(own, f, own.of_fold[f]);
    });
  }
}

void CandidateJudge::search(const std::vector<std::size_t>& families) {
  const std::size_t threads = task_.options.threads;
  const bool one_by_one = families.size() < threads;
  parallel_for(families.size(), one_by_one ? 1 : threads, [&](std::size_t i) {
    Family& own = families_[families[i]];
    if (task_.options.stop.stop_requested() || own.like)
      return;
    if (own.widest.eq4) {
      if (own.eq4 == nullptr) {
        const Design runs = design_of(task_, rows_);
        FitOptions how = eq4_search_;
        how.threads = one_by_one ? threads : 1;
        own.eq4 = eq4_fitter().refit(fit_eq4(task_.spec, runs, how), runs, eq4_search_);
      }
      return;
    }
    TermSearchOptions how = fold_search(task_.options, own.widest.ridge);
    how.threads = one_by_one ? threads : 1;
    extend_path(take_rows(task_.coordinates.data(own.widest.shape), rows_), own.widest.shape, how,
                own.fits);
  });
}

std::size_t CandidateJudge::family_of(const Candidate& candidate) {
  const auto known = std::find_if(families_.begin(), families_.end(), [&](const Family& family) {
    return same_family(family.widest, candidate);
  });
  if (known == families_.end()) {
    families_.push_back(
        {candidate, {}, nullptr, std::vector<FoldPath>(task_.folds.size()), like(candidate)});
    return families_.size() - 1;
  }
  if (entries(candidate) > entries(known->widest))
    known->widest = candidate;
  return static_cast<std::size_t>(known - families_.begin());
}

/// Index of the family whose fits are nearest: of those that were searched for, that with the most
/// steps of the candidate. Nullopt if there is none. With a negative term there are too many optima
/// to start from that of another growth.
std::optional<std::size_t> CandidateJudge::like(const Candidate& candidate) const {
  std::optional<std::size_t> out;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const Family& family = families_[i];
    const bool is_start = candidate.shape.signs.empty() ? is_near(candidate, family.widest)
                                                        : alike(candidate, family.widest);
    if (is_sum(candidate) && is_start && !family.like &&
        entries(family.widest) >= entries(candidate) &&
        (!out || family.widest.shape.step_factors.size() >
                     families_[*out].widest.shape.step_factors.size()))
      out = i;
  }
  return out;
}

namespace {

/// True if the rows lack a level, of a column of few, or have one value only of a step or a number.
bool lack_something(const TermData& rows, const optimise::LevelColumns& many) {
  for (Index j = 1; j < rows.features.cols(); ++j)
    if (rows.features.col(j).minCoeff() == rows.features.col(j).maxCoeff())
      return true;
  return std::ranges::any_of(rows.levels, [&](const auto& column) {
    const auto [first, count] = column;
    if (!many.empty() && first >= many.first)
      return false;
    std::set<std::vector<double>> seen;
    for (Index row = 0; row < rows.rows(); ++row) {
      const VectorXd contrasts = rows.features.row(row).segment(first, count);
      seen.emplace(contrasts.begin(), contrasts.end());
    }
    return index(seen.size()) <= count;
  });
}

/// Share of the mean diagonal that is added to normal equations which rows leave open.
constexpr double kLeastCurvature = 1e-6;

/// Per term the smallest coordinates that say the same of these rows. A start from all rows knows
/// what the held-out ones say of levels and steps that only they have, and a descent, which has no
/// slope there, would keep it.
VectorXd without_unseen(const TermData& rows, const SumShape& shape, VectorXd theta) {
  const optimise::LevelColumns block = rows.level_block();
  for (const optimise::LevelColumns& column : rows.many_levels) {
    std::vector<bool> seen(static_cast<std::size_t>(column.count));
    for (const Index level : column.of_row)
      seen[static_cast<std::size_t>(level)] = true;
    for (Index k = 0; k < shape.terms; ++k)
      for (Index level = 0; level < column.count; ++level)
        if (!seen[static_cast<std::size_t>(level)])
          theta[k * shape.features() + column.first + level] = 0;
  }
  if (!lack_something(rows, block))
    return theta;
  const Eigen::MatrixXd products = rows.features.transpose() * rows.features;
  Eigen::MatrixXd matrix = products;
  matrix.diagonal().tail(matrix.rows() - 1).array() +=  // ln a is open
      kLeastCurvature * products.diagonal().mean();
  const std::vector<bool> held = shape.held();
  for (Index k = 0; k < shape.terms; ++k) {
    auto term = theta.segment(k * shape.features(), shape.features());
    std::vector<bool> still(held.begin() + k * shape.features(),
                            held.begin() + (k + 1) * shape.features());
    still.erase(still.begin() + block.first, still.begin() + block.first + block.count);
    const auto smallest = solve_free(matrix, still, products * block.others(term), {});
    if (smallest)
      term = block.joined(*smallest, block.levels(term));
  }
  return theta;
}

}  // namespace

/// The fits of each number of terms from which those of a family in a fold start.
std::vector<SumFit> CandidateJudge::starts_of(const Family& family, std::size_t fold,
                                              const TermData& training) const {
  if (!family.like) {
    std::vector<SumFit> out = family.fits;
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k].theta =
          without_unseen(training,
                         with_terms(family.widest.shape,
                                    std::min(family.widest.shape.terms, static_cast<Index>(k) + 1)),
                         out[k].theta);
    return out;
  }
  const Family& like = families_[*family.like];
  std::vector<SumFit> out = like.of_fold[fold].fits;
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto terms = static_cast<Index>(k) + 1;
    out[k].theta =
        start_from(with_terms(like.widest.shape, terms), with_terms(family.widest.shape, terms),
                   out[k].theta, task_.coordinates.data().time.minCoeff());
  }
  return out;
}

void CandidateJudge::extend(const Family& family, std::size_t f, FoldPath& path) const {
  const Candidate& candidate = family.widest;
  const Fold& fold = task_.folds[f];
  if (path.log_errors.size() >= entries(candidate))
    return;
  if (candidate.eq4) {
    const Design known = design_of(task_, fold.training);
    FittedModel model;
    model.spec = task_.spec;
    model.constants = (*family.eq4)(known).constants;
    Eq4Form().settle_unseen_levels(known, model);
    path.eq4_constants = model.constants;
    const Design held_out = design_of(task_, fold.held_out);
    path.log_errors.push_back(
        held_out_error(held_out.time, Eq4Form().predict(task_.spec, path.eq4_constants, held_out)));
    return;
  }
  const TermData data = task_.coordinates.data(candidate.shape);
  const TermData training = take_rows(data, fold.training);
  const TermData held_out = take_rows(data, fold.held_out);
  const TermSearchOptions search = fold_search(task_.options, candidate.ridge);
  extend_path(training, candidate.shape, search, path.fits, starts_of(family, f, training));
  for (std::size_t k = path.log_errors.size(); k < path.fits.size(); ++k) {
    const SumShape shape =
        with_terms(candidate.shape, std::min(candidate.shape.terms, static_cast<Index>(k) + 1));
    const auto error_of = [&](const TermData& rows) {
      return held_out_error(rows.time, evaluate_sum(rows, shape, path.fits[k].theta).total);
    };
    path.log_errors.push_back(error_of(held_out));
    if (fold.is_extrapolation())
      path.clamped_log_errors.push_back(
          error_of(task_.coordinates.select(as_at_largest(task_.coordinates, fold), shape)));
  }
}

bool CandidateJudge::knows(const Candidate& candidate) const {
  return std::any_of(
      families_.begin(), families_.end(),
      [&](const Family& family) { return same_family(family.widest, candidate); });
}

const CandidateJudge::FoldPath& CandidateJudge::path_of(const Candidate& candidate,
                                                        std::size_t fold) const {
  const auto first = [&](const auto& matches) {
    return std::find_if(families_.begin(), families_.end(), matches);
  };
  auto known = first([&](const Family& family) { return same_family(family.widest, candidate); });
  if (known == families_.end()) {
    // The first terms of a wider sum, of which a later term has the logarithms.
    known = first([&](const Family& family) {
      Candidate narrower = family.widest;
      narrower.shape =
          with_terms(narrower.shape, std::min(narrower.shape.terms, candidate.shape.terms));
      return same_family(narrower, candidate);
    });
  }
  return known->of_fold[fold];
}

const SumFit& CandidateJudge::fit_in(const Candidate& sum, std::size_t fold) const {
  return path_of(sum, fold).fits[entries(sum) - 1];
}

VectorXd CandidateJudge::constants_in(const Candidate& candidate, std::size_t fold) const {
  return candidate.eq4
             ? path_of(candidate, fold).eq4_constants
             : task_.coordinates.constants(candidate.shape, fit_in(candidate, fold).theta);
}

Candidate CandidateJudge::judged(const Candidate& candidate, const Family& family,
                                 std::size_t entry) const {
  Candidate out = candidate;
  if (!out.eq4 && out.shape.terms > 0)
    out.shape = with_terms(out.shape, static_cast<Index>(entry) + 1);
  out.log_errors.clear();
  out.clamped_log_errors.clear();
  for (const FoldPath& path : family.of_fold) {
    out.log_errors.push_back(path.log_errors[entry]);
    const bool far = entry < path.clamped_log_errors.size();
    out.clamped_log_errors.push_back((far ? path.clamped_log_errors : path.log_errors)[entry]);
  }
  set_score(task_.folds, out);
  return out;
}

}  // namespace perfmodel
