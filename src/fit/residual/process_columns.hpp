#pragma once

#include <cstddef>
#include <vector>

#include "fit/process/kernel/coordinates.hpp"
#include "fit/result/column_order.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// Which inputs of a spec the columns of a process are. A process keeps its own order of columns,
/// so that it says the same to the last bit however the file was written.
struct ProcessColumns {
  std::vector<std::size_t> intrinsic;    ///< the first numbers of the process
  std::vector<std::size_t> extrinsic;    ///< the others
  std::vector<std::size_t> categorical;  ///< its columns of levels

  /// In the order of the spec.
  static ProcessColumns of(const ModelSpec& spec);

  /// The same where the columns of the spec stand in another order.
  ProcessColumns reordered(const ColumnOrder& order) const;

  const NumericInput& number(const ModelSpec& spec, std::size_t i) const;
  std::size_t numbers() const { return intrinsic.size() + extrinsic.size(); }

  process::Inputs inputs(const Design& design) const;
  /// The way back, from numbers that are no coordinates any more.
  Design design(const process::Inputs& inputs, const ModelSpec& spec) const;
};

}  // namespace perfmodel
