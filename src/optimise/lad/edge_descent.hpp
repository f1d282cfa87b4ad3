#pragma once

#include <Eigen/Core>
#include <stop_token>
#include <vector>

#include "optimise/lad/kinks.hpp"
#include "optimise/lad/lad_basis.hpp"
#include "optimise/lad/least_absolute_deviations.hpp"

namespace perfmodel::optimise {

/// The descent along the edges of a LadProblem's cost, from vertex to vertex.
class EdgeDescent {
 public:
  /// Begins at `start`, or where the options' active rows have no residual if that is a vertex in
  /// the box.
  EdgeDescent(const LadProblem& problem, const Eigen::VectorXd& start, const LadOptions& options);

  /// One edge. False where no edge descends: the vertex is optimal.
  bool step();

  /// The vertex of the unperturbed problem and its certificate.
  LadResult result();

 private:
  const LadProblem& problem_;
  Eigen::Index rows_;
  Eigen::Index columns_;
  Eigen::VectorXd x_;
  Eigen::VectorXd response_;
  Eigen::VectorXd residual_;
  Eigen::VectorXd gradient_;      ///< of the cost without the rows that the basis holds
  Eigen::VectorXd column_scale_;  ///< the largest slope a coordinate can have
  std::stop_token stop_;
  LadBasis basis_;
  std::vector<Kink> kinks_;
  std::size_t pivots_ = 0;

  void start_at_vertex(const std::vector<Eigen::Index>& rows, const std::stop_token& stop);

  double hold_weight(Eigen::Index k) const;
  Eigen::Index choose_leaving(const Eigen::VectorXd& slope) const;

  struct BoundAhead;
  BoundAhead nearest_bound(Eigen::Index leaving, const Eigen::VectorXd& direction) const;
  void collect_kinks(const Eigen::VectorXd& change, double limit);
  void move(Eigen::Index leaving, const Eigen::VectorXd& direction, double slope);
  void turn(Eigen::Index row, double times);
  void release(Eigen::Index leaving, const Eigen::VectorXd& change);
  void advance(Eigen::Index leaving, const Eigen::VectorXd& direction,
               const Eigen::VectorXd& change, double length);

  void factorise();
  void refresh_gradient();
  Eigen::VectorXd multipliers() const;
};

}  // namespace perfmodel::optimise
