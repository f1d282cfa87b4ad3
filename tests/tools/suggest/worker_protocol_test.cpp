// What a worker prints beside its answers is never taken for one: before it reads a configuration,
// and behind the answer to it.

#include <set>
#include <string>
#include <vector>

#include "support/csv_text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kIgnored = "lines of the worker that are no answers are ignored";

/// A program that answers n with n / 1000 seconds, with lines of Python before it reads the first
/// line and behind each answer.
class TalkativeWorker : public ProgramTest {
 public:
  TalkativeWorker(const std::string& at_start, const std::string& behind_answer) {
    write("space.json", R"({"schema": "perfmodel/space", "schema_version": 1,
      "columns": [{"column": "n", "values": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}]})");
    write("worker.py",
          "import json, sys, time\n"
          "def say(text, end='\\n'): print(text, end=end, flush=True)\n" +
              at_start +
              "\nfor line in sys.stdin:\n"
              "    n = json.loads(line)['n']\n"
              "    say(n / 1000)\n"
              "    " +
              behind_answer + "\n");
  }
  ProgramResult measure() const {
    return run({"measure", "space.json", "--worker", "--repeats", "1", "--timeout", "20", "-o",
                "model.json", "--", "python3", "worker.py"});
  }
  std::vector<Words> runs() const {
    std::vector<Words> rows = csv_cells(read("runs.csv"));
    rows.erase(rows.begin());
    return rows;
  }
  /// The number of runs with a time; each has to be the right one.
  std::size_t right_times() const {
    std::size_t out = 0;
    for (const Words& row : runs()) {
      if (row[1] == "failed")
        continue;
      CHECK(std::stod(row[1]) == std::stod(row[0]) / 1000);
      ++out;
    }
    return out;
  }
};

}  // namespace

TEST_CASE("texts of a worker behind its answers and whatever it prints before it reads are ignored",
          "[cli][campaign][worker]") {
  const std::vector<std::pair<std::string, std::string>> habits = {
      {"say(7)", "pass"},
      {"say(7); time.sleep(0.1); say(8)", "pass"},
      {"say('loading'); say('{\"time\": 5}')", "pass"},
      {"pass", "say('done')"},
      {"pass", "time.sleep(0.005); say('done')"},
      {"say('ready')", "time.sleep(0.05); say('run', end=' ')"},
      {"pass", "say('{\"step\": 12}'); time.sleep(0.05); say('> ', end='')"}};
  for (const auto& [at_start, behind_answer] : habits) {
    CAPTURE(at_start, behind_answer);
    const TalkativeWorker worker(at_start, behind_answer);
    const std::string errors = worker.measure().succeeded().errors;
    CHECK(worker.right_times() == 12);
    CHECK(occurrences(errors, kIgnored) == 1);
    CHECK(occurrences(errors, "failed") == 0);
  }
}

TEST_CASE("a worker that says nothing beside its answers is not warned of",
          "[cli][campaign][worker]") {
  const TalkativeWorker worker("print('loading', file=sys.stderr)", "say('')");
  CHECK_THAT(worker.measure().succeeded().errors, !ContainsSubstring(kIgnored));
  CHECK(worker.right_times() == 12);
}

// The run fails if the second answer comes within 20 ms, else the next one, since the first of the
// two stands already: which of them it is depends on how busy the machine is.
TEST_CASE("two answers of a worker to one run fail a run", "[cli][campaign][worker]") {
  for (const std::string second :
       {"say(9)", "time.sleep(0.005); say('0.5 ms')",
        "time.sleep(0.005); say('{\"failed\": \"late\"}')", "time.sleep(0.1); say(9)"}) {
    CAPTURE(second);
    const TalkativeWorker worker("pass", second);
    CHECK_THAT(worker.measure().errors, ContainsSubstring("failed: a second answer: "));
    CHECK(worker.right_times() <= worker.runs().size() / 2 + 1);
  }
}
