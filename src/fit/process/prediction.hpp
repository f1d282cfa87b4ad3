#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "fit/process/kernel/neighbours.hpp"
#include "fit/process/kernel/pair_tables.hpp"
#include "fit/process/merged_rows.hpp"
#include "fit/process/positive_matrix.hpp"
#include "fit/process/residual_process.hpp"

namespace perfmodel::process {

/// Of each asked row: the mean of z, to be added to the level and ln f, and the standard deviation
/// of that sum; what one run scatters about it is not in it.
struct Prediction {
  Eigen::VectorXd mean;
  Eigen::VectorXd deviation;  ///< empty where it was not asked for
};

/// Of the variances that z has at some rows given all others, the one that 19 in 20 do not exceed.
/// `noise`: of the mean of each row's runs.
double near_variance(const PositiveMatrix& covariance, const Eigen::VectorXd& noise);

/// What a process says about other rows; the process must outlive it.
///
/// Exact, or where the process says so, each from its nearest neighbours (Vecchia 1988): the rows
/// that are most correlated with it.
class Predictor {
 public:
  static constexpr Eigen::Index kManyRows = 1'000'000;

  /// `rows`: of how many it will be asked at most, where that is known.
  explicit Predictor(const ResidualProcess& process, Eigen::Index rows = kManyRows);

  Eigen::VectorXd mean(const Inputs& inputs, std::size_t threads,
                       const std::stop_token& stop = {}) const;

  /// The variance that z has at 19 in 20 of the known rows given the others: where more is left, no
  /// row is near, as rows are near to each other.
  double near_variance() const;

  /// The error of each known row given its neighbours and itself; only where predictions are from
  /// neighbours.
  RowErrors errors_of_known(std::size_t threads) const;

  /// With standard deviations: those of the process and, where the slopes of the trend at the asked
  /// rows are given, of what is not known of the trend.
  Prediction predict(const Inputs& inputs, const TrendUncertainty* trend,
                     const Eigen::MatrixXd& slopes, std::size_t threads,
                     const std::stop_token& stop = {}) const;

 private:
  struct Asked;

  const ResidualProcess& process_;
  CodedInputs known_;
  std::optional<Neighbours> tree_;   ///< where predictions are from nearest neighbours
  std::optional<PairTables> pairs_;  ///< there, too

  Eigen::VectorXd noise_of(std::span<const Eigen::Index> rows) const;
  struct Place;
  std::optional<Place> place_of(Eigen::Index row) const;
  double left_out_variance(Eigen::Index row) const;
  Eigen::MatrixXd noisy(Eigen::MatrixXd correlations, std::span<const Eigen::Index> rows) const;
  void from_all(const Asked& asked, const PositiveMatrix* covariance, Prediction& out) const;
  void from_neighbours(const Asked& asked, Eigen::Index row, bool deviation, Prediction& out) const;
  Prediction predicted(const Inputs& inputs, const TrendUncertainty* trend,
                       const Eigen::MatrixXd* slopes, bool deviations, std::size_t threads,
                       const std::stop_token& stop) const;
};

}  // namespace perfmodel::process
