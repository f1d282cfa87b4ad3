#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "fit/sum_terms.hpp"
#include "fit/term_choice.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;

constexpr std::size_t kMostLevels = 16;
constexpr std::size_t kFewestRows = 30;
/// Rows of each level for every feature of a term.
constexpr std::size_t kRowsPerFeature = 3;
/// What each level is tried with at first.
constexpr Index kFirstTerms = 3;
constexpr double kFirstRidges[] = {1e-4, 1e-3};
/// In the close look: of each level, and of all.
constexpr std::size_t kRowsOfLevel = 1000;
constexpr std::size_t kRowsOfAll = 5000;
constexpr std::size_t kFewestTrainingRows = 6;

/// Categorical columns whose levels all have training rows enough for terms of their own.
std::vector<std::size_t> possible_columns(const SelectionTask& task) {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < task.training.categorical.size(); ++c) {
    const LevelFactor& factor = task.training.categorical[c];
    const auto features =
        static_cast<std::size_t>(task.coordinates.plain_features() -
                                 task.coordinates.inputs()[task.spec.intrinsic.size() + c].second);
    std::vector<std::size_t> rows(factor.levels, 0);
    for (const std::uint32_t code : factor.codes)
      ++rows[code];
    const std::size_t fewest = *std::min_element(rows.begin(), rows.end());
    if (factor.levels > 1 && factor.levels <= kMostLevels &&
        fewest >= std::max(kFewestRows, kRowsPerFeature * features))
      out.push_back(c);
  }
  return out;
}

std::vector<std::unique_ptr<PartedLevel>> part(const SelectionTask& task, std::size_t column) {
  std::vector<std::unique_ptr<PartedLevel>> out;
  for (std::size_t level = 0; level < task.training.categorical[column].levels; ++level)
    out.push_back(std::make_unique<PartedLevel>(task, column, level));
  return out;
}

/// The folds of the whole as far as they concern one level.
struct LevelFolds {
  std::vector<Fold> folds;
  std::vector<std::size_t> of_whole;  ///< their indices there
};

std::vector<Index> rows_in(const PartedLevel& level, const std::vector<Index>& rows) {
  std::vector<Index> out;
  for (const Index row : rows)
    if (const auto own = level.rows()[static_cast<std::size_t>(row)])
      out.push_back(*own);
  std::sort(out.begin(), out.end());
  return out;
}

LevelFolds folds_of(const PartedLevel& level, const std::vector<Fold>& whole) {
  LevelFolds out;
  for (std::size_t f = 0; f < whole.size(); ++f) {
    Fold fold{rows_in(level, whole[f].training), rows_in(level, whole[f].held_out), whole[f].scale};
    if (fold.training.size() < kFewestTrainingRows || fold.held_out.empty())
      continue;
    out.folds.push_back(std::move(fold));
    out.of_whole.push_back(f);
  }
  return out;
}

/// The errors of the levels put together, each weighing by its held-out rows. Where a level had too
/// few rows to train on, its predictions count as useless.
class JoinedErrors {
 public:
  explicit JoinedErrors(const std::vector<Fold>& folds)
      : folds_(folds), rows_(folds.size(), 0), errors_(folds.size(), 0) {}

  void add(const LevelFolds& level, const std::vector<double>& log_errors) {
    for (std::size_t i = 0; i < level.folds.size(); ++i) {
      const auto rows = static_cast<double>(level.folds[i].held_out.size());
      rows_[level.of_whole[i]] += rows;
      errors_[level.of_whole[i]] += rows * mean_error(log_errors[i]);
    }
  }

  Candidate candidate() const {
    Candidate out;
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const auto all = static_cast<double>(folds_[f].held_out.size());
      out.log_errors.push_back(
          log_of_mean_error((errors_[f] + kLargestError * (all - rows_[f])) / all));
    }
    set_score(folds_, out);
    return out;
  }

 private:
  const std::vector<Fold>& folds_;
  std::vector<double> rows_;
  std::vector<double> errors_;
};

