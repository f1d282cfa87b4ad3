#include <cmath>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kLoad = "load,tput\n1,64.9\n18,995.9\n36,1652.4\n72,1853.2\n";

ProgramResult run_scaling(const Words& arguments, const std::string& input) {
  ProgramOptions options;
  options.input = input;
  return run_perfmodel(both_of({"scaling", "-"}, arguments), options);
}

nlohmann::json scaling_json(const Words& arguments, const std::string& input) {
  return run_scaling(both_of(arguments, {"--format", "json"}), input).json();
}

}  // namespace

TEST_CASE("a throughput that scaling takes as a time is reported", "[cli][scaling]") {
  CHECK_THAT(run_scaling({"--column", "load", "--target", "tput"}, kLoad).errors,
             ContainsSubstring("warning: column 'tput' has the name of a throughput, but is taken "
                               "as a time; pass --target tput --throughput instead of --target "
                               "tput if it is one"));
}

TEST_CASE("speedups are relative to the first scale, and the output says so", "[cli][scaling]") {
  // 100 (0.1 + 0.9 / n), exactly: 32.5 at 4, at most 10 in the end.
  const std::string from_4 = "workers,time_s\n4,32.5\n8,21.25\n16,15.625\n32,12.8125\n";
  const ProgramResult result = run_scaling({"--kind", "strong"}, from_4);
  CHECK_THAT(result.output,
             ContainsSubstring("\nspeedup and efficiency are relative to workers = 4\n") &&
                 ContainsSubstring(" serial fraction 0.1 ") &&
                 ContainsSubstring(" speedup ends at 3.25\n"));
  const auto rows = scaling_json({"--kind", "strong"}, from_4)["rows"];
  CHECK(rows[0]["speedup"] == 1);
  CHECK(rows[0]["karp_flatt"].is_null());
  CHECK(rows[3]["speedup"] == Approx(32.5 / 12.8125));
  CHECK(rows[3]["efficiency"] == Approx(32.5 / 12.8125 / 8));
  // 10 of the 32.5 at 4 are serial.
  CHECK(rows[3]["karp_flatt"] == Approx(10 / 32.5));
  CHECK(rows[3]["equivalent_power"] == Approx(std::log(12.8125 / 32.5) / std::log(8)));
  // A time that grows is no speedup in any row.
  const auto slower = scaling_json({"--kind", "strong"}, "workers,time_s\n4,4.8\n8,6\n16,8.6\n");
  CHECK(slower["rows"][2]["speedup"] == Approx(4.8 / 8.6));
  const std::string from_1 = "workers,time_s\n1,100\n" + from_4.substr(from_4.find('\n') + 1);
  CHECK_THAT(run_scaling({"--kind", "strong"}, from_1).output,
             ContainsSubstring(" speedup ends at 10\n"));
}

TEST_CASE("scaling compares rows that differ in the scale alone", "[cli][scaling]") {
  // Two configurations, one of them with repeated runs; one that was measured once.
  const std::string runs =
      "filters,workers,time_s\n8,1,10\n8,2,6\n8,2,5\n8,2,7\n16,1,40\n16,2,20\n16,4,10\n32,4,1\n";
  const auto json = scaling_json({"--column", "workers"}, runs);
  CHECK(json["time_is_relative"] == true);
  REQUIRE(json["rows"].size() == 3);
  CHECK(json["rows"][0]["configurations"] == 2);  // filters 32 was never measured at 1
  CHECK(json["rows"][1]["configurations"] == 2);
  CHECK(json["rows"][1]["time"] == Approx(std::sqrt(0.6 * 0.5)));
  CHECK(json["rows"][2]["configurations"] == 1);
  // From 2 to 4 the one that has both takes half the time.
  CHECK(json["rows"][2]["speedup"] == Approx(2 / std::sqrt(0.6 * 0.5)));
}

TEST_CASE("a configuration that ends early does not bend the mean of the others",
          "[cli][scaling]") {
  // Weak scaling on two machines, both of which lose; the worse one was not measured at 16.
  const std::string runs =
      "machine,procs,time_s\na,1,1.01\nb,1,1.1\na,2,1.02\nb,2,1.2\na,4,1.04\nb,4,1.4\n"
      "a,8,1.08\nb,8,1.8\na,16,1.16\n";
  const auto rows = scaling_json({"--column", "procs", "--kind", "weak"}, runs)["rows"];
  REQUIRE(rows.size() == 5);
  for (std::size_t k = 1; k < rows.size(); ++k)
    CHECK(rows[k]["efficiency"].get<double>() < rows[k - 1]["efficiency"].get<double>());
  CHECK(rows[4]["time"] == Approx(rows[3]["time"].get<double>() * 1.16 / 1.08));
}

