// What is predicted of a row does not depend on the rows beside it.

#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;

namespace {

std::vector<std::string> lines_of_text(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("a row has the same bytes alone and among others", "[cli][process]") {
  const TemporaryDirectory directory;
  perfmodel::RandomStream random(1, "rows alone");
  std::string runs = "filters,gpus,batch_size,time_s\n";
  for (int run = 0; run < 61; ++run) {
    const double filters = 4 + static_cast<double>(random.below(60));
    const double gpus = std::exp2(static_cast<double>(random.below(4)));
    const double batch = std::exp2(3.0 + static_cast<double>(random.below(5)));
    const double time = (1e-4 * filters * batch / gpus + 0.01 * std::sqrt(gpus)) *
                        std::exp(0.2 * std::sin(filters) + 0.03 * random.normal());
    runs += perfmodel::to_text(filters) + "," + perfmodel::to_text(gpus) + "," +
            perfmodel::to_text(batch) + "," + perfmodel::to_text(time) + "\n";
  }
  directory.write("runs.csv", runs);
  const auto run = [&](const std::vector<std::string>& arguments) {
    const ProgramResult result = run_perfmodel(
        arguments,
        {.input = "", .environment = {}, .directory = directory.path(), .output_descriptor = {}});
    REQUIRE(result.exit_code == 0);
    return lines_of_text(result.output);
  };
  run({"fit", "runs.csv", "--expression", "multi", "--terms", "1", "--residual", "process",
       "--coverage", "0.9", "-o", "model.json"});
  const std::vector<std::string> rows = lines_of_text(runs);
  const std::vector<std::string> together = run({"predict", "model.json", "runs.csv"});
  REQUIRE(together.size() == rows.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    directory.write("row.csv", rows[0] + "\n" + rows[i] + "\n");
    CHECK(run({"predict", "model.json", "row.csv"})[1] == together[i]);
  }
}
