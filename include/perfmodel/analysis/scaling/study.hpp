#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perfmodel/analysis/scaling/laws.hpp"

namespace perfmodel::scaling {

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
