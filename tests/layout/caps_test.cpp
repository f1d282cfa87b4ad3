// What may only fall: the lines of each room (lines.tsv), and other counts of what makes the
// sources hard to hold in the head (counts.tsv). tests/layout/ratchet.sh compares both with their
// history. With PERFMODEL_UPDATE_CAPS=1 in the environment both are written anew instead of
// compared.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/fit_command.hpp"
#include "cli/option_set.hpp"
#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/room_map.hpp"
#include "support/source_counts.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
/// The first two cells of a row, and its number.
using Counts = std::map<std::pair<std::string, std::string>, std::size_t>;

namespace {

const std::string kFolder = PERFMODEL_SOURCE_DIR "/tests/layout/";
constexpr std::size_t kMostLinesSaved = 100;  // who saves more lowers the cap
constexpr std::size_t kMostFunctionLines = 60;
constexpr std::size_t kMostSourceLines = 600;
constexpr std::size_t kMostMembers = 16;
constexpr std::size_t kMostHeaderLines = 150;  // of one that many sources include
constexpr std::size_t kManyIncludes = 40;

struct Source {
  fs::path path;  ///< from the top of the checkout
  Lines lines;
};

std::vector<Source> sources_of(const fs::path& checkout) {
  std::vector<Source> out;
  for (const char* const top : {"src", "include"})
    for (const auto& entry : fs::recursive_directory_iterator(checkout / top)) {
      const auto kind = entry.path().extension();
      if (kind == ".cpp" || kind == ".hpp" || kind == ".inc" || kind == ".h")
        out.push_back({fs::relative(entry.path(), checkout),
                       test::lines_of(test::read_text(entry.path().string()))});
    }
  return out;
}

/// The building and the room of "src/engine/gp/kernel.cpp"; public headers and what stands above
/// the buildings are buildings of one room.
std::pair<std::string, std::string> place_of(const fs::path& source) {
  const fs::path room = source.parent_path().lexically_relative("src");
  const bool is_in_building = std::distance(room.begin(), room.end()) == 2;
  if (source.begin()->string() != "src" || !is_in_building)
    return {source.begin()->string(), source.parent_path().filename().string()};
  return {room.begin()->string(), room.filename().string()};
}

Counts lines_of_rooms(const std::vector<Source>& sources) {
  Counts out;
  for (const Source& source : sources)
    out[place_of(source.path)] += source.lines.size();
  return out;
}

/// What the options of `fit` cost: their number, and the cells of option by kind of fit that are
/// refused.
void count_options(Counts& out) {
  CLI::App app;
  cli::OptionRecords records;
  cli::OptionSet options(app, records);
  cli::fit_command().add_options(options);
  std::size_t& count = out[{"options", "fit"}];
  std::size_t& refused = out[{"refused cells", "fit"}];
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_positional() || option->get_name() == "--help")
      continue;
    ++count;
    const unsigned kinds = cli::recorded(records.options, option).kinds;
    for (unsigned kind = cli::kEq4; kind <= cli::kMany; kind <<= 1U)
      refused += (kinds & kind) == 0 ? 1U : 0U;
  }
}

/// Headers that are long, though many sources include them.
std::size_t wide_headers(const std::vector<Source>& sources) {
  std::map<std::string, std::size_t> includes;
  for (const Source& source : sources)
    for (const std::string& line : source.lines)
      if (line.starts_with("#include \""))
        ++includes[line.substr(10, line.size() - 11)];
  return static_cast<std::size_t>(std::ranges::count_if(sources, [&](const Source& source) {
    const std::string path = source.path.generic_string();
    return source.lines.size() > kMostHeaderLines &&
           std::ranges::any_of(includes, [&](const auto& included) {
             return included.second > kManyIncludes && path.ends_with("/" + included.first);
           });
  }));
}

Counts counts_of(const std::vector<Source>& sources) {
  Counts out = {{{"constants", "engine"}, 0},
                {{"functions above 60 lines", "all"}, 0},
                {{"sources above 600 lines", "all"}, 0},
                {{"wide headers", "all"}, wide_headers(sources)}};
  for (const Source& source : sources) {
    const test::Definitions found = test::definitions_of(source.lines);
    if (place_of(source.path).first == "engine")
      out[{"constants", "engine"}] += test::constants_of(source.lines);
    out[{"sources above 600 lines", "all"}] += source.lines.size() > kMostSourceLines ? 1U : 0U;
    for (const test::Definition& function : found.functions)
      out[{"functions above 60 lines", "all"}] += function.lines > kMostFunctionLines ? 1U : 0U;
    for (const test::Definition& type : found.types)
      if (type.members > kMostMembers)
        out[{"members", type.name}] = type.members;
  }
  count_options(out);
  std::size_t& upwards = out[{"links upwards", "all"}];
  for (const std::string& found :
       test::objections(test::documented_room_map(PERFMODEL_SOURCE_DIR), PERFMODEL_SOURCE_DIR))
    upwards += found.ends_with(", upwards") ? 1U : 0U;
  return out;
}

