#include "gp/classification.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "base/parallel.hpp"
#include "base/statistics.hpp"
#include "base/text.hpp"
#include "gp/gaussian_process.hpp"
#include "optimise/newton.hpp"

namespace perfmodel::gp {
namespace {

using Rows = std::vector<Index>;

/// Prior variance of the constant of f: with less, a rare failure would have to be explained by the
/// inputs; with more, the probability far from all runs would be 1/2 rather than the usual one.
constexpr double kConstantVariance = 10;
/// Median and standard deviation of the prior of the GP's variance, on the scale of logarithms. If
/// the inputs separate the outcomes, the likelihood alone would let it grow without bound.
constexpr double kTypicalVariance = 4;
constexpr double kLogVarianceDeviation = 1;
/// Every column has some effect at the start; 0 would be a stationary point.
constexpr double kStartInverseLength = 0.3;
constexpr double kStartRate = 0.3;
constexpr double kClassifierReduction = 1e-5;
constexpr int kMostNewtonSteps = 50;
constexpr double kLeastGain = 1e-10;  ///< of the log density, at which Newton's method ends
constexpr double kShortestStep = 1e-3;

/// ln p(outcomes | f) and its first three derivatives by f, per row.
struct LogLikelihood {
  double sum = 0;
  VectorXd slopes;
  VectorXd curvatures;  ///< minus the second derivatives
  VectorXd thirds;

  explicit LogLikelihood(Index rows)
      : slopes(VectorXd::Zero(rows)),
        curvatures(VectorXd::Zero(rows)),
        thirds(VectorXd::Zero(rows)) {}

  /// Adds `count` runs with the probability Phi(z), z being f or -f by the sign.
  void add(Index row, double count, double z, double sign) {
    if (count == 0)
      return;
    const double log_probability = log_normal_cdf(z);
    const double h = std::exp(-z * z / 2 - std::log(2 * std::numbers::pi) / 2 - log_probability);
    const double slope_of_h = -h * (h + z);
    sum += count * log_probability;
    slopes[row] += sign * count * h;
    curvatures[row] -= count * slope_of_h;
    thirds[row] -= sign * count * (slope_of_h * (h + z) + h * (slope_of_h + 1));
  }
};

/// Distinct rows with the numbers of their runs that failed and that finished.
struct Outcomes {
  CodedInputs inputs;
  VectorXd failed;
  VectorXd finished;

  LogLikelihood at(const VectorXd& f) const {
    LogLikelihood out(f.size());
    for (Index row = 0; row < f.size(); ++row) {
      out.add(row, failed[row], f[row], 1);
      out.add(row, finished[row], -f[row], -1);
    }
    return out;
  }
};

/// I + W^1/2 K W^1/2 (Rasmussen and Williams 2006, eq. 3.26); only the lower half of K is read.
PositiveMatrix factors_of(const MatrixXd& covariance, const VectorXd& curvatures,
                          std::size_t threads = 1) {
  const VectorXd roots = curvatures.cwiseSqrt();
  MatrixXd out = roots.asDiagonal() * covariance * roots.asDiagonal();
  out.diagonal().array() += 1;
  auto factors = PositiveMatrix::factorised(std::move(out), threads);
  if (!factors)
    throw std::logic_error("the matrix of a classification is not positive definite");
  return *std::move(factors);
}

/// The negative logarithm of the posterior density of the hyper-parameters, from Laplace's
/// approximation of the marginal likelihood (Rasmussen and Williams 2006, algorithms 3.1 and 5.1)
/// and the prior, without additive constants.
class LaplacePosterior {
 public:
  LaplacePosterior(const Outcomes& rows, HyperPrior prior, std::size_t threads)
      : rows_(rows),
        layout_(rows.inputs),
        prior_(std::move(prior)),
        threads_(threads),
        weights_(VectorXd::Zero(rows.inputs.rows)),
        at_(rows.inputs.rows) {}

  double cost(const VectorXd& hyper) {
    hyper_ = hyper;
    const Kernel kernel = layout_.kernel(hyper);
    covariance_ = correlations_among(kernel, rows_.inputs, threads_);
    covariance_ *= kernel.variance;
    find_mode();
    return (factors_->log_determinant() + prior_.squares(hyper)) / 2 - density_;
  }

