// The vertices at which a LevelDescent begins and ends.

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "optimise/lad/lad_parts.hpp"
#include "optimise/lad/level_descent.hpp"

namespace perfmodel::optimise {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// The edges that leave an active row, in the order of the result's active rows.
class BorderedVertex : public LadVertex {
 public:
  BorderedVertex(BorderedBasis basis, LevelColumns layout, std::vector<Index> places)
      : basis_(std::move(basis)), layout_(std::move(layout)), places_(std::move(places)) {}

  VectorXd change_for(const VectorXd& raises) const override {
    VectorXd all = VectorXd::Zero(basis_.levels() + basis_.border());
    for (std::size_t i = 0; i < places_.size(); ++i)
      all[places_[i]] = raises[static_cast<Index>(i)];
    const BorderedVector change = basis_.solve(all);
    return layout_.joined(change.others, change.levels);
  }

  VectorXd slopes(const VectorXd& gradient) const override {
    return basis_.slopes({layout_.levels(gradient), layout_.others(gradient)})(places_);
  }

 private:
  BorderedBasis basis_;
  LevelColumns layout_;  ///< without rows
  std::vector<Index> places_;
};

}  // namespace

/// Goes to the vertex where the given rows have no residual, if there is one in the box: a row
/// takes the place of its level's parked coordinate, or that of the parked coordinate of the border
/// that it determines best.
void LevelDescent::start_at_vertex(const std::vector<Index>& rows, const std::stop_token& stop) {
  const BorderedVector cold_x = x_;
  const BorderedBasis cold_basis = basis_;
  for (const Index row : rows) {
    if (stop.stop_requested())
      break;
    const ActiveConstraint entering{Hold::row, row};
    const Index level = basis_.level_of(entering);
    if (level != LevelColumns::none && basis_[level].hold == Hold::parked &&
        basis_.moves_alone(level)) {
      basis_.exchange(level, entering);
      continue;
    }
    const VectorXd along = basis_.slopes(
        {level == LevelColumns::none
             ? VectorXd::Zero(basis_.levels())
             : VectorXd(basis_.level_entry_of(entering) * VectorXd::Unit(basis_.levels(), level)),
         basis_.others_of(entering)});
    Index place = -1;
    for (Index k = basis_.levels(); k < along.size(); ++k)
      if (basis_[k].hold == Hold::parked &&
          (place < 0 || std::abs(along[k]) > std::abs(along[place])))
        place = k;
    if (place >= 0 && std::abs(along[place]) >= kWorthlessPivot * along.cwiseAbs().maxCoeff())
      basis_.exchange(place, entering);
  }
  factorise();
  const VectorXd x = problem_.levels.joined(x_.others, x_.levels);
  if (x.allFinite() && problem_.bounds.contains(x))
    return;
  x_ = cold_x;
  basis_ = cold_basis;
  refresh_residual();
  refresh_gradient();
}

void LevelDescent::factorise() {
  basis_.factorise();
  const Index size = basis_.levels() + basis_.border();
  VectorXd level(size);
  for (Index k = 0; k < size; ++k)
    level[k] =
        basis_[k].hold == Hold::row ? response_[basis_[k].index] : coordinate(basis_[k].index);
  x_ = basis_.solve(level);
  for (Index k = 0; k < size; ++k) {
    const auto [hold, j] = basis_[k];
    if (hold == Hold::lower || hold == Hold::upper)
      coordinate(j) = bound(j, hold);
  }
  refresh_residual();
  refresh_gradient();
}

void LevelDescent::refresh_residual() {
  residual_ = response_ - change_of(x_);
  for (Index k = 0; k < basis_.levels() + basis_.border(); ++k)
    if (basis_[k].hold == Hold::row)
      residual_[basis_[k].index] = 0;
}

void LevelDescent::refresh_gradient() {
  VectorXd pull = problem_.weights;
  for (Index i = 0; i < pull.size(); ++i)
    if (basis_.holds_row(i))
      pull[i] = 0;
    else if (residual_[i] > 0)
      pull[i] = -pull[i];
  VectorXd gradient = transposed_product(problem_.matrix, problem_.levels, pull);
  if (problem_.linear.size() > 0)
    gradient += problem_.linear;
  gradient_ = parted(gradient);
}

/// Multipliers of the rows at the present vertex. Signs are those of the perturbed residuals: where
/// several residuals are zero, only they know on which side each row stands.
VectorXd LevelDescent::multipliers() const {
  VectorXd lambda = (residual_.array() > 0).select(problem_.weights, -problem_.weights);
  const VectorXd multiplier = basis_.slopes(gradient_);
  for (Index k = 0; k < multiplier.size(); ++k) {
    const auto [hold, row] = basis_[k];
    if (hold == Hold::row)
      lambda[row] = std::clamp(multiplier[k], -problem_.weights[row], problem_.weights[row]);
  }
  return lambda;
}

LadResult LevelDescent::result() {
  const VectorXd lambda = multipliers();
  response_ = problem_.response;
  factorise();
  LadResult out;
  set_point(problem_, problem_.levels.joined(x_.others, x_.levels), out);
  out.dual_bound = dual_bound_of(problem_, lambda);
  std::vector<Index> places;
  for (Index k = 0; k < basis_.levels() + basis_.border(); ++k) {
    if (basis_[k].hold != Hold::row)
      continue;
    out.active_rows.push_back(basis_[k].index);
    places.push_back(k);
  }
  const LevelColumns layout{
      .first = problem_.levels.first, .count = problem_.levels.count, .of_row = {}, .value = {}};
  out.vertex = std::make_shared<BorderedVertex>(basis_, layout, std::move(places));
  return out;
}

}  // namespace perfmodel::optimise
