// Files of many models: read a line at a time, merged from parts of shards that were killed. What
// else is claimed of them is in tests/transcripts/set_files.md.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "tools/many/many_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const Words kFitByKernel = {"fit",      "runs.csv", "--by",     "kernel",
                            "--target", "time_s",   "--ignore", "memory_mb"};

class SetFiles : public ProgramTest {
 public:
  SetFiles() { write("runs.csv", many_runs()); }
  void run_well(const Words& arguments, const Words& further = {}) const {
    run(arguments, further).succeeded();
  }
};

/// Ends the program, without a word, when the first so many lines of its file are on disk.
void kill_at(Program& program, const std::string& path, std::ptrdiff_t lines) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  const auto are_there = [&] {
    if (std::filesystem::exists(path))
      return true;  // it was faster
    const std::string partial = path + ".partial";
    if (!std::filesystem::exists(partial))
      return false;
    const std::string text = read_text(partial);
    return std::count(text.begin(), text.end(), '\n') >= lines;
  };
  while (!are_there() && std::chrono::steady_clock::now() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  program.signal(SIGKILL);
}

}  // namespace

TEST_CASE_METHOD(SetFiles, "shards that were killed go on, and merge to the bytes of one call",
                 "[cli][many]") {
  const Words call = both_of(
      kFitByKernel, {"--repeats", "16", "--expression", "multi", "--terms", "2", "--threads", "1"});
  const auto with = [&](const Words& further) { return both_of(call, further); };
  run_well(with({"-o", "whole.jsonl"}));
  int killed = 0;
  for (const std::string shard : {"1", "2"}) {
    const std::string part = "part-" + shard + ".jsonl";
    const auto words = with({"--shard", shard + "/2", "-o", part});
    Program program(words, program_options);
    kill_at(program, file(part), 2);
    killed += program.wait().exit_code == 128 + SIGKILL ? 1 : 0;
    // The one goes on, the other begins anew.
    run_well(shard == "1" ? with({"--shard", "1/2", "-o", part, "--resume"}) : words);
    CHECK_FALSE(std::filesystem::exists(file(part + ".partial")));
  }
  CHECK(killed > 0);
  run_well({"merge", "part-1.jsonl", "part-2.jsonl", "-o", "merged.jsonl"});
  CHECK(read("merged.jsonl") == read("whole.jsonl"));
}

TEST_CASE_METHOD(SetFiles, "files of many models may be larger than memory",
                 "[cli][many][needs-bounded-memory]") {
  run_well(kFitByKernel, {"-o", "all.jsonl"});
  const std::vector<std::string> small = lines_of(read("all.jsonl"));
  // The same models many times over, each with a key of its own and with blanks between them,
  // together more than there is memory.
  constexpr std::size_t bound = 60 * (std::size_t{1} << 20);
  constexpr std::size_t times = 50;
  const std::size_t count = times * (small.size() - 1);
  const auto with_number = [](std::string line, const std::string& name, std::size_t number) {
    const std::size_t begin = line.find(name) + name.size();
    return line.replace(begin, line.find_first_of(",}", begin) - begin, std::to_string(number));
  };
  std::string large = with_number(small.front(), "\"tasks\": ", count) + "\n";
  for (std::size_t task = 0; task < count; ++task) {
    std::string line = with_number(small[1 + task % (small.size() - 1)], "\"task\": ", task);
    line.insert(line.find("\"}, \"target\""), "-" + std::to_string(task));
    large += line + std::string(bound / count, ' ') + "\n";
  }
  REQUIRE(large.size() > bound);
  write("large.jsonl", large);
  program_options.address_space = bound;
  CHECK_THAT(run({"show", "large.jsonl"}).errors, ContainsSubstring("250 models of 300"));
  run_well({"merge", "large.jsonl", "-o", "merged.jsonl", "--quiet"});
  CHECK(read("merged.jsonl") == large);
}
