#include <string>
#include <vector>

#include "cli/fit_directory.hpp"
#include "support/catch.hpp"
#include "support/program.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Runs whose sizes are written as they are given.
std::string runs_of_sizes(const std::vector<std::string>& sizes) {
  std::string csv = "gpus,size,time_s\n";
  for (int gpus = 1; gpus <= 8; gpus *= 2)
    for (std::size_t i = 0; i < sizes.size(); ++i)
      csv += std::to_string(gpus) + "," + sizes[i] + "," +
             std::to_string(1.5 + 3 * static_cast<double>(i) / gpus) + "\n";
  return csv;
}

}  // namespace

TEST_CASE_METHOD(FitDirectory, "a column of numbers that only people read as such is told",
                 "[cli]") {
  const auto warnings_of = [&](const std::vector<std::string>& sizes,
                               const std::vector<std::string>& further) {
    write("sizes.csv", runs_of_sizes(sizes));
    std::vector<std::string> arguments = {"fit", "sizes.csv", "--starts", "1", "--quiet"};
    arguments.insert(arguments.end(), further.begin(), further.end());
    const ProgramResult result = run(arguments);
    CHECK(result.exit_code == 0);
    return result.errors;
  };
  CHECK_THAT(warnings_of({"\"1,024\"", "\"2,048\"", "\"4,096\""}, {}),
             ContainsSubstring("sizes.csv:2: column 'size': \"1,024\" is not a number, so the "
                               "column is taken as levels; write 1024, or pass --categorical size "
                               "if these are names"));
  CHECK_THAT(warnings_of({"1_024", "2_048"}, {}), ContainsSubstring("write 1024, or"));
  CHECK_THAT(warnings_of({"16k", "32k", "64k"}, {}),
             ContainsSubstring("\"16k\" is not a number, so the column is taken as levels; write "
                               "all digits, or"));
  CHECK_THAT(warnings_of({"16k", "32k"}, {"--categorical", "size"}), !ContainsSubstring("size"));
  CHECK_THAT(warnings_of({"small", "16k"}, {}), !ContainsSubstring("digits"));
}

TEST_CASE_METHOD(FitDirectory, "runs that are given twice under other names are told", "[cli]") {
  const std::string all = runs_of_sizes({"16", "32", "64"});
  write("runs.csv", all);
  write("copy.csv", all);
  write("more.csv", runs_of_sizes({"128", "256"}));
  const ProgramResult copied =
      run({"fit", "runs.csv", "more.csv", "copy.csv", "--starts", "1", "--quiet"});
  CHECK(copied.exit_code == 0);
  CHECK_THAT(copied.errors, ContainsSubstring("copy.csv holds the same bytes as runs.csv: each of "
                                              "these runs counts as measured twice"));
  const ProgramResult apart = run({"fit", "runs.csv", "more.csv", "--starts", "1", "--quiet"});
  CHECK_THAT(apart.errors, !ContainsSubstring("same bytes"));
  const ProgramResult twice = run({"fit", "runs.csv", "./runs.csv"});
  CHECK(twice.exit_code == 2);
  CHECK_THAT(twice.errors, ContainsSubstring("'runs.csv' is given twice, also as './runs.csv'"));
}

TEST_CASE_METHOD(FitDirectory, "a throughput that is fitted as a time is told", "[cli]") {
  write("rates.csv", "gpus,x,samples_per_s\n1,1,10\n2,1,19\n4,2,35\n8,1,60\n1,2,8\n2,2,15\n");
  const std::vector<std::string> fit = {"fit", "rates.csv", "--starts", "1", "--quiet"};
  const auto warnings_with = [&](const std::string& flag) {
    std::vector<std::string> arguments = fit;
    arguments.insert(arguments.end(), {flag, "samples_per_s"});
    const ProgramResult result = run(arguments);
    CHECK(result.exit_code == 0);
    return result.errors;
  };
  CHECK_THAT(warnings_with("--target"),
             ContainsSubstring("column 'samples_per_s' has the name of a throughput, but is taken "
                               "as a time; pass --throughput-target samples_per_s instead of "
                               "--target samples_per_s if it is one"));
  CHECK_THAT(warnings_with("--throughput-target"), !ContainsSubstring("name of a throughput"));
}
