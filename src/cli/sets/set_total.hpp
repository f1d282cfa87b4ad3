#pragma once

#include <optional>
#include <string>

#include "cli/runs/set_lines.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel::cli {

/// What part of a measured total the parts of a set add up to. The parts of a total are of the same
/// key those of other targets in its unit, or of its target those whose keys differ in the column
/// of the total alone.
struct SetShare {
  double percent = 0;       ///< the sum of predictions over the sum of measured totals
  std::string words;        ///< "the central runs of 3 totals"
  std::size_t without = 0;  ///< parts that have no model, or cannot be asked there
};

/// At the central run of each total, where one was measured. Nothing where none has a model.
std::optional<SetShare> share_of_total(const SetLines& set);

/// Over all rows of a table that are of a total.
std::optional<SetShare> share_of_total(const SetLines& set, const Table& runs, bool drop_failed);

}  // namespace perfmodel::cli
