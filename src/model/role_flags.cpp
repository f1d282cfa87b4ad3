#include <algorithm>
#include <map>

#include "model/column_parts.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel {
namespace {

struct Flag {
  std::string name;
  Part part;
  std::vector<std::string> columns;
};

std::vector<Flag> flags_of(const Table& table, const RoleRequest& request) {
  using Columns = std::vector<std::string>;
  const bool no_extrinsic = asks_for_no_extrinsic(table, request);
  return {
      {"--target", Part::target, request.target ? Columns{*request.target} : Columns{}},
      {"--extrinsic", Part::extrinsic,
       no_extrinsic ? Columns{} : request.extrinsic.value_or(Columns{})},
      {"--intrinsic", Part::intrinsic, request.intrinsic.value_or(Columns{})},
      {"--categorical", Part::categorical, request.categorical},
      {"--ignore", Part::ignored, request.ignore},
  };
}

void refuse(const std::vector<std::string>& problems) {
  std::string message;
  for (const std::string& problem : problems) {
    message += (message.empty() ? "" : "\n") + problem;
  }
  if (!message.empty()) {
    throw UsageError(message);
  }
}

bool is_safe_in_shell(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("_-./:=@%+,").find(c) != std::string_view::npos;
}

}  // namespace

bool asks_for_no_extrinsic(const Table& table, const RoleRequest& request) {
  if (!request.extrinsic) {
    return false;
  }
  return request.extrinsic->empty() ||
         (*request.extrinsic == std::vector<std::string>{"none"} && table.find("none") == nullptr);
}

std::vector<ColumnPart> parts_by_flags(const Table& table, const RoleRequest& request) {
  std::vector<ColumnPart> parts;
  for (const Column& column : table.columns) {
    parts.push_back({.column = &column, .facts = {}});
  }

  const std::vector<std::string> known = table.names();
  std::vector<std::string> problems;
  std::map<std::string, std::string> named_in;
  for (const Flag& flag : flags_of(table, request)) {
    for (const std::string& name : flag.columns) {
      const auto at = std::find(known.begin(), known.end(), name);
      const auto [earlier, first] = named_in.emplace(name, flag.name);
      if (at == known.end()) {
        problems.push_back(flag.name + ": " + table.no_column(name));
      } else if (!first) {
        problems.push_back(earlier->second == flag.name
                               ? flag.name + " names column '" + name + "' twice"
                               : "column '" + name + "' is named in both " + earlier->second +
                                     " and " + flag.name);
      } else {
        ColumnPart& part = parts[static_cast<std::size_t>(at - known.begin())];
        part.part = flag.part;
        part.by_flag = true;
      }
    }
  }
  refuse(problems);

  for (ColumnPart& part : parts) {
    if (part.part != Part::ignored) {
      part.facts = facts_of(*part.column);
    }
  }
  return parts;
}

std::vector<std::string> names_of(const std::vector<ColumnPart>& parts, Part part) {
  std::vector<std::string> names;
  for (const ColumnPart& candidate : parts) {
    if (candidate.part == part) {
      names.push_back(candidate.column->name);
    }
  }
  return names;
}

std::string flag_text(const std::string& flag, const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ",") + name;
  }
  if (std::all_of(list.begin(), list.end(), is_safe_in_shell)) {
    return flag + " " + list;
  }
  std::string quoted;
  for (const char c : list) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return flag + " '" + quoted + "'";
}

}  // namespace perfmodel
