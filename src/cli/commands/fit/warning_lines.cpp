#include "cli/commands/fit/warning_lines.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/constants/constant_table.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kMostOfAKind = 5;  // more are summed up

/// Kinds that say the same of other constants are one.
std::string family_of(const std::string& kind) {
  return kind == "flat_direction" || kind == "negligible_term" ? "undetermined" : kind;
}

std::string of_all_constants(const FittedModel& model, ConstantStatus status) {
  const std::vector<ConstantRow> constants = constant_table(model);
  const auto count = std::count_if(constants.begin(), constants.end(),
                                   [&](const ConstantRow& row) { return row.status == status; });
  return std::to_string(count) + " of " + std::to_string(constants.size()) + " constants are ";
}

/// What many warnings of one kind say together.
std::string summed_up(const FittedModel& model, const std::vector<const Warning*>& warnings) {
  const std::string kind = family_of(warnings.front()->kind);
  const std::string details = "; model.json tells which";
  if (kind == "undetermined") {
    return of_all_constants(model, ConstantStatus::undetermined) +
           "not determined by these runs and are not to be quoted" + details;
  }
  if (kind == "at_bound")
    return of_all_constants(model, ConstantStatus::at_bound) + "at a bound of the search" + details;
  return warnings.front()->message.text() + " (and " + std::to_string(warnings.size() - 1) +
         " more of this kind" + details + ")";
}

}  // namespace

std::vector<std::string> warning_lines(const FittedModel& model) {
  std::map<std::string, std::vector<const Warning*>> by_kind;
  for (const Warning& warning : model.warnings)
    by_kind[family_of(warning.kind)].push_back(&warning);
  std::vector<std::string> lines;
  std::set<std::string> done;
  for (const Warning& warning : model.warnings) {
    const auto& others = by_kind[family_of(warning.kind)];
    if (others.size() <= kMostOfAKind)
      lines.push_back(warning.message.text());
    else if (done.insert(family_of(warning.kind)).second)
      lines.push_back(summed_up(model, others));
  }
  return lines;
}

}  // namespace perfmodel::cli
