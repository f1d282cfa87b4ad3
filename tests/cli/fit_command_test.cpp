#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

TEST_CASE_METHOD(SampleRunsTest,
                 "fit writes the model to standard output and the rest to standard error",
                 "[cli]") {
  const Words fit = {"fit", "runs.csv"};
  const ProgramResult result = run(fit).succeeded();
  const nlohmann::json model = result.json();
  CHECK(model["schema"] == "perfmodel/model");
  CHECK(model["schema_version"] == 1);
  CHECK(model["target"] == nlohmann::json{{"column", "time_s"}, {"unit", "s"}});
  CHECK(model["scaling_powers"]["workers"].get<double>() == Catch::Approx(-0.5).epsilon(1e-3));
  CHECK(model["constants"]["intrinsic"][0]["p"].get<double>() == Catch::Approx(1.5).epsilon(1e-3));
  CHECK(model["constants"]["intrinsic"][0]["range"] == nlohmann::json{4, 128});
  CHECK(model["constants"]["C"].get<double>() == Catch::Approx(0.2).epsilon(1e-2));
  CHECK(model["metrics"]["train"]["rows"] == 48);
  CHECK(model["metrics"]["validation"].is_null());
  CHECK(model["provenance"]["data"]["file"] == "runs.csv");
  CHECK(model["provenance"]["data"]["rows"] == 48);
  CHECK(model["provenance"]["data"]["sha256"].get<std::string>().size() == 64);
  CHECK(model["repeats"].is_null());
  CHECK_THAT(result.errors, ContainsSubstring("time_s [s] from runs.csv: 48 rows"));
  CHECK_THAT(result.errors, !ContainsSubstring("--expression auto"));

  // The file of -o is what fit would print.
  CHECK(run(fit, {"-o", "model.json", "--quiet"}).succeeded().output.empty());
  CHECK(read("model.json") == result.output);
  CHECK(directory().entries() == 2);

  // The same data, options and seed give the same bytes for any threads.
  for (const char* threads : {"1", "3"})
    CHECK(run(fit, {"--threads", threads}).output == result.output);
  CHECK(run(fit, {"--seed", "2"}).output != result.output);
  program_options.environment["OMP_NUM_THREADS"] = "2,1";
  CHECK(run(fit).output == result.output);
  program_options.environment.clear();

  // The summary is coloured only on request.
  CHECK_THAT(result.errors, !ContainsSubstring("\x1b"));
  CHECK_THAT(run(fit, {"--color", "always"}).errors, ContainsSubstring("\x1b[1m"));
  CHECK_THAT(run({"--color", "always"}, fit).errors, ContainsSubstring("\x1b[1m"));
  CHECK_THAT(run(fit, {"--color", "never"}).errors, !ContainsSubstring("\x1b"));

  // Runs from standard input are the same.
  program_options.input = sample_runs();
  const nlohmann::json piped = run({"fit", "-"}).json();
  CHECK(piped["provenance"]["data"]["file"] == "-");
  CHECK(piped["provenance"]["data"]["sha256"] == model["provenance"]["data"]["sha256"]);
  CHECK(piped["constants"] == model["constants"]);
}

TEST_CASE_METHOD(SampleRunsTest, "fit --quiet keeps warnings only", "[cli]") {
  std::istringstream lines(
      run({"fit", "runs.csv", "--quiet", "--bounds", "q=-0.1:5"}).succeeded().errors);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    CHECK_THAT(line, Catch::Matchers::StartsWith("perfmodel: warning: "));
  CHECK(count > 0);
}

TEST_CASE_METHOD(SampleRunsTest, "no line of the summary is wider than 100 columns", "[cli]") {
  const std::string name(60, 'x');
  std::string text = sample_runs();
  text.replace(0, std::string("filters").size(), name);
  write("wide.csv", text);
  std::istringstream lines(run({"fit", "wide.csv"}).succeeded().errors);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("perfmodel: "))
      CHECK(line.size() <= 104);  // a clipped name has a character of three bytes
}

