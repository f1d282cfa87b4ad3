#include "fit/process/left_out_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "base/tasks/parallel.hpp"
#include "base/to_size.hpp"
#include "fit/process/kernel/pair_slopes.hpp"
#include "fit/process/kernel/pair_tables.hpp"
#include "fit/process/positive_matrix.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

constexpr std::size_t kPlacesAtOnce = 32;

/// In blocks, so that sums do not depend on the number of threads.
void for_each_place(std::size_t places, std::size_t threads,
                    const std::function<void(std::size_t block, std::size_t place)>& visit) {
  parallel_for((places + kPlacesAtOnce - 1) / kPlacesAtOnce, threads,
               [&](std::size_t block) {
                 const std::size_t begin = block * kPlacesAtOnce;
                 for (std::size_t i = begin; i < std::min(begin + kPlacesAtOnce, places); ++i)
                   visit(block, i);
               });
}

double count_pairs(const std::vector<Rows>& places) {
  double out = 0;
  for (const Rows& rows : places)
    out += static_cast<double>(rows.size() * rows.size()) / 2;
  return out;
}

}  // namespace

LeftOutPosterior::LeftOutPosterior(const KnownRows& rows, std::vector<Rows> places,
                                   HyperPrior prior, std::size_t threads)
    : rows_(rows),
      places_(std::move(places)),
      layout_(index(rows.inputs.numbers.size()), index(rows.inputs.levels.size()), 0),
      prior_(std::move(prior)),
      rows_per_place_(static_cast<double>(rows.inputs.rows) / static_cast<double>(places_.size())),
      pair_count_(count_pairs(places_)),
      threads_(threads),
      correlations_(places_.size()),
      solved_(places_.size()) {}

double LeftOutPosterior::cost(const VectorXd& hyper) {
  hyper_ = hyper;
  const Kernel kernel = layout_.kernel(hyper);
  const PairTables pairs(kernel, rows_.inputs, pair_count_);
  VectorXd costs(index(places_.size()));
  for_each_place(places_.size(), threads_, [&](std::size_t, std::size_t i) {
    const Rows& rows = places_[i];
    const Index last = index(rows.size()) - 1;
    correlations_[i] = pairs.among(rows);
    MatrixXd covariance = kernel.variance * correlations_[i];
    covariance.diagonal() += kernel.noise * rows_.runs(rows).cwiseInverse();
    const auto factors = PositiveMatrix::factorised(std::move(covariance));
    if (!factors) {
      costs[index(i)] = std::numeric_limits<double>::infinity();
      solved_[i].resize(0, 0);
      return;
    }
    solved_[i].resize(last + 1, 2);
    solved_[i] << factors->inverse_last(), factors->solve(rows_.residual(rows));
    // Error and variance of the row given the others are r / s and 1 / s (eq. 5.12).
    const double s = solved_[i](last, 0);
    const double r = solved_[i](last, 1);
    costs[index(i)] = (r * r / s - std::log(s)) / 2;
  });
  const VectorXd off = hyper - prior_.mean;
  return rows_per_place_ * costs.sum() + off.cwiseProduct(prior_.precision).dot(off) / 2;
}

VectorXd LeftOutPosterior::slopes_of(std::size_t place, const Kernel& kernel,
                                     const PairSlopes& pairs) const {
  const Rows& rows = places_[place];
  const Index count = index(rows.size());
  const auto u = solved_[place].col(0);
  const auto r = solved_[place].col(1);
  const double error = r[count - 1] / u[count - 1];
  // d cost = sum_ab (of_u u_a u_b - of_r (u_a r_b + r_a u_b)) d covariance_ab
  const double of_u = (1 / u[count - 1] + error * error) / 2;
  const double of_r = error / 2;
  const VectorXd diagonal = u.cwiseProduct(of_u * u - 2 * of_r * r);
  // Both halves of what depends on the correlation of each pair.
  VectorXd weights(count * (count - 1) / 2);
  Index first = 0;
  for (Index k = 0; k < count; ++k) {
    const Index below = count - k - 1;
    weights.segment(first, below) = correlations_[place].col(k).tail(below).cwiseProduct(
        2 * kernel.variance * (of_u * u[k] - of_r * r[k]) * u.tail(below) -
        2 * kernel.variance * of_r * u[k] * r.tail(below));
    first += below;
  }
  VectorXd out(layout_.size());
  out.head(layout_.variance()) = pairs.sums(rows, weights);
  out[layout_.variance()] = kernel.variance * diagonal.sum() + weights.sum();
  out[layout_.noise()] = kernel.noise * diagonal.cwiseQuotient(rows_.runs(rows)).sum();
  return out;
}

bool LeftOutPosterior::is_finite() const {
  return std::all_of(
      solved_.begin(), solved_.end(), [](const MatrixXd& solved) { return solved.size() > 0; });
}

double LeftOutPosterior::mean_relative_error() const {
  if (!is_finite())
    return std::numeric_limits<double>::infinity();
  double sum = 0;
  for (const MatrixXd& solved : solved_) {
    const auto last = solved.row(solved.rows() - 1);
    sum += std::abs(std::exp(-last[1] / last[0]) - 1);  // of ln(time / prediction)
  }
  return sum / static_cast<double>(solved_.size());
}

VectorXd LeftOutPosterior::slopes() const {
  const VectorXd of_prior = prior_.precision.cwiseProduct(hyper_ - prior_.mean);
  if (!is_finite())
    return of_prior;
  const Kernel kernel = layout_.kernel(hyper_);
  const PairSlopes pairs(kernel, rows_.inputs, pair_count_);
  std::vector<VectorXd> sums((places_.size() + kPlacesAtOnce - 1) / kPlacesAtOnce,
                             VectorXd::Zero(layout_.size()));
  for_each_place(places_.size(), threads_, [&](std::size_t block, std::size_t i) {
    sums[block] += slopes_of(i, kernel, pairs);
  });
  VectorXd out = VectorXd::Zero(layout_.size());
  for (const VectorXd& sum : sums)
    out += sum;
  return rows_per_place_ * out + of_prior;
}

}  // namespace perfmodel::process
