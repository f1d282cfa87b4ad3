#include "registry/registry.hpp"

#include <fmt/core.h>
#include <algorithm>

#include "base/text.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel {

std::string about_missing(std::string_view thing) {
  for (const MissingTool& tool : added<MissingTool>())
    if (contains(tool.has, thing))
      return fmt::format("'{}': this program was built without the tool '{}'", thing, tool.name);
  return "";
}

void require_tool_of(std::string_view thing) {
  if (const std::string missing = about_missing(thing); !missing.empty())
    throw UsageError(missing);
}

void require_reader_of(std::string_view bytes, const std::string& source) {
  const std::string_view text =
      bytes.substr(std::min(bytes.find_first_not_of(" \t\r\n\xEF\xBB\xBF"), bytes.size()));
  for (const MissingTool& tool : added<MissingTool>())
    if (std::ranges::any_of(tool.beginnings, [&](std::string_view beginning) {
          return text.starts_with(beginning);
        }))
      throw InputError(fmt::format(
          "{} is no CSV, and this program was built without the tool '{}', which reads such files",
          source, tool.name));
}

}  // namespace perfmodel