TEST_CASE("scaling compares rows whose other columns move in steps with the scale",
          "[cli][scaling]") {
  std::string csv = "cores,nodes,runtime_s\n";
  for (const int cores : {1, 2, 4, 8, 16, 24, 48, 96, 192, 384, 768, 1536})
    csv += csv_row(cores, (cores + 47) / 48, std::to_string(1000.0 / cores + 5 + 0.0017 * cores));
  const ProgramResult text = run_scaling({"--column", "cores"}, csv);
  CHECK_THAT(text.errors, ContainsSubstring("Column 'nodes' is ceil(cores / 48) in every row and "
                                            "moves along."));
  CHECK_THAT(text.output,
             ContainsSubstring("efficiency stays at 50 % or above up to cores = 96, but not at "
                               "192; of these scales, the throughput is highest at 768\n"));
  const auto json = scaling_json({"--column", "cores"}, csv);
  CHECK(json["rows"].size() == 12);
  CHECK(json["left_out"].empty());
}

TEST_CASE("rows that scaling leaves out are named in every format", "[cli][scaling]") {
  const std::string runs =
      "filters,workers,time_s\n8,1,10\n8,2,6\n16,1,40\n16,2,20\n32,4,1\n32,8,1\n64,1,3\n";
  const std::string words =
      "left out, since nothing can be compared with workers = 1 all else being equal: 3 rows, line "
      "6, 7 and 8";
  for (const char* format : {"text", "md", "latex", "csv"}) {
    CAPTURE(format);
    const ProgramResult result =
        run_scaling({"--column", "workers", "--format", format}, runs).succeeded();
    CHECK_THAT(std::string(format) == "csv" ? result.errors : result.output,
               ContainsSubstring(words));
  }
  CHECK(scaling_json({"--column", "workers"}, runs)["left_out"] == std::vector<int>{6, 7, 8});
}

TEST_CASE("machines of opposite behaviour have a study each, other inputs are questioned",
          "[cli][scaling]") {
  const Words options = {"--column", "gpus", "--kind", "strong"};
  const std::string runs = "m,gpus,time_s\na,1,80\na,2,41\na,8,12\nb,1,70\nb,2,90\nb,8,150\n";
  const ProgramResult apart = run_scaling(options, runs).succeeded();
  CHECK_THAT(apart.errors,
             ContainsSubstring("at gpus = 8, m = a takes 0.15 times as long as at 1, b takes 2.14 "
                               "times: no law describes both"));
  CHECK_THAT(apart.output, ContainsSubstring("\nm = a\n") && ContainsSubstring("\nm = b\n"));
  std::string numbers = runs;
  for (char& c : numbers)
    c = c == 'a' ? '1' : c == 'b' ? '3' : c;
  CHECK_THAT(run_scaling(options, numbers).succeeded().errors,
             ContainsSubstring("warning: at gpus = 8, m = 1 takes 0.15 times"));
  // Two machines that scale alike, one of which is three times as slow, have a mean.
  CHECK_THAT(run_scaling({"--column", "gpus"},
                         "m,gpus,time_s\na,1,80\na,2,41\na,8,12\nb,1,240\nb,2,125\nb,8,40\n")
                 .succeeded()
                 .errors,
             !ContainsSubstring("mean describes"));
}

TEST_CASE("a size that grows with the scale means weak scaling, as an assumption",
          "[cli][scaling]") {
  const auto runs_of = [](const std::string& name) {
    std::string csv = "nodes," + name + ",time_s\n";
    for (const int nodes : {1, 2, 4, 8, 16})
      csv += csv_row(nodes, 128 * nodes, std::to_string(10 + 0.2 * nodes));
    return csv;
  };
  const auto weak = scaling_json({"--column", "nodes"}, runs_of("lz"));
  CHECK(weak["kind"] == "weak");
  CHECK(weak["kind_because"] == "'lz' grows with 'nodes'");
  CHECK(weak["kind_is_open"] == true);
  CHECK_THAT(run_scaling({"--column", "nodes"}, runs_of("lz")).errors,
             ContainsSubstring("'lz' grows with 'nodes', so weak scaling is assumed; pass --kind "
                               "strong where that is no size of the work"));
  for (const std::string other : {"mem_gb", "cores"})
    CHECK(scaling_json({"--column", "nodes"}, runs_of(other))["kind"] == "strong");
}

