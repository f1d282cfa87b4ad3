#include "fit/sum/descent/term_search.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "base/random.hpp"
#include "base/tasks/parallel.hpp"
#include "fit/sum/descent/robust_loss.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

/// Steps after which the starts are compared; the best goes on alone.
constexpr std::size_t kShortDescent = 12;
/// After which the worse half of them may stop.
constexpr std::size_t kFirstDescent = 3;
/// Standard deviation of a start's powers around the log-linear ones.
constexpr double kScatter = 0.6;
/// Of the time: large enough to be seen, small enough to leave the other terms where they are.
constexpr double kShareOfNewTerm = 0.25;
constexpr double kShareTakenAway = 0.02;
/// Where C begins, as a share of the shortest time: it cannot be more than all of it.
constexpr double kFirstIntercept = 0.5;

/// Where a single term and C begin; one that is taken away needs a C that is large enough.
VectorXd first_start(const TermData& data, const SumShape& shape) {
  VectorXd out = VectorXd::Zero(shape.size());
  if (!shape.intercept)
    return out;
  double& log_intercept = out[out.size() - 1];
  log_intercept = std::log(kFirstIntercept * data.time.minCoeff());
  if (shape.terms > 0 && shape.sign(0) < 0) {
    log_intercept = std::log(1.5 * data.time.maxCoeff());
    out[0] = std::log(kShareTakenAway);  // little, lest a logarithm takes away more than there is
  }
  return out;
}

/// A term scattered around the log-linear solution, of this share of its time.
VectorXd scattered_term(const VectorXd& log_linear, double share, RandomStream& random) {
  VectorXd term = log_linear;
  term[0] += std::log(share);
  for (Index j = 1; j < term.size(); ++j)
    term[j] += kScatter * random.normal();
  return term;
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
  const std::vector<bool> held = shape.held();
  for (Index j = 0; j < theta.size(); ++j)
    if (held[static_cast<std::size_t>(j)])
      theta[j] = 0;
  if (shape.intercept)
    theta[theta.size() - 1] = from_smaller ? smaller[smaller.size() - 1] : log_intercept;
  return shape.tied(std::move(theta));
}

DescentOptions descent_of(const SumShape& shape, const TermSearchOptions& options,
                          std::size_t iterations, std::shared_ptr<const NormalMatrix> matrix) {
  return {.iterations = iterations,
          .tolerance = options.tolerance,
          .held = shape.held(),
          .instructions = options.instructions,
          .stop = options.stop,
          .normal_matrix = std::move(matrix)};
}

SumFit search_from(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                   const std::shared_ptr<const NormalMatrix>& matrix, const VectorXd& log_linear,
                   const VectorXd& smaller) {
  const SumLoss loss = robust_loss(data, shape, options.ridge);
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
      fits[s] =
          descend(data, shape, loss, fits[s].theta, descent_of(shape, options, iterations, matrix));
    });
    for (const SumFit& fit : fits)
      evaluations += fit.evaluations;
    std::stable_sort(fits.begin(), fits.end(),
                     [](const SumFit& a, const SumFit& b) { return a.cost < b.cost; });
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

/// The single term without C: least squares, up to robustness.
VectorXd log_linear_solution(const TermData& data, const SumShape& shape,
                             const TermSearchOptions& options,
                             const std::shared_ptr<const NormalMatrix>& matrix,
                             const SumFit& single) {
  if (shape.left_out.empty() && shape.sign(0) > 0)
    return single.theta.head(shape.terms > 0 ? shape.features() : 0);
  SumShape whole = with_terms(shape, 1);
  whole.left_out.clear();
  whole.signs.clear();
  whole.intercept = false;
  return descend(data, whole, robust_loss(data, whole, options.ridge), VectorXd::Zero(whole.size()),
                 descent_of(whole, options, options.iterations, matrix))
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

void refit_path(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                const std::vector<SumFit>& like, std::vector<SumFit>& path) {
  const auto matrix = normal_matrix_of(data, shape, options.instructions, options.stop);
  while (path.size() < like.size() && static_cast<Index>(path.size()) < shape.terms) {
    const SumShape next = with_terms(shape, static_cast<Index>(path.size()) + 1);
    path.push_back(descend(data, next, robust_loss(data, next, options.ridge),
                           like[path.size()].theta,
                           descent_of(next, options, options.iterations, matrix)));
  }
}

void extend_path(const TermData& data, const SumShape& shape, const TermSearchOptions& options,
                 std::vector<SumFit>& path) {
  if (!path.empty() && static_cast<Index>(path.size()) >= shape.terms)
    return;
  const auto matrix = normal_matrix_of(data, shape, options.instructions, options.stop);
  if (path.empty()) {
    const SumShape first = with_terms(shape, std::min<Index>(shape.terms, 1));
    path.push_back(descend(data, first, robust_loss(data, first, options.ridge),
                           first_start(data, first),
                           descent_of(first, options, options.iterations, matrix)));
  }
  const VectorXd log_linear = log_linear_solution(data, shape, options, matrix, path.front());
  while (static_cast<Index>(path.size()) < shape.terms) {
    const SumShape next = with_terms(shape, static_cast<Index>(path.size()) + 1);
    path.push_back(search_from(data, next, options, matrix, log_linear, path.back().theta));
  }
}

}  // namespace perfmodel
