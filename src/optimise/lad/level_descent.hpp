#pragma once

#include <Eigen/Core>
#include <stop_token>
#include <vector>

#include "optimise/lad/bordered_basis.hpp"
#include "optimise/lad/kinks.hpp"
#include "optimise/lad/least_absolute_deviations.hpp"

namespace perfmodel::optimise {

/// The descent along the edges of the cost of a LadProblem with levels: as EdgeDescent, but an edge
/// that moves one level alone is a weighted median of that level's rows and costs no more than
/// they do. Such edges are followed wherever one descends; the others only where none does.
class LevelDescent {
 public:
  /// Begins at `start`, or where the options' active rows have no residual if that is a vertex in
  /// the box.
  LevelDescent(const LadProblem& problem, const Eigen::VectorXd& start, const LadOptions& options);

  /// Every level to where it alone cannot improve, then one edge of the border. False where none
  /// descends: the vertex is optimal.
  bool step();

  /// The vertex of the unperturbed problem and its certificate.
  LadResult result();

 private:
  const LadProblem& problem_;
  Eigen::VectorXd response_;
  BorderedVector x_;
  BorderedVector lower_;
  BorderedVector upper_;
  Eigen::VectorXd residual_;
  BorderedVector gradient_;      ///< of the cost without the rows that the basis holds
  BorderedVector column_scale_;  ///< the largest slope a coordinate can have
  /// The rows of level l are rows_[rows_begin_[l]] .. rows_[rows_begin_[l + 1]].
  std::vector<Eigen::Index> rows_;
  std::vector<std::size_t> rows_begin_;
  BorderedBasis basis_;
  std::vector<Kink> kinks_;
  std::size_t border_pivots_ = 0;

  BorderedVector parted(const Eigen::VectorXd& x) const;
  double& coordinate(Eigen::Index j);
  double bound(Eigen::Index j, Hold hold) const;
  void list_rows();
  void start_at_vertex(const std::vector<Eigen::Index>& rows, const std::stop_token& stop);

  double hold_weight(Eigen::Index k) const;
  double descent_of(Eigen::Index k, double slope) const;
  void settle_level(Eigen::Index level);
  bool pivot_border();
  void move_alone(Eigen::Index level, double slope);
  void move_together(Eigen::Index leaving, const BorderedVector& direction, double slope);
  void add_kink(Eigen::Index row, double change, double tiny, double limit);
  void turn(Eigen::Index row, double times);
  void release(Eigen::Index leaving, double change);

  Eigen::VectorXd change_of(const BorderedVector& direction) const;
  void factorise();
  void refresh_residual();
  void refresh_gradient();
  Eigen::VectorXd multipliers() const;
};

}  // namespace perfmodel::optimise
