#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

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
};

}  // namespace

TEST_CASE_METHOD(SharedTasks, "merge refuses parts that do not make the whole", "[cli][many]") {
  const Words command{"fit", "runs.csv", "--by", "net"};
  for (const std::string shard : {"1/2", "2/2"})
    run_well(command, {"--shard", shard, "-o", "part-{shard}.jsonl"});
  const std::string first = read("part-1.jsonl");
  const std::string second = read("part-2.jsonl");
  const auto refused = [&](const std::string& part, const std::string& bytes,
                           const std::string& words) {
    write(part, bytes);
    CHECK_THAT(run({"merge", "-o", "wrong.json", "part-1.jsonl", part}).failed(3),
               ContainsSubstring(words));
    CHECK_FALSE(has("wrong.json"));
  };
  refused("cut.jsonl", second.substr(0, 20), "cut.jsonl: the first line is cut short");
  std::string damaged = second;
  damaged.replace(damaged.find("{\"task\": 3"), 1, "[");
  refused("damaged.jsonl", damaged, "damaged.jsonl:3:1:8: not JSON");
  const std::string header = second.substr(0, second.find('\n') + 1);
  refused("stray.jsonl", header + first.substr(first.find('\n') + 1),
          "stray.jsonl: task 0 is none of shard 2/2");
  std::string third = header;
  third.replace(third.find("\"index\": 2"), 10, "\"index\": 3");
  refused("third.jsonl", third, "third.jsonl:1: shard: there is no such shard");
  run_well(command, {"--shard", "1/3", "-o", "of-three-1.jsonl"});
  refused("of-three-1.jsonl", read("of-three-1.jsonl"),
          "of-three-1.jsonl: of another number of shards than part-1.jsonl");
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
       {Words{"sweep", "runs.csv"}, Words{"compare", "runs.csv"}, Words{"plan", "space.json"}})
    CHECK_THAT(run(command, {"--shard", "1/2"}).failed(2),
               ContainsSubstring("'--shard' was removed: "));
}

TEST_CASE_METHOD(SharedTasks,
                 "results of other options are refused, whether a shard is complete or not",
                 "[cli][many]") {
  const Words command{"fit", "runs.csv", "--by", "net", "--shard", "2/2", "-o", "part-2.jsonl"};
  run_well(command);
  const std::string part = read("part-2.jsonl");
  const Words another_seed = both_of(command, {"--resume", "--seed", "2"});
  write("part-2.jsonl.partial", part);
  for (const bool is_complete : {false, true}) {
    INFO(is_complete);
    CHECK_THAT(run(another_seed).failed(3),
               ContainsSubstring("other runs, options or shards; remove it and part-2.jsonl,"));
    std::filesystem::remove(file("part-2.jsonl.partial"));
  }
  std::filesystem::remove(file("part-2.jsonl"));
  run_well(another_seed);
}
