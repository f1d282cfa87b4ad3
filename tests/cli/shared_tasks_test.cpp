#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;

namespace {

/// Of each of `nets`, time = 3 batch / gpus + 0.2, with a noise that no two rows share.
std::string shared_runs(const std::string& nets) {
  std::string out = "net,gpus,batch,time_s\n";
  int row = 0;
  for (const char net : nets)
    for (const double gpus : {1, 2, 4, 8})
      for (const double batch : {8, 16, 32, 64})
        out += csv_row(std::string(1, net), gpus, batch,
                       (3 * batch / gpus + 0.2) * (1 + 0.05 * std::sin(7.0 * ++row)));
  return out;
}

class SharedTasks : public ProgramTest {
 public:
  SharedTasks() { write("runs.csv", shared_runs("abcdef")); }

  void run_well(const Words& words, const Words& further = {}) const {
    run(words, further).succeeded();
  }
  /// part-1.jsonl and so on.
  Words shards(const Words& command, int count) const {
    Words out;
    for (int i = 1; i <= count; ++i) {
      run_well(command, {"--shard", to_text(i) + "/" + to_text(count), "-o", "part-{shard}.jsonl"});
      out.push_back("part-" + to_text(i) + ".jsonl");
    }
    return out;
  }
  void refused(const Words& parts, const std::string& words) const {
    CHECK_THAT(run({"merge", "-o", "wrong.json"}, parts).failed(3), ContainsSubstring(words));
    CHECK_FALSE(has("wrong.json"));
  }
};

}  // namespace

TEST_CASE_METHOD(SharedTasks, "merge refuses parts that do not make the whole", "[cli][many]") {
  const Words command{"fit", "runs.csv", "--by", "net"};
  const Words parts = shards(command, 2);
  refused({"part-1.jsonl"}, "3 of 6 tasks are missing; run again: 2/2");
  refused({"part-1.jsonl", "part-2.jsonl", "part-1.jsonl"}, "give shard 1/2 once");
  run_well(command, {"--seed", "2", "--shard", "2/2", "-o", "seed-2.jsonl"});
  refused({"part-1.jsonl", "seed-2.jsonl"},
          "seed-2.jsonl: of other runs or options than part-1.jsonl");
  const std::string second = read("part-2.jsonl");
  write("cut.jsonl", second.substr(0, second.size() - 100));
  refused({"part-1.jsonl", "cut.jsonl"}, "cut.jsonl:4: the line is cut short");
  refused({"part-1.jsonl", "cut.jsonl"}, "run again: 2/2");
  write("cut.jsonl", second.substr(0, 20));
  refused({"part-1.jsonl", "cut.jsonl"}, "cut.jsonl: the first line is cut short");
  std::string damaged = second;
  damaged.replace(damaged.find("{\"task\": 3"), 1, "[");
  write("damaged.jsonl", damaged);
  refused({"part-1.jsonl", "damaged.jsonl"}, "damaged.jsonl:3:1:8: not JSON");
  const std::string header = second.substr(0, second.find('\n') + 1);
  const std::string first = read("part-1.jsonl");
  write("stray.jsonl", header + first.substr(first.find('\n') + 1));
  refused({"part-1.jsonl", "stray.jsonl"}, "stray.jsonl: task 0 is none of shard 2/2");
  std::string third = header;
  third.replace(third.find("\"index\": 2"), 10, "\"index\": 3");
  write("third.jsonl", third);
  refused({"part-1.jsonl", "third.jsonl"}, "third.jsonl:1: shard: there is no such shard");
  run_well(command, {"--shard", "1/3", "-o", "of-three-1.jsonl"});
  refused({"part-1.jsonl", "of-three-1.jsonl"},
          "of-three-1.jsonl: of another number of shards than part-1.jsonl");
  run_well({"merge", "part-1.jsonl", "part-2.jsonl", "-o", "merged.jsonl"});
  run_well(command, {"-o", "whole.jsonl"});
  CHECK(read("merged.jsonl") == read("whole.jsonl"));
  // Conditions are about the whole.
  CHECK(
      run({"merge", "part-1.jsonl", "part-2.jsonl", "--fail-if", "any.mape>0.001", "-o", "m.json"})
          .exit_code == 4);
  CHECK(run(command, {"--shard", "1/2", "--fail-if", "any.mape>1", "-o", "p-1.jsonl"}).exit_code ==
        2);
  CHECK(run(command, {"--shard", "1/2", "-o", "same.jsonl"}).exit_code == 2);
  CHECK(run({"merge", "runs.csv", "-o", "m.json"}).exit_code == 3);
}

TEST_CASE_METHOD(SharedTasks, "only the models of groups are shared", "[cli][many]") {
  CHECK_THAT(run({"fit", "runs.csv", "--repeats", "2", "--shard", "1/2", "-o", "p-1.jsonl"}).errors,
             ContainsSubstring("--shard needs many models: --by, or several targets"));
  for (const Words& command :
       {Words{"sweep", "runs.csv"}, Words{"compare", "runs.csv"}, Words{"plan", "space.json"}}) {
    CHECK_THAT(run(command, {"--shard", "1/2"}).failed(2),
               ContainsSubstring("'--shard' was removed: "));
  }
}

TEST_CASE_METHOD(SharedTasks, "a shard that was killed goes on where it was", "[cli][many]") {
  const Words command{"fit", "runs.csv", "--by", "net", "--shard", "2/2", "-o", "part-2.jsonl"};
  run_well(command);
  const std::string part = read("part-2.jsonl");
  const std::size_t second = part.find("\n{\"task\": 3") + 1;
  for (const std::size_t bytes : {std::size_t{10}, second, second + 50}) {
    write("part-2.jsonl.partial", part.substr(0, bytes));
    run_well(command, {"--resume"});
    CHECK(read("part-2.jsonl") == part);
  }
  // What is there is not done again.
  std::string marked = part.substr(0, second);
  marked.replace(marked.find("\"rows\": 16"), 10, "\"rows\":  16");
  write("part-2.jsonl.partial", marked);
  run_well(command, {"--resume"});
  CHECK(read("part-2.jsonl").starts_with(marked));
  // Results of other options are refused, whether they are complete or not.
  const auto with_another_seed = [&] { return run(command, {"--resume", "--seed", "2"}); };
  write("part-2.jsonl.partial", part);
  for (const bool is_complete : {false, true}) {
    const ProgramResult other = with_another_seed();
    INFO(is_complete);
    CHECK(other.exit_code == 3);
    CHECK_THAT(other.errors, ContainsSubstring("other runs, options or shards; remove it and "
                                               "part-2.jsonl,"));
    std::filesystem::remove(file("part-2.jsonl.partial"));
  }
  std::filesystem::remove(file("part-2.jsonl"));
  CHECK(with_another_seed().exit_code == 0);
}
