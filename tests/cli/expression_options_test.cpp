#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Takes the runs behind the command.
class ExpressionOptions : public SampleRunsTest {
 public:
  ProgramResult run_on_samples(Words arguments) const {
    arguments.insert(arguments.begin() + 1, file("runs.csv"));
    return run(arguments);
  }
};

}  // namespace

TEST_CASE_METHOD(ExpressionOptions, "options of Eq. (4) are refused for a sum of product terms",
                 "[cli]") {
  const std::vector<std::vector<std::string>> refused = {{"--method", "paper"},
                                                         {"--bounds", "p=-2:2"},
                                                         {"--penalise", "scaled"},
                                                         {"--exploration-rows", "100"},
                                                         {"--strategy", "rand1bin"},
                                                         {"--population", "5"},
                                                         {"--generations", "10"},
                                                         {"--tolerance", "0.1"},
                                                         {"--no-polish"},
                                                         {"--differential-weight", "0.5"},
                                                         {"--crossover-rate", "0.5"}};
  for (const auto& option : refused) {
    Words arguments = {"fit", "--expression", "multi"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    const auto result = run_on_samples(arguments);
    INFO(option.front());
    CHECK(result.exit_code == 2);
    CHECK(result.output.empty());
    CHECK(result.errors ==
          "perfmodel: error: " + option.front() +
              " cannot be combined with --expression multi: sums have a search "
              "of their own, which takes --loss, --l1, --l2, --seed, --starts and --threads\n"
              "See 'perfmodel fit --help'.\n");
  }
  CHECK_THAT(
      run_on_samples({"sweep", "--expression", "multi", "--population", "3", "--no-polish"}).errors,
      ContainsSubstring("--population and --no-polish cannot be combined with --expression multi"));
}

TEST_CASE_METHOD(ExpressionOptions, "the number of terms is refused for Eq. (4)", "[cli]") {
  const auto result = run_on_samples({"fit", "--terms", "2"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.errors, ContainsSubstring("--terms needs --expression multi"));
}

TEST_CASE_METHOD(ExpressionOptions, "only sums whose terms are chosen can be --signed", "[cli]") {
  const auto generic = run_on_samples({"fit", "--signed"});
  CHECK(generic.exit_code == 2);
  CHECK_THAT(generic.errors,
             ContainsSubstring("--signed needs --expression multi or --expression auto"));
  const auto given = run_on_samples({"fit", "--signed", "--expression", "multi", "--terms", "2"});
  CHECK(given.exit_code == 2);
  CHECK_THAT(given.errors,
             ContainsSubstring(
                 "--signed cannot be combined with --terms 2: it is for terms that are chosen"));
}

TEST_CASE_METHOD(ExpressionOptions, "the path of a sum of product terms needs their number",
                 "[cli]") {
  const auto result = run_on_samples({"sweep", "--expression", "multi"});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.errors,
             ContainsSubstring(
                 "--expression multi needs --terms K: each fit of the path would choose its own"));
  const auto path =
      run_on_samples({"sweep", "--expression", "multi", "--terms", "2", "--lambdas", "1e-6:1e-5"});
  INFO(path.errors);
  CHECK(path.exit_code == 0);
  CHECK_THAT(path.output, ContainsSubstring("<- chosen"));
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
  CHECK_THAT(run({"fit", runs}).failed(3),
             ContainsSubstring("pass, for example: --extrinsic num_tokens\n"));
}
