#pragma once

#include <string>
#include <vector>

#include "model/columns/facts/column_facts.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel {

enum class Part { open, target, extrinsic, intrinsic, categorical, ignored, constant, left_out };

/// The part of one column while roles are being settled.
struct ColumnPart {
  const Column* column;
  Part part = Part::open;
  bool by_flag = false;  ///< the user named it; otherwise it is inferred
  ColumnFacts facts;     ///< not filled for a column that is ignored on request

  bool is_input() const {
    return part == Part::intrinsic || part == Part::extrinsic || part == Part::categorical;
  }
  /// An input of levels: texts are, before roles are settled, among the intrinsic columns.
  bool is_levels() const {
    return part == Part::categorical ||
           (part == Part::intrinsic && !by_flag && (!column->is_numeric() || facts.zero_one));
  }
  /// An input of numbers.
  bool is_number() const { return is_input() && !is_levels(); }
};

}  // namespace perfmodel
