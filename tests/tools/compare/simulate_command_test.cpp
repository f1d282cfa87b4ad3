#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

class SimulateTest : public SampleModelTest {
 public:
  SimulateTest() {
    write("configs.csv", "note,filters,activation,workers\na,4,relu,2\n\"b,c\",4,tanh,2\n");
  }
  ProgramResult run(const Words& arguments) const {
    return ProgramTest::run({"simulate", "model.json"}, arguments);
  }
};

}  // namespace

TEST_CASE_METHOD(SimulateTest, "simulate appends the times of the model to the lines as they are") {
  const ProgramResult result = run({"configs.csv"}).succeeded();
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
  CHECK(
      run({"configs.csv", "--noise", "5"}).failed(2) ==
      "perfmodel: error: --noise: '5' is neither a percentage such as 5% nor a number from 0 to 1 "
      "such as 0.05\nSee 'perfmodel simulate --help'.\n");
  CHECK_THAT(run({"configs.csv", "--additive", "1000", "--seed", "1"}).failed(3),
             ContainsSubstring(": the noise makes the time -"));
  write("runs.csv", sample_runs());
  CHECK(run({"runs.csv"}).failed(3) ==
        "perfmodel: error: runs.csv: the column 'time_s' is already there; rename or remove it\n");
}
