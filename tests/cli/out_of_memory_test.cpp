#include <string>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::StartsWith;

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

}  // namespace

TEST_CASE_METHOD(ProgramTest,
                 "memory that runs out ends with exit code 6 and leaves the old output",
                 "[cli][needs-bounded-memory]") {
  // The numbers take about as much memory as the bytes that they are written in.
  std::string runs = "filters,workers,time_s\n";
  for (int row = 0; row < 1'000'000; ++row)
    runs += csv_row(row % 977 + 1, row % 4 + 1, row % 89 + 1);
  write("runs.csv", runs);
  const std::string model = write("model.json", "old");
  // One thread: the stacks of more would be what the bound is met by. The smallest bound lets the
  // program start, the file pass it while it is read; the larger one, while it is fitted.
  const std::size_t bound = GENERATE(60 * kMebibyte, 120 * kMebibyte);
  program_options.address_space = bound;
  const ProgramResult result =
      run({"fit", "runs.csv", "-o", "model.json", "--quiet", "--threads", "1"});
  CAPTURE(bound);
  CHECK_THAT(result.failed(6), StartsWith(error_prefix + "out of memory: "));
  CHECK(result.output.empty());
  CHECK(read_text(model) == "old");
  CHECK(directory().entries() == 2);
}

TEST_CASE_METHOD(ProgramTest, "where memory is bounded as many threads work as there is room for",
                 "[cli][needs-bounded-memory]") {
  program_options.input = sample_runs();
  const Words fit = {"fit", "-", "--expression", "multi", "--quiet", "--threads"};
  const std::string alone = run(fit, {"1"}).succeeded().output;
  program_options.address_space = 100 * kMebibyte;
  CHECK(run(fit, {"64"}).succeeded().output == alone);
}
