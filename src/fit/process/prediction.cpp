#include "fit/process/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/tasks/parallel.hpp"

namespace perfmodel::process {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;
using Rows = std::vector<Index>;

constexpr Index kRowsAtOnce = 256;

Rows consecutive(Index begin, Index end) {
  Rows out(static_cast<std::size_t>(end - begin));
  std::iota(out.begin(), out.end(), begin);
  return out;
}

/// Slopes of trend and level.
MatrixXd with_level(const MatrixXd& slopes) {
  MatrixXd out(slopes.rows(), slopes.cols() + 1);
  out << slopes, VectorXd::Ones(slopes.rows());
  return out;
}

/// Of universal kriging (Rasmussen and Williams 2006, eq. 2.42): `off` is how far the slopes at the
/// asked rows are from those that the process carries over from the known rows.
VectorXd trend_variance(const MatrixXd& off, const MatrixXd& covariance) {
  return (off * covariance).cwiseProduct(off).rowwise().sum();
}

}  // namespace

/// A block of rows, as coordinates.
struct Predictor::Asked {
  Inputs places;
  Rows rows;  ///< positions among all that are asked
  const TrendUncertainty* trend = nullptr;
  MatrixXd slopes;  ///< with the level's; empty without a trend
};

Predictor::Predictor(const ResidualProcess& process, Index rows)
    : process_(process), known_(process.inputs) {
  if (process.neighbours > 0) {
    const auto near = static_cast<double>(process.neighbours);
    tree_.emplace(process.kernel, known_);
    pairs_.emplace(process.kernel, known_, static_cast<double>(rows) * near * near / 2);
  }
}

VectorXd Predictor::mean(const Inputs& inputs, std::size_t threads,
                         const std::stop_token& stop) const {
  return predicted(inputs, nullptr, nullptr, false, threads, stop).mean;
}

Prediction Predictor::predict(const Inputs& inputs, const TrendUncertainty* trend,
                              const MatrixXd& slopes, std::size_t threads,
                              const std::stop_token& stop) const {
  return predicted(inputs, trend, trend != nullptr ? &slopes : nullptr, true, threads, stop);
}

VectorXd Predictor::noise_of(std::span<const Index> rows) const {
  VectorXd out(index(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    out[index(i)] = process_.kernel.noise / process_.runs[rows[i]];
  return out;
}

/// The covariance of measured runs, from their correlations.
MatrixXd Predictor::noisy(MatrixXd correlations, std::span<const Index> rows) const {
  correlations *= process_.kernel.variance;
  correlations.diagonal() += noise_of(rows);
  return correlations;
}

void Predictor::from_all(const Asked& asked, const PositiveMatrix* covariance,
                         Prediction& out) const {
  const Kernel& kernel = process_.kernel;
  const MatrixXd shared = kernel.variance * correlations(kernel, known_, CodedInputs(asked.places));
  // Row by row: products of matrices round by how many rows there are.
  for (Index i = 0; i < shared.cols(); ++i)
    out.mean[asked.rows[static_cast<std::size_t>(i)]] = shared.col(i).dot(process_.weights);
  if (covariance == nullptr)
    return;
  MatrixXd padded = MatrixXd::Zero(known_.rows, (shared.cols() + 7) / 8 * 8);
  padded.leftCols(shared.cols()) = shared;  // as the blocks of a product take them
  const MatrixXd weights = covariance->solve(std::move(padded)).leftCols(shared.cols());
  VectorXd variance =
      (kernel.variance - shared.cwiseProduct(weights).colwise().sum().array()).max(0).matrix();
  if (asked.trend != nullptr) {
    const Rows all = consecutive(0, known_.rows);
    const MatrixXd slopes = with_level(asked.trend->slopes(all));
    for (Index i = 0; i < shared.cols(); ++i) {
      const MatrixXd off = asked.slopes.row(i) - weights.col(i).transpose() * slopes;
      variance[i] += trend_variance(off, asked.trend->covariance)[0];
    }
  }
  out.deviation(asked.rows) = variance.cwiseSqrt();
}

void Predictor::from_neighbours(const Asked& asked, Index row, bool deviation,
                                Prediction& out) const {
  const Kernel& kernel = process_.kernel;
  const RowVectorXd numbers = asked.places.numbers.row(row);
  const RowVectorXd levels = asked.places.levels.row(row).cast<double>();
  const auto count = static_cast<std::size_t>(process_.neighbours);
  const std::vector<Neighbour> near = tree_->nearest(numbers, levels, count);
  Rows rows;
  VectorXd shared(index(near.size()));
  for (const Neighbour& neighbour : near) {
    shared[index(rows.size())] = kernel.variance * std::exp(-neighbour.distance);
    rows.push_back(neighbour.row);
  }
  const auto covariance = PositiveMatrix::factorised(noisy(pairs_->among(rows), rows));
  if (!covariance)
    return;
  const Index place = asked.rows[static_cast<std::size_t>(row)];
  const VectorXd weights = covariance->solve(shared);
  out.mean[place] = weights.dot(process_.residual(rows));
  if (!deviation)
    return;
  double variance = std::max(0.0, kernel.variance - shared.dot(weights));
  if (asked.trend != nullptr) {
    const MatrixXd off =
        asked.slopes.row(row) - weights.transpose() * with_level(asked.trend->slopes(rows));
    variance += trend_variance(off, asked.trend->covariance)[0];
  }
  out.deviation[place] = std::sqrt(variance);
}

Prediction Predictor::predicted(const Inputs& inputs, const TrendUncertainty* trend,
                                const MatrixXd* slopes, bool deviations, std::size_t threads,
                                const std::stop_token& stop) const {
  Prediction out{.mean = VectorXd::Zero(inputs.rows()),
                 .deviation = VectorXd::Zero(deviations ? inputs.rows() : 0)};
  std::optional<PositiveMatrix> covariance;
  if (deviations && !tree_) {
    const Rows all = consecutive(0, known_.rows);
    covariance =
        PositiveMatrix::factorised(noisy(correlations_among(process_.kernel, known_), all));
  }
  const auto blocks = static_cast<std::size_t>((inputs.rows() + kRowsAtOnce - 1) / kRowsAtOnce);
  parallel_for(blocks, threads, [&](std::size_t block) {
    if (stop.stop_requested())
      return;
    const Index begin = index(block) * kRowsAtOnce;
    Asked asked;
    asked.rows = consecutive(begin, std::min(begin + kRowsAtOnce, inputs.rows()));
    asked.places = placed(take_rows(inputs, asked.rows), process_.coordinates);
    if (trend != nullptr) {
      asked.trend = trend;
      asked.slopes = with_level(slopes->middleRows(begin, index(asked.rows.size())));
    }
    if (!tree_) {
      from_all(asked, covariance ? &*covariance : nullptr, out);
      return;
    }
    for (Index row = 0; row < asked.places.rows(); ++row)
      from_neighbours(asked, row, deviations, out);
  });
  return out;
}

}  // namespace perfmodel::process
