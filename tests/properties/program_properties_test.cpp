// Properties of the program with generated runs; see support/generated_runs.hpp.
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "cli/app.hpp"
#include "forms/fit_options.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "support/catch.hpp"
#include "support/generated_runs.hpp"
#include "support/program.hpp"
#include "support/property.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;
using test::GeneratedRuns;
using Words = std::vector<std::string>;

namespace {

Words operator+(Words words, const Words& further) {
  words.insert(words.end(), further.begin(), further.end());
  return words;
}

/// Runs a command line in this process, where it takes a tenth of the time, and returns its exit
/// code; messages go to a file.
int run_here(const Words& words, const std::string& messages) {
  const int usual = ::dup(STDERR_FILENO);
  const int file = ::open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(file, STDERR_FILENO);
  ::close(file);
  std::vector<const char*> arguments = {"perfmodel"};
  for (const std::string& word : words)
    arguments.push_back(word.c_str());
  const int out = cli::run_app(static_cast<int>(arguments.size()), arguments.data());
  ::dup2(usual, STDERR_FILENO);
  ::close(usual);
  return out;
}

/// A command over runs.csv whose tasks can be shared.
Words shared_command(const GeneratedRuns& runs, const std::string& file, RandomStream& random) {
  FitRequest request = test::generated_request(runs, random);
  const bool of_eq4 = expression_of(request.options) == Expression::eq4 &&
                      request.options.residual == Residual::none;
  if (of_eq4 && random.below(3) == 0)
    return Words{"sweep", file, "--lambdas", "1e-3:1:3", "--threads", "1"} + runs.role_options();
  Words out = Words{"fit", file} + test::options_of(runs, request);
  if (expression_of(request.options) == Expression::automatic || random.below(4) > 0)
    return out + Words{"--folds", "3"};
  return out + Words{"--bootstrap", "20"};
}

}  // namespace

// Of one of its bootstrap samples, a coefficient is too large for a number.
TEST_CASE("an interval of samples too large for a number has no ends", "[cli]") {
  test::check_case(
      "shards",
      [](RandomStream& random) {
        const test::TemporaryDirectory directory;
        const GeneratedRuns runs = test::generated_runs(random);
        const std::string model = directory.file("model.json");
        const Words command =
            shared_command(runs, directory.write("runs.csv", runs.csv()), random) +
            Words{"-o", model};
        REQUIRE(run_here(command, directory.file("messages")) == 0);
        CHECK_THAT(test::read_text(model),
                   ContainsSubstring(R"("a[2]", "low": null, "high": null)"));
      },
      1082);
}

TEST_CASE("property: the library and the program give the same bytes", "[property]") {
  test::for_each_case(
      "library",
      [](RandomStream& random) {
        const test::TemporaryDirectory directory;
        const GeneratedRuns runs = test::generated_runs(random);
        const FitRequest request = test::generated_request(runs, random);
        INFO(test::words_of(runs, request));
        const std::string file = directory.write("runs.csv", runs.csv());
        const std::string model_file = directory.file("model.json");
        const test::ProgramResult fit = test::run_perfmodel(Words{"fit", file, "-o", model_file} +
                                                            test::options_of(runs, request));
        INFO(fit.errors);
        REQUIRE(fit.exit_code == 0);
        const FittedModel model = fit_runs(read_runs(file, {request.roles.categorical.begin(),
                                                            request.roles.categorical.end()}),
                                           request)
                                      .model;
        CHECK(test::read_text(model_file) == to_json(model));
        const Eigen::VectorXd times =
            predict(model, make_design(runs.table(), model.spec, Target::absent));
        const std::string predicted = test::run_perfmodel({"predict", model_file, file}).output;
        for (const double time : times)
          CHECK_THAT(predicted, ContainsSubstring("," + to_text(time)));
      },
      20);
}
