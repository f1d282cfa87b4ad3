#include "json/json_lines.hpp"

namespace perfmodel {

JsonLines json_lines(std::string_view bytes) {
  JsonLines out;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos)
      break;
    out.lines.push_back({out.lines.size() + 1, bytes.substr(0, end)});
    bytes.remove_prefix(end + 1);
  }
  out.torn = bytes;
  return out;
}

}  // namespace perfmodel