TEST_CASE_METHOD(SampleRunsTest,
                 "a split gives metrics of each part and is the same for the same seed", "[cli]") {
  const Words arguments = {"fit", "runs.csv", "--split", "50:25:25"};
  const std::string first = run(arguments).output;
  const nlohmann::json metrics = nlohmann::json::parse(first)["metrics"];
  CHECK(metrics["train"]["rows"] == 24);
  CHECK(metrics["validation"]["rows"] == 12);
  CHECK(metrics["test"]["rows"] == 12);
  CHECK(run(arguments).output == first);
  CHECK(run({"fit", "runs.csv", "--split", "50:25:25", "--split-seed", "2"}).output != first);
}

TEST_CASE_METHOD(SampleRunsTest,
                 "fit --test judges the model on further runs, without levels that it lacks",
                 "[cli]") {
  write("more.csv",
        "activation,time_s,workers,filters\nrelu,1.5,1,25\nelu,1.5,1,25\n"
        "tanh,1.25,1,16\nelu,2,1,16\nrellu,1,1,16\n");
  write("others.csv", "activation,time_s,workers,filters\nelu,1.5,1,25\n");
  write("blank.csv", "activation,time_s,workers,filters\nrelu,1,1,25\n,1.5,1,25\n");
  const std::string levels =
      ": the runs that the model is fitted to have no activation = \"elu\" (2 rows, from line 3 "
      "on), activation = \"rellu\" (line 6)";
  const ProgramResult result = run({"fit", "runs.csv", "--test", "more.csv"}).succeeded();
  CHECK(result.json()["metrics"]["train"]["rows"] == 48);
  CHECK(result.json()["metrics"]["test"]["rows"] == 2);
  CHECK_THAT(result.errors,
             ContainsSubstring("perfmodel: warning: more.csv: 3 of 5 rows are left out of the "
                               "test" +
                               levels + "\n"));
  const ProgramResult compared =
      run({"compare", "runs.csv", "--test", "more.csv", "--format", "json"});
  CHECK(nlohmann::json::parse(compared.output)["models"][0]["metrics"]["test"]["rows"] == 2);
  CHECK_THAT(compared.errors, ContainsSubstring("3 of 5 rows are left out of the test" + levels));

  // A gate must not pass because the rows that it is about are missing.
  const Words fit = {"fit", "runs.csv", "--quiet", "--test"};
  CHECK(run(fit, {"more.csv", "--fail-if", "mape>50"}).refused(3) ==
        "perfmodel: error: more.csv: 3 of 5 rows cannot be judged" + levels +
            "; --fail-if needs predictions for all: remove these rows, or fit such runs too\n");
  CHECK(run(fit, {"others.csv"}).failed(3) ==
        "perfmodel: error: others.csv: no row can be judged: the runs that the model is fitted to "
        "have no activation = \"elu\" (line 2)\n");
  CHECK_THAT(run(fit, {"blank.csv"}).succeeded().errors,
             ContainsSubstring("1 of 2 rows have no 'activation' (blank.csv:3) and are left out"));
  CHECK_THAT(run(fit, {"blank.csv", "--fail-if", "mape>50"}).refused(3),
             ContainsSubstring("--fail-if needs predictions for all"));
}

TEST_CASE_METHOD(SampleRunsTest, "a failed gate ends with 4, after the model was written",
                 "[cli]") {
  const std::string errors = run({"fit", "runs.csv", "--quiet", "-o", "m.json", "--fail-if",
                                  "mae>=0", "--fail-if", "mape > 50"})
                                 .failed(4);
  CHECK_THAT(errors,
             ContainsSubstring("perfmodel: error: --fail-if 'mae>=0' holds on the training part"));
  CHECK_THAT(errors, !ContainsSubstring("mape > 50"));
  CHECK_FALSE(read("m.json").empty());
  CHECK(run({"fit", "runs.csv", "--fail-if", "mape>50"}).exit_code == 0);
  CHECK_THAT(run({"fit", "runs.csv", "--split", "50:50", "--fail-if", "rmse>=0"}).errors,
             ContainsSubstring("holds on the test part"));
}

TEST_CASE_METHOD(SampleRunsTest, "roles that are named are taken", "[cli]") {
  const nlohmann::json model =
      run({"fit", "runs.csv", "--target", "time_s", "--extrinsic", "workers", "--categorical",
           "filters", "--ignore", "activation", "--time-unit", "min"})
          .json();
  CHECK(model["target"]["unit"] == "min");
  CHECK(model["constants"]["intrinsic"].empty());
  CHECK(model["constants"]["categorical"][0]["levels"].size() == 6);
}