std::string rows_of(const std::string& heading, const Counts& counts) {
  std::string out = heading + "\n";
  for (const auto& [cells, count] : counts)
    out += cells.first + "\t" + cells.second + "\t" + std::to_string(count) + "\n";
  return out;
}

Counts counts_in(const std::string& text) {
  Counts out;
  const Lines lines = test::lines_of(text);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream line(lines[i]);
    std::string first;
    std::string second;
    std::size_t count = 0;
    std::getline(line, first, '\t');
    std::getline(line, second, '\t');
    line >> count;
    out[{first, second}] = count;
  }
  return out;
}

/// What is above its cap, has none, or is more than `slack` below it.
Lines objections(const Counts& counted, const Counts& caps, std::size_t slack) {
  Lines out;
  for (const auto& [cells, count] : counted) {
    const auto cap = caps.find(cells);
    const std::string name = cells.first + ", " + cells.second + ": " + std::to_string(count);
    if (cap == caps.end())
      out.push_back(name + ", and no cap");
    else if (count > cap->second)
      out.push_back(name + ", above its cap of " + std::to_string(cap->second));
    else if (cap->second - count > slack)
      out.push_back(name + ", well below its cap of " + std::to_string(cap->second) +
                    ": lower it with PERFMODEL_UPDATE_CAPS=1");
  }
  for (const auto& [cells, cap] : caps)
    if (!counted.contains(cells))
      out.push_back(cells.first + ", " + cells.second + ": a cap of nothing");
  return out;
}

void compare(const std::string& file, const std::string& heading, const Counts& counted,
             std::size_t slack) {
  if (std::getenv("PERFMODEL_UPDATE_CAPS") != nullptr)
    std::ofstream(kFolder + file) << rows_of(heading, counted);
  const Lines found = objections(counted, counts_in(test::read_text(kFolder + file)), slack);
  CHECK(test::joined(found) == "");
}

}  // namespace

TEST_CASE("rooms have no more lines than their caps", "[sources][caps]") {
  compare("lines.tsv", "building\troom\tcap", lines_of_rooms(sources_of(PERFMODEL_SOURCE_DIR)),
          kMostLinesSaved);
}

TEST_CASE("what makes sources hard to read does not grow", "[sources][caps]") {
  compare("counts.tsv", "what\tof\tcap", counts_of(sources_of(PERFMODEL_SOURCE_DIR)), 0);
}

TEST_CASE("what is above its cap or far below is found", "[sources][caps]") {
  const Counts caps = counts_in("what\tof\tcap\na\tx\t10\na\ty\t200\nb\tgone\t1\n");
  CHECK(objections({{{"a", "x"}, 10}, {{"a", "y"}, 100}, {{"b", "gone"}, 1}}, caps, 100) ==
        Lines{});
  CHECK(objections({{{"a", "x"}, 11}, {{"a", "y"}, 99}, {{"c", "new"}, 1}}, caps, 100) ==
        Lines{"a, x: 11, above its cap of 10",
              "a, y: 99, well below its cap of 200: lower it with PERFMODEL_UPDATE_CAPS=1",
              "c, new: 1, and no cap", "b, gone: a cap of nothing"});
  CHECK(counts_in(rows_of("what\tof\tcap", caps)) == caps);
}

TEST_CASE("functions, types and constants of a source are counted", "[sources][caps]") {
  const test::Definitions found = test::definitions_of(test::lines_of(R"(#include <map>

namespace a {

struct Base;

struct Pair : Base {
  enum class Kind { one, two };
  static constexpr int kZero = 0;
  std::map<int, std::function<void(int)>> calls;  ///< with commas; and parentheses
  double value = std::sqrt(2);
  int with_a_long_name_that_is_torn =
      1;
  using Other = int;
  Pair() : value(f([](int x) {
        return x;
      })) {}
  explicit operator bool() const {
    return true;
  }
  struct Inner {
    int deep;
  };

 private:
  bool last_{};
};

constexpr std::array kTable = {
    1,
    2,
};

int one(int a,
        int b) {
  return a + b;
}
int declared(int a);
}
)"));
  REQUIRE(found.types.size() == 2);
  CHECK(found.types[0].name == "Inner");
  CHECK(found.types[0].members == 1);
  CHECK(found.types[1].name == "Pair");
  CHECK(found.types[1].members == 4);
  CHECK(found.types[1].lines == 21);
  REQUIRE(found.functions.size() == 2);
  CHECK(found.functions[1].name == "one");
  CHECK(found.functions[1].lines == 4);
  CHECK(test::constants_of({"constexpr double kA = 1;", "  static constexpr int kB = 2;",
                            "constexpr int f(int kC);", "const int kD = 1;"}) == 2);
}
