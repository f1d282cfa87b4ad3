#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/errors.hpp"
#include "analysis/model_words.hpp"
#include "analysis/scaling.hpp"
#include "base/eigen.hpp"
#include "effects/constants.hpp"
#include "effects/effects.hpp"
#include "perfmodel/model.hpp"
#include "trust/cross_validation.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/turning.hpp"

namespace perfmodel::page {

/// A numeric input that never exceeds another: the number of nodes never exceeds that of GPUs.
struct NotAbove {
  std::size_t lower;  ///< index of a numeric input, intrinsic ones first
  std::size_t higher;
};

/// Returns the pairs of whole-number columns with lower <= higher in every run. They must be equal
/// at two or more different values, as evidence that the order is a limit and not an accident.
std::vector<NotAbove> orders_of(const Design& runs);

/// True if the configuration satisfies all orders.
bool keeps_to(const std::vector<NotAbove>& orders, const Configuration& configuration);

/// True if all values are whole numbers.
bool all_whole(const std::vector<double>& values);

enum class Spacing { linear, logarithmic };

/// Range of an axis. low < high; both > 0 if the spacing is logarithmic.
struct Range {
  double low = 0;
  double high = 1;
  Spacing spacing = Spacing::linear;

  /// 0 at low, 1 at high.
  double position(double value) const;
  /// The inverse of position().
  double value(double position) const;
  bool contains(double value) const { return low <= value && value <= high; }
};

/// Returns a range that contains the values with a small margin at both ends, even if all are
/// equal. `values` must not be empty; all finite, and > 0 for logarithmic spacing.
Range range_of(const std::vector<double>& values, Spacing spacing);

/// Returns the smallest step of 1, 2 or 5 times a power of ten that divides `span` into at most
/// `most` steps. Both > 0.
double round_step(double span, std::size_t most);

struct Point {
  double x = 0;
  double y = 0;
};

/// Borders of a grid cell and the number of points in it.
struct Cell {
  double x_low = 0;
  double x_high = 0;
  double y_low = 0;
  double y_high = 0;
  std::size_t count = 0;
};

/// Points of a scatter plot. More than `most_points` are counted in the cells of a grid, so that a
/// figure of a million points is no larger than one of a few thousand.
struct Cloud {
  static constexpr std::size_t most_points = 2000;
  static constexpr std::size_t cells_per_side = 60;

  Range x;
  Range y;
  std::vector<Point> points;  ///< empty if they are counted in cells
  std::vector<Cell> cells;    ///< non-empty cells, sorted by x, then by y
  std::size_t inside = 0;     ///< number of points within both ranges
  std::size_t outside = 0;    ///< number of points outside, which are not drawn
};

Cloud cloud_of(const std::vector<Point>& points, const Range& x, const Range& y);

/// Runs to draw beside a scaling curve: x is the scale, y the time.
struct NearRuns {
  static constexpr double near = 1.25;  ///< largest factor between numeric inputs of near runs
  static constexpr double most_adjusted = 1.5;  ///< largest factor of adjustment of a time
  static constexpr std::size_t most = 300;      ///< of each kind; more are thinned evenly

  std::vector<Point> measured;  ///< runs that differ from the configuration in the scale only
  std::vector<Point> adjusted;  ///< near runs, each time corrected by the model's ratio
  std::size_t all_measured = 0;
  std::size_t all_adjusted = 0;
};

/// Returns the runs that are at or near `configuration` as it is moved along the column `numeric`,
/// counted as in numeric_input(). `predicted`: one entry per run.
NearRuns near_runs(const FittedModel& model, const Configuration& configuration,
                   std::size_t numeric, const Design& runs, const VectorXd& predicted);

/// Breakdown of the time at the shown configuration into cumulative steps.
struct TimeSteps {
  static constexpr double least = 2;  ///< percent; smaller shares are merged into one step

