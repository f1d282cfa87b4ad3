#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "support/csv_text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string measured_space = R"({"schema": "perfmodel/space", "schema_version": 1,
 "columns": [{"column": "size", "values": [1, 2, 4, 8]},
             {"column": "kind", "values": ["a", "b c"]},
             {"column": "gpus", "values": [1, 2, 4]}], "extrinsic": ["gpus"]})";

/// Prints the time size^2 / gpus ms, twice that for the kind "b c", and notes each call.
const std::string law_script = R"(#!/bin/sh
echo "$1|$2|$3" >> calls.txt
test "$2" = a && factor=1 || factor=2
echo "step_time: $(( $1 * $1 * factor * 1000 / $3 )) us"
)";

const Words kProgram = {"./program", "{size}", "{kind}", "{gpus}"};

/// Rows of runs.csv as texts, without the header.
std::vector<Words> measured_rows(const std::string& text) {
  std::vector<Words> rows = csv_cells(text);
  if (!rows.empty())
    rows.erase(rows.begin());
  return rows;
}

class MeasuredProgram : public ProgramTest {
 public:
  explicit MeasuredProgram(const std::string& script = law_script,
                           const std::string& space = measured_space) {
    write("space.json", space);
    write("program", script);
  }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::permissions(ProgramTest::write(name, text), std::filesystem::perms::owner_all);
  }
  /// `measure space.json OPTIONS -- COMMAND`
  static Words words(const Words& options, const Words& command = kProgram) {
    Words out{"measure", "space.json", "--time-from", "step_time: {}", "-o", "model.json"};
    out.insert(out.end(), options.begin(), options.end());
    out.emplace_back("--");
    out.insert(out.end(), command.begin(), command.end());
    return out;
  }
  ProgramResult measure(const Words& options, const Words& command = kProgram) const {
    return run(words(options, command));
  }
  std::vector<Words> runs() const { return measured_rows(read("runs.csv")); }
  /// How often each configuration was run.
  std::map<std::string, int> counted() const {
    std::map<std::string, int> out;
    for (const Words& row : runs())
      ++out[row[0] + row[1] + row[2]];
    return out;
  }
  std::size_t calls() const {
    const std::string text = read("calls.txt");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

double law_of(const Words& row) {
  const double size = std::stod(row[0]);
  return 0.001 * size * size * (row[1] == "a" ? 1 : 2) / std::stod(row[2]);
}

/// Waits until the process is the program.
void wait_until_running(const Program& program) {
  const std::string path = "/proc/" + std::to_string(program.process()) + "/comm";
  while (read_text(path) != "perfmodel\n")
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

TEST_CASE("measure stops at its budget and counts earlier calls", "[cli][campaign]") {
  const MeasuredProgram program("#!/bin/sh\nsleep 0.05\n" + law_script.substr(10));
  CHECK_THAT(program.measure({"--budget", "1500ms", "--repeats", "99"}).succeeded().errors,
             ContainsSubstring("the budget is spent") && ContainsSubstring(" left"));
  const std::size_t runs = program.runs().size();
  CHECK(runs <= 30);  // each takes 0.05 s at least
  CHECK_THAT(program.measure({"--budget", "500ms"}).errors,
             ContainsSubstring("continuing runs.csv"));
  CHECK(program.runs().size() == runs);
}

TEST_CASE("measure ends runs that take too long with all that they started", "[cli][campaign]") {
  const MeasuredProgram program(R"(#!/bin/sh
test $1$3 = 81 && { (sleep 2; touch left) & sleep 60; }
)" + law_script.substr(10));
  CHECK_THAT(program.measure({"--repeats", "1", "--timeout", "0.5s"}).succeeded().errors,
             ContainsSubstring("perfmodel: warning: size=8 kind=a gpus=1: timeout"));
  const auto runs = program.runs();
  CHECK(std::count_if(runs.begin(), runs.end(), [](const Words& row) {
          return row[0] + row[2] == "81" && row[3] == "timeout";
        }) == 2);
  CHECK(runs.size() == 24);
  std::this_thread::sleep_for(std::chrono::seconds(2));
  CHECK_FALSE(program.has("left"));
  // As of any file, failed runs are left out on request.
  CHECK(program.run({"fit", "runs.csv", "--failed", "drop", "--quiet", "-o", "x.json"}).exit_code ==
        0);
}

TEST_CASE("measure waits for jobs and reads their logs", "[cli][campaign]") {
  // A job is a file that exists until its work is done, in the background.
  const MeasuredProgram program(R"(#!/bin/sh
job=$(echo "$1-$2-$3" | tr -d ' ')
touch queue.$job
setsid sh -c "sleep 0.15; echo step_time: $1 ms > log.$job; rm queue.$job" > /dev/null 2>&1 &
echo Submitted batch job $job
)",
                                R"({"schema": "perfmodel/space", "schema_version": 1, "columns":
      [{"column": "size", "values": [1, 2, 4, 8]}, {"column": "kind", "values": ["a"]},
       {"column": "gpus", "values": [1, 2, 4]}], "extrinsic": ["gpus"]})");
  program.write("poll", "#!/bin/sh\nls queue.$1 2> /dev/null\n");
  program.write("cancel", "#!/bin/sh\necho $1 >> cancelled\nrm queue.$1\n");
  program.measure({"--repeats", "1", "--poll", "./poll {job}", "--log", "log.{job}"}).succeeded();
  CHECK(program.runs().size() == 12);
  for (const Words& row : program.runs())
    CHECK(std::stod(row[3]) == Approx(std::stod(row[0]) / 1000));
  program.write("stuck", "#!/bin/sh\ntouch queue.$1\necho $1\n");
  program
      .measure({"--runs", "late.csv", "--poll", "./poll {job}", "--cancel", "./cancel {job}",
                "--timeout", "1s"},
               {"./stuck", "{size}-a-{gpus}"})
      .failed(3);
  CHECK_THAT(program.read("late.csv"), ContainsSubstring(",timeout,"));
  CHECK_THAT(program.read("cancelled"), ContainsSubstring("-a-"));
}

