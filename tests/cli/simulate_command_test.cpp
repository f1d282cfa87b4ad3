#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

class SimulateTest {
 public:
  SimulateTest() {
    directory_.write("model.json", sample_model());
    directory_.write("configs.csv",
                     "note,filters,activation,workers\na,4,relu,2\n\"b,c\",4,tanh,2\n");
    options_.directory = directory_.path();
  }
  ProgramResult run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"simulate", "model.json"});
    return run_perfmodel(arguments, options_);
  }
  const TemporaryDirectory& directory() const { return directory_; }

 private:
  TemporaryDirectory directory_;
  ProgramOptions options_;
};

}  // namespace

TEST_CASE_METHOD(SimulateTest, "simulate appends the times of the model to the lines as they are") {
  const ProgramResult result = run({"configs.csv"});
  CHECK(result.exit_code == 0);
  CHECK(result.output ==
        "note,filters,activation,workers,time_s\na,4,relu,2,4.25\n\"b,c\",4,tanh,2,4.5\n");
  CHECK(result.errors.empty());
}

TEST_CASE_METHOD(SimulateTest, "simulated noise depends on the seed alone") {
  const auto noisy = [&](const std::string& noise, const std::string& seed) {
    return run({"configs.csv", "--noise", noise, "--seed", seed}).output;
  };
  CHECK(noisy("5%", "3") == noisy("0.05", "3"));
  CHECK(noisy("5%", "3") != noisy("5%", "4"));
  CHECK(noisy("5%", "3") != noisy("6%", "3"));
}

TEST_CASE_METHOD(SimulateTest, "simulate refuses what is no noise, and noise that leaves no time") {
  const ProgramResult ambiguous = run({"configs.csv", "--noise", "5"});
  CHECK(ambiguous.exit_code == 2);
  CHECK(
      ambiguous.errors ==
      "perfmodel: error: --noise: '5' is neither a percentage such as 5% nor a number from 0 to 1 "
      "such as 0.05\nSee 'perfmodel simulate --help'.\n");
  const ProgramResult negative = run({"configs.csv", "--additive", "1000", "--seed", "1"});
  CHECK(negative.exit_code == 3);
  CHECK_THAT(negative.errors, ContainsSubstring(": the noise makes the time -"));
  directory().write("runs.csv", sample_runs());
  const ProgramResult taken = run({"runs.csv"});
  CHECK(taken.exit_code == 3);
  CHECK(taken.errors ==
        "perfmodel: error: runs.csv: the column 'time_s' is already there; rename or remove it\n");
}
