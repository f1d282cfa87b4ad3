#include <algorithm>
#include <sstream>

#include "base/text.hpp"
#include "cli/options.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;
using test::run_perfmodel;

namespace {

/// The paragraph of an option: its line and the indented ones below.
std::string paragraph(const std::string& help, const std::string& option) {
  std::istringstream lines(help);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const bool begins = line.starts_with("  " + option + " ") || line == "  " + option;
    if (!text.empty() && !line.starts_with("          "))
      break;
    if (begins || !text.empty())
      text += line + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("perfmodel --version and --help answer on standard output", "[cli]") {
  const auto version = run_perfmodel({"--version"});
  CHECK(version.exit_code == 0);
  CHECK(version.output.starts_with("perfmodel "));
  CHECK(version.errors.empty());
  for (const char* command :
       {"", "fit", "predict", "evaluate", "sweep", "compare", "simulate", "show", "plan", "scaling",
        "ssgd", "suggest", "report", "selftest", "help", "completions", "merge"}) {
    const auto help = std::string(command).empty() ? run_perfmodel({"--help"})
                                                   : run_perfmodel({command, "--help"});
    INFO(command);
    CHECK(help.exit_code == 0);
    CHECK(help.errors.empty());
    CHECK_THAT(help.output, ContainsSubstring("Examples:\n  perfmodel "));
    std::istringstream lines(help.output);
    for (std::string line; std::getline(lines, line);)
      CHECK(line.size() <= 100);
  }
}

TEST_CASE("perfmodel alone prints its help as an error", "[cli]") {
  const auto result = run_perfmodel({});
  CHECK(result.exit_code == 2);
  CHECK(result.output.empty());
  CHECK(result.errors == run_perfmodel({"--help"}).output);
}

TEST_CASE("the help of fit has every option of the contract", "[cli]") {
  const std::string help = run_perfmodel({"fit", "--help"}).output;
  for (const char* option : {"--target",
                             "--extrinsic",
                             "--intrinsic",
                             "--categorical",
                             "--ignore",
                             "--time-unit",
                             "--seed",
                             "--repeats",
                             "--penalise",
                             "--loss",
                             "--l1",
                             "--l2",
                             "--method",
                             "--bounds",
                             "--starts",
                             "--exploration-rows",
                             "--strategy",
                             "--population",
                             "--generations",
                             "--tolerance",
                             "--differential-weight",
                             "--crossover-rate",
                             "--no-polish",
                             "--split",
                             "--split-seed",
                             "--test",
                             "--threads",
                             "--folds",
                             "--group-by",
                             "--coverage",
                             "--fail-if",
                             "-o,--output",
                             "--quiet",
                             "--color"}) {
    INFO(option);
    CHECK_FALSE(paragraph(help, option).empty());
  }
}

TEST_CASE("the help of fit tells the defaults that hold", "[cli]") {
  const std::string help = run_perfmodel({"fit", "--help"}).output;
  const SearchDefaults scaled = search_defaults(Method::scaled);
  const SearchDefaults paper = search_defaults(Method::paper);
  const FitOptions options = cli::fit_options({});
  CHECK_THAT(paragraph(help, "--seed"),
             ContainsSubstring("default: " + std::to_string(options.seed) + ")"));
  CHECK_THAT(paragraph(help, "--loss"),
             ContainsSubstring("default: " + std::string(to_text(options.loss)) + ")"));
  CHECK_THAT(paragraph(help, "--population"),
             ContainsSubstring("default: " + std::to_string(scaled.population) +
                               "; paper: " + std::to_string(paper.population)));
  CHECK_THAT(paragraph(help, "--generations"),
             ContainsSubstring("default: " + std::to_string(scaled.generations) +
                               "; paper: " + std::to_string(paper.generations)));
  CHECK_THAT(paragraph(help, "--tolerance"),
             ContainsSubstring("default: " + to_text(scaled.tolerance) +
                               "; paper: " + to_text(paper.tolerance)));
}
