#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;
using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double kWorkers[] = {1, 2, 4, 8, 16};

double undisturbed(double workers, double size) {
  return 2 + 0.05 * size / workers;
}

}  // namespace

TEST_CASE_METHOD(ProgramTest, "disturbed repeats move no prediction and are counted",
                 "[auto][process]") {
  const int repeats = GENERATE(5, 10);
  RandomStream random(static_cast<std::uint64_t>(repeats), "disturbed repeats");
  std::string runs = "workers,size,time_s\n";
  int disturbed = 0;
  for (const double workers : kWorkers) {
    for (const double size : {100.0, 400.0, 1600.0}) {
      for (int repeat = 0; repeat < repeats; ++repeat) {
        const bool is_disturbed = random.below(10) == 0;
        disturbed += is_disturbed ? 1 : 0;
        const double factor = is_disturbed ? random.uniform(1.5, 5) : 1;
        runs += csv_row(workers, size,
                        undisturbed(workers, size) * factor * std::exp(0.01 * random.normal()));
      }
    }
  }
  REQUIRE(disturbed > 4);
  write("runs.csv", runs);
  CHECK_THAT(
      run({"fit", "runs.csv", "--expression", "auto", "-o", "model.json"}).succeeded().errors,
      ContainsSubstring(std::to_string(disturbed) + " runs are far from"));
  for (const double workers : kWorkers)
    for (const double size : {100.0, 400.0, 1600.0}) {
      CAPTURE(workers, size);
      const nlohmann::json predicted = run({"predict", "model.json", "--json", "--quiet", "--set",
                                            "workers=" + to_text(workers), "size=" + to_text(size)})
                                           .json();
      // The mean of the logarithms of five repeats, one of them disturbed, is 20 % too large.
      CHECK(std::abs(predicted["predicted_time_s"].get<double>() / undisturbed(workers, size) - 1) <
            0.03);
    }
}
