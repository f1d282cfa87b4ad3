#include "perfmodel/pipeline/judging.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/design/known_levels.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

/// "gpu = "v100" (162 rows, from line 26 on)", several one after the other.
std::string list_of(const std::vector<UnknownLevel>& unknown) {
  constexpr std::size_t shown = 10;
  std::string text;
  for (std::size_t k = 0; k < std::min(unknown.size(), shown); ++k) {
    const UnknownLevel& level = unknown[k];
    text += (k == 0 ? "" : ", ") + level.column + " = " + quoted_cell(level.level) + " (" +
            (level.rows == 1 ? "line " + std::to_string(level.line)
                             : std::to_string(level.rows) + " rows, from line " +
                                   std::to_string(level.line) + " on") +
            ")";
  }
  return unknown.size() > shown
             ? text + " and " + std::to_string(unknown.size() - shown) + " levels more"
             : text;
}

}  // namespace

TestRuns select_test_runs(const Table& table, const ModelSpec& spec, bool gated) {
  const KnownLevelRows known = rows_of_known_levels(table, spec);
  if (known.unknown.empty())
    return {make_design(table, spec, Target::required), std::nullopt};
  const std::string reason =
      ": the runs that the model is fitted to have no " + list_of(known.unknown);
  const std::string of_rows = std::to_string(table.rows() - known.rows.size()) + " of " +
                              std::to_string(table.rows()) + " rows";
  if (known.rows.empty())
    throw InputError(table.source + ": no row can be judged" + reason);
  if (gated) {
    throw InputError(table.source + ": " + of_rows + " cannot be judged" + reason + "; " +
                     Field{"gates"} + " needs all: remove these rows, or fit such runs too");
  }
  return {make_design(table, spec, Target::required, known.rows),
          table.source + ": " + of_rows + " are left out of the test" + reason};
}

}  // namespace perfmodel
