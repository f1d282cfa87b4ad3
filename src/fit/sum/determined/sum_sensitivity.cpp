#include "fit/sum/determined/sum_sensitivity.hpp"

#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "fit/sum/finish/sum_goal.hpp"
#include "fit/sum/kernel/normal_matrix.hpp"
#include "fit/task/curvature.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What the power of a numeric column multiplies in ln term, in all terms of a part alike.
ArrayXd coordinate_of(const SumPart& part, const Design& runs, std::size_t numeric) {
  const NumericFactor& factor = numeric_factor(runs, numeric);
  const NumericInput& input = numeric_input(part.spec, numeric);
  const bool ring = part.structure.terms > 0 && part.structure.has_ring(0, numeric);
  ArrayXd out(index(runs.rows));
  for (std::size_t row = 0; row < runs.rows; ++row) {
    const double value = input.counted(factor.value(row));
    out[index(row)] = ring ? 1 - 1 / value : std::log(value);
  }
  return out;
}

/// The numeric columns in the order of their powers in MultiLayout.
std::vector<std::size_t> numeric_columns(const Design& runs) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < runs.intrinsic.size(); ++i)
    out.push_back(runs.extrinsic.size() + i);
  for (std::size_t j = 0; j < runs.extrinsic.size(); ++j)
    out.push_back(j);
  return out;
}

VectorXd centres_of(const SumPart& part, const Design& runs) {
  VectorXd out(index(runs.intrinsic.size() + runs.extrinsic.size()));
  Index next = 0;
  for (const std::size_t numeric : numeric_columns(runs))
    out[next++] = coordinate_of(part, runs, numeric).mean();
  return out;
}

/// Derivatives of ln term, one column per constant of a term in the order of MultiLayout: rows x
/// stride.
MatrixXd log_derivatives(const SumPart& part, const Design& runs, const VectorXd& centres) {
  const MultiStructure& structure = part.structure;
  Index columns = 1 + centres.size() + 2 * index(structure.regimes.size());
  for (const LevelFactor& factor : runs.categorical)
    columns += index(factor.levels);
  MatrixXd out = MatrixXd::Zero(index(runs.rows), columns);
  Index next = 0;
  Index centre = 0;
  out.col(next++).setOnes();
  const auto add_numeric = [&](std::size_t numeric) {
    out.col(next++) = (coordinate_of(part, runs, numeric) - centres[centre++]).matrix();
  };
  for (std::size_t i = 0; i < runs.intrinsic.size(); ++i)
    add_numeric(runs.extrinsic.size() + i);
  for (const LevelFactor& factor : runs.categorical) {
    for (std::size_t row = 0; row < runs.rows; ++row)
      out(index(row), next + index(factor.codes[row])) = 1;
    next += index(factor.levels);
  }
  for (std::size_t j = 0; j < runs.extrinsic.size(); ++j)
    add_numeric(j);
  for (const Regime& regime : structure.regimes) {
    for (std::size_t row = 0; row < runs.rows; ++row) {
      const bool above = numeric_factor(runs, regime.numeric).value(row) > regime.above;
      out(index(row), next + (above ? 1 : 0)) = 1;
    }
    next += 2;
  }
  return out;
}

/// Powers that follow that of the first term, and it.
std::vector<std::pair<std::size_t, std::size_t>> shared_powers(const SumPart& part) {
  const MultiLayout layout(part.spec, part.structure);
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (const std::size_t numeric : part.estimate.shared)
    for (std::size_t k = 1; k < part.structure.terms; ++k)
      out.emplace_back(layout.numeric_power(k, numeric), layout.numeric_power(0, numeric));
  return out;
}

/// The gradient where shared powers are one coordinate.
VectorXd folded(const SumPart& part, VectorXd gradient) {
  for (const auto& [follower, leader] : shared_powers(part)) {
    gradient[index(leader)] += gradient[index(follower)];
    gradient[index(follower)] = 0;
  }
  return gradient;
}

