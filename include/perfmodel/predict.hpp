#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/model.hpp"

namespace perfmodel {

/// The configuration that settings modify.
struct BaseConfiguration {
  Table table;       ///< one row
  std::string name;  ///< "the run of line 212"
};

/// The central run of a model; nullopt if its file does not contain one.
std::optional<BaseConfiguration> central_base(const FittedModel& model);

/// The run at this line of a table, with the columns that the model needs. Throws UsageError if
/// there is no run at that line.
BaseConfiguration base_of_line(const Table& table, std::uint32_t line, const ModelSpec& spec);

/// Configurations with all columns that a model needs.
struct SetConfigurations {
  Table table;                       ///< one row per configuration
  std::vector<std::string> varied;   ///< columns with several values
  std::vector<std::string> assumed;  ///< "batch=32": values taken from the base
  std::vector<std::string> moved;    ///< columns of the base that moved with a scale
};

/// The configurations given by `COL=VALUE ...`, where a value may be a list or a range (see
/// listed_numbers()). Several lists give all combinations, in which the last list varies fastest.
/// Other columns have the value of the base, except those tied to a scale that is set.
///
/// Throws UsageError, since all of it is user input: for a setting without '=', for a column that
/// the model does not have, that is set twice or that neither settings nor base contain, for an
/// unknown level, and for a number that the column cannot have.
SetConfigurations configurations_of_settings(const std::vector<std::string>& settings,
                                             const FittedModel& model,
                                             const std::optional<BaseConfiguration>& base);

}  // namespace perfmodel

namespace perfmodel::scaling {

/// A value at a scale (number of workers, for instance).
struct Point {
  double scale = 1;
  double value = 0;
};

/// Amdahl's law, t(G) = t1 (s + (1 - s) / G): time of fixed work. The speedup is below 1 / s.
struct Amdahl {
  double serial_fraction = 0;
  double time_of_one = 0;
  double rmse = 0;
  std::optional<double> misfit = {};  ///< rmse over the mean time; see kMostMisfit

  double time(double scale) const {
    return time_of_one * (serial_fraction + (1 - serial_fraction) / scale);
  }
};

/// Gustafson's law, S = G - s' (G - 1): scaled speedup of work that grows with the workers. s' is
/// the serial fraction of the run on all workers.
struct Gustafson {
  double serial_fraction = 0;
  double rmse = 0;                    ///< of the speedup
  std::optional<double> misfit = {};  ///< rmse over the mean speedup

  double speedup(double scale) const { return scale - serial_fraction * (scale - 1); }
};

/// Universal scalability law (Gunther): X(N) = gamma N / (1 + sigma (N - 1) + kappa N (N - 1)).
struct Usl {
  double sigma = 0;  ///< contention
  double kappa = 0;  ///< coherency
  double gamma = 0;  ///< throughput of one worker
  bool gamma_is_measured = false;
  double rmse = 0;                                            ///< of the throughput
  std::optional<double> misfit = {};                          ///< rmse over the mean throughput
  double farthest = std::numeric_limits<double>::infinity();  ///< up to where a peak is believed

  double throughput(double scale) const {
    return gamma * scale / (1 + sigma * (scale - 1) + kappa * scale * (scale - 1));
  }
  /// sqrt((1 - sigma) / kappa), the scale of highest throughput; nullopt if there is none up to
  /// `farthest`.
  std::optional<double> peak() const;
};

/// With a larger misfit, a law does not describe what it was fitted to. It has none, and nothing is
/// read from it, where it has as many constants as there are scales: any times fit it exactly.
inline constexpr double kMostMisfit = 0.2;

/// Least squares fit to times, 0 <= s <= 1; needs at least two scales.
Amdahl fit_amdahl(const std::vector<Point>& times);

/// Least squares fit to speedups, 0 <= s' <= 1; needs at least one scale > 1.
Gustafson fit_gustafson(const std::vector<Point>& speedups);

/// Least squares fit to throughputs, sigma, kappa >= 0. Three parameters need four scales; with
/// three, gamma is the measured throughput at scale 1. nullopt for fewer, or three without scale 1.
std::optional<Usl> fit_usl(const std::vector<Point>& throughputs);

/// Karp-Flatt metric e = (1/S - 1/G) / (1 - 1/G): the serial fraction of a speedup. `scale` > 1.
double karp_flatt(double speedup, double scale);

/// What is constant while the scale grows.
enum class Kind {
  strong,  ///< the total work
  weak,    ///< the work per worker: an iteration does more with more workers
};

using perfmodel::to_text;
constexpr auto texts_of(Kind) {
  using enum Kind;
  return std::to_array<EnumText<Kind>>({{strong, "strong"}, {weak, "weak"}});
}

/// The time at a scale.
struct Timing {
  double scale = 1;
  double time = 0;
  std::size_t configurations = 1;  ///< number compared at this scale
};

struct ScalingRow {
  double scale = 1;
  double time = 0;
  std::size_t configurations = 1;
  // All of these are relative to the first row, at the scale G0.
  double speedup = 1;                ///< ratio of throughputs; for weak scaling, the scaled speedup
  double efficiency = 1;             ///< speedup / (G / G0)
  std::optional<double> karp_flatt;  ///< of G / G0; strong scaling, G > G0
  std::optional<double> equivalent_power;  ///< q of t ~ G^q for fixed work, G > G0
};

/// A throughput that increases by at most this share is no speedup.
inline constexpr double kNoSpeedup = 0.01;

struct ScalingStudy {
  Kind kind = Kind::strong;
  std::vector<ScalingRow> rows;  ///< by ascending scale; the first is the reference
  /// Laws of speedup; not fitted if there is no speedup.
  std::optional<Amdahl> amdahl;        ///< strong scaling
  std::optional<Gustafson> gustafson;  ///< weak scaling
  std::optional<Usl> usl;
  double least_efficiency = 0.5;
  /// The last scale before the efficiency falls below `least_efficiency`, and the first one below.
  std::optional<double> pays_until;
  std::optional<double> pays_no_more_at;
  double fastest_scale = 1;  ///< the scale of highest throughput
};

/// `timings`: at least two, by ascending scale, the first of which is the reference of speedups and
/// efficiencies. The laws keep their constants of one worker.
ScalingStudy study(const std::vector<Timing>& timings, Kind kind, double least_efficiency);

/// Predicted time along one extrinsic column with all other inputs fixed: t(G) = A G^q + C.
struct PowerPlusConstant {
  double scalable = 0;  ///< A
  double power = 0;     ///< q, as fitted
  double constant = 0;  ///< C

  double time(double scale) const;
};

/// Two interpretations of a fitted power, relative to the first scale G0. With weak scaling, G
/// workers do G / G0 times the work, so that both speedups have this factor.
struct Reading {
  double scale = 1;
  double scalable_speedup = 1;  ///< (G / G0)^-q: only of the part that scales
  double scalable_efficiency = 1;
  double whole_speedup = 1;  ///< (A G0^q + C) / (A G^q + C): of the whole time
  double whole_efficiency = 1;
};

/// `scales`: ascending.
std::vector<Reading> readings(const PowerPlusConstant& model, const std::vector<double>& scales,
                              Kind kind);

/// The largest integer scale whose efficiency, for the whole time, is at least `least_efficiency`,
/// relative to `first` as in study(). `first` if no larger integer scale qualifies; nullopt if all
/// do, up to a million times `first`.
std::optional<double> pays_until(const PowerPlusConstant& model, double first, Kind kind,
                                 double least_efficiency);

}  // namespace perfmodel::scaling
