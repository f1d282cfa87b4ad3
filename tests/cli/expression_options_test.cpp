#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE_METHOD(SampleRunsTest, "options of Eq. (4) are refused for a sum of product terms",
                 "[cli]") {
  for (const Words& option : {Words{"--method", "paper"}, Words{"--bounds", "p=-2:2"},
                              Words{"--penalise", "scaled"}, Words{"--search", "population=5"}}) {
    INFO(option.front());
    CHECK(run({"fit", "runs.csv", "--expression", "multi"}, option).refused() ==
          "perfmodel: error: " + option.front() +
              " cannot be combined with --expression multi: sums have a search "
              "of their own, which takes --loss, --l1, --l2, --seed, --starts and --threads\n"
              "See 'perfmodel fit --help'.\n");
  }
}

TEST_CASE_METHOD(SampleRunsTest, "options of some forms name the forms that have them", "[cli]") {
  const auto refused = [&](const Words& command, const std::string& message) {
    CAPTURE(command);
    CHECK_THAT(run(command).failed(2), ContainsSubstring(message));
  };
  refused({"sweep", "runs.csv", "--expression", "multi", "--search", "population=3", "--method",
           "paper"},
          "--method and --search cannot be combined with --expression multi");
  refused({"fit", "runs.csv", "--terms", "2"}, "--terms needs --expression multi");
  refused({"fit", "runs.csv", "--signed"},
          "--signed needs --expression multi or --expression auto");
  refused({"fit", "runs.csv", "--signed", "--expression", "multi", "--terms", "2"},
          "--signed cannot be combined with --terms 2: it is for terms that are chosen");
  const Words sweep = {"sweep", "runs.csv", "--expression", "multi"};
  refused(sweep, "--expression multi needs --terms K: each fit of the path would choose its own");
  CHECK_THAT(run(sweep, {"--terms", "2", "--lambdas", "1e-6:1e-5"}).succeeded().output,
             ContainsSubstring("<- chosen"));
}

TEST_CASE_METHOD(SampleRunsTest, "each key of --search leads the search elsewhere", "[cli]") {
  const auto searched = [&](const Words& options) {
    return run({"fit", "runs.csv", "--quiet", "--coverage", "none"}, options).json()["search"];
  };
  const nlohmann::json usual = searched({});
  for (const char* setting : {"generations=3", "population=8", "strategy=rand1bin", "tolerance=0.1",
                              "exploration-rows=10"}) {
    INFO(setting);
    CHECK(searched({"--search", setting}) != usual);
  }
  const nlohmann::json both = searched({"--search", "population=8,generations=3"});
  CHECK(both["generations"] == 3);
  CHECK(both["population"] == searched({"--search", "population=8"})["population"]);
  CHECK(both == searched({"--search", "generations=3", "--search", "population=8"}));
  for (const std::string unknown : {"popsize=3", "population", ""})
    CHECK_THAT(
        run({"fit", "runs.csv", "--search", "generations=3," + unknown}).failed(2),
        ContainsSubstring("--search: '" + unknown +
                          "' has none of the keys 'exploration-rows', 'strategy', "
                          "'population', 'generations' and 'tolerance', as population=8 has"));
}

TEST_CASE_METHOD(ProgramTest, "fit prints some of many levels, and model.json has them all",
                 "[cli]") {
  std::string csv = "gpus,kind,time_s\n";
  for (int gpus = 1; gpus <= 4; gpus *= 2)
    for (int kind = 10; kind < 25; ++kind)
      csv += csv_row(gpus, "k" + std::to_string(kind), std::to_string(kind * 1.5 / gpus));
  write("kinds.csv", csv);
  const ProgramResult result =
      run({"fit", file("kinds.csv"), "--expression", "multi", "--terms", "1"}).succeeded();
  CHECK_THAT(result.errors, ContainsSubstring("k21: "));
  CHECK_THAT(result.errors, !ContainsSubstring("k22: "));
  CHECK_THAT(result.errors, ContainsSubstring(" more}"));
  CHECK_THAT(result.output, ContainsSubstring("k24: "));
}

TEST_CASE_METHOD(ProgramTest, "a file without a scale is fitted by forms that hardly need one",
                 "[cli]") {
  std::string csv = "n_head,hidden,num_tokens,time_ms\n";
  for (const int heads : {8, 16, 32})
    for (const int hidden : {256, 512, 1024})
      for (int tokens = 1; tokens <= 64; tokens *= 2)
        csv +=
            csv_row(heads, hidden, tokens, std::to_string(0.01 * heads + 1e-4 * hidden * tokens));
  const std::string runs = write("runs.csv", csv);
  for (const std::string expression : {"multi", "auto"}) {
    const ProgramResult fitted =
        run({"fit", runs, "--expression", expression, "-o", file("m.json")}).succeeded();
    const std::string notice =
        "No column has the name of a scale (workers, batch size, ...), so all are inputs alike; "
        "--extrinsic names one.";
    const std::size_t first = fitted.errors.find(notice);
    CHECK(first != std::string::npos);
    CHECK(fitted.errors.find(notice, first + 1) == std::string::npos);
  }
  run({"sweep", runs, "--expression", "multi", "--terms", "1"}).succeeded();
}
