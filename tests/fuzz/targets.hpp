#pragma once

#include <span>
#include <string>
#include <string_view>

namespace perfmodel::fuzz {

/// Code that reads what users bring. `read` accepts any bytes: it returns if they are refused with
/// a message (Error) or used consistently, and throws std::logic_error if a property is violated.
struct Target {
  std::string_view name;
  void (*read)(std::string_view bytes);
};

std::span<const Target> targets();

/// Throws std::logic_error, which names the property, unless it holds.
void require(bool holds, const std::string& property);

}  // namespace perfmodel::fuzz
