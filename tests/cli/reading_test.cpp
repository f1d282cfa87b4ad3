// What the fit decided about its runs holds for all runs that its model reads.

#include <cmath>
#include <ranges>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kForm = "multi";

/// A run of about 2 size / gpus seconds, a whole number, and whether it finished.
struct Run {
  int size;
  int gpus;
  bool finished;

  double time() const { return std::round(2.0 * size / gpus * (1 + 0.03 * std::sin(size * gpus))); }
};

std::vector<Run> some_runs() {
  std::vector<Run> out;
  for (const int gpus : {1, 2, 4, 8})
    for (const int size : {1000, 2000, 3000, 5000, 8000})
      out.push_back({size, gpus, (size + gpus) % 11 != 1});
  return out;
}

/// A line per run; `line` makes it, with its end, or nothing.
template <class Line>
std::string csv_lines_of(const std::string& header, const Line& line) {
  std::string out = header + "\n";
  for (const Run& run : some_runs())
    out += line(run);
  return out;
}

/// Only the runs that finished, as any program reads them.
std::string plain_runs() {
  return csv_lines_of(
      "size,gpus,time_s",
      [](const Run& run) { return run.finished ? csv_row(run.size, run.gpus, run.time()) : ""; });
}

/// A file that is read as the plain one with these options only.
struct Written {
  std::string text;
  Words options;
};

/// The runs that did not finish took a tenth of their time until they were killed.
Written with_states() {
  return {csv_lines_of(
              "size,gpus,state,time_s",
              [](const Run& run) {
                return run.finished ? csv_row(run.size, run.gpus, "ok", run.time())
                                    : csv_row(run.size, run.gpus, "killed", run.time() / 10);
              }),
          {"--status", "state"}};
}

Written with_limits() {
  return {csv_lines_of(
              "size,gpus,most_s,time_s",
              [](const Run& run) {
                const double most = run.finished ? 1e6 : run.time() / 2;
                return csv_row(run.size, run.gpus, most, run.finished ? run.time() : most);
              }),
          {"--failed", "censor", "--limit", "most_s"}};
}

Written with_zeros() {
  return {csv_lines_of(
              "size,gpus,time_s",
              [](const Run& run) {
                return csv_row(run.size, run.gpus, run.finished ? run.time() : -1.0);
              }),
          {"--failed", "drop"}};
}

Written with_gaps() {
  return {csv_lines_of(
              "size,gpus,time_s",
              [](const Run& run) {
                return csv_row(run.finished ? std::to_string(run.size) : "", run.gpus, run.time());
              }),
          {}};
}

/// All sizes have a mark of thousands, of which nothing tells that it is none of decimals.
Written with_thousands() {
  return {csv_lines_of(
              "size;gpus;time_s",
              [](const Run& run) {
                const std::string size = std::to_string(run.size);
                return run.finished ? size.substr(0, 1) + "," + size.substr(1) + ";" +
                                          std::to_string(run.gpus) + ";" +
                                          std::to_string(static_cast<int>(run.time())) + "\n"
                                    : "";
              }),
          {"--decimal", "."}};
}

class ReadingTest : public ProgramTest {
 public:
  ReadingTest() { write("plain.csv", plain_runs()); }

  void fit_only(const Written& written, const Words& further = {}) const {
    write("runs.csv", written.text);
    run(both_of({"fit", "runs.csv", "--expression", kForm, "--terms", "1", "--quiet", "-o",
                 "model.json"},
                written.options),
        further)
        .succeeded();
  }
  nlohmann::json fit(const Written& written, const Words& further = {}) const {
    fit_only(written, further);
    return model();
  }
  nlohmann::json evaluated(const std::string& runs, const Words& further = {}) const {
    return run({"evaluate", "model.json", runs, "--format", "json"}, further).json();
  }
};

}  // namespace