/// How the constants stand, and which of them are no coordinates at all.
void set_standings(const SumPart& part, const FitOptions& options, NormalEquations& out) {
  const MultiLayout layout(part.spec, part.structure);
  const std::vector<SumConstant> constants = sum_constants(part);
  for (const SumConstant constant : constants) {
    // An L1 penalty takes inputs out that the others leave in: what the runs say of them counts.
    const bool by_penalty =
        constant == SumConstant::unused && options.penalty.l1 > 0 && !part.level;
    const bool free = constant == SumConstant::free || by_penalty;
    out.standings.push_back(free                              ? Standing::free
                            : constant == SumConstant::absent ? Standing::at_zero
                                                              : Standing::fixed);
    out.left_out.push_back(!free);
  }
  for (std::size_t k = 0; k < part.structure.terms; ++k) {
    for (std::size_t n = 0; n < numeric_count(part.spec); ++n) {
      const std::size_t power = layout.numeric_power(k, n);
      if (part.structure.log_power(k, n) == 0 || constants[power] != SumConstant::unused)
        continue;
      out.standings[power] = Standing::fixed;  // a pure logarithm
      out.left_out[power] = true;
    }
  }
  const auto hold_at_bound = [&](std::size_t power) {
    if (std::abs(part.constants[index(power)]) < kWidestSumPower)
      return;
    out.standings[power] = Standing::at_bound;
    out.left_out[power] = true;
  };
  for (std::size_t k = 0; k < part.structure.terms; ++k) {
    for (std::size_t i = 0; i < part.spec.intrinsic.size(); ++i)
      hold_at_bound(layout.intrinsic_power(k, i));
    for (std::size_t j = 0; j < part.spec.extrinsic.size(); ++j)
      hold_at_bound(layout.extrinsic_power(k, j));
  }
  // A C of 0 stays in: a flat direction may lead back from it. That of a level is one of its terms.
  if (part.level)
    out.standings[layout.intercept()] = Standing::fixed;
  out.left_out[layout.intercept()] = part.level.has_value();
}

/// sum over the rows of c_r j_r j_r', the last of j_r being 1 for C.
MatrixXd with_intercept(const NormalMatrix& normal_matrix, const MatrixXd& terms,
                        const ArrayXd& c) {
  const MatrixXd inner = normal_matrix(terms, c);
  const Index size = inner.cols();
  MatrixXd out(size + 1, size + 1);
  out.topLeftCorner(size, size) = inner;
  const MatrixXd mixed = normal_matrix.feature_sums(terms.array().colwise() * c);
  out.col(size).head(size) = mixed.reshaped();
  out.row(size).head(size) = mixed.reshaped().transpose();
  out(size, size) = c.sum();
  return out;
}

Sensitivity sensitivity_of(const SumPart& part, const Design& runs, const VectorXd& centres,
                           const FitOptions& options) {
  const MatrixXd parts = multi_parts(part.spec, part.structure, part.constants, runs);
  const VectorXd predicted = parts.rowwise().sum();
  const Curvature curvature = curvature_of(options.loss, runs.time, predicted);
  const MatrixXd derivatives = log_derivatives(part, runs, centres);
  const MatrixXd terms = parts.leftCols(parts.cols() - 1);
  const NormalMatrix normal_matrix(derivatives, options.instructions, options.stop);
  const ArrayXd weights = curvature.weights.array();
  NormalEquations out;
  out.rows = runs.rows;
  out.normal = with_intercept(normal_matrix, terms, weights);
  out.scores = with_intercept(normal_matrix, terms, weights * curvature.scores.array().square());
  if (options.stop.stop_requested())
    throw Interrupted();  // the sums are not complete
  set_standings(part, options, out);
  for (const auto& [follower, leader] : shared_powers(part)) {
    for (MatrixXd* const matrix : {&out.normal, &out.scores}) {
      matrix->row(index(leader)) += matrix->row(index(follower));
      matrix->col(index(leader)) += matrix->col(index(follower));
    }
    out.standings[follower] = out.standings[leader];
    out.left_out[follower] = true;
  }
  out.norms = out.normal.diagonal().cwiseMax(0).cwiseSqrt();
  for (std::size_t k = 0; k < out.left_out.size(); ++k) {
    double& norm = out.norms[index(k)];
    if (norm == 0 && out.standings[k] == Standing::free)
      out.standings[k] = Standing::untrained;
    out.left_out[k] = out.left_out[k] || norm == 0;
    if (out.left_out[k])
      norm = 1;
  }
  const auto inverse = out.norms.cwiseInverse().asDiagonal();
  out.normal = inverse * out.normal * inverse;
  out.scores = inverse * out.scores * inverse;
  return Sensitivity(std::move(out), options.stop);
}

}  // namespace

