#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/csv_text.hpp"
#include "support/markup.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "tools/many/many_runs.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

class ManyModels : public ProgramTest {
 public:
  ManyModels() {
    const ManyRuns runs;
    write("runs.csv", runs.wide);
    write("sorted.csv", runs.sorted);
    write("third.csv", runs.third);
  }

  /// fit runs.csv --by kernel with both targets; must end well.
  void fit(const std::string& output, const Words& further = {},
           const std::string& runs = "runs.csv") const {
    run({"fit", runs, "--by", "kernel", "--target", "time_s,memory_mb", "-o", output}, further)
        .succeeded();
  }
  /// The lines behind the header.
  std::vector<nlohmann::json> lines(const std::string& name) const {
    std::vector<nlohmann::json> out;
    for (const std::string& line : lines_of(read(name)))
      out.push_back(nlohmann::json::parse(line));
    REQUIRE(!out.empty());
    out.erase(out.begin());
    return out;
  }
};

using Environment = std::map<std::string, std::string>;

}  // namespace

TEST_CASE_METHOD(ManyModels, "fit --by has a model for every group and target, or the reason",
                 "[cli][many]") {
  fit("all.jsonl");
  const auto lines = this->lines("all.jsonl");
  REQUIRE(lines.size() == 2 * (kKernels + 1));
  for (int k = 0; k < kKernels; ++k) {
    const nlohmann::json& time = lines[static_cast<std::size_t>(2 * k)];
    const nlohmann::json& memory = lines[static_cast<std::size_t>(2 * k + 1)];
    CHECK(time.at("task") == 2 * k);
    CHECK(time.at("key") == nlohmann::json{{"kernel", "k" + std::to_string(k)}});
    CHECK(time.at("target") == "time_s");
    CHECK(memory.at("target") == "memory_mb");
    CHECK(time.at("rows") == 6);
    CHECK(memory.at("model").at("scaling_powers").at("gpus").get<double>() ==
          Approx(0.5).margin(1e-6));
  }
  CHECK(lines.back().at("key").at("kernel") == "alone");
  CHECK_FALSE(lines.back().contains("model"));
  CHECK_THAT(lines.back().at("refused").get<std::string>(), ContainsSubstring("nothing to model"));

  // The model of a group is that of a file with its rows alone.
  run({"fit", "third.csv", "-o", "third.json"}).succeeded();
  const nlohmann::json third = json("third.json");
  CHECK(lines[4].at("model").at("constants") == third.at("constants"));
  CHECK(lines[4].at("model").at("metrics") == third.at("metrics"));

  // Groups that stand one after the other are read one after the other, and are the same.
  const auto of_rows = [](std::vector<nlohmann::json> all) {
    for (nlohmann::json& line : all) {
      line.erase("refused");  // names the file
      if (line.contains("model"))
        for (const char* field : {"provenance", "central_run"})
          line["model"].erase(field);  // digests, lines
    }
    return all;
  };
  fit("sorted.jsonl", {}, "sorted.csv");
  CHECK(of_rows(this->lines("sorted.jsonl")) == of_rows(lines));
}

