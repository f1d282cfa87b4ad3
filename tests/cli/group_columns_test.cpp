#include <string>
#include <vector>

#include "cli/many_runs.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

class GroupColumns : public ProgramTest {
 public:
  GroupColumns() {
    const ManyRuns runs;
    write("runs.csv", runs.wide);
    write("sorted.csv", runs.sorted);
  }
  /// Of the model in this task.
  std::string target_of(const std::string& name, std::size_t task) const {
    return nlohmann::json::parse(lines_of(read(name)).at(1 + task)).at("target");
  }
};

}  // namespace

TEST_CASE_METHOD(GroupColumns, "the time that a throughput gives has the name of a time",
                 "[cli][many]") {
  for (const std::string runs : {"runs.csv", "sorted.csv"}) {
    CAPTURE(runs);
    run({"fit", runs, "--by", "kernel", "--ignore", "memory_mb", "--throughput-target", "time_s",
         "--work", "gpus", "-o", "all.jsonl"})
        .succeeded();
    CHECK(target_of("all.jsonl", 2) == "time_per_iteration");
    const ProgramResult predicted = run({"predict", "all.jsonl", "runs.csv", "--quiet"});
    CHECK(predicted.output.starts_with(
        "kernel,gpus,time_s,memory_mb,predicted_time_per_iteration,in_range\n"));
    CHECK(
        run({"show", "all.jsonl", "--pick", "kernel == \"k2\" && target == \"time_per_iteration\""})
            .exit_code == 0);
  }
}

TEST_CASE_METHOD(GroupColumns, "a column that tells groups apart plays no other part",
                 "[cli][many]") {
  const auto [flags, said] = GENERATE(table<Words, std::string>({
      {{"--by", "kernel", "--target", "kernel"}, "--target: 'kernel' has no effect"},
      {{"--by", "kernel,time_s"}, "--target: 'time_s' has no effect"},
      {{"--by", "kernel", "--ignore", "kernel"}, "--ignore: 'kernel' has no effect"},
      {{"--by", "kernel", "--categorical", "kernel"}, "--categorical: 'kernel' has no effect"},
      {{"--by", "kernel", "--extrinsic", "gpus,kernel"}, "--extrinsic: 'kernel' has no effect"},
      {{"--by", "kernel,kernel"}, "--by: 'kernel' is given twice"},
      {{"--by", "kernel", "--target", "time_s,time_s"}, "--target: 'time_s' is given twice"},
  }));
  CHECK_THAT(run({"fit", "sorted.csv", "-o", "all.jsonl"}, flags).failed(2),
             ContainsSubstring(said));
}
