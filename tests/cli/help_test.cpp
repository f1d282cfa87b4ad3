#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "cli/fit_options.hpp"
#include "compare/comparison.hpp"
#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/program.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using test::run_perfmodel;

namespace {

/// What the help says of an option, in one line.
std::string paragraph(const std::string& help, const std::string& option) {
  std::string text;
  for (const std::string& line : test::lines_of(help)) {
    const bool begins = line.starts_with("  " + option + " ") || line == "  " + option;
    if (!text.empty() && !line.starts_with("          "))
      break;
    if (begins || !text.empty())
      text += (text.empty() ? "" : " ") + line.substr(line.find_first_not_of(' '));
  }
  return text;
}

}  // namespace

TEST_CASE("perfmodel --version --json describes the build", "[cli]") {
  const auto result = run_perfmodel({"--version", "--json"}).succeeded();
  CHECK(run_perfmodel({"--json", "-V"}).output == result.output);
  const auto version = result.json();
  CHECK(version["schema"] == "perfmodel/version");
  const auto plain = run_perfmodel({"--version"}).succeeded();
  CHECK(plain.errors.empty());
  const std::string& text = plain.output;
  CHECK(text.starts_with("perfmodel " + version["version"].get<std::string>() + "\n"));
  CHECK(version["kernels"].size() == available_instruction_sets().size());
  CHECK(version["kernels"][0] == "baseline");
  for (const auto& library : version["black_boxes"])
    CHECK_THAT(text, ContainsSubstring(library.get<std::string>()));
  const std::size_t boxes = (has_black_boxes() ? 1U : 0U) + (has_gradient_boosting() ? 1U : 0U);
  CHECK(version["black_boxes"].size() == boxes);
  CHECK(version["model_schema_version"] == 5);
}

TEST_CASE("the option --help answers on standard output, perfmodel alone with the same as an error",
          "[cli]") {
  std::vector<std::string> commands = test::listed_commands();
  CHECK(commands.size() > 15);
  commands.emplace_back();  // the program itself
  for (const std::string& command : commands) {
    INFO(command);
    const auto asked = [&](const std::string& option) {
      return run_perfmodel(command.empty() ? test::Words{option} : test::Words{command, option})
          .succeeded();
    };
    const auto help = asked("--help");
    CHECK(help.errors.empty());
    CHECK_THAT(help.output, ContainsSubstring("Examples:\n  perfmodel "));
    CHECK(std::count(help.output.begin(), help.output.end(), '\n') <= 24);  // a screen
    for (const std::string& line : test::lines_of(help.output + asked("--help-all").output))
      CHECK(line.size() <= 100);
  }
  const auto alone = run_perfmodel({});
  CHECK(alone.output.empty());
  CHECK(alone.failed(2) == run_perfmodel({"--help"}).output);
}

TEST_CASE("slips on the command line are refused with what is likely to help", "[cli]") {
  const test::TemporaryDirectory directory;
  const std::string runs = directory.write("runs.csv", "workers,time_s\n1,2\n2,1\n");
  const std::string model = directory.write("model.json", "{}");
  const std::vector<std::pair<test::Words, std::string>> slips = {
      {{"--hepl"}, "unknown option '--hepl'; did you mean '--help'?"},
      {{"runs.csv"}, "'runs.csv' is no command; did you mean 'perfmodel fit runs.csv'?"},
      {{"version"}, "unknown command 'version'; did you mean '--version'?"},
      {{"predict", model, "workers=8"},
       "there is no file workers=8; did you mean --set workers=8?"},
      {{"predict", model, runs, "workers=8"},
       "unexpected argument 'workers=8'; did you mean --set workers=8?"},
      {{runs, "fit", runs}, "unexpected argument '" + runs + "'"},
      {{"evaluate", runs, model},
       "the model comes first: perfmodel evaluate " + model + " " + runs},
      {{"suggest", runs, model}, "the model comes first: perfmodel suggest " + model + " " + runs},
      {{"selftest"},
       "'selftest' was removed: its certified answers are tests now, which ctest -L certified "
       "runs"},
      {{"help", "fit", "--markdown"},
       "'--markdown' was removed: perfmodel COMMAND --help-all lists all options"},
      {{"predict", model, runs, "--monotone", "workers-"},
       "'--monotone' was removed: sort the predictions yourself where you are certain of a "
       "direction"},
      {{"measure", "s.json", "--runs", "absent/x.csv", "-o", "./absent/x.csv", "--", "true"},
       "--runs and --output need a file each"},
      {{"--json"}, "--json requires --version"},
      {{"fit", "r.csv", "--by", "k", "--facts", "k=f.csv"},
       "--facts cannot be combined with many models at once: it is of fits of one model"},
      {{"fit", "r.csv", "--l2", "1", "--l1", "1", "--residual", "process"},
       "--l1 and --l2 cannot be combined with --residual process: its constants and "
       "hyper-parameters maximise a likelihood; leave out one of them"},
      {{"suggest", "m.json", "s.json", "--by", "cost"}, "--by cost needs --price"},
      {{"suggest", "m.json", "s.json", "--runs", "r.csv", "--overhead", "1"},
       "--runs and --overhead need --next"},
      {{"ssgd", "l.csv", "--workers", "2", "--allreduce", "ring"},
       "--allreduce needs --alpha-us and --bandwidth"},
      {{"plan", "s.json", "-n", "3", "--starts", "2"}, "--starts needs --method d-optimal"},
      {{"simulate", "-", "-"}, "MODEL.json and CONFIGS.csv cannot both come from standard input"}};
  for (const auto& [words, message] : slips)
    CHECK_THAT(run_perfmodel(words).failed(2),
               ContainsSubstring("perfmodel: error: " + message + "\n"));
}

