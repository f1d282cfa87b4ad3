// Names in files may hold what steers a terminal; nothing of it reaches one.
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kFilters = "fil\x1b[2Jters\xC2\x9B";  // ESC, C1
const std::string kWorkers = "wor\xC2\x85kers\u200F";   // C1, a mark of direction
const std::string relu = "re\x1b]0;x\alu\u202E";        // ESC, BEL, an override of direction
const std::string tanh_level = "ta\x7fnh\u2066\u061C";  // DEL, an isolate, a mark
const std::string target = "time\x1b[31m_s";
const std::string runs_file = "ru\x1b[2Jns\xC2\x9B.csv";
const std::string layers_file = "lay\u202Eers\x7f.csv";
const std::string model_file = "mo\x1b[2Jdel.json";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string renamed(std::string text) {
  text = replaced(std::move(text), "filters", kFilters);
  text = replaced(std::move(text), "workers", kWorkers);
  text = replaced(std::move(text), "relu", relu);
  text = replaced(std::move(text), "tanh", tanh_level);
  return replaced(std::move(text), "time_s", target);
}

/// JSON has its own way to write controls below a blank.
std::string as_json(std::string text) {
  text = replaced(renamed(std::move(text)), "\x1b", "\\u001b");
  return replaced(std::move(text), "\a", "\\u0007");
}

