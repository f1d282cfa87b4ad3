#include <cmath>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

class FactsTest : public ProgramTest {
 public:
  FactsTest() {
    write("devices.csv",
          "device,bandwidth,maker\nslow,100,a\nmiddle,170,a\nfast,400,b\nfastest,1600,b\n");
    write("runs.csv", "device,size,time_s\n" + rows(false, {"slow", "middle", "fast"}));
    write("joined.csv",
          "device,size,time_s,bandwidth,maker\n" + rows(true, {"slow", "middle", "fast"}));
  }

  nlohmann::json fit(const std::string& runs, const Words& further) const {
    run({"fit", runs, "--expression", "multi", "--terms", "1", "--quiet", "-o", "model.json"},
        further)
        .succeeded();
    return model();
  }
  std::string refusal(const Words& further, int exit_code = 3) const {
    return run({"fit", "runs.csv"}, further).failed(exit_code);
  }

 private:
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

TEST_CASE_METHOD(FactsTest, "facts become columns of the runs in place of the names") {
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
  write("new.csv", "device,size\nfastest,100\n");
  const ProgramResult result =
      run({"predict", "model.json", "new.csv", "--facts", "device=devices.csv", "--quiet"})
          .succeeded();
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
  write("few.csv", "device,bandwidth\nslow,100\nmiddle,2\nfaster,3\n");
  CHECK_THAT(refusal({"--facts", "device=few.csv"}),
             ContainsSubstring("runs.csv:12: few.csv has no facts about \"fast\""));
  write("twice.csv", "device,bandwidth\nslow,100\nfast,3\nslow,4\n");
  CHECK_THAT(refusal({"--facts", "device=twice.csv"}),
             ContainsSubstring("twice.csv:4: 'slow' has facts already, in line 2"));
  write("same.csv", "device,size\nslow,100\nmiddle,2\nfast,3\n");
  CHECK_THAT(refusal({"--facts", "device=same.csv"}),
             ContainsSubstring("both have a column 'size'"));
}
