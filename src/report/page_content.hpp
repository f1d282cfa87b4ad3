#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/constants.hpp"
#include "analysis/effects.hpp"
#include "analysis/errors.hpp"
#include "analysis/scaling.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "trust/cross_validation.hpp"

namespace perfmodel::page {

/// A numeric input that is nowhere above another: 2 nodes have at least 2 GPUs.
struct NotAbove {
  std::size_t lower;  ///< numeric inputs, the intrinsic ones first
  std::size_t higher;
};

/// Pairs of columns of whole numbers that keep to this order in every run, and of which at least
/// two different numbers are equal somewhere, so that the order is a limit and no accident.
std::vector<NotAbove> orders_of(const Design& runs);

/// Whether a configuration keeps to them.
bool keeps_to(const std::vector<NotAbove>& orders, const Configuration& configuration);

enum class Spacing { linear, logarithmic };

/// What an axis spans. low < high; both > 0 where the spacing is logarithmic.
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

/// A range that holds these values with a little room at both ends, even where they are all equal.
/// Not empty; all finite, and > 0 for logarithmic spacing.
Range range_of(const std::vector<double>& values, Spacing spacing);

/// The smallest of 1, 2 or 5 times a power of ten that cuts the span into at most `most` steps.
/// Both > 0.
double round_step(double span, std::size_t most);

struct Point {
  double x = 0;
  double y = 0;
};

/// A cell of a grid, as its borders, and how many points it holds.
struct Cell {
  double x_low = 0;
  double x_high = 0;
  double y_low = 0;
  double y_high = 0;
  std::size_t count = 0;
};

/// The points of a figure, each of them or, where there are too many to be told apart, counted in
/// the cells of a grid; so a figure of a million points is no larger than one of some thousand.
struct Cloud {
  static constexpr std::size_t most_points = 2000;
  static constexpr std::size_t cells_per_side = 60;

  Range x;
  Range y;
  std::vector<Point> points;  ///< empty where they are counted
  std::vector<Cell> cells;    ///< those that hold points, by x, then by y
  std::size_t inside = 0;     ///< points in both ranges
  std::size_t outside = 0;    ///< points beyond them, which the figure does not show
};

Cloud cloud_of(const std::vector<Point>& points, const Range& x, const Range& y);

/// Runs beside a curve, as scale and time.
struct NearRuns {
  static constexpr double near = 1.25;  ///< the factor by which numbers of near runs may differ
  static constexpr double most_adjusted = 1.5;  ///< the factor by which a time may be adjusted
  static constexpr std::size_t most = 300;      ///< of each kind; of more evenly chosen ones

  std::vector<Point> measured;  ///< of the configuration itself, but for the scale: as they are
  std::vector<Point> adjusted;  ///< of near ones, times what the model says of the difference
  std::size_t all_measured = 0;
  std::size_t all_adjusted = 0;
};

/// The runs along a column of the configuration that is moved along it. `predicted` has an entry
/// per run.
NearRuns near_runs(const FittedModel& model, const Configuration& configuration,
                   std::size_t extrinsic, const Design& runs, const Eigen::VectorXd& predicted);

/// A part of the predicted time: an input of Eq. (4), a term of a sum, or C.
struct Share {
  std::string name;
  std::string title;         ///< of a term what it depends on; else the name
  std::string formula;       ///< of a term
  double percent = 0;        ///< of the time that the formula gives the runs
  double percent_shown = 0;  ///< of that at the shown run
};

/// The largest first; empty where predictions of both signs make shares meaningless.
std::vector<Share> shares_of(const FittedModel& model, const Design& runs,
                             const Configuration& shown);

/// What is added to the time at the shown run, one step after the other.
struct TimeSteps {
  static constexpr double least = 2;  ///< percent; smaller parts are one step together

