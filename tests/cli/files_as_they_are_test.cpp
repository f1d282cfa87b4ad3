// Files as programs and people write them: each is fitted to the constants of the plain CSV.

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "storage/files.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;

namespace {

struct MeasuredRun {
  double filters, gpus, batch;

  /// The law that all files below are made of, in seconds.
  double time() const {
    return 0.01 * filters * std::pow(batch, 0.8) * std::pow(gpus, -0.6) + 0.05;
  }
};

class FilesTest : public ProgramTest {
 public:
  FilesTest() {
    for (const double gpus : {1, 2, 4, 8})
      for (const double batch : {16, 32, 64})
        for (const double filters : {4, 8, 16}) {
          runs_.push_back({filters, gpus, batch});
          lines_.push_back(csv_row(gpus, batch, filters, runs_.back().time()));
        }
    write("plain.csv", header() + all_lines());
  }

  static std::string header() { return "gpus,batch_size,filters,time_s\n"; }
  /// Lines of the plain CSV without its header.
  std::string lines(std::size_t begin, std::size_t end) const {
    std::string text;
    for (std::size_t i = begin; i < end; ++i)
      text += lines_[i];
    return text;
  }
  std::string all_lines() const { return lines(0, lines_.size()); }

 protected:
  std::vector<MeasuredRun> runs_;
  std::vector<std::string> lines_;  ///< of the plain CSV without its header
};

std::string with_replaced(std::string text, char from, char to) {
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

}  // namespace

TEST_CASE_METHOD(FilesTest,
                 "separators, decimal commas and units in brackets leave the law as it is",
                 "[cli]") {
  const nlohmann::json plain = model_of({"plain.csv"});
  CHECK_THAT(plain["constants"]["C"].get<double>(), Catch::Matchers::WithinRel(0.05, 1e-3));

  const std::string with_points = with_replaced(all_lines(), ',', ';');
  write("german.csv",
        "gpus;batch_size;filters;Step Time (ms)\n" + with_replaced(with_points, '.', ','));
  const nlohmann::json german = model_of({"german.csv"});
  CHECK(german["constants"]["C"] == plain["constants"]["C"]);
  CHECK(german["constants"]["extrinsic"] == plain["constants"]["extrinsic"]);
  CHECK(german["target"] == nlohmann::json{{"column", "Step Time (ms)"}, {"unit", "ms"}});
  CHECK_THAT(said(), ContainsSubstring("Commas in numbers are decimal commas: \"") &&
                         ContainsSubstring("all times are in ms"));
  write("unit.tsv",
        "gpus\tbatch_size\tfilters\ttime [us]\n" + with_replaced(all_lines(), ',', '\t'));
  const nlohmann::json unit = model_of({"unit.tsv"});
  CHECK(unit["target"]["unit"] == "us");
  CHECK(unit["constants"]["C"] == plain["constants"]["C"]);

  // What a model predicts for a file stands in it as the file writes it.
  write("model.json", german.dump());
  write("configs.csv", "gpus;batch_size;filters;share\n2;32;8;0,5\n");
  const ProgramResult predicted = run({"predict", "model.json", "configs.csv"}).succeeded();
  const auto at = predicted.output.find("2;32;8;0,5;");
  REQUIRE(at != std::string::npos);
  const std::string cell =
      predicted.output.substr(at + 11, predicted.output.find(";true") - at - 11);
  CHECK(cell.find('.') == std::string::npos);
  CHECK_THAT(std::stod(with_replaced(cell, ',', '.')),
             Catch::Matchers::WithinRel(MeasuredRun{8, 2, 32}.time(), 1e-3));
  CHECK(run({"evaluate", "model.json", "german.csv", "--separator", "tab"}).exit_code == 3);
  CHECK(run({"evaluate", "model.json", "german.csv"}).exit_code == 0);
}

TEST_CASE_METHOD(FilesTest, "a mark that may separate thousands is refused with both readings",
                 "[cli]") {
  const std::string rows = "512;1;285\n1.024;2;310\n2.048;4;402\n";
  write("runs.csv", "Batch Size;GPUs;Time (ms)\n" + rows);
  CHECK_THAT(run({"fit", "runs.csv"}).refused(3),
             ContainsSubstring("runs.csv:3: column 'Batch Size': \"1.024\" can be 1024 or 1.024; "
                               "pass --decimal , for 1024, or --decimal . for 1.024"));
  const auto imported = [&](const std::string& decimal) {
    return run({"import", "runs.csv", "--decimal", decimal, "--quiet"}).output;
  };
  CHECK(imported(",") == "Batch Size,GPUs,Time (ms)\n512,1,285\n1024,2,310\n2048,4,402\n");
  CHECK(imported(".") == "Batch Size,GPUs,Time (ms)\n512,1,285\n1.024,2,310\n2.048,4,402\n");
  CHECK(run({"fit", "runs.csv", "--decimal", "point"}).exit_code == 2);
  for (const char* command : {"compare", "scaling", "import"})
    CHECK(run({command, "runs.csv"}).exit_code == 3);

  // The reading that was chosen counts for further files of the model, and for the prediction in
  // the file's own way, too.
  const nlohmann::json model = model_of({"runs.csv", "--decimal", ",", "--expression", "multi"});
  CHECK(model["constants"].dump().find("1.024") == std::string::npos);
  write("model.json", model.dump());
  const ProgramResult predicted = run({"predict", "model.json", "runs.csv"}).succeeded();
  CHECK(run({"predict", "model.json", "runs.csv", "--decimal", ","}).output == predicted.output);
  CHECK(run({"predict", "model.json", "runs.csv", "--decimal", "."}).output != predicted.output);
  CHECK_THAT(predicted.output, ContainsSubstring("1.024;2;310;"));
  CHECK(predicted.output.substr(predicted.output.find("310;") + 4).find(',') != std::string::npos);
}

TEST_CASE_METHOD(FilesTest, "marks in numbers that allow only one reading are read that way",
                 "[cli]") {
  const auto import_of = [&](const std::string& text, const std::string& decimal = "") {
    write("runs.csv", text);
    const ProgramResult result = run({"import", "runs.csv", "--quiet"},
                                     decimal.empty() ? Words{} : Words{"--decimal", decimal});
    return result.exit_code == 0 ? result.output : "refused";
  };
  CHECK(import_of("n;t\n1.024;2\n1.5;3\n") == "n,t\n1.024,2\n1.5,3\n");
  CHECK(import_of("n;t\n1.024;2.5\n1024;3.5\n") == "n,t\n1.024,2.5\n1024,3.5\n");
  CHECK(import_of("n;t\n1.024;2\n3.512;3\n") == "n,t\n1.024,2\n3.512,3\n");
  CHECK(import_of("n,t\n1.024,2\n1,3\n") == "n,t\n1.024,2\n1,3\n");
  CHECK(import_of("n;t\n1,024;2\n512;3\n") == "refused");
  CHECK(import_of("n\tt\n1.024\t2\n512\t3\n") == "refused");
  CHECK(import_of("gpus;t\n1.024;2\n2.048;3\n") == "refused");
  CHECK(import_of("n;t\n1.024;2,5\n2.048;3\n") == "n,t\n1024,2.5\n2048,3\n");
  CHECK(import_of("n;t\n1.024.000;2,5\n512;1.000,25\n", ",") == "n,t\n1024000,2.5\n512,1000.25\n");
  CHECK(import_of("n;t\n1,024;2.5\n512;3\n", ".") == "n,t\n1024,2.5\n512,3\n");
  CHECK(import_of("n,t\n\"1,024\",2.5\n512,3\n", ".") == "n,t\n1024,2.5\n512,3\n");
}

TEST_CASE_METHOD(FilesTest, "several files are one table, and the model names them all", "[cli]") {
  write("one.csv", header() + lines(0, 20));
  std::string others = "time_s,filters,gpus,batch_size\n";
  for (std::size_t i = 20; i < runs_.size(); ++i)
    others += csv_row(runs_[i].time(), runs_[i].filters, runs_[i].gpus, runs_[i].batch);
  write("two.csv", with_replaced(others, ',', '|'));
  const nlohmann::json all = model_of({"plain.csv"});
  const nlohmann::json both = model_of({"one.csv", "two.csv"});
  const nlohmann::json swapped = model_of({"two.csv", "one.csv"});
  for (const char* part : {"constants", "metrics", "search", "scaling_powers"}) {
    CHECK(both[part] == all[part]);
    CHECK(swapped[part] == all[part]);
  }
  const nlohmann::json& data = both["provenance"]["data"];
  CHECK(data["rows"] == 36);
  CHECK(data["sha256"] == perfmodel::sha256(read("one.csv") + read("two.csv")));
  CHECK(data["files"] ==
        nlohmann::json{
            {{"file", "one.csv"}, {"rows", 20}, {"sha256", perfmodel::sha256(read("one.csv"))}},
            {{"file", "two.csv"}, {"rows", 16}, {"sha256", perfmodel::sha256(read("two.csv"))}}});
  CHECK_FALSE(all["provenance"]["data"].contains("files"));
  // And it is still there when the model was read: compare() and others keep files apart.
  write("bad.csv", header() + "1,x,4,1\n1,16,4,y\n");
  CHECK_THAT(run({"fit", "one.csv", "bad.csv"}).failed(3),
             ContainsSubstring("bad.csv:2: column 'batch_size': \"x\" is not a number") &&
                 ContainsSubstring("bad.csv:3: column 'time_s': \"y\""));
}

TEST_CASE_METHOD(FilesTest, "failed runs are refused, or left out and counted", "[cli]") {
  write("failed.csv", header() + "64,16,4,NA\n" + all_lines() +
                          "64,16,8,\n64,16,4,0\n64,16,8,NA\n64,16,4,-1\n64,32,4,oom\n");
  CHECK_THAT(
      run({"fit", "failed.csv", "--failed", "refuse"}).failed(3),
      ContainsSubstring("column 'time_s': 6 cells") && ContainsSubstring("pass --failed drop"));
  // A 0 may be a slip, a word is none.
  CHECK_THAT(run({"fit", "failed.csv"}).failed(3),
             ContainsSubstring("column 'time_s': 2 cells: 0 is not > 0 (line 40), -1 is not > 0"));
  const nlohmann::json plain = model_of({"plain.csv"});
  const nlohmann::json model = model_of({"failed.csv", "--failed", "drop"});
  CHECK(model["constants"] == plain["constants"]);  // ranges, too: nothing of 64 GPUs is known
  CHECK(model["provenance"]["data"]["rows"] == 36);
  const auto failed = [](const char* cell, int rows, const std::vector<int>& lines) {
    return nlohmann::json{{"file", "failed.csv"}, {"cell", cell}, {"rows", rows}, {"lines", lines}};
  };
  CHECK(model["provenance"]["data"]["failed"] ==
        nlohmann::json{failed("", 1, {39}), failed("-1", 1, {42}), failed("0", 1, {40}),
                       failed("NA", 2, {2, 41}), failed("oom", 1, {43})});
  CHECK_THAT(said(), ContainsSubstring("6 of 42 runs failed and are left out") &&
                         ContainsSubstring("\"NA\" in 2 (lines 2 and 41)"));
  write("model.json", model.dump());
  CHECK(run({"evaluate", "model.json", "failed.csv", "--failed", "refuse"}).exit_code == 3);
  const nlohmann::json evaluation =
      run({"evaluate", "model.json", "failed.csv", "--format", "json"}).json();
  CHECK(evaluation["metrics"]["rows"] == 36);
  CHECK(evaluation["data"]["failed"] == model["provenance"]["data"]["failed"]);
  // A time that only its unit tells is found beside failures, too, 0 among them.
  const std::string renamed = "gpus,batch_size,filters,step_s\n" +
                              read("failed.csv").substr(read("failed.csv").find('\n') + 1);
  write("unit.csv", renamed);
  CHECK(model_of({"unit.csv", "--failed", "drop"})["constants"] == plain["constants"]);
  CHECK_THAT(run({"fit", "unit.csv", "--failed", "refuse"}).errors,
             ContainsSubstring("column 'step_s': 6 cells"));
  const ProgramResult scaling =
      run({"scaling", "unit.csv", "--column", "gpus", "--failed", "drop", "--format", "csv"})
          .succeeded();
  CHECK(scaling.output ==
        run({"scaling", "plain.csv", "--column", "gpus", "--format", "csv"}).output);
  // What may be a slip is none of these.
  write("slip.csv", header() + all_lines() + "2,16,4,\"0,5\"\n");
  CHECK(run({"fit", "slip.csv", "--failed", "drop"}).exit_code == 3);
}

TEST_CASE_METHOD(FilesTest, "a throughput is a target: time = work / throughput", "[cli]") {
  std::string csv = "gpus,batch_size,filters,samples_per_s\n";
  for (const MeasuredRun& run : runs_)
    csv += csv_row(run.gpus, run.batch, run.filters, run.batch / run.time());
  write("rates.csv", csv);
  CHECK_THAT(run({"fit", "rates.csv"}).errors,
             ContainsSubstring("Column 'samples_per_s' is taken as the measured throughput"));
  const nlohmann::json sample = model_of({"rates.csv", "--throughput-target", "samples_per_s"});
  CHECK(sample["target"]["column"] == "time_per_sample");
  CHECK(sample["target"]["throughput"] ==
        nlohmann::json{{"column", "samples_per_s"}, {"work", ""}});
  const nlohmann::json iteration =
      model_of({"rates.csv", "--throughput-target", "samples_per_s", "--work", "batch_size * 1"});
  CHECK(iteration["target"]["column"] == "time_per_iteration");
  CHECK(iteration["target"]["unit"] == "s");
  CHECK_THAT(iteration["constants"]["C"].get<double>(), Catch::Matchers::WithinRel(0.05, 1e-3));
  CHECK(run({"fit", "rates.csv", "--throughput-target", "samples_per_s", "--work", ""}).exit_code ==
        2);
  write("model.json", iteration.dump());
  const ProgramResult judged =
      run({"evaluate", "model.json", "rates.csv", "--format", "json"}).succeeded();
  CHECK(judged.json()["metrics"]["mape_percent"] < 0.1);
  CHECK(run({"report", "model.json", "rates.csv"}).exit_code == 0);
  // A file with the time itself is judged by that.
  CHECK(run({"evaluate", "model.json", "plain.csv", "--target", "time_s", "--fail-if", "mape>0.1"})
            .exit_code == 0);
  write("stopped.csv", csv + "1,16,4,0\n");
  CHECK_THAT(run({"fit", "stopped.csv", "--throughput-target", "samples_per_s"}).errors,
             ContainsSubstring("stopped.csv:38: column 'samples_per_s': 0 is not > 0"));
  CHECK(model_of({"stopped.csv", "--throughput-target", "samples_per_s", "--failed",
                  "drop"})["constants"] == sample["constants"]);
}

TEST_CASE_METHOD(FilesTest, "True, TRUE and true are one level", "[cli]") {
  std::string mixed = "gpus,amp,time_s\n";
  std::string plain = mixed;
  const std::vector<std::string> spellings = {"True", "TRUE", "true", "False"};
  for (std::size_t row = 0; row < 16; ++row) {
    const double gpus = 1 << (row / 4);
    const bool amp = row % 4 != 3;
    const std::string time = to_text((amp ? 0.5 : 1) / gpus + 0.1);
    mixed += csv_row(gpus, spellings[row % 4], time);
    plain += csv_row(gpus, amp ? "true" : "false", time);
  }
  write("mixed.csv", mixed);
  write("plain.csv", plain);
  const nlohmann::json model = model_of({"mixed.csv"});
  CHECK(model["constants"] == model_of({"plain.csv"})["constants"]);
  write("model.json", model.dump());
  const auto of = [&](const std::string& amp) {
    return run({"predict", "model.json", "--set", "gpus=2"}, {amp}).output;
  };
  CHECK(of("amp=TRUE") == of("amp=true"));
  CHECK(of("amp=TRUE") != of("amp=FALSE"));
  CHECK(run({"evaluate", "model.json", "mixed.csv"}).exit_code == 0);
}

TEST_CASE_METHOD(FilesTest, "many warnings of one kind are one line, and all stand in the model",
                 "[cli]") {
  // Columns that the time does not know.
  std::string csv = "gpus,a,b,c,d,e,f,g,h,time_s\n";
  std::mt19937 random(1);
  for (std::size_t row = 0; row < 80; ++row) {
    const double gpus = 1 << (row % 4);
    csv += to_text(gpus);
    for (int column = 0; column < 8; ++column)
      csv += "," + std::to_string(1 + random() % 7);
    csv += "," + to_text((1 / gpus + 0.1) * (1 + 0.1 * std::sin(9. * static_cast<double>(row)))) +
           "\n";
  }
  write("idle.csv", csv);
  const nlohmann::json model = model_of({"idle.csv"});
  CHECK(model["warnings"].size() > 5);
  const std::string constants = model["constants"].dump();
  const std::string flag = "_identified\":false";
  int undetermined = 0;
  for (auto at = constants.find(flag); at != std::string::npos; at = constants.find(flag, at + 1))
    ++undetermined;
  int at_bound = 0;  // which is told apart
  for (const nlohmann::json& warning : model["warnings"])
    at_bound += warning["kind"] == "at_bound" ? 1 : 0;
  const std::string line = "perfmodel: warning: " + std::to_string(undetermined - at_bound) +
                           " of 18 constants are not determined by these runs";
  CHECK_THAT(said(), ContainsSubstring(line));
  std::size_t warnings = 0;
  for (auto at = said().find("warning:"); at != std::string::npos; ++warnings)
    at = said().find("warning:", at + 1);
  CHECK(warnings == 1 + static_cast<std::size_t>(at_bound));
}

TEST_CASE_METHOD(FilesTest, "the index of a data frame is left out, with one notice",
                 "[cli][files]") {
  std::string indexed = "," + header();
  std::string unordered = indexed;
  std::size_t row = 0;
  for (const std::string& line : lines_) {
    indexed += std::to_string(row) + "," + line;
    unordered += std::to_string(row == 3 ? 30 : row) + "," + line;
    ++row;
  }
  write("indexed.csv", indexed);
  write("unordered.csv", unordered);
  const nlohmann::json of_plain = model_of({"plain.csv"});
  const nlohmann::json of_indexed = model_of({"indexed.csv"});
  CHECK(of_indexed["constants"] == of_plain["constants"]);
  const std::string notice =
      "Column 'row index' names runs rather than configurations and is left out";
  const auto at = said().find(notice);
  REQUIRE(at != std::string::npos);
  CHECK(said().find(notice, at + 1) == std::string::npos);

  // Two files count their own rows; what is appended to the lines stands beside them.
  write("model.json", of_indexed.dump());
  CHECK(run({"fit", "indexed.csv", "indexed2.csv"}).exit_code != 0);
  write("indexed2.csv", indexed);
  CHECK(model_of({"indexed.csv", "indexed2.csv"})["provenance"]["data"]["rows"] == 2 * row);
  const ProgramResult predicted = run({"predict", "model.json", "indexed.csv"});
  CHECK_THAT(predicted.output, Catch::Matchers::StartsWith(
                                   ",gpus,batch_size,filters,time_s,predicted_time_s,lower,upper,"
                                   "in_range\n0,"));
  CHECK_THAT(run({"fit", "unordered.csv"}).failed(3),
             ContainsSubstring("unordered.csv: column 1 has no name, and does not "
                               "count the rows from 0 or 1 on either; name it in "
                               "the header"));
}

TEST_CASE_METHOD(FilesTest, "a decimal comma in a setting is no list of two values",
                 "[cli][files]") {
  write("runs.csv",
        csv_grid("dropout,gpus,time_s", {0.1, 0.2, 0.4, 0.8}, {1, 2, 4, 8},
                 [](double dropout, double gpus) { return (1 + dropout) / std::sqrt(gpus); }));
  write("model.json", model_of({"runs.csv"}).dump());
  CHECK_THAT(
      run({"predict", "model.json", "--set", "dropout=0,5", "gpus=2"}).failed(2),
      ContainsSubstring("--set 'dropout=0,5': a comma separates two values, and 5 is outside "
                        "of the measured range 0.1 .. 0.8; write 0.5 with a point"));
  CHECK(run({"predict", "model.json", "--set", "dropout=0.5", "gpus=2"}).exit_code == 0);
  for (const char* list : {"gpus=1,16", "gpus=2,4"})  // counts are no decimal fractions
    CHECK(run({"predict", "model.json", "--set", "dropout=0.2", list}).exit_code == 0);
  CHECK(run({"predict", "model.json", "--set", "gpus=2", "dropout=0.2,0.4"}).exit_code == 0);
}

TEST_CASE_METHOD(FilesTest, "a document names a file whose name is no UTF-8, units have to be that",
                 "[cli]") {
  write("runs\xE9.csv", header() + all_lines());
  const nlohmann::json model = model_of({"runs\xE9.csv", "--quiet"});
  CHECK(model["provenance"]["data"]["file"] == "runs\uFFFD.csv");
  write("model\xE9.json", model.dump());
  CHECK(nlohmann::json::accept(
      run({"evaluate", "model\xE9.json", "runs\xE9.csv", "--format", "json"}).succeeded().output));
  run({"fit", "plain.csv", "--time-unit", "\xE9s"}).failed(2);
}
