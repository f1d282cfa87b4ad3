#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;
using Arguments = std::vector<std::string>;

namespace {

/// Kernels of batch * (k + 1) * gpus^(0.1 k) / 10 that are nine tenths of the step, and the same as
/// columns.
class Totals {
 public:
  Totals() {
    options_.directory = directory_.path();
    std::string groups = "kernel,gpus,batch,time_s\n";
    std::string columns = "gpus,batch,k0_s,k1_s,step_s\n";
    for (const double gpus : {1, 2, 4, 8, 16}) {
      for (const double batch : {8, 16}) {
        const std::string at = to_text(gpus) + "," + to_text(batch);
        std::string row = at;
        double sum = 0;
        for (int k = 0; k < 2; ++k) {
          const double time = batch * (k + 1) * std::pow(gpus, 0.1 * k) / 10;
          sum += time;
          groups += "k" + to_text(k) + "," + at + "," + to_text(time) + "\n";
          row += "," + to_text(time);
        }
        groups += "step," + at + "," + to_text(sum / 0.9) + "\n";
        columns += row + "," + to_text(sum / 0.9) + "\n";
      }
    }
    directory_.write("groups.csv", groups);
    directory_.write("columns.csv", columns);
  }

  ProgramResult run(const Arguments& arguments) const { return run_perfmodel(arguments, options_); }

 protected:
  TemporaryDirectory directory_;
  ProgramOptions options_;
};

}  // namespace

TEST_CASE_METHOD(Totals, "a set says what share of a measured total its parts add up to",
                 "[cli][many]") {
  const Arguments by_kernel{"fit",     "groups.csv", "--by", "kernel",
                            "--total", "step",       "-o",   "all.jsonl"};
  const ProgramResult fitted = run(by_kernel);
  REQUIRE(fitted.exit_code == 0);
  CHECK_THAT(fitted.errors, ContainsSubstring("add up to 90.0 % of step as measured"));
  // The total is not among what it is made of: 16^0.1 * 2 is 72.5 % of itself and 1.
  CHECK_THAT(fitted.errors, ContainsSubstring("72.5 %  k1"));
  CHECK_THAT(fitted.errors, ContainsSubstring("27.5 %  k0"));
  const auto gated = [&](Arguments arguments, const std::string& condition) {
    arguments.insert(arguments.end(), {"--fail-if", condition});
    return run(arguments).exit_code;
  };
  CHECK(gated(by_kernel, "total.share<89") == 0);
  CHECK(gated(by_kernel, "total.share<91") == 4);
  CHECK(gated({"fit", "groups.csv", "--by", "kernel", "-o", "a.jsonl"}, "total.share<1") == 4);

  // Of columns; the total need not be named as a target.
  for (const std::string targets : {"k0_s,k1_s", "k0_s,k1_s,step_s"}) {
    const ProgramResult columns =
        run({"fit", "columns.csv", "--target", targets, "--total", "step_s", "-o", "c.jsonl"});
    CHECK_THAT(columns.errors, ContainsSubstring("add up to 90.0 % of step_s as measured"));
  }
  // On other runs: of the total at one GPU the parts take 2.4 and 4.8 s, of 14.4 measured ones.
  directory_.write("slow.csv", "kernel,gpus,batch,time_s\nk0,1,8,1\nstep,1,8,4.8\nstep,1,16,9.6\n");
  const ProgramResult judged =
      run({"evaluate", "all.jsonl", "slow.csv", "--format", "json", "--fail-if", "total.share<49"});
  CHECK(judged.exit_code == 0);
  const auto document = nlohmann::json::parse(judged.output);
  CHECK(document.at("total").at("share_percent").get<double>() == Approx(50).epsilon(1e-6));
  CHECK(document.at("models").size() == 2);
  CHECK(run({"fit", "groups.csv", "--by", "kernel", "--total", "k9", "-o", "x.jsonl"}).exit_code ==
        2);
  CHECK(run({"fit", "groups.csv", "--total", "step", "-o", "x.json"}).exit_code == 2);
}

TEST_CASE_METHOD(Totals, "runs that failed are left out where a set is judged", "[cli][many]") {
  REQUIRE(run({"fit", "groups.csv", "--by", "kernel", "--total", "step", "-o", "all.jsonl"})
              .exit_code == 0);
  const std::string plain = read_text(directory_.file("groups.csv"));
  directory_.write("failed.csv", plain + "step,2,8,oom\nk1,2,8,0\nk1,4,8,oom\n");
  const Arguments judge{"evaluate", "all.jsonl", "failed.csv", "--format", "csv"};
  CHECK(run(judge).exit_code == 3);
  CHECK(run({"evaluate", "all.jsonl", "groups.csv", "--strict-range"}).exit_code == 2);
  Arguments dropping = judge;
  dropping.insert(dropping.end(), {"--failed", "drop"});
  const ProgramResult judged = run(dropping);
  CHECK(judged.output == run({"evaluate", "all.jsonl", "groups.csv", "--format", "csv"}).output);
  CHECK_THAT(judged.errors,
             ContainsSubstring("failed.csv: 3 of 33 runs failed and are left out: 'time_s' is "
                               "\"0\" in 1 (line 33) and \"oom\" in 2 (lines 32 and 34)") &&
                 ContainsSubstring("90.0 % of step as measured (10 runs)"));
  // Of a group of which no run went well no model is judged, and none is fitted.
  std::string none = "kernel,gpus,batch,time_s\nk0,1,8,oom\nk0,2,8,\n";
  for (const std::string& line : lines_of(plain))
    if (line.starts_with("k1"))
      none += line + "\n";
  directory_.write("none.csv", none);
  const ProgramResult one = run({"evaluate", "all.jsonl", "none.csv", "--failed", "drop"});
  CHECK(one.exit_code == 0);
  CHECK_THAT(one.errors, ContainsSubstring("1 of 3 models are judged"));
  const ProgramResult fitted =
      run({"fit", "none.csv", "--by", "kernel", "--failed", "drop", "-o", "one.jsonl"});
  CHECK(fitted.exit_code == 0);
  CHECK_THAT(fitted.errors, ContainsSubstring("none.csv: 2 of 2 runs failed"));
}

TEST_CASE_METHOD(Totals, "models are ranked at a configuration that is asked for", "[cli][many]") {
  REQUIRE(run({"fit", "groups.csv", "--by", "kernel", "-o", "all.jsonl"}).exit_code == 0);
  const ProgramResult one = run({"show", "all.jsonl", "--set", "gpus=1", "batch=16"});
  // k0 takes 1.6 s, k1 3.2 s, step 5.33 s.
  CHECK_THAT(one.errors, ContainsSubstring("at gpus=1, batch=16, all else"));
  CHECK_THAT(one.errors, ContainsSubstring("31.6 %  k1             3.2  1.072"));
  // In fit the same, and no other bytes for it.
  const ProgramResult fitted = run({"fit", "groups.csv", "--by", "kernel", "-o", "again.jsonl",
                                    "--set", "gpus=1", "--set", "batch=16"});
  CHECK_THAT(fitted.errors, ContainsSubstring("31.6 %  k1             3.2  1.072"));
  CHECK(read_text(directory_.file("again.jsonl")) == read_text(directory_.file("all.jsonl")));
  CHECK(run({"show", "all.jsonl", "--set", "gpsu=1"}).exit_code == 2);
  CHECK(run({"show", "all.jsonl", "--set", "gpus=1,2"}).exit_code == 2);
}
