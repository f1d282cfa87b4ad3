#include "cli/commands/suggest/space_designs.hpp"

#include <algorithm>
#include <string>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "model/design/known_levels.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

/// The levels have no lines in the file of a space that a message could name.
void refuse_unknown_levels(const Table& table, const ModelSpec& spec) {
  std::string problems;
  for (const UnknownLevel& unknown : rows_of_known_levels(table, spec).unknown) {
    const auto input = std::find_if(
        spec.categorical.begin(), spec.categorical.end(),
        [&](const CategoricalInput& candidate) { return candidate.column == unknown.column; });
    problems += (problems.empty() ? "" : "\n") + table.source + ": column '" + unknown.column +
                "': the model does not know the level " + quoted_cell(unknown.level) +
                "; it knows " + quoted_list(input->levels) +
                did_you_mean(unknown.level, input->levels);
  }
  if (!problems.empty())
    throw InputError(problems);
}

}  // namespace

Design design_of_space(const plan::Space& space,
                       const std::vector<plan::Configuration>& configurations,
                       const ModelSpec& spec) {
  const Table table = plan::table_of(space, configurations);
  refuse_unknown_levels(table, spec);
  return make_design(table, spec, Target::absent);
}

std::optional<std::string> drop_unknown_levels(Table& runs, const ModelSpec& spec) {
  const KnownLevelRows known = rows_of_known_levels(runs, spec);
  if (known.unknown.empty())
    return std::nullopt;
  const std::string words = runs.source + ": " + std::to_string(runs.rows() - known.rows.size()) +
                            " of " + std::to_string(runs.rows()) +
                            " rows are left out: " + because_of(known.unknown);
  if (known.rows.empty())
    throw InputError(words);
  runs = take_rows(runs, known.rows);
  return words;
}

std::vector<double> times_of(const FittedModel& model, const plan::Space& space,
                             const std::vector<plan::Configuration>& configurations) {
  const Eigen::VectorXd times = predict(model, design_of_space(space, configurations, model.spec));
  return {times.begin(), times.end()};
}

}  // namespace perfmodel::cli