TEST_CASE_METHOD(ReadingTest, "commands judge a model by the runs that its fit counted", "[cli]") {
  const Written written = GENERATE(with_states(), with_limits(), with_zeros(), with_gaps());
  CAPTURE(written.options, written.text);
  fit(written);
  const nlohmann::json judged = evaluated("runs.csv");
  CHECK(judged["metrics"] == evaluated("plain.csv")["metrics"]);
  CHECK(judged["metrics"]["rows"] == judged["data"]["rows_of_fit"]);
  const auto measured = [&](const std::string& runs) {
    const std::string page =
        run({"report", "model.json", runs, "--format", "md"}).succeeded().output;
    const std::size_t begin = page.find("- measured: ");
    REQUIRE(begin != page.npos);
    return page.substr(begin, page.find('\n', begin) - begin);
  };
  CHECK(measured("runs.csv") == measured("plain.csv"));
}

TEST_CASE_METHOD(ReadingTest, "what runs a search of runs to measure knows are those of the fit",
                 "[cli]") {
  fit(with_states());
  const Words next = {"suggest", "model.json", "space.json", "--next", "3", "--runs"};
  write("space.json", R"({"size": [1000, 2000, 3000, 5000, 8000], "gpus": [1, 2, 4, 8, 16]})");
  const ProgramResult of_all = run(next, {"runs.csv"}).succeeded();
  CHECK_THAT(of_all.errors, ContainsSubstring("runs failed and are left out"));
}

TEST_CASE_METHOD(ReadingTest, "an earlier model reads few new runs as its own", "[cli]") {
  fit(with_states());
  const auto adapted = [&](const std::string& runs) {
    nlohmann::json out = model_of({runs, "--prior", "model.json", "--quiet"});
    CHECK(out["reading"]["status"] == "state");
    return out["constants"];
  };
  CHECK(adapted("runs.csv") == adapted("plain.csv"));
}

TEST_CASE_METHOD(ReadingTest, "test runs are counted as those of the fit", "[cli]") {
  const Written written = GENERATE(with_states(), with_limits());
  const nlohmann::json model = fit(written, {"--test", "runs.csv"});
  CHECK(model["metrics"]["test"]["rows"] == evaluated("plain.csv")["metrics"]["rows"]);
}

TEST_CASE_METHOD(ReadingTest, "numbers are read as in the fit by each command", "[cli]") {
  fit(with_thousands());
  CHECK(evaluated("runs.csv")["metrics"] == evaluated("plain.csv")["metrics"]);
  write("one.csv", "size;gpus\n5,000;2\n");
  CHECK_THAT(run({"predict", "model.json", "one.csv"}).succeeded().output,
             ContainsSubstring("true"));
  const auto time = [&](const std::string& runs) {
    return run({"predict", "model.json", "--like", runs + ":3"}).succeeded().output;
  };
  CHECK(time("runs.csv") == time("plain.csv"));
  const auto suggested = [&](const std::string& runs) {
    return run({"suggest", "model.json", runs, "--format", "csv"}).succeeded().output;
  };
  CHECK(suggested("runs.csv") == suggested("plain.csv"));
  run({"simulate", "model.json", "one.csv", "-o", "simulated.csv"}).succeeded();
  CHECK_THAT(read("simulated.csv"), ContainsSubstring("5,000;2;"));
}

TEST_CASE_METHOD(ReadingTest, "facts about texts are kept in the model", "[cli]") {
  write("devices.csv", "device,speed\nslow,1\nfast,4\nfaster,16\n");
  std::string text = "device,size,time_s\n";
  for (const int size : {10, 20, 30, 50, 80}) {
    text += csv_row("slow", size, 2.0 * size * (1 + 0.01 * (size % 3)));
    text += csv_row("fast", size, 0.5 * size * (1 + 0.01 * (size % 4)));
  }
  fit({text, {"--facts", "device=devices.csv"}});
  CHECK(evaluated("runs.csv")["metrics"] ==
        evaluated("runs.csv", {"--facts", "device=devices.csv"})["metrics"]);
  write("new.csv", "device,size\nfaster,50\n");
  CHECK(run({"predict", "model.json", "new.csv"}).succeeded().output ==
        run({"predict", "model.json", "new.csv", "--facts", "device=devices.csv"})
            .succeeded()
            .output);
  write("unknown.csv", "device,size\nslowest,50\n");
  CHECK_THAT(run({"predict", "model.json", "unknown.csv"}).failed(3),
             ContainsSubstring("devices.csv has no facts about \"slowest\""));
  write("joined.csv", "speed,size\n16,50\n");
  run({"predict", "model.json", "joined.csv"}).succeeded();
}

