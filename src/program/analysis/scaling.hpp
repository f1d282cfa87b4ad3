#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/predict.hpp"
#include "perfmodel/table.hpp"
#include "roles/column_facts.hpp"

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

/// The columns other than a scale, by what happens to them as it grows.
struct WorkColumns {
  std::string scale;
  std::string target;
  std::vector<std::string> held;    ///< fixed while the scale grows
  std::vector<ColumnProduct> tied;  ///< in the order that MovingColumns needs
  std::string throughput = {};      ///< whose inverse times fixed work is the target; else empty
  double least_share = 1;           ///< the shortest time as a share of that at the first scale
};

/// Whether the work grows with the scale.
struct KindOfWork {
  Kind kind = Kind::strong;
  std::string because;     ///< "'local_batch' is of one worker and stays the same"
  bool is_open = false;    ///< the kind is a mere assumption; `because` says what is unknown
  bool holds_all = false;  ///< the total work of all workers is fixed
};

/// Whether a scale is named as a count of workers: a batch size or token count has no efficiency.
bool counts_workers(const std::string& scale);

/// Decides by names. The time of an epoch or a sample, or a fixed total batch, means a fixed amount
/// of work; fixed work per worker, or a total batch that grows with the scale, means growing work,
/// as is assumed of any other size that does. Times that fall below half are of a fixed amount:
/// with more work, they would at best stay the same.
KindOfWork kind_of_work(const WorkColumns& columns);

/// WorkColumns::least_share of times by ascending scale.
double least_share(const std::vector<double>& times);

/// The columns of a model other than the scale, including those that were constant in its runs.
/// `moved`: inputs that move with the scale.
WorkColumns work_columns(const FittedModel& model, const std::string& scale,
                         const std::vector<std::string>& moved);

/// By bisection, the last whole scale at which a condition holds that holds at `low`, but not at
/// `high`; `low` if there is no other.
double last_whole_scale(double low, double high, const std::function<bool(double)>& holds);

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
