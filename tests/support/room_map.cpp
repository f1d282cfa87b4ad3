#include "support/room_map.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>

namespace perfmodel::test {

namespace fs = std::filesystem;

namespace {

/// The room that a folder belongs to; empty where it is in none.
std::string room_of(const RoomMap& map, fs::path folder) {
  while (!folder.empty() && !map.contains(folder.generic_string()))
    folder = folder.parent_path();
  return folder.generic_string();
}

bool is_source(const fs::path& path) {
  const std::string extension = path.extension();
  return extension == ".cpp" || extension == ".hpp" || extension == ".inc";
}

/// The folder below src or include/perfmodel of what a line includes from there; nothing for other
/// lines and headers of libraries.
std::string included_folder(const std::string& line, const std::string& own_folder) {
  static const std::regex include(R"re(\s*#\s*include\s+(?:"|<(?=perfmodel/))([^">]+)[">].*)re");
  std::smatch match;
  if (!std::regex_match(line, match, include))
    return "";
  std::string header = match[1];
  if (const std::string prefix = "perfmodel/"; header.starts_with(prefix))
    header.erase(0, prefix.size());
  const std::string folder = fs::path(header).parent_path().generic_string();
  return folder.empty() ? own_folder : folder;
}

void check_file(const RoomMap& map, const fs::path& file, const std::string& folder,
                const std::string& shown, std::vector<std::string>& out) {
  const std::string room = room_of(map, folder);
  if (room.empty()) {
    out.push_back(shown + ": is in no room of the map");
    return;
  }
  std::ifstream stream(file);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::string included = included_folder(line, folder);
    if (included.empty())
      continue;
    const std::string other = room_of(map, included);
    if (other != room && !map.at(room).contains(other))
      out.push_back(shown + ":" + std::to_string(number) + ": " + room + " may not include " +
                    (other.empty() ? included : other));
  }
}

}  // namespace

RoomMap room_map(const std::vector<std::string>& lines) {
  RoomMap map;
  for (const std::string& line : lines) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos)
      continue;
    std::set<std::string>& allowed = map[line.substr(0, colon)];
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;)
      allowed.insert(word);
  }
  return map;
}

std::vector<std::string> cycle_of(const RoomMap& map) {
  std::set<std::string> without_cycle;
  std::vector<std::string> way;
  const std::function<bool(const std::string&)> leads_back = [&](const std::string& room) {
    if (without_cycle.contains(room))
      return false;
    const auto before = std::find(way.begin(), way.end(), room);
    const bool seen = before != way.end();
    if (seen)
      way.erase(way.begin(), before);
    way.push_back(room);
    if (seen)
      return true;
    if (const auto entry = map.find(room);
        entry != map.end() && std::any_of(entry->second.begin(), entry->second.end(), leads_back))
      return true;
    way.pop_back();
    without_cycle.insert(room);
    return false;
  };
  for (const auto& [room, allowed] : map) {
    if (leads_back(room))
      return way;
  }
  return {};
}

std::vector<std::string> objections(const RoomMap& map, const fs::path& checkout) {
  std::vector<std::string> out;
  for (const auto& [room, allowed] : map) {
    for (const std::string& other : allowed) {
      if (!map.contains(other))
        out.push_back("the map lets " + room + " include " + other + ", which has no line");
    }
    if (!fs::is_directory(checkout / "src" / room) &&
        !fs::is_directory(checkout / "include/perfmodel" / room))
      out.push_back("the map has " + room + ", which is no folder");
  }
  for (const char* const root : {"src", "include/perfmodel"}) {
    for (const auto& entry : fs::recursive_directory_iterator(checkout / root)) {
      if (!entry.is_regular_file() || !is_source(entry.path()))
        continue;
      const std::string folder =
          fs::relative(entry.path().parent_path(), checkout / root).generic_string();
      check_file(map, entry.path(), folder, fs::relative(entry.path(), checkout).generic_string(),
                 out);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace perfmodel::test
