#include <algorithm>
#include <numeric>
#include <vector>

#include "base/index.hpp"
#include "base/tasks/parallel.hpp"
#include "fit/process/prediction.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

constexpr Index kJudgedRows = 200;
constexpr Index kRowsOfTask = 64;

Rows evenly_chosen(Index rows) {
  Rows out;
  const Index count = std::min(rows, kJudgedRows);
  for (Index i = 0; i < count; ++i)
    out.push_back(i * rows / count);
  return out;
}

/// The value that 19 in 20 do not exceed.
double exceeded_by_few(VectorXd values) {
  std::sort(values.begin(), values.end());
  return values[(19 * values.size() + 19) / 20 - 1];
}

}  // namespace

double near_variance(const PositiveMatrix& covariance, const VectorXd& noise) {
  const Rows some = evenly_chosen(covariance.size());
  MatrixXd units = MatrixXd::Zero(covariance.size(), index(some.size()));
  for (std::size_t i = 0; i < some.size(); ++i)
    units(some[i], index(i)) = 1;
  // The variance of a run given the others is 1 / (K^-1)_ii (Rasmussen and Williams 2006,
  // eq. 5.12).
  const VectorXd precisions = covariance.whitened(std::move(units)).colwise().squaredNorm();
  return exceeded_by_few(precisions.cwiseInverse() - noise(some));
}

/// A known row among its neighbours.
struct Predictor::Place {
  Rows rows;
  Index own = 0;  ///< where it stands among them
  PositiveMatrix covariance;
};

std::optional<Predictor::Place> Predictor::place_of(Index row) const {
  Rows rows;
  Index own = 0;
  for (const Neighbour& neighbour : tree_->nearest(
           process_.inputs.numbers.row(row), process_.inputs.levels.row(row).cast<double>(),
           static_cast<std::size_t>(process_.neighbours) + 1)) {
    if (neighbour.row == row)
      own = index(rows.size());
    rows.push_back(neighbour.row);
  }
  auto covariance = PositiveMatrix::factorised(noisy(pairs_->among(rows), rows));
  if (!covariance)
    return std::nullopt;
  return Place{.rows = std::move(rows), .own = own, .covariance = *std::move(covariance)};
}

double Predictor::left_out_variance(Index row) const {
  const auto place = place_of(row);
  if (!place)
    return process_.kernel.variance;
  const MatrixXd unit = VectorXd::Unit(index(place->rows.size()), place->own);
  return 1 / place->covariance.whitened(unit).squaredNorm() - noise_of(std::vector{row})[0];
}

double Predictor::near_variance() const {
  if (!tree_) {
    Rows all(static_cast<std::size_t>(known_.rows));
    std::iota(all.begin(), all.end(), Index{0});
    const auto covariance =
        PositiveMatrix::factorised(noisy(correlations_among(process_.kernel, known_), all));
    return covariance ? process::near_variance(*covariance, noise_of(all))
                      : process_.kernel.variance;
  }
  const Rows some = evenly_chosen(known_.rows);
  VectorXd variances(index(some.size()));
  for (std::size_t i = 0; i < some.size(); ++i)
    variances[index(i)] = left_out_variance(some[i]);
  return exceeded_by_few(std::move(variances));
}

RowErrors Predictor::errors_of_known(std::size_t threads) const {
  RowErrors out{.mean = VectorXd::Zero(known_.rows), .variance = VectorXd::Zero(known_.rows)};
  const auto tasks = static_cast<std::size_t>((known_.rows + kRowsOfTask - 1) / kRowsOfTask);
  parallel_for(tasks, threads, [&](std::size_t task) {
    const Index begin = index(task) * kRowsOfTask;
    for (Index row = begin; row < std::min(begin + kRowsOfTask, known_.rows); ++row) {
      const auto place = place_of(row);
      if (!place)
        continue;
      const VectorXd unit = VectorXd::Unit(index(place->rows.size()), place->own);
      const VectorXd of_own = place->covariance.solve(unit);  // a row of the inverse
      const double noise = noise_of(std::vector{row})[0];
      out.mean[row] = noise * of_own.dot(process_.residual(place->rows));
      out.variance[row] = std::max(0.0, noise - noise * noise * of_own[place->own]);
    }
  });
  return out;
}

}  // namespace perfmodel::process