TEST_CASE("nothing is read from laws that do not describe the times, or from peaks far beyond them",
          "[cli][scaling]") {
  // Nearly Amdahl's law: any kappa comes from the last digits.
  const std::string smooth = "gpus,time_s\n1,100\n2,55\n4,32.5\n8,21.25\n16,15.62501\n";
  const auto far = scaling_json({"--kind", "strong"}, smooth);
  CHECK(far["laws"]["usl"]["peak"].is_null());
  CHECK(far["laws"]["amdahl"]["describes"] == true);
  // Faster on two and ever slower after: Amdahl's law is a constant at best.
  const std::string slower = "gpus,time_s\n1,100\n2,60\n4,90\n8,250\n16,400\n";
  const ProgramResult text = run_scaling({"--kind", "strong"}, slower);
  CHECK_THAT(text.output, ContainsSubstring("does not describe these times") &&
                              !ContainsSubstring("serial fraction"));
  const auto amdahl = scaling_json({"--kind", "strong"}, slower)["laws"]["amdahl"];
  CHECK(amdahl["describes"] == false);
  CHECK(amdahl["misfit"].get<double>() > 0.5);
}

TEST_CASE("scaling keeps weak scaling apart from strong, and has laws of what was sped up alone",
          "[cli][scaling]") {
  const Words named = {"--column", "workers", "--target", "time_s"};
  const std::string runs = "workers,time_s\n1,10\n2,11\n4,12.5\n";
  const auto weak = scaling_json(both_of(named, {"--kind", "weak"}), runs);
  CHECK(weak["kind"] == "weak");
  CHECK(weak["laws"]["amdahl"].is_null());
  CHECK(weak["laws"]["gustafson"]["serial_fraction"].is_number());
  for (const char* law : {"gustafson", "amdahl", "usl"})
    CHECK(scaling_json(named, runs)["laws"][law].is_null());
  CHECK_THAT(run_scaling(named, runs).output,
             ContainsSubstring("no laws: nothing was sped up\n") && !ContainsSubstring("Amdahl"));
  const auto faster = scaling_json(named, "workers,time_s\n1,10\n2,10.2\n4,9.8\n8,12\n");
  CHECK(faster["laws"]["amdahl"].is_object());
  CHECK(faster["laws"]["usl"].is_object());
}

TEST_CASE("scaling tells weak scaling by a fixed batch per worker", "[cli][scaling]") {
  // Four counts of GPUs, measured twice; the time grows by 5 % a doubling.
  std::string csv = "num_gpus,depth,local_batch,global_batch,steps_per_s,rep,time_s\n";
  for (const int rep : {1, 2})
    for (const int depth : {3, 5})
      for (const int local : {24, 40})
        for (int doubled = 0; doubled < 4; ++doubled) {
          const int gpus = 1 << doubled;
          const double time = depth * local * std::pow(1.05, doubled) * (rep == 1 ? 0.999 : 1.001);
          csv += csv_row(gpus, depth, local, local * gpus, std::to_string(1 / time), rep,
                         std::to_string(time));
        }
  const auto weak = scaling_json({"--column", "num_gpus"}, csv);
  CHECK(weak["kind"] == "weak");
  CHECK(weak["kind_is_open"] == false);
  REQUIRE(weak["rows"].size() == 4);
  CHECK(weak["rows"][3]["configurations"] == 4);
  CHECK(weak["rows"][3]["efficiency"].get<double>() == Approx(std::pow(1.05, -3)).epsilon(1e-5));
  const ProgramResult text = run_scaling({"--column", "num_gpus"}, csv);
  CHECK_THAT(text.output, ContainsSubstring("weak scaling, times are of an iteration whose work "
                                            "grows with the scale: 'global_batch' grows with "
                                            "'num_gpus'\n"));
  CHECK_THAT(
      text.errors,
      ContainsSubstring(
          "note: Column 'rep' numbers repetitions and does not distinguish configurations.\n"));
  // What is asked for holds, and needs no reason.
  const auto strong = scaling_json({"--column", "num_gpus", "--kind", "strong"}, csv);
  CHECK(strong["kind"] == "strong");
  CHECK(strong["kind_because"].is_null());
  CHECK(strong["rows"][3]["efficiency"].get<double>() ==
        Approx(std::pow(1.05, -3) / 8).epsilon(1e-5));
}

