#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/scaling.hpp"
#include "perfmodel/predict.hpp"
#include "report/document.hpp"
#include "report/documents.hpp"

// Curves of measured times, and what a model says beyond its predicted ones.
namespace perfmodel::scaling {

/// Two values of a column besides the scale whose times are too different for one mean: one is more
/// than twice the other or, of texts, they differ by more than their noise.
struct Unlike {
  std::string column;
  bool is_text = false;
  std::string words;  ///< "at gpus = 8, machine = a takes 0.16 times as long as at 1, ..."
};

/// Measured runs as a curve over a column of scales.
struct Curve {
  std::vector<Timing> timings;  ///< ascending scales
  /// True for several configurations: times are then geometric means of t(G) / t(G0) over the
  /// configurations measured at both, so that the first is 1.
  bool relative = false;
  std::vector<std::uint32_t> left_out;  ///< lines of rows that nothing could be compared with
  std::optional<Unlike> unlike;         ///< of several, a column of texts before one of numbers
};

struct CurveColumns {
  std::string scale;
  std::string target;
  bool target_is_throughput = false;  ///< work per time
  std::set<std::string> ignore;
};

/// Rows that agree in all other columns are one configuration; repeated runs are represented by
/// their median. Throws InputError if a scale or a time is not a number > 0, if there is only one
/// scale, or if no configuration was measured at the first scale and another one.
Curve curve_of(const Table& table, const CurveColumns& columns);

/// The part of a time that keeps it most from scaling perfectly: from t G0 / G, or for weak scaling
/// from t.
struct Limit {
  std::string part;   ///< of Form::parts(); one part if a single power describes all but C
  double share = 0;   ///< of the time
  double excess = 0;  ///< share of the time that perfect scaling of this part would save
};

/// The largest whole scale up to which the efficiency does not fall below its limit, if times are
/// at the upper ends of their intervals, as predicted, or at the lower ends; nullopt: it does not
/// fall below it in the table.
struct Knee {
  std::optional<double> lower;
  std::optional<double> predicted;
  std::optional<double> upper;
};

/// A scale at which a run is worth its cost.
struct ScaleToMeasure {
  double scale = 1;
  double gain = 0;  ///< decrease of the standard deviation of ln t at the aims, as a share
  double cost = 0;  ///< predicted time, of all workers together
};

/// What a model says beyond a study of its predicted times.
struct Forecast {
  /// Per row, if the model has intervals: speedup and efficiency of a run whose time is at the ends
  /// of its interval, relative to the predicted time of the first row.
  std::vector<Interval> speedups;
  std::vector<Interval> efficiencies;
  std::vector<std::optional<Limit>> limits;  ///< per row; nullopt: no part scales worse
  Knee knee;
  /// Scales of the table whose time the next runs should make certain: those around the knee, or
  /// the last one if the efficiency does not fall below its limit.
  std::vector<double> aims;
  std::vector<ScaleToMeasure> measure_first;  ///< the best first, each given those before it
};

struct ForecastRequest {
  const FittedModel& model;
  const NumericInput& scale;
  /// The configurations at some scales, all else held.
  std::function<Design(const std::vector<double>& scales)> at;
  const ScalingStudy& study;    ///< of the predicted times
  std::optional<double> level;  ///< of the intervals; nullopt if there are none
  bool counts_workers = true;   ///< a run costs its time for every worker
};

Forecast forecast(const ForecastRequest& request);

}  // namespace perfmodel::scaling

namespace perfmodel {

/// The scaling study of the runs of one level, whose law is not that of others.
struct LevelStudy {
  std::vector<std::pair<std::string, std::string>> at;  ///< columns and their levels
  bool relative = false;                                ///< times are relative to the first row
  std::vector<std::uint32_t> left_out;  ///< runs only: lines of rows that could not be compared
  scaling::ScalingStudy study;
};

/// Scaling study along one column, of a model or of all runs.
struct ScalingDocument : LevelStudy {
  std::string file;    ///< base name
  std::string source;  ///< "model" or "runs"
  std::string column;
  Unit unit = "";  ///< of times; empty if unknown
  Measure measure = Measure::time;
  std::vector<bool> in_range;         ///< model only, per row of the study: true if measured
  std::vector<Interval> intervals;    ///< model only, per row: prediction interval of the time
  double level = 0;                   ///< of the intervals
  bool tells_speedup = true;          ///< whether to report speedups, efficiencies and laws
  std::string kind_because;           ///< reason for the kind of work; empty if it was requested
  bool kind_is_open = false;          ///< the kind of work is an assumption
  std::vector<std::string> settings;  ///< model only: the inputs held fixed
  std::optional<Effect> doubling;     ///< model only
  std::string doubling_in_words;      ///< "1 -> 2: 1.9 times faster"
  std::string doubling_at;            ///< "the run of line 212 of runs.csv"
  std::optional<scaling::PowerPlusConstant> power;  ///< model only
  std::vector<scaling::Reading> readings;
  std::optional<double> model_pays_until;
  std::optional<scaling::Forecast> forecast;  ///< model only
  /// Runs only: where laws differ between levels; the study is then the mean, without laws.
  std::vector<LevelStudy> levels = {};
};

/// The document of one of its levels alone.
ScalingDocument of_level(ScalingDocument document, const LevelStudy& level);

void describe(Fields& f, const ScalingDocument& x);

}  // namespace perfmodel

namespace perfmodel::cli {

/// "left out, since ...: 5 rows, line 9, 10, 11, 12 and 13"
std::string words_of_left_out(const ScalingDocument& document);

/// The output of `scaling`; as CSV, only the rows. `width`: columns of the terminal. Throws
/// InputError for figures that are not finite.
std::string formatted(const ScalingDocument& document, OutputFormat format,
                      std::optional<std::size_t> width);

}  // namespace perfmodel::cli
