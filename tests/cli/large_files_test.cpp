#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/markdown.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using Strings = std::vector<std::string>;

namespace {

/// 40 configurations in turn, times in two digits: many rows are equal but for their job.
std::string equal_runs(int rows, bool named = true) {
  perfmodel::RandomStream random(1, "equal runs", 0);
  std::string out = std::string(named ? "job," : "") + "net,gpus,time_s\n";
  for (int i = 0; i < rows; ++i) {
    const int net = i % 4;
    const int gpus = 1 + i / 4 % 10;
    const double time =
        (1 + 0.5 * net) * std::pow(gpus, -0.8) * std::exp(0.05 * random.normal()) + 1;
    out += (named ? "j" + std::to_string(i) + "," : "") + "net" + std::to_string(net) + "," +
           std::to_string(gpus) + "," + perfmodel::to_text(std::round(100 * time) / 100) + "\n";
  }
  return out;
}

class LargeFile {
 public:
  explicit LargeFile(int rows = 1000) {
    options_.directory = directory_.path();
    directory_.write("runs.csv", equal_runs(rows));
  }

  ProgramResult fit(const Strings& further) const {
    Strings arguments = {"fit", "runs.csv", "--ignore", "job"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    return run_perfmodel(arguments, options_);
  }

  nlohmann::json model(Strings further) const {
    further.insert(further.end(), {"--coverage", "none"});
    const ProgramResult result = fit(further);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.output);
  }

 private:
  TemporaryDirectory directory_;
  ProgramOptions options_;
};

}  // namespace

TEST_CASE("a model of rows that were drawn says so, and draws the same ones again") {
  const LargeFile file;
  const nlohmann::json model = file.model({"--sample-rows", "200"});
  CHECK(model.at("provenance").at("data").at("rows") == 200);
  CHECK(model.at("provenance").at("data").at("sha256") ==
        file.model({}).at("provenance").at("data").at("sha256"));
  CHECK_THAT(model.dump(),
             ContainsSubstring("The model is fitted to 200 rows, drawn at random from 1000."));
  CHECK(file.model({"--sample-rows", "200", "--threads", "3"}) == model);
  CHECK(file.model({"--sample-rows", "200", "--seed", "2"}).at("central_run") !=
        model.at("central_run"));
  // More than there are: all of them.
  CHECK(file.model({"--sample-rows", "5000"}).at("constants") == file.model({}).at("constants"));
  // Sums and folds need rows as they are, which these are.
  CHECK(
      file.model({"--sample-rows", "100", "--expression", "multi", "--terms", "1", "--folds", "2"})
          .contains("cross_validation"));
}

TEST_CASE("rows of standard input are drawn as of a file, and failed runs among them are dropped") {
  // Every 40th run failed in one of several ways.
  std::string text;
  int row = 0;
  for (const std::string& line : lines_of(equal_runs(1000))) {
    const bool failed = row % 40 == 7;
    text += failed ? line.substr(0, line.rfind(',') + 1) +
                         Strings{"", "NA", "0"}[static_cast<std::size_t>(row % 3)]
                   : line;
    text += "\n";
    ++row;
  }
  TemporaryDirectory directory;
  directory.write("runs.csv", text);
  ProgramOptions options;
  options.directory = directory.path();
  options.input = text;
  const auto fit = [&](const std::string& path, const Strings& further) {
    Strings call{"fit", path, "--ignore", "job", "--failed", "drop", "--coverage", "none"};
    call.insert(call.end(), further.begin(), further.end());
    const ProgramResult result = run_perfmodel(call, options);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    nlohmann::json model = nlohmann::json::parse(result.output);
    const nlohmann::json data = model["provenance"]["data"];
    CHECK(data["failed"].size() == 3);
    CHECK_THAT(result.errors, ContainsSubstring("25 of 1000 runs failed and are left out"));
    return model;
  };
  const nlohmann::json drawn = fit("-", {"--sample-rows", "1000"});
  CHECK(drawn["constants"] == fit("runs.csv", {"--sample-rows", "1000"})["constants"]);

  options.input = "job,net,gpus,time_s\nj0,n0,1,NA\nj1,n1,2,NA\n";
  const ProgramResult none = run_perfmodel(
      {"fit", "-", "--ignore", "job", "--failed", "drop", "--sample-rows", "10"}, options);
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.errors,
             ContainsSubstring("standard input: 2 of 2 runs failed and are left out: 'time_s'"));
}

TEST_CASE(
    "what drawing adds is printed beside the model, and rows of several files are not drawn") {
  const LargeFile file;
  CHECK_THAT(file.fit({"--sample-rows", "200"}).errors,
             ContainsSubstring("another draw of 200 rows would move the times by "));
  const ProgramResult two = file.fit({"runs.csv", "--sample-rows", "200"});
  CHECK(two.exit_code == 2);
  CHECK_THAT(two.errors, ContainsSubstring("--sample-rows takes one file"));
  for (const std::string gone : {"--merge-rows", "--weight"})
    CHECK_THAT(file.fit({gone, "always"}).errors,
               ContainsSubstring("'" + gone + "' was removed: "));
}
