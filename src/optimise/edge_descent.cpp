#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "optimise/least_absolute_deviations.hpp"

namespace perfmodel::optimise {

std::vector<Kink>::iterator run_through(std::vector<Kink>& kinks, double slope) {
  auto first = kinks.begin();
  auto last = kinks.end();
  while (first != last) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, [](const Kink& a, const Kink& b) { return a.at < b.at; });
    double before = slope;
    for (auto k = first; k != middle; ++k)
      before += k->rise;
    if (before >= 0) {
      last = middle;
    } else if (before + middle->rise >= 0) {
      return middle;
    } else {
      slope = before + middle->rise;
      first = middle + 1;
    }
  }
  return kinks.end();
}

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

LadBasis::LadBasis(const LadProblem& problem, const VectorXd& start)
    : problem_(&problem),
      holds_row_(static_cast<std::size_t>(problem.matrix.rows()), 0),
      edges_(start.size(), start.size()) {
  for (Index j = 0; j < start.size(); ++j) {
    constraints_.push_back({Hold::parked, j});
    if (start[j] <= problem.bounds.lower[j])
      constraints_.back().hold = Hold::lower;
    if (start[j] >= problem.bounds.upper[j])
      constraints_.back().hold = Hold::upper;
  }
}

VectorXd LadBasis::edge(Index k) const {
  VectorXd out = VectorXd::Zero(edges_.rows());
  for (const Index i : free_)
    out[i] = edges_(i, k);
  if ((*this)[k].hold != Hold::row)
    out[(*this)[k].index] = 1;
  return out;
}

VectorXd LadBasis::slopes(const VectorXd& gradient) const {
  VectorXd out = VectorXd::Zero(edges_.rows());
  for (const Index i : free_)
    if (gradient[i] != 0)
      out += gradient[i] * edges_.row(i).transpose();
  for (Index k = 0; k < out.size(); ++k)
    if ((*this)[k].hold != Hold::row)
      out[k] += gradient[(*this)[k].index];
  return out;
}

VectorXd LadBasis::lengths(const VectorXd& weights) const {
  VectorXd out = VectorXd::Zero(edges_.rows());
  for (const Index i : free_)
    out += weights[i] * edges_.row(i).transpose().cwiseAbs();
  for (Index k = 0; k < out.size(); ++k)
    if ((*this)[k].hold != Hold::row)
      out[k] += weights[(*this)[k].index];
  return out;
}

void LadBasis::exchange(Index k, ActiveConstraint entering) {
  ActiveConstraint& place = constraints_[static_cast<std::size_t>(k)];
  const bool row_leaves = place.hold == Hold::row;
  const bool row_enters = entering.hold == Hold::row;
  if (row_leaves || row_enters || place.index != entering.index) {
    const VectorXd along = row_enters ? slopes(problem_->matrix.row(entering.index).transpose())
                                      : slopes(VectorXd::Unit(edges_.rows(), entering.index));
    if (!row_leaves) {
      edges_.row(place.index) = Eigen::RowVectorXd::Unit(edges_.cols(), k);
      free_.push_back(place.index);
    }
    for (const Index i : free_) {
      const double pivot = edges_(i, k) / along[k];
      if (pivot == 0)
        continue;
      edges_.row(i) -= pivot * along.transpose();
      edges_(i, k) = pivot;
    }
    if (!row_enters)
      free_.erase(std::find(free_.begin(), free_.end(), entering.index));
  }
  if (row_leaves)
    holds_row_[static_cast<std::size_t>(place.index)] = 0;
  if (row_enters)
    holds_row_[static_cast<std::size_t>(entering.index)] = 1;
  place = entering;
}

VectorXd LadBasis::factorise(const VectorXd& response, const VectorXd& x) {
  std::vector<Index> rows;
  std::vector<Index> of_rows;  // constraints that hold rows, and coordinates
  std::vector<Index> of_coordinates;
  std::vector<Index> held;
  for (Index k = 0; k < edges_.cols(); ++k) {
    const auto [hold, place] = (*this)[k];
    (hold == Hold::row ? rows : held).push_back(place);
    (hold == Hold::row ? of_rows : of_coordinates).push_back(k);
  }
  VectorXd out = x;
  if (rows.empty())
    return out;
  out(free_).setZero();
  const MatrixXd gradients = problem_->matrix(rows, Eigen::all);
  const Eigen::PartialPivLU<MatrixXd> factors(gradients(Eigen::all, free_));
  edges_(free_, of_rows) = MatrixXd(factors.inverse());
  const MatrixXd of_held = gradients(Eigen::all, held);
  edges_(free_, of_coordinates) = MatrixXd(-factors.solve(of_held));
  const VectorXd rest = response(rows) - gradients * out;
  out(free_) = VectorXd(factors.solve(rest));
  return out;
}

