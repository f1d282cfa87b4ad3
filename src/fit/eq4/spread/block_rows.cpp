#include "fit/eq4/spread/block_rows.hpp"

#include <algorithm>
#include <utility>

#include "base/index.hpp"
#include "fit/task/curvature.hpp"
#include "fit/task/loss_value.hpp"
#include "optimise/lad/sifting.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Ids of the rows of a block, at most.
constexpr Index kIdsOfBlock = Index{1} << 40;

VectorXd joined_vectors(const std::vector<VectorXd>& parts) {
  Index size = 0;
  for (const VectorXd& part : parts)
    size += part.size();
  VectorXd out(size);
  Index at = 0;
  for (const VectorXd& part : parts) {
    out.segment(at, part.size()) = part;
    at += part.size();
  }
  return out;
}

KinkRow kink_row(const optimise::LevelMatrix& jacobian, Index row) {
  KinkRow out;
  out.others = jacobian.others.row(row).transpose();
  if (!jacobian.levels.empty()) {
    out.level = jacobian.levels.of_row[static_cast<std::size_t>(row)];
    out.of_level = jacobian.levels.value[row];
  }
  return out;
}

}  // namespace

VectorXd flat(const std::vector<const ArrowMatrix*>& matrices) {
  std::vector<VectorXd> parts;
  for (const ArrowMatrix* matrix : matrices) {
    parts.push_back(matrix->diagonal);
    parts.emplace_back(matrix->border.reshaped());
    parts.emplace_back(matrix->core.reshaped());
  }
  return joined_vectors(parts);
}

std::vector<ArrowMatrix> matrices_of(const VectorXd& flat, std::size_t count,
                                     const ArrowMatrix& like) {
  std::vector<ArrowMatrix> out(count, like);
  Index at = 0;
  const auto take = [&](auto& matrix) {
    matrix.reshaped() = flat.segment(at, matrix.size());
    at += matrix.size();
  };
  for (ArrowMatrix& matrix : out) {
    take(matrix.diagonal);
    take(matrix.border);
    take(matrix.core);
  }
  return out;
}

BlockRows::BlockRows(std::size_t number, Design rows, const SearchSpace& space, Loss loss)
    : first_id_(index(number) * kIdsOfBlock),
      design_(std::move(rows)),
      rows_(WeightedRows::merged(design_, loss)),
      space_(space),
      loss_(loss),
      scale_(static_cast<double>(design_.total_runs()) / rows_.total_weight()),
      model_(rows_.design(), space),
      squared_(rows_, space, loss) {
  if (!is_absolute(loss))
    return;
  weights_ = VectorXd::Constant(index(rows_.size()), scale_);
  if (rows_.weights().size() > 0)
    weights_.array() *= rows_.weights().array();
  if (loss == Loss::mape)
    weights_.array() /= rows_.design().time.array();
}

Answer BlockRows::answer(const Question& question) {
  switch (question.what) {
    case Question::What::stop:
      break;
    case Question::What::loss:
      return {VectorXd::Constant(1, loss(question.at)), {}};
    case Question::What::square_sums:
      return {square_sums(question), {}};
    case Question::What::idle_slopes:
      return {idle_slopes(question), {}};
    case Question::What::curvature:
      return {curvature(question), {}};
    case Question::What::effects: {
      optimise::LevelMatrix jacobian;
      model_.linearise(question.at, jacobian);
      return {optimise::absolute_transposed_product(jacobian.others, jacobian.levels, weights_),
              {}};
    }
    case Question::What::near_kink:
      return near_kink(question);
    case Question::What::wrong_sign:
      return wrong_sign(question);
    case Question::What::residuals:
      return {residuals_of(question), {}};
    case Question::What::pull_of_signs: {
      optimise::LevelMatrix jacobian;
      model_.linearise(question.at, jacobian);
      return {optimise::transposed_product(jacobian.others, jacobian.levels, pull(question)), {}};
    }
  }
  return {};
}

bool BlockRows::is_own(Index id) const {
  return id >= first_id_ && id < first_id_ + kIdsOfBlock;
}

VectorXd BlockRows::residuals(const VectorXd& at) const {
  return rows_.design().time - model_.predict(at);
}

double BlockRows::loss(const VectorXd& at) const {
  return is_absolute(loss_) ? weights_.dot(residuals(at).cwiseAbs())
                            : scale_ * squared_.square_sum(at);
}

