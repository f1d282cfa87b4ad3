#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// 40 configurations in turn, times in two digits: many rows are equal but for their job.
std::string equal_runs() {
  perfmodel::RandomStream random(1, "equal runs", 0);
  std::string out = "job,net,gpus,time_s\n";
  for (int i = 0; i < 1000; ++i) {
    const int net = i % 4;
    const int gpus = 1 + i / 4 % 10;
    const double time =
        (1 + 0.5 * net) * std::pow(gpus, -0.8) * std::exp(0.05 * random.normal()) + 1;
    out += csv_row("j" + std::to_string(i), "net" + std::to_string(net), gpus,
                   std::round(100 * time) / 100);
  }
  return out;
}

class LargeFile : public ProgramTest {
 public:
  LargeFile() { write("runs.csv", equal_runs()); }

  ProgramResult fit(const Words& further) const {
    return run({"fit", "runs.csv", "--ignore", "job"}, further);
  }
  nlohmann::json model(Words further) const {
    further.insert(further.end(), {"--coverage", "none"});
    return fit(further).json();
  }
};

}  // namespace

TEST_CASE_METHOD(LargeFile, "a model of sampled rows says so, and samples the same ones again") {
  const nlohmann::json drawn = model({"--sample-rows", "200"});
  const nlohmann::json whole = model({});
  CHECK(drawn.at("provenance").at("data").at("rows") == 200);
  CHECK(drawn.at("provenance").at("data").at("sha256") ==
        whole.at("provenance").at("data").at("sha256"));
  CHECK_THAT(drawn.dump(),
             ContainsSubstring("The model is fitted to 200 rows, drawn at random from 1000."));
  CHECK(model({"--sample-rows", "200", "--threads", "3"}) == drawn);
  CHECK(model({"--sample-rows", "200", "--seed", "2"}).at("central_run") !=
        drawn.at("central_run"));
  // More than there are: all of them.
  CHECK(model({"--sample-rows", "5000"}).at("constants") == whole.at("constants"));
  // Sums and folds need rows as they are, which these are.
  CHECK(model({"--sample-rows", "100", "--expression", "multi", "--terms", "1", "--folds", "2"})
            .contains("cross_validation"));
}

TEST_CASE_METHOD(ProgramTest,
                 "rows of standard input are sampled as those of a file, and failed runs among "
                 "them are dropped") {
  // Every 40th run failed in one of several ways.
  std::string text;
  int row = 0;
  for (const std::string& line : lines_of(equal_runs())) {
    const bool failed = row % 40 == 7;
    text += failed ? line.substr(0, line.rfind(',') + 1) +
                         Words{"", "NA", "0"}[static_cast<std::size_t>(row % 3)]
                   : line;
    text += "\n";
    ++row;
  }
  write("runs.csv", text);
  program_options.input = text;
  const auto fit = [&](const std::string& path, const Words& further) {
    const ProgramResult result =
        run({"fit", path, "--ignore", "job", "--failed", "drop", "--coverage", "none"}, further);
    const nlohmann::json model = result.json();
    CHECK(model["provenance"]["data"]["failed"].size() == 3);
    CHECK_THAT(result.errors, ContainsSubstring("25 of 1000 runs failed and are left out"));
    return model;
  };
  const nlohmann::json drawn = fit("-", {"--sample-rows", "1000"});
  CHECK(drawn["constants"] == fit("runs.csv", {"--sample-rows", "1000"})["constants"]);

  program_options.input = "job,net,gpus,time_s\nj0,n0,1,NA\nj1,n1,2,NA\n";
  CHECK_THAT(
      run({"fit", "-", "--ignore", "job", "--failed", "drop", "--sample-rows", "10"}).failed(3),
      ContainsSubstring("standard input: 2 of 2 runs failed and are left out: 'time_s'"));
}

TEST_CASE_METHOD(
    LargeFile,
    "the effect of sampling is printed beside the model, also of rows of several files, "
    "of groups and beside facts") {
  CHECK_THAT(fit({"--sample-rows", "200"}).errors,
             ContainsSubstring("another draw of 200 rows would move the times by "));
  const auto check_drawn = [](const ProgramResult& result, const std::string& rows) {
    CHECK_THAT(
        result.errors,
        ContainsSubstring("The model is fitted to 200 rows, drawn at random from " + rows + "."));
    CHECK_THAT(result.errors,
               ContainsSubstring("another draw of 200 rows would move the times by "));
  };
  write("more.csv", "job,net,gpus,time_s\nm0,net0,1,2.1\nm1,net1,4,1.5\n");
  check_drawn(fit({"more.csv", "--sample-rows", "200"}), "1002");
  write("nets.csv", "net,layers\nnet0,10\nnet1,20\nnet2,30\nnet3,40\n");
  const ProgramResult described = fit({"--facts", "net=nets.csv", "--sample-rows", "200"});
  check_drawn(described, "1000");
  CHECK_THAT(described.json().dump(), ContainsSubstring("layers"));
  write("old.json", fit({}).output);
  const ProgramResult adapted =
      run({"fit", "runs.csv", "--prior", "old.json", "--sample-rows", "200"});
  check_drawn(adapted, "1000");
  CHECK(adapted.json()["metrics"]["train"]["rows"] == 200);
  for (const std::string& line : lines_of(fit({"--by", "net", "--sample-rows", "50"}).output))
    if (const auto group = nlohmann::json::parse(line); group.contains("model"))
      CHECK(group["model"]["metrics"]["train"]["rows"] == 50);
  for (const std::string gone : {"--merge-rows", "--weight"})
    CHECK_THAT(fit({gone, "always"}).errors, ContainsSubstring("'" + gone + "' was removed: "));
}
