#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "gp/likelihood.hpp"
#include "gp/local_variance.hpp"
#include "optimise/algebra.hpp"

namespace perfmodel::gp {

/// Degrees of freedom of Student's t distribution, the model of heavy-tailed noise, under which
/// single disturbed runs decide nothing. It is normal noise of variance noise / w with a latent
/// weight w per run, found by expectation maximisation (Lange, Little and Taylor, Robust
/// statistical modeling using the t distribution, J. Am. Stat. Assoc. 84, 1989).
constexpr double kDegreesOfFreedom = 4;

/// Sets the weight of each run of the chosen rows; `noise`: variance of a run of weight 1. Returns
/// the weighted sum of squares of the runs' errors.
double weigh_runs(MergedRows& rows, std::span<const Index> chosen, const RowErrors& errors,
                  double noise);

/// Sets the weights of the runs of the chosen rows by their errors under the GP, in a few rounds of
/// expectation maximisation.
void weigh_rows(const Inputs& coordinates, const std::vector<Index>& chosen, const Kernel& kernel,
                std::size_t threads, MergedRows& rows);

/// Sets the weights of the runs by their distance from the intercept alone, without a GP, which
/// might have been fitted through disturbed runs.
void weigh_by_level(const Inputs& coordinates, const std::vector<Index>& chosen, MergedRows& rows);

/// If the runs scatter about the means of their rows with heavy tails, sets their weights by their
/// distance from the other runs of their row, with one scatter for all rows, and returns true: a
/// disturbed run then moves neither the mean of its row nor the GP.
bool weigh_within_rows(MergedRows& rows);

/// As weigh_rows(), and estimates the noise, too: in `hyper`, whose layout is HyperLayout.
void weigh_rows_and_noise(const Inputs& coordinates, const std::vector<Index>& chosen,
                          std::size_t threads, VectorXd& hyper, MergedRows& rows);

/// Leave-one-out errors: y minus its prediction from all other rows, and the standard deviation of
/// that (Rasmussen and Williams 2006, eq. 5.12).
struct LeftOut {
  VectorXd off;
  VectorXd deviation;
};
LeftOut left_out(const Observations& rows, const VectorXd& hyper, std::size_t threads = 1);

/// Whether a t distribution describes the values clearly better than a normal distribution, each
/// with its most likely scale.
bool has_heavy_tails(const VectorXd& values);

/// Residuals of known rows, and the number of runs (or sum of weights) behind each.
struct KnownRows {
  const CodedInputs& inputs;  ///< coordinates
  VectorXd residual;
  VectorXd runs;
};

/// The negative log density of sampled rows given their neighbours (leave-one-out cross-validation,
/// Rasmussen and Williams 2006, eq. 5.10), plus that of the prior. If the true covariance is not of
/// this family, the mode of this posterior predicts better than that of the marginal likelihood
/// (Bachoc 2013).
class LeftOutPosterior {
 public:
  /// `places`: per sampled row its neighbours and, last, the row itself. The sum over the sampled
  /// rows is scaled up to all rows.
  LeftOutPosterior(const KnownRows& rows, std::vector<std::vector<Index>> places, HyperPrior prior,
                   std::size_t threads);

  /// Infinite if a covariance is numerically singular.
  double cost(const VectorXd& hyper);
  /// The gradient of the cost at the point of the last call of cost().
  VectorXd slopes() const;
  /// Mean relative error of the leave-one-out predictions at that point; infinite if the cost is.
  double mean_relative_error() const;

 private:
  const KnownRows& rows_;
  std::vector<std::vector<Index>> places_;
  HyperLayout layout_;
  HyperPrior prior_;
  double rows_per_place_ = 1;
  double pair_count_ = 0;  ///< pairs of rows, over all places
  std::size_t threads_ = 1;
  VectorXd hyper_;
  std::vector<MatrixXd> correlations_;  ///< per place, as all below
  std::vector<MatrixXd> solved_;        ///< covariance^-1 times the last unit vector, and times y

