#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "gp/kernel.hpp"
#include "gp/likelihood.hpp"
#include "gp/matrix.hpp"
#include "gp/neighbours.hpp"
#include "optimise/algebra.hpp"

namespace perfmodel::process {

/// Noise with heavy tails, so that single runs that were disturbed decide nothing: Student's t
/// distribution. It is normal noise of variance noise / w, with a weight w of each run that is not
/// known; expectation and maximisation find it (Lange, Little and Taylor, Robust statistical
/// modeling using the t distribution, J. Am. Stat. Assoc. 84, 1989).
constexpr double kDegreesOfFreedom = 4;

/// Sets what each run of the chosen rows counts for, `noise` being the variance of a run of weight
/// 1. Returns the sum of the weighted squares of the runs' errors.
double weigh_runs(MergedRows& rows, std::span<const Eigen::Index> chosen, const RowErrors& errors,
                  double noise);

/// Weighs the chosen rows by what they all say, in a few rounds.
void weigh_rows(const Inputs& coordinates, const std::vector<Eigen::Index>& chosen,
                const Kernel& kernel, std::size_t threads, MergedRows& rows);

/// Weighs the chosen rows by how far they are from their level alone: no process is known that
/// could have passed through any of them.
void weigh_by_level(const Inputs& coordinates, const std::vector<Eigen::Index>& chosen,
                    MergedRows& rows);

/// The same as weigh_rows(), and the noise with it: in `hyper`, as HyperLayout has it.
void weigh_rows_and_noise(const Inputs& coordinates, const std::vector<Eigen::Index>& chosen,
                          std::size_t threads, Eigen::VectorXd& hyper, MergedRows& rows);

/// How far each row is from what the others say of it, y as it is there, and the standard deviation
/// of that (Rasmussen and Williams 2006, eq. 5.12).
struct LeftOut {
  Eigen::VectorXd off;
  Eigen::VectorXd deviation;
};
LeftOut left_out(const Observations& rows, const Eigen::VectorXd& hyper, std::size_t threads = 1);

/// Whether a t distribution describes numbers clearly better than a normal one, each with the scale
/// that suits it best.
bool has_heavy_tails(const Eigen::VectorXd& values);

/// What is known: the residuals of rows, and as how many runs each counts.
struct KnownRows {
  const CodedInputs& inputs;  ///< coordinates
  Eigen::VectorXd residual;
  Eigen::VectorXd runs;
};

/// The negative logarithm of the densities of some rows given those next to them (Rasmussen and
/// Williams 2006, eq. 5.10) and of the prior. Where no kernel of this family is the truth, its mode
/// predicts better than that of the marginal likelihood (Bachoc 2013).
class LeftOutPosterior {
 public:
  /// `places`: the neighbours of each row and, last, the row itself. They stand for all rows.
  LeftOutPosterior(const KnownRows& rows, std::vector<std::vector<Eigen::Index>> places,
                   HyperPrior prior, std::size_t threads);

  /// Infinite where a covariance is numerically singular.
  double cost(const Eigen::VectorXd& hyper);
  /// The slopes of the cost where it was asked for last.
  Eigen::VectorXd slopes() const;
  /// Of the predictions of the rows by the others, there, too; infinite where the cost is.
  double mean_relative_error() const;

 private:
  const KnownRows& rows_;
  std::vector<std::vector<Eigen::Index>> places_;
  HyperLayout layout_;
  HyperPrior prior_;
  double rows_per_place_ = 1;
  double pair_count_ = 0;  ///< of rows, over all places
  std::size_t threads_ = 1;
  Eigen::VectorXd hyper_;
  std::vector<Eigen::MatrixXd> correlations_;  ///< per place, as all below
  std::vector<Eigen::MatrixXd> solved_;        ///< covariance^-1 of its last unit and of y