SumSensitivity::SumSensitivity(SumPart part, const Design& runs, const FitOptions& options)
    : part_(std::move(part)),
      layout_(part_.spec, part_.structure),
      centres_(centres_of(part_, runs)),
      sensitivity_(sensitivity_of(part_, runs, centres_, options)) {}

VectorXd SumSensitivity::gradient(std::size_t constant) const {
  VectorXd out = VectorXd::Unit(index(layout_.size()), index(constant));
  for (std::size_t k = 0; k < part_.structure.terms; ++k) {
    if (constant != layout_.coefficient(k))
      continue;
    Index centre = 0;
    for (std::size_t i = 0; i < part_.spec.intrinsic.size(); ++i)
      out[index(layout_.intrinsic_power(k, i))] = -centres_[centre++];
    for (std::size_t j = 0; j < part_.spec.extrinsic.size(); ++j)
      out[index(layout_.extrinsic_power(k, j))] = -centres_[centre++];
  }
  return sensitivity_.of_coordinates(folded(part_, std::move(out)));
}

VectorXd SumSensitivity::gradient_of_scaling_power(std::size_t extrinsic,
                                                   const Configuration& configuration) const {
  const Design row = design_of(configuration, part_.spec);
  const MatrixXd parts = multi_parts(part_.spec, part_.structure, part_.constants, row);
  const double total = parts.sum();
  const MatrixXd derivatives = log_derivatives(part_, row, centres_);
  const double power =
      multi_elasticities(part_.spec, part_.structure, part_.constants, row)(0, index(extrinsic));
  const double value = row.extrinsic[extrinsic].value(0);
  VectorXd out = VectorXd::Zero(index(layout_.size()));
  // sum_k e_k s_k with the shares s_k = t_k / t: d s_k = s_k (d ln t_k - d ln t).
  for (std::size_t k = 0; k < part_.structure.terms; ++k) {
    const double share = parts(0, index(k)) / total;
    const double own =
        local_power(part_.structure, k, extrinsic,
                    part_.constants[index(layout_.extrinsic_power(k, extrinsic))], value);
    const double by_own_power =
        part_.structure.has_ring(k, extrinsic) ? share / value : share;  // of `own`
    out.segment(index(layout_.coefficient(k)), derivatives.cols()) +=
        (own - power) * share * derivatives.row(0).transpose();
    out[index(layout_.extrinsic_power(k, extrinsic))] += by_own_power;
  }
  out[index(layout_.intercept())] = -power / total;
  return sensitivity_.of_coordinates(folded(part_, std::move(out)));
}

VectorXd SumSensitivity::gradient_of_log_time(const Configuration& configuration) const {
  const Design row = design_of(configuration, part_.spec);
  const MatrixXd parts = multi_parts(part_.spec, part_.structure, part_.constants, row);
  const double total = parts.sum();
  const MatrixXd derivatives = log_derivatives(part_, row, centres_);
  VectorXd out = VectorXd::Zero(index(layout_.size()));
  // d ln t = sum_k (t_k / t) d ln t_k + dC / t
  for (std::size_t k = 0; k < part_.structure.terms; ++k)
    out.segment(index(layout_.coefficient(k)), derivatives.cols()) =
        parts(0, index(k)) / total * derivatives.row(0).transpose();
  out[index(layout_.intercept())] = 1 / total;
  return sensitivity_.of_coordinates(folded(part_, std::move(out)));
}

}  // namespace perfmodel