TEST_CASE_METHOD(ReadingTest, "an option of the command wins over the fit", "[cli]") {
  fit(with_states());
  write("other.csv", csv_lines_of("size,gpus,state,end,time_s", [](const Run& run) {
          return csv_row(run.size, run.gpus, "killed", run.finished ? "0" : "1", run.time());
        }));
  CHECK(evaluated("other.csv", {"--status", "end"})["metrics"]["rows"] ==
        evaluated("plain.csv")["metrics"]["rows"]);
  CHECK_THAT(run({"evaluate", "model.json", "other.csv", "--status", "ende"}).failed(2),
             ContainsSubstring("did you mean 'end'"));
  CHECK_THAT(run({"evaluate", "model.json", "runs.csv", "--failed", "refuse"}).failed(3),
             ContainsSubstring("every run needs a measured time"));
  fit(with_thousands());
  write("points.csv", "size;gpus;time_s\n1,5;2;2,5\n2,5;2;3,5\n");
  run({"predict", "model.json", "points.csv"}).failed(3);  // marks of thousands, as in the fit
  run({"predict", "model.json", "points.csv", "--decimal", ","}).succeeded();
}

TEST_CASE_METHOD(ReadingTest, "rules of the fit that do not apply to a file have no effect",
                 "[cli]") {
  fit(with_states());
  const ProgramResult judged = run({"evaluate", "model.json", "plain.csv"}).succeeded();
  CHECK_THAT(judged.errors, ContainsSubstring("no column 'state' in plain.csv") &&
                                ContainsSubstring("by which the fit told which runs count"));
  write("semicolons.csv", "size,mib;gpus;time_s\n1,5;2;20\n2,5;4;30\n3,5;2;40\n4,5;1;50\n");
  run({"fit", "semicolons.csv", "--separator", "semicolon", "-o", "model.json"}).succeeded();
  CHECK(model()["reading"]["separator"] == ";");
  run({"evaluate", "model.json", "semicolons.csv"}).succeeded();
  write("configurations.json", R"([{"size,mib": 1.5, "gpus": 2, "time_s": 20}])");
  run({"evaluate", "model.json", "configurations.json"}).succeeded();
}

TEST_CASE_METHOD(ReadingTest, "a model without rules reads runs as before", "[cli]") {
  nlohmann::json model = fit(with_states());
  CHECK(model["reading"] == nlohmann::json({{"failed", "told"}, {"status", "state"}}));
  model.erase("reading");
  write("model.json", model.dump());
  CHECK(evaluated("runs.csv")["metrics"]["rows"].get<std::size_t>() ==
        some_runs().size() - evaluated("plain.csv")["data"]["rows_of_fit"].get<std::size_t>());
  fit({plain_runs(), {}});
  CHECK_FALSE(this->model().contains("reading"));
}

TEST_CASE_METHOD(ReadingTest, "many models read runs as their fits", "[cli]") {
  Written written = with_zeros();
  written.options.insert(written.options.end(), {"--by", "kind"});
  const auto with_kind = [](const std::string& text) {
    std::string out;
    for (const auto line : std::views::split(text, '\n'))
      if (!line.empty())
        out += (out.empty() ? "kind," : "a,") + std::string(line.begin(), line.end()) + "\n";
    return out;
  };
  written.text = with_kind(written.text);
  fit_only(written);
  write("plain.csv", with_kind(plain_runs()));
  const auto rows = [&](const std::string& runs) {
    return run({"evaluate", "model.json", runs, "--format", "csv"}).succeeded().output;
  };
  CHECK(rows("runs.csv") == rows("plain.csv"));
}
