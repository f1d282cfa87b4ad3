#include "perfmodel/model/columns/roles.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "data/formula.hpp"
#include "model/columns/column_parts.hpp"
#include "model/columns/facts/well_known_names.hpp"
#include "model/columns/left_out/left_out.hpp"
#include "model/columns/role_values.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

using Parts = std::vector<ColumnPart>;
using Notices = std::vector<Sentence>;

/// With --intrinsic, that list is the whole list; without it, the rest is intrinsic.
void share_out_the_rest(const RoleRequest& request, Parts& parts, Notices& notices) {
  const std::vector<std::string> rest = names_of(parts, Part::open);
  for (ColumnPart& part : parts)
    if (part.part == Part::open)
      part.part = request.intrinsic ? Part::ignored : Part::intrinsic;
  if (request.intrinsic && !rest.empty()) {
    notices.push_back(
        (rest.size() == 1 ? "Column " : "Columns ") + quoted_list(rest) +
        (rest.size() == 1 ? " is in no list and is ignored." : " are in no list and are ignored."));
  }
}

/// A column with one value says nothing about its effect.
std::vector<LeftOut> drop_constants(Parts& parts, Notices& notices) {
  std::vector<LeftOut> dropped;
  for (ColumnPart& part : parts) {
    const bool used = part.part == Part::extrinsic || part.part == Part::intrinsic ||
                      part.part == Part::categorical;
    if (used && part.facts.constant) {
      part.part = Part::constant;
      dropped.push_back({.column = part.column->name,
                         .because = LeftOut::Because::constant,
                         .identity = {},
                         .value = part.column->text(0)});
      notices.push_back("Column '" + part.column->name + "' " + words_for(dropped.back()) +
                        " and is left out.");
    }
  }
  return dropped;
}

/// Finds the intrinsic columns that are levels: texts, and switches of only 0 and 1.
void settle_levels(const Table& table, Parts& parts, Notices& notices, Obstacles& obstacles) {
  for (ColumnPart& part : parts) {
    if (part.part != Part::intrinsic)
      continue;
    if (part.facts.zero_one) {
      part.part = Part::categorical;
      notices.push_back("Column '" + part.column->name +
                        "' holds only 0 and 1 and is taken as categorical.");
    } else if (!part.by_flag && !part.column->is_numeric() && !part.facts.mixed()) {
      part.part = Part::categorical;
    } else if (!part.by_flag && part.facts.mixed() && !part.facts.mostly_numbers()) {
      part.part = Part::ignored;  // its cells need no further look
      refuse_mixed(table, part, obstacles);
    }
  }
}

/// A model needs an input.
void require_input(const Table& table, const Roles& roles, Obstacles& obstacles) {
  if (!roles.intrinsic.empty() || !roles.categorical.empty() || !roles.extrinsic.empty() ||
      !obstacles.columns.empty())
    return;
  obstacles.columns.push_back(table.source +
                              (roles.ignored.empty()
                                   ? ": no column but the time varies"
                                   : ": no column that varies is left but the time") +
                              ", so there is nothing to model");
}

/// The time is what a model is asked for: nothing can be computed from it.
void check_derived(const RoleRequest& request, const Roles& roles) {
  for (const DerivedColumn& item : request.derived) {
    const Sentence where = Field{"derived"} + " " + quoted_formula(item.definition()) + ": ";
    if (item.column == roles.target)
      throw UsageError(where + "the measured time cannot be derived");
    if (std::find(item.of.begin(), item.of.end(), roles.target) != item.of.end()) {
      throw UsageError(where + "'" + roles.target +
                       "' is the measured time, which is not known where it is to be predicted");
    }
  }
}

/// n, n + 1, n + 2, ... down the file: more likely the number of the run than a parameter of it.
bool numbers_the_rows(const Column& column) {
  constexpr std::size_t kFewestRows = 10;  // a short list of sizes may count up too
  const std::vector<double>& numbers = column.numbers;
  return numbers.size() >= kFewestRows &&
         std::adjacent_find(numbers.begin(), numbers.end(), [](double above, double below) {
           return below != above + 1;
         }) == numbers.end();
}

/// What the user did not say and may want to check.
void tell_what_was_inferred(const Table& table, const RoleRequest& request, const Roles& roles,
                            Notices& notices) {
  if (request.intrinsic)
    return;
  if (!roles.intrinsic.empty())
    notices.push_back("Taken as intrinsic: " + quoted_list(roles.intrinsic) + ".");
  if (!roles.categorical.empty())
    notices.push_back("Taken as categorical: " + quoted_list(roles.categorical) + ".");
  for (const std::string& name : roles.intrinsic) {
    if (is_time_name(name) || has_time_unit(name)) {
      notices.push_back("Column '" + name + "' looks like another measured time; pass " +
                        Field{"ignore", {name}} + " if it is one.");
    } else if (numbers_the_rows(table.at(name))) {
      notices.push_back("Column '" + name + "' counts the rows; pass " + Field{"ignore", {name}} +
                        " if it only numbers the runs.");
    }
  }
}

/// All but the checks of values; what they need goes to `parts` and `obstacles`.
Roles settle_roles(const Table& table, const RoleRequest& request, bool needs_scale, Parts& parts,
                   Obstacles& obstacles) {
  if (table.rows() == 0)
    throw InputError(table.source + " has no rows");
  Roles roles;
  parts = parts_by_flags(table, request);
  infer_target_and_extrinsic(table, request, needs_scale, parts, roles.notices);

  share_out_the_rest(request, parts, roles.notices);
  roles.ignored = names_of(parts, Part::ignored);
  roles.left_out = drop_constants(parts, roles.notices);
  const std::vector<LeftOut> no_inputs = leave_out_no_inputs(table, parts);
  for (const Sentence& notice : left_out_notices(no_inputs, parts))
    roles.notices.push_back(notice);
  roles.left_out.insert(roles.left_out.end(), no_inputs.begin(), no_inputs.end());
  settle_levels(table, parts, roles.notices, obstacles);

  roles.target = names_of(parts, Part::target).at(0);
  roles.unit = request.time_unit.value_or(unit_of(roles.target));
  roles.intrinsic = names_of(parts, Part::intrinsic);
  roles.categorical = names_of(parts, Part::categorical);
  roles.extrinsic = names_of(parts, Part::extrinsic);
  roles.derived = request.derived;
  check_derived(request, roles);
  return roles;
}

}  // namespace

Roles roles_around_scale(const Table& table, const RoleRequest& request) {
  Parts parts;
  Obstacles obstacles(table);
  return settle_roles(table, request, true, parts, obstacles);
}

Roles resolve_roles(const Table& table, const RoleRequest& request) {
  Parts parts;
  Obstacles obstacles(table);
  Roles roles = settle_roles(table, request, false, parts, obstacles);
  check_values(table, parts, obstacles);
  require_input(table, roles, obstacles);
  obstacles.throw_if_any();
  tell_what_was_inferred(table, request, roles, roles.notices);
  return roles;
}

}  // namespace perfmodel
