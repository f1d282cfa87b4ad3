#include "jobs/measurement.hpp"

#include <string>

#include "perfmodel/error.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

namespace {

std::optional<double> step_time_in(const std::string& output,
                                   const std::string& pattern = "step_time: {}") {
  return time_in(output, parse_time_pattern(pattern));
}

}  // namespace

TEST_CASE("a time is read from the last line with the text", "[campaign]") {
  CHECK(step_time_in("step_time: 2\nstep_time: 0.5\nloss: 3\n") == 0.5);
  CHECK(step_time_in("epoch 1, step_time: 2e-3, loss 4") == 0.002);
  CHECK(step_time_in("step_time: none\nstep_time: 0.25") == 0.25);
  CHECK_FALSE(step_time_in("loss: 3\n"));
  CHECK_FALSE(step_time_in(""));
}

TEST_CASE("a time may have a unit", "[campaign]") {
  CHECK(step_time_in("step_time: 12.5 ms") == 0.0125);
  CHECK(step_time_in("step_time: 12.5ms, loss 4") == 0.0125);
  CHECK(step_time_in("step_time: 1m 30s") == 90);
  CHECK(step_time_in("step_time:   00:01:30") == 90);
  CHECK(step_time_in("step_time: 3 steps") == 3);
  CHECK(step_time_in("took 4 ms per step", "took {} ms per step") == 0.004);
  CHECK_FALSE(step_time_in("took 4 s per epoch", "took {} s per step"));
}

TEST_CASE("a pattern of time has one place for it", "[campaign]") {
  CHECK_THROWS_AS(parse_time_pattern("step_time: "), UsageError);
  CHECK_THROWS_AS(parse_time_pattern("{} of {}"), UsageError);
}

TEST_CASE("a run is timed by the clock", "[campaign]") {
  const TimedRun run = time_run({{"sleep", "0.1"}, {}, {}, ""}, std::nullopt, {});
  CHECK(run.result == TimedRun::Result::time);
  CHECK(run.time >= 0.1);
  CHECK(run.time == run.seconds);
}

TEST_CASE("a run ends with the programs that it started", "[campaign]") {
  // The program that is left would keep the pipe of the output open.
  const TimedRun run = time_run({{"sh", "-c", "sleep 60 & echo 'step_time: 3'"}, {}, {}, ""},
                                parse_time_pattern("step_time: {}"), {});
  CHECK(run.time == 3);
  CHECK(run.seconds < 50);
}

TEST_CASE("a program that ignores the request to end is killed", "[campaign]") {
  const TimedRun run = time_run({{"sh", "-c", "trap '' TERM; sleep 60; sleep 60"}, {}, {}, ""},
                                std::nullopt, {0.1, std::nullopt, {}});
  CHECK(run.result == TimedRun::Result::timeout);
  CHECK(run.seconds < 50);
}

TEST_CASE("a failed run states the last line of its output", "[campaign]") {
  const TimedRun exits = time_run(
      {{"sh", "-c", "echo begin; echo 'out of memory' >&2; exit 3"}, {}, {}, ""}, std::nullopt, {});
  CHECK(exits.result == TimedRun::Result::failed);
  CHECK(exits.reason == "exit code 3: out of memory");
  const TimedRun killed = time_run({{"sh", "-c", "kill -9 $$"}, {}, {}, ""}, std::nullopt, {});
  CHECK(killed.reason == "signal 9");
  const TimedRun silent = time_run({{"true"}, {}, {}, ""}, parse_time_pattern("step_time: {}"), {});
  CHECK(silent.reason == "no time in its output");
}
