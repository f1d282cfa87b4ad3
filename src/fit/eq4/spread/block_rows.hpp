#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fit/eq4/finish/scaled_model.hpp"
#include "fit/eq4/finish/squared_rows.hpp"
#include "fit/eq4/space/search_space.hpp"
#include "fit/eq4/spread/question.hpp"
#include "fit/task/weighted_rows.hpp"
#include "perfmodel/fit/task/fit_options.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// One of the blocks that rows are spread in: answers what is asked of it. Answers are of runs, not
/// of means, so that those of all blocks add up.
class BlockRows {
 public:
  /// `number` says which of the ids are its own; the space outlives this.
  BlockRows(std::size_t number, Design rows, const SearchSpace& space, Loss loss);
  BlockRows(const BlockRows&) = delete;
  BlockRows& operator=(const BlockRows&) = delete;

  Answer answer(const Question& question);

  std::uint64_t runs() const { return design_.total_runs(); }
  std::size_t rows() const { return rows_.size(); }

 private:
  Eigen::Index first_id_;
  Design design_;
  WeightedRows rows_;
  const SearchSpace& space_;
  Loss loss_;
  double scale_;  ///< runs per unit of the weights of rows_
  ScaledModel model_;
  SquaredRowsHere squared_;
  Eigen::VectorXd weights_;  ///< of the deviations of an absolute loss
  Eigen::VectorXd at_;       ///< of the step under way
  std::vector<char> keeps_kink_;

  bool is_own(Eigen::Index id) const;
  Eigen::VectorXd residuals(const Eigen::VectorXd& at) const;
  double loss(const Eigen::VectorXd& at) const;
  Eigen::VectorXd square_sums(const Question& question) const;
  Eigen::VectorXd idle_slopes(const Question& question) const;
  Eigen::VectorXd curvature(const Question& question) const;
  Eigen::VectorXd pull(const Question& question) const;
  Answer near_kink(const Question& question);
  Answer wrong_sign(const Question& question);
  Eigen::VectorXd residuals_of(const Question& question) const;
};

/// Sums as they stand in an answer, and the way back to those of so many constants, of which the
/// levels of `like` stand apart.
Eigen::VectorXd flat(const std::vector<const ArrowMatrix*>& matrices);
std::vector<ArrowMatrix> matrices_of(const Eigen::VectorXd& flat, std::size_t count,
                                     const ArrowMatrix& like);

}  // namespace perfmodel
