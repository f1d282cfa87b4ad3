// Files of many models: read a line at a time, merged from parts of shards that were killed.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/program_fixture.hpp"
#include "tools/many/many_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const Words kFitByKernel = {"fit",      "runs.csv", "--by",     "kernel",
                            "--target", "time_s",   "--ignore", "memory_mb"};

class SetFiles : public ProgramTest {
 public:
  SetFiles() {
    write("runs.csv", ManyRuns().wide);
    write("configs.csv", "gpus,kernel\n64,k1\n8,k4\n");
  }
  void run_well(const Words& arguments, const Words& further = {}) const {
    run(arguments, further).succeeded();
  }
  /// all.jsonl
  void fit_by_kernel() const { run_well(kFitByKernel, {"-o", "all.jsonl"}); }
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

TEST_CASE_METHOD(SetFiles, "merge ranks many models on request, as fit does", "[cli][many]") {
  const Words call = both_of(kFitByKernel, {"--set", "gpus=4"});
  const ProgramResult whole = run(call, {"-o", "all.jsonl"});
  for (const std::string shard : {"1/2", "2/2"})
    run(call, {"--shard", shard, "-o", "part-{shard}.jsonl"}).succeeded();
  const ProgramResult merged =
      run({"merge", "part-2.jsonl", "--set", "gpus=4", "part-1.jsonl", "-o", "merged.jsonl"})
          .succeeded();
  CHECK(read("merged.jsonl") == read("all.jsonl"));
  CHECK(merged.errors == whole.errors);
  // Of (k + 1) 4^(0.1 k), k = 0 to 4, the last is 39.5 %; without --set, at 32 GPUs, 48.6 %.
  CHECK_THAT(merged.errors, ContainsSubstring("39.5 %  k4"));
  CHECK_THAT(run({"merge", "part-1.jsonl", "part-2.jsonl", "-o", "merged.jsonl"}).errors,
             ContainsSubstring("48.6 %  k4"));
  CHECK(run({"merge", "part-1.jsonl", "part-2.jsonl", "--set", "cpus=4", "-o", "m.jsonl"})
            .exit_code == 2);
}

TEST_CASE_METHOD(SetFiles, "files of many models may be larger than memory",
                 "[cli][many][needs-bounded-memory]") {
  fit_by_kernel();
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

TEST_CASE_METHOD(SetFiles, "a set of models is read from a pipe, and not where it is cut short",
                 "[cli][many]") {
  fit_by_kernel();
  const std::string all = read("all.jsonl");
  const std::string predicted = run({"predict", "all.jsonl", "configs.csv"}).output;
  REQUIRE(!predicted.empty());
  program_options.input = all;
  CHECK(run({"predict", "-", "configs.csv"}).output == predicted);
  CHECK(run({"predict", "-", "configs.csv", "--pick", "kernel == 'k4'"}).output !=
        run({"predict", "-", "configs.csv", "--pick", "kernel == 'k1'"}).output);
  write("cut.jsonl", all.substr(0, all.size() - 1));
  for (const Words& command :
       {Words{"show", "cut.jsonl"}, Words{"predict", "cut.jsonl", "configs.csv"}})
    CHECK_THAT(run(command).refused(3),
               ContainsSubstring("cut.jsonl:7: the line is whole, but its newline is missing"));
  write("cut.jsonl", all.substr(0, all.size() - 9));
  CHECK_THAT(run({"show", "cut.jsonl"}).errors,
             ContainsSubstring("cut.jsonl:7: the line is cut short; fit again with --resume"));
}

TEST_CASE_METHOD(
    SetFiles, "show writes the ranking of a set, and the formulas of a model, where it is told to",
    "[cli][many]") {
  fit_by_kernel();
  const ProgramResult shown = run({"show", "all.jsonl"});
  run_well({"show", "all.jsonl", "-o", "ranking.txt"});
  CHECK(read("ranking.txt") == shown.errors);
  CHECK_THAT(read("ranking.txt"), ContainsSubstring("48.6 %  k4"));
  for (const char* language : {"text", "python"}) {
    CHECK_THAT(run({"show", "all.jsonl", "--as", language, "-o", "code.txt"}).failed(2),
               ContainsSubstring("one is needed: --pick 'kernel == "));
    CHECK_FALSE(std::filesystem::exists(file("code.txt")));
  }
  run_well({"show", "all.jsonl", "--pick", "kernel == 'k2'", "--as", "python", "-o", "code.txt"});
  CHECK_THAT(read("code.txt"), ContainsSubstring("def "));
}

TEST_CASE_METHOD(SetFiles, "a set with a model twice or with none is refused, its order is free",
                 "[cli][many]") {
  run_well(
      {"fit", "runs.csv", "--by", "kernel", "--target", "time_s,memory_mb", "-o", "all.jsonl"});
  const std::vector<std::string> lines = lines_of(read("all.jsonl"));
  const auto write_set = [&](const std::vector<std::size_t>& order) {
    std::string out = lines.front() + "\n";
    for (const std::size_t line : order)
      out += lines[line] + "\n";
    write("set.jsonl", out);
  };
  const std::vector<Words> commands = {
      {"show", "set.jsonl"},
      {"predict", "set.jsonl", "configs.csv"},
      {"evaluate", "set.jsonl", "runs.csv"},
      {"scaling", "set.jsonl", "--pick", "kernel == 'k1' && target == 'time_s'"}};
  const auto refused = [&](const std::string& message) {
    for (const Words& command : commands) {
      CAPTURE(command);
      CHECK_THAT(run(command).refused(3), ContainsSubstring(message));
    }
  };
  write_set({1, 2, 3, 4, 3, 5});
  refused("set.jsonl:6: the model of kernel=k1 time_s stands in line 4, too");
  write_set({});
  refused("set.jsonl: there is no model in it, only the header of a set");
  write_set({8, 7, 4, 10, 9, 3, 2, 6, 5, 1});
  CHECK(run({"predict", "set.jsonl", "configs.csv"}).output ==
        run({"predict", "all.jsonl", "configs.csv"}).output);
}

TEST_CASE_METHOD(SetFiles,
                 "the damage that editors, transfers and cat do to files of lines is named",
                 "[cli][many]") {
  for (const std::string shard : {"1/2", "2/2"})
    run_well(kFitByKernel, {"--shard", shard, "-o", "part-{shard}.jsonl"});
  const std::string one = read("part-1.jsonl");
  const std::string two = read("part-2.jsonl");
  std::string with_returns;
  for (const std::string& line : lines_of(two))
    with_returns += line + "\r\n";
  const auto refused = [&](const std::string& bytes, const std::string& message) {
    CAPTURE(message);
    write("odd.jsonl", bytes);
    for (const bool first : {true, false}) {
      CHECK_THAT(run({"merge", first ? "odd.jsonl" : "part-1.jsonl",
                      first ? "part-1.jsonl" : "odd.jsonl", "-o", "all.jsonl"})
                     .failed(3),
                 ContainsSubstring(message));
      CHECK_FALSE(std::filesystem::exists(file("all.jsonl")));
    }
  };
  refused(with_returns, "odd.jsonl:1: the line ends in CR and LF");
  refused(two.substr(0, two.size() - 1),
          "odd.jsonl:4: the line is whole, but its newline is missing; add it");
  refused(two + one, "odd.jsonl:5: a second header; files were joined");
  refused(two.substr(two.find('\n') + 1), "odd.jsonl:1: this is the line of a task; the header");
  refused("\xEF\xBB\xBF" + two, "odd.jsonl:1: a byte order mark (EF BB BF) stands before");
  for (const std::string& bytes :
       {"\xEF\xBB\xBF" + two, two.substr(two.find('\n') + 1), two + one}) {
    write("odd.jsonl", bytes);
    CHECK_THAT(run({"show", "odd.jsonl"}).failed(3),
               ContainsSubstring("byte order mark") || ContainsSubstring("header"));
  }
  run_well({"merge", "part-1.jsonl", "part-2.jsonl", "-o", "all.jsonl"});
}
