#include <string>
#include <utility>
#include <vector>

#include "support/program_fixture.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kLayers =
    "layer,name,t_f_us,t_b_us,grad_bytes\n1,conv1,4,3,1000\n2,conv2,3,5,2000\n3,fc,3,2,3000\n";

ProgramResult run_ssgd(const Words& arguments, const std::string& input = kLayers) {
  return run_perfmodel(
      both_of({"ssgd", "-"}, arguments),
      {.input = input, .environment = {}, .directory = ".", .output_descriptor = {}});
}

std::string error_of(const Words& arguments, int exit_code, const std::string& input = kLayers) {
  return run_ssgd(arguments, input).refused(exit_code);
}

const std::string ssgd_advice = "\nSee 'perfmodel ssgd --help'.\n";

}  // namespace

TEST_CASE("ssgd refuses times and bytes whose sums no number holds", "[cli][ssgd]") {
  for (const std::string row : {"1e308,1e308,1", "1,1,1e308"}) {
    CHECK(error_of({"--workers", "4", "--message-start-us", "4", "--format", "json"}, 3,
                   "layer,t_f_us,t_b_us,grad_bytes\n1," + row + "\n2," + row + "\n") ==
          error_prefix +
              "the iteration is too long to represent as a number; times are in microseconds, "
              "gradients in bytes\n");
  }
}

TEST_CASE("ssgd writes its figures as JSON", "[cli][ssgd]") {
  const auto json = run_ssgd({"--workers", "4", "--message-start-us", "4", "--message-per-byte-us",
                              "0.002", "--merge", "mgwfbp", "--batch", "32", "--format", "json"})
                        .json();
  CHECK(json["schema"] == "perfmodel/ssgd");
  CHECK(json["schema_version"] == 1);
  CHECK(json["scaling"] == "weak");
  CHECK(json["iteration"]["finish_us"] == Catch::Approx(22));
  CHECK(json["iteration"]["iteration_us"] == Catch::Approx(32));
  CHECK(json["samples_per_second"] == Catch::Approx(4 * 32 / 32e-6));
  CHECK(json["schedules"].size() == 5);
  CHECK(json["messages"][0]["last_layer"] == "fc");
  CHECK(json["messages"][1]["first_layer"] == "conv2");
  CHECK(json["messages"][1]["last_layer"] == "conv1");
  CHECK(json["imbalance"].size() == 5);
  CHECK(json["pop"].size() == 7);
  CHECK(json["own_designs"].size() >= 3);
}

TEST_CASE_METHOD(ProgramTest, "ssgd fits latencies and names the ring behind them", "[cli][ssgd]") {
  const std::string latencies =
      write("osu.csv", "bytes,latency_us\n8,1\n1000,45\n2000,48\n4000,54\n8000,66\n");
  const Words fit = {"--workers", "4",    "--fit-allreduce", latencies,
                     "--format",  "json", "--fit-from"};
  const auto json = run_ssgd(both_of(fit, {"1000"})).json()["message_times"];
  CHECK(json["source"] == "line fitted to 4 latencies of osu.csv (R2 1)");
  CHECK(json["start_us"] == Catch::Approx(42));
  CHECK(json["per_byte_us"] == Catch::Approx(0.003));
  CHECK(json["fit"]["ring_alpha_us"] == Catch::Approx(7));
  CHECK(error_of(both_of(fit, {"4000"}), 3) ==
        error_prefix + latencies +
            ": only 2 latencies are of large enough messages; a line needs at least 3\n");
}

TEST_CASE("ssgd draws every phase as long as it takes", "[cli][ssgd]") {
  // 84 characters for 21 us.
  const ProgramResult serial =
      run_ssgd({"--workers", "2", "--read-us", "5", "--split-us", "2", "--copy-us", "1",
                "--update-us", "2", "--message-start-us", "4", "--timeline"},
               "layer,t_f_us,t_b_us,grad_bytes\n1,4,3,1000\n")
          .succeeded();
  const auto of = [](char mark, std::size_t us) { return std::string(4 * us, mark); };
  CHECK_THAT(serial.output,
             ContainsSubstring("|" + of('r', 5) + of('s', 2) + of(' ', 14) + "|\n") &&
                 ContainsSubstring("|" + of(' ', 7) + of('c', 1) + of(' ', 13) + "|\n") &&
                 ContainsSubstring("|" + of(' ', 8) + of('F', 4) + of('b', 3) + of(' ', 4) +
                                   of('U', 2) + "|\n") &&
                 ContainsSubstring("|" + of(' ', 15) + of('=', 4) + of(' ', 2) + "|\n") &&
                 ContainsSubstring("  - split: cutting the batch follows the reading"));
  const ProgramResult shared =
      run_ssgd({"--workers", "4", "--read-us", "5", "--shared-disk", "--input-pipeline",
                "host-prefetch", "--allreduce", "hierarchical", "--alpha-us", "3", "--bandwidth",
                "1", "--workers-per-node", "2", "--inside-alpha-us", "1", "--inside-bandwidth",
                "10"})
          .succeeded();
  CHECK_THAT(shared.output,
             ContainsSubstring("  - shared disk or bus: ") &&
                 ContainsSubstring("  - input pipeline: which stages overlap") &&
                 ContainsSubstring("  - the cost of hierarchical: the slowest link decides"));
}

