#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/program.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::StartsWith;

namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// Runs whose numbers take about as much memory as the bytes that they are written in.
std::string very_many_runs() {
  std::string text = "filters,workers,time_s\n";
  for (int row = 0; row < 1'000'000; ++row) {
    text += std::to_string(row % 977 + 1) + "," + std::to_string(row % 4 + 1) + "," +
            std::to_string(row % 89 + 1) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("memory that runs out ends with exit code 6 and leaves the old output",
          "[cli][needs-bounded-memory]") {
  const TemporaryDirectory directory;
  directory.write("runs.csv", very_many_runs());
  const std::string model = directory.write("model.json", "old");
  ProgramOptions options;
  options.directory = directory.path();
  // One thread: the stacks of more would be what the bound is met by. The smallest bound lets the
  // program start, the file pass it while it is read; the larger one, while it is fitted.
  const std::size_t bound = GENERATE(60 * kMebibyte, 120 * kMebibyte);
  options.address_space = bound;
  const ProgramResult result =
      run_perfmodel({"fit", "runs.csv", "-o", "model.json", "--quiet", "--threads", "1"}, options);
  CAPTURE(bound, result.errors);
  CHECK(result.exit_code == 6);
  CHECK_THAT(result.errors, StartsWith(error_prefix + "out of memory: "));
  CHECK(result.output.empty());
  CHECK(read_text(model) == "old");
  CHECK(directory.entries() == 2);
}

TEST_CASE("where memory is bounded as many threads work as there is room for",
          "[cli][needs-bounded-memory]") {
  ProgramOptions options;
  options.input = sample_runs();
  const std::vector<std::string> arguments = {"fit",   "-",       "--expression",
                                              "multi", "--quiet", "--threads"};
  const auto fit = [&](const std::string& threads) {
    std::vector<std::string> complete = arguments;
    complete.push_back(threads);
    return run_perfmodel(complete, options);
  };
  const ProgramResult alone = fit("1");
  REQUIRE(alone.exit_code == 0);
  options.address_space = 100 * kMebibyte;
  const ProgramResult many = fit("64");
  CAPTURE(many.errors);
  CHECK(many.exit_code == 0);
  CHECK(many.output == alone.output);
}
