// What is predicted of a row does not depend on the rows beside it.

#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;

TEST_CASE_METHOD(ProgramTest, "a row has the same bytes alone and among others",
                 "[cli][process][intervals]") {
  perfmodel::RandomStream random(1, "rows alone");
  std::string runs = "filters,gpus,batch_size,time_s\n";
  for (int run = 0; run < 61; ++run) {
    const double filters = 4 + static_cast<double>(random.below(60));
    const double gpus = std::exp2(static_cast<double>(random.below(4)));
    const double batch = std::exp2(3.0 + static_cast<double>(random.below(5)));
    const double time = (1e-4 * filters * batch / gpus + 0.01 * std::sqrt(gpus)) *
                        std::exp(0.2 * std::sin(filters) + 0.03 * random.normal());
    runs += csv_row(filters, gpus, batch, time);
  }
  write("runs.csv", runs);
  const auto printed = [&](const Words& arguments, const Words& further = {}) {
    return lines_of(run(arguments, further).succeeded().output);
  };
  // Some rows lie beyond the scale, where intervals grow.
  std::string asked = runs;
  for (const double gpus : {64, 16, 32, 64, 128, 8, 32})
    asked += csv_row(16, gpus, 32, 1);
  write("asked.csv", asked);
  const std::vector<std::string> rows = lines_of(asked);
  for (const Words& residual : {Words{"--residual", "none"}, Words{"--residual", "process"}}) {
    CAPTURE(residual);
    printed({"fit", "runs.csv", "--expression", "multi", "--terms", "1", "--coverage", "0.9", "-o",
             "model.json"},
            residual);
    const std::vector<std::string> together = printed({"predict", "model.json", "asked.csv"});
    REQUIRE(together.size() == rows.size());
    for (std::size_t i = 1; i < rows.size(); ++i) {
      write("row.csv", rows[0] + "\n" + rows[i] + "\n");
      CHECK(printed({"predict", "model.json", "row.csv"})[1] == together[i]);
    }
  }
}