  struct Step {
    std::string name;
    double time = 0;
  };
  std::vector<Step> steps;
  std::size_t folded = 0;  ///< parts in the step of the small ones
  double formula = 0;      ///< their sum
  /// What a residual process adds to that, below 0 where it takes off.
  std::optional<double> process;
};

/// Nothing without shares.
std::optional<TimeSteps> time_steps(const FittedModel& model, const std::vector<Share>& shares,
                                    const Configuration& shown, std::optional<double> time);

/// One run and how far its prediction is off: 100 (predicted - measured) / measured.
struct JudgedRow {
  std::uint32_t line = 0;  ///< in the file
  std::size_t row = 0;     ///< of the runs
  double measured = 0;
  double predicted = 0;
  double error_percent = 0;
};

/// How many errors e there are with low <= e < high (percent).
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

/// What figures and tables of the errors show.
struct Errors {
  /// x: measured, y: predicted, both axes of one logarithmic range. Nothing where no prediction is
  /// > 0.
  std::optional<Cloud> predicted_against_measured;
  /// x: predicted, y: error in percent; of most errors, see error_range().
  std::optional<Cloud> error_against_predicted;
  std::vector<Bar> histogram;  ///< of the same errors; round borders, one of them 0
  std::size_t beyond_histogram = 0;
  ErrorQuantiles quantiles;
  std::vector<JudgedRow> worst;  ///< the largest errors in percent, the largest first
  std::size_t not_positive = 0;  ///< predictions <= 0, which a logarithmic axis cannot show
};

/// Where most errors lie, in percent: all of up to 200, 99 % of more, a few of which can be so
/// large that nothing could be seen of the others. At least from -1 to 1 and with 0 inside.
Range error_range(const std::vector<double>& errors_percent);

/// The q-quantile (0 <= q <= 1) of values that are sorted, linear between neighbours.
double sorted_quantile(const std::vector<double>& sorted, double q);

/// `lines`, `measured` and `predicted` have an entry per run, at least one; measured times are > 0,
/// predictions finite.
Errors errors_of(const std::vector<std::uint32_t>& lines, const Eigen::VectorXd& measured,
                 const Eigen::VectorXd& predicted, std::size_t worst);

/// What the model says of one scale.
struct Forecast {
  double scale = 0;
  double time = 0;
  std::optional<Interval> interval;
  bool measured = true;  ///< within what the runs of the fit cover
  double speedup = 1;    ///< as `scaling` counts it, against the first of its forecasts
  double efficiency = 1;
};

/// The time of one configuration along an extrinsic column.
struct ScaleCurve {
  static constexpr double beyond = 4;  ///< times the highest measured scale: how far the curve goes

  std::string column;
  NumericInput measured;         ///< the range of the column in the training rows
  double shown = 0;              ///< the scale of the configuration itself
  bool whole = false;            ///< a scale is a whole number: nothing is between them
  std::vector<double> scales;    ///< distinct ones of the runs, where there are few
  std::vector<Forecast> points;  ///< of the curve, ascending
  /// The shown scale times powers of two: what the table lists and what is sped up.
  std::vector<Forecast> forecasts;
  scaling::KindOfWork work;
  std::vector<std::string> moved;  ///< other inputs that move along
  NearRuns runs;
};

/// One curve per extrinsic column that is not derived itself, where the model gives times and
/// configurations can exist; columns that are tied to the scale or derived from it move along.
/// `runs` have measured times, `predicted` one entry per run.
std::vector<ScaleCurve> scale_curves(const FittedModel& model, const Configuration& shown,
                                     const Design& runs, const Eigen::VectorXd& predicted,
                                     const std::vector<NotAbove>& orders);

/// The one along this column; without points where there is none.
ScaleCurve scale_curve(const FittedModel& model, const Configuration& shown, std::size_t extrinsic,
                       const Design& runs, const Eigen::VectorXd& predicted,
                       const std::vector<NotAbove>& orders);

/// The runs of one level.
struct RunGroup {
  std::string level;
  std::size_t rows = 0;
  double median_time = 0;           ///< measured
  double mape = 0;                  ///< percent
  std::vector<Effect> doublings;    ///< at the central run of these
  std::optional<ScaleCurve> curve;  ///< the same, along the scale of the figures; of the first ones
};

/// Runs of so different times that one typical time means nothing: several jobs in one file.
struct RunGroups {
  static constexpr double apart = 3;  ///< the factor between medians of levels that makes groups
  static constexpr std::size_t most = 24;
  static constexpr std::size_t most_figures = 12;

