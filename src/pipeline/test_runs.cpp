#include "perfmodel/pipeline/judging.hpp"

#include "model/design/known_levels.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
TestRuns select_test_runs(const Table& table, const ModelSpec& spec, bool gated) {
  const KnownLevelRows known = rows_of_known_levels(table, spec);
  if (known.unknown.empty())
    return {make_design(table, spec, Target::required), std::nullopt};
  const std::string reason = ": " + because_of(known.unknown);
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