  /// The gradient of the cost at the point of the last call of cost(). The change of the mode with
  /// the hyper-parameters enters by `moved` (eq. 5.23 and 5.24).
  VectorXd slopes() const {
    const VectorXd roots = at_.curvatures.cwiseSqrt();
    MatrixXd inner = factors_->inverse_lower();
    const VectorXd variances = (1 - inner.diagonal().array()) / at_.curvatures.array().max(1e-300);
    inner = roots.asDiagonal() * inner * roots.asDiagonal();
    const VectorXd moving = variances.cwiseProduct(at_.thirds) / 2;
    const VectorXd moved = moving - inner.selfadjointView<Eigen::Lower>() * of_covariance(moving);
    const VectorXd both = at_.slopes + 2 * moved;
    double sum = 0;
    for (Index k = 0; k < inner.cols(); ++k) {
      const Index below = inner.rows() - k;
      auto column = inner.col(k).tail(below);
      column -= (at_.slopes[k] * both.tail(below) + both[k] * at_.slopes.tail(below)) / 2;
      column.array() *= covariance_.col(k).tail(below).array();
      sum += column[0] + 2 * column.tail(below - 1).sum();
    }
    VectorXd out = prior_.slopes(hyper_);
    out.head(layout_.variance()) +=
        log_correlation_slopes(layout_.kernel(hyper_), rows_.inputs, inner, threads_) / 2;
    out[layout_.variance()] += sum / 2;
    return out;
  }

  const LogLikelihood& at_mode() const { return at_; }

 private:
  const Outcomes& rows_;
  HyperLayout layout_;
  HyperPrior prior_;
  std::size_t threads_ = 1;
  VectorXd hyper_;
  MatrixXd covariance_;  ///< of the GP, without the constant; the lower half
  VectorXd weights_;     ///< K^-1 f; each search for the mode starts from the last one
  VectorXd f_;
  LogLikelihood at_;    ///< at f
  double density_ = 0;  ///< ln p(outcomes | f) + ln p(f) without its determinant
  std::optional<PositiveMatrix> factors_;

  /// K times a vector, K including the constant.
  VectorXd of_covariance(const VectorXd& vector) const {
    return (covariance_.selfadjointView<Eigen::Lower>() * vector).array() +
           kConstantVariance * vector.sum();
  }

  void move_to(VectorXd weights) {
    weights_ = std::move(weights);
    f_ = of_covariance(weights_);
    at_ = rows_.at(f_);
    density_ = at_.sum - weights_.dot(f_) / 2;
  }

