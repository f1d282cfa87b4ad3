// Files of runs of other kinds than CSV: what reads them, and `import`, which writes them as CSV.

#include <fmt/core.h>
#include <cmath>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "storage/files.hpp"
#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::joined;
using perfmodel::RandomStream;

TEST_CASE_METHOD(SampleRunsTest, "a file that gzip compressed is read as what is in it", "[cli]") {
  const auto compressed = [&](const std::string& bytes) {
    REQUIRE(succeeds("gzip -nf '" + write("packed", bytes) + "'"));
    return read("packed.gz");
  };
  const std::string runs = sample_runs();
  const std::string packed = compressed(runs);
  write("runs.csv.gz", packed);
  const std::size_t half = runs.size() / 2;
  const std::string first = compressed(runs.substr(0, half));
  const std::string second = compressed(runs.substr(half));
  write("members.gz", first + second);
  const nlohmann::json plain = model_of({"runs.csv"});
  for (const char* file : {"runs.csv.gz", "members.gz"}) {
    nlohmann::json model = model_of({file});
    CHECK(model["provenance"]["data"]["sha256"] == perfmodel::sha256(read(file)));
    CHECK(model["provenance"]["data"]["file"] == file);
    model["provenance"] = plain["provenance"];
    CHECK(model == plain);
    CHECK(run({"import", file}).output == run({"import", "runs.csv"}).output);
  }
  write("model.json", plain.dump());
  CHECK(run({"evaluate", "model.json", "runs.csv.gz", "--format", "json"}).exit_code == 0);
  // A prediction stands beside the line as it was before it was compressed.
  CHECK(run({"predict", "model.json", "runs.csv.gz"}).output ==
        run({"predict", "model.json", "runs.csv"}).output);

  write("cut.gz", packed.substr(0, packed.size() - 9));
  CHECK_THAT(run({"fit", "cut.gz"}).failed(3),
             ContainsSubstring("cut.gz: the data compressed by gzip are cut off"));
  // Only zeros may follow the members.
  write("zeros.gz", first + second + std::string(512, '\0'));
  CHECK(run({"import", "zeros.gz"}).output == run({"import", "runs.csv"}).output);
  const auto refused = [&](const std::string& bytes) {
    write("runs.gz", bytes);
    const ProgramResult result = run({"import", "runs.gz"});
    CHECK_THAT(result.errors, ContainsSubstring("runs.gz: the data compressed by gzip are "));
    return result.exit_code == 3 && result.output.empty();
  };
  for (std::size_t byte = 0; byte < 4; ++byte) {
    std::string other = second;
    other[byte] ^= 0x55;
    CHECK(refused(first + other));
  }
  std::string damaged = packed;
  damaged[damaged.size() / 2] ^= 0x55;
  CHECK(refused(damaged));
  CHECK(refused(first + second.substr(0, 5)));
  CHECK(refused(first + second + "x"));
  CHECK(refused(first + std::string(512, '\0') + second));
}

TEST_CASE_METHOD(SampleRunsTest, "the output of import gives the same fit as the files", "[cli]") {
  write("german.csv", "gpus;name;time_s\n1;a b;4,5\n2;\"x,\"\"y\";2,5\n4;1.10;1,5\n8;c;1\n");
  const ProgramResult german = run({"import", "german.csv", "-o", "out.csv"}).succeeded();
  CHECK(read("out.csv") == "gpus,name,time_s\n1,a b,4.5\n2,\"x,\"\"y\",2.5\n4,1.10,1.5\n8,c,1\n");
  CHECK_THAT(german.errors, ContainsSubstring("4 runs of 3 columns"));

  // Several files are one table, whose columns are in the order of the first.
  write("one.csv", "gpus,time_s\n1,4\n2,3\n");
  write("two.csv", "time_s,gpus\n2,4\n1,8\n");
  CHECK(run({"import", "one.csv", "two.csv"}).output == "gpus,time_s\n1,4\n2,3\n4,2\n8,1\n");

  const ProgramResult imported = run({"import", "runs.csv"});
  write("imported.csv", imported.output);
  nlohmann::json model = model_of({"imported.csv"});
  const nlohmann::json plain = model_of({"runs.csv"});
  model["provenance"] = plain["provenance"];
  CHECK(model == plain);
}

TEST_CASE_METHOD(SampleRunsTest, "import writes cells as they are, blank ones too", "[cli]") {
  const auto imported = [&](const std::string& text) {
    write("cells", text);
    return run({"import", "cells"}).succeeded().output;
  };
  const std::string plain =
      "version,n,id,time_s\n1.10,0100,12345678901234567890,1.50\n1.9,1e3,9007199254740993,2\n";
  CHECK(imported(plain) == plain);
  CHECK(imported("gpus,host,t\n,a,1\n2,,\n") == "gpus,host,t\n,a,1\n2,,\n");
  CHECK(imported(R"([{"gpus": 1, "t": 1}, {"t": 100000}])") == "gpus,t\n1,1\n,100000\n");
  CHECK(imported(R"([{"t": null}, {"t": 2}])") == "t\n\"\"\n2\n");
  CHECK(imported("t\n\"\"\n2\n") == "t\n\"\"\n2\n");
  CHECK(imported(R"([{"v": "1.10", "t": 2}, {"v": "1.1", "t": 3}])") == "v,t\n1.10,2\n1.1,3\n");
  // Only what is converted is written anew.
  CHECK(imported("mem,v,t\n2KiB,1.0,1m 30s\n512B,1.10,40 s\n") ==
        "mem,v,t\n2048B,1.0,90s\n512B,1.10,40s\n");
}

