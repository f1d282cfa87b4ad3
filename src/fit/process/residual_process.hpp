#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "fit/process/kernel/coordinates.hpp"
#include "fit/process/kernel/kernel.hpp"
#include "fit/process/positive_matrix.hpp"
#include "fit/process/trend.hpp"

namespace perfmodel::process {

struct ProcessOptions {
  std::vector<CoordinateForm> forms = {};  ///< of each number; empty: usual_form()
  Eigen::Index start_rows = 120;           ///< on which the starts are compared
  Eigen::Index hyper_rows = 400;           ///< from which the hyper-parameters are found
  Eigen::Index exact_rows = 2000;          ///< beyond, predictions are from nearest neighbours
  Eigen::Index neighbours = 60;
  std::size_t iterations = 150;  ///< at most, to the hyper-parameters, on all those rows
  std::size_t trend_steps = 30;  ///< at most, to the constants of a trend that is not linear
  /// What each run counts for, where that is known: noise has heavy tails then.
  Eigen::VectorXd run_weights = {};
  /// Hyper-parameters of like runs to start from, in place of several starts.
  std::optional<Eigen::VectorXd> start = {};
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::stop_token stop = {};
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
  double near_variance = 0;  ///< see Predictor::near_variance(); 0 where it is not known yet
};

/// What is not known of the trend.
struct TrendUncertainty {
  /// d ln f / d constants at some of the process's rows.
  std::function<Eigen::MatrixXd(std::span<const Eigen::Index> rows)> slopes;
  Eigen::MatrixXd covariance;  ///< of the constants, the level last
};

/// The covariance of the runs that the trend was fitted to, process and noise.
struct Whitening {
  std::vector<Eigen::Index> rows;  ///< positions among the runs: one of each configuration
  PositiveMatrix factors;
};

/// What the likelihood decides.
struct HyperParameters {
  std::vector<Coordinate> coordinates;
  Kernel kernel;
  Eigen::VectorXd group_deviations;  ///< of the trend's constants, in units of their scales
  double level_deviation = 0;
  bool heavy_tails = false;  ///< of the noise: kernel.noise is of a run that counts for one
  Eigen::VectorXd position;  ///< all of them, in the order of HyperLayout
  double cost = 0;  ///< the negative logarithm of the posterior density, but for its constants
  std::size_t evaluations = 0;
};

struct ProcessFit {
  HyperParameters hyper;
  ResidualProcess process;
  Eigen::VectorXd constants;  ///< of the trend
  double level = 0;
  TrendUncertainty trend;
  Whitening whitening;
  Eigen::VectorXd run_weights;  ///< what each of the runs counts for
};

/// ln(time / prediction) of each configuration of the whitening by all others, the trend being as
/// it is (Rasmussen and Williams 2006, eq. 5.12). Empty where predictions are from neighbours.
Eigen::VectorXd left_out_errors(const ProcessFit& fit);

/// Those of the largest posterior density on a sample of the rows.
HyperParameters search_hyper_parameters(const Inputs& inputs, const Eigen::VectorXd& y,
                                        const Trend& trend, const ProcessOptions& options);

/// Trend and process together, by y = ln t; the trend refers to the rows of `inputs`. Its constants
/// are the generalised least squares under the process's covariance.
ProcessFit fit_process(const Inputs& inputs, const Eigen::VectorXd& y, const Trend& trend,
                       const HyperParameters& hyper, const ProcessOptions& options);

/// The same for each of several priors of the trend, the process being the same.
std::vector<ProcessFit> fit_processes(const Inputs& inputs, const Eigen::VectorXd& y,
                                      const Trend& trend, HyperParameters hyper,
                                      const std::vector<Eigen::VectorXd>& group_deviations,
                                      const ProcessOptions& options);

/// The coordinates that search_hyper_parameters() uses: for trends in the same.
std::vector<Coordinate> process_coordinates(const Inputs& inputs,
                                            const std::vector<CoordinateForm>& forms);

}  // namespace perfmodel::process
