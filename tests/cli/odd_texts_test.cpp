// What commands and pages show is free of what nobody measured: see support/oddities.hpp.

#include <string>
#include <vector>

#include "support/oddities.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel::test;

namespace {

/// Runs whose names, cells and values have led to such texts.
const std::vector<std::pair<std::string, std::string>> kOddRuns = {
    {"a unit in the name",
     "gpus,batch size,time [s]\n1,8,8\n2,8,4.1\n4,8,2.2\n8,8,1.1\n1,16,16\n"
     "2,16,8.1\n4,16,4.2\n8,16,2.1\n"},
    {"another unit in the name",
     "gpus,n (k),Step Time (ms)\n1,8,8000\n2,8,4100\n4,8,2200\n"
     "1,16,16000\n2,16,8100\n4,16,4200\n"},
    {"memory", "gpus,batch,memory [GiB]\n1,8,8\n2,8,4.1\n4,8,2.2\n1,16,16\n2,16,8.1\n4,16,4.2\n"},
    {"zeros with a sign",
     "x,gpus,time_s\n-0,1,8\n0,2,4\n-0.0,4,2.1\n2,1,8.4\n2,2,4.3\n2,4,2.2\n"
     "5,1,8.8\n5,2,4.4\n"},
    {"blank texts",
     "gpus,mode,note,time_s\n1,a,,8\n2,,,4.1\n4,a,ok,2.2\n1,,,9\n2,a,ok,4.6\n"
     "4,,,2.4\n8,a,,1.2\n8,,,1.3\n"},
    {"two runs", "gpus,time_s\n1,8\n2,4.1\n"},
    {"equal times", "gpus,batch,time_s\n1,8,2\n2,8,2\n4,8,2\n1,16,2\n2,16,2\n4,16,2\n"},
    {"a failed run",
     "gpus,batch,elapsed [min]\n1,8,failed\n2,8,4.1\n4,8,2.2\n1,16,16\n2,16,8.1\n"
     "4,16,4.2\n8,16,\n8,8,1.1\n"}};

const std::vector<Words> kFits = {
    {}, {"--expression", "auto"}, {"--split", "60:20:20"}, {"--folds", "2"}};

const std::vector<Words> kShown = {
    {"show", "model.json"},
    {"evaluate", "model.json", "runs.csv", "--outliers", "2"},
    {"evaluate", "model.json", "runs.csv", "--format", "md"},
    {"predict", "model.json", "--set", "gpus=1:8:x2", "--format", "text"},
    {"scaling", "model.json"},
    {"scaling", "runs.csv"},
    {"suggest", "model.json"},
    {"suggest", "model.json", "--next", "2"},
    {"report", "model.json", "runs.csv", "--format", "md"},
    {"report", "model.json", "--format", "html"},
    {"report", "model.json", "runs.csv", "--format", "html"}};

}  // namespace

TEST_CASE_METHOD(ProgramTest, "no command and no page shows what looks like a mistake",
                 "[cli][whole-fits]") {
  std::size_t texts = 0;
  for (std::size_t i = 0; i < kOddRuns.size(); ++i) {
    const auto& [what, csv] = kOddRuns[i];
    write("runs.csv", csv);
    std::vector<Words> commands = {
        both_of({"fit", "runs.csv", "-o", "model.json"}, kFits[i % kFits.size()])};
    commands.insert(commands.end(), kShown.begin(), kShown.end());
    for (const Words& command : commands) {
      CAPTURE(what, command);
      const ProgramResult result = run(command);
      CHECK((result.exit_code == 0 || result.exit_code == 2 || result.exit_code == 3));
      const std::string text =
          command.back() == "html" ? visible_text(result.output) : result.output;
      CHECK(oddities_in(text + "\n" + result.errors) == std::vector<std::string>());
      texts += result.exit_code == 0 ? 1U : 0U;
    }
  }
  CHECK(texts > 60);
}

TEST_CASE("what looks like a mistake is found, and nothing else", "[cli]") {
  for (const char* odd :
       {"rows left out: 18446744073709551584", "1.5e+16 s", "R2 nan", "-inf .. 2", "x = -0, y = 1",
        "-0.0 .. 5", "time [s] [s]", "a, , b", "the level ''", "\"\" is no level", "(-0)"}) {
    CAPTURE(odd);
    CHECK(oddities_in(std::string("first\n") + odd).size() == 1);
  }
  for (const char* usual :
       {"1e+15", "123456789012345", "nano, info and infinite", "0 .. 5", "1-0", "-0.5", "-02",
        "a [s] [ms]", "a, b", "it's 'a' or \"b\"", "a1b2c3d4e5f60718293a4b5c6d7e8f90"}) {
    CAPTURE(usual);
    CHECK(oddities_in(usual) == std::vector<std::string>());
  }
  CHECK(visible_text("<html><body><p>a &quot;b&quot;</p><script>nan</script></body></html>")
            .find("nan") == std::string::npos);
}
