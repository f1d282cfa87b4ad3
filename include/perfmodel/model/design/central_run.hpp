#pragma once

#include <cstddef>
#include <cstdint>

#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/configuration.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// The run that stands for all runs of a fit: answers that need one configuration are given there.
struct CentralRun {
  Configuration configuration;
  std::uint32_t line = 0;  ///< in the runs file
  double time = 0;         ///< measured
};

/// The medoid of the rows: the sum of its distances to all others is the smallest. The distance of
/// two rows is the sum over numeric columns of |ln x - ln y| over the standard deviation of the
/// column's logarithms, and 1 for each column of levels that differs; a column that may be 0 counts
/// as 1 + x / unit.
///
/// Among equally central rows those of the smallest numbers and first levels count, column by
/// column; of runs of one configuration the one of the median time. So the order of rows and
/// columns and the units decide nothing. Rows times ln(rows) per column; at least one row.
std::size_t central_row(const ModelSpec& spec, const Design& training);

/// Its configuration.
Configuration central_configuration(const ModelSpec& spec, const Design& training);

}  // namespace perfmodel