VectorXd perturbed_response(const LadProblem& problem) {
  VectorXd out = problem.response;
  const double size = 1e-11 * (out.cwiseAbs().maxCoeff() + 1e-300);
  std::uint64_t state = 0x9E3779B97F4A7C15ULL;
  for (Index i = 0; i < out.size(); ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    out[i] += size * (static_cast<double>(state >> 11) * 0x1.0p-53 - 0.5);
  }
  return out;
}

double dual_bound_of(const LadProblem& problem, const VectorXd& lambda) {
  VectorXd reduced = -transposed_product(problem.matrix, problem.levels, lambda);
  if (problem.linear.size() > 0)
    reduced += problem.linear;
  const auto low = reduced.cwiseProduct(problem.bounds.lower);
  const auto high = reduced.cwiseProduct(problem.bounds.upper);
  return lambda.dot(problem.response) + low.cwiseMin(high).sum();
}

void set_point(const LadProblem& problem, const VectorXd& x, LadResult& out) {
  out.x = x.cwiseMax(problem.bounds.lower).cwiseMin(problem.bounds.upper);
  const VectorXd residual = problem.response - product(problem.matrix, problem.levels, out.x);
  out.cost = problem.weights.dot(residual.cwiseAbs());
  if (problem.linear.size() > 0)
    out.cost += problem.linear.dot(out.x);
}

void put_square(const Eigen::VectorXd& direction, double weight, double reach, Index row,
                LadProblem& problem, double& constant) {
  constexpr Index on_each_side = kSquareRows / 2;
  const double spacing = reach / static_cast<double>(on_each_side);
  for (Index k = 0; k < on_each_side; ++k) {
    for (const double side : {-1.0, 1.0}) {
      const double kink = side * (static_cast<double>(k) + 0.5) * spacing;
      problem.matrix.row(row) = direction.transpose();
      problem.response[row] = kink;
      problem.weights[row] = weight * spacing;
      constant += weight * spacing * std::abs(kink);
      ++row;
    }
  }
}

namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kAboveRounding = 1 + 1e-12;
/// Columns up to which a basis is factorised after a stop request; after a stop of a larger
/// descent, the last digits are not worth the time.
constexpr Index kColumnsAtOnce = 200;

/// The edges that leave an active row, one per column.
class DenseVertex : public LadVertex {
 public:
  DenseVertex(Index columns, std::vector<VectorXd> edges)
      : columns_(columns), edges_(std::move(edges)) {}

  VectorXd change_for(const VectorXd& raises) const override {
    VectorXd change = VectorXd::Zero(columns_);
    for (std::size_t k = 0; k < edges_.size(); ++k)
      change += raises[static_cast<Index>(k)] * edges_[k];
    return change;
  }

  VectorXd slopes(const VectorXd& gradient) const override {
    VectorXd out(static_cast<Index>(edges_.size()));
    for (std::size_t k = 0; k < edges_.size(); ++k)
      out[static_cast<Index>(k)] = gradient.dot(edges_[k]);
    return out;
  }

 private:
  Index columns_;
  std::vector<VectorXd> edges_;
};

}  // namespace

EdgeDescent::EdgeDescent(const LadProblem& problem, const VectorXd& start,
                         const LadOptions& options)
    : problem_(problem),
      rows_(problem.matrix.rows()),
      columns_(problem.matrix.cols()),
      x_(start),
      response_(perturbed_response(problem)),
      stop_(options.stop),
      basis_(problem, start),
      matrix_(problem.matrix) {
  residual_ = response_ - change_of(x_);
  column_scale_ = (problem.matrix.cwiseAbs().transpose() * problem.weights).cwiseMax(1e-300);
  if (problem.linear.size() > 0)
    column_scale_ += problem.linear.cwiseAbs();
  refresh_gradient();
  if (!options.active_rows.empty())
    start_at_vertex(options.active_rows, options.stop);
}

bool EdgeDescent::step() {
  const VectorXd slope = basis_.slopes(gradient_);
  const Index leaving = choose_leaving(slope);
  if (leaving < 0)
    return false;
  const double sign = slope[leaving] > 0 ? -1.0 : 1.0;
  const VectorXd direction = sign * basis_.edge(leaving);
  const double start_slope = -std::abs(slope[leaving]) + hold_weight(leaving);
  move(leaving, direction, start_slope);
  if (++pivots_ % kRefactorEvery == 0)
    factorise();
  return true;
}

