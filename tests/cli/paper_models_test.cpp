#include <cmath>
#include <string>
#include <vector>

#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "support/paper_runs.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel;

namespace {

std::string path_of(const std::string& model) {
  return std::string(PERFMODEL_SOURCE_DIR) + "/data/paper/" + model + ".json";
}

/// Random configurations of Table 2 as CSV, without times.
std::string random_configurations(std::size_t rows, std::uint64_t seed) {
  const Table table = test::paper_runs(test::Framework::mxnet, rows, 0, seed).table;
  std::string text;
  for (std::size_t c = 0; c + 1 < table.columns.size(); ++c)
    text += (c == 0 ? "" : ",") + table.columns[c].name;
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t c = 0; c + 1 < table.columns.size(); ++c)
      text += (c == 0 ? "\n" : ",") + table.columns[c].text(row);
  return text + "\n";
}

}  // namespace

TEST_CASE_METHOD(test::ProgramTest,
                 "scaling powers of simulated frameworks come back within 0.02 from 5 % of noise",
                 "[whole-fits]") {
  const auto configs = write("configs.csv", random_configurations(1500, 5));
  for (const std::string framework : {"mxnet", "pytorch", "tensorflow"}) {
    const auto runs = file(framework + ".csv");
    const auto model = path_of("table3_" + framework);
    run({"simulate", model, configs, "--noise", "5%", "--seed", "1", "-o", runs}).succeeded();
    const nlohmann::json found =
        run({"fit", runs, "--split", "60:20:20", "--quiet"}).json()["scaling_powers"];
    const FittedModel paper = read_model(model);
    const std::vector<double> planted = scaling_powers(paper);
    for (std::size_t j = 0; j < planted.size(); ++j) {
      const std::string& column = paper.spec.extrinsic[j].column;
      INFO(framework << " " << column);
      CHECK(std::abs(found[column].get<double>() - planted[j]) < 0.02);
    }
  }
}
