#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "cli/pseudo_terminal.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;

namespace {

/// What a command writes to a terminal, and what it says.
struct Shown {
  std::string output;
  ProgramResult result;
};

class TerminalTest : public ProgramTest {
 public:
  Shown shown_by(const Words& arguments) {
    PseudoTerminal terminal;
    program_options.output_descriptor = terminal.programs_end();
    const ProgramResult result = run(arguments);
    program_options.output_descriptor.reset();
    return {terminal.text(), result};
  }
  /// The same of what a command shows on the way, where the file that is its last argument comes a
  /// second after the line is due, which is from the third second on.
  Shown shown_while_waiting(const Words& arguments, const std::string& text) {
    const std::string pipe = file(arguments.back());
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    std::thread writer([&] {
      std::ofstream late(pipe);
      std::this_thread::sleep_for(std::chrono::seconds(3));
      late << text;
    });
    PseudoTerminal terminal(80);
    program_options.error_descriptor = terminal.programs_end();
    const ProgramResult result = run(arguments);
    const int reader =
        ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);  // where the program did not read
    writer.join();
    ::close(reader);
    return {terminal.text(), result};
  }
};

const std::string not_written = "the model is not written anywhere; save it: -o model.json";

}  // namespace

TEST_CASE_METHOD(TerminalTest,
                 "fit prints a table to a terminal, and the model where something else reads",
                 "[cli]") {
  write("runs.csv", "gpus,time_s\n1,8\n2,5\n4,3\n8,2\n16,1.5\n");
  const Shown table = shown_by({"fit", "runs.csv"});
  CHECK(table.result.exit_code == 0);
  CHECK(table.output.empty());
  CHECK_THAT(table.result.errors, Catch::Contains("effect of") && Catch::Contains(not_written));

  // Who says where to has it there, and who wants no table wants the model.
  const Shown file = shown_by({"fit", "runs.csv", "-o", "model.json"});
  CHECK(file.result.exit_code == 0);
  CHECK(file.output.empty());
  CHECK_THAT(file.result.errors, !Catch::Contains(not_written));
  const std::string begin = "{\r\n  \"schema\": \"perfmodel/model\"";
  CHECK_THAT(shown_by({"fit", "runs.csv", "-o", "-"}).output, Catch::StartsWith(begin));
  CHECK_THAT(shown_by({"fit", "runs.csv", "--quiet"}).output, Catch::StartsWith(begin));

  const ProgramResult piped = run({"fit", "runs.csv"});
  CHECK(piped.output == read("model.json"));
  CHECK_THAT(piped.errors, !Catch::Contains(not_written));
}

TEST_CASE_METHOD(TerminalTest, "predict prints a table of several configurations to a terminal",
                 "[cli][central]") {
  std::string csv = "gpus,width,time_s\n";
  for (int run = 0; run < 24; ++run) {
    const int gpus = 1 << run % 4;
    csv += csv_row(gpus, 16 + run * run % 50,
                   std::to_string((0.008 + 0.0001 * (run * 7 % 10)) / gpus));
  }
  write("runs.csv", csv);
  run({"fit", "runs.csv", "-o", "model.json", "--coverage", "0.5", "--quiet"}).succeeded();
  const Shown table =
      shown_by({"predict", "model.json", "--set", "gpus=4,16", "width=20", "--quiet"});
  INFO(table.output);
  CHECK(table.result.exit_code == 0);
  CHECK_THAT(table.output,
             Catch::Matches("  gpus  time_s \\[ms\\]  50 % interval *\r\n"
                            "     4  +[0-9.]+  [0-9.]+ \\.\\. [0-9.]+\r\n"
                            "    16  +[0-9.]+  [0-9.]+ \\.\\. [0-9.]+ +extrapolated\r\n"));
  // Whoever reads from a pipe, or says where to, has CSV with all columns.
  const ProgramResult piped = run({"predict", "model.json", "--set", "gpus=4,16", "width=20"});
  CHECK_THAT(piped.output,
             Catch::StartsWith("width,gpus,predicted_time_s,lower,upper,in_range\n20,4,"));
}

TEST_CASE_METHOD(TerminalTest, "suggest and merge show their progress where it takes long",
                 "[cli][suggest][progress]") {
  write("model.json", sample_model());
  const Shown suggested = shown_while_waiting({"suggest", "model.json", "slow.csv"},
                                              "filters,activation,workers\n4,relu,2\n8,tanh,4\n");
  CHECK(suggested.result.exit_code == 0);
  CHECK_THAT(suggested.output, Catch::Contains("\r\x1b[Kreading slow.csv"));
  CHECK_THAT(suggested.output, Catch::EndsWith("\r\x1b[K"));  // and is gone

  const Shown merged = shown_while_waiting({"merge", "part.jsonl"}, "no part\n");
  CHECK(merged.result.exit_code == 3);
  CHECK_THAT(merged.output, Catch::Contains("\r\x1b[Kreading part.jsonl"));
}

TEST_CASE_METHOD(TerminalTest, "one bar goes through all stages of a fit and never back",
                 "[cli][progress]") {
  PseudoTerminal terminal(100);
  program_options.error_descriptor = terminal.programs_end();
  Program program({"fit", PERFMODEL_SOURCE_DIR "/data/lenet5_test300.csv", "--folds", "5",
                   "--bootstrap", "1000000", "-o", "model.json"},
                  program_options);
  std::this_thread::sleep_for(std::chrono::seconds(6));
  program.signal(SIGINT);
  CHECK(program.wait().exit_code == 130);
  const std::string text = terminal.text();
  const std::regex line("bootstrap  \\[[#-]+\\]  (\\d+) %, about .+ left");
  std::vector<int> shares;
  for (std::sregex_iterator it(text.begin(), text.end(), line), end; it != end; ++it)
    shares.push_back(std::stoi((*it)[1]));
  CHECK(shares.size() >= 3);
  CHECK(std::is_sorted(shares.begin(), shares.end()));
}
