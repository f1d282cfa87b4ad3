#include <cmath>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Runs whose time is 8 size / bandwidth, within 5 %, on three devices, as names and with their
/// facts joined.
class FactsTest {
 public:
  FactsTest() {
    options_.directory = directory_.path();
    directory_.write(
        "devices.csv",
        "device,bandwidth,maker\nslow,100,a\nmiddle,170,a\nfast,400,b\nfastest,1600,b\n");
    directory_.write("runs.csv", "device,size,time_s\n" + rows(false, {"slow", "middle", "fast"}));
    directory_.write("joined.csv", "device,size,time_s,bandwidth,maker\n" +
                                       rows(true, {"slow", "middle", "fast"}));
  }

  ProgramResult run(const std::vector<std::string>& arguments) const {
    return run_perfmodel(arguments, options_);
  }
  nlohmann::json fit(const std::string& runs, std::vector<std::string> further) const {
    further.insert(further.begin(), {"fit", runs, "--expression", "multi", "--terms", "1",
                                     "--quiet", "-o", "model.json"});
    const ProgramResult result = run(further);
    INFO(result.errors);
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(read_text(directory_.file("model.json")));
  }
  std::string refusal(const std::vector<std::string>& further, int exit_code = 3) const {
    std::vector<std::string> arguments = {"fit", "runs.csv"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    const ProgramResult result = run(arguments);
    CHECK(result.exit_code == exit_code);
    return result.errors;
  }
  const TemporaryDirectory& directory() const { return directory_; }

 private:
  TemporaryDirectory directory_;
  ProgramOptions options_;

  static std::string rows(bool joined, const std::vector<std::string>& devices) {
    std::string out;
    for (const std::string& device : devices)
      for (const int size : {10, 20, 50, 100, 200}) {
        const int bandwidth = device == "slow" ? 100 : device == "middle" ? 170 : 400;
        // An exact time would give the bandwidth away as a result of the runs.
        const double scatter = 1 + 0.05 * std::sin(12.9898 * (size + bandwidth));
        out += device + "," + std::to_string(size) + "," +
               std::to_string(8.0 * size / bandwidth * scatter);
        if (joined)
          out += "," + std::to_string(bandwidth) + (device == "fast" ? ",b" : ",a");
        out += "\n";
      }
    return out;
  }
};

}  // namespace

TEST_CASE_METHOD(FactsTest, "facts are columns of the runs in place of the names") {
  const nlohmann::json model =
      fit("runs.csv", {"--facts", "device=devices.csv", "--ignore", "maker"});
  const nlohmann::json joined = fit("joined.csv", {"--ignore", "device,maker"});
  CHECK(model.at("constants") == joined.at("constants"));
}

TEST_CASE_METHOD(FactsTest, "texts among the facts are levels") {
  const nlohmann::json model =
      fit("runs.csv", {"--facts", "device=devices.csv", "--ignore", "bandwidth"});
  const nlohmann::json joined = fit("joined.csv", {"--ignore", "device,bandwidth"});
  CHECK(model.at("constants") == joined.at("constants"));
}

TEST_CASE_METHOD(FactsTest, "a device without runs is predicted from its facts") {
  fit("runs.csv", {"--facts", "device=devices.csv", "--ignore", "maker"});
  directory().write("new.csv", "device,size\nfastest,100\n");
  const ProgramResult result =
      run({"predict", "model.json", "new.csv", "--facts", "device=devices.csv", "--quiet"});
  INFO(result.errors);
  REQUIRE(result.exit_code == 0);
  const std::string line = result.output.substr(result.output.find('\n') + 1);
  REQUIRE(line.starts_with("fastest,100,"));
  CHECK(std::abs(std::stod(line.substr(12)) - 0.5) < 0.1);
}

TEST_CASE_METHOD(FactsTest, "a column that is named as categorical stays beside its facts") {
  const nlohmann::json model = fit("runs.csv", {"--facts", "device=devices.csv", "--ignore",
                                                "maker,bandwidth", "--categorical", "device"});
  const nlohmann::json joined = fit("joined.csv", {"--ignore", "maker,bandwidth"});
  CHECK(model.at("constants") == joined.at("constants"));
}

TEST_CASE_METHOD(FactsTest, "folds can leave out whole devices") {
  const nlohmann::json model =
      fit("runs.csv", {"--facts", "device=devices.csv", "--ignore", "maker,bandwidth", "--folds",
                       "2", "--group-by", "device"});
  CHECK(model.at("cross_validation").at("folds") == 2);
  CHECK(model.at("cross_validation").at("group_by") == "device");
}

TEST_CASE_METHOD(FactsTest, "facts that do not fit the runs are refused") {
  CHECK_THAT(refusal({"--facts", "device"}, 2),
             ContainsSubstring("--facts: 'device' is not a column and a file"));
  CHECK_THAT(refusal({"--facts", "device=none.csv"}), ContainsSubstring("none.csv"));
  CHECK_THAT(refusal({"--facts", "gpu=devices.csv"}), ContainsSubstring("no column 'gpu'"));
  CHECK_THAT(refusal({"--facts", "device=devices.csv", "--by", "maker"}, 2),
             ContainsSubstring("--facts"));
  directory().write("few.csv", "device,bandwidth\nslow,100\nmiddle,2\nfaster,3\n");
  CHECK_THAT(refusal({"--facts", "device=few.csv"}),
             ContainsSubstring("runs.csv:12: few.csv has no facts about \"fast\""));
  directory().write("twice.csv", "device,bandwidth\nslow,100\nfast,3\nslow,4\n");
  CHECK_THAT(refusal({"--facts", "device=twice.csv"}),
             ContainsSubstring("twice.csv:4: 'slow' has facts already, in line 2"));
  directory().write("same.csv", "device,size\nslow,100\nmiddle,2\nfast,3\n");
  CHECK_THAT(refusal({"--facts", "device=same.csv"}),
             ContainsSubstring("both have a column 'size'"));
}
