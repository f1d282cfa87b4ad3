// docs/architecture.md says which room may include which; the sources keep to it.

#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/room_map.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using Lines = std::vector<std::string>;

namespace {

test::RoomMap documented_map() {
  const Lines page = test::lines_of(test::read_text(PERFMODEL_SOURCE_DIR "/docs/architecture.md"));
  for (const test::FencedBlock& block : test::fenced_blocks(page)) {
    if (block.language == "rooms")
      return test::room_map(block.lines);
  }
  return {};
}

}  // namespace

TEST_CASE("a room includes only what the map allows", "[sources]") {
  const test::RoomMap map = documented_map();
  REQUIRE(map.size() > 7);
  const Lines found = test::objections(map, PERFMODEL_SOURCE_DIR);
  CHECK(test::joined(found) == "");
}

TEST_CASE("the map of the rooms has no cycle", "[sources]") {
  const Lines cycle = test::cycle_of(documented_map());
  CHECK(test::joined(cycle) == "");
}

TEST_CASE("what is against a map of rooms is found", "[sources]") {
  const test::TemporaryDirectory checkout;
  for (const char* const folder : {"src/top/inner", "src/low", "include/perfmodel/low/deep"})
    std::filesystem::create_directories(checkout.path() / folder);
  checkout.write("src/top/a.cpp",
                 "#include <vector>\n#include \"top/inner/b.hpp\"\n#include \"low/c.hpp\"\n"
                 "#include \"perfmodel/low/deep/d.hpp\"\n#include \"b.hpp\"\n");
  checkout.write("src/top/inner/b.hpp", "#include \"top/a.hpp\"\n");
  checkout.write("src/low/c.cpp", "\n  #include <perfmodel/top/a.hpp>\n");
  checkout.write("include/perfmodel/low/deep/d.hpp", "#include \"perfmodel/attic/e.hpp\"\n");
  const auto objections = [&](const Lines& map) {
    return test::objections(test::room_map(map), checkout.path());
  };
  const std::string unknown = "include/perfmodel/low/deep/d.hpp:1: low may not include attic";
  const std::string upwards = "src/low/c.cpp:2: low may not include top";
  CHECK(objections({"top: low", "low:"}) == Lines{unknown, upwards});
  CHECK(objections({"top:", "low: top"}) == Lines{unknown,
                                                  "src/top/a.cpp:3: top may not include low",
                                                  "src/top/a.cpp:4: top may not include low"});
  CHECK(objections({"top: low top/inner", "top/inner:", "low: top"}) ==
        Lines{unknown, "src/top/inner/b.hpp:1: top/inner may not include top"});
  CHECK(objections({"top: low cellar", "low: top", "attic:"}) ==
        Lines{unknown, "the map has attic, which is no folder",
              "the map lets top include cellar, which has no line"});
  CHECK(objections({"low: top"}) == Lines{unknown, upwards,
                                          "src/top/a.cpp: is in no room of the map",
                                          "src/top/inner/b.hpp: is in no room of the map",
                                          "the map lets low include top, which has no line"});
}

TEST_CASE("a cycle in a map of rooms is found", "[sources]") {
  const auto cycle = [](const Lines& map) { return test::cycle_of(test::room_map(map)); };
  CHECK(cycle({"a: b c", "b: d", "c: d", "d:"}) == Lines{});
  CHECK(cycle({"a: b", "b: c", "c: d", "d: b"}) == Lines{"b", "c", "d", "b"});
  CHECK(cycle({"a: a"}) == Lines{"a", "a"});
}