TEST_CASE_METHOD(SampleRunsTest, "a place that cannot be written is found out before the fit",
                 "[cli]") {
  run({"fit", "runs.csv", "-o", "no/model.json", "--search", "generations=1000000000,tolerance=0"})
      .failed(5);
}

TEST_CASE_METHOD(SampleRunsTest,
                 "levels alone make a model, and without noise nothing is left to gain", "[cli]") {
  write("levels.csv", "activation,time_s\nrelu,1\ntanh,2\nrelu,1\ntanh,2\nrelu,1\n");
  const nlohmann::json model = run({"fit", "levels.csv", "--extrinsic", "none"}).json();
  CHECK(model["scaling_powers"].empty());
  CHECK(model["metrics"]["train"]["mae"].get<double>() < 1e-9);
  CHECK(model["search"]["gap"].get<double>() <= 1);
}

TEST_CASE_METHOD(SampleRunsTest, "equal times leave r2 undefined", "[cli]") {
  write("equal.csv", "filters,workers,time_s\n1,1,2\n2,1,2\n3,2,2\n4,2,2\n");
  CHECK(run({"fit", "equal.csv"}).json()["metrics"]["train"]["r2"].is_null());
  CHECK(run({"fit", "equal.csv", "--fail-if", "r2<0"}).exit_code == 4);
}

TEST_CASE_METHOD(SampleRunsTest, "repeats give the best model and the spread over all seeds") {
  const Words arguments = {"fit",      "runs.csv", "--seed",         "5",        "--repeats",
                           "3",        "--search", "generations=15", "--starts", "1",
                           "--method", "paper",    "--split",        "60:20:20"};
  const ProgramResult result = run(arguments).succeeded();
  const nlohmann::json model = result.json();
  const nlohmann::json& repeats = model["repeats"];
  CHECK(repeats["fits"] == 3);
  CHECK_THAT(repeats["meaning"].get<std::string>(), ContainsSubstring("not a confidence interval"));
  REQUIRE(repeats["seeds"].size() == 3);
  double lowest = repeats["seeds"][0]["cost"];
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(repeats["seeds"][k]["seed"] == 5 + k);
    lowest = std::min(lowest, repeats["seeds"][k]["cost"].get<double>());
  }
  CHECK(model["search"]["cost"] == lowest);
  CHECK(repeats["constants"][0]["name"] == "a[filters]");
  CHECK(repeats["constants"].size() == 6);
  CHECK(repeats["scaling_powers"][0]["name"] == "workers");
  CHECK(repeats["scaling_powers"][0]["standard_deviation"] > 0);
  CHECK(repeats["metrics"]["test"][0]["name"] == "mae");
  const std::size_t table = result.errors.find("sd over seeds (n - 1)");
  REQUIRE(table != std::string::npos);
  CHECK(result.errors.find("sd over seeds (n - 1)", table + 1) == std::string::npos);

  CHECK(run(arguments, {"--threads", "2"}).output == result.output);
}

TEST_CASE_METHOD(SampleRunsTest, "differences in the last digits of repeated fits are no spread",
                 "[cli]") {
  write("exact.csv",
        csv_grid("workers,batch,time_s", {1, 2, 4, 8}, {16, 32, 64}, [](int workers, int batch) {
          return std::to_string(0.1 + 0.0625 * batch / workers);
        }));
  const std::string said = run({"fit", "exact.csv", "--repeats", "10"}).errors;
  CHECK_THAT(said, ContainsSubstring("all 10 seeds end in the same optimum"));
}

