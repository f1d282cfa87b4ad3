#include <cmath>
#include <limits>
#include <utility>

#include "fit/sum/finish/sum_finish.hpp"
#include "fit/sum/kernel/normal_matrix.hpp"
#include "fit/task/loss_value.hpp"
#include "optimise/newton/damped_newton.hpp"

namespace perfmodel {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Derivatives of a loss by the prediction of each row.
struct RowDerivatives {
  ArrayXd slope;
  ArrayXd curvature;
  ArrayXd convex_curvature;  ///< without what bends downwards
};

/// A sum under a loss with two derivatives.
class SmoothSum : public CurvedProblem {
 public:
  SmoothSum(const TermData& data, const SumShape& shape, const SumGoal& goal,
            const DescentOptions& options)
      : data_(data),
        shape_(shape),
        goal_(goal),
        instructions_(options.instructions),
        normal_matrix_(data.features.leftCols(shape.features()), options.instructions, options.stop,
                       data.levels) {}

  double cost(const VectorXd& x) const override {
    const VectorXd total = parts(x).total;
    if (!total.allFinite() || !(total.minCoeff() > 0))
      return std::numeric_limits<double>::infinity();
    return loss_value(goal_.loss(), data_.time, total) + goal_.penalty(x);
  }

  CostParabola quadratic(const VectorXd& x) const override {
    const SumParts at = parts(x);
    const RowDerivatives rows = derivatives(at.total.array());
    Parabola out{gradient(at, rows.slope), hessian(at, rows.curvature),
                 hessian(at, rows.convex_curvature)};
    add_bend(at, rows.slope, out.hessian);
    for (const auto& [follower, leader] : shape_.followers()) {
      out.gradient[leader] += out.gradient[follower];
      for (MatrixXd* const matrix : {&out.hessian, &out.gauss_newton}) {
        matrix->row(leader) += matrix->row(follower);
        matrix->col(leader) += matrix->col(follower);
      }
    }
    if (goal_.loss() == Loss::rmsle)
      take_root(at, out);
    if (goal_.penalised().size() > 0)
      add_penalty(x, out);
    return {std::move(out.gradient), dense_arrow(std::move(out.hessian)),
            dense_arrow(std::move(out.gauss_newton))};
  }

 private:
  /// See CostParabola.
  struct Parabola {
    VectorXd gradient;
    MatrixXd hessian;
    MatrixXd gauss_newton;
  };

  const TermData& data_;
  const SumShape& shape_;
  const SumGoal& goal_;
  InstructionSet instructions_;
  NormalMatrix normal_matrix_;

  SumParts parts(const VectorXd& x) const {
    return evaluate_sum(data_, shape_, search_coordinates(shape_, x), instructions_);
  }

  /// Of the mean over the rows: of the squared logarithms where the loss is their root.
  RowDerivatives derivatives(const ArrayXd& total) const {
    const double share = 1 / static_cast<double>(data_.rows());
    if (goal_.loss() == Loss::mse) {
      const ArrayXd twice = ArrayXd::Constant(data_.rows(), 2 * share);
      return {twice * (total - data_.time.array()), twice, twice};
    }
    const ArrayXd residual = data_.time.array().log() - total.log();
    ArrayXd pull = 2 * share * residual;  // rho'
    ArrayXd bend = ArrayXd::Constant(data_.rows(), 2 * share);
    if (goal_.loss() == Loss::soft_l1) {
      const ArrayXd size = (residual.square() + kSoftness * kSoftness).sqrt();
      pull = share * residual / size;
      bend = share * kSoftness * kSoftness / size.cube();
    }
    return {-pull / total, (bend + pull) / total.square(), bend / total.square()};
  }

  VectorXd gradient(const SumParts& at, const ArrayXd& slope) const {
    VectorXd out(shape_.size());
    const MatrixXd weighted = at.terms.array().colwise() * slope;
    out.head(shape_.terms * shape_.features()) = normal_matrix_.feature_sums(weighted).reshaped();
    if (shape_.intercept)
      out[out.size() - 1] = slope.sum();
    return out;
  }

  /// sum over the rows of c j j', j being the derivatives of the prediction.
  MatrixXd hessian(const SumParts& at, const ArrayXd& c) const {
    const Index size = shape_.terms * shape_.features();
    MatrixXd out(shape_.size(), shape_.size());
    out.topLeftCorner(size, size) = normal_matrix_(at.terms, c);
    if (shape_.intercept) {
      const MatrixXd weighted = at.terms.array().colwise() * c;
      const VectorXd mixed = normal_matrix_.feature_sums(weighted).reshaped();
      out.col(size).head(size) = mixed;
      out.row(size).head(size) = mixed.transpose();
      out(size, size) = c.sum();
    }
    return out;
  }

  /// The second derivatives of the prediction: term times feature times feature, within a term.
  void add_bend(const SumParts& at, const ArrayXd& slope, MatrixXd& hessian) const {
    const Index features = shape_.features();
    const MatrixXd one = MatrixXd::Ones(data_.rows(), 1);
    for (Index k = 0; k < shape_.terms; ++k) {
      hessian.block(k * features, k * features, features, features) +=
          normal_matrix_(one, slope * at.terms.col(k).array());
    }
  }

  /// From the mean square m to its root: d sqrt(m) = dm / (2 sqrt(m)), which bends, too.
  void take_root(const SumParts& at, Parabola& out) const {
    const double root = std::max(1e-300, loss_value(Loss::rmsle, data_.time, at.total));
    out.gradient /= 2 * root;
    out.hessian /= 2 * root;
    out.gauss_newton /= 2 * root;
    out.hessian -= out.gradient * out.gradient.transpose() / root;
  }

  void add_penalty(const VectorXd& x, Parabola& out) const {
    const VectorXd u = goal_.penalised() * x;
    const VectorXd curvature = tangent_curvature(u, goal_.l1(), goal_.l2());
    out.gradient += goal_.penalised().transpose() * curvature.cwiseProduct(u);
    const MatrixXd bend =
        goal_.penalised().transpose() * curvature.asDiagonal() * goal_.penalised();
    out.hessian += bend;
    out.gauss_newton += bend;
  }
};

}  // namespace

SumFit finish_smooth(const TermData& data, const SumShape& shape, const SumGoal& goal,
                     const SumFit& start, const DescentOptions& options, double gap_to_stop) {
  const SmoothSum sum(data, shape, goal, options);
  const DampedNewtonResult end = minimise_by_damped_newton(
      sum, goal.box(), finish_coordinates(shape, goal, start.theta), gap_to_stop, options.stop);
  return {search_coordinates(shape, end.at), end.cost, end.evaluations, end.relative_gap};
}

}  // namespace perfmodel
