#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fit/generic_kernel.hpp"
#include "fit/losses.hpp"
#include "fit/scaled_model.hpp"
#include "fit/search_space.hpp"
#include "optimise/differential_evolution.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

/// Columns of many levels with their levels put into few groups, for the search to explore on: in
/// hundreds of dimensions a population finds nothing, and Eq. (4) is linear in the levels'
/// coefficients, so that an exact finish has no trouble to part them again.
///
/// Levels whose times are alike in the geometric mean are in one group; the groups have about the
/// same number of rows each.
class LevelGroups {
 public:
  /// Nothing where no column has many levels.
  static std::optional<LevelGroups> make(const ModelSpec& spec, const WeightedRows& rows);

  /// The model of the groups, and its rows.
  const ModelSpec& spec() const { return spec_; }
  WeightedRows group(const WeightedRows& rows) const;

  /// Constants of that model as those of the whole one: each level has its group's.
  Eigen::VectorXd of_levels(const Eigen::VectorXd& of_groups) const;

 private:
  ModelSpec spec_;
  GenericLayout layout_;
  /// Per column and level; empty where the levels are not grouped.
  std::vector<std::vector<std::uint32_t>> group_of_;
  std::vector<std::size_t> levels_;  ///< of each column

  explicit LevelGroups(ModelSpec spec) : spec_(std::move(spec)), layout_(spec_) {}
};

/// Loss plus penalty of Eq. (4) over the training rows, as a function of search coordinates.
class Objective {
 public:
  Objective(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
            const FitOptions& options);

  /// The signature of optimise::BatchObjective.
  void operator()(const Eigen::Ref<const Eigen::MatrixXd>& candidates,
                  std::span<const double> abandon_above, std::span<double> costs) const;

 private:
  double loss_of_sum(double sum) const;
  /// A sum of row losses from which on the loss is surely greater.
  double sum_above_loss(double loss) const;

  const SearchSpace& space_;
  Regulariser penalty_;
  Loss loss_;
  double total_weight_;
  double scatter_;
  kernel::Plan plan_;
  kernel::Evaluator evaluator_;
};

/// The same rows with at most 128 distinct values in each numeric column, for the search to explore
/// on: the kernel then looks powers up that it would have to compute in every row. Intervals of
/// equal width in ln, each with the geometric mean of its values, so that no I^p is off by more
/// than |p| times half that width. Columns of fewer values stay as they are.
Design round_columns(const Design& design);

/// What differential evolution is told: what was asked for, else the defaults of the method.
optimise::DifferentialEvolutionOptions search_options(const FitOptions& options);

/// Whether an exact finish follows; the paper's method has scipy's instead.
bool polishes(const FitOptions& options);

/// `wanted` random rows, where that is not all of them; larger samples of a seed hold the smaller
/// ones.
std::optional<WeightedRows> random_sample(const WeightedRows& training, std::size_t wanted,
                                          std::uint64_t seed);

/// One search and its finish.
struct Start {
  optimise::DifferentialEvolutionResult search;
  Optimum finish;
};

/// The best of the starts, in constants of the whole model.
struct Explored {
  Start best;
  Eigen::VectorXd of_search;  ///< where its search ended
  Eigen::VectorXd of_finish;
  std::size_t evaluations = 0;
};

/// On a sample of the rows and on rounded columns, where an exact finish makes up for what that
/// does to the search.
Explored explore(const WeightedRows& rows, const SearchSpace& space, const Regulariser& penalty,
                 const FitOptions& options, std::size_t exploration_rows);

/// The same, on groups of levels.
Explored explore(const LevelGroups& groups, const WeightedRows& rows, const FitOptions& options,
                 std::size_t exploration_rows);

/// Fits Eq. (4): differential evolution on a sample of the rows, then an exact finish on all.
FittedModel fit_generic(const ModelSpec& spec, const Design& training, const FitOptions& options);

}  // namespace perfmodel