  struct Step {
    std::string name;
    double time = 0;
  };
  std::vector<Step> steps;
  double formula = 0;  ///< sum of the steps
  /// Residual correction of a Gaussian process, < 0 if it lowers the time.
  std::optional<double> gp;
};

/// A run with its error: error_percent = 100 (predicted - measured) / measured.
struct JudgedRow {
  std::uint32_t line = 0;  ///< line number in the file
  std::size_t row = 0;     ///< index among the runs
  double measured = 0;
  double predicted = 0;
  double error_percent = 0;
};

/// Bar of a histogram: number of errors e with low <= e < high (percent).
struct Bar {
  double low = 0;
  double high = 0;
  std::size_t count = 0;
};

/// Quantiles of the errors in percent.
struct ErrorQuantiles {
  double p5 = 0;
  double p25 = 0;
  double median = 0;
  double p75 = 0;
  double p95 = 0;
};

/// Content of the figures and tables of errors.
struct Errors {
  /// x: measured, y: predicted, on the same logarithmic range. nullopt if no prediction is > 0.
  std::optional<Cloud> predicted_against_measured;
  /// x: predicted, y: error in percent, within error_range().
  std::optional<Cloud> error_against_predicted;
  std::vector<Bar> histogram;  ///< of errors within error_range(); round borders, one of them 0
  std::size_t beyond_histogram = 0;
  ErrorQuantiles quantiles;
  std::vector<JudgedRow> worst;  ///< the largest errors in percent, the largest first
  std::size_t not_positive =
      0;  ///< number of predictions <= 0, which a logarithmic axis cannot show
};

/// `lines`, `measured` and `predicted` have one entry per run, at least one; measured times are >
/// 0, predictions finite. `worst`: number of largest errors to list.
Errors errors_of(const std::vector<std::uint32_t>& lines, const VectorXd& measured,
                 const VectorXd& predicted, std::size_t worst);

/// Prediction at one scale.
struct Forecast {
  double scale = 0;
  double time = 0;
  std::optional<Interval> interval;
  bool measured = true;  ///< within the range of the training rows
  double speedup = 1;    ///< as in `scaling`, relative to the first forecast
  double efficiency = 1;
};

/// Time of one configuration along an extrinsic column.
struct ScaleCurve {
  static constexpr double beyond =
      4;  ///< the curve ends at this multiple of the highest measured scale

  std::string column;
  NumericInput measured;         ///< range of the column in the training rows
  double shown = 0;              ///< scale of the configuration itself
  bool whole = false;            ///< scales are whole numbers
  std::vector<double> scales;    ///< distinct scales of the runs, if there are few
  std::vector<Forecast> points;  ///< of the curve, by ascending scale
  /// At the shown scale times powers of two, for the table and the speedups.
  std::vector<Forecast> forecasts;
  scaling::KindOfWork work;
  std::vector<std::string> moved;  ///< other inputs that change with the scale
  NearRuns runs;
};

/// Returns one curve per extrinsic column that is not derived, if the model gives times and the
/// configurations are possible. Columns that are tied to the scale or derived from it change with
/// it. `runs` have measured times; `predicted`: one entry per run.
std::vector<ScaleCurve> scale_curves(const FittedModel& model, const Configuration& shown,
                                     const Design& runs, const VectorXd& predicted,
                                     const std::vector<NotAbove>& orders);

/// Returns the curve along one column, counted as in numeric_input(); without points if there is
/// none. That of an intrinsic one ends where it was measured, and has no forecasts.
ScaleCurve scale_curve(const FittedModel& model, const Configuration& shown, std::size_t numeric,
                       const Design& runs, const VectorXd& predicted,
                       const std::vector<NotAbove>& orders);

/// Runs of one level of a column.
struct RunGroup {
  std::string level;
  std::size_t rows = 0;
  double median_time = 0;           ///< measured
  double mape = 0;                  ///< percent
  std::vector<Effect> doublings;    ///< at the central run of the group
  std::optional<ScaleCurve> curve;  ///< from the central run; first groups only
};

/// Runs grouped by level because one typical time is meaningless: several jobs in one file.
struct RunGroups {
  static constexpr double apart =
      3;  ///< smallest factor between medians of levels that makes groups
  static constexpr std::size_t most = 24;
  static constexpr std::size_t most_figures = 12;

  std::string column;
  std::vector<RunGroup> groups;  ///< the longest median time first
  std::size_t left_out = 0;      ///< number of levels omitted, with the fewest runs
};

/// Groups by the categorical column whose median times lie farthest apart; nullopt if no column
/// reaches the factor `apart`.
std::optional<RunGroups> run_groups(const FittedModel& model, const Design& runs,
                                    const VectorXd& predicted, const std::vector<NotAbove>& orders);

/// Facts about a file that are the same on every machine.
struct FileFacts {
  std::string file;  ///< base name
  std::size_t rows = 0;
  std::string sha256;       ///< empty if unknown
  bool is_sampled = false;  ///< the page uses an evenly spaced sample of the rows
};

/// Comparison with another model on the same runs.
struct Comparison {
  std::string model_file;  ///< base name of the other model
  Metrics metrics;         ///< of the other model
  /// This model's mean error less the other's, in percent, with the interval expected for similar
  /// runs.
  double difference = 0;
  std::optional<Interval> interval;
  double confidence = 0;    ///< of the interval
  double nearer_share = 0;  ///< share of the runs that this model predicts better
  Biases biases = {};       ///< of the other model on all runs of the file
  double mape_of_all = 0;   ///< its error there
};

/// Rows among those to judge that the model was fitted to.
struct UsedRows {
  std::size_t used = 0;
  std::size_t rows = 0;     ///< of all
  bool are_judged = false;  ///< with the others, where each run is listed

