#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
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

/// The lines of a file, equal ones once, with how many they are as a last column.
std::string counted(const std::string& csv, const std::string& column) {
  std::vector<std::pair<std::string, int>> lines;
  const std::size_t body = csv.find('\n') + 1;
  for (std::size_t begin = body; begin < csv.size();) {
    const std::size_t end = csv.find('\n', begin);
    const std::string line = csv.substr(begin, end - begin);
    const auto known = std::find_if(lines.begin(), lines.end(),
                                    [&](const auto& other) { return other.first == line; });
    if (known == lines.end())
      lines.emplace_back(line, 1);
    else
      ++known->second;
    begin = end + 1;
  }
  std::string out = csv.substr(0, body - 1) + "," + column + "\n";
  for (const auto& [line, runs] : lines)
    out += line + "," + std::to_string(runs) + "\n";
  return out;
}

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

  /// Merged rows have no intervals.
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

TEST_CASE("merged rows give the model of the rows one by one, to the last bit") {
  const LargeFile file;
  for (const std::string loss : {"mae", "mape", "mse", "rmsle"}) {
    CAPTURE(loss);
    nlohmann::json whole = file.model({"--loss", loss});
    nlohmann::json merged = file.model({"--loss", loss, "--merge-rows", "always"});
    CHECK(merged.at("provenance").at("data").at("rows") == 1000);
    // Of equal rows the first is named.
    merged.at("central_run").erase("line");
    whole.at("central_run").erase("line");
    CHECK(merged == whole);
  }
  // What a column is computed from keeps rows apart, though it is no input itself.
  const Strings derived = {"--derive", "cost = gpus * 2", "--ignore",
                           "gpus",     "--extrinsic",     "cost"};
  const nlohmann::json whole = file.model(derived);
  Strings merged_derived = derived;
  merged_derived.insert(merged_derived.end(), {"--merge-rows", "always"});
  CHECK(file.model(merged_derived).at("constants") == whole.at("constants"));
  CHECK(file.model(merged_derived).at("metrics") == whole.at("metrics"));
  const Strings throughput = {"--throughput-target", "time_s", "--work", "gpus"};
  Strings merged_throughput = throughput;
  merged_throughput.insert(merged_throughput.end(), {"--merge-rows", "always", "--loss", "mse"});
  CHECK(file.model(merged_throughput).at("constants") ==
        file.model({throughput[0], throughput[1], throughput[2], throughput[3], "--loss", "mse"})
            .at("constants"));
  // The threads that read are as many as those that fit.
  CHECK(file.fit({"--merge-rows", "always", "--threads", "1"}).output ==
        file.fit({"--merge-rows", "always", "--threads", "3"}).output);
}

TEST_CASE("sums, processes and choices of merged rows are those of the rows one by one",
          "[whole-fits]") {
  const LargeFile file(240);
  for (Strings asked : {Strings{"--expression", "multi", "--terms", "1", "--residual", "process"},
                        Strings{"--expression", "multi", "--terms", "2", "--loss", "mae"},
                        Strings{"--expression", "auto"}}) {
    CAPTURE(asked);
    nlohmann::json whole = file.model(asked);
    asked.insert(asked.end(), {"--merge-rows", "always"});
    nlohmann::json merged = file.model(asked);
    merged.at("central_run").erase("line");
    whole.at("central_run").erase("line");
    CHECK(merged == whole);
  }
}

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

TEST_CASE("what merged rows cannot have is refused with what can be done") {
  const LargeFile file;
  const auto refused = [&](Strings further, const std::string& words) {
    further.insert(further.end(), {"--merge-rows", "always"});
    const ProgramResult result = file.fit(further);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.errors, ContainsSubstring(words));
    CHECK(result.output.empty());
  };
  for (const Strings& asked : {Strings{"--folds", "5"}, Strings{"--split", "80:20"},
                               Strings{"--bootstrap", "20"}, Strings{"--coverage", "0.9"}})
    refused(asked, asked.front());
  refused({"--folds", "5"},
          "--folds needs rows that are not merged: leave out --merge-rows, or draw rows with "
          "--sample-rows 100000");
  refused({"--sample-rows", "100"}, "--sample-rows cannot be combined with --merge-rows always");
  refused({"runs.csv"}, "takes one file");
  const ProgramResult unknown = file.fit({"--merge-rows", "sometimes"});
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.errors, ContainsSubstring("'always' and 'never'"));
}

