#include "fit/eq4/determined/generic_sensitivity.hpp"

#include <utility>
#include <vector>

#include "fit/eq4/finish/scaled_model.hpp"
#include "fit/task/curvature.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kBoundMargin = 1e-3;  // of the range between the bounds

VectorXd column_norms(const optimise::LevelMatrix& matrix) {
  const VectorXd others = matrix.others.colwise().norm().transpose();
  if (matrix.levels.empty())
    return others;
  VectorXd squares = VectorXd::Zero(matrix.levels.count);
  for (Index row = 0; row < matrix.rows(); ++row)
    squares[matrix.levels.of_row[static_cast<std::size_t>(row)]] +=
        matrix.levels.value[row] * matrix.levels.value[row];
  return matrix.levels.joined(others, squares.cwiseSqrt());
}

void divide_columns(const VectorXd& norms, optimise::LevelMatrix& matrix) {
  const optimise::LevelColumns& levels = matrix.levels;
  if (levels.empty()) {
    matrix.others.array().rowwise() /= norms.transpose().array();
    return;
  }
  matrix.others.array().rowwise() /= levels.others(norms).transpose().array();
  for (Index row = 0; row < matrix.rows(); ++row)
    matrix.levels.value[row] /= norms[levels.first + levels.of_row[static_cast<std::size_t>(row)]];
}

std::vector<Standing> standings_of(const SearchSpace& space, const VectorXd& scaled) {
  const GenericLayout& layout = space.layout();
  std::vector<Standing> out(layout.size(), Standing::free);
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const Index i = static_cast<Index>(k);
    const double low = space.scaled().lower[i];
    const double high = space.scaled().upper[i];
    const ConstantKind kind = layout.kind(k);
    const bool power =
        kind == ConstantKind::intrinsic_power || kind == ConstantKind::extrinsic_power;
    if (high <= low)
      out[k] = Standing::fixed;
    else if (!power && low == 0 && scaled[i] == 0)
      out[k] = Standing::at_zero;
    else if (scaled[i] >= high - kBoundMargin * (high - low) ||
             (scaled[i] <= low + kBoundMargin * (high - low) && low != 0))
      out[k] = Standing::at_bound;
  }
  for (std::size_t i = 0; i < space.intrinsic_log_centres().size(); ++i) {
    Standing& power = out[layout.intrinsic_power(i)];
    if (power != Standing::fixed && scaled[static_cast<Index>(layout.coefficient(i))] == 0)
      power = Standing::idle;
  }
  return out;
}

/// Constants that no row depends on, and what cannot move.
void leave_out(const GenericLayout& layout, NormalEquationsOf<ArrowMatrix>& out) {
  out.left_out.resize(layout.size(), false);
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const Index i = static_cast<Index>(k);
    Standing& standing = out.standings[k];
    if (out.norms[i] == 0 && standing != Standing::fixed && standing != Standing::idle)
      standing = Standing::untrained;
    // A level or C at 0 stays in: a flat direction may lead back from its bound. A term without a
    // coefficient would make one with any power.
    const bool term_at_zero =
        standing == Standing::at_zero && layout.kind(k) == ConstantKind::coefficient;
    out.left_out[k] = out.norms[i] == 0 || standing == Standing::fixed || term_at_zero;
    if (out.left_out[k])
      out.norms[i] = 1;
  }
}

}  // namespace

Sensitivity generic_sensitivity(const SearchSpace& space, const Design& training,
                                const FitOptions& options, const VectorXd& scaled) {
  NormalEquationsOf<ArrowMatrix> out;
  out.standings = standings_of(space, scaled);
  out.rows = training.total_runs();
  optimise::LevelMatrix jacobian;
  const VectorXd predicted = ScaledModel(training, space).linearise(scaled, jacobian);
  const Curvature curvature = curvature_of(options.loss, training, predicted);
  const VectorXd roots = curvature.weights.cwiseSqrt();
  jacobian.others.array().colwise() *= roots.array();
  if (!jacobian.levels.empty())
    jacobian.levels.value.array() *= roots.array();
  out.norms = column_norms(jacobian);
  leave_out(space.layout(), out);
  divide_columns(out.norms, jacobian);
  out.normal = gram(1, jacobian, VectorXd());
  out.scores = gram(1, jacobian, curvature.scores.cwiseAbs2());
  return Sensitivity(std::move(out));
}

}  // namespace perfmodel
