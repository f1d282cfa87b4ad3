#include <cmath>
#include <string>

#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

class JudgedSets : public ProgramTest {
 public:
  JudgedSets() {
    write("groups.csv",
          csv_grid("gpus,batch,kernel,time_s", {1, 2, 4, 8, 16}, {8, 16}, {"k0", "k1", "step"},
                   [](int gpus, int batch, const std::string& kernel) {
                     const double k0 = 0.1 * batch;
                     const double k1 = 0.2 * batch * std::pow(gpus, 0.1);
                     return kernel == "k0" ? k0 : kernel == "k1" ? k1 : (k0 + k1) / 0.9;
                   }));
    run({"fit", "groups.csv", "--by", "kernel", "-o", "all.jsonl"}).succeeded();
  }
};

}  // namespace

TEST_CASE_METHOD(JudgedSets, "runs that failed are left out where a set is judged", "[cli][many]") {
  const std::string plain = read("groups.csv");
  write("failed.csv", plain + "2,8,step,oom\n2,8,k1,0\n4,8,k1,oom\n");
  const Words judge{"evaluate", "all.jsonl", "failed.csv", "--format", "csv"};
  CHECK(run(judge).exit_code == 3);
  CHECK(run({"evaluate", "all.jsonl", "groups.csv", "--strict-range"}).exit_code == 2);
  const ProgramResult judged = run(judge, {"--failed", "drop"});
  CHECK(judged.output == run({"evaluate", "all.jsonl", "groups.csv", "--format", "csv"}).output);
  CHECK_THAT(judged.errors,
             ContainsSubstring("failed.csv: 3 of 33 runs failed and are left out: 'time_s' is "
                               "\"0\" in 1 (line 33) and \"oom\" in 2 (lines 32 and 34)"));
  // Of a group of which no run went well no model is judged, and none is fitted.
  std::string none = "gpus,batch,kernel,time_s\n1,8,k0,oom\n2,8,k0,\n";
  for (const std::string& line : lines_of(plain))
    if (line.find(",k1,") != std::string::npos)
      none += line + "\n";
  write("none.csv", none);
  CHECK_THAT(run({"evaluate", "all.jsonl", "none.csv", "--failed", "drop"}).succeeded().errors,
             ContainsSubstring("1 of 3 models are judged"));
  CHECK_THAT(run({"fit", "none.csv", "--by", "kernel", "--failed", "drop", "-o", "one.jsonl"})
                 .succeeded()
                 .errors,
             ContainsSubstring("none.csv: 2 of 2 runs failed"));
}

TEST_CASE_METHOD(JudgedSets, "models are ranked at a configuration that is asked for",
                 "[cli][many]") {
  const ProgramResult one = run({"show", "all.jsonl", "--set", "gpus=1", "batch=16"});
  // k0 takes 1.6 s, k1 3.2 s, step 5.33 s.
  CHECK_THAT(one.errors, ContainsSubstring("at gpus=1, batch=16, all else"));
  CHECK_THAT(one.errors,
             ContainsSubstring("31.6 %  k1             3.2  3.") && ContainsSubstring("  1.072  "));
  // In fit the same, and no other bytes for it.
  const ProgramResult fitted = run({"fit", "groups.csv", "--by", "kernel", "-o", "again.jsonl",
                                    "--set", "gpus=1", "--set", "batch=16"});
  CHECK_THAT(fitted.errors,
             ContainsSubstring("31.6 %  k1             3.2  3.") && ContainsSubstring("  1.072  "));
  CHECK(read("again.jsonl") == read("all.jsonl"));
  CHECK(run({"show", "all.jsonl", "--set", "gpsu=1"}).exit_code == 2);
  CHECK(run({"show", "all.jsonl", "--set", "gpus=1,2"}).exit_code == 2);
}
