#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

/// Runs whose sizes are written as they are given.
std::string runs_of_sizes(const std::vector<std::string>& sizes) {
  std::string csv = "gpus,size,time_s\n";
  for (int gpus = 1; gpus <= 8; gpus *= 2)
    for (std::size_t i = 0; i < sizes.size(); ++i)
      csv += csv_row(gpus, sizes[i], std::to_string(1.5 + 3 * static_cast<double>(i) / gpus));
  return csv;
}

}  // namespace

TEST_CASE_METHOD(ProgramTest, "a column of numbers in human notation is reported", "[cli]") {
  const auto warnings_of = [&](const std::vector<std::string>& sizes, const Words& further) {
    write("sizes.csv", runs_of_sizes(sizes));
    return run({"fit", "sizes.csv", "--starts", "1", "--quiet"}, further).succeeded().errors;
  };
  for (const char* marked : {"\"1,024\"", "1_024"})
    CHECK_THAT(warnings_of({marked, "\"2,048\"", "\"4,096\""}, {}), !ContainsSubstring("size"));
  CHECK_THAT(warnings_of({"16k", "32k", "64k"}, {}),
             ContainsSubstring("sizes.csv:2: column 'size': \"16k\" is not a number, so the column "
                               "is taken as levels; write all digits, or pass --categorical size "
                               "if these are names"));
  CHECK_THAT(warnings_of({"16k", "32k"}, {"--categorical", "size"}), !ContainsSubstring("size"));
  CHECK_THAT(warnings_of({"small", "16k"}, {}), !ContainsSubstring("digits"));
}

TEST_CASE_METHOD(ProgramTest, "runs given twice under different names are reported", "[cli]") {
  for (const char* name : {"runs.csv", "copy.csv"})
    write(name, runs_of_sizes({"16", "32", "64"}));
  write("more.csv", runs_of_sizes({"128", "256"}));
  CHECK_THAT(run({"fit", "runs.csv", "more.csv", "copy.csv", "--starts", "1", "--quiet"})
                 .succeeded()
                 .errors,
             ContainsSubstring("copy.csv holds the same bytes as runs.csv: each of "
                               "these runs counts as measured twice"));
  CHECK_THAT(run({"fit", "runs.csv", "more.csv", "--starts", "1", "--quiet"}).errors,
             !ContainsSubstring("same bytes"));
  CHECK_THAT(run({"fit", "runs.csv", "./runs.csv"}).failed(2),
             ContainsSubstring("'runs.csv' is given twice, also as './runs.csv'"));
}

TEST_CASE_METHOD(ProgramTest, "a throughput that is fitted as a time is reported", "[cli]") {
  write("rates.csv", "gpus,x,samples_per_s\n1,1,10\n2,1,19\n4,2,35\n8,1,60\n1,2,8\n2,2,15\n");
  const auto warnings_with = [&](const std::string& flag) {
    return run({"fit", "rates.csv", "--starts", "1", "--quiet", flag, "samples_per_s"})
        .succeeded()
        .errors;
  };
  CHECK_THAT(warnings_with("--target"),
             ContainsSubstring("column 'samples_per_s' has the name of a throughput, but is taken "
                               "as a time; pass --throughput-target samples_per_s instead of "
                               "--target samples_per_s if it is one"));
  CHECK_THAT(warnings_with("--throughput-target"), !ContainsSubstring("name of a throughput"));
}
