#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel;

namespace {

std::string readme() {
  std::ifstream file(PERFMODEL_SOURCE_DIR "/README.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it) {
    found.insert((*it)[1]);
  }
  return found;
}

}  // namespace

TEST_CASE("the README's table of options is that of fit --help", "[cli]") {
  const std::string text = readme();
  const std::size_t begin = text.find("## Options of fit");
  const std::string table = text.substr(begin, text.find("\n## ", begin + 1) - begin);
  const std::set<std::string> in_help =
      matches(test::run_perfmodel({"fit", "--help"}).output, R"(\n  (?:-\w,)?(--[a-z0-9-]+))");
  std::set<std::string> in_table = matches(table, R"(\| `(--[a-z0-9-]+))");
  in_table.insert("--help");
  CHECK(in_table == in_help);
}
