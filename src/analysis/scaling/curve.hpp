#pragma once

#include <set>
#include <string>
#include <vector>

#include "perfmodel/analysis/scaling/study.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel::scaling {

/// Measured runs as one curve over a column of scales.
struct Curve {
  std::vector<Timing> timings;  ///< ascending scales
  /// Of several configurations: times are geometric means of t(G) / t(G0) over those that were
  /// measured at both, so the first is 1.
  bool relative = false;
};

struct CurveColumns {
  std::string scale;
  std::string target;
  bool target_is_throughput = false;  ///< work per time
  std::set<std::string> ignore;
};

/// Rows that agree in all other columns are one configuration; of repeated runs the median counts.
/// Throws InputError where a scale or a time is not a number > 0, where there is one scale only, or
/// where no configuration was measured at another scale than the first.
Curve curve_of(const Table& table, const CurveColumns& columns);

}  // namespace perfmodel::scaling
