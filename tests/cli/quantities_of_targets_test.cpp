// What is fitted keeps its word and its unit: memory is no time.

#include <string>

#include "base/text.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

/// Runs whose memory is written in GiB.
class MemoryTest : public ProgramTest {
 public:
  MemoryTest() {
    std::string text = "workers,tokens,VmHWM\n";
    for (const int workers : {1, 2, 4, 8})
      for (const int tokens : {128, 512, 2048, 8192}) {
        const double gibibytes = 800 + 5.0 * workers + 0.01 * tokens + (tokens == 512 ? 0.3 : 0);
        text += std::to_string(workers) + "," + std::to_string(tokens) + "," +
                std::to_string(gibibytes) + " GiB\n";
      }
    write("runs.csv", text);
  }
  ProgramResult fit(const Words& further = {}) const {
    return run({"fit", "runs.csv", "--target", "VmHWM", "-o", "model.json"}, further).succeeded();
  }
};

}  // namespace

TEST_CASE_METHOD(MemoryTest, "memory is shown in the unit of its cells and stored in bytes",
                 "[quantities]") {
  const std::string summary = fit().errors;
  CHECK_THAT(summary, ContainsSubstring("MAE [") && ContainsSubstring("iB]") &&
                          ContainsSubstring("% of new values: "));
  CHECK_THAT(summary, !ContainsSubstring("slower") && !ContainsSubstring("of new times"));
  const nlohmann::json target = model()["target"];
  CHECK(target["unit"] == "B");
  CHECK(target["shown_unit"] == "GiB");
  const Words at = {"predict", "model.json", "--set", "tokens=2048"};
  const ProgramResult alone = run(at, {"workers=4"}).succeeded();
  CHECK(parse_number(alone.output.substr(0, alone.output.size() - 1)).value() > 8e11);
  CHECK_THAT(alone.errors, ContainsSubstring("% interval: ") && ContainsSubstring(" GiB\n"));
  CHECK_THAT(run(at, {"workers=2,4", "--format", "text"}).succeeded().output,
             ContainsSubstring("VmHWM [GiB]"));
  CHECK_THAT(run(at, {"workers=2,4", "--format", "csv"}).succeeded().output,
             !ContainsSubstring("GiB"));
}

TEST_CASE_METHOD(MemoryTest, "no speedup is told of memory unless it is asked for",
                 "[quantities]") {
  fit();
  const Words scaling = {"scaling", "model.json", "--column", "workers"};
  const ProgramResult told = run(scaling).succeeded();
  CHECK_THAT(told.errors, ContainsSubstring("'VmHWM' is no time by its name, so no speedup"));
  CHECK_THAT(told.output, ContainsSubstring("values along workers") &&
                              ContainsSubstring("value [GiB]") &&
                              ContainsSubstring("standard deviation of the value at"));
  for (const char* word : {"speedup", "Amdahl", "slower"})
    CHECK_THAT(told.output, !ContainsSubstring(word));
  CHECK_THAT(run(scaling, {"--kind", "strong"}).succeeded().output, ContainsSubstring("speedup"));
  const ProgramResult measured =
      run({"scaling", "runs.csv", "--target", "VmHWM", "--column", "workers"}).succeeded();
  CHECK_THAT(measured.output, !ContainsSubstring("speedup"));
}

TEST_CASE_METHOD(MemoryTest, "the page of memory asks for memory", "[quantities]") {
  fit();
  const Words report = {"report", "model.json", "runs.csv"};
  const std::string page = run(report, {"-o", "-"}).succeeded().output;
  for (const char* words : {"How much memory does a run take?", "What makes it large?",
                            "Predicted against measured values", "[GiB]"})
    CHECK_THAT(page, ContainsSubstring(words));
  const std::string markdown = run(report, {"--format", "md", "-o", "-"}).succeeded().output;
  for (const char* words : {"iteration", "slower", "faster", "speedup", "efficiency"})
    CHECK_THAT(markdown, !ContainsSubstring(words));
}

TEST_CASE_METHOD(MemoryTest, "the page of a bound tells what it covers and allocates",
                 "[quantities]") {
  fit({"--quantile", "0.9", "--intrinsic", "tokens", "--extrinsic", "workers"});
  const std::string page =
      run({"report", "model.json", "runs.csv", "--format", "md", "-o", "-"}).succeeded().output;
  CHECK_THAT(page, ContainsSubstring("a bound: 90 % of new runs") &&
                       ContainsSubstring("% of runs") && ContainsSubstring("more than needed"));
  CHECK_THAT(page, !ContainsSubstring("MAPE"));
}

TEST_CASE_METHOD(MemoryTest, "limits of a request are those of a workflow in the unit of the bound",
                 "[quantities]") {
  fit({"--quantile", "0.9"});
  const auto show = [&](const std::string& language, const Words& limits) {
    return run({"show", "model.json", "--as", language}, limits);
  };
  CHECK_THAT(show("slurm", {"--at-most", "1000GiB"}).succeeded().output,
             ContainsSubstring(", 1024000.0))\n"));
  CHECK_THAT(show("galaxy", {"--at-least", "1GB", "--at-most", "2TB"}).succeeded().output,
             ContainsSubstring("    mem: |\n") && EndsWith(", 1.0), 2000.0)\n"));
  CHECK_THAT(show("snakemake", {"--steps", "2TB,1TB"}).succeeded().output,
             ContainsSubstring("(1e+06 if request <= 1e+06 else 2e+06)"));
  for (const char* flag : {"--at-least", "--at-most", "--steps"}) {
    CHECK_THAT(
        show("python", {flag, "1GB"}).failed(2),
        ContainsSubstring(std::string(flag) + " needs --as nextflow, snakemake, galaxy or slurm"));
    CHECK_THAT(show("slurm", {flag, "12"}).failed(2),
               ContainsSubstring("'12' is no memory or time > 0"));
    CHECK_THAT(show("slurm", {flag, "2h"}).failed(2),
               ContainsSubstring("the limits are in s, and 'VmHWM' is in B"));
  }
  CHECK_THAT(show("slurm", {"--at-least", "2TB", "--at-most", "1TB"}).failed(2),
             ContainsSubstring("--at-least is above --at-most"));
}

TEST_CASE_METHOD(ProgramTest, "the unit of a target has two names and tells its kind",
                 "[quantities]") {
  write("runs.csv", "gpus,used\n1,10\n2,14\n4,21\n8,30\n16,43\n");
  const Words fit = {"fit", "runs.csv", "--target", "used", "-o", "model.json"};
  for (const char* option : {"--target-unit", "--time-unit"}) {
    CHECK_THAT(run(fit, {option, "kWh"}).succeeded().errors, ContainsSubstring(" times more"));
    CHECK(model()["target"]["unit"] == "kWh");
    CHECK_THAT(run(fit, {option, "min"}).succeeded().errors, ContainsSubstring(" times slower"));
  }
}
