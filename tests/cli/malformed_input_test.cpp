// Every message a user can get, in full: tests/data/malformed/cases.txt lists command lines, each
// with the exit code and what standard error says. Paragraphs look like
//
//     $ predict model.json --set 'filters=four'
//     = 2
//     perfmodel: error: ...
#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;

namespace {

struct Case {
  std::string command;
  int exit_code = 0;
  std::string errors;
};

/// Arguments are separated by blanks; single quotes keep blanks and empty arguments.
Words arguments_of(const std::string& command) {
  Words arguments;
  std::istringstream words(command);
  for (std::string word; words >> std::quoted(word, '\'', '\0');)
    arguments.push_back(word);
  return arguments;
}

std::vector<Case> read_cases(const std::string& text) {
  std::vector<Case> cases;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("$ "))
      cases.push_back({line.substr(2), 0, ""});
    else if (line.starts_with("= "))
      cases.back().exit_code = std::stoi(line.substr(2));
    else if (!line.empty())
      cases.back().errors += line + "\n";
  return cases;
}

}  // namespace

TEST_CASE("every wrong input ends with its exit code and its message, and with no result",
          "[cli]") {
  const std::string directory = PERFMODEL_SOURCE_DIR "/tests/data/malformed";
  const auto cases = read_cases(read_text(directory + "/cases.txt"));
  REQUIRE(cases.size() >= 100);
  for (const Case& wrong : cases) {
    INFO("perfmodel " << wrong.command);
    const ProgramResult result = run_perfmodel(
        arguments_of(wrong.command),
        {.input = "", .environment = {}, .directory = directory, .output_descriptor = {}});
    CHECK(result.errors == wrong.errors);
    CHECK(result.exit_code == wrong.exit_code);
    // A failed gate is told after the result was written.
    CHECK((result.output.empty() || wrong.exit_code == 4));
  }
}