LadResult EdgeDescent::result() {
  const VectorXd lambda = multipliers();
  response_ = problem_.response;
  if (!stop_.stop_requested() || columns_ <= kColumnsAtOnce)
    factorise();
  LadResult out;
  set_point(problem_, x_, out);
  out.dual_bound = dual_bound_of(problem_, lambda);
  std::vector<VectorXd> edges;
  for (Index k = 0; k < columns_; ++k) {
    if (basis_[k].hold != Hold::row)
      continue;
    out.active_rows.push_back(basis_[k].index);
    edges.push_back(basis_.edge(k));
  }
  out.vertex = std::make_shared<DenseVertex>(columns_, std::move(edges));
  return out;
}

/// Goes to the vertex at which the given rows have no residual, if there is one in the box: each
/// row takes the place of the parked coordinate that it determines best.
void EdgeDescent::start_at_vertex(const std::vector<Index>& rows, const std::stop_token& stop) {
  const VectorXd cold_x = x_;
  const LadBasis cold_basis = basis_;
  for (const Index row : rows) {
    if (stop.stop_requested())
      break;  // the result will not be used
    const VectorXd along = basis_.slopes(problem_.matrix.row(row).transpose());
    Index place = -1;
    for (Index k = 0; k < columns_; ++k) {
      if (basis_[k].hold != Hold::parked)
        continue;
      if (place < 0 || std::abs(along[k]) > std::abs(along[place]))
        place = k;
    }
    if (place < 0 || std::abs(along[place]) < kWorthlessPivot * along.cwiseAbs().maxCoeff())
      continue;
    basis_.exchange(place, {Hold::row, row});
  }
  factorise();
  if (x_.allFinite() && problem_.bounds.contains(x_))
    return;
  x_ = cold_x;
  basis_ = cold_basis;
  residual_ = response_ - change_of(x_);
  refresh_gradient();
}

/// The slope that is added in both directions of an edge that leaves a row.
double EdgeDescent::hold_weight(Index k) const {
  return basis_[k].hold == Hold::row ? problem_.weights[basis_[k].index] : 0.0;
}

/// The change of the rows along a direction. Coordinates that it does not move cost nothing.
VectorXd EdgeDescent::change_of(const VectorXd& direction) const {
  std::vector<Index> moved;
  for (Index j = 0; j < columns_; ++j)
    if (direction[j] != 0)
      moved.push_back(j);
  const auto part = [&](std::size_t k) { return direction[moved[k]] * matrix_.col(moved[k]); };
  VectorXd out = VectorXd::Zero(rows_);
  std::size_t k = 0;
  for (; k + 4 <= moved.size(); k += 4)  // four at once, since memory is the limit
    out += part(k) + part(k + 1) + part(k + 2) + part(k + 3);
  for (; k < moved.size(); ++k)
    out += part(k);
  return out;
}

Index EdgeDescent::choose_leaving(const VectorXd& slope) const {
  const VectorXd scales = basis_.lengths(column_scale_);
  Index best = -1;
  double best_gain = 0;
  for (Index k = 0; k < columns_; ++k) {
    const Hold hold = basis_[k].hold;
    double descent = std::abs(slope[k]) - hold_weight(k);
    if (hold == Hold::lower)
      descent = -slope[k];
    if (hold == Hold::upper)
      descent = slope[k];
    const double gain = descent / scales[k];
    if (gain > 1e-12 && gain > best_gain) {
      best_gain = gain;
      best = k;
    }
  }
  return best;
}

/// The bound at which an edge leaves the box.
struct EdgeDescent::BoundAhead {
  double at;
  ActiveConstraint bound;
};

/// An edge always ends at the box, since all bounds are finite.
EdgeDescent::BoundAhead EdgeDescent::nearest_bound(const VectorXd& direction) const {
  BoundAhead out{std::numeric_limits<double>::infinity(), {Hold::lower, 0}};
  const double tiny = 1e-13 * direction.cwiseAbs().maxCoeff();
  for (Index j = 0; j < columns_; ++j) {
    if (std::abs(direction[j]) <= tiny)
      continue;
    const bool up = direction[j] > 0;
    const double room = up ? problem_.bounds.upper[j] - x_[j] : problem_.bounds.lower[j] - x_[j];
    const double at = std::max(0.0, room / direction[j]);
    if (at < out.at)
      out = {at, {up ? Hold::upper : Hold::lower, j}};
  }
  return out;
}

