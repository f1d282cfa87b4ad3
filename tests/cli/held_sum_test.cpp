#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "cli/fit_directory.hpp"
#include "support/catch.hpp"

using namespace perfmodel::test;
using perfmodel::RandomStream;
using perfmodel::to_text;

namespace {

constexpr double kLargest = 2048;

/// A sum of two parts, each of 100 combinations with a factor of its own, and 10 % of noise.
class PlantedSum {
 public:
  PlantedSum() {
    RandomStream random(5, "combinations of the planted sum");
    for (int cell = 0; cell < 100; ++cell)
      log_factors_.push_back(0.3 * random.normal());
  }
  double time(std::size_t cell, double size) const {
    return (1 + 0.05 * size) * std::exp(log_factors_[cell]);
  }
  std::string csv(std::size_t rows, std::uint64_t seed) const {
    RandomStream random(seed, "runs of the planted sum");
    std::ostringstream out;
    out << "job,host,size,time_s\n";
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t cell = random.below(log_factors_.size());
      const double size = kLargest / std::pow(2, static_cast<double>(random.below(12)));
      out << 'j' << cell / 10 << ",h" << cell % 10 << ',' << to_text(size) << ','
          << to_text(time(cell, size) * std::exp(0.1 * random.normal())) << '\n';
    }
    return out.str();
  }

 private:
  std::vector<double> log_factors_;
};

}  // namespace

TEST_CASE_METHOD(FitDirectory, "auto holds the sum where far ends say that it grows on better",
                 "[cli][auto][whole-fits]") {
  const PlantedSum planted;
  std::size_t held = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    CAPTURE(seed);
    write("runs.csv", planted.csv(2100, seed));
    const nlohmann::json model =
        model_of({"runs.csv", "--extrinsic", "size", "--expression", "auto", "-o", "-"});
    // How far ends are predicted is drawn, too: in other files a sum that goes on is not better.
    if (model["search"]["objective"].get<std::string>().find(
            "beside a trend whose constants, of least absolute errors, are held") ==
        std::string::npos)
      continue;
    ++held;
    CHECK(model["constants"]["process"]["numbers"][0]["most"] == kLargest);
    write("model.json", model.dump());
    const auto predicted = [&](std::size_t cell, double size) {
      const ProgramResult result =
          run({"predict", "model.json", "--json", "--set", "size=" + to_text(size),
               "job=j" + std::to_string(cell / 10), "host=h" + std::to_string(cell % 10)});
      CHECK(result.exit_code == 0);
      return nlohmann::json::parse(result.output);
    };
    // What is peculiar to a combination goes on beyond the runs, but the process does not speak
    // there.
    for (const std::size_t cell : {3U, 42U, 77U}) {
      const nlohmann::json near = predicted(cell, kLargest);
      const nlohmann::json far = predicted(cell, 16 * kLargest);
      CHECK(near["support"] == "process");
      CHECK(far["support"] == "trend");
      CHECK(far["process"] == near["process"]);
      const double error =
          std::log(far["predicted_time_s"].get<double>() / planted.time(cell, 16 * kLargest));
      CAPTURE(cell, error);
      CHECK(std::abs(error) < 0.3);
    }
  }
  CHECK(held >= 2);
}
