// docs/architecture.md says which room may include which; the sources keep to it.

#include <filesystem>
#include <regex>
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
  return test::documented_room_map(PERFMODEL_SOURCE_DIR);
}

}  // namespace

TEST_CASE("a room includes only what the map allows", "[sources]") {
  const test::RoomMap map = documented_map();
  REQUIRE(map.size() > 7);
  Lines found = test::objections(map, PERFMODEL_SOURCE_DIR);
  std::erase_if(found, [](const std::string& line) { return line.ends_with(", upwards"); });
  CHECK(test::joined(found) == "");  // links upwards are counted in counts.tsv
}

TEST_CASE("no literal of the engine has the name of an option", "[sources]") {
  const std::regex option(R"re("[^"]*--[a-z])re");
  Lines found;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(PERFMODEL_SOURCE_DIR "/src/engine")) {
    if (!entry.is_regular_file())
      continue;
    for (const std::string& line : test::lines_of(test::read_text(entry.path().string())))
      if (line.find("//") == std::string::npos && std::regex_search(line, option))
        found.push_back(entry.path().filename().string() + ": " + line);
  }
  CHECK(test::joined(found) == "");  // settings are spelled by the program: spelled("bounds")
}

TEST_CASE("the map of the rooms has no cycle", "[sources]") {
  const Lines cycle = test::cycle_of(documented_map());
  CHECK(test::joined(cycle) == "");
}

TEST_CASE("violations of a map of rooms are found", "[sources]") {
  const test::TemporaryDirectory checkout;
  for (const char* const folder : {"src/top/inner", "src/low", "include/perfmodel/low/deep"})
    std::filesystem::create_directories(checkout.path() / folder);
  checkout.write("src/top/a.cpp",
                 "#include <vector>\n#include \"top/inner/b.hpp\"\n#include \"low/c.hpp\"\n"
                 "#include \"perfmodel/low/deep/d.hpp\"\n#include \"b.hpp\"\n");
  checkout.write("src/top/inner/b.hpp", "#include \"top/a.hpp\"\n");
  checkout.write("src/low/c.cpp", "\n  #include <perfmodel/top/a.hpp>\n");
  checkout.write("include/perfmodel/low/deep/d.hpp",
                 "#include \"perfmodel/attic/e.hpp\"\n#include \"low/deep/f.hpp\"\n");
  const auto objections = [&](const Lines& map) {
    return test::objections(test::room_map(map), checkout.path());
  };
  const std::string header = "include/perfmodel/low/deep/d.hpp:";
  const std::string unknown = header + "1: low/deep may not include attic";
  const std::string hidden = header + "2: who installs the header does not have low/deep/f.hpp";
  const std::string outside = header.substr(0, header.size() - 1) + ": is in no room of the map";
  const std::string down = "src/low/c.cpp:2: low may not include top";
  const std::string up = "src/top/inner/b.hpp:1: top/inner may not include top";
  CHECK(objections({"top: top/inner low", "top/inner:", "low:", "low/deep:"}) ==
        Lines{unknown, hidden, down, up});
  CHECK(objections({"top:", "top/inner: top", "low: top", "low/deep:"}) ==
        Lines{unknown, hidden, "src/top/a.cpp:2: top may not include top/inner",
              "src/top/a.cpp:3: top may not include low",
              "src/top/a.cpp:4: top may not include low/deep"});
  CHECK(objections({"top: top/inner low/deep cellar", "top/inner: top", "low: top",
                    "attic:", "low/deep: attic"}) ==
        Lines{hidden, "src/top/a.cpp:3: top may not include low",
              "the map has attic, which is no folder",
              "the map lets top include cellar, which has no line"});
  CHECK(objections({"low: top"}) == Lines{outside, "src/top/a.cpp: is in no room of the map",
                                          "src/top/inner/b.hpp: is in no room of the map",
                                          "the map lets low include top, which has no line"});
}

TEST_CASE("links from a building to one above it, or between tools, are found", "[sources]") {
  const test::TemporaryDirectory checkout;
  for (const char* const folder : {"src/engine/low", "src/program/words", "src/tools/one",
                                   "src/tools/two", "src/c", "include/perfmodel"})
    std::filesystem::create_directories(checkout.path() / folder);
  checkout.write("src/engine/low/a.cpp", "#include \"words/b.hpp\"\n#include \"low/a.hpp\"\n");
  checkout.write("src/program/words/b.cpp", "#include \"low/a.hpp\"\n#include \"one/c.hpp\"\n");
  checkout.write("src/tools/one/c.cpp", "#include \"words/b.hpp\"\n#include \"two/d.hpp\"\n");
  checkout.write("src/c/e.cpp", "#include \"one/c.hpp\"\n#include \"low/a.hpp\"\n");
  const test::RoomMap map = test::room_map({"engine/low:", "program/words: engine",
                                            "tools/one: program engine", "tools/two:", "c: tools"});
  CHECK(test::objections(map, checkout.path()) ==
        Lines{"src/c/e.cpp:2: c may not include engine/low",
              "src/engine/low/a.cpp:1: engine/low includes program/words, upwards",
              "src/program/words/b.cpp:2: program/words includes tools/one, upwards",
              "src/tools/one/c.cpp:2: tools/one includes tools/two, upwards"});
}

TEST_CASE("a cycle in a map of rooms is found", "[sources]") {
  const auto cycle = [](const Lines& map) { return test::cycle_of(test::room_map(map)); };
  CHECK(cycle({"a: b c", "b: d", "c: d", "d:"}) == Lines{});
  CHECK(cycle({"a: b", "b: c", "c: d", "d: b"}) == Lines{"b", "c", "d", "b"});
  CHECK(cycle({"a: a"}) == Lines{"a", "a"});
  CHECK(cycle({"a/b: a", "a: c", "c:"}) == Lines{});
  CHECK(cycle({"a/b: a", "a: a/b"}) == Lines{"a", "a/b", "a"});
  CHECK(cycle({"a: b", "b/c: d", "d: a"}) == Lines{"a", "b/c", "d", "a"});
}