TEST_CASE_METHOD(ProgramTest, "import writes the numbers that fit reads", "[cli]") {
  const auto imported = [&](const std::string& text) {
    write("cells", text);
    return run({"import", "cells", "--quiet"}).succeeded().output;
  };
  // Marks of thousands go, whatever the first cell of the column is.
  for (const char* first : {"", "OOM"}) {
    const std::string cell = first;
    CHECK(imported("gpus;time_s\n1;" + cell + "\n2;9.876\n4;1.234\n8;617,5\n") ==
          "gpus,time_s\n1," + cell + "\n2,9876\n4,1234\n8,617.5\n");
  }
  // The index of a data frame counts from 0 or, in R, from 1.
  CHECK(imported(",gpus,time_s\n0,1,8\n1,2,4\n2,4,2\n") ==
        "row index,gpus,time_s\n0,1,8\n1,2,4\n2,4,2\n");
  CHECK(imported("\"\",\"gpus\",\"time_s\"\n\"1\",1,8\n\"2\",2,4\n") ==
        "row index,gpus,time_s\n1,1,8\n2,2,4\n");
  // "5s" alone may be a name.
  CHECK(imported("x,time\n5 sec,1\n7 sec,2\n") == "x,time\n5 sec,1\n7 sec,2\n");
  // Whatever a row looks like in a table that people write, an object of JSON is a run.
  CHECK(imported(
            R"([{"op": "a", "time_s": 1}, {"op": "b", "time_s": 2}, {"op": "c", "time_s": 4}])") ==
        "op,time_s\na,1\nb,2\nc,4\n");
}

namespace {

/// Two files of the results of a tool, of which the second is faster by a known factor.
struct PlantedFiles {
  const char* name;  ///< with its ending
  std::function<std::string(double time, bool is_old)> result;
  const char* begin = "";
  const char* separator = "";
  const char* end = "";
};

/// The factor that a fit of runs.csv finds between the two levels of `version`.
double factor_between_versions(const nlohmann::json& model) {
  for (const auto& effect : model["effects"])
    if (effect["column"] == "version")
      return effect["ratio"];
  return 0;
}

}  // namespace

// Results that stand out as much as the time are of the other version, too.
TEST_CASE_METHOD(ProgramTest, "two files of a tool are compared by the advice of fit", "[cli]") {
  constexpr double factor = 1.46;
  const auto tool = GENERATE(values<PlantedFiles>({
      {"go.txt",
       [](double time, bool is_old) {
         return fmt::format("BenchmarkSub/100-4 20000000 {:.5g} ns/op {} B/op {} allocs/op\n", time,
                            is_old ? 64 : 0, is_old ? 1 : 0);
       }},
      {"google.json",
       [](double time, bool is_old) {
         return fmt::format(
             R"({{"name": "BM_Sub/100", "time_unit": "ns", "iterations": 9, "real_time": {0}, "cpu_time": {0}, "hits": {1}}})",
             time, is_old ? 100 : 7);
       },
       R"({"context": {}, "benchmarks": [)", ", ", "]}"},
      {"hyperfine.json",
       [](double time, bool is_old) {
         return fmt::format(
             R"({{"command": "sub", "times": [{}], "memory_usage_byte": [{}], "exit_codes": [0]}})",
             time, is_old ? 6400 : 3200);
       },
       R"({"results": [)", ", ", "]}"},
  }));
  INFO(tool.name);
  RandomStream random(1, "planted versions");
  const std::string old_file = std::string("old_") + tool.name;
  const std::string new_file = std::string("new_") + tool.name;
  for (const bool is_old : {true, false}) {
    std::vector<std::string> results;
    for (int i = 0; i < 6; ++i)
      results.push_back(
          tool.result((is_old ? 100 * factor : 100) * std::exp(0.01 * random.normal()), is_old));
    write(is_old ? old_file : new_file, tool.begin + joined(results, tool.separator) + tool.end);
  }
  CHECK_THAT(run({"fit", old_file, new_file}).failed(3),
             ContainsSubstring("perfmodel import FILES --file-column version -o runs.csv"));
  run({"import", old_file, new_file, "--file-column", "version", "-o", "runs.csv"}).succeeded();
  const nlohmann::json advised = model_of({"runs.csv"});
  CHECK(advised["effects"].size() == 1);
  CHECK_THAT(factor_between_versions(advised), Catch::Matchers::WithinRel(factor, 0.02));

  // The same by hand.
  std::string by_hand;
  for (const std::string& file : {old_file, new_file}) {
    std::istringstream lines(run({"import", file}).succeeded().output);
    std::string line;
    for (bool is_header = true; std::getline(lines, line); is_header = false)
      if (!is_header || by_hand.empty())
        by_hand += line + (is_header ? ",version" : file == old_file ? ",old" : ",new") + "\n";
  }
  write("by_hand.csv", by_hand);
  INFO(by_hand);
  CHECK_THAT(factor_between_versions(model_of({"by_hand.csv"})),
             Catch::Matchers::WithinRel(factor, 0.02));
}

