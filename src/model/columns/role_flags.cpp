#include <algorithm>
#include <map>

#include "model/columns/column_parts.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

struct RoleField {
  Field field;
  Part part;
  std::vector<std::string> columns;
};

std::vector<RoleField> role_fields(const Table& table, const RoleRequest& request) {
  using Columns = std::vector<std::string>;
  const auto named = [&](const std::optional<Columns>& columns) {
    return asks_for_none(table, columns) ? Columns{} : columns.value_or(Columns{});
  };
  return {
      {Field{"target"}, Part::target, request.target ? Columns{*request.target} : Columns{}},
      {Field{"extrinsic"}, Part::extrinsic, named(request.extrinsic)},
      {Field{"intrinsic"}, Part::intrinsic, named(request.intrinsic)},
      {Field{"categorical"}, Part::categorical, request.categorical},
      {Field{"ignore"}, Part::ignored, request.ignore},
  };
}

void refuse(const std::vector<Sentence>& problems) {
  Sentence message;
  for (const Sentence& problem : problems)
    message += Sentence(message.empty() ? "" : "\n") + problem;
  if (!message.empty())
    throw UsageError(message);
}

}  // namespace

bool asks_for_none(const Table& table, const std::optional<std::vector<std::string>>& columns) {
  return columns && (columns->empty() || (*columns == std::vector<std::string>{"none"} &&
                                          table.find("none") == nullptr));
}

std::vector<ColumnPart> parts_by_flags(const Table& table, const RoleRequest& request) {
  std::vector<ColumnPart> parts;
  for (const Column& column : table.columns)
    parts.push_back({.column = &column, .facts = {}});

  const std::vector<std::string> known = table.names();
  std::vector<Sentence> problems;
  std::map<std::string, std::string> named_in;
  for (const RoleField& role : role_fields(table, request)) {
    for (const std::string& name : role.columns) {
      const auto at = std::find(known.begin(), known.end(), name);
      const auto [earlier, first] = named_in.emplace(name, role.field.name);
      if (at == known.end()) {
        problems.push_back(role.field + ": " + table.no_column(name));
      } else if (!first) {
        problems.push_back(earlier->second == role.field.name
                               ? role.field + " names column '" + name + "' twice"
                               : "column '" + name + "' is named in both " +
                                     Field{earlier->second} + " and " + role.field);
      } else {
        ColumnPart& part = parts[static_cast<std::size_t>(at - known.begin())];
        part.part = role.part;
        part.by_flag = true;
      }
    }
  }
  refuse(problems);

  for (ColumnPart& part : parts)
    if (part.part != Part::ignored)
      part.facts = facts_of(*part.column);
  return parts;
}

std::vector<std::string> names_of(const std::vector<ColumnPart>& parts, Part part) {
  std::vector<std::string> names;
  for (const ColumnPart& candidate : parts)
    if (candidate.part == part)
      names.push_back(candidate.column->name);
  return names;
}

}  // namespace perfmodel
