#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <stop_token>
#include <vector>

#include "perfmodel/fit_options.hpp"
#include "search/losses.hpp"
#include "sums/normal_matrix.hpp"
#include "sums/sum_terms.hpp"

namespace perfmodel {

/// The terms of the sum per row, one column each, and the total, which includes C.
struct SumParts {
  MatrixXd terms;
  VectorXd total;
};

/// Terms and total at `theta`. All instruction sets give the same bits.
SumParts evaluate_sum(const TermData& data, const SumShape& shape, const VectorXd& theta,
                      InstructionSet instructions = best_instruction_set());

/// Calls put(row, term, coordinate, x) for all features x that can differ from 0. Shared powers are
/// one coordinate.
template <class Put>
void for_features(const TermData& data, const SumShape& shape, const Put& put) {
  const optimise::LevelColumns block = data.level_block();
  std::vector<Index> leader(static_cast<std::size_t>(shape.size()));
  std::iota(leader.begin(), leader.end(), Index{0});
  for (const auto& [follower, to] : shape.followers())
    leader[static_cast<std::size_t>(follower)] = to;
  for (Index row = 0; row < data.rows(); ++row) {
    for (Index k = 0; k < shape.terms; ++k) {
      const auto at = [&](Index feature) {
        return leader[static_cast<std::size_t>(k * shape.features() + feature)];
      };
      for (Index j = 0; j < data.features.cols(); ++j)
        put(row, k, at(j < block.first ? j : j + block.count), data.features(row, j));
      for (const optimise::LevelColumns& column : data.many_levels)
        put(row, k, at(column.first + column.of_row[static_cast<std::size_t>(row)]), 1.0);
    }
  }
}

/// The derivatives of the total by the coordinates, that by the last being `of_intercept` if there
/// is a C.
optimise::RowMatrix jacobian_of(const TermData& data, const SumShape& shape, const MatrixXd& terms,
                                double of_intercept);

/// Can be shared by descents over the same rows if their shapes have equally many features. Null if
/// a column has many levels: the matrix is then sparse.
std::shared_ptr<const NormalMatrix> normal_matrix_of(const TermData& data, const SumShape& shape,
                                                     InstructionSet instructions,
                                                     const std::stop_token& stop);

struct SumFit {
  VectorXd theta;
  double cost = std::numeric_limits<double>::infinity();
  std::size_t evaluations = 0;
  /// Predicted gain of the last step, as a share of the cost.
  double gap = 0;
};

/// Effort of the search for the constants of one shape.
struct TermSearchOptions {
  std::uint64_t seed = 1;
  std::size_t starts = 8;        ///< short descents in addition to that from the smaller model
  std::size_t kept = 2;          ///< number of starts that are run to convergence
  bool laggards_stop = false;    ///< stops the worse half of the short descents early
  std::size_t iterations = 150;  ///< of a descent to convergence
  double tolerance = 1e-7;  ///< stops if a step's predicted gain is below this share of the cost
  double ridge = 1e-4;
  std::size_t threads = 1;
  InstructionSet instructions = best_instruction_set();
  std::stop_token stop;
};

/// The usual effort.
TermSearchOptions term_search_options(const FitOptions& options, double ridge_strength);

/// How far a descent of absolute errors may move: their kinks make many optima.
enum class Reach {
  far,     ///< kinks are smoothed widely at first, to pass minor optima
  nearby,  ///< the optimum next to the start
};

/// Descends from a search's constants to near an optimum of the user's loss, with its squared
/// penalty and a ridge; the kinks of absolute errors are smoothed over a small share of the mean
/// error.
SumFit approach(const TermData& data, const SumShape& shape, const FitOptions& options,
                double ridge_strength, const VectorXd& start, Reach reach = Reach::far);

/// Fits 1, 2, ..., shape.terms terms under a robust loss of ln(time). For each number of terms,
/// descents start from the previous optimum plus a term and from terms scattered around the
/// log-linear solution; the best is kept. Entry k of the path has k + 1 terms; existing entries are
/// unchanged. A new entry with an entry in `like`, a path for another ridge, starts from that
/// alone.
void extend_path(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                 std::vector<SumFit>& path, const std::vector<SumFit>& like = {});

/// The shape with another number of terms; logarithms stay with the first terms.
SumShape with_terms(const SumShape& shape, Index terms);

}  // namespace perfmodel