TEST_CASE("measure keeps all runs if it is interrupted", "[cli][campaign]") {
  const MeasuredProgram program("#!/bin/sh\nsleep 0.1\n" + law_script.substr(10));
  Program started(MeasuredProgram::words({"--repeats", "1"}), program.program_options);
  while (!program.has("calls.txt") || program.calls() < 3)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  started.signal(SIGINT);
  const ProgramResult result = started.wait();
  CHECK(result.exit_code == 130);
  CHECK_THAT(result.errors, ContainsSubstring("warning: interrupted: runs.csv has "));
  CHECK_FALSE(program.has("model.json"));
  const std::string kept = program.read("runs.csv");
  CHECK(program.runs().size() + 1 >= program.calls());
  CHECK(program.measure({"--repeats", "1"}).exit_code == 0);
  CHECK(program.read("runs.csv").starts_with(kept));
  CHECK(program.runs().size() == 24);
}

TEST_CASE("measure loses no run whenever it is killed", "[cli][campaign]") {
  const MeasuredProgram program("#!/bin/sh\nsleep 0.02\n" + law_script.substr(10));
  std::mt19937 random(20);
  std::string kept;
  for (int moment = 0; moment < 20; ++moment) {
    Program started(MeasuredProgram::words({"--repeats", "20"}), program.program_options);
    wait_until_running(started);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 300));
    started.signal(SIGKILL);
    started.wait();
    if (!program.has("runs.csv"))
      continue;
    const std::string now = program.read("runs.csv");
    const std::string whole = now.substr(0, now.rfind('\n') + 1);
    CHECK(whole.starts_with(kept));
    kept = whole;
  }
  // At most the run of each killed call is missing.
  CHECK(measured_rows(kept).size() + 20 >= program.calls());
  CHECK(program.measure({"--until", "error<1000%"}).exit_code == 0);
  CHECK(program.read("runs.csv").starts_with(kept));
  for (const Words& row : program.runs())
    CHECK(std::stod(row[3]) == Approx(law_of(row)).margin(1e-6));
}

