// Completions know every option that the help knows.

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string printed_by(const Words& arguments) {
  return run_perfmodel(arguments).succeeded().output;
}

/// Names at the left of the help, "-o" and "--output".
std::set<std::string> listed_options(const std::string& command) {
  std::set<std::string> out;
  for (const std::string& line :
       lines_of(printed_by(command.empty() ? Words{"--help-all"} : Words{command, "--help-all"}))) {
    if (!line.starts_with("  -"))
      continue;
    std::istringstream names(line.substr(2, line.find(' ', 2) - 2));
    for (std::string name; std::getline(names, name, ',');)
      out.insert(name);
  }
  return out;
}

bool is_installed(const std::string& program) {
  return succeeds("command -v " + program);
}

class CompletionTest : public ProgramTest {
 public:
  CompletionTest() { write("completions", printed_by({"completions", "bash"})); }
  /// What a real bash makes of the last word behind perfmodel.
  std::string complete(const std::string& words) const {
    const auto out =
        output_of("bash -c 'source " + file("completions") + "; COMP_WORDS=(perfmodel " + words +
                  "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _perfmodel; "
                  "echo \"${COMPREPLY[*]}\"'");
    REQUIRE(out);
    return *out;
  }
};

}  // namespace

TEST_CASE_METHOD(ProgramTest, "every option stands in completions", "[cli][docs]") {
  const std::string bash = printed_by({"completions", "bash"});
  const std::string zsh = printed_by({"completions", "zsh"});
  std::vector<std::string> commands = listed_commands();
  REQUIRE(commands.size() >= 15);
  commands.emplace_back("");
  for (const std::string& command : commands) {
    INFO(command);
    const std::string in_bash =
        bash.substr(bash.find("\n    " + (command.empty() ? "''" : command) + ") options='"));
    const std::string of_bash = in_bash.substr(0, in_bash.find(";;")) + " ";
    const auto zsh_begin =
        command.empty() ? zsh.find("_arguments -C") : zsh.find("\n    " + command + ")\n");
    const std::string in_zsh = zsh.substr(zsh_begin, zsh.find(";;", zsh_begin) - zsh_begin);
    const auto options = listed_options(command);
    CHECK(options.size() >= 4);
    for (const std::string& option : options) {
      INFO(option);
      std::string of_options = of_bash.substr(0, of_bash.find("' "));
      std::replace(of_options.begin(), of_options.end(), '\'', ' ');
      CHECK_THAT(of_options + " ", ContainsSubstring(" " + option + " "));
      CHECK((in_zsh.find(option + "[") != std::string::npos ||
             in_zsh.find(option + "=[") != std::string::npos));
    }
  }
  if (is_installed("zsh")) {
    write("_perfmodel", zsh);
    CHECK(succeeds("zsh -n " + file("_perfmodel")));
  }
}

TEST_CASE_METHOD(CompletionTest, "bash completes commands, options, words and files",
                 "[cli][docs]") {
  const std::string runs = write("runs.csv", "");
  REQUIRE(succeeds("bash -n " + file("completions")));
  CHECK(complete("ev") == "evaluate\n");
  CHECK(complete("fit --expr") == "--expression\n");
  CHECK(complete("fit --expression \"\"") == "generic multi auto\n");
  CHECK(complete("evaluate --format = j") == "json junit\n");
  CHECK(complete("compare --format j") == "json\n");
  CHECK(complete("--color \"\"") == "auto always never\n");
  CHECK(complete("help sug") == "suggest\n");
  CHECK(complete("completions \"\"") == "bash zsh\n");
  CHECK(complete("fit --seed \"\"") == "\n");
  CHECK(complete("fit -o " + file("r")) == runs + "\n");
  CHECK(complete("fit " + file("r")) == runs + "\n");
  CHECK_THAT(complete("--"), ContainsSubstring("--version"));
}

TEST_CASE_METHOD(CompletionTest, "shells complete the columns of the file on the line",
                 "[cli][docs]") {
  const std::string runs =
      write("runs.csv", "workers,\"batch_size\",Step Time (ms),$(touch ran)\r\n1,2,3,4\n");
  const std::string model =
      write("model.json",
            "{\"target\": {\"column\": \"time_s\"},\n\"constants\": [{\"column\": \"workers\"},\n"
            "{\"column\": \"work_load\"}]}\n");
  CHECK(complete("fit " + runs + " --target w") == "workers\n");
  CHECK(complete("fit " + runs + " --extrinsic workers,b") == "workers,batch_size\n");
  CHECK(complete("fit " + runs + " --target S") == "Step\\ Time\\ \\(ms\\)\n");
  CHECK(complete("predict " + model + " --set work") == "workers= work_load=\n");
  CHECK(complete("predict " + model + " --set t") == "\n");
  CHECK(complete("fit " + runs + " --ignore \"\"").find("$(touch") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists("ran"));
  if (is_installed("zsh")) {
    write("_perfmodel", printed_by({"completions", "zsh"}));
    CHECK(output_of("zsh -c 'compdef() { }; source " + file("_perfmodel") +
                    "; _perfmodel_columns perfmodel fit " + runs + "'")
              .value_or("")
              .starts_with("workers\nbatch_size\nStep Time (ms)\n"));
  }
}

TEST_CASE("help of a command and -V", "[cli][docs]") {
  CHECK(printed_by({"help", "fit"}) == printed_by({"fit", "--help"}));
  CHECK(printed_by({"help"}) == printed_by({"--help"}));
  CHECK(printed_by({"-V"}) == printed_by({"--version"}));
  CHECK_THAT(run_perfmodel({"help", "ftt"}).failed(2),
             ContainsSubstring("unknown command 'ftt'; did you mean 'fit'?"));
  CHECK_THAT(run_perfmodel({"completions", "tcsh"}).failed(2),
             ContainsSubstring("'tcsh' is not one of 'bash' and 'zsh'"));
}
