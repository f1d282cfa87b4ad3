#include <signal.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Waits until the program handles signals itself: until then it has nothing to lose.
void wait_until_searching(const Program& program) {
  const std::string path = "/proc/" + std::to_string(program.process()) + "/status";
  for (int i = 0; i < 2000; ++i) {
    std::ifstream status(path);
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("SigBlk:")) {
        const auto blocked = std::stoull(line.substr(7), nullptr, 16);
        if ((blocked & (1ULL << (SIGTERM - 1))) != 0)
          return;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  FAIL("the search did not begin");
}

/// Of a program that gets the signal while it searches.
class SignalTest : public SampleRunsTest {
 public:
  ProgramResult ended_by(int signal, const Words& arguments) const {
    Program program(arguments, program_options);
    wait_until_searching(program);
    program.signal(signal);
    return program.wait();
  }
};

const Words endless = {"fit", "runs.csv", "--quiet", "--search",
                       "generations=1000000000,tolerance=0"};

}  // namespace

TEST_CASE_METHOD(SignalTest, "an interrupted fit hands over the best so far and says so",
                 "[cli][process]") {
  const ProgramResult result = ended_by(SIGINT, endless);
  CHECK(result.exit_code == 130);
  CHECK(nlohmann::json::parse(result.output)["search"]["termination"] == "interrupted");
  CHECK_THAT(result.errors,
             ContainsSubstring("perfmodel: warning: interrupted: the model is the best that was "
                               "found until then\n"));
  // With a residual process, too, it is a whole model.
  const ProgramResult other = ended_by(SIGINT, both_of(endless, {"--residual", "process"}));
  CHECK(other.exit_code == 130);
  const auto model = nlohmann::json::parse(other.output);
  CHECK(model["search"]["termination"] == "interrupted");
  CHECK(model["constants"]["process"]["weights"].size() ==
        model["constants"]["process"]["runs"].size());
}

TEST_CASE_METHOD(SignalTest, "a fit that is interrupted leaves the old model as it was", "[cli]") {
  write("model.json", "old");
  CHECK_THAT(ended_by(SIGTERM, both_of(endless, {"-o", "model.json"})).failed(143),
             ContainsSubstring("perfmodel: warning: interrupted: model.json was not written\n"));
  CHECK(read("model.json") == "old");
  CHECK(directory().entries() == 2);
}

TEST_CASE_METHOD(SignalTest, "an interrupted choice among forms hands over a whole model",
                 "[cli][auto]") {
  // Many levels that act together: the choice takes seconds.
  std::string runs = "host,job,mode,size,batch,time_s\n";
  for (int row = 0; row < 1200; ++row) {
    const int host = row % 5;
    const int job = row / 5 % 7;
    const int mode = row / 35 % 4;
    const double size = 1 << (row * 7 % 11);
    const double batch = 1 << (row * 5 % 6);
    const double factor = 1 + (host * 31 + job * 17 + mode * 13) % 19;
    runs += csv_row("h" + std::to_string(host), "j" + std::to_string(job),
                    "m" + std::to_string(mode), std::to_string(size), std::to_string(batch),
                    std::to_string(0.001 * factor * (size + 3 * batch)));
  }
  write("runs.csv", runs);
  const ProgramResult result = ended_by(
      SIGINT, {"fit", "runs.csv", "--quiet", "--expression", "auto", "--extrinsic", "batch"});
  CHECK(result.exit_code == 130);
  const auto model = nlohmann::json::parse(result.output);
  CHECK(model["search"]["termination"] == "interrupted");
  CHECK(model["metrics"]["train"]["mape_percent"].is_number());
}