/// The best of a few simple shapes for each level.
Candidate first_look(const Parting& parting, const std::vector<Fold>& folds) {
  JoinedErrors joined(folds);
  for (const auto& level : parting.levels) {
    const LevelFolds own = folds_of(*level, folds);
    std::vector<Candidate> candidates(std::size(kFirstRidges));
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      candidates[c].shape = plain_shape(level->task(), kFirstTerms, false);
      const std::vector<Regime>& regimes = level->task().coordinates.regimes();
      for (std::size_t g = 0; g < regimes.size(); ++g)
        if (regimes[g].numeric < level->task().spec.extrinsic.size() && regimes[g].above <= 1)
          candidates[c].shape.regimes.push_back(static_cast<Index>(g));
      candidates[c].ridge = kFirstRidges[c];
    }
    const std::vector<Candidate> judged =
        own.folds.empty() ? std::vector<Candidate>{}
                          : CandidateJudge(level->task(), own.folds)(candidates);
    const auto best =
        std::min_element(judged.begin(), judged.end(),
                         [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
    if (best != judged.end())
      joined.add(own, best->log_errors);
  }
  return joined.candidate();
}

/// A parting that is as good as the whole at first look.
struct Prospect {
  Parting parting;
  std::vector<Fold> folds;
  Candidate whole;  ///< judged by these folds
  double gain = 0;  ///< of the score at first look
};

/// What was chosen for all rows, judged by folds of as many rows as a parting is looked at with:
/// few numbers of rows stand for many columns.
class JudgedWhole {
 public:
  JudgedWhole(const SelectionTask& task, const Candidate& chosen) : task_(task), chosen_(chosen) {}

  struct Judged {
    std::vector<Fold> folds;
    Candidate whole;
  };

  const Judged& at(std::size_t most_rows) {
    const std::size_t rows = std::min(most_rows, task_.training.rows);
    const auto known = judged_.find(rows);
    if (known != judged_.end())
      return known->second;
    Judged out;
    out.folds = make_folds(task_.coordinates, task_.spec, rows, task_.options.seed);
    const std::vector<Candidate> judged = CandidateJudge(task_, out.folds)({chosen_});
    if (!judged.empty())  // else a stop was requested
      out.whole = judged.back();
    return judged_.emplace(rows, std::move(out)).first->second;
  }

 private:
  const SelectionTask& task_;
  const Candidate& chosen_;
  std::map<std::size_t, Judged> judged_;
};

/// The most promising first, whatever the order of the columns in the file.
std::vector<Prospect> prospects(const SelectionTask& task, const Selection& selection) {
  JudgedWhole judged(task, selection.chosen);
  std::vector<Prospect> out;
  for (const std::size_t column : possible_columns(task)) {
    Parting parting{column, part(task, column), {}};
    const auto& [folds, whole] =
        judged.at(std::min(kRowsOfAll, kRowsOfLevel * parting.levels.size()));
    if (task.options.stop.stop_requested())
      return {};
    const Candidate parted = first_look(parting, folds);
    if (as_good_where_measured(folds, parted, whole))
      out.push_back({std::move(parting), folds, whole, whole.score - parted.score});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Prospect& a, const Prospect& b) { return a.gain > b.gain; });
  return out;
}

}  // namespace

PartedLevel::PartedLevel(const SelectionTask& whole, std::size_t column, std::size_t level)
    : options_(whole.options),
      runs_(runs_of_level(whole.spec, whole.training, column, level)),
      coordinates_(runs_.spec, runs_.training, possible_regimes(runs_.spec, runs_.training)) {
  std::vector<std::optional<Index>> of_design(whole.training.rows);
  std::vector<Index> own(runs_.training.rows);
  for (std::size_t row = 0; row < own.size(); ++row)
    own[coordinates_.order()[row]] = static_cast<Index>(row);
  std::size_t next = 0;
  for (std::size_t row = 0; row < whole.training.rows; ++row)
    if (whole.training.categorical[column].codes[row] == level)
      of_design[row] = own[next++];
  for (const std::size_t row : whole.coordinates.order())
    rows_.push_back(of_design[row]);
}

std::optional<Parting> parting_that_pays(const SelectionTask& task, const Selection& selection) {
  if (selection.folds.empty())
    return std::nullopt;
  for (Prospect& prospect : prospects(task, selection)) {
    Parting out = std::move(prospect.parting);
    JoinedErrors joined(prospect.folds);
    for (const auto& level : out.levels) {
      const LevelFolds own = folds_of(*level, prospect.folds);
      out.selections.push_back(select_shape_of_level(level->task(), own.folds));
      if (task.options.stop.stop_requested())
        return std::nullopt;  // a selection that was cut short has no errors to compare
      if (!own.folds.empty())
        joined.add(own, out.selections.back().chosen.log_errors);
    }
    if (better_where_measured(prospect.folds, joined.candidate(), prospect.whole))
      return out;
  }
  return std::nullopt;
}

}  // namespace perfmodel