class Terminal : public ProgramTest {
 public:
  Terminal() {
    write(runs_file, renamed(sample_runs()));
    write(model_file, as_json(sample_model()));
    write("bad.csv", renamed("filters,activation,workers,time_s\n4,relu,1,1\n"
                             "tanh,relu,0,2\n8,tanh,2,relu\n16,relu,4,-1\n"));
    write("unknown.csv", renamed("filters,activation,workers\n4,re\x1bLU,1\n99,tanh,2\n"));
    write("bad.json", replaced(as_json(sample_model()), "\"q\": -1",
                               "\"q\": \"" + std::string("\\u001b[2J") + "\""));
    write("no.json", "{\"a\x1b\": \xC2\x9B}");
    write("space.json", as_json(space_of(R"({"column": "filters", "values": [4, 8, 16, 32]},
                                            {"column": "activation", "values": ["tanh", "relu"]},
                                            {"column": "workers", "values": [1, 2, 4]})")));
    write(layers_file, "layer,t_f_us,t_b_us,grad_bytes\n1,4,3,1000\n2,3,5,2000\n");
    write("named.csv", "layer,t_f_us,t_b_us,grad_bytes\nco\x1b[2Jnv\xC2\x9B,4,3,1000\n");
  }

  /// Runs a command and looks at all that is for people.
  ProgramResult check(const Words& arguments, int exit_code, bool output_is_for_people = false) {
    CAPTURE(arguments);
    ProgramResult result = run(arguments);
    CAPTURE(result.errors, result.output);
    CHECK(result.exit_code == exit_code);
    CHECK(perfmodel::printable(result.errors) == result.errors);
    if (output_is_for_people) {
      CHECK(perfmodel::printable(result.output) == result.output);
      CHECK_FALSE(result.output.empty());
    }
    return result;
  }
};

Words with_roles(Words arguments) {
  return both_of(std::move(arguments), {"--target", target, "--extrinsic", kWorkers});
}

}  // namespace

TEST_CASE_METHOD(Terminal, "no command lets names of a file steer the terminal",
                 "[cli][controls]") {
  const Words fit = with_roles({"fit", runs_file, "-o", model_file});
  check(both_of(fit, {"--bootstrap", "20", "--repeats", "2", "--folds", "3", "--split", "60:20:20",
                      "--coverage", "0.8"}),
        0);
  for (const Words& more : {Words{"--expression", "multi", "--terms", "1"}, Words{}}) {
    const ProgramResult fitted = check(both_of(fit, more), 0);
    // The names are there, without what was in them.
    CHECK_THAT(fitted.errors, ContainsSubstring("fil?[2Jters?"));
    CHECK_THAT(fitted.errors, ContainsSubstring("re?]0;x?lu?"));
    check({"show", model_file}, 0, true);
    check({"show", model_file, "--as", "latex"}, 0, true);
    check({"evaluate", model_file, runs_file, "--outliers", "3"}, 0, true);
    check({"evaluate", model_file, runs_file, "--baseline", model_file, "--format", "md"}, 0, true);
    check({"scaling", model_file, "--column", kWorkers}, 0, true);
    check({"predict", model_file, "unknown.csv"}, 3);
    check(
        {"predict", model_file, "--set", kFilters + "=99", "activation=" + relu, kWorkers + "=77"},
        0, true);
    check({"predict", model_file, "--set", kFilters + "=99", "activation=" + tanh_level + "x",
           kWorkers + "=77"},
          2);
    check({"predict", model_file, "--set", kFilters + "x=99"}, 2);
    check({"simulate", model_file, "unknown.csv"}, 3);
    check({"report", model_file, runs_file, "-o", "page.html", "--title", relu}, 0);
    check({"report", model_file, "bad.csv", "-o", "page.html"}, 3);
    check({"suggest", model_file, "space.json"}, 0, true);
    check({"suggest", model_file, "space.json", "--where", "\x1b" + kFilters}, 2);
  }
  check({"suggest", model_file, "space.json", "--next", "2", "--runs", runs_file}, 0, true);
  check(with_roles({"compare", runs_file}), 0, true);
  check(with_roles({"compare", runs_file, "--format", "md"}), 0, true);
  check(with_roles({"sweep", runs_file}), 0, true);
  check({"scaling", runs_file, "--column", kWorkers, "--target", target}, 0, true);
  check({"plan", "space.json", "-n", "100"}, 3);
  check({"ssgd", layers_file, "--workers", "2", "--allreduce", "ring", "--alpha-us", "15",
         "--bandwidth", "1", "--timeline"},
        0, true);
}

TEST_CASE_METHOD(Terminal, "no complaint lets what it quotes steer the terminal",
                 "[cli][controls]") {
  check(with_roles({"fit", "bad.csv"}), 3);
  check({"fit", "bad.csv", "--target", "\x1b[2J"}, 2);
  check({"fit", "\x1b[2Jmissing\xC2\x9B.csv"}, 3);
  check({"fit", "missing\x9B.csv"}, 3);
  check({"fit", runs_file, "--extrinsic", "\x1b[2J"}, 2);
  check(both_of(with_roles({"fit", runs_file}), {"--derive", "x = \x1b[2J"}), 2);
  check(both_of(with_roles({"fit", runs_file}), {"--fail-if", "\u202Emape>3"}), 2);
  check({"fit", "--\x1b[2J"}, 2);
  check({"ssgd", "named.csv", "--workers", "2"}, 3);
  check({"\xC2\x9B"}, 2);
  check({"predict", "bad.json", "unknown.csv"}, 3);
  check({"predict", "no.json", "unknown.csv"}, 3);
  check({"predict", model_file, "unknown.csv", "-o", "\x1b[2J/out"}, 5);
}

TEST_CASE_METHOD(ProgramTest, "colours stay the program's own", "[cli][controls]") {
  const std::string runs = write("\x1b[2Jruns.csv", renamed(sample_runs()));
  ProgramResult result =
      run(with_roles({"fit", runs, "--color", "always", "-o", file("model.json")})).succeeded();
  const std::string heading = "\x1b[1m";
  CHECK_THAT(result.errors, ContainsSubstring(heading));
  for (const std::string own :
       {"\x1b[1m", "\x1b[0m", "\x1b[m", "\x1b[32m", "\x1b[33m\x1b[1m", "\x1b[33m"})
    result.errors = replaced(result.errors, own, "");
  CHECK(perfmodel::printable(result.errors) == result.errors);
}

TEST_CASE_METHOD(ProgramTest, "messages of programs that share a file are whole lines", "[cli]") {
  // Colours are in the middle of a line.
  REQUIRE(succeeds("for i in $(seq 60); do '" + tested_program() +
                   "' --color always fit no_such_file.csv 2>>" + file("log") + " & done; wait"));
  const std::vector<std::string> lines = lines_of(read("log"));
  CHECK(lines.size() == 60);
  for (const std::string& line : lines)
    CHECK(line == lines.front());
  CHECK(lines.front().starts_with("perfmodel: \x1b[31m\x1b[1merror:\x1b[m cannot read"));
}
