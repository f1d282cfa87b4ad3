// Below cli nothing knows of a command line: a sentence names fields, and cli makes flags of them.

#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using Lines = std::vector<std::string>;

namespace {

/// The string literals of a line of C++, with their quotes left out; comments are none.
Lines literals_of(const std::string& line) {
  Lines out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.compare(i, 2, "//") == 0)
      break;
    if (line[i] == '\'' && i + 2 < line.size()) {  // a character
      i = line.find('\'', i + (line[i + 1] == '\\' ? 3 : 2));
      if (i == std::string::npos)
        break;
    } else if (line[i] == '"') {
      std::string literal;
      for (++i; i < line.size() && line[i] != '"'; ++i) {
        if (line[i] == '\\')
          ++i;
        literal += i < line.size() ? line[i] : ' ';
      }
      out.push_back(literal);
    }
  }
  return out;
}

bool names_flag(const std::string& text) {
  for (auto at = text.find("--"); at != std::string::npos; at = text.find("--", at + 1)) {
    const bool begins = at == 0 || (text[at - 1] != '-' && text[at - 1] != '!');
    if (begins && at + 2 < text.size() && std::islower(static_cast<unsigned char>(text[at + 2])))
      return true;
  }
  return false;
}

/// True for cli and for what calls it.
bool is_above(const std::string& file) {
  return file.starts_with("src/cli/") || file.starts_with("src/capi/") ||
         file.starts_with("src/python/");
}

/// "src/fit/a.cpp:3: --folds 7", for every literal outside of src/cli that names a flag.
Lines flags_below_cli(const std::filesystem::path& checkout) {
  Lines out;
  for (const char* const top : {"src", "include"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(checkout / top)) {
      const std::string file = entry.path().lexically_relative(checkout).generic_string();
      if (!entry.is_regular_file() || is_above(file))
        continue;
      const Lines lines = test::lines_of(test::read_text(entry.path()));
      for (std::size_t i = 0; i < lines.size(); ++i) {
        for (const std::string& literal : literals_of(lines[i]))
          if (names_flag(literal))
            out.push_back(file + ":" + std::to_string(i + 1) + ": " + literal);
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("no text below cli names a flag", "[sources]") {
  CHECK(test::joined(flags_below_cli(PERFMODEL_SOURCE_DIR)) == "");
}

TEST_CASE("a flag in a text is found", "[sources]") {
  const test::TemporaryDirectory checkout;
  for (const char* const folder : {"src/fit", "src/cli", "include"})
    std::filesystem::create_directories(checkout.path() / folder);
  checkout.write("src/cli/a.cpp", "say(\"pass --folds\");\n");
  checkout.write("src/fit/b.cpp",
                 "say(\"a -- b\");  // --folds\nsay('\"', \"\\\"--group-by\\\"\", '\\'');\n"
                 "draw(\"<!--mark-->\");\nsay(\"----\", \"(--test)\", x--y);\n");
  CHECK(flags_below_cli(checkout.path()) ==
        Lines{"src/fit/b.cpp:2: \"--group-by\"", "src/fit/b.cpp:4: (--test)"});
}
