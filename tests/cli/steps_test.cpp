#include <string>

#include "support/csv_text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE_METHOD(ProgramTest, "the page moves in steps as predict does",
                 "[cli][steps][report][needs-node]") {
  std::string csv = "batch,gpus,nodes,time_s\n";
  for (const int gpus : {1, 2, 4, 8, 12, 16, 24, 32})
    for (const int batch : {32, 64, 128, 256}) {
      const int nodes = (gpus + 7) / 8;
      csv += csv_row(batch, gpus, nodes, 0.001 * batch / gpus + 0.003 * nodes);
    }
  write("runs.csv", csv);
  run({"fit", "runs.csv", "--expression", "multi", "-o", "model.json"}).succeeded();
  const std::string page = run({"report", "model.json", "runs.csv", "--explore", "--quiet"}).output;
  const auto cut = [&](const std::string& from, const std::string& to) {
    const std::size_t begin = page.find(from);
    REQUIRE(begin != std::string::npos);
    return page.substr(begin, page.find(to, begin) - begin);
  };
  const CsvFile script("const model = {" + cut("ties: [", ",\ninterval") + "};\n" +
                       cut("const stepOf = ", "const allows") +
                       "const moved = withValue(new Map([['batch', 64], ['gpus', 4], "
                       "['nodes', 1]]), 'gpus', 33);\n"
                       "console.log(moved.get('batch'), moved.get('gpus'), moved.get('nodes'));\n");
  CHECK(output_of("node " + script.path()) == "64 33 5\n");
  CHECK_THAT(page, ContainsSubstring("Time against gpus"));
  CHECK(page.find("Time against nodes") == std::string::npos);
}