TEST_CASE("scaling notes where no column tells strong from weak", "[cli][scaling]") {
  const std::string csv = "gpus,batch_size,time_s\n1,64,8\n2,64,4.5\n4,64,2.5\n";
  CHECK_THAT(
      run_scaling({"--column", "gpus"}, csv).succeeded().errors,
      ContainsSubstring("note: 'batch_size' may be of one worker or of all, so strong scaling "
                        "is assumed; pass --kind weak where each worker's part of the work "
                        "stays the same\n"));
  CHECK(scaling_json({"--column", "gpus"}, csv)["kind_is_open"] == true);
  CHECK_THAT(run_scaling({"--column", "gpus", "--kind", "strong"}, csv).errors,
             !ContainsSubstring("assumed"));
}

TEST_CASE_METHOD(ProgramTest,
                 "scaling of a model handles columns that were the same in all its runs",
                 "[cli][scaling]") {
  for (const auto& [column, kind] : {std::pair{"local_batch", "weak"}, {"layers", "strong"}}) {
    write("runs.csv", "num_gpus," + std::string(column) +
                          ",time_s\n1,32,1\n2,32,1.1\n4,32,1.25\n8,32,1.4\n16,32,1.5\n");
    run({"fit", "runs.csv", "--quiet", "-o", "model.json"}).succeeded();
    CHECK(run({"scaling", "model.json", "--format", "json"}).json()["kind"] == kind);
  }
}

TEST_CASE_METHOD(SampleModelTest, "scaling reads a model's power in two ways", "[cli][scaling]") {
  const auto json = run({"scaling", "model.json", "--set", "filters=16", "--set", "activation=relu",
                         "--at", "1,2,4", "--format", "json"})
                        .json();
  const auto& reading = json["model"];
  const double q = reading["q"];
  const double a = reading["A"];
  const double c = reading["C"];
  CHECK(reading["readings"][1]["scalable_part"]["speedup"] == Approx(std::pow(2, -q)));
  CHECK(reading["readings"][1]["whole_time"]["speedup"] ==
        Approx((a + c) / (a * std::pow(2, q) + c)));
  CHECK(json["rows"][1]["speedup"] == reading["readings"][1]["whole_time"]["speedup"]);
}

TEST_CASE_METHOD(SampleModelTest,
                 "scaling says what it held fixed and what is extrapolated, or refuses that",
                 "[cli][scaling][range]") {
  const ProgramResult result = run({"scaling", "model.json"}).succeeded();
  for (const char* words :
       {"perfmodel: note: held at the middle of the measured ranges, unless --set: filters=",
        "column 'workers' leaves the measured range 1 .. 4 in 2 of 5 rows: the predictions there "
        "are extrapolated"})
    CHECK_THAT(result.errors, ContainsSubstring(words));
  CHECK_THAT(result.output, ContainsSubstring("the fitted power, read in two ways"));
  CHECK(run({"scaling", "model.json", "--at", "1:4:x2"}).succeeded().output ==
        run({"scaling", "model.json", "--at", "1,2,4"}).output);

  const auto strict = [&](const Words& arguments) {
    return run({"scaling", "model.json", "--strict-range", "--quiet"}, arguments);
  };
  CHECK(strict({"--at", "1,2,8"}).refused(3) ==
        "perfmodel: error: --strict-range: column 'workers' leaves the measured range 1 .. 4 in 1 "
        "of 3 rows\n");
  CHECK(strict({"--set", "filters=9"}).exit_code == 3);
  // Of itself it asks for nothing outside.
  const ProgramResult inside = strict({"--format", "json"}).succeeded();
  CHECK(inside.errors.empty());
  CHECK(inside.json()["rows"].back()["scale"] == 4);
}

TEST_CASE("scaling refuses figures that are no numbers in every format", "[cli][scaling]") {
  for (const std::string runs : {"workers,time_s\n1,1e308\n2,9e307\n4,8e307\n",
                                 "workers,time_s\n1,1e-200\n2,1e200\n4,1\n"}) {
    for (const char* format : {"text", "json"}) {
      CAPTURE(runs, format);
      CHECK_THAT(
          run_scaling({"--column", "workers", "--target", "time_s", "--format", format}, runs)
              .refused(3),
          ContainsSubstring("in units in which they are nearer to 1"));
    }
  }
}

