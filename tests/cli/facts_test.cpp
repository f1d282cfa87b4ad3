#include <cmath>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

class FactsTest : public ProgramTest {
 public:
  FactsTest() {
    write("devices.csv",
          "device,bandwidth,maker\nslow,100,a\nmiddle,170,a\nfast,400,b\nfastest,1600,b\n");
    write("runs.csv", "device,size,time_s\n" + rows(false));
    write("joined.csv", "device,size,time_s,bandwidth,maker\n" + rows(true));
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
  static std::string rows(bool joined) {
    std::string out;
    for (const std::string device : {"slow", "middle", "fast"})
      for (const int size : {10, 20, 50, 100, 200}) {
        const int bandwidth = device == "slow" ? 100 : device == "middle" ? 170 : 400;
        // An exact time would give the bandwidth away as a result of the runs.
        const double scatter = 1 + 0.05 * std::sin(12.9898 * (size + bandwidth));
        const std::string time = std::to_string(8.0 * size / bandwidth * scatter);
        out += joined ? csv_row(device, size, time, bandwidth, device == "fast" ? "b" : "a")
                      : csv_row(device, size, time);
      }
    return out;
  }
};

}  // namespace

TEST_CASE_METHOD(FactsTest, "facts become columns of the runs in place of the names") {
  // Texts among the facts are levels; a column that is named as categorical stays beside its facts.
  // Without facts, a bandwidth may be a result of the runs.
  const auto [of_facts, of_joined] = GENERATE(table<Words, Words>(
      {{{"--ignore", "bandwidth"}, {"--ignore", "device,bandwidth"}},
       {{"--ignore", "maker,bandwidth", "--categorical", "device"},
        {"--ignore", "maker,bandwidth"}},
       {{"--ignore", "maker"}, {"--ignore", "device,maker", "--intrinsic", "size,bandwidth"}}}));
  Words facts = {"--facts", "device=devices.csv"};
  facts.insert(facts.end(), of_facts.begin(), of_facts.end());
  CAPTURE(facts);
  const nlohmann::json joined = fit("joined.csv", of_joined);
  CHECK(fit("runs.csv", facts).at("constants") == joined.at("constants"));
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