  bool is_finite() const;
  VectorXd slopes_of(std::size_t place, const Kernel& kernel, const PairSlopes& pairs) const;
};

/// Typical variance of ln(measured time) about its expectation.
constexpr double kUsualNoise = 0.02 * 0.02;

/// A sparse prior: columns have hardly any effect (their correlations stay near 1) unless the data
/// show one. Noise is only penalised below `noise`, and so preferred to a GP of short lengths.
HyperPrior sparse_prior(const HyperLayout& layout, double noise = kUsualNoise);

/// One prior, for output: mean and standard deviation on the scale that `of` names.
struct PriorFacts {
  const char* of;
  double mean;
  double deviation;
};
std::vector<PriorFacts> prior_facts();

/// `spread`: variance of y, which GP, intercept and noise explain together.
optimise::Bounds hyper_bounds(const HyperLayout& layout, double spread);

struct GpOptions {
  std::vector<CoordinateForm> forms = {};  ///< per number; empty: usual_form()
  Index start_rows = 240;                  ///< number of rows on which the starts are compared
  Index hyper_rows = 800;   ///< number of rows from which the hyper-parameters are found
  Index exact_rows = 2000;  ///< beyond, predictions are from nearest neighbours
  Index neighbours = 60;
  std::size_t iterations = 150;  ///< at most, in the final search on `hyper_rows` rows
  /// Known weights of the runs; if they are given, the noise has heavy tails.
  VectorXd run_weights = {};
  /// Hyper-parameters of a similar data set to start from, in place of several starts.
  std::optional<VectorXd> start = {};
  /// Beside it, start where every column has an effect: among few rows there are two modes.
  bool also_lively = false;
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::stop_token stop = {};
};

/// y = ln t - ln f = level + z + noise, z being a Gaussian process (GP): all that predictions need.
struct GaussianProcess {
  std::vector<Coordinate> coordinates;
  Kernel kernel;
  Inputs inputs;      ///< coordinates of the rows; runs with equal inputs are one row
  VectorXd runs;      ///< per row
  VectorXd residual;  ///< per row: ln t - level - ln f
  VectorXd weights;   ///< z = variance * correlations * weights; empty beyond exact_rows
  Index neighbours = 0;
  double near_variance = 0;  ///< see Predictor::near_variance(); 0: not computed yet
};

/// The hyper-parameters found, and how.
struct HyperParameters {
  std::vector<Coordinate> coordinates;
  Kernel kernel;
  double level_deviation = 0;
  bool heavy_tails = false;  ///< if true, kernel.noise is the variance of a run of weight 1
  VectorXd position;         ///< all hyper-parameters, in the order of HyperLayout
  double cost = 0;           ///< negative log posterior density, up to a constant
  std::size_t evaluations = 0;
};

struct GpFit {
  HyperParameters hyper;
  GaussianProcess gp;
  double level = 0;
  VectorXd run_weights;  ///< in the order of the runs given
};

/// The coordinates of the numbers, standardised over the rows; empty `forms`: usual_form().
std::vector<Coordinate> gp_coordinates(const Inputs& inputs,
                                       const std::vector<CoordinateForm>& forms);

/// The mode of the posterior of the hyper-parameters, on a sample of the rows. `y`: per run.
HyperParameters search_hyper_parameters(const Inputs& inputs, const VectorXd& y,
                                        const GpOptions& options);

/// Fits intercept and GP to the residuals y = ln t - ln f of the runs. The intercept is the
/// generalised least squares estimate under the GP's covariance.
GpFit fit_gp(const Inputs& inputs, const VectorXd& y, HyperParameters hyper,
             const GpOptions& options);

struct PredictiveKernel {
  Kernel kernel;
  bool is_better = false;  ///< false: the kernel of the process
  std::size_t evaluations = 0;
};

/// For many rows: the kernel with the best leave-one-out predictions of sampled rows from their
/// nearest neighbours, which is how rows are predicted. It is searched from the kernel of `process`
/// and used only if it also predicts other rows better.
PredictiveKernel predictive_kernel(const GaussianProcess& gp, const GpOptions& options);

/// Per row: posterior mean of z, to be added to the intercept and ln f, and standard deviation of
/// z, without the noise of a run.
struct Prediction {
  VectorXd mean;
  VectorXd deviation;  ///< empty if not asked for
};

/// Predicts the GP at other rows; keeps a reference to the process.
///
/// Predictions are exact, but for the deviations given more than kMostExact rows, which are those
/// of LocalVariance; or, if the process has `neighbours`, each is conditioned on the rows most
/// correlated with it (Vecchia 1988).
class Predictor {
 public:
  static constexpr Index kManyRows = 1'000'000;
  static constexpr Index kMostExact = 600;

  /// `rows`: an upper bound of the number of rows to predict, if known.
  explicit Predictor(const GaussianProcess& gp, Index rows = kManyRows);

  /// 95th percentile of the leave-one-out variances of z at the known rows. A row with a larger
  /// variance is farther from the known rows than they are from each other.
  double near_variance() const;

  /// The error of each known row's mean, given itself and its neighbours, if these are used.
  RowErrors errors_of_known(std::size_t threads) const;

  /// The means, and the deviations if they are asked for.
  Prediction predicted(const Inputs& inputs, bool deviations, std::size_t threads) const;

 private:
  struct Asked;

  const GaussianProcess& gp_;
  CodedInputs known_;
  std::optional<Neighbours> tree_;   ///< set if predictions are from nearest neighbours
  std::optional<PairTables> pairs_;  ///< likewise
  std::optional<LocalVariance> local_;

  VectorXd noise_of(std::span<const Index> rows) const;
  struct Place;
  std::optional<Place> place_of(const Inputs& inputs, Index row, Index count) const;
  std::optional<PositiveMatrix> whole_covariance() const;
  double left_out_variance(Index row) const;
  MatrixXd noisy(MatrixXd correlations, std::span<const Index> rows) const;
  void from_all(const Asked& asked, const PositiveMatrix* covariance, Prediction& out) const;
  void from_neighbours(const Asked& asked, Index row, bool deviation, Prediction& out) const;
};

}  // namespace perfmodel::gp