TEST_CASE_METHOD(ProgramTest, "what a format declares as a result is one of its import, too",
                 "[cli]") {
  std::string text = "PARAMETER p\nPOINTS (2) (4) (8) (16) (32)\nMETRIC time\nREGION all\n";
  std::string hits = "METRIC depth\n";
  for (int p = 2; p <= 32; p *= 2) {
    text += fmt::format("DATA {0} {1}\n", 3 * p, 3.1 * p);
    hits += fmt::format("DATA {0} {0}\n", p % 3 + 1);
  }
  write("runs.txt", text + hits);
  run({"import", "runs.txt", "-o", "runs.csv"}).succeeded();
  CHECK_THAT(read("runs.csv"),
             Catch::Matchers::EndsWith("\n# perfmodel import,result:time,result:depth\n"));
  const auto inputs = [&](const Words& files) {
    const nlohmann::json constants = model_of(files, {"--target", "time"})["constants"];
    return constants["intrinsic"].dump() + constants["extrinsic"].dump();
  };
  CHECK(inputs({"runs.csv"}) == inputs({"runs.txt"}));
  CHECK_THAT(run({"import", "runs.txt", "--file-column", "p"}).failed(2),
             ContainsSubstring("--file-column: the runs have a column 'p'"));
}

TEST_CASE_METHOD(SampleRunsTest, "a file with other columns is reported by naming a few of them",
                 "[cli]") {
  write("few.csv", "gpus,time_s\n1,2\n");
  std::string many = "time_s";
  for (int i = 0; i < 300; ++i)
    many += ",c" + std::to_string(i);
  write("many.csv", many + "\n");
  CHECK_THAT(run({"import", "few.csv", "many.csv"}).failed(3),
             ContainsSubstring("it lacks 'gpus' and has 'c0', 'c1', 'c2', 'c3', 'c4', 'c5' and 294 "
                               "more besides"));
  CHECK(run({"import", "few.csv", "few.csv"}).exit_code == 2);
}

TEST_CASE_METHOD(SampleRunsTest, "a format that the file does not have is refused", "[cli]") {
  write("object.json", "{\"a\": 1}");
  const auto [arguments, code, said] = GENERATE(table<Words, int, std::string>({
      {{"fit", "runs.csv", "--input-format", "sqlite"},
       2,
       "--input-format sqlite does not apply to runs.csv, which is CSV"},
      {{"import", "runs.csv", "--table", "a"},
       2,
       "--table does not apply to runs.csv, which is CSV"},
      {{"import", "runs.csv", "--sql", "select 1"}, 2, "--sql does not apply to runs.csv"},
      {{"import", "object.json", "--separator", "tab"},
       2,
       "--separator does not apply to object.json, which is JSON"},
      {{"import", "object.json", "--input-format", "csv"}, 3, "object.json"},
      {{"fit", "object.json", "--sample-rows=10"}, 3, "object.json is not plain CSV"},
  }));
  CHECK_THAT(run(arguments).failed(code), ContainsSubstring(said));
}

TEST_CASE_METHOD(SampleRunsTest, "import --roles writes what each column is and why", "[cli]") {
  write("times.csv",
        "threads,mode,peak_rss,job_id,time_s\n1,a,10.37,5021,8.31\n2,a,10.52,5077,4.29\n"
        "4,a,11.13,5163,2.27\n1,b,20.71,5204,9.13\n2,b,21.26,5391,4.87\n4,b,22.94,5448,2.55\n");
  const std::string csv = run({"import", "times.csv", "--roles"}).succeeded().output;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  CHECK(line == "column,taken as,input,result,label,target,evidence");
  std::vector<std::string> roles;
  double targets = 0;
  while (std::getline(lines, line)) {
    // Names of evidence may hold a comma, so the last cell may be quoted.
    const std::vector<std::string> cells = perfmodel::split_list(
        line.substr(0, line.find('"')) + (line.back() == '"' ? "e" : ""), ',');
    REQUIRE(cells.size() == 7);
    roles.push_back(cells[0] + ": " + cells[1]);
    // Each is rounded to two digits.
    CHECK(std::abs(std::stod(cells[2]) + std::stod(cells[3]) + std::stod(cells[4]) - 1) < 0.016);
    targets += std::stod(cells[5]);
    CHECK_FALSE(cells[6].empty());
  }
  CHECK(roles == std::vector<std::string>{"threads: input", "mode: input", "peak_rss: result",
                                          "job_id: label", "time_s: result"});
  CHECK(std::abs(targets - 1) < 0.011);
}
