#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel;
using namespace perfmodel::test;

namespace {

struct LawOfScale {
  std::string column;
  std::vector<double> values;
  std::function<double(double)> time;
};

/// Five runs at every value, with 3 % of noise.
std::string runs_of(const LawOfScale& law, const std::string& name, std::uint64_t seed) {
  RandomStream random(seed, "renamed columns");
  std::string text = name + ",time_s\n";
  for (const double value : law.values)
    for (int repeat = 0; repeat < 5; ++repeat)
      text += csv_row(value, law.time(value) * std::exp(0.03 * random.normal()));
  return text;
}

/// The prediction at four times the largest value.
double far_prediction(const LawOfScale& law, const std::string& name, const std::string& expression,
                      std::uint64_t seed) {
  const ProgramTest test;
  test.write("runs.csv", runs_of(law, name, seed));
  test.run({"fit", "runs.csv", "--expression", expression, "-o", "model.json", "--quiet"})
      .succeeded();
  return test
      .run({"predict", "model.json", "--json", "--quiet", "--set",
            name + "=" + to_text(4 * law.values.back())})
      .json()["predicted_time_s"]
      .get<double>();
}

}  // namespace

TEST_CASE("the only column of numbers is extrapolated alike under any name", "[auto][multi]") {
  const auto law = GENERATE(values<LawOfScale>(
      {{"cores", {1, 2, 4, 8, 16, 24}, [](double n) { return 1.4 + 95.5 / n; }},
       {"gpus", {8, 16}, [](double n) { return 3 * std::pow(n, 0.3); }},
       {"batch_size", {8, 16, 32, 64, 128}, [](double b) { return 0.3 + 0.02 * b; }}}));
  const std::string expression = GENERATE("auto", "multi");
  CAPTURE(law.column, expression);
  for (const std::uint64_t seed : {1U, 2U, 3U})
    CHECK(far_prediction(law, "n", expression, seed) ==
          Catch::Approx(far_prediction(law, law.column, expression, seed)).epsilon(1e-9));
}