TEST_CASE("scaling names what is wrong with its input", "[cli][scaling]") {
  const auto error_of = [](const Words& arguments, const std::string& input, int exit_code) {
    return run_scaling(arguments, input).refused(exit_code);
  };
  const Words named = {"--column", "workers", "--target", "time_s"};
  CHECK(error_of(named, "workers,time_s\n2,10\n2,11\n", 3) ==
        "perfmodel: error: standard input: column 'workers' has the value 2 only; scaling needs at "
        "least two\n");
  CHECK(error_of(named, "workers,time_s\n0,10\n2,x\n", 3) ==
        "perfmodel: error: standard input:2: column 'workers': 0 is not > 0; a scale is a number > "
        "0\n"
        "standard input:3: column 'time_s': \"x\" is not a number; every run needs a measured "
        "time > 0: correct this or remove the rows\n");
  CHECK(error_of(named, "filters,workers,time_s\n1,1,10\n2,2,11\n", 3) ==
        "perfmodel: error: standard input: no two rows differ in 'workers' alone, so nothing can "
        "be compared with workers = 1; fit a model and pass that instead, or leave columns out "
        "with --ignore\n");
  for (const Words& unknown : {named, Words{"--column", "workers"}})
    CHECK(error_of(unknown, "worker,time_s\n1,10\n", 2) ==
          "perfmodel: error: --column: no column 'workers' in standard input; did you mean "
          "'worker'?\nSee 'perfmodel scaling --help'.\n");
  CHECK(error_of({"--column", "mode"}, "mode,workers,time_s\na,1,1\na,2,2\n", 3) ==
        "perfmodel: error: standard input: column 'mode': 2 cells: \"a\" is not a number (lines 2 "
        "and 3); a scale is a number > 0\n");
  CHECK_THAT(
      error_of({}, "mode,x,y,time_s\na,1,3,1\na,2,4,2\na,3,4,2\n", 3),
      ContainsSubstring("pass, for example: --column y\n") && !ContainsSubstring("extrinsic none"));
  // The only scale, which is no choice where it stays the same.
  CHECK(error_of({}, "mode,workers,time_s\na,4,1\nb,4,2\n", 3) ==
        "perfmodel: error: standard input: column 'workers' has the value 4 only; scaling needs at "
        "least two\n");
  for (const std::string wrong : {"1,0", "1:8", "0:8:+2"})
    CHECK(error_of({"--at", wrong}, kLoad, 2) ==
          "perfmodel: error: --at: '" + wrong +
              "' is no list of numbers > 0 such as 1,2,4 and no range such as 1:64:x2 or 1:9:+2\n"
              "See 'perfmodel scaling --help'.\n");
  CHECK(error_of({"--set", "a=1"}, kLoad, 2) ==
        "perfmodel: error: --set needs a model\nSee 'perfmodel scaling --help'.\n");
  CHECK(error_of({}, "filters,workers,batch_size,time_s\n1,1,8,10\n2,2,8,11\n2,2,16,11\n", 2) ==
        "perfmodel: error: which column is the scale? Pass --column: 'workers' and 'batch_size'\n"
        "See 'perfmodel scaling --help'.\n");
}

TEST_CASE_METHOD(ProgramTest,
                 "scaling says which rows of a model are extrapolated, and what laws miss",
                 "[cli][scaling]") {
  const std::string runs =
      csv_grid("size,gpus,time_s", {1., 2., 4.}, {1., 2., 4.},
               [](double size, double gpus) { return std::to_string(size / std::sqrt(gpus)); });
  write("runs.csv", runs);
  run({"fit", "runs.csv", "-o", "model.json"}).succeeded();
  const Words scaling = {"scaling", "model.json"};
  const std::string text = run(scaling).output;
  const auto json = run(scaling, {"--format", "json"}).json();
  std::vector<bool> in_range;
  double mean_time = 0;
  double mean_throughput = 0;
  for (const auto& row : json["rows"]) {
    in_range.push_back(row["in_range"]);
    mean_time += row["time"].get<double>() / 5;
    mean_throughput += 1 / row["time"].get<double>() / 5;
  }
  CHECK(in_range == std::vector<bool>{true, true, true, false, false});  // 1, 2, 4, 8, 16
  CHECK_THAT(text, Catch::Matches("(.|\\n)*\\n +4 [^\\n]*[0-9]\\n +8 [^\\n]* extrapolated\\n +16 "
                                  "[^\\n]* extrapolated\\n(.|\\n)*"));
  CHECK_THAT(text, ContainsSubstring("  fitted to 5 predicted times, 2 of which are extrapolated"));
  const auto misfit = [](double rmse, double mean) {
    return perfmodel::percent(100 * rmse / mean) + "  ";
  };
  CHECK_THAT(text,
             ContainsSubstring("  " + misfit(json["laws"]["amdahl"]["rmse"], mean_time)) &&
                 ContainsSubstring("  " + misfit(json["laws"]["usl"]["rmse"], mean_throughput)));

  // The verdict marks what no run has shown: 16, but not 4.
  run({"fit", "runs.csv", "--expression", "multi", "--terms", "1", "-o", "sum.json"}).succeeded();
  CHECK_THAT(
      run({"scaling", "sum.json", "--column", "gpus"}).output,
      ContainsSubstring(
          "but not at 4; of these scales, the throughput is highest at 16 (extrapolated)\n"));

  // Within the measured range, and of runs, there is nothing to say.
  CHECK_THAT(run(scaling, {"--at", "1,2,3,4"}).output, !ContainsSubstring("extrapolated"));
  CHECK(scaling_json({"--column", "gpus"}, runs)["rows"][0]["in_range"].is_null());
}

