#include <string>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/shell.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Runs whose batch is per GPU times GPUs, with a column of levels and one that may be 0.
std::string explored_runs() {
  std::string csv = "gpus,global_batch,cache,kind,time_s\n";
  for (const int gpus : {1, 2, 4, 8}) {
    for (const int local : {8, 16, 32}) {
      for (const int cache : {0, 1, 4}) {
        for (const std::string kind : {"a b", "c&d<e>"}) {
          const double time = 0.002 * local * (kind == "a b" ? 1 : 1.7) / (1 + 0.2 * cache) +
                              0.01 * gpus * (1 + 0.01 * ((gpus * local + cache) % 3));
          csv += csv_row(gpus, gpus * local, cache, kind, time);
        }
      }
    }
  }
  return csv;
}

class ExploreTest : public ProgramTest {
 public:
  ExploreTest() { write("runs.csv", explored_runs()); }

  void fit(const Words& further) {
    run({"fit", "runs.csv", "--coverage", "0.8", "-o", "model.json"}, further).succeeded();
    run({"report", "model.json", "runs.csv", "--explore", "-o", "page.html"}).succeeded();
  }

  /// The page after its script has run, of an address behind "#".
  std::string opened(const std::string& address) const {
    const auto page =
        output_of("timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir='" +
                  file("profile") + "' --enable-logging=stderr --dump-dom 'file://" +
                  file("page.html") + "#" + address + "' 2> '" + file("log") + "'");
    REQUIRE(page);
    // A message of the page itself reads "...:INFO:CONSOLE(12)] ...".
    CHECK_FALSE(succeeds("grep CONSOLE '" + file("log") + "'"));
    return *page;
  }
};

double number_after(const std::string& page, const std::string& before) {
  const std::size_t at = page.find(before);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + before.size();
  return parse_number(page.substr(begin, page.find('"', begin) - begin)).value();
}

}  // namespace

TEST_CASE_METHOD(ExploreTest, "the panel of a page gives the time that predict gives",
                 "[cli][report][needs-chromium]") {
  const auto check = [&](const std::string& address, const Words& settings) {
    const nlohmann::json expected =
        run({"predict", "model.json", "--json", "--set"}, settings).json();
    const std::string page = opened(address);
    const auto near = [](double value) { return Catch::Approx(value).epsilon(1e-9); };
    CHECK(number_after(page, "id=\"what-if-time\" value=\"") ==
          near(expected["predicted_time_s"].get<double>()));
    CHECK(number_after(page, "data-low=\"") == near(expected["lower"].get<double>()));
    CHECK(number_after(page, "data-high=\"") == near(expected["upper"].get<double>()));
    CHECK_THAT(page, ContainsSubstring(std::string("data-in-range=\"") +
                                       (expected["in_range"] ? "true" : "false")));
    CHECK_THAT(page, ContainsSubstring("data-support=\"" + expected.value("support", "") + "\""));
    return page;
  };
  fit({"--expression", "multi", "--terms", "2"});
  // global_batch moves with the GPUs, unless it is set.
  check("gpus=4&cache=0&kind=c%26d%3Ce%3E", {"gpus=4", "cache=0", "kind=c&d<e>"});
  fit({"--expression", "multi", "--terms", "1", "--residual", "process"});
  const std::string page =
      check("global_batch=512&gpus=32&cache=-1&colour=2", {"gpus=32", "global_batch=512"});
  CHECK_THAT(page, ContainsSubstring("No measured runs nearby; formula only."));
  CHECK_THAT(check("gpus=4", {"gpus=4"}), ContainsSubstring("Measured runs nearby"));
  CHECK_THAT(page, ContainsSubstring("gpus = 32 is outside of the measured range 1 .. 8"));
  CHECK_THAT(page, ContainsSubstring("The model has no cache = -1, colour = 2."));
  // A bound rises beyond the measured range.
  run({"fit", "runs.csv", "--quantile", "0.9", "--expression", "multi", "--terms", "1", "-o",
       "model.json"})
      .succeeded();
  run({"report", "model.json", "runs.csv", "--explore", "-o", "page.html"}).succeeded();
  check("gpus=32", {"gpus=32"});
}