TEST_CASE("standard input and failed runs are merged as a whole file has them") {
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
  for (const std::string loss : {"mae", "mse"}) {
    for (const std::string path : {"runs.csv", "-"}) {
      CAPTURE(loss, path);
      nlohmann::json whole = fit(path, {"--loss", loss, "--merge-rows", "never"});
      nlohmann::json merged = fit(path, {"--loss", loss, "--merge-rows", "always"});
      nlohmann::json& of_whole = whole["provenance"]["data"]["failed"];
      nlohmann::json& of_merged = merged["provenance"]["data"]["failed"];
      for (std::size_t i = 0; i < of_whole.size(); ++i) {
        // Of equal lines the first is known.
        CHECK(of_merged[i]["lines"][0] == of_whole[i]["lines"][0]);
        of_merged[i].erase("lines");
        of_whole[i].erase("lines");
      }
      for (nlohmann::json* model : {&whole, &merged})
        model->erase("central_run");
      CHECK(!merged.contains("failures"));  // only of rows that are read one by one
      CHECK(whole.erase("failures") == 1);
      CHECK(merged == whole);
    }
  }
  const nlohmann::json drawn = fit("-", {"--sample-rows", "1000"});
  CHECK(drawn["constants"] == fit("runs.csv", {"--sample-rows", "1000"})["constants"]);

  options.input = "job,net,gpus,time_s\nj0,n0,1,NA\nj1,n1,2,NA\n";
  const ProgramResult none = run_perfmodel(
      {"fit", "-", "--ignore", "job", "--failed", "drop", "--merge-rows", "always"}, options);
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.errors,
             ContainsSubstring("standard input: 2 of 2 runs failed and are left out: 'time_s'"));
  options.input = "job,net,gpus,time_s\nj0,n0,1,1\nj1,n1,2,x\nj1,n1,4,1\n";
  const auto wrong = [&](const std::string& merge) {
    return run_perfmodel({"fit", "-", "--ignore", "job", "--merge-rows", merge}, options).errors;
  };
  CHECK(wrong("always") == wrong("never"));
  CHECK_THAT(wrong("always"),
             ContainsSubstring("standard input:3: column 'time_s': \"x\" is not a number"));
}

TEST_CASE("a line that stands for several runs counts as they do one by one", "[weight]") {
  const std::string text = equal_runs(1000, false);
  const TemporaryDirectory directory;
  directory.write("whole.csv", text);
  directory.write("grouped.csv", counted(text, "how_many"));
  ProgramOptions options;
  options.directory = directory.path();
  const auto form = GENERATE(Strings{}, Strings{"--loss", "mse"}, Strings{"--expression", "multi"},
                             Strings{"--expression", "auto"}, Strings{"--folds", "3"},
                             Strings{"--split", "80:20"});
  CAPTURE(form);
  const auto model = [&](Strings arguments) {
    arguments.insert(arguments.begin(), {"fit", "--coverage", "none"});
    arguments.insert(arguments.end(), form.begin(), form.end());
    const ProgramResult result = run_perfmodel(arguments, options);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    nlohmann::json json = nlohmann::json::parse(result.output);
    CHECK(json["provenance"]["data"]["rows"] == 1000);
    json.erase("provenance");
    json.at("central_run").erase("line");
    return json;
  };
  CHECK(model({"whole.csv"}) == model({"grouped.csv", "--weight", "how_many"}));
}

TEST_CASE("what is not a number of runs, and what are means, is refused", "[weight]") {
  const TemporaryDirectory directory;
  ProgramOptions options;
  options.directory = directory.path();
  const auto refused = [&](const std::string& file, const Strings& further = {}) {
    Strings arguments = {"fit", file, "--weight", "n"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    return run_perfmodel(arguments, options);
  };
  for (const std::string cell : {"0", "-1", "2.5", "many", "1e300"}) {
    CAPTURE(cell);
    directory.write("runs.csv", "gpus,time_s,n\n1,4,2\n1,4.1,1\n2,2,3\n4,1," + cell + "\n");
    const ProgramResult result = refused("runs.csv");
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.errors, ContainsSubstring("runs.csv:5: column 'n': "));
    CHECK_THAT(result.errors, ContainsSubstring("is not a number of runs"));
  }
  directory.write("means.csv", "gpus,time_s,n\n1,4.01,20\n2,2.2,10\n4,1.4,12\n8,1,1\n");
  const ProgramResult means = refused("means.csv");
  CHECK(means.exit_code == 3);
  CHECK_THAT(means.errors, ContainsSubstring("a mean of them"));
  CHECK_THAT(means.errors, ContainsSubstring("Leave out --weight"));
  // Single runs of single configurations are none.
  directory.write("single.csv", "gpus,time_s,n\n1,4.01,1\n2,2.2,1\n4,1.4,1\n8,1,1\n");
  CHECK(refused("single.csv").exit_code == 0);
  CHECK(refused("single.csv", {"--merge-rows", "always"}).exit_code == 2);
  CHECK(refused("single.csv", {"--by", "gpus"}).exit_code == 2);
  const ProgramResult unknown = run_perfmodel({"fit", "single.csv", "--weight", "m"}, options);
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.errors, ContainsSubstring("--weight: no column 'm'"));
}