TEST_CASE("the help of fit has its common options, the long one all with the defaults that apply",
          "[cli]") {
  const std::string common = run_perfmodel({"fit", "--help"}).output;
  CHECK_THAT(common,
             ContainsSubstring("\n  --target COL                      the measured time\n"));
  CHECK_THAT(common, !ContainsSubstring("--search"));
  const std::string help = run_perfmodel({"fit", "--help-all"}).output;
  std::istringstream contract(
      "--target --extrinsic --intrinsic --categorical --ignore --target-unit,--time-unit --seed "
      "--repeats --penalise --loss --l1 --l2 --method --bounds --starts "
      "--search --split --split-seed --test "
      "--threads --folds --group-by --coverage --fail-if -o,--output --quiet --color");
  for (std::string option; contract >> option;) {
    INFO(option);
    CHECK_FALSE(paragraph(help, option).empty());
  }
  CHECK_THAT(paragraph(help, "--method"), EndsWith(" (default: scaled)"));
  const SearchDefaults scaled = search_defaults(Method::scaled);
  const SearchDefaults paper = search_defaults(Method::paper);
  const FitOptions options = cli::fit_options({});
  CHECK_THAT(paragraph(help, "--seed"),
             ContainsSubstring("default: " + std::to_string(options.seed) + ")"));
  CHECK_THAT(paragraph(help, "--loss"),
             ContainsSubstring("default: " + std::string(to_text(options.loss)) + ")"));
  const std::string search = paragraph(help, "--search");
  for (const auto& [key, standard, of_paper] : std::vector<std::array<std::string, 3>>{
           {"population: members per free constant", std::to_string(scaled.population),
            std::to_string(paper.population)},
           {"generations: at most", std::to_string(scaled.generations),
            std::to_string(paper.generations)},
           {"the finish goes on", to_text(scaled.tolerance), to_text(paper.tolerance)}})
    CHECK_THAT(search, ContainsSubstring(key + " (default: " + standard + "; paper: " + of_paper));
}

TEST_CASE("an option that was removed ends in a sentence with what replaces it", "[cli]") {
  const std::string of_table = "pass --table NAME, of a study, an experiment, a table or a view";
  const auto [name, instead] = GENERATE_COPY(table<std::string, std::string>({
      {"--study", of_table},
      {"--experiment", of_table},
      {"--fix", "pass --bounds X=VALUE"},
      {"--exploration-rows", "pass --search exploration-rows=N"},
      {"--strategy", "pass --search strategy=NAME"},
      {"--population", "pass --search population=N"},
      {"--generations", "pass --search generations=N"},
      {"--tolerance", "pass --search tolerance=X"},
      {"--differential-weight", "it is 0.5:1, as by --method paper"},
      {"--crossover-rate", "it is 0.7, as by --method paper"},
      {"--no-polish", "--method paper ends with scipy's finish, scaled always with the exact one"},
  }));
  const std::string message =
      "perfmodel: error: '" + name + "' was removed: " + instead + "\nSee 'perfmodel ";
  const bool is_of_reading = instead == of_table;
  for (const std::string command : {"fit", "sweep", "compare"})
    CHECK_THAT(run_perfmodel({command, "runs.csv", name, "1"}).failed(2),
               ContainsSubstring(message + command));
  for (const std::string command : {"predict", "evaluate", "report", "import"})
    CHECK_THAT(run_perfmodel({command, "model.json", name, "1"}).failed(2),
               ContainsSubstring(is_of_reading ? message + command : "unknown option '" + name));
  CHECK_THAT(
      run_perfmodel({"fit", "runs.csv", "--bootstrap", "50", "--confidence", "0.8"}).failed(2),
      ContainsSubstring("'--confidence' was removed: --coverage SHARE is the level of all "
                        "intervals\n"));
}