  bool all() const { return used > 0 && used == rows; }
  /// "206 of 529 rows were used for the fit: the other 323 are judged"; empty if none was.
  std::string text() const;
};

/// A model and the runs that it is judged on.
struct Source {
  const FittedModel& model;
  std::string tool;        ///< program that writes the report: "perfmodel 0.1.0"
  std::string model_file;  ///< base name
  FileFacts runs;
  const std::vector<std::uint32_t>& lines;  ///< line numbers of the runs in their file
  const Design& design;
  const VectorXd& predicted;
  Metrics metrics;
  std::vector<std::string> range_findings;   ///< sentences on runs outside of the measured range
  std::optional<std::string> left_out = {};  ///< text on rows without a predicted time
  UsedRows used = {};                        ///< rows that the model was fitted to
  std::optional<Comparison> comparison = {};
  std::string command = {};    ///< that writes the page
  std::string key = {};        ///< of a model in a set, with its target: "kernel=gemm time_s"
  std::string id_prefix = {};  ///< of the ids of figures, which are unique within a page
  bool has_runs = true;        ///< else the only run is the fit's central one, which is no test
};

/// Metrics of one part of the data.
struct Part {
  std::string name;  ///< "training", "validation", "test", "mean of 5 folds"
  Metrics metrics;
};

/// Constants that belong together.
struct ConstantGroup {
  std::string name;  ///< of the input or the term
  std::vector<ConstantRow> constants;
};

/// The model's prediction intervals on the runs.
struct IntervalCoverage {
  double covered = 0;       ///< share of the runs inside their intervals
  IntervalFactors factors;  ///< of the central configuration
};

/// Returns the inputs of a configuration on one line: "batch = 64, gpu = a100, gpus = 8".
std::string settings_text(const ModelSpec& spec, const Configuration& configuration);

/// The configuration at which the answers are given.
struct CentralConfiguration {
  Configuration configuration;
  bool of_the_fit = false;     ///< from the model; else the central one of the runs
  std::string place;           ///< "the run of line 212"
  std::optional<double> time;  ///< predicted; nullopt if the model gives no time
};

/// Computed content of a report, independent of its layout.
struct Content : Source {
  explicit Content(const Source& source) : Source(source) {}

  bool fitted_to_these_runs = false;    ///< the model was fitted to this file or a part of it
  std::optional<BoundUse> bound;        ///< of a bound, which is not judged by its errors
  std::vector<Turn> turns;              ///< of the runs, against the model
  std::optional<FormCheck> other_form;  ///< of Eq. (4); set if other forms would predict far better
  std::vector<Part> parts;              ///< as stored in the model
  std::optional<NoiseFloor> noise_floor;  ///< of the runs
  Biases biases;                          ///< of runs that are not those of the fit
  std::optional<IntervalCoverage> intervals;
  double median_time = 0;  ///< measured
  Errors errors;
  std::vector<ErrorsAlong> errors_along;
  std::vector<Share> shares;
  std::optional<TimeSteps> steps;  ///< of the central configuration
  bool is_average = false;         ///< predictions are averages with a process of the runs
  CentralConfiguration central;
  std::vector<Effect> effects;  ///< on the time of the central configuration, the strongest first
  std::vector<ScalingPower> powers;
  std::vector<Effect> doublings;  ///< of the scales among them
  std::vector<ScaleCurve> curves;
  std::optional<RunGroups> groups;
  std::vector<ConstantGroup> constants;
};

constexpr std::size_t kWorstRows = 10;

/// The result keeps the references of the source.
Content content_of(const Source& source);

/// Returns JavaScript that defines an object `model`: predict(), inputs() (the same columns as
/// numbers and level indices), the columns, measured ranges and unmeasured regions, ties,
/// intervals. nullopt if the model cannot be written as a function.
std::optional<std::string> exploration_script(const FittedModel& model,
                                              const CentralConfiguration& start);

}  // namespace perfmodel::page
