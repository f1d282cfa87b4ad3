#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "fit/process/coordinates.hpp"
#include "fit/process/kernel.hpp"
#include "fit/process/trend.hpp"

namespace perfmodel::process {

struct ProcessOptions {
  std::vector<CoordinateForm> forms;  ///< of each number; empty: usual_form()
  Eigen::Index start_rows = 120;      ///< on which the starts are compared
  Eigen::Index hyper_rows = 400;      ///< from which the hyper-parameters are found
  Eigen::Index exact_rows = 2000;     ///< beyond, predictions are from nearest neighbours
  Eigen::Index neighbours = 100;
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::stop_token stop;
};

/// ln t = level + ln f + z + noise, and what is known of z: everything that predictions need.
struct ResidualProcess {
  std::vector<Coordinate> coordinates;
  Kernel kernel;
  Inputs inputs;             ///< coordinates of the rows, each for the runs that are equal in them
  Eigen::VectorXd runs;      ///< of each row
  Eigen::VectorXd residual;  ///< of each row: ln t - level - ln f
  Eigen::VectorXd weights;   ///< z = variance * correlations * weights; empty beyond exact_rows
  Eigen::Index neighbours = 0;
};

struct ProcessFit {
  ResidualProcess process;
  Eigen::VectorXd constants;  ///< of the trend
  double level = 0;
  Eigen::VectorXd hyper;  ///< as in HyperLayout
  double cost = 0;        ///< the negative logarithm of the posterior density there
  std::size_t evaluations = 0;
};

/// Trend and process together, by y = ln t; the trend refers to the rows of `inputs`.
///
/// The hyper-parameters are those of the largest posterior density on a sample of the rows; the
/// constants of the trend are then the generalised least squares under the process's covariance.
ProcessFit fit_process(const Inputs& inputs, const Eigen::VectorXd& y, const Trend& trend,
                       const ProcessOptions& options);

/// The coordinates that fit_process() uses: for trends in the same.
std::vector<Coordinate> process_coordinates(const Inputs& inputs,
                                            const std::vector<CoordinateForm>& forms);

}  // namespace perfmodel::process
