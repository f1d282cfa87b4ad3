#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"

namespace perfmodel {

/// A configuration that settings start from.
struct BaseConfiguration {
  Table table;       ///< of one row
  std::string name;  ///< "the run of line 212"
};

/// The central run of a model; nothing where its file tells none.
std::optional<BaseConfiguration> central_base(const FittedModel& model);

/// The run of this line of a table, by its columns that the model needs. Throws UsageError where no
/// run stands there.
BaseConfiguration base_of_line(const Table& table, std::uint32_t line, const ModelSpec& spec);

/// Configurations of all columns that a model needs.
struct SetConfigurations {
  Table table;                       ///< a row per configuration
  std::vector<std::string> varied;   ///< columns that were set to several values
  std::vector<std::string> assumed;  ///< "batch=32": as in the base, since nobody set it
  std::vector<std::string> moved;    ///< columns of the base that moved with a scale
};

/// The configurations that `COL=VALUE ...` describe, where a value may be a list or a range
/// (listed_numbers()): of several lists all combinations, those of the last one side by side. What
/// is not set is as in the base, but for columns that are tied to a scale that was set.
///
/// Throws UsageError, as all of it stands on the command line: a setting without '=', a column that
/// the model does not have, that is set twice or that neither settings nor base have, a level it
/// does not know, a value that is no number that the column can have.
SetConfigurations configurations_of_settings(const std::vector<std::string>& settings,
                                             const FittedModel& model,
                                             const std::optional<BaseConfiguration>& base);

}  // namespace perfmodel

namespace perfmodel::scaling {

/// One figure per scale (number of workers, say).
struct Point {
  double scale = 1;
  double value = 0;
};

/// t(G) = t1 (s + (1 - s) / G): time of a fixed amount of work; the speedup ends at 1 / s.
struct Amdahl {
  double serial_fraction = 0;
  double time_of_one = 0;
  double rmse = 0;

  double time(double scale) const {
    return time_of_one * (serial_fraction + (1 - serial_fraction) / scale);
  }
};

/// S = G - s' (G - 1): scaled speedup, the work grows with the workers; s' is the serial share of
/// the run on all workers.
struct Gustafson {
  double serial_fraction = 0;
  double rmse = 0;  ///< of the speedup

  double speedup(double scale) const { return scale - serial_fraction * (scale - 1); }
};

/// Universal scalability law (Gunther): X(N) = gamma N / (1 + sigma (N - 1) + kappa N (N - 1)).
struct Usl {
  double sigma = 0;  ///< contention
  double kappa = 0;  ///< coherency
  double gamma = 0;  ///< throughput of one worker
  bool gamma_is_measured = false;
  double rmse = 0;  ///< of the throughput

  double throughput(double scale) const {
    return gamma * scale / (1 + sigma * (scale - 1) + kappa * scale * (scale - 1));
  }
  /// sqrt((1 - sigma) / kappa): beyond it, throughput falls. Nothing where it never does.
  std::optional<double> peak() const;
};

/// Least squares of the times, 0 <= s <= 1; at least two scales.
Amdahl fit_amdahl(const std::vector<Point>& times);

/// Least squares of the speedups, 0 <= s' <= 1; at least one scale beyond 1.
Gustafson fit_gustafson(const std::vector<Point>& speedups);

/// Least squares of the throughputs with sigma, kappa >= 0. Four scales are needed for the three
/// parameters; with three, gamma is the measured throughput of scale 1. Nothing where there are
/// fewer, or where scale 1 is missing from three.
std::optional<Usl> fit_usl(const std::vector<Point>& throughputs);

/// Karp-Flatt: e = (1/S - 1/G) / (1 - 1/G), the serial fraction that one measured speedup amounts
/// to. `scale` > 1.
double karp_flatt(double speedup, double scale);

/// What stays the same while the scale grows.
enum class Kind {
  strong,  ///< the work: times are of one fixed amount
  weak,    ///< the work per worker: times are of an iteration that does more with more workers
};

std::string_view to_text(Kind kind);

/// Time at one scale.
struct Timing {
  double scale = 1;
  double time = 0;
  std::size_t configurations = 1;  ///< compared at this scale
};

struct ScalingRow {
  double scale = 1;
  double time = 0;
  std::size_t configurations = 1;
  double speedup = 1;                ///< of the throughput: what weak scaling calls scaled speedup
  double efficiency = 1;             ///< speedup / scale
  std::optional<double> karp_flatt;  ///< strong scaling, scale > 1
  std::optional<double> equivalent_power;  ///< of t ~ G^q for fixed work, against the first row
};

/// A throughput that is higher by no more than this share is no speedup.
inline constexpr double kNoSpeedup = 0.01;

struct ScalingStudy {
  Kind kind = Kind::strong;
  std::vector<ScalingRow> rows;  ///< ascending scales; the first is the reference
  /// Laws of speedup: of what was not sped up there are none.
  std::optional<Amdahl> amdahl;        ///< strong scaling
  std::optional<Gustafson> gustafson;  ///< weak scaling
  std::optional<Usl> usl;
  double least_efficiency = 0.5;
  /// The last scale of the rows before the efficiency falls below `least_efficiency`, and the first
  /// where it does.
  std::optional<double> pays_until;
  std::optional<double> pays_no_more_at;
  double fastest_scale = 1;  ///< where the throughput is highest
};

/// `timings` ascending by scale, at least two. Where the first scale G0 is not 1 it is taken to be
/// perfectly efficient: S = G0 t(G0) / t(G).
ScalingStudy study(const std::vector<Timing>& timings, Kind kind, double least_efficiency);

/// Time of a whole model along one extrinsic column with everything else fixed: t(G) = A G^q + C.
struct PowerPlusConstant {
  double scalable = 0;  ///< A
  double power = 0;     ///< q, as fitted
  double constant = 0;  ///< C

  double time(double scale) const;
};

/// The two readings of a fitted power side by side, relative to a scale of 1 whatever was measured.
/// With weak scaling G workers do G times the work of one, so both speedups have a factor G.
struct Reading {
  double scale = 1;
  double scalable_speedup = 1;  ///< G^-q: of the part that scales, what q alone says
  double scalable_efficiency = 1;
  double whole_speedup = 1;  ///< (A + C) / (A G^q + C)
  double whole_efficiency = 1;
};

std::vector<Reading> readings(const PowerPlusConstant& model, const std::vector<double>& scales,
                              Kind kind);

/// The largest whole scale whose efficiency, of the whole time, is at least `least_efficiency`, as
/// a study has it: `first` is taken to be perfectly efficient. `first` itself where no larger whole
/// scale is, nothing where all are, up to a million times `first`.
std::optional<double> pays_until(const PowerPlusConstant& model, double first, Kind kind,
                                 double least_efficiency);

}  // namespace perfmodel::scaling
