#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "import/readers.hpp"
#include "perfmodel/error.hpp"
#include "support/program_fixture.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE_METHOD(ProgramTest, "JSON that is cut off is refused", "[json-runs]") {
  const std::string whole = GENERATE(as<std::string>{},
                                     R"({"context": {"num_cpus": 4}, "benchmarks": [
 {"name": "BM_x/4/real_time/threads:2", "run_type": "iteration", "iterations": 500,
  "real_time": 1.25e1, "cpu_time": 9, "items_per_second": 2.5, "time_unit": "ms"},
 {"name": "BM_x/4/real_time/threads:2_stddev", "run_type": "aggregate", "aggregate_name": "stddev",
  "real_time": 1, "cpu_time": 2, "time_unit": "ms"}]})",
                                     R"({"results": [
 {"command": "./x 4 2", "mean": 2, "times": [2, 2.5, 9], "exit_codes": [0, 0, 1],
  "parameters": {"size": "4", "threads": "2"}},
 {"command": "./x 9 2", "mean": 6.75, "times": [6.75], "parameters": {"size": "9"}}]})",
                                     R"({"version": 2, "commit_hash": "abc", "params": {"ram": "1"},
 "result_columns": ["result", "params", "version"],
 "results": {"x.time_x": [[0.5, null, 4, 2], [["1", "4"], ["1", "2"]], "v"]}})",
                                     R"({"size": 1, "model": {"threads": 2}, "time": [0.25, 0.25]}
{"size": 4, "model": {"threads": 2}, "time": [2, 2]}
{"size": 9, "model": {"threads": 2}, "time": [6.75, 6.75]}
)");
  // Whole lines are whole files.
  const auto lines = whole.ends_with('\n') ? std::count(whole.begin(), whole.end(), '\n') : 0;
  std::ptrdiff_t read = 0;
  for (std::size_t size = 1; size < whole.size(); ++size) {
    try {
      perfmodel::read_json(whole.substr(0, size), "runs.json", {});
      ++read;
    } catch (const perfmodel::InputError& error) {
      CHECK_THAT(error.what(), ContainsSubstring("runs.json"));
    }
  }
  CHECK(read == std::max<std::ptrdiff_t>(2 * lines - 1, 0));
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 12) {
    write("cut.json", std::string_view(whole).substr(0, size));
    const ProgramResult result = run({"import", "cut.json"});
    CHECK((size > 0 && lines > 0 && result.exit_code == 0) + (result.exit_code == 3) == 1);
    CHECK_THAT(result.errors, ContainsSubstring("cut.json") || ContainsSubstring("runs of"));
  }
}