TEST_CASE("ssgd reports the imbalance of times, of samples and of whole samples", "[cli][ssgd]") {
  const auto ratio_of = [](const std::string& option, const std::string& value) {
    return run_ssgd(
               {"--workers", "4", "--message-start-us", "4", option, value, "--format", "json"})
        .json()["imbalance"]["imbalance_ratio"]
        .get<double>();
  };
  CHECK(ratio_of("--worker-times", "1,2,3,2") == Catch::Approx(3 / 2.));
  CHECK(ratio_of("--worker-times", "1,1,2,4") == Catch::Approx(4 / 2.));
  CHECK(ratio_of("--global-batch", "10") == Catch::Approx(3 / 2.5));  // 3, 3, 2 and 2 samples
}

TEST_CASE_METHOD(ProgramTest, "ssgd refuses files that contradict the options", "[cli][ssgd]") {
  const std::string two_workers =
      "worker,layer,t_f_us,t_b_us,grad_bytes\n1,1,4,3,1000\n2,1,5,4,1000\n";
  const std::string reference = write("two.csv", two_workers);
  const std::string latencies = write("osu.csv", "bytes,latency_us\n1000,40\n2000,30\n4000,20\n");
  const auto refused = [](const Words& options, int exit_code, const std::string& input) {
    return error_of(both_of(options, {"--workers", "2"}), exit_code, input);
  };
  CHECK(refused({"--message-start-us", "4", "--imbalance-factor", "0.2"}, 2, two_workers) ==
        error_prefix + "the file has the times of every worker; their imbalance is in them" +
            ssgd_advice);
  CHECK(refused({"--message-start-us", "4", "--reference", reference}, 3, kLayers) ==
        error_prefix + reference + ": the reference is of one worker, not of 2\n");
  CHECK(refused({"--message-start-us", "4", "--update-us", "3"}, 2,
                "layer,t_f_us,t_b_us,t_u_us,grad_bytes\n1,4,3,1,1000\n") ==
        error_prefix + "--update-us has no use: standard input has a column 't_u_us'" +
            ssgd_advice);
  CHECK(refused({"--fit-allreduce", latencies}, 3, kLayers) ==
        error_prefix + latencies +
            ": the line through the latencies, 45 us + -0.006429 us per byte, makes no sense as a "
            "cost; choose the sizes with --fit-from\n");
}

TEST_CASE("ssgd warns that forward times are assumed", "[cli][ssgd]") {
  CHECK(run_ssgd({"--workers", "1", "--forward-share", "0.5"}, "layer,t_b_us,grad_bytes\n1,4,8\n")
            .succeeded()
            .errors ==
        "perfmodel: warning: the forward times are assumed, not measured: 0.5 of the backward "
        "times\n");
}

TEST_CASE("ssgd refuses options that contradict each other, have no effect or a wrong value",
          "[cli][ssgd]") {
  const Words sent = {"--workers", "4", "--message-start-us", "1"};
  const std::vector<std::pair<Words, std::string>> refusals = {
      {{"--workers", "4"},
       "how long does a message take? Pass a cost model (--allreduce, --fit-allreduce or "
       "--message-start-us), or, without merging, a file with a column t_c_us"},
      {both_of(sent, {"--allreduce", "ring", "--alpha-us", "1", "--bandwidth", "1"}),
       "--message-start-us cannot be combined with --allreduce: choose one of --allreduce, "
       "--fit-allreduce and --message-start-us"},
      {{"--workers", "4", "--alpha-us", "3"}, "--alpha-us needs --allreduce"},
      {both_of(sent, {"--merge", "single", "--no-overlap"}),
       "--merge cannot be combined with --no-overlap"},
      {both_of(sent, {"--imbalance-factor", "0.1", "--global-batch", "32"}),
       "--global-batch cannot be combined with --imbalance-factor: choose one of "
       "--imbalance-factor, --worker-times and --global-batch"},
      {both_of(sent, {"--worker-times", "1,2,3"}), "--worker-times has 3 entries for 4 workers"},
      {both_of(sent, {"--imbalance-factor", "5"}),
       "a load imbalance factor of 5 is impossible with 4 workers: it lies between 0 and 3, if one "
       "worker does everything"},
      {both_of(sent, {"--timeline-svg", "x.svg"}),
       "'--timeline-svg' was removed: --timeline draws the iteration as text, and --format json "
       "has "
       "its messages"},
      {both_of(sent, {"--batch-shares", "1,1,2,4"}),
       "'--batch-shares' was removed: --worker-times takes the samples of the workers, too"},
      {{"--workers", "0"}, "--workers: '0' is not a whole number >= 1"},
      {{"--workers", "4", "--merge", "greedy"},
       "--merge: 'greedy' is not one of 'none', 'single', 'threshold:BYTES', 'mgwfbp' and "
       "'optimal'"},
      {{"--workers", "4", "--input-pipeline", "fast"},
       "--input-pipeline: 'fast' is not one of 'serial', 'host-prefetch', 'device-buffer' and "
       "'three-stages'"},
      {{"--workers", "4", "--bandwidth", "0"}, "--bandwidth: '0' is not a number > 0"},
      {{"--workers", "2", "--worker-times", "1,x"}, "--worker-times: 'x' is not a number >= 0"}};
  for (const auto& [arguments, message] : refusals)
    CHECK(error_of(arguments, 2) == error_prefix + message + ssgd_advice);
}
