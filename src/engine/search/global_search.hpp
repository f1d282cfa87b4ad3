#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "optimise/differential_evolution.hpp"
#include "perfmodel/model.hpp"
#include "search/eq4_kernel.hpp"
#include "search/scaled_model.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

struct Fitter;

/// A model whose columns of many levels have their levels merged into few groups, for the search to
/// explore: differential evolution fails in hundreds of dimensions. Eq. (4) is linear in the
/// levels' coefficients, so that local refinement easily separates the levels again.
///
/// Levels with similar geometric mean times form a group; all groups have about the same number of
/// rows.
class LevelGroups {
 public:
  /// Returns nullopt if no column has many levels.
  static std::optional<LevelGroups> make(const ModelSpec& spec, const WeightedRows& rows);

  /// The spec of the grouped model; group() converts rows to it.
  const ModelSpec& spec() const { return spec_; }
  WeightedRows group(const WeightedRows& rows) const;

  /// Constants of the full model from those of the grouped one: each level gets its group's.
  VectorXd of_levels(const VectorXd& of_groups) const;

 private:
  ModelSpec spec_;
  Eq4Layout layout_;
  /// Per column and level; empty if the levels are not grouped.
  std::vector<std::vector<std::uint32_t>> group_of_;
  std::vector<std::size_t> levels_;  ///< number of levels per column

  explicit LevelGroups(ModelSpec spec) : spec_(std::move(spec)), layout_(spec_) {}
};

/// Loss plus penalty of Eq. (4) over the training rows, as a function of search coordinates.
class Objective {
 public:
  Objective(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
            const FitOptions& options);

  /// The signature of optimise::BatchObjective.
  void operator()(const Eigen::Ref<const MatrixXd>& candidates,
                  std::span<const double> abandon_above, std::span<double> costs) const;

 private:
  /// A sum of row losses above which the loss is certain to exceed `loss`.
  double sum_above_loss(double loss) const;

  const SearchSpace& space_;
  Regulariser penalty_;
  SignedLoss loss_;
  double total_weight_;
  double scatter_;
  kernel::Plan plan_;
  kernel::Evaluator evaluator_;
};

/// The same rows with at most 128 distinct values in each numeric column, so that the kernel of the
/// search looks powers up instead of computing them in every row. Values are replaced by the
/// geometric mean of their interval of equal width in ln, so that I^p is off by at most a factor
/// exp(|p| * width). Columns with fewer values are unchanged.
Design round_columns(const Design& design);

/// Options of differential evolution: the user's, else the defaults of the method. Each start has
/// its own seed, and only the first one shows its progress.
optimise::DifferentialEvolutionOptions search_options(const FitOptions& options,
                                                      std::size_t start = 0);

/// True if local refinement follows; the paper's method has scipy's instead.
bool polishes(const FitOptions& options);

/// Number of rows on which a search explores: the user's, else the default of the method.
std::size_t exploration_rows_of(const FitOptions& options);

/// Draws `wanted` random rows; nullopt if that is 0 (no limit) or all of them. For one seed, larger
/// samples contain the smaller ones.
std::optional<WeightedRows> random_sample(const WeightedRows& training, std::size_t wanted,
                                          std::uint64_t seed);

/// True if there are too many numeric columns for differential evolution: their powers have
/// thousands of combinations, each with a local optimum.
bool has_many_powers(const SearchSpace& space);

/// One search and its local refinement.
struct Start {
  optimise::DifferentialEvolutionResult search;
  VectorXd of_search;  ///< the constants that the search found
  Optimum finish;
};

/// The best of the starts, and the evaluations of all.
struct Explored {
  Start best;
  std::size_t evaluations = 0;
};

/// Runs the independent searches, in parallel, of which the options say how many.
Explored best_start(const FitOptions& options, const std::function<Start(std::size_t)>& run);

/// What of the options of a fit its model keeps.
SearchSummary summary_of(const FitOptions& options);

/// Fills constants, search and errors of a model. `constants_of`: from the constants of search and
/// refinement to those of the model.
void describe_search(const Explored& found, const Design& training, const FitOptions& options,
                     const PenaltyTerms& penalty,
                     const std::function<VectorXd(const VectorXd&)>& constants_of,
                     FittedModel& model);

/// Searches on a sample of the rows and on rounded columns; local refinement uses exact values.
Explored explore(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                 const FitOptions& options);

/// explore() on groups of levels; the constants are those of the full model.
Explored explore(const LevelGroups& groups, const WeightedRows& rows, const FitOptions& options);

/// Fits Eq. (4): differential evolution on a sample of the rows, then local refinement on all.
FittedModel fit_eq4(const ModelSpec& spec, const Design& training, const FitOptions& options);
const Fitter& eq4_fitter();

}  // namespace perfmodel
