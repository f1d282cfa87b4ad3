#include "sums/term_search.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "sums/row_kernel.hpp"

namespace perfmodel {
namespace {

/// Largest |ln| of a term: practically infinite, but finite arithmetic.
constexpr double kLargestLog = 60;
/// Smallest total in a logarithm or a division.
constexpr double kLeastTotal = 1e-300;
// Levenberg's and Marquardt's damping, as a share of the Hessian's diagonal (Marquardt 1963).
constexpr double kFirstDamping = 1e-2;  // nearly Newton's step: starts are near log-linear fits
constexpr double kLeastDamping = 1e-9;  // keeps directions without curvature solvable
constexpr double kMostDamping = 1e8;    // shorter steps have no effect
/// Factors of the damping after a step that raises the cost, and after one with infinite cost.
constexpr double kAfterWorse = 4;
constexpr double kAfterInfinite = 10;

/// The damping after a step with this ratio of actual to predicted gain: less if the parabola is
/// reliable, more if not, with the thresholds of trust regions (Nocedal and Wright 2006, algorithm
/// 4.1).
double next_damping(double damping, double share_of_promise) {
  const double factor = share_of_promise > 0.75 ? 0.2 : share_of_promise > 0.25 ? 0.7 : 2.0;
  return std::max(kLeastDamping, damping * factor);
}

/// Predicted gain, as a share of the cost, below which a descent is near an optimum.
constexpr double kNearGap = 0.1;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// sum_r w_r rho(residual_r) + sum_j penalty_j theta_j^2
///
/// with rho(x) = sqrt(x^2 + s^2) - s: |x| with its kink smoothed over the width s. Infinite s: x^2.
struct SumLoss {
  bool logarithmic = true;  ///< the residuals are those of ln(time)
  double softness = kSoftness;
  double tilt = 0;     ///< weight of w_r residual_r, which is added; see SignedLoss
  VectorXd weights;    ///< one per row
  VectorXd penalties;  ///< one per coordinate

  bool squared() const { return softness == kInfinite; }
};

/// The same penalty on all coordinates except ln a and ln C.
VectorXd ridge(const SumShape& shape, double strength) {
  VectorXd out = VectorXd::Constant(shape.size(), strength);
  for (Index k = 0; k < shape.terms; ++k)
    out[k * shape.features()] = 0;
  if (shape.intercept)
    out[out.size() - 1] = 0;
  return out;
}

SumLoss sum_loss(const TermData& data, const SumShape& shape, const SignedLoss& loss,
                 double ridge_strength) {
  return {.logarithmic = is_logarithmic(loss.loss),
          .softness = is_squared(loss.loss) ? kInfinite : kSoftness,
          .tilt = loss.tilt,
          .weights = deviation_weights(loss.loss, data.time) / static_cast<double>(data.rows()),
          .penalties = ridge(shape, ridge_strength)};
}

/// State of a descent.
struct Point {
  VectorXd theta;
  SumParts parts;
  ArrayXd residual;  ///< one per row, of the time or its logarithm
  double cost = std::numeric_limits<double>::infinity();
};

/// The second derivatives of a descent. Far from an optimum: those of Gauss and Newton, with rho
/// replaced by the parabola that touches it from above, whose steps are never too long. Near it:
/// those of the cost, with which the last steps are few.
enum class Curvature { cautious, exact };

/// cost + g'd + d'Hd/2 near a point.
struct Quadratic {
  VectorXd gradient;
  SymmetricMatrix hessian;
};

/// The loss of a sum as a function of its coordinates.
class SumObjective {
 public:
  SumObjective(const TermData& data, const SumShape& shape, const SumLoss& loss,
               InstructionSet instructions, const NormalMatrix* normal_matrix)
      : data_(data),
        shape_(shape),
        loss_(loss),
        instructions_(instructions),
        measured_(data.time),
        normal_matrix_(normal_matrix) {
    if (loss.logarithmic)
      measured_ = measured_.log();
  }