  bool is_finite() const;
  Eigen::VectorXd slopes_of(std::size_t place, const Kernel& kernel, const PairSlopes& pairs) const;
};

/// The variance of the logarithms of measured times about what they would be, typically.
constexpr double kUsualNoise = 0.02 * 0.02;

/// Most columns do nothing until the runs say so: their correlation stays near 1. What a process of
/// short lengths and noise could both say is noise as far as it may be some.
HyperPrior sparse_prior(const HyperLayout& layout, double noise = kUsualNoise);

/// One line of the prior, for readers.
struct PriorFacts {
  const char* of;
  double mean;
  double deviation;
};
std::vector<PriorFacts> prior_facts();

/// `spread`: the variance of what process, trend and noise stand for.
optimise::Bounds hyper_bounds(const HyperLayout& layout, double spread);

struct HyperStart {
  /// Every column matters. Near what a good formula leaves, columns that do nothing are a
  /// stationary point: nothing but noise.
  bool lively = false;
  double noise_share = 0.05;  ///< of the variance; half of it is the process's
};
Eigen::VectorXd hyper_start(const Observations& rows, HyperStart from);

struct HyperResult {
  Eigen::VectorXd hyper;
  double cost = 0;
  std::size_t evaluations = 0;
};

/// The mode of the posterior from there.
HyperResult climb(const Observations& rows, const Eigen::VectorXd& start, std::size_t iterations,
                  std::size_t threads, const std::stop_token& stop);

struct ProcessOptions {
  std::vector<CoordinateForm> forms = {};  ///< of each number; empty: usual_form()
  Eigen::Index start_rows = 240;           ///< on which the starts are compared
  Eigen::Index hyper_rows = 800;           ///< from which the hyper-parameters are found
  Eigen::Index exact_rows = 2000;          ///< beyond, predictions are from nearest neighbours
  Eigen::Index neighbours = 60;
  std::size_t iterations = 150;  ///< at most, to the hyper-parameters, on all those rows
  /// What each run counts for, where that is known: noise has heavy tails then.
  Eigen::VectorXd run_weights = {};
  /// Hyper-parameters of like runs to start from, in place of several starts.
  std::optional<Eigen::VectorXd> start = {};
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::stop_token stop = {};
};

/// y = ln t - ln f = level + z + noise, and what is known of z: everything that predictions need.
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

/// What the likelihood decides.
struct HyperParameters {
  std::vector<Coordinate> coordinates;
  Kernel kernel;
  double level_deviation = 0;
  bool heavy_tails = false;  ///< of the noise: kernel.noise is of a run that counts for one
  Eigen::VectorXd position;  ///< all of them, in the order of HyperLayout
  double cost = 0;  ///< the negative logarithm of the posterior density, but for its constants
  std::size_t evaluations = 0;
};

struct ProcessFit {
  HyperParameters hyper;
  ResidualProcess process;
  double level = 0;
  Eigen::VectorXd run_weights;  ///< what each of the runs counts for
};

/// Those of the largest posterior density on a sample of the rows.
HyperParameters search_hyper_parameters(const Inputs& inputs, const Eigen::VectorXd& y,
                                        const ProcessOptions& options);

/// Level and process of what a formula leaves of the logarithms of the times, y = ln t - ln f. The
/// level is the generalised least squares under the process's covariance.
ProcessFit fit_process(const Inputs& inputs, const Eigen::VectorXd& y, HyperParameters hyper,
                       const ProcessOptions& options);

struct PredictiveKernel {
  Kernel kernel;
  bool is_better = false;  ///< else it is that of the process
  std::size_t evaluations = 0;
};

/// Of many rows: the kernel from which a sample of them is predicted best out of the rows next to
/// each, as predictions are; searched from that of the process on, and taken where it predicts
/// other rows better, too.
PredictiveKernel predictive_kernel(const ResidualProcess& process, const ProcessOptions& options);

/// Of each asked row: the mean of z, to be added to the level and ln f, and the standard deviation
/// of z; what one run scatters about it is not in it.
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

  /// With standard deviations.
  Prediction predict(const Inputs& inputs, std::size_t threads,
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
  Prediction predicted(const Inputs& inputs, bool deviations, std::size_t threads,
                       const std::stop_token& stop) const;
};

}  // namespace perfmodel::process