TEST_CASE("a least efficiency of less than one percent is a share that was meant",
          "[cli][scaling]") {
  const std::string runs = "workers,time_s\n1,10\n2,9\n4,8\n";
  const Words options = {"--column", "workers", "--least-efficiency"};
  CHECK_THAT(run_scaling(both_of(options, {"0.5"}), runs).failed(2),
             ContainsSubstring("'0.5' is not a percentage from 1 to 100 (50 for 50 %)"));
  CHECK(scaling_json(both_of(options, {"1"}), runs)["least_efficiency"] == Approx(0.01));
}

TEST_CASE_METHOD(ProgramTest, "scaling tells a model by the content of the file",
                 "[cli][scaling]") {
  write("runs.json",
        R"([{"gpus": 1, "time_s": 8}, {"gpus": 2, "time_s": 5}, {"gpus": 4, "time_s": 3}])");
  write("runs.csv", "gpus,time_s\n1,8\n2,5\n4,3\n");
  const auto study_of = [&](const std::string& file) {
    auto json = run({"scaling", file, "--format", "json"}).json();
    json.erase("file");
    return json;
  };
  CHECK(study_of("runs.json") == study_of("runs.csv"));
  write("model.dat", sample_model());
  CHECK(study_of("model.dat")["source"] == "model");
  // The target is an option of runs.
  CHECK(run({"scaling", "runs.json", "--target", "time_s"}).exit_code == 0);
  CHECK(run({"scaling", "model.dat", "--target", "time_s"}).exit_code == 2);
}

TEST_CASE("scaling leaves out failed runs unless they are refused", "[cli][scaling]") {
  const std::string well = "gpus,batch,time_s\n1,16,1.0\n2,16,0.6\n4,16,0.4\n1,32,2\n4,32,0.7\n";
  const std::string failed = well + "2,32,OOM\n1,64,nan\n2,64,1.1\n";
  const Words column = {"--column", "gpus"};
  const Words drop = {"--column", "gpus", "--failed", "drop"};
  CHECK(run_scaling({"--column", "gpus", "--failed", "refuse"}, failed).exit_code == 3);
  CHECK(run_scaling(column, failed).output == run_scaling(drop, failed).output);
  CHECK_THAT(run_scaling(drop, failed).succeeded().errors,
             ContainsSubstring("2 of 8 runs failed and are left out"));
  // Of batch 64 one row is left, which lies in another line.
  const auto with_drop = scaling_json(drop, failed);
  const auto without = scaling_json(column, well + "2,64,1.1\n");
  CHECK(with_drop["rows"] == without["rows"]);
  CHECK(with_drop["left_out"] == std::vector<int>{9});
}

TEST_CASE_METHOD(ProgramTest,
                 "scaling of a model agrees with its table, whatever the name of the scale",
                 "[cli][scaling]") {
  for (const std::string name : {"gpus", "num_gpus"}) {
    std::string csv = "nodes," + name + ",global_batch,layers,time_s\n";
    for (const int layers : {12, 24, 48})
      for (const int nodes : {1, 2, 4, 8})
        csv += csv_row(nodes, 8 * nodes, 128 * nodes, layers,
                       std::to_string(layers * std::pow(nodes, 0.05)));
    write("runs.csv", csv);
    run({"fit", "runs.csv", "--quiet", "-o", "model.json"}).succeeded();
    const auto json_with = [&](const Words& more) {
      return run({"scaling", "model.json", "--format", "json"}, more).json();
    };
    const auto weak = json_with({});
    CHECK(weak["kind"] == "weak");
    CHECK(weak["kind_because"] == "'global_batch' grows with '" + name + "'");
    CHECK(weak["rows"][3]["efficiency"].get<double>() == Approx(std::pow(8, -0.05)).epsilon(0.01));
    // 8 workers are the reference: twice as many have less than half of that.
    const auto strong = json_with({"--kind", "strong"});
    CHECK(strong["pays_until"] == 8);
    CHECK(strong["model"]["pays_until"].get<double>() >= 8);
    CHECK(strong["model"]["pays_until"].get<double>() < 16);
  }
}

