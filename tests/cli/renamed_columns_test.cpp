#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel;
using namespace perfmodel::test;

namespace {

struct RenamedLaw {
  std::vector<std::string> columns;
  std::vector<std::vector<double>> values;  ///< per column
  std::function<double(const std::vector<double>&)> time;
};

/// Every combination of the values five times, with 3 % of noise.
std::string runs_of_law(const RenamedLaw& law, const std::vector<std::string>& names,
                        std::uint64_t seed) {
  RandomStream random(seed, "renamed columns");
  std::string text;
  for (const std::string& name : names)
    text += name + ",";
  text += "time_s\n";
  std::vector<std::vector<double>> rows = {{}};
  for (const std::vector<double>& values : law.values) {
    std::vector<std::vector<double>> longer;
    for (const std::vector<double>& row : rows) {
      for (const double value : values) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    }
    rows = longer;
  }
  for (const std::vector<double>& row : rows) {
    for (int repeat = 0; repeat < 5; ++repeat) {
      for (const double value : row)
        text += to_text(value) + ",";
      text += to_text(law.time(row) * std::exp(0.03 * random.normal())) + "\n";
    }
  }
  return text;
}

/// The prediction at four times the largest values.
double far_prediction(const RenamedLaw& law, const std::vector<std::string>& names,
                      const std::string& expression, std::uint64_t seed) {
  const TemporaryDirectory directory;
  directory.write("runs.csv", runs_of_law(law, names, seed));
  ProgramOptions options;
  options.directory = directory.path();
  const ProgramResult fitted = run_perfmodel(
      {"fit", "runs.csv", "--expression", expression, "-o", "model.json", "--quiet"}, options);
  INFO(fitted.errors);
  REQUIRE(fitted.exit_code == 0);
  std::vector<std::string> ask = {"predict", "model.json", "--json", "--quiet", "--set"};
  for (std::size_t j = 0; j < names.size(); ++j)
    ask.push_back(names[j] + "=" + to_text(4 * law.values[j].back()));
  const ProgramResult predicted = run_perfmodel(ask, options);
  INFO(predicted.errors);
  REQUIRE(predicted.exit_code == 0);
  return nlohmann::json::parse(predicted.output)["prediction"].get<double>();
}

}  // namespace

TEST_CASE("a column of another name changes no prediction", "[auto][multi]") {
  const auto law = GENERATE(values<RenamedLaw>(
      {{{"cores"}, {{1, 2, 4, 8, 16, 24}}, [](const auto& x) { return 1.4 + 95.5 / x[0]; }},
       {{"batch_size"}, {{8, 16, 32, 64, 128}}, [](const auto& x) { return 0.3 + 0.02 * x[0]; }},
       {{"nodes", "gpus"},  // the first spans too little to be a scale
        {{4, 6, 8}, {1, 2, 4, 8}},
        [](const auto& x) { return 2 + 30 / x[0] / x[1]; }},
       {{"gpus", "filters"}, {{8, 16}, {4, 8, 16, 32, 64}}, [](const auto& x) {
          return (0.5 + 0.1 * x[1]) * std::pow(x[0], 0.3);
        }}}));
  const std::string expression = GENERATE("auto", "multi");
  const std::uint64_t seed = GENERATE(1U, 2U);
  CAPTURE(law.columns, expression, seed);
  const double known = far_prediction(law, law.columns, expression, seed);
  std::vector<std::string> others = {"n", "qv"};
  others.resize(law.columns.size());
  CHECK(far_prediction(law, others, expression, seed) == Catch::Approx(known).epsilon(1e-9));
}