VectorXd BlockRows::square_sums(const Question& question) const {
  const SquareSums sums = squared_.sums(question.at, scale_ * question.more[0]);
  const ArrowMatrix& of_logarithm =
      loss_ == Loss::rmsle ? sums.of_logarithm : sums.bend;  // nobody looks at it else
  return joined_vectors({flat({&sums.gauss_newton}), scale_ * flat({&sums.bend}),
                         flat({&of_logarithm}), sums.gradient});
}

VectorXd BlockRows::idle_slopes(const Question& question) const {
  IdleSlopes out;
  if (is_absolute(loss_)) {
    out = perfmodel::idle_slopes(rows_.design(), space_, question.at, pull(question));
  } else {
    out = squared_.idle_slopes(question.at);
    out.slopes *= scale_;
    out.pull_squares *= scale_ * scale_;
  }
  return joined_vectors({VectorXd::Constant(1, out.pull_squares), out.slopes, out.squares});
}

VectorXd BlockRows::curvature(const Question& question) const {
  const ScaledModel model(design_, space_);
  optimise::LevelMatrix jacobian;
  const VectorXd predicted = model.linearise(question.at, jacobian);
  const Curvature own = curvature_of(loss_, design_, predicted, question.more[0]);
  const ArrowMatrix normal = gram(1, jacobian, own.weights);
  const ArrowMatrix scores = gram(1, jacobian, own.weights.cwiseProduct(own.scores.cwiseAbs2()));
  return flat({&normal, &scores});
}

/// d cost / d prediction of each row, in runs: that of the rows that the question names is as it
/// says, or 0.
VectorXd BlockRows::pull(const Question& question) const {
  VectorXd out = (residuals(question.at).array() > 0).select(-weights_, weights_);
  for (std::size_t k = 0; k < question.rows.size(); ++k) {
    if (!is_own(question.rows[k]))
      continue;
    const Index row = question.rows[k] - first_id_;
    const double own = question.more.size() > 0 ? question.more[index(k)] : 0;
    out[row] = std::clamp(own, -weights_[row], weights_[row]);
  }
  return out;
}

Answer BlockRows::near_kink(const Question& question) {
  at_ = question.at;
  keeps_kink_.assign(rows_.size(), 0);
  for (const Index id : question.rows)
    if (is_own(id))
      keeps_kink_[static_cast<std::size_t>(id - first_id_)] = 1;
  optimise::LevelMatrix jacobian;
  const VectorXd residual = rows_.design().time - model_.linearise(at_, jacobian);
  const VectorXd distance =
      optimise::distance_to_kink(jacobian.others, !jacobian.levels.empty(), residual,
                                 question.more.tail(question.more.size() - 1));
  Answer out;
  VectorXd signs = (residual.array() > 0).select(weights_, -weights_);
  for (Index row = 0; row < residual.size(); ++row) {
    char& keeps = keeps_kink_[static_cast<std::size_t>(row)];
    keeps = keeps || distance[row] <= question.more[0];
    if (!keeps)
      continue;
    signs[row] = 0;
    KinkRow kept = kink_row(jacobian, row);
    kept.id = first_id_ + row;
    kept.residual = residual[row];
    kept.weight = weights_[row];
    out.rows.push_back(std::move(kept));
  }
  out.sums =
      joined_vectors({VectorXd::Constant(1, signs.dot(residual)),
                      optimise::transposed_product(jacobian.others, jacobian.levels, signs)});
  return out;
}

Answer BlockRows::wrong_sign(const Question& question) {
  optimise::LevelMatrix jacobian;
  const VectorXd residual = rows_.design().time - model_.linearise(at_, jacobian);
  const VectorXd then =
      residual - optimise::product(jacobian.others, jacobian.levels, question.more);
  Answer out{VectorXd::Constant(1, weights_.dot(then.cwiseAbs())), {}};
  for (Index row = 0; row < residual.size(); ++row) {
    char& keeps = keeps_kink_[static_cast<std::size_t>(row)];
    if (keeps || (then[row] > 0) == (residual[row] > 0))
      continue;
    keeps = 1;
    KinkRow kept = kink_row(jacobian, row);
    kept.id = first_id_ + row;
    kept.residual = residual[row];
    kept.weight = weights_[row];
    out.rows.push_back(std::move(kept));
  }
  return out;
}

VectorXd BlockRows::residuals_of(const Question& question) const {
  VectorXd out = VectorXd::Zero(index(question.rows.size()));
  if (std::none_of(question.rows.begin(), question.rows.end(),
                   [&](Index id) { return is_own(id); }))
    return out;
  const VectorXd own = residuals(question.at);
  for (std::size_t k = 0; k < question.rows.size(); ++k)
    if (is_own(question.rows[k]))
      out[index(k)] = own[question.rows[k] - first_id_];
  return out;
}

}  // namespace perfmodel
