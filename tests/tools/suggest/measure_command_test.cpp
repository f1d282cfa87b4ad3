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

TEST_CASE("a campaign with a worker is killed in a run and continues", "[cli][campaign][worker]") {
  const MeasuredProgram worker;
  // Notes each start.
  worker.write("worker.py", R"(import json, sys, time
print("started", file=open("starts.txt", "a"))
for line in sys.stdin:
    run = json.loads(line)
    time.sleep(0.1)
    print(run["size"] ** 2 / run["gpus"], flush=True)
)");
  const Words ask = {"measure", "space.json", "--worker", "--repeats", "1",
                     "-o",      "model.json", "--",       "python3",   "worker.py"};
  Program program(ask, worker.program_options);
  while (!worker.has("runs.csv") || worker.runs().size() < 3)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  program.signal(SIGKILL);
  program.wait();
  const std::string kept = worker.read("runs.csv");
  REQUIRE(measured_rows(kept).size() < 24);
  worker.run(ask).succeeded();
  CHECK(worker.read("runs.csv").starts_with(kept.substr(0, kept.rfind('\n') + 1)));
  CHECK(worker.counted().size() == 24);
  CHECK(worker.runs().size() == 24);
  CHECK(lines_of(worker.read("starts.txt")).size() == 2);
}
