#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;

namespace {

class JudgedSets : public ProgramTest {
 public:
  JudgedSets() {
    std::string groups = "kernel,gpus,batch,time_s\n";
    for (const double gpus : {1, 2, 4, 8, 16}) {
      for (const double batch : {8, 16}) {
        const std::string at = to_text(gpus) + "," + to_text(batch);
        double sum = 0;
        for (int k = 0; k < 2; ++k) {
          const double time = batch * (k + 1) * std::pow(gpus, 0.1 * k) / 10;
          sum += time;
          groups += csv_row("k" + to_text(k), at, time);
        }
        groups += csv_row("step", at, sum / 0.9);
      }
    }
    write("groups.csv", groups);
  }
};

}  // namespace

TEST_CASE_METHOD(JudgedSets, "runs that failed are left out where a set is judged", "[cli][many]") {
  run({"fit", "groups.csv", "--by", "kernel", "-o", "all.jsonl"}).succeeded();
  const std::string plain = read_text(file("groups.csv"));
  write("failed.csv", plain + "step,2,8,oom\nk1,2,8,0\nk1,4,8,oom\n");
  const Words judge{"evaluate", "all.jsonl", "failed.csv", "--format", "csv"};
  CHECK(run(judge).exit_code == 3);
  CHECK(run({"evaluate", "all.jsonl", "groups.csv", "--strict-range"}).exit_code == 2);
  Words dropping = judge;
  dropping.insert(dropping.end(), {"--failed", "drop"});
  const ProgramResult judged = run(dropping);
  CHECK(judged.output == run({"evaluate", "all.jsonl", "groups.csv", "--format", "csv"}).output);
  CHECK_THAT(judged.errors,
             ContainsSubstring("failed.csv: 3 of 33 runs failed and are left out: 'time_s' is "
                               "\"0\" in 1 (line 33) and \"oom\" in 2 (lines 32 and 34)"));
  // Of a group of which no run went well no model is judged, and none is fitted.
  std::string none = "kernel,gpus,batch,time_s\nk0,1,8,oom\nk0,2,8,\n";
  for (const std::string& line : lines_of(plain))
    if (line.starts_with("k1"))
      none += line + "\n";
  write("none.csv", none);
  const ProgramResult one =
      run({"evaluate", "all.jsonl", "none.csv", "--failed", "drop"}).succeeded();
  CHECK_THAT(one.errors, ContainsSubstring("1 of 3 models are judged"));
  CHECK_THAT(run({"fit", "none.csv", "--by", "kernel", "--failed", "drop", "-o", "one.jsonl"})
                 .succeeded()
                 .errors,
             ContainsSubstring("none.csv: 2 of 2 runs failed"));
}

TEST_CASE_METHOD(JudgedSets, "models are ranked at a configuration that is asked for",
                 "[cli][many]") {
  run({"fit", "groups.csv", "--by", "kernel", "-o", "all.jsonl"}).succeeded();
  const ProgramResult one = run({"show", "all.jsonl", "--set", "gpus=1", "batch=16"});
  // k0 takes 1.6 s, k1 3.2 s, step 5.33 s.
  CHECK_THAT(one.errors, ContainsSubstring("at gpus=1, batch=16, all else"));
  CHECK_THAT(one.errors, ContainsSubstring("31.6 %  k1             3.2  1.072"));
  // In fit the same, and no other bytes for it.
  const ProgramResult fitted = run({"fit", "groups.csv", "--by", "kernel", "-o", "again.jsonl",
                                    "--set", "gpus=1", "--set", "batch=16"});
  CHECK_THAT(fitted.errors, ContainsSubstring("31.6 %  k1             3.2  1.072"));
  CHECK(read_text(file("again.jsonl")) == read_text(file("all.jsonl")));
  CHECK(run({"show", "all.jsonl", "--set", "gpsu=1"}).exit_code == 2);
  CHECK(run({"show", "all.jsonl", "--set", "gpus=1,2"}).exit_code == 2);
}
