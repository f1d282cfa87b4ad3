#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "fit/sum/finish/sum_finish.hpp"
#include "optimise/lad/sequential_lad.hpp"
#include "optimise/lad/square_rows.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A share of a bound's distance below which a step has arrived there.
constexpr double kSumRounding = 1e-13;

/// A sum under a loss of absolute errors.
class LinearisedSum : public LinearisedRows {
 public:
  LinearisedSum(const TermData& data, const SumShape& shape, const SumGoal& goal,
                InstructionSet instructions)
      : data_(data), shape_(shape), goal_(goal), instructions_(instructions) {
    weights_ = VectorXd::Constant(data.rows(), 1 / static_cast<double>(data.rows()));
    if (goal.loss() == Loss::mape)
      weights_.array() /= data.time.array();
  }

  double cost(const VectorXd& x) const override {
    const VectorXd total = parts(x).total;
    if (!total.allFinite())
      return std::numeric_limits<double>::infinity();
    return weights_.dot((data_.time - total).cwiseAbs()) + goal_.penalty(x);
  }

  void linearise_at(const VectorXd& x) override {
    at_ = x;
    const SumParts parts = this->parts(x);
    predicted_ = parts.total;
    jacobian_.resize(data_.rows(), shape_.size());
    for (Index k = 0; k < shape_.terms; ++k) {
      jacobian_.middleCols(k * shape_.features(), shape_.features()) =
          data_.features.leftCols(shape_.features()).array().colwise() * parts.terms.col(k).array();
    }
    for (const auto& [follower, leader] : shape_.followers())
      jacobian_.col(leader) += jacobian_.col(follower);
    if (shape_.intercept)
      jacobian_.rightCols(1).setOnes();
  }

  optimise::LadProblem problem(double radius, double& constant) const override {
    optimise::LadProblem out;
    set_box(radius, out);
    const Index penalised = goal_.penalised().rows();
    const Index l1_rows = goal_.l1() > 0 ? penalised : 0;
    const Index l2_rows = goal_.l2() > 0 ? penalised * optimise::kSquareRows : 0;
    const Index rows = data_.rows();
    out.matrix.resize(rows + l1_rows + l2_rows, shape_.size());
    out.response.resize(out.matrix.rows());
    out.weights.resize(out.matrix.rows());
    out.linear = VectorXd::Zero(shape_.size());
    out.matrix.topRows(rows) = jacobian_;
    out.response.head(rows) = data_.time - predicted_;
    out.weights.head(rows) = weights_;
    constant = 0;
    const VectorXd u = penalised > 0 ? VectorXd(goal_.penalised() * at_) : VectorXd();
    if (l1_rows > 0) {
      out.matrix.middleRows(rows, l1_rows) = goal_.penalised();
      out.response.segment(rows, l1_rows) = -u;
      out.weights.segment(rows, l1_rows).setConstant(goal_.l1());
    }
    if (l2_rows > 0)
      add_squared_penalty(rows + l1_rows, u, out, constant);
    return out;
  }

  VectorXd correction(const optimise::LadResult& step, const VectorXd& trial) const override {
    const VectorXd predicted = parts(trial).total;
    VectorXd raises = VectorXd::Zero(index(step.active_rows.size()));
    for (std::size_t k = 0; k < step.active_rows.size(); ++k) {
      const Index row = step.active_rows[k];
      if (row < data_.rows())  // else one of the penalty
        raises[index(k)] = data_.time[row] - predicted[row];
    }
    return step.vertex->change_for(raises);
  }

  VectorXd inside(const VectorXd& x, double) const override {
    const VectorXd& lower = goal_.box().lower;
    const VectorXd& upper = goal_.box().upper;
    VectorXd out = x.cwiseMax(lower).cwiseMin(upper);
    for (Index j = 0; j < out.size(); ++j)
      if (out[j] - lower[j] < kSumRounding * (upper[j] - lower[j]))
        out[j] = lower[j];
      else if (upper[j] - out[j] < kSumRounding * (upper[j] - lower[j]))
        out[j] = upper[j];
    return out;
  }

  double length(const VectorXd& step) const override {
    const Index curved = shape_.terms * shape_.features();
    return curved == 0 ? 0 : step.head(curved).cwiseAbs().maxCoeff();
  }

 private:
  const TermData& data_;
  const SumShape& shape_;
  const SumGoal& goal_;
  InstructionSet instructions_;
  VectorXd weights_;
  VectorXd at_;
  VectorXd predicted_;
  optimise::RowMajorMatrix jacobian_;

  SumParts parts(const VectorXd& x) const {
    return evaluate_sum(data_, shape_, search_coordinates(shape_, x), instructions_);
  }

  /// The trust region holds all but C, in which the sum is linear.
  void set_box(double radius, optimise::LadProblem& out) const {
    VectorXd reach = VectorXd::Constant(shape_.size(), radius);
    if (shape_.intercept)
      reach[reach.size() - 1] = std::numeric_limits<double>::infinity();
    out.bounds.lower = (goal_.box().lower - at_).cwiseMax(-reach).cwiseMin(0);
    out.bounds.upper = (goal_.box().upper - at_).cwiseMin(reach).cwiseMax(0);
  }

  /// l2 (u + v)^2, v = g'd: the linear part is exact.
  void add_squared_penalty(Index row, const VectorXd& u, optimise::LadProblem& out,
                           double& constant) const {
    const VectorXd reach = out.bounds.upper.cwiseMax(-out.bounds.lower);
    for (Index k = 0; k < u.size(); ++k) {
      const VectorXd direction = goal_.penalised().row(k);
      out.linear += 2 * goal_.l2() * u[k] * direction;
      constant -= goal_.l2() * u[k] * u[k];
      const double reached =
          direction.cwiseAbs().dot((direction.array() == 0).select(0, reach.array()).matrix());
      optimise::put_square(direction, goal_.l2(), reached, row + k * optimise::kSquareRows, out,
                           constant);
    }
  }
};

}  // namespace

SumFit finish_absolute(const TermData& data, const SumShape& shape, const SumGoal& goal,
                       const SumFit& start, const DescentOptions& options, double gap_to_stop) {
  LinearisedSum sum(data, shape, goal, options.instructions);
  const SequentialLadResult end = minimise_by_sequential_lad(
      sum, finish_coordinates(shape, goal, start.theta), gap_to_stop, options.stop);
  return {search_coordinates(shape, end.at), end.cost, end.evaluations, end.relative_gap};
}

}  // namespace perfmodel
