#include <cmath>
#include <filesystem>
#include <string>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string kMpirun =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "mpirun --oversubscribe -n ";
const std::string kFit = " '" PERFMODEL_BINARY "' fit runs.csv --loss mse --threads 1 -o ";

/// 8 configurations 50 times each.
std::string runs_of_a_job() {
  perfmodel::RandomStream random(1, "runs of a job", 0);
  std::string out = "net,gpus,time_s\n";
  for (int i = 0; i < 400; ++i) {
    const double time =
        (1 + i % 2) * std::pow(1 << i / 2 % 4, -0.8) * std::exp(0.05 * random.normal()) + 1;
    out += "net" + std::to_string(i % 2) + "," + std::to_string(1 << i / 2 % 4) + "," +
           perfmodel::to_text(time) + "\n";
  }
  return out;
}

struct JobResult {
  std::string exit_code;
  std::string output;  ///< and errors
};

JobResult in(const TemporaryDirectory& directory, const std::string& command) {
  JobResult out;
  out.exit_code = output_of("cd '" + directory.path().string() + "' && (" + command +
                            ") >job.txt 2>&1; printf $?")
                      .value();
  out.output = read_text(directory.file("job.txt"));
  return out;
}

}  // namespace

TEST_CASE("the processes of a job write the bytes of one", "[needs-mpi]") {
  const TemporaryDirectory directory;
  directory.write("runs.csv", runs_of_a_job());
  for (const char* count : {"1", "2", "3", "4"}) {
    const JobResult result = in(directory, kMpirun + count + kFit + count + ".json");
    INFO(result.output);
    REQUIRE(result.exit_code == "0");
    CHECK(read_text(directory.file(std::string(count) + ".json")) ==
          read_text(directory.file("1.json")));
  }
  // Beside the digest of the file, which no process has read as a whole, as without a job.
  REQUIRE(
      in(directory, "'" PERFMODEL_BINARY "' fit runs.csv --loss mse --merge-rows always -o 0.json")
          .exit_code == "0");
  const std::string without_digest = "grep -v sha256 ";
  CHECK(in(directory, without_digest + "0.json").output ==
        in(directory, without_digest + "4.json").output);

  const JobResult damaged =
      in(directory, "echo 'net1,8,x' >> runs.csv && " + kMpirun + "3" + kFit + "new.json");
  CHECK(damaged.exit_code == "3");
  CHECK_THAT(damaged.output, ContainsSubstring("runs.csv:402"));
  CHECK_FALSE(std::filesystem::exists(directory.file("new.json")));
}

TEST_CASE("the processes of a job fit rows that none of them has together", "[needs-mpi]") {
  const TemporaryDirectory directory;
  directory.write("runs.csv", runs_of_a_job());
  const std::string spread = kFit + "spread.json --merge-rows spread";
  for (const char* count : {"1", "3"}) {
    const JobResult result =
        in(directory, kMpirun + count + spread + " && cp spread.json " + count + ".json");
    INFO(result.output);
    REQUIRE(result.exit_code == "0");
  }
  CHECK(read_text(directory.file("1.json")) == read_text(directory.file("3.json")));
  // Nobody waits for a process 0 that has nowhere to write, or that finds no such column.
  CHECK(in(directory, kMpirun + "3" + kFit + "no/such/place.json").exit_code == "5");
  // What all processes find wrong is told once, and the job ends in order.
  const JobResult refused = in(directory, kMpirun + "3" + spread + " --target no_such");
  CHECK(refused.exit_code == "2");
  const std::string said = "no column 'no_such'";
  CHECK_THAT(refused.output, ContainsSubstring(said));
  CHECK(refused.output.find(said) == refused.output.rfind(said));
}

TEST_CASE("a job that loses a process ends with an error and leaves the old model", "[needs-mpi]") {
  const TemporaryDirectory directory;
  directory.write("runs.csv", runs_of_a_job());
  directory.write("model.json", "old");
  // Process 1 is killed before it reads.
  const JobResult result =
      in(directory, kMpirun +
                        "2 sh -c 'if [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then kill -9 $$; fi; "
                        "exec \"$0\" fit runs.csv -o model.json' '" PERFMODEL_BINARY "'");
  CHECK(result.exit_code != "0");
  CHECK_THAT(result.output, ContainsSubstring("aborted") || ContainsSubstring("rank 1"));
  CHECK(read_text(directory.file("model.json")) == "old");
}