TEST_CASE_METHOD(ProgramTest, "scaling reads no one power where other inputs move along",
                 "[cli][scaling]") {
  std::string csv = "nodes,gpus,layers,time_s\n";
  for (const int layers : {12, 24, 48})
    for (const int nodes : {1, 2, 4, 8})
      csv += csv_row(nodes, 8 * nodes, layers, std::to_string(layers * std::pow(nodes, -0.5)));
  write("runs.csv", csv);
  run({"fit", "runs.csv", "--extrinsic", "nodes,gpus", "--quiet", "-o", "model.json"}).succeeded();
  const ProgramResult result =
      run({"scaling", "model.json", "--column", "gpus", "--format", "json"}).succeeded();
  CHECK_THAT(result.errors, ContainsSubstring("other inputs move along with 'gpus'"));
  const auto json = result.json();
  CHECK(json["model"].is_null());
  CHECK(json["rows"][1]["speedup"].get<double>() / json["rows"][0]["speedup"].get<double>() ==
        Approx(std::sqrt(2)).epsilon(0.01));
}

namespace {

/// 1, 2, ..., 64 GPUs with a batch each, of which `rate` says how much is done in a second: all of
/// them lose 1 % with each doubling.
std::string rates_of_gpus(const std::string& rate, bool of_one) {
  std::string csv = "num_gpus,local_batch,depth," + rate + "\n";
  for (std::size_t doubled = 0; doubled < 7; ++doubled)
    for (const int batch : {8, 16, 32})
      for (const int depth : {3, 5, 9}) {
        const double all = (1 << doubled) * std::pow(0.99, doubled) * std::sqrt(batch) / depth;
        csv += csv_row(1 << doubled, batch, depth,
                       std::to_string(of_one ? all / (1 << doubled) : all));
      }
  return csv;
}

}  // namespace

TEST_CASE_METHOD(ProgramTest,
                 "the efficiency of a throughput is per unit of work, whatever the work is",
                 "[cli][scaling][throughput]") {
  const auto [rate, work] = GENERATE(table<std::string, std::string>(
      {{"samples_per_s", ""},
       {"samples_per_s", "local_batch"},  // taken for the work of one, G times too large
       {"samples_per_s", "local_batch * depth"},
       {"samples_per_s", "local_batch * num_gpus"},
       {"tokens_per_s_per_gpu", ""},
       {"tokens_per_s_per_gpu", "local_batch"}}));
  write("rates.csv", rates_of_gpus(rate, rate == "tokens_per_s_per_gpu"));
  run({"fit", "rates.csv", "--throughput-target", rate, "-o", "model.json"},
      work.empty() ? Words{} : Words{"--work", work})
      .succeeded();
  for (const Words& input :
       {Words{"model.json"}, Words{"rates.csv", "--target", rate, "--throughput"}}) {
    CAPTURE(rate, work, input);
    const auto json = run({"scaling", "--column", "num_gpus", "--format", "json"}, input).json();
    for (std::size_t doubled = 0; doubled < 7; ++doubled)
      CHECK(json["rows"][doubled]["efficiency"].get<double>() ==
            Approx(std::pow(0.99, static_cast<double>(doubled))).epsilon(0.01));
  }
}

TEST_CASE_METHOD(ProgramTest, "work of one worker that shrinks as workers join is questioned",
                 "[cli][scaling][throughput]") {
  std::string csv = "gpus,global_batch,local_batch,depth,samples_per_s\n";
  for (const int gpus : {1, 2, 4, 8})
    for (const int depth : {3, 5, 9})
      csv +=
          csv_row(gpus, "256", 256 / gpus, depth, std::to_string(16 * std::pow(gpus, 0.9) / depth));
  write("rates.csv", csv);
  for (const std::string work : {"local_batch", "local_batch * gpus", "global_batch"}) {
    run({"fit", "rates.csv", "--throughput-target", "samples_per_s", "--work", work, "-o",
         "model.json"})
        .succeeded();
    CAPTURE(work);
    const ProgramResult result =
        run({"scaling", "model.json", "--column", "gpus", "--format", "json"}).succeeded();
    if (work == "local_batch") {
      CHECK_THAT(result.errors, ContainsSubstring("fit with --work 'local_batch * gpus'"));
      continue;
    }
    CHECK_THAT(result.errors, !ContainsSubstring("--work"));
    CHECK(result.json()["rows"][3]["efficiency"].get<double>() ==
          Approx(std::pow(8, -0.1)).epsilon(0.01));
  }
}