TEST_CASE_METHOD(SampleRunsTest, "mixed-up files and names are reported in one line", "[cli]") {
  write("few.csv", "filters,host\n8,a\n");
  run({"fit", "runs.csv", "-o", "model.json"}).succeeded();
  const auto error_of = [&](const Words& arguments) {
    const ProgramResult result = run(arguments);
    CHECK(result.exit_code != 0);
    return result.errors.substr(0, result.errors.find('\n'));
  };
  const std::string error = "perfmodel: error: ";
  CHECK(error_of({"fit", "model.json"}) ==
        error + "model.json is JSON, as models are, and no CSV of runs");
  CHECK(error_of({"evaluate", "model.json", "few.csv"})
            .ends_with(" in few.csv; there are 'filters' and 'host'"));
  CHECK_THAT(error_of({"fit", "runs.csv", "--expression", "mult"}),
             ContainsSubstring("; did you mean 'multi'?"));
  CHECK(error_of({"fit", "runs.csv", "--test-split", "3"}) ==
        error +
            "unknown option '--test-split'; there are, among others, '--split', "
            "'--split-seed' and '--test'");
  CHECK_THAT(error_of({"scaling", "model.json", "--over", "workers"}),
             ContainsSubstring("; there are, among others, '--column', "));
  for (const char* option : {"--by", "--ignore"})
    CHECK_THAT(error_of({"fit", "runs.csv", option, "zzz"}),
               ContainsSubstring("no column 'zzz' in runs.csv; there are '") &&
                   ContainsSubstring("'time_s'"));
}

TEST_CASE_METHOD(SampleRunsTest, "the models of a set are chosen by --pick, not by --set",
                 "[cli][by]") {
  write("sets.csv", csv_grid("stack,batch,time_s", {"a", "b"}, {1, 2, 4, 8, 16},
                             [](const char*, int size) { return 3 * size; }));
  run({"fit", "sets.csv", "--by", "stack", "-o", "set.jsonl"}).succeeded();
  CHECK_THAT(run({"predict", "set.jsonl", "--set", "stack=a", "--set", "batch=3"}).errors,
             ContainsSubstring("choose some of them: --pick 'stack == \"a\"'"));
}

TEST_CASE_METHOD(SampleRunsTest, "a fit without more rows than constants marks what it cannot know",
                 "[cli]") {
  write("three.csv", "workers,batch,time_s\n1,32,1.5\n2,32,1.1\n4,64,0.9\n");
  const std::string text = run({"fit", "three.csv"}).errors;
  CHECK_THAT(text, ContainsSubstring(" times faster?") &&
                       ContainsSubstring("training errors say nothing: there are no more rows than "
                                         "constants\n") &&
                       ContainsSubstring("  intervals  90 % of new times: "));
}

TEST_CASE_METHOD(SampleRunsTest, "a bad fit of Eq. (4) is followed by the way to another form",
                 "[cli]") {
  // One size in three takes four times as long; each run twice, with 1 % of noise, or once.
  for (const bool repeated : {true, false}) {
    std::string csv = "mode,batch,time_s\n";
    for (const int mode : {1, 2, 3})
      for (const int size : {1, 2, 4, 8})
        for (const double noise : {0.99, 1.01})
          if (repeated || noise > 1)
            csv += csv_row("m" + std::to_string(mode), size,
                           std::to_string(noise * mode * size * ((mode + size) % 3 == 0 ? 4 : 1)));
    write("bad.csv", csv);
    for (const char* by : {"", "mode"}) {
      const std::string text =
          run({"fit", "bad.csv", "-o", "bad.json"}, *by == '\0' ? Words{} : Words{"--by", by})
              .errors;
      CAPTURE(repeated, by, text);
      CHECK_THAT(text, ContainsSubstring("another form may fit far better:\n  perfmodel fit") &&
                           ContainsSubstring(" --expression auto\n"));
    }
  }
}

TEST_CASE_METHOD(SampleRunsTest,
                 "a formula at a bound is warned of beside a residual correction, too", "[cli]") {
  // Times that depend on the batch more steeply than the box of the search allows.
  std::string csv = "batch,time_s\n";
  for (const double batch : {1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7})
    csv += csv_row(std::to_string(batch), std::to_string(std::pow(batch, 9)));
  write("steep.csv", csv);
  for (const char* residual : {"none", "process"})
    CHECK_THAT(run({"fit", "steep.csv", "--residual", residual, "-o", "steep.json"}).errors,
               ContainsSubstring("warning: q[batch] is at its upper bound"));
  const std::string shown = run({"evaluate", "steep.json", "steep.csv", "--outliers", "1"}).output;
  CHECK_THAT(shown, ContainsSubstring(" have training runs nearby"));
}