  Point at(VectorXd theta) const {
    Point out;
    out.parts = evaluate_sum(data_, shape_, theta, instructions_);
    out.residual = measured_ - modelled(out.parts.total).array();
    const double s = loss_.softness;
    ArrayXd rho = loss_.squared() ? ArrayXd(out.residual.square())
                                  : (out.residual.square() + s * s).sqrt() - s;
    if (loss_.tilt != 0)
      rho += loss_.tilt * out.residual;
    if (out.parts.total.allFinite())  // else the residual is meaningless
      out.cost = loss_.weights.dot(rho.matrix()) + loss_.penalties.dot(theta.cwiseAbs2());
    out.theta = std::move(theta);
    return out;
  }

  Quadratic near(const Point& point, Curvature kind) const {
    const double s = loss_.softness;
    const ArrayXd size = (point.residual.square() + s * s).sqrt();
    ArrayXd weights = loss_.weights.array();  // rho'(x) / x
    if (loss_.squared())
      weights *= 2;
    else
      weights /= size;
    ArrayXd slope = ArrayXd::Ones(data_.rows());  // d (time or its logarithm) / d total
    if (loss_.logarithmic)
      slope /= point.parts.total.array().max(kLeastTotal);
    ArrayXd pull = weights * slope * point.residual;
    if (loss_.tilt != 0)
      pull += loss_.tilt * loss_.weights.array() * slope;
    ArrayXd curvature = weights * slope.square();
    if (normal_matrix_ == nullptr)
      return sparse_near(point, pull, curvature);
    if (kind == Curvature::cautious)
      return dense_near(point, pull, curvature, {});
    if (!loss_.squared())
      curvature *= (s / size).square();  // rho''(x)
    if (loss_.logarithmic)
      curvature += pull * slope;
    return dense_near(point, pull, curvature,
                      -(point.parts.terms.array().colwise() * pull).matrix());
  }

 private:
  const TermData& data_;
  const SumShape& shape_;
  const SumLoss& loss_;
  InstructionSet instructions_;
  ArrayXd measured_;                   ///< time or its logarithm
  const NormalMatrix* normal_matrix_;  ///< null if a column has many levels

  Quadratic sparse_near(const Point& point, const ArrayXd& pull, const ArrayXd& curvature) const {
    const double c = shape_.intercept ? std::exp(point.theta[point.theta.size() - 1]) : 0;
    const optimise::RowMatrix jacobian = jacobian_of(data_, shape_, point.parts.terms, c);
    VectorXd penalties = 2 * loss_.penalties;
    for (const auto& [follower, leader] : shape_.followers())
      penalties[leader] += std::exchange(penalties[follower], 0);
    Quadratic out{penalties.cwiseProduct(point.theta) - jacobian.transposed_times(pull.matrix()),
                  gram(jacobian, curvature.matrix())};
    out.hessian.add_to_diagonal(penalties);
    return out;
  }

  /// `bend`: weights of the second derivatives of the terms, rows x terms, or empty.
  Quadratic dense_near(const Point& point, const ArrayXd& pull, const ArrayXd& curvature,
                       const MatrixXd& bend) const {
    const Index terms = shape_.terms;
    const Index size = terms * shape_.features();
    const VectorXd& theta = point.theta;
    MatrixXd row_weights(data_.rows(), shape_.intercept ? 2 * terms : terms);
    row_weights.leftCols(terms) = point.parts.terms.array().colwise() * pull;
    if (shape_.intercept)
      row_weights.rightCols(terms) = point.parts.terms.array().colwise() * curvature;
    const MatrixXd sums = normal_matrix_->feature_sums(row_weights);

    VectorXd gradient(theta.size());
    MatrixXd hessian(theta.size(), theta.size());
    hessian.topLeftCorner(size, size) = (*normal_matrix_)(point.parts.terms, curvature, bend);
    gradient.head(size) = -sums.leftCols(terms).reshaped();
    if (shape_.intercept) {
      const double c = std::exp(theta[size]);
      hessian.col(size).head(size) = c * sums.rightCols(terms).reshaped();
      hessian.row(size).head(size) = hessian.col(size).head(size).transpose();
      gradient[size] = -c * pull.sum();
      hessian(size, size) = c * c * curvature.sum() + (bend.size() > 0 ? gradient[size] : 0);
    }
    gradient += 2 * loss_.penalties.cwiseProduct(theta);
    hessian.diagonal() += 2 * loss_.penalties;
    for (const auto& [follower, leader] : shape_.followers()) {
      gradient[leader] += gradient[follower];
      hessian.row(leader) += hessian.row(follower);
      hessian.col(leader) += hessian.col(follower);
    }
    return {std::move(gradient), std::move(hessian)};
  }