void EdgeDescent::collect_kinks(const VectorXd& change, double limit) {
  kinks_.clear();
  const double tiny = 1e-13 * change.cwiseAbs().maxCoeff();
  for (Index i = 0; i < rows_; ++i) {
    const double c = change[i];
    const double distance = std::abs(residual_[i]);
    // One condition for nearly all rows, since its parts are hard to predict: the kink is beyond
    // the start, or at it if the row leaves towards negative residuals, and not beyond the limit.
    if (!(((residual_[i] > 0) == (c > 0)) & (std::abs(c) > tiny) &
          (distance <= kAboveRounding * limit * std::abs(c))) ||
        basis_.holds_row(i) || problem_.weights[i] == 0)
      continue;
    const double at = residual_[i] / c;
    if (at < limit)
      kinks_.push_back({at, 2 * problem_.weights[i] * std::abs(c), i});
  }
}

void EdgeDescent::move(Index leaving, const VectorXd& direction, double slope) {
  const VectorXd change = change_of(direction);
  const BoundAhead ahead = nearest_bound(direction);
  collect_kinks(change, ahead.at);
  const auto stop = run_through(kinks_, slope);
  for (auto k = kinks_.begin(); k != stop; ++k)
    turn(k->row, 2);
  release(leaving, change);
  if (stop != kinks_.end()) {
    turn(stop->row, 1);
    advance(leaving, direction, change, stop->at);
    residual_[stop->row] = 0;
    basis_.exchange(leaving, {Hold::row, stop->row});
  } else {
    const auto [hold, coordinate] = ahead.bound;
    advance(leaving, direction, change, ahead.at);
    x_[coordinate] =
        hold == Hold::lower ? problem_.bounds.lower[coordinate] : problem_.bounds.upper[coordinate];
    basis_.exchange(leaving, ahead.bound);
  }
}

/// Subtracts `times` the current contribution of a row from the gradient: once if the row becomes
/// active, twice if its residual changes sign.
void EdgeDescent::turn(Index row, double times) {
  const double pull = residual_[row] > 0 ? -problem_.weights[row] : problem_.weights[row];
  gradient_ -= times * pull * problem_.matrix.row(row).transpose();
}

/// The row that is left becomes an ordinary row with the sign that its residual will have.
void EdgeDescent::release(Index leaving, const VectorXd& change) {
  const auto [hold, row] = basis_[leaving];
  if (hold != Hold::row)
    return;
  residual_[row] = change[row] > 0 ? -1e-300 : 1e-300;
  turn(row, -1);
}

void EdgeDescent::advance(Index leaving, const VectorXd& direction, const VectorXd& change,
                          double length) {
  x_ += length * direction;
  residual_ -= length * change;
  for (Index k = 0; k < columns_; ++k)
    if (k != leaving && basis_[k].hold == Hold::row)
      residual_[basis_[k].index] = 0;
}

void EdgeDescent::factorise() {
  x_ = basis_.factorise(response_, x_);
  residual_ = response_ - change_of(x_);
  for (const auto& [hold, index] : basis_.constraints()) {
    if (hold == Hold::row)
      residual_[index] = 0;
    if (hold == Hold::lower)
      x_[index] = problem_.bounds.lower[index];
    if (hold == Hold::upper)
      x_[index] = problem_.bounds.upper[index];
  }
  refresh_gradient();
}

void EdgeDescent::refresh_gradient() {
  VectorXd pull = problem_.weights;
  for (Index i = 0; i < rows_; ++i)
    if (basis_.holds_row(i))
      pull[i] = 0;
    else if (residual_[i] > 0)
      pull[i] = -pull[i];
  gradient_ = problem_.matrix.transpose() * pull;
  if (problem_.linear.size() > 0)
    gradient_ += problem_.linear;
}

/// Multipliers of the rows at the current vertex. Signs are those of the perturbed residuals: if
/// several residuals are zero, only the perturbed ones determine the side of each row.
VectorXd EdgeDescent::multipliers() const {
  VectorXd lambda(rows_);
  for (Index i = 0; i < rows_; ++i)
    lambda[i] = residual_[i] > 0 ? problem_.weights[i] : -problem_.weights[i];
  const VectorXd multiplier = basis_.slopes(gradient_);
  for (Index k = 0; k < columns_; ++k) {
    const auto [hold, row] = basis_[k];
    if (hold != Hold::row)
      continue;
    const double w = problem_.weights[row];
    lambda[row] = std::clamp(multiplier[k], -w, w);
  }
  return lambda;
}

}  // namespace perfmodel::optimise
