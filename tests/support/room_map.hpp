#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace perfmodel::test {

/// Which rooms a room may include besides itself. A room is a folder below src and
/// include/perfmodel, without the folders in it; where a room is allowed, its folders are, too.
using RoomMap = std::map<std::string, std::set<std::string>>;

/// From lines "room: other rooms".
RoomMap room_map(const std::vector<std::string>& lines);

/// The map of docs/architecture.md.
RoomMap documented_room_map(const std::filesystem::path& checkout);

/// The rooms of a way that leads back to where it began; empty where there is none.
std::vector<std::string> cycle_of(const RoomMap& map);

/// What the sources of a checkout include against the map: "src/a/b.cpp:3: a may not include c", or
/// against the order of the buildings: "... engine/a includes tools/c, upwards"; headers of
/// include/perfmodel that include one of src; folders and names that are no room.
std::vector<std::string> objections(const RoomMap& map, const std::filesystem::path& checkout);

}  // namespace perfmodel::test
