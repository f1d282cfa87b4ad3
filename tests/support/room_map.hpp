#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace perfmodel::test {

/// Which rooms a room may include besides itself.
using RoomMap = std::map<std::string, std::set<std::string>>;

/// From lines "room: other rooms"; a room is a folder below src and include/perfmodel with the
/// folders in it that have no line of their own.
RoomMap room_map(const std::vector<std::string>& lines);

/// The rooms of a way that leads back to where it began; empty where there is none.
std::vector<std::string> cycle_of(const RoomMap& map);

/// What the sources of a checkout include against the map: "src/a/b.cpp:3: a may not include c";
/// and folders and names that are no room.
std::vector<std::string> objections(const RoomMap& map, const std::filesystem::path& checkout);

}  // namespace perfmodel::test