  /// Newton's method; the density is concave in f, and shorter steps make it never fall.
  void find_mode() {
    move_to(weights_);
    for (int step = 0; step < kMostNewtonSteps; ++step) {
      factors_ = factors_of(covariance_.array() + kConstantVariance, at_.curvatures, threads_);
      const VectorXd roots = at_.curvatures.cwiseSqrt();
      const VectorXd right = at_.curvatures.cwiseProduct(f_) + at_.slopes;
      const VectorXd newton =
          right -
          roots.cwiseProduct(VectorXd(factors_->solve(roots.cwiseProduct(of_covariance(right)))));
      const VectorXd from = weights_;
      const double before = density_;
      double length = 1;
      move_to(newton);
      while (!(density_ >= before) && length > kShortestStep) {
        length /= 2;
        move_to(from + length * (newton - from));
      }
      if (!(density_ > before + kLeastGain))
        break;
    }
  }
};

/// The rows of the runs: all if they are few; otherwise failed ones first, up to half of them.
struct Drawn {
  Rows rows;
  double drawn = 1;
};

Drawn drawn_rows(const Inputs& coordinates, const VectorXd& fails,
                 const ClassificationOptions& options) {
  Rows failed;
  Rows finished;
  for (const Index run : MergedRows::of(coordinates, fails).order)
    (fails[run] > 0 ? failed : finished).push_back(run);
  const Index most_failed = std::max(options.rows / 2, options.rows - index(finished.size()));
  const Rows some = sampled_rows(index(failed.size()), most_failed, options.seed);
  const Rows others =
      sampled_rows(index(finished.size()), options.rows - index(some.size()), options.seed);
  const auto share = [](const Rows& of, const Rows& all) {
    return static_cast<double>(of.size()) / static_cast<double>(all.size());
  };
  Drawn out{at_places(failed, some), share(others, finished) / share(some, failed)};
  const Rows rest = at_places(finished, others);
  out.rows.insert(out.rows.end(), rest.begin(), rest.end());
  return out;
}

HyperPrior prior_of(const HyperLayout& layout) {
  HyperPrior out = sparse_prior(layout);
  out.flat_above = -1;
  out.mean[layout.noise()] = 0;
  out.precision[layout.noise()] = 0;
  out.mean[layout.variance()] = std::log(kTypicalVariance);
  out.precision[layout.variance()] = 1 / (kLogVarianceDeviation * kLogVarianceDeviation);
  return out;
}

VectorXd start_of(const HyperLayout& layout, const HyperPrior& prior) {
  VectorXd out = prior.mean;
  for (Index j = 0; j < layout.numbers; ++j)
    out[layout.length(j)] = std::log(kStartInverseLength);
  for (Index j = 0; j < layout.levels; ++j)
    out[layout.rate(j)] = std::log(kStartRate);
  return out;
}

constexpr Index kAskedAtOnce = 256;
constexpr Index kColumnsOfBlock = 8;  ///< whole blocks, since solutions round differently otherwise

}  // namespace

Classification classify(const Inputs& inputs, const std::vector<bool>& fails,
                        const ClassificationOptions& options) {
  Classification out;
  out.coordinates = gp_coordinates(inputs, {});
  const Inputs coordinates = placed(inputs, out.coordinates);
  VectorXd failed(inputs.rows());
  std::ranges::copy(fails, failed.begin());
  const Drawn drawn = drawn_rows(coordinates, failed, options);
  out.drawn = drawn.drawn;
  const Inputs taken = take_rows(coordinates, drawn.rows);
  const MergedRows merged = MergedRows::of(taken, failed(drawn.rows));
  out.inputs = take_rows(taken, merged.first);
  const Outcomes rows{.inputs = CodedInputs(out.inputs),
                      .failed = merged.y.cwiseProduct(merged.runs),
                      .finished = (1 - merged.y.array()) * merged.runs.array()};
  const HyperLayout layout(rows.inputs);
  const HyperPrior prior = prior_of(layout);
  LaplacePosterior posterior(rows, prior, options.threads);
  optimise::QuasiNewtonOptions search;
  search.iterations = options.iterations;
  search.reduction = kClassifierReduction;
  search.stop = options.stop;
  const optimise::QuasiNewtonResult found =
      quasi_newton({.cost = [&](const VectorXd& hyper) { return posterior.cost(hyper); },
                    .gradient = [&] { return posterior.slopes(); }},
                   hyper_bounds(layout, 1), start_of(layout, prior), search);
  posterior.cost(found.best);
  out.kernel = layout.kernel(found.best);
  out.slopes = posterior.at_mode().slopes;
  out.curvatures = posterior.at_mode().curvatures;
  return out;
}

Classifier::Classifier(Classification of)
    : of_(std::move(of)),
      known_(of_.inputs),
      factors_(factors_of((of_.kernel.variance * correlations_among(of_.kernel, known_)).array() +
                              kConstantVariance,
                          of_.curvatures)) {}

VectorXd Classifier::probabilities(const Inputs& inputs, std::size_t threads) const {
  VectorXd out(inputs.rows());
  const double variance = of_.kernel.variance + kConstantVariance;
  const VectorXd roots = of_.curvatures.cwiseSqrt();
  const Index blocks = (inputs.rows() + kAskedAtOnce - 1) / kAskedAtOnce;
  parallel_for(to_size(blocks), threads, [&](std::size_t block) {
    const Index begin = index(block) * kAskedAtOnce;
    const Rows rows = consecutive(begin, std::min(begin + kAskedAtOnce, inputs.rows()));
    const CodedInputs asked(placed(take_rows(inputs, rows), of_.coordinates));
    const Index filled = (index(rows.size()) + kColumnsOfBlock - 1) / kColumnsOfBlock;
    MatrixXd shared = MatrixXd::Zero(known_.rows, kColumnsOfBlock * filled);
    shared.leftCols(index(rows.size())) =
        (of_.kernel.variance * correlations(of_.kernel, known_, asked)).array() + kConstantVariance;
    const MatrixXd known = factors_.whitened(roots.asDiagonal() * shared);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto column = index(i);
      const double left = std::max(0.0, variance - known.col(column).squaredNorm());
      const double score = shared.col(column).dot(of_.slopes) / std::sqrt(1 + left);
      const double p = normal_cdf(score);
      out[rows[i]] = of_.drawn * p / (of_.drawn * p + 1 - p);
    }
  });
  return out;
}

}  // namespace perfmodel::gp
