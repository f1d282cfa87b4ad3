#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::StartsWith;

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// Runs whose numbers take about as much memory as the bytes that they are written in.
std::string very_many_runs() {
  std::string text = "filters,workers,time_s\n";
  for (int row = 0; row < 1'000'000; ++row)
    text += csv_row(row % 977 + 1, row % 4 + 1, row % 89 + 1);
  return text;
}

}  // namespace

TEST_CASE_METHOD(ProgramTest,
                 "memory that runs out ends with exit code 6 and leaves the old output",
                 "[cli][needs-bounded-memory]") {
  write("runs.csv", very_many_runs());
  const std::string model = write("model.json", "old");
  // One thread: the stacks of more would be what the bound is met by. The smallest bound lets the
  // program start, the file pass it while it is read; the larger one, while it is fitted.
  const std::size_t bound = GENERATE(60 * kMebibyte, 120 * kMebibyte);
  program_options.address_space = bound;
  const ProgramResult result =
      run({"fit", "runs.csv", "-o", "model.json", "--quiet", "--threads", "1"});
  CAPTURE(bound, result.errors);
  CHECK(result.exit_code == 6);
  CHECK_THAT(result.errors, StartsWith(error_prefix + "out of memory: "));
  CHECK(result.output.empty());
  CHECK(read_text(model) == "old");
  CHECK(directory().entries() == 2);
}

TEST_CASE("where memory is bounded as many threads work as there is room for",
          "[cli][needs-bounded-memory]") {
  ProgramOptions options;
  options.input = sample_runs();
  const Words arguments = {"fit", "-", "--expression", "multi", "--quiet", "--threads"};
  const auto fit = [&](const std::string& threads) {
    std::vector<std::string> complete = arguments;
    complete.push_back(threads);
    return run_perfmodel(complete, options);
  };
  const ProgramResult alone = fit("1").succeeded();
  options.address_space = 100 * kMebibyte;
  CHECK(fit("64").succeeded().output == alone.output);
}
