// What commands print to a terminal keeps to its width.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/console.hpp"
#include "cli/pseudo_terminal.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;

namespace {

std::string runs() {
  return csv_grid(
      "filters,number_of_workers,global_batch_size,time_s", {4, 8, 16}, {1, 2, 4}, {32, 64, 128},
      [](int filters, int workers, int batch) {
        return 0.001 * filters * batch / std::sqrt(workers);
      });
}

const std::string layers =
    "layer,t_f_us,t_b_us,grad_bytes,t_c_us\n"
    "1,1000,2000,4000000,1500\n2,1500,2500,8000000,2500\n3,500,900,400000,300\n";

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::string> out(std::istream_iterator<std::string>(words), {});
  std::sort(out.begin(), out.end());
  return out;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", start), text.size());
    widest = std::max(widest, perfmodel::display_width(text.substr(start, end - start)));
    start = end + 1;
  }
  return widest;
}

}  // namespace

TEST_CASE_METHOD(ProgramTest, "tables of sweep, scaling and ssgd keep to the width of the terminal",
                 "[cli]") {
  write("runs.csv", runs());
  write("layers.csv", layers);
  const std::vector<std::vector<std::string>> commands = {
      {"sweep", "runs.csv", "--lambdas", "1e-3:1:3", "--search", "generations=20"},
      {"scaling", "runs.csv", "--column", "number_of_workers"},
      {"ssgd", "layers.csv", "--workers", "4", "--timeline"}};
  for (const auto& command : commands) {
    program_options.output_descriptor.reset();
    const std::string piped = run(command).output;
    REQUIRE(widest_line(piped) > 80);
    for (const unsigned short columns : std::vector<unsigned short>{60, 80, 100, 200}) {
      CAPTURE(command, columns);
      PseudoTerminal terminal(columns);
      program_options.output_descriptor = terminal.programs_end();
      CHECK(run(command).exit_code == 0);
      CHECK(widest_line(terminal.text()) <= columns);
      // Nothing is lost: columns that go below stand beside the keys again.
      const std::vector<std::string> shown = words_of(terminal.text());
      const std::vector<std::string> all = words_of(piped);
      if (command.front() != "ssgd")  // whose picture has another width
        CHECK(std::includes(shown.begin(), shown.end(), all.begin(), all.end()));
    }
    // A file is no terminal, whoever watches.
    PseudoTerminal terminal(60);
    program_options.output_descriptor = terminal.programs_end();
    CHECK(run(command, {"-o", "file.txt"}).exit_code == 0);
    CHECK(read("file.txt") == piped);
  }
}

TEST_CASE_METHOD(ProgramTest, "notes and warnings keep to the width of the terminal", "[cli]") {
  write("runs.csv", runs());
  program_options.environment = {{"NO_COLOR", "1"}};
  run({"fit", "runs.csv", "-o", "model.json"}).succeeded();
  const Words predict = {"predict", "model.json", "--set", "number_of_workers=64", "filters=32"};
  const std::string piped = run(predict).errors;
  REQUIRE(piped.find("perfmodel: note: held at ") != std::string::npos);
  REQUIRE(widest_line(piped) > 80);
  for (const unsigned short columns : std::vector<unsigned short>{60, 80, 200}) {
    CAPTURE(columns);
    PseudoTerminal terminal(columns);
    program_options.error_descriptor = terminal.programs_end();
    CHECK(run(predict).exit_code == 0);
    CAPTURE(terminal.text());
    CHECK(widest_line(terminal.text()) <= columns);
    CHECK(words_of(terminal.text()) == words_of(piped));
  }
}

TEST_CASE("long lines go on further in, and words stay whole", "[cli]") {
  using perfmodel::paragraphs_within;
  CHECK(paragraphs_within("  one two three\nfour\n", 11) == "  one two\n    three\nfour\n");
  CHECK(paragraphs_within("a /a/path/that/is/long b\n\nc", 9) ==
        "a\n  /a/path/that/is/long\n  b\n\nc\n");
}