  VectorXd modelled(const VectorXd& total) const {
    if (!loss_.logarithmic)
      return total;
    VectorXd out = total.cwiseMax(kLeastTotal);
    row_kernel::functions_for(instructions_)
        .logarithms(static_cast<std::size_t>(out.size()), out.data());
    return out;
  }
};

/// The coordinates that a descent does not move: those that are fixed and those that follow.
std::vector<bool> still_in(const SumShape& shape) {
  std::vector<bool> out = shape.held();
  for (const auto& [follower, leader] : shape.followers())
    out[static_cast<std::size_t>(follower)] = true;
  return out;
}

/// How much of the cost the parabola says that a step gains.
double gain_of(const Quadratic& model, const VectorXd& step) {
  return -(model.gradient.dot(step) + 0.5 * step.dot(model.hessian * step));
}

/// Levenberg-Marquardt with iteratively reweighted residuals. Never worse than the start.
SumFit descend(const TermData& data, const SumShape& shape, const SumLoss& loss,
               const VectorXd& start, const TermSearchOptions& options, std::size_t iterations,
               const NormalMatrix* normal_matrix) {
  if (options.stop.stop_requested())
    return {start};
  const SumObjective objective(data, shape, loss, options.instructions, normal_matrix);
  const std::vector<bool> still = still_in(shape);
  Point point = objective.at(shape.tied(start));
  Curvature kind = Curvature::cautious;
  Quadratic model = objective.near(point, kind);
  std::size_t evaluations = 1;
  double gap = 0;
  double damping = kFirstDamping;
  for (std::size_t i = 0; i < iterations && damping < kMostDamping; ++i) {
    if (options.stop.stop_requested())
      break;
    const ArrayXd diagonal = model.hessian.diagonal().array();
    SymmetricMatrix damped = model.hessian;
    const double least = 1e-12 * (1e-300 + diagonal.maxCoeff());
    damped.add_to_diagonal((damping * diagonal.max(least)).matrix());
    const auto solved = solve_free(std::move(damped), still, -model.gradient, options.stop);
    const double gain = solved ? gain_of(model, *solved) : kInfinite;
    gap = std::abs(gain) / std::max(point.cost, 1e-300);
    if (!std::isfinite(gain)) {
      if (kind == Curvature::cautious)
        damping *= kAfterInfinite;
      else
        model = objective.near(point, kind = Curvature::cautious);
      continue;
    }
    Point trial = objective.at(shape.tied(point.theta + *solved));
    ++evaluations;
    if (!(trial.cost < point.cost)) {
      if (gap < options.tolerance)
        break;
      damping *= kAfterWorse;
      continue;
    }
    damping = next_damping(damping, (point.cost - trial.cost) / std::max(gain, 1e-300));
    point = std::move(trial);
    if (gap < options.tolerance)
      break;
    kind = gap < kNearGap && normal_matrix != nullptr ? Curvature::exact : Curvature::cautious;
    model = objective.near(point, kind);
  }
  return {std::move(point.theta), point.cost, evaluations, gap};
}

/// Successive widths of the smoothed kink of |x|, as shares of the mean absolute residual.
constexpr std::array kWidths = {0.5, 0.1, 0.02, 0.004};
/// Index of the first width for Reach::nearby.
constexpr std::size_t kSharp = 2;
/// Iterations per width; local refinement continues from there.
constexpr std::size_t kIterations = 150;

}  // namespace

SumParts evaluate_sum(const TermData& data, const SumShape& shape, const VectorXd& theta,
                      InstructionSet instructions) {
  SumParts out{MatrixXd(data.rows(), shape.terms), VectorXd::Zero(data.rows())};
  for (Index k = 0; k < shape.terms; ++k) {
    auto term = out.terms.col(k);
    term = data.log_terms(theta.segment(k * shape.features(), shape.features()));
    for (std::size_t j = 0; j < shape.log_powers[static_cast<std::size_t>(k)].size(); ++j) {
      const int r = shape.log_powers[static_cast<std::size_t>(k)][j];
      if (r != 0)
        term += r * data.log_logs.col(static_cast<Index>(j));
    }
    term = term.cwiseMin(kLargestLog);
  }
  row_kernel::functions_for(instructions)
      .exponentials(static_cast<std::size_t>(out.terms.size()), out.terms.data());
  for (Index k = 0; k < shape.terms; ++k) {
    if (shape.sign(k) < 0)
      out.terms.col(k) *= -1;
    out.total += out.terms.col(k);
  }
  if (shape.intercept)
    out.total.array() += std::exp(std::min(theta[theta.size() - 1], kLargestLog));
  return out;
}

std::shared_ptr<const NormalMatrix> normal_matrix_of(const TermData& data, const SumShape& shape,
                                                     InstructionSet instructions,
                                                     const std::stop_token& stop) {
  if (!data.many_levels.empty())
    return nullptr;
  return std::make_shared<const NormalMatrix>(data.features.leftCols(shape.features()),
                                              instructions, stop, data.levels);
}

optimise::RowMatrix jacobian_of(const TermData& data, const SumShape& shape, const MatrixXd& terms,
                                double of_intercept) {
  return {data.rows(), shape.size(), !data.many_levels.empty(),
          [&](const auto& put) {
            for_features(
                data, shape,
                [&](Index row, Index k, Index coordinate, double x) {
                  put(row, coordinate, terms(row, k) * x);
                });
            for (Index row = 0; shape.intercept && row < data.rows(); ++row)
              put(row, shape.size() - 1, of_intercept);
          }};
}

TermSearchOptions term_search_options(const FitOptions& options, double ridge_strength) {
  TermSearchOptions out;
  out.seed = options.seed;
  out.ridge = ridge_strength;
  out.threads = options.threads;
  out.instructions = options.instructions;
  out.stop = options.stop;
  return out;
}

SumFit approach(const TermData& data, const SumShape& shape, const FitOptions& options,
                double ridge_strength, const VectorXd& start, Reach reach) {
  SumLoss loss = sum_loss(data, shape, SignedLoss(options), ridge_strength + options.penalty.l2);
  const TermSearchOptions how = term_search_options(options, ridge_strength);
  const auto matrix = normal_matrix_of(data, shape, how.instructions, how.stop);
  SumFit out;
  out.theta = start;
  // Descends with ever sharper kinks; only once if the loss has none.
  const std::size_t first = reach == Reach::nearby ? kSharp : 0;
  const bool sharpens = !loss.logarithmic && !loss.squared();
  for (std::size_t w = first; w < (sharpens ? kWidths.size() : first + 1); ++w) {
    if (sharpens) {
      const VectorXd total = evaluate_sum(data, shape, out.theta).total;
      loss.softness = std::max(1e-12, kWidths[w] * (data.time - total).cwiseAbs().mean());
    }
    const std::size_t evaluations = out.evaluations;
    out = descend(data, shape, loss, out.theta, how, kIterations, matrix.get());
    out.evaluations += evaluations;
  }
  return out;
}

namespace {

/// Steps after which the starts are compared and the best continue.
constexpr std::size_t kShortDescent = 12;
/// Steps after which the worse half may stop.
constexpr std::size_t kFirstDescent = 3;
/// Standard deviation of a start's powers about the log-linear ones.
constexpr double kScatter = 0.6;
/// Initial share of a new term in the time: it should matter, but leave the others in place.
constexpr double kShareOfNewTerm = 0.25;
constexpr double kShareTakenAway = 0.02;
/// Initial C as a share of the shortest time, which it cannot exceed.
constexpr double kFirstIntercept = 0.5;

/// Start of a single term with C. A negative term needs a sufficiently large C.
VectorXd first_start(const TermData& data, const SumShape& shape) {
  VectorXd out = VectorXd::Zero(shape.size());
  if (!shape.intercept)
    return out;
  double& log_intercept = out[out.size() - 1];
  log_intercept = std::log(kFirstIntercept * data.time.minCoeff());
  if (shape.terms > 0 && shape.sign(0) < 0) {
    log_intercept = std::log(1.5 * data.time.maxCoeff());
    out[0] = std::log(kShareTakenAway);  // small, so that totals stay positive with a logarithm
  }
  return out;
}

/// A random term about the log-linear solution, with this share of its time.
VectorXd scattered_term(const VectorXd& log_linear, double share, RandomStream& random) {
  VectorXd term = log_linear;
  term[0] += std::log(share);
  for (Index j = 1; j < term.size(); ++j)
    term[j] += kScatter * random.normal();
  return term;
}

/// Terms that are constants start as C does: a larger one that is taken away would leave no time.
void start_constants(const SumShape& shape, double log_intercept, VectorXd& theta) {
  const std::vector<bool> held = shape.held();
  const Index size = shape.features();
  for (Index k = 0; k < shape.terms; ++k)
    if (size > 1 && std::all_of(held.begin() + k * size + 1, held.begin() + (k + 1) * size,
                                [](bool is_held) { return is_held; }))
      theta[k * size] = log_intercept;
}

VectorXd start_of(const SumShape& shape, const VectorXd& log_linear, const VectorXd& smaller,
                  bool from_smaller, double log_intercept, RandomStream& random) {
  VectorXd theta(shape.size());
  const Index size = shape.features();
  for (Index k = 0; k < shape.terms; ++k) {
    const bool old = from_smaller && k + 1 < shape.terms;
    theta.segment(k * size, size) =
        old ? VectorXd(smaller.segment(k * size, size))
            : scattered_term(log_linear,
                             from_smaller ? kShareOfNewTerm : 1 / static_cast<double>(shape.terms),
                             random);
    if (old)
      theta[k * size] += std::log(1 - kShareOfNewTerm);
  }
  theta = shape.without_held(std::move(theta));
  start_constants(shape, log_intercept, theta);
  if (shape.intercept)
    theta[theta.size() - 1] = from_smaller ? smaller[smaller.size() - 1] : log_intercept;
  return shape.tied(std::move(theta));
}

/// A descent of the search's robust loss: soft_l1 with a ridge, whatever loss the user chose.
SumFit descend_robust(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                      std::size_t iterations, const std::shared_ptr<const NormalMatrix>& matrix,
                      const VectorXd& start) {
  return descend(data, shape, sum_loss(data, shape, Loss::soft_l1, options.ridge), start, options,
                 iterations, matrix.get());
}

SumFit search_from(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                   const std::shared_ptr<const NormalMatrix>& matrix, const VectorXd& log_linear,
                   const VectorXd& smaller) {
  const double log_intercept = std::log(kFirstIntercept * data.time.minCoeff());
  const std::size_t starts = options.starts;
  std::vector<SumFit> fits(starts);
  for (std::size_t s = 0; s < starts; ++s) {
    RandomStream random(options.seed, "terms " + std::to_string(shape.terms), s);
    fits[s].theta = start_of(shape, log_linear, smaller, s % 2 == 0, log_intercept, random);
  }
  std::size_t evaluations = 0;
  const auto go_on = [&](std::size_t iterations) {
    parallel_for(fits.size(), options.threads, [&](std::size_t s) {
      if (options.stop.stop_requested() && s > 0)
        return;
      fits[s] = descend_robust(data, shape, options, iterations, matrix, fits[s].theta);
    });
    for (const SumFit& fit : fits)
      evaluations += fit.evaluations;
    std::ranges::stable_sort(fits, {}, &SumFit::cost);
  };
  std::size_t gone = 0;
  if (options.laggards_stop) {
    gone = kFirstDescent;
    go_on(gone);
    fits.resize((starts + 1) / 2);
  }
  go_on(kShortDescent - gone);
  fits.resize(std::min(starts, options.kept));
  go_on(options.iterations);
  SumFit best = std::move(fits.front());
  best.evaluations = evaluations;
  return best;
}

/// Share of the shortest time below which a term has vanished.
constexpr double kVanished = 1e-6;

/// True if nothing is left of a term beside C: no descent comes back from there.
bool has_vanished(const TermData& data, const SumShape& shape, const SumFit& single) {
  return shape.terms > 0 && evaluate_sum(data, shape, single.theta).terms.maxCoeff() <
                                kVanished * data.time.minCoeff();
}

/// The robust log-linear fit: a single term.
VectorXd log_linear_solution(const TermData& data, const SumShape& shape,
                             const TermSearchOptions& options,
                             const std::shared_ptr<const NormalMatrix>& matrix,
                             const SumFit& single) {
  const bool is_whole = shape.left_out.empty() && shape.sign(0) > 0;
  if (is_whole && !has_vanished(data, with_terms(shape, std::min<Index>(shape.terms, 1)), single))
    return single.theta.head(shape.terms > 0 ? shape.features() : 0);
  SumShape whole = with_terms(shape, 1);
  whole.left_out.clear();
  whole.signs.clear();
  // The logarithm of 1, which is in most scales, is 0.
  whole.log_powers.front().assign(whole.log_powers.front().size(), 0);
  whole.intercept = false;
  return descend_robust(data, whole, options, options.iterations, matrix,
                        VectorXd::Zero(whole.size()))
      .theta;
}

}  // namespace

SumShape with_terms(const SumShape& shape, Index terms) {
  SumShape out = shape;
  out.terms = terms;
  const std::size_t columns = shape.log_powers.empty() ? 0 : shape.log_powers.front().size();
  out.log_powers.resize(static_cast<std::size_t>(terms), std::vector<int>(columns, 0));
  return out;
}

void extend_path(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                 std::vector<SumFit>& path, const std::vector<SumFit>& like) {
  if (!path.empty() && index(path.size()) >= shape.terms)
    return;
  const auto matrix = normal_matrix_of(data, shape, options.instructions, options.stop);
  const auto descent = [&](const SumShape& next, const VectorXd& start) {
    return descend_robust(data, next, options, options.iterations, matrix, start);
  };
  while (path.size() < like.size() && index(path.size()) < shape.terms)
    path.push_back(descent(with_terms(shape, index(path.size()) + 1), like[path.size()].theta));
  if (path.empty()) {
    const SumShape first = with_terms(shape, std::min<Index>(shape.terms, 1));
    path.push_back(descent(first, first_start(data, first)));
  }
  if (index(path.size()) >= shape.terms)
    return;
  const VectorXd log_linear = log_linear_solution(data, shape, options, matrix, path.front());
  while (index(path.size()) < shape.terms) {
    const SumShape next = with_terms(shape, index(path.size()) + 1);
    path.push_back(search_from(data, next, options, matrix, log_linear, path.back().theta));
  }
}

}  // namespace perfmodel