  std::string column;
  std::vector<RunGroup> groups;  ///< the longest median time first
  std::size_t left_out = 0;      ///< levels with fewer runs than those
};

/// By the column of levels whose medians of measured times lie farthest apart; nothing where none
/// do by the factor.
std::optional<RunGroups> run_groups(const FittedModel& model, const Design& runs,
                                    const Eigen::VectorXd& predicted,
                                    const std::vector<NotAbove>& orders);

/// A file by what is the same on every machine.
struct FileFacts {
  std::string file;  ///< base name
  std::size_t rows = 0;
  std::string sha256;       ///< empty where it is not known
  bool is_sampled = false;  ///< the page judges a sample of the rows, evenly spread
};

/// How another model does on the same runs.
struct Comparison {
  std::string model_file;  ///< base name of the other one
  Metrics metrics;         ///< its own
  /// Of the mean errors in percent: this model's less the other's, and where that may lie on other
  /// runs like these.
  double difference = 0;
  std::optional<Interval> interval;
  double confidence = 0;    ///< of the interval
  double nearer_share = 0;  ///< of the runs this model predicts better
};

/// A model and the runs that it is held against.
struct Source {
  const FittedModel& model;
  std::string tool;        ///< that writes the report: "perfmodel 0.1.0"
  std::string model_file;  ///< base name
  FileFacts runs;
  const std::vector<std::uint32_t>& lines;  ///< of the runs in their file
  const Design& design;
  const Eigen::VectorXd& predicted;
  Metrics metrics;
  std::vector<std::string> range_findings;   ///< where the runs leave what was measured
  std::optional<std::string> left_out = {};  ///< in words, the rows that have no predicted time
  std::optional<Comparison> comparison = {};
  std::string options = {};  ///< of the command that writes the page, as a shell takes them
  std::string key = {};      ///< of a model of a set, with its target: "kernel=gemm time_s"
  bool has_runs = true;  ///< else the only run is the central one of the fit, which judges nothing
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
  double level = 0;    ///< promised share
  double covered = 0;  ///< share of the runs that lie inside
  Interval factors;    ///< the time of the typical configuration times these is its interval
  /// What a new configuration can expect, where the model says so and configurations differ in it.
  std::optional<Interval> usual;
  bool differ = false;  ///< each configuration has factors of its own
};

/// An input of the typical configuration.
struct Setting {
  std::string column;
  std::string value;
};

/// The configuration at which the answers are given.
struct CentralConfiguration {
  Configuration configuration;
  bool of_the_fit = false;  ///< as the model has it; else the central one of the runs
  std::string place;        ///< "the run of line 212"
  std::vector<Setting> settings;
  std::optional<double> time;  ///< predicted; nothing where the model gives no time
};

/// All that a report says, computed; how it is laid out is not decided here.
struct Content {
  const FittedModel& model;
  std::string tool;
  std::string model_file;
  std::string options;
  std::string key;
  bool has_runs = true;
  FileFacts runs;
  bool fitted_to_these_runs = false;  ///< to this very file, or parts of it
  std::optional<FormCheck>
      other_form;  ///< of Eq. (4), where products predict these runs far better
  std::vector<std::string> range_findings;
  std::optional<std::string> left_out;    ///< rows of the runs, in words
  Metrics metrics;                        ///< of the runs
  std::vector<Part> parts;                ///< as the model has them
  std::optional<NoiseFloor> noise_floor;  ///< of the runs
  std::optional<IntervalCoverage> intervals;
  double shortest_time = 0;  ///< measured
  double median_time = 0;
  double longest_time = 0;
  Errors errors;
  std::vector<ErrorsAlong> errors_along;
  std::vector<std::vector<Setting>> worst_settings;  ///< of errors.worst
  std::vector<Share> shares;
  std::optional<TimeSteps> steps;  ///< of the typical configuration
  CentralConfiguration central;
  std::vector<Effect> effects;  ///< on the time of the typical configuration, the strongest first
  std::vector<ScalingPower> powers;
  std::vector<Effect> doublings;  ///< of the scales among them, in their order configuration
  std::vector<ScaleCurve> curves;
  std::optional<RunGroups> groups;
  std::vector<ConstantGroup> constants;
  std::vector<LevelDifference> differences;
  std::optional<Comparison> comparison;
  std::string formula;  ///< as `show` prints it
  std::string latex;
};

constexpr std::size_t kWorstRows = 10;

/// The result refers to the model of the source.
Content content_of(const Source& source);

/// What a script needs to give the time of any configuration, in JavaScript: an object `model` with
/// predict(), inputs() (of the same columns: numbers and positions of levels as the model takes
/// them), the columns, measured ranges and regions where nothing was measured, ties, intervals.
/// Nothing of a model that no function can hold.
std::optional<std::string> exploration_script(const FittedModel& model,
                                              const CentralConfiguration& start);

}  // namespace perfmodel::page
