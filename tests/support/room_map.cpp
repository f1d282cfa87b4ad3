#include "support/room_map.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>
#include <utility>

#include "support/markdown.hpp"
#include "support/temporary_directory.hpp"

namespace perfmodel::test {

namespace fs = std::filesystem;

namespace {

/// Whether `other` is `room` or a folder in it.
bool is_within(const std::string& other, const std::string& room) {
  return other == room || other.starts_with(room + "/");
}

bool allows(const std::set<std::string>& allowed, const std::string& other) {
  return std::any_of(
      allowed.begin(), allowed.end(),
      [&](const std::string& room) { return is_within(other, room); });
}

bool is_source(const fs::path& path) {
  const std::string extension = path.extension();
  return extension == ".cpp" || extension == ".hpp" || extension == ".inc";
}

/// The header of the project that a line includes; nothing for other lines and libraries' headers.
std::string included_header(const std::string& line) {
  static const std::regex include(R"re(\s*#\s*include\s+(?:"|<(?=perfmodel/))([^">]+)[">].*)re");
  std::smatch match;
  return std::regex_match(line, match, include) ? match[1].str() : "";
}

/// The room of a header, which is included without its building: "engine/table" of
/// "table/table.hpp".
std::string room_of_header(const RoomMap& map, const std::string& header,
                           const std::string& own_room) {
  const std::string prefix = header.starts_with("perfmodel/") ? "perfmodel/" : "";
  const fs::path path = header.substr(prefix.size());
  if (!path.has_parent_path())
    return own_room;
  const std::string room = path.parent_path().generic_string();
  const auto within = std::find_if(
      map.begin(), map.end(), [&](const auto& line) { return line.first.ends_with("/" + room); });
  return prefix.empty() && !map.contains(room) && within != map.end() ? within->first : room;
}

/// The place of a building in the order in which they stand on each other; of other rooms: on top.
std::ptrdiff_t floor_of(const std::string& room) {
  static const std::vector<std::string> buildings = {"engine", "program", "tools"};
  const auto found = std::find_if(buildings.begin(), buildings.end(),
                                  [&](const std::string& name) { return is_within(room, name); });
  return found - buildings.begin();
}

/// Whether a room of a building includes what stands above it, or a tool another one.
bool leads_upwards(const std::string& room, const std::string& other) {
  const std::ptrdiff_t from = floor_of(room);
  const std::ptrdiff_t to = floor_of(other);
  return room != other && (to > from || (to == from && is_within(room, "tools")));
}

void check_file(const RoomMap& map, const fs::path& file, const std::string& room,
                const std::string& shown, std::vector<std::string>& out) {
  const bool is_public = room == ".";  // directly in include/perfmodel
  if (!is_public && !map.contains(room)) {
    out.push_back(shown + ": is in no room of the map");
    return;
  }
  std::ifstream stream(file);
  std::size_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::string header = included_header(line);
    if (header.empty())
      continue;
    const std::string place = shown + ":" + std::to_string(number) + ": ";
    const std::string other = room_of_header(map, header, room);
    if (!is_public && leads_upwards(room, other))
      out.push_back(place + room + " includes " + other + ", upwards");
    else if (!is_public && other != room && !allows(map.at(room), other))
      out.push_back(place + room + " may not include " + other);
    if (shown.starts_with("include/") && !header.starts_with("perfmodel/"))
      out.push_back(place + "who installs the header does not have " + header);
  }
}

void for_each_source(const fs::path& root, const std::function<void(const fs::path&)>& visit) {
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.is_regular_file() && is_source(entry.path()))
      visit(entry.path());
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

RoomMap documented_room_map(const fs::path& checkout) {
  const std::string page = read_text((checkout / "docs/architecture.md").string());
  for (const FencedBlock& block : fenced_blocks(lines_of(page)))
    if (block.language == "rooms")
      return room_map(block.lines);
  return {};
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
    // Which may include all that is in the folder around it need not mean itself.
    for (const auto& [other, unused] : map)
      if ((other != room || map.at(room).contains(room)) && allows(map.at(room), other) &&
          leads_back(other))
        return true;
    way.pop_back();
    without_cycle.insert(room);
    return false;
  };
  for (const auto& [room, allowed] : map)
    if (leads_back(room))
      return way;
  return {};
}

std::vector<std::string> objections(const RoomMap& map, const fs::path& checkout) {
  std::vector<std::string> out;
  for (const auto& [room, allowed] : map) {
    for (const std::string& other : allowed)
      if (std::none_of(map.begin(), map.end(),
                       [&](const auto& line) { return is_within(line.first, other); }))
        out.push_back("the map lets " + room + " include " + other + ", which has no line");
    if (!fs::is_directory(checkout / "src" / room) &&
        !fs::is_directory(checkout / "include/perfmodel" / room))
      out.push_back("the map has " + room + ", which is no folder");
  }
  for (const char* const root : {"src", "include/perfmodel"}) {
    for_each_source(
        checkout / root,
        [&](const fs::path& file) {
          const std::string room =
              fs::relative(file.parent_path(), checkout / root).generic_string();
          check_file(map, file, room, fs::relative(file, checkout).generic_string(), out);
        });
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace perfmodel::test