TEST_CASE_METHOD(ProgramTest,
                 "the work of an iteration is advised by columns of the file, and questioned",
                 "[cli][throughput]") {
  write("rates.csv", rates_of_gpus("samples_per_s", false));
  const auto said_with = [&](const Words& more) {
    return run({"fit", "rates.csv", "--throughput-target", "samples_per_s"}, more)
        .succeeded()
        .errors;
  };
  CHECK_THAT(said_with({}), ContainsSubstring("For the time of an iteration, say what it works on: "
                                              "--work 'local_batch * num_gpus'."));
  CHECK_THAT(
      said_with({"--work", "local_batch"}),
      ContainsSubstring("warning: --work local_batch is per worker by its name, but "
                        "'samples_per_s' counts the work of all workers; pass --work 'local_batch "
                        "* num_gpus' if it does"));
  CHECK_THAT(said_with({"--work", "local_batch * num_gpus"}), !ContainsSubstring("of one worker"));
  // Without a batch there is nothing to advise.
  write("rates.csv", "gpus,depth,samples_per_s\n1,3,9\n2,3,17\n4,3,30\n1,5,5\n2,5,9\n");
  CHECK_THAT(said_with({}), !ContainsSubstring("--work"));
}

TEST_CASE_METHOD(ProgramTest,
                 "a column that does not count workers has no efficiency unless it is asked for",
                 "[cli][scaling]") {
  for (const std::string column : {"num_tokens", "batch_size"}) {
    std::string csv = "n_head," + column + ",time_ms\n";
    for (const int heads : {8, 16, 32})
      for (int tokens = 1; tokens <= 256; tokens *= 2)
        csv += csv_row(heads, tokens, std::to_string(heads * (1 + 0.1 * tokens)));
    write("runs.csv", csv);
    run({"fit", "runs.csv", "--extrinsic", column, "-o", "model.json"}).succeeded();
    for (const std::string input : {"model.json", "runs.csv"}) {
      const Words plain = {"scaling", input, "--column", column};
      const ProgramResult text = run(plain).succeeded();
      CAPTURE(input, text.output);
      for (const std::string word : {"efficien", "most work", "law", "Amdahl", "speedup"})
        CHECK_THAT(text.output, !ContainsSubstring(word));
      CHECK_THAT(text.errors, ContainsSubstring("note: '" + column +
                                                "' counts no workers by its "
                                                "name, so no speedup, efficiency or law is "
                                                "printed; --kind strong or weak requests them"));
      const auto json = run(plain, {"--format", "json"}).json();
      CHECK(json["kind"].is_null());
      CHECK(json["fastest_scale"].is_null());
      CHECK(json["rows"][1]["efficiency"].is_null());
      CHECK(json["rows"][1]["equivalent_power"].is_number());
      const auto asked = run(plain, {"--format", "json", "--kind", "weak"}).json();
      CHECK(asked["kind"] == "weak");
      CHECK(asked["rows"][1]["efficiency"].is_number());
    }
    // Neither has the page.
    std::size_t forecasts = 0;
    bool is_inside = false;
    for (const std::string& line :
         lines_of(run({"report", "model.json", "runs.csv", "--format", "md", "-o", "-"}).output)) {
      if (line.starts_with("| " + column.substr(0, 3))) {
        is_inside = true;
        CHECK_THAT(line, !ContainsSubstring("speedup") && !ContainsSubstring("efficiency"));
      } else if (is_inside && line.starts_with("| ") && !line.starts_with("| ---")) {
        ++forecasts;
        CHECK_THAT(line, !ContainsSubstring("%"));
      } else if (!line.starts_with("| ---")) {
        is_inside = false;
      }
    }
    CHECK(forecasts >= 3);
    CHECK_THAT(run({"report", "model.json", "runs.csv", "-o", "-"}).output,
               !ContainsSubstring("Speedup along") && !ContainsSubstring(">efficiency<"));
  }
}
