#include "fit/eq4/spread/polish_spread.hpp"

#include <algorithm>
#include <utility>

#include "fit/eq4/finish/squared_rows.hpp"
#include "fit/eq4/spread/spread_steps.hpp"
#include "fit/task/curvature.hpp"
#include "fit/task/loss_value.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// The zero matrix for what the rows answer.
ArrowMatrix zero_matrix(const Design& sample, const SearchSpace& space, const VectorXd& scaled) {
  const std::size_t first = 0;
  const Design one = take_rows(sample, std::span(&first, 1));
  optimise::LevelMatrix jacobian;
  ScaledModel(one, space).linearise(scaled, jacobian);
  return zero_arrow(jacobian);
}

class SquaredRowsSpread : public SquaredRows {
 public:
  SquaredRowsSpread(const SpreadRows& rows, ArrowMatrix zero, Loss loss)
      : rows_(rows), zero_(std::move(zero)), logarithmic_(loss == Loss::rmsle) {}

  double mean_square(const VectorXd& scaled) const override {
    if (known_at_.size() == 0 || known_at_ != scaled) {
      known_ = rows_.ask({Question::What::loss, scaled, {}, {}}).sums[0] / runs();
      known_at_ = scaled;
    }
    return known_;
  }

  SquareSums sums(const VectorXd& scaled) const override {
    SquareSums out;
    set_factor(logarithmic_, logarithmic_ ? mean_square(scaled) : 0, runs(), out);
    const VectorXd all =
        rows_.ask({Question::What::square_sums, scaled, VectorXd::Constant(1, out.factor), {}})
            .sums;
    std::vector<ArrowMatrix> matrices = matrices_of(all, 3, zero_);
    out.gauss_newton = std::move(matrices[0]);
    out.bend = std::move(matrices[1]);
    out.of_logarithm = std::move(matrices[2]);
    out.gradient = all.tail(scaled.size());
    return out;
  }

  IdleSlopes idle_slopes(const VectorXd& scaled) const override {
    return idle_slopes_of(rows_.ask({Question::What::idle_slopes, scaled, {}, {}}).sums);
  }

 private:
  const SpreadRows& rows_;
  ArrowMatrix zero_;
  bool logarithmic_;
  mutable VectorXd known_at_;
  mutable double known_ = 0;

  double runs() const { return static_cast<double>(rows_.runs()); }
};

}  // namespace

PolishResult polish_spread(const SpreadRows& rows, const Design& sample, const Regulariser& penalty,
                           const FitOptions& options, const VectorXd& start) {
  if (is_absolute(options.loss)) {
    SpreadSteps steps(rows, sample);
    SequentialLadResult end = minimise_by_sequential_lad(steps, start, kExactGap, options.stop);
    return {std::move(end.at), end.cost, end.relative_gap, end.steps, end.evaluations};
  }
  const SquaredRowsSpread squares(rows, zero_matrix(sample, rows.space(), start), options.loss);
  return polish_squared(squares, rows.space(), penalty, options, start, kExactGap);
}

SpreadCurvature curvature_of(const SpreadRows& rows, const Design& sample, const VectorXd& scaled) {
  const double sparsity = sparsity_of(sample, ScaledModel(sample, rows.space()).predict(scaled));
  const VectorXd all =
      rows.ask({Question::What::curvature, scaled, VectorXd::Constant(1, sparsity), {}}).sums;
  std::vector<ArrowMatrix> matrices =
      matrices_of(all, 2, zero_matrix(sample, rows.space(), scaled));
  return {std::move(matrices[0]), std::move(matrices[1])};
}

}  // namespace perfmodel
