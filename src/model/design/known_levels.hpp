#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// A level in a table that the runs behind a model did not have.
struct UnknownLevel {
  std::string column;
  std::string level;
  std::size_t rows = 0;
  std::size_t line = 0;  ///< of the first of these rows
};

/// The rows of a table whose levels a model knows, and the levels that keep the others out.
struct KnownLevelRows {
  std::vector<std::size_t> rows;
  std::vector<UnknownLevel> unknown;  ///< in the order of the spec, then of the table
};

/// Looks at columns that were read as text. A blank cell is no level: its row stays, and
/// make_design() refuses it.
KnownLevelRows rows_of_known_levels(const Table& table, const ModelSpec& spec);

/// "the runs that the model is fitted to have no gpu = "v100" (162 rows, from line 26 on)", several
/// levels one after the other.
std::string because_of(const std::vector<UnknownLevel>& unknown);

}  // namespace perfmodel
