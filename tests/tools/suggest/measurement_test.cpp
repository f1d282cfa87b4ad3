#include "suggest/measurement.hpp"

#include <cmath>
#include <string>

#include "perfmodel/error.hpp"
#include "support/catch.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;

namespace {

std::optional<double> step_time_in(const std::string& output,
                                   const std::string& pattern = "step_time: {}") {
  return time_in(output, parse_time_pattern(pattern));
}

}  // namespace

TEST_CASE("the last time with the text counts, of all lines and within a line or a progress bar",
          "[campaign]") {
  CHECK(step_time_in("step_time: 2\nstep_time: 0.5\nloss: 3\n") == 0.5);
  CHECK(step_time_in("epoch 1, step_time: 2e-3, loss 4") == 0.002);
  CHECK(step_time_in("step_time: none\nstep_time: 0.25") == 0.25);
  CHECK_FALSE(step_time_in("loss: 3\n"));
  CHECK_FALSE(step_time_in(""));
  CHECK(step_time_in("step_time: 9 s\rstep_time: 4 s\rstep_time: 2 s\n") == 2);
  CHECK(step_time_in("step_time: 9 s, after warm-up step_time: 2 s\n") == 2);
  CHECK(step_time_in("Epoch 3 took 4.2 seconds", "{} seconds") == 4.2);
  // A pattern has one place for it.
  CHECK_THROWS_AS(parse_time_pattern("step_time: "), UsageError);
  CHECK_THROWS_AS(parse_time_pattern("{} of {}"), UsageError);
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

TEST_CASE("a number that is no time is not taken for seconds", "[campaign]") {
  for (const char* const text :
       {"1,234.5 s", "1_000 ms", "1:30", "5 it/s", "5it/s", "5/s", "5 GB", "5GB", "5 %", "5%",
        "3.5x", "2.13.1", "2026-11-26", "5 M", "1,234", "0:01:30,5", "3/10"}) {
    INFO(text);
    for (const char* const pattern : {"step_time: {}", "time: {}", "{}"}) {
      const auto time = step_time_in("step_time: " + std::string(text) + "\n", pattern);
      REQUIRE(time);
      CHECK(std::isnan(*time));
    }
  }
  CHECK(std::isnan(step_time_in("step_time: 900 ms\nstep_time: 1,234.5 ms").value()));
  CHECK(std::isnan(step_time_in("speed: 5 it/s", "speed: {} it/s").value()));
  // Times of something each, and what may follow a number.
  CHECK(step_time_in("step_time: 1.2s/it") == 1.2);
  CHECK(step_time_in("step_time: 12 ms/step") == 0.012);
  CHECK(step_time_in("[step_time: 1.5]") == 1.5);
  CHECK(step_time_in("step_time: 1.5, loss 3") == 1.5);
  CHECK(step_time_in("step_time: 1.5.") == 1.5);
  CHECK(step_time_in("step_time: 1.5 [3/10]") == 1.5);
  CHECK(step_time_in("step_time: 1.5 loss/train: 3") == 1.5);
  CHECK(step_time_in(" 5%|x | 5/100 [00:05<01:35, 1.02s/it]", "{}s/it") == 1.02);
  CHECK(step_time_in("step_time: 0:01:30") == 90);
  CHECK(step_time_in("(1.5x)", "({}x)") == 1.5);
  const TimedRun run =
      time_run({{"echo", "step_time: 1:30"}, {}, {}, ""}, parse_time_pattern("step_time: {}"), {});
  CHECK(run.result == TimedRun::Result::failed);
  CHECK(run.reason == "its number is no time, as 1.5, 1.5 ms or 0:01:30 are: step_time: 1:30");
}

TEST_CASE("the id of a job and whether it lasts are read from standard output alone",
          "[campaign]") {
  const test::TemporaryDirectory directory;
  const std::string log = directory.write("7.log", "step_time: 3\n");
  const std::string folder = directory.path().string();
  const TimedRun run =
      time_run({{"sh", "-c", "echo 7; echo warning: the queue is slow >&2"},
                {"sh", "-c", "echo {job} >> " + folder + "/polled; echo slurm: no such job >&2"},
                {},
                folder + "/{job}.log"},
               parse_time_pattern("step_time: {}"), {});
  CHECK(run.time == 3);
  CHECK(test::read_text(directory.file("polled")) == "7\n");
  const TimedRun refused =
      time_run({{"sh", "-c", "echo 7; echo no such queue >&2; exit 1"}, {"true"}, {}, log},
               parse_time_pattern("step_time: {}"), {});
  CHECK(refused.reason == "exit code 1: no such queue");
}

TEST_CASE("a poll that fails once does not end a job", "[campaign]") {
  const test::TemporaryDirectory directory;
  const std::string log = directory.file("log");
  // The queue cannot be reached at first; the job writes its time until the third call.
  const std::string poll = directory.write("poll", R"(#!/bin/sh
cd $(dirname $0) && echo >> polls && case $(wc -l < polls) in
  1) exit 1 ;;
  2) echo running ;;
  3) echo 'step_time: 3' > log ;;
esac
)");
  const TimedRun run =
      time_run({{"echo", "7"}, {"sh", poll}, {}, log}, parse_time_pattern("step_time: {}"), {});
  CHECK(run.time == 3);
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