namespace {

/// Starts in 1 s, notes each start and each configuration, and answers by the same law.
const std::string law_worker = R"(import json, os, sys, time
time.sleep(1)
print("started", file=open("starts.txt", "a"))
for line in sys.stdin:
    run = json.loads(line)
    print(line, end="", file=open("asked.txt", "a"))
    size, kind, gpus = run["size"], run["kind"], run["gpus"]
    seconds = int(size * size * (1 if kind == "a" else 2) * 1000 // gpus) / 1e6
    answer = json.dumps({"time": seconds})
#CHANGE#
    print(answer, flush=True)
)";

/// A program that stays up. `change`: lines of Python between the time and its answer.
class MeasuredWorker : public MeasuredProgram {
 public:
  explicit MeasuredWorker(const std::string& change = "") {
    std::string script = law_worker;
    const std::string mark = "#CHANGE#";
    write("worker.py", script.replace(script.find(mark), mark.size(), change));
  }
  Words worker_words(const Words& options = {}) const {
    return both_of({"measure", "space.json", "--worker", "--repeats", "1", "-o", "model.json"},
                   both_of(options, {"--", "python3", "worker.py"}));
  }
  ProgramResult ask(const Words& options = {}) const { return run(worker_words(options)); }
  std::size_t starts() const { return lines_of(read("starts.txt")).size(); }
  /// The time_s of the configurations that begin with a text, "8,a,1".
  Words times_of(const std::string& beginning) const {
    Words out;
    for (const Words& row : runs())
      if ((row[0] + "," + row[1] + "," + row[2]).starts_with(beginning))
        out.push_back(row[3]);
    return out;
  }
};

/// The runs without their durations, in order.
std::vector<Words> without_wall(std::vector<Words> rows) {
  for (Words& row : rows)
    row.pop_back();
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

TEST_CASE_METHOD(MeasuredWorker, "a worker is started once and gives the runs of a process a run",
                 "[cli][campaign][worker]") {
  ask().succeeded();
  CHECK(starts() == 1);
  CHECK_THAT(read("asked.txt"), ContainsSubstring(R"({"size": 8, "kind": "b c", "gpus": 4})"));
  for (const Words& row : runs())
    CHECK(std::stod(row[4]) < 0.9);  // without the start
  measure({"--repeats", "1", "--runs", "other.csv"}).succeeded();
  CHECK(without_wall(runs()) == without_wall(measured_rows(read("other.csv"))));
  // Nothing is left to be measured.
  ask().succeeded();
  CHECK(starts() == 1);
}

TEST_CASE("a worker that ends after some runs is started again", "[cli][campaign][worker]") {
  const MeasuredWorker worker(R"(    done = globals().get("done", 0) + 1
    if done == 8: answer += "\n"; print(answer, end="", flush=True); sys.exit()
)");
  const std::string errors = worker.ask().succeeded().errors;
  CHECK_THAT(errors, !ContainsSubstring("failed"));
  CHECK(worker.starts() == 3);
  CHECK(worker.runs().size() == 24);
}

TEST_CASE("a worker that dies or hangs in a run or prints something else fails that run",
          "[cli][campaign][worker]") {
  const MeasuredWorker worker(R"(    if (size, kind, gpus) == (8, "a", 1): sys.exit("out of memory")
    if (size, kind, gpus) == (8, "a", 2): os.kill(os.getpid(), 9)
    if (size, kind, gpus) == (4, "a", 1): time.sleep(60)
    if (size, kind, gpus) == (4, "a", 2): answer = "loading"
    if (size, kind, gpus) == (2, "a", 1): answer = json.dumps({"failed": "no such size"})
    if (size, kind, gpus) == (2, "a", 2): answer = str(seconds * 1e3) + " ms"
    if (size, kind, gpus) == (2, "a", 4): answer = json.dumps({"time_s": seconds})
    if (size, kind, gpus) == (1, "a", 1): answer = str(seconds)
)");
  const std::string errors = worker.ask({"--timeout", "0.8s"}).succeeded().errors;
  CHECK_THAT(
      errors,
      ContainsSubstring("size=8 kind=a gpus=1: failed: exit code 1: out of memory\n") &&
          ContainsSubstring("size=8 kind=a gpus=2: failed: signal 9\n") &&
          ContainsSubstring("size=4 kind=a gpus=1: timeout\n") &&
          ContainsSubstring("size=4 kind=a gpus=2: failed: its answer has no time: loading\n") &&
          ContainsSubstring("size=2 kind=a gpus=1: failed: no such size\n"));
  // The start is longer than the timeout, and no part of a run.
  CHECK(worker.starts() >= 4);
  CHECK(worker.runs().size() == 24);
  CHECK(worker.times_of("4,a,1") == Words{"timeout"});
  CHECK(worker.times_of("2,a,2") == Words{"0.002"});
  CHECK(worker.times_of("2,a,4") == Words{"0.001"});
  CHECK(worker.times_of("1,a,1") == Words{"0.001"});
}

TEST_CASE("a campaign with a worker is killed in a run and continues", "[cli][campaign][worker]") {
  const MeasuredWorker worker("    time.sleep(0.1)\n");
  Program program(worker.worker_words(), worker.program_options);
  while (!worker.has("runs.csv") || worker.runs().size() < 3)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  program.signal(SIGKILL);
  program.wait();
  const std::string kept = worker.read("runs.csv");
  REQUIRE(measured_rows(kept).size() < 24);
  worker.ask().succeeded();
  CHECK(worker.read("runs.csv").starts_with(kept.substr(0, kept.rfind('\n') + 1)));
  CHECK(worker.counted().size() == 24);
  CHECK(worker.runs().size() == 24);
  CHECK(worker.starts() == 2);
}

TEST_CASE("a worker that cannot start or prints a line too many is no endless loop",
          "[cli][campaign][worker]") {
  const MeasuredWorker worker(R"(    print("ready", flush=True)
)");
  CHECK_THAT(worker.ask().failed(3), ContainsSubstring("its answer has no time: ready") &&
                                         ContainsSubstring("all of the first 3 runs failed"));
  worker.write("worker.py", "import no_such_module\n");
  CHECK_THAT(worker.ask({"--runs", "other.csv"}).failed(3),
             ContainsSubstring("failed: exit code 1: ModuleNotFoundError") &&
                 ContainsSubstring("all of the first 3 runs failed"));
}