TEST_CASE_METHOD(ManyModels,
                 "a fit of many models is the same bytes for threads, shards and resume",
                 "[cli][many]") {
  fit("all.jsonl", {"--threads", "1"});
  const std::string all = read("all.jsonl");
  fit("two.jsonl", {"--threads", "2"});
  CHECK(read("two.jsonl") == all);
  CHECK_FALSE(has("two.jsonl.partial"));

  SECTION("shards") {
    for (const std::string shard : {"1", "2", "3"})
      fit("part-{shard}.jsonl", {"--shard", shard + "/3"});
    run({"merge", "part-3.jsonl", "part-1.jsonl", "part-2.jsonl", "-o", "merged.jsonl"})
        .succeeded();
    CHECK(read("merged.jsonl") == all);

    const auto refused = [&](const Words& parts, const std::string& words) {
      CHECK_THAT(run({"merge", "-o", "wrong.jsonl"}, parts).failed(3), ContainsSubstring(words));
      CHECK_FALSE(has("wrong.jsonl"));
    };
    refused({"part-1.jsonl", "part-3.jsonl"}, "4 of 12 tasks are missing; run again: 2/3");
    refused({"part-1.jsonl", "part-2.jsonl", "part-3.jsonl", "part-2.jsonl"},
            "give shard 2/3 once");
    fit("seed-2.jsonl", {"--shard", "2/3", "--seed", "2"});
    refused({"part-1.jsonl", "seed-2.jsonl", "part-3.jsonl"},
            "seed-2.jsonl: of other runs or options than part-1.jsonl");
    const std::string part = read("part-2.jsonl");
    write("cut.jsonl", part.substr(0, part.size() - 20));
    refused({"part-1.jsonl", "cut.jsonl", "part-3.jsonl"}, "cut.jsonl:5: the line is cut short");
    refused({"part-1.jsonl", "cut.jsonl", "part-3.jsonl"}, "run again: 2/3");
    // What happens to a line in the middle is seen, too.
    std::string damaged = part;
    damaged.erase(damaged.find('\n', damaged.find("\"task\": 4")) - 1, 1);
    write("damaged.jsonl", damaged);
    refused({"part-1.jsonl", "damaged.jsonl", "part-3.jsonl"}, "run again: 2/3");
  }
  SECTION("engines") {
    fit("by-hand-2.jsonl", {"--shard", "2/3"});
    const auto fit_in = [&](const Environment& environment, const std::string& name) {
      program_options.environment = environment;
      fit(name + "-{shard}.jsonl", {"--shard", "auto"});
    };
    const auto shard_of = [&](const std::string& name) {
      return nlohmann::json::parse(lines_of(read(name)).front()).at("shard");
    };
    fit_in({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "3"}}, "mpi");
    CHECK(read("mpi-2.jsonl") == read("by-hand-2.jsonl"));
    Environment array = {{"SLURM_ARRAY_TASK_ID", "3"},
                         {"SLURM_ARRAY_TASK_MIN", "1"},
                         {"SLURM_ARRAY_TASK_MAX", "5"},
                         {"SLURM_ARRAY_TASK_COUNT", "3"}};
    fit_in(array, "array");
    CHECK(read("array-2.jsonl") == read("by-hand-2.jsonl"));
    Environment step = {
        {"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}};
    fit_in(step, "step");
    CHECK(shard_of("step-2.jsonl") == nlohmann::json{{"index", 2}, {"of", 2}});
    // The second of three tasks of the array, the second of its two.
    step.insert(array.begin(), array.end());
    fit_in(step, "both");
    CHECK(shard_of("both-4.jsonl") == nlohmann::json{{"index", 4}, {"of", 6}});

    const auto refused = [&](const Environment& environment, const std::string& message) {
      program_options.environment = environment;
      CHECK_THAT(run({"fit", "runs.csv", "--by", "kernel", "--target", "time_s", "--shard", "auto",
                      "-o", "part-{shard}.jsonl"})
                     .failed(2),
                 ContainsSubstring(message));
    };
    refused({{"PMI_RANK", "3"}, {"PMI_SIZE", "3"}},
            "auto: PMI_RANK and its number of tasks contradict each other; pass i/n");
    array["SLURM_ARRAY_TASK_ID"] = "2";
    refused(array, "auto: the tasks of the array are not at equal distances; pass i/n");
  }
  SECTION("resume") {
    // As a killed run leaves it: whole lines and the beginning of one.
    const std::size_t third_line = all.find('\n', all.find("\"task\": 2"));
    for (const std::size_t bytes : {third_line + 1, third_line + 40, std::size_t{10}}) {
      write("again.jsonl.partial", all.substr(0, bytes));
      fit("again.jsonl", {"--resume"});
      CHECK(read("again.jsonl") == all);
    }
    // What is there is not fitted again: it is taken as it stands.
    std::string marked = all.substr(0, third_line + 1);
    marked.replace(marked.find("\"rows\": 6"), 9, "\"rows\": 7");
    write("again.jsonl.partial", marked);
    fit("again.jsonl", {"--resume"});
    CHECK(lines("again.jsonl")[0].at("rows") == 7);
    // Of other options nothing is taken.
    write("again.jsonl.partial", all);
    CHECK_THAT(run({"fit", "runs.csv", "--by", "kernel", "--target", "time_s", "-o", "again.jsonl",
                    "--resume"})
                   .failed(3),
               ContainsSubstring("other runs, options or shards"));
  }
}

TEST_CASE_METHOD(ManyModels, "a blank cell of one group does not hide the numbers of another",
                 "[cli][many]") {
  // The column's first cell is blank: in the file as a whole it is one of texts.
  write("apart.csv", "kernel,gpus,batch,time_s\nb,1,,1\na,1,8,1\nb,2,,2\na,2,9,2\na,4,16,3\n");
  write("alone.csv", "gpus,batch,time_s\n1,8,1\n2,9,2\n4,16,3\n");
  run({"fit", "apart.csv", "--by", "kernel", "-o", "apart.jsonl"}).succeeded();
  run({"fit", "alone.csv", "-o", "alone.json"}).succeeded();
  const std::vector<nlohmann::json> models = lines("apart.jsonl");
  REQUIRE(models.size() == 2);
  CHECK(models[1].at("key").at("kernel") == "a");
  CHECK(models[1].at("model").at("constants") == json("alone.json").at("constants"));
}

TEST_CASE_METHOD(ManyModels, "rows find their models by their keys, and --set asks every model",
                 "[cli][many]") {
  fit("all.jsonl");
  write("configs.csv", "gpus,kernel\n64,k1\n8,k4\n4,other\n");
  const ProgramResult predicted = run({"predict", "all.jsonl", "configs.csv"}).succeeded();
  CHECK_THAT(predicted.errors, ContainsSubstring("1 of 3 rows are of groups without a model"));
  CHECK(predicted.output.starts_with(
      "gpus,kernel,predicted_time_s,lower_time_s,upper_time_s,in_range_time_s,"
      "predicted_memory_mb,lower_memory_mb,upper_memory_mb,in_range_memory_mb\n"));
  const std::vector<Words> found = csv_cells(predicted.output);
  REQUIRE(found.size() == 4);
  REQUIRE(found[1].size() == 10);
  CHECK(std::stod(found[1][2]) == Approx(2 * std::pow(64, 0.1)).epsilon(1e-4));
  CHECK(std::stod(found[1][3]) < std::stod(found[1][2]));
  CHECK(std::stod(found[1][4]) > std::stod(found[1][2]));
  CHECK(found[1][5] == "false");  // 64 is beyond what was measured
  CHECK(std::stod(found[1][6]) == Approx(20 * 8).epsilon(1e-4));
  CHECK(std::stod(found[2].at(2)) == Approx(5 * std::pow(8, 0.4)).epsilon(1e-4));
  CHECK(found[2].at(5) == "true");
  CHECK(predicted.output.ends_with("\n4,other,,,,,,,,\n"));
  CHECK(run({"predict", "all.jsonl", "configs.csv", "--strict-range"}).exit_code == 3);

  const auto asked = [&](const Words& further) { return run({"predict", "all.jsonl"}, further); };
  const ProgramResult result = asked({"--set", "gpus=8,64", "--format", "csv"}).succeeded();
  CHECK(result.output.starts_with("kernel,target,gpus,predicted,lower,upper,in_range\n"));
  std::vector<Words> rows = csv_cells(result.output);
  rows.erase(rows.begin());
  CHECK(rows.size() == 2 * 2 * kKernels);
  for (const Words& row : rows) {
    CAPTURE(row);
    REQUIRE(row.size() == 7);
    const int k = row[0][1] - '0';
    const double gpus = std::stod(row[2]);
    const double expected =
        row[1] == "time_s" ? (k + 1) * std::pow(gpus, 0.1 * k) : 10 * (k + 1) * std::sqrt(gpus);
    CHECK(std::stod(row[3]) == Approx(expected).epsilon(1e-4));
    CHECK(row[6] == (gpus > 32 ? "false" : "true"));
  }
  CHECK_THAT(result.errors, ContainsSubstring("kernel=k0 time_s: "));
  CHECK_THAT(result.errors, ContainsSubstring("extrapolated"));
  CHECK_THAT(asked({"--set", "gpus=64", "--format", "text", "--quiet"}).output,
             ContainsSubstring("extrapolated") && ContainsSubstring("k4"));
  CHECK(asked({"--set", "gpus=64", "--strict-range"}).exit_code == 3);
  CHECK(asked({"--set", "gpus=8", "--strict-range"}).exit_code == 0);
  CHECK(asked({"--set", "nodes=8"}).exit_code == 2);
  CHECK(asked({"--like", "runs.csv:2"}).exit_code == 2);
  const nlohmann::json documents = asked({"--set", "gpus=8", "--format", "json"}).json();
  REQUIRE(documents.size() == 10);
  CHECK(documents[0]["by"] == nlohmann::json({{"kernel", "k0"}}));
  CHECK(documents[0]["predictions"][0]["predicted_time_s"].get<double>() > 0);

  const std::string pick = "kernel == 'k3' && target == 'memory_mb'";
  CHECK(std::stod(asked({"--pick", pick, "--set", "gpus=4"}).succeeded().output) ==
        Approx(40 * 2).epsilon(1e-4));
  CHECK(asked({"--pick", "kernel == 'alone' && target == 'time_s'", "--set", "gpus=4"}).exit_code ==
        3);
  CHECK_THAT(run({"show", "all.jsonl", "--pick", pick}).output, ContainsSubstring("gpus"));
  CHECK_THAT(run({"show", "all.jsonl"}).errors, ContainsSubstring("10 models of 12"));
}

TEST_CASE_METHOD(ManyModels, "models of a set are judged on their rows, by figures that they have",
                 "[cli][many][gates]") {
  fit("all.jsonl");
  const auto judge = [&](const std::string& runs, const std::string& gate) {
    return run({"evaluate", "all.jsonl", runs, "--format", "csv", "--fail-if", gate});
  };
  // Judged on their own rows they are exact; on rows of another kernel's times they are not.
  const ProgramResult exact = judge("runs.csv", "any.mape>0.1").succeeded();
  CHECK(std::count(exact.output.begin(), exact.output.end(), '\n') == 2 * kKernels + 1);
  write("slow.csv", "kernel,gpus,time_s,memory_mb\nk0,1,1,10\nk1,1,4,20\n");
  CHECK_THAT(judge("slow.csv", "any.mape>20").failed(4),
             ContainsSubstring("kernel=k1 time_s") && !ContainsSubstring("kernel=k0 time_s"));
  CHECK(run({"evaluate", "all.jsonl", "slow.csv", "--pick", "kernel == 'k0' && target == 'time_s'",
             "--fail-if", "mape>1"})
            .exit_code == 0);
  CHECK(judge("runs.csv", "any.q[gpus]>5").exit_code == 0);
  CHECK(judge("runs.csv", "kernel=unknown.mape>5").exit_code == 4);  // nothing to judge

  for (const char* gate : {"any.median>5", "kernel=k0.median>5", "any.q[gups]>1"}) {
    const ProgramResult result = judge("runs.csv", gate);
    CAPTURE(gate);
    CHECK_THAT(result.failed(2), ContainsSubstring("many models have no '"));
    CHECK(result.output.empty());
  }
  CHECK(judge("runs.csv", "any.bias>5").exit_code == 0);
}

TEST_CASE_METHOD(ManyModels,
                 "many models are ranked, with held-out errors if there are some, and gated",
                 "[cli][many]") {
  const auto judge = [&](const Words& further) {
    return run({"fit", "runs.csv", "--by", "kernel", "--target", "time_s", "--ignore", "memory_mb",
                "-o", "t.jsonl"},
               further);
  };
  const ProgramResult ranked = judge({}).succeeded();
  // At 32 GPUs (k + 1) 32^(0.1 k) are 1, 2.83, 6, 11.31 and 20: of 41.14, the last is 48.6 %.
  CHECK_THAT(ranked.errors, ContainsSubstring("gpus = 32"));
  CHECK_THAT(ranked.errors, ContainsSubstring("48.6 %  k4"));
  CHECK_THAT(ranked.errors, ContainsSubstring("2.4 %  k0"));
  CHECK(ranked.errors.find("k4  ") < ranked.errors.find("k3  "));
  CHECK_THAT(ranked.errors, ContainsSubstring("1.32"));  // 2^0.4, what doubling does to k4
  CHECK_THAT(ranked.errors, ContainsSubstring("1 of 6 could not be fitted"));
  CHECK_THAT(ranked.errors, ContainsSubstring("kernel=alone time_s"));
  const std::regex no_held_out_error(R"(k4 .*0\.0 %    *- )");
  CHECK_THAT(ranked.errors, ContainsSubstring("MAPE  held out"));
  CHECK(std::regex_search(ranked.errors, no_held_out_error));
  CHECK_FALSE(std::regex_search(judge({"--folds", "3"}).errors, no_held_out_error));

  CHECK(judge({"--fail-if", "any.mape>1"}).exit_code == 0);
  CHECK(judge({"--folds", "2", "--fail-if", "any.folds.mape>10000"}).exit_code == 0);
  CHECK(judge({"--folds", "2", "--fail-if", "any.folds.mape>=0"}).exit_code == 4);
  CHECK(judge({"--fail-if", "kernel=k4.q[gpus]>0.2"}).exit_code == 4);
  CHECK(judge({"--fail-if", "kernel=k1.q[gpus]>0.2"}).exit_code == 0);
  CHECK(judge({"--fail-if", "any.refused>0"}).exit_code == 4);
  CHECK(judge({"--fail-if", "kernel=alone.mape>99"}).exit_code == 4);  // cannot be judged
  CHECK(judge({"--fail-if", "mape>1"}).exit_code == 2);                // of which?
}

TEST_CASE_METHOD(ManyModels, "report has one page of a set, with that of each model behind it",
                 "[cli][many][report]") {
  fit("all.jsonl");
  const std::string page = run({"report", "all.jsonl", "--set", "gpus=64"}).succeeded().output;
  CHECK(markup_problem(page).empty());
  CHECK(texts_of(page, "title").front() == "10 models: all.jsonl");
  CHECK_THAT(page,
             ContainsSubstring("time_s at gpus=64, all else as in the central run of kernel="));
  // At 64 GPUs (k + 1) 64^(0.1 k): k4 has 5 * 64^0.4 of 51.6, and grows as gpus^0.4.
  const auto row_of = [](const std::string& text, const std::string& cell) {
    const std::size_t at = text.find(cell);
    REQUIRE(at != std::string::npos);
    const std::size_t begin = text.rfind("<tr>", at);
    return text.substr(begin, text.find("</tr>", at) - begin);
  };
  double sum = 0;
  for (int k = 0; k < kKernels; ++k)
    sum += (k + 1) * std::pow(64, 0.1 * k);
  const std::string row = row_of(page, ">k4<");
  CHECK_THAT(row, ContainsSubstring(">gpus^0.4<"));
  CHECK_THAT(row, ContainsSubstring(">extrapolated<"));
  CHECK_THAT(row,
             ContainsSubstring(">" + perfmodel::percent(100 * 5 * std::pow(64, 0.4) / sum) + "<"));
  CHECK(page.find(">k4<") < page.find(">k3<"));  // the most costly first
  CHECK_THAT(row_of(run({"report", "all.jsonl"}).output, ">k4<"), ContainsSubstring(">measured<"));
  // Every model has its page behind the tables.
  CHECK(texts_of(page, "summary").front() == "kernel=k4 time_s");
  CHECK(texts_of(page, "h2", "").size() > 4 * 2 * kKernels);
  CHECK_THAT(page, !ContainsSubstring("How far can it be trusted?"));

  const std::string judged = run({"report", "all.jsonl", "runs.csv"}).output;
  CHECK(markup_problem(judged).empty());
  CHECK(texts_of(judged, "title").front() == "10 models: all.jsonl on runs.csv");
  CHECK_THAT(judged, ContainsSubstring("How far can it be trusted?"));
  const std::string markdown = run({"report", "all.jsonl", "--format", "md"}).output;
  CHECK_THAT(markdown, ContainsSubstring("### 10 models: all.jsonl"));
  CHECK_THAT(markdown, ContainsSubstring("| k4 |"));
  CHECK(run({"report", "all.jsonl", "--set", "nodes=4"}).exit_code == 2);
  // The page of a picked model names its key.
  const std::string pick = "kernel == 'k3' && target == 'time_s'";
  CHECK(
      texts_of(run({"report", "all.jsonl", "runs.csv", "--pick", pick}).succeeded().output, "title")
          .front() == "kernel=k3 time_s: all.jsonl on runs.csv");
  CHECK(run({"report", "all.jsonl", "--pick", pick}).exit_code == 2);  // judged on which runs?
}

TEST_CASE_METHOD(ManyModels, "models of a set have intervals of their own", "[cli][many]") {
  fit("all.jsonl", {"--coverage", "0.7"});
  write("one.csv", "kernel,gpus\nk2,3\n");
  const auto cells = csv_cells(run({"predict", "all.jsonl", "one.csv"}).output);
  std::vector<double> numbers;
  for (const std::string& cell : cells.at(1))
    numbers.push_back(perfmodel::parse_number(cell).value_or(0));
  // kernel, gpus, then prediction, ends and range of each target
  REQUIRE(numbers.size() == 10);
  for (const std::size_t first : {2U, 6U}) {
    CHECK(numbers[first + 1] <= numbers[first]);
    CHECK(numbers[first] <= numbers[first + 2]);
  }
  CHECK(numbers[2] == Approx(3 * std::pow(3, 0.2)).epsilon(1e-4));
  CHECK(numbers[6] == Approx(30 * std::sqrt(3)).epsilon(1e-4));
}

TEST_CASE_METHOD(ManyModels,
                 "models that are not written anywhere, or cannot be fitted, are reported",
                 "[cli][many]") {
  CHECK_THAT(run({"fit", "runs.csv", "--by", "kernel", "--target", "time_s", "-o", "/dev/null"})
                 .succeeded()
                 .errors,
             ContainsSubstring("the models are not written anywhere; save them"));
  write("single.csv", "kernel,gpus,time_s\na,1,1\nb,2,2\n");
  CHECK_THAT(run({"fit", "single.csv", "--by", "kernel", "--target", "time_s", "-o", "none.jsonl"})
                 .failed(3),
             ContainsSubstring("no model could be fitted"));
}

TEST_CASE_METHOD(ManyModels, "models of groups are compared at one configuration, which is named",
                 "[cli][many]") {
  // t = 0.01 n m without noise on two machines with different central runs: `small` has n from 1 to
  // 8, `large` n from 4 to 64. Only large ran in the mode slow, which takes as long.
  std::string machines = "machine,n,m,mode,time_s\n";
  for (const double m : {1, 2, 4})
    for (double n = 1; n <= 64; n *= 2)
      for (const std::string machine : {"small", "large"})
        for (const std::string mode : {"fast", "slow"})
          if (machine == "small" ? n <= 8 && mode == "fast" : n >= 4)
            machines += csv_row(machine, n, m, mode, 0.01 * n * m);
  write("machines.csv", machines);
  const Words fit = {
      "fit", "machines.csv", "--by", "machine",       "--extrinsic", "m",  "--intrinsic",
      "n",   "--loss",       "mape", "--categorical", "mode",        "-o", "both.jsonl"};
  const ProgramResult ranked = run(fit).succeeded();
  // The run amid the 30 of `large`; in `small` the mode is constant.
  const std::string common = "the central run of machine=large time_s (line ";
  CHECK_THAT(ranked.errors, ContainsSubstring("at m = 4, all else as in " + common) &&
                                ContainsSubstring("): mode=fast n=16"));
  CHECK_THAT(ranked.errors,
             ContainsSubstring("50.0 %  small") && ContainsSubstring("50.0 %  large"));

  const auto predicted = [&](const Words& further) {
    return run({"predict", "both.jsonl", "--set", "m=2"}, further).succeeded();
  };
  const ProgramResult all = predicted({"--format", "csv"});
  CHECK_THAT(all.errors, ContainsSubstring("other inputs are held at " + common));
  const std::vector<Words> rows = csv_cells(all.output);
  REQUIRE(rows.size() == 3);
  for (const auto& [row, machine] : {std::pair{1U, "small"}, {2U, "large"}}) {
    CHECK(rows[row][0] == machine);
    CHECK(std::stod(rows[row].at(3)) == Approx(0.32).epsilon(1e-3));
  }
  // One that is picked, and the curve of its scale, are of the same configuration.
  const ProgramResult one = predicted({"--pick", "machine == 'small'"});
  CHECK(std::stod(one.output) == std::stod(rows[1][3]));
  CHECK_THAT(one.errors, ContainsSubstring("n=16"));
  CHECK_THAT(run({"scaling", "both.jsonl", "--pick", "machine == 'small'"}).errors,
             ContainsSubstring("n=16"));
  const std::string page = run({"report", "both.jsonl", "machines.csv", "--format", "html"}).output;
  CHECK_THAT(page, ContainsSubstring("all else as in " + common));
  CHECK(page.find("n = 16") != page.rfind("n = 16"));  // on the pages of both
}

TEST_CASE_METHOD(ManyModels, "the inputs in which a model differs from the common run are named",
                 "[cli][many]") {
  std::string text = "machine,n,mode,time_s\n";
  for (const std::string machine : {"a", "b", "c"})
    for (int row = 0; row < (machine == "a" ? 24 : 12); ++row) {
      const int n = 1 << (row % 4);
      const std::string mode = machine == "c"                  ? "debug"
                               : row % 8 < 4 && machine == "a" ? "fast"
                               : machine == "a"                ? "safe"
                                                               : (row % 8 < 4 ? "eager" : "lazy");
      text += csv_row(machine, n, mode, 0.1 * n);
    }
  write("modes.csv", text);
  run({"fit", "modes.csv", "--by", "machine", "--extrinsic", "n", "-o", "modes.jsonl"}).succeeded();
  const ProgramResult result = run({"predict", "modes.jsonl", "--set", "n=2", "--format", "text"});
  CHECK_THAT(result.errors, ContainsSubstring("the central run of machine=a time_s (line "));
  CHECK_THAT(result.output,
             ContainsSubstring("at mode=eager") && ContainsSubstring("at mode=debug"));
  CHECK_THAT(result.output,
             !ContainsSubstring("at mode=fast") && !ContainsSubstring("at mode=safe"));
  CHECK_THAT(run({"show", "modes.jsonl"}).errors,
             ContainsSubstring("at mode=eager") && ContainsSubstring("at mode=debug"));
}

TEST_CASE_METHOD(ManyModels, "the time that a throughput gives has the name of a time",
                 "[cli][many]") {
  for (const std::string runs : {"runs.csv", "sorted.csv"}) {
    CAPTURE(runs);
    run({"fit", runs, "--by", "kernel", "--ignore", "memory_mb", "--throughput-target", "time_s",
         "--work", "gpus", "-o", "all.jsonl"})
        .succeeded();
    CHECK(lines("all.jsonl").at(2).at("target") == "time_per_iteration");
    CHECK(run({"predict", "all.jsonl", "runs.csv", "--quiet"})
              .output.starts_with("kernel,gpus,time_s,memory_mb,predicted_time_per_iteration,lower,"
                                  "upper,in_range\n"));
    CHECK(
        run({"show", "all.jsonl", "--pick", "kernel == \"k2\" && target == \"time_per_iteration\""})
            .exit_code == 0);
  }
}

TEST_CASE_METHOD(ManyModels, "a column that tells groups apart plays no other part",
                 "[cli][many]") {
  const auto [flags, said] = GENERATE(table<Words, std::string>({
      {{"--by", "kernel", "--target", "kernel"}, "--target: 'kernel' has no effect"},
      {{"--by", "kernel,time_s"}, "--target: 'time_s' has no effect"},
      {{"--by", "kernel", "--ignore", "kernel"}, "--ignore: 'kernel' has no effect"},
      {{"--by", "kernel", "--categorical", "kernel"}, "--categorical: 'kernel' has no effect"},
      {{"--by", "kernel", "--extrinsic", "gpus,kernel"}, "--extrinsic: 'kernel' has no effect"},
      {{"--by", "kernel", "--target", "time_s,time_s"}, "--target: 'time_s' is given twice"},
  }));
  CHECK_THAT(run({"fit", "sorted.csv", "-o", "all.jsonl"}, flags).failed(2),
             ContainsSubstring(said));
}
