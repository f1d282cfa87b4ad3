// Columns whose names are no words, in every formula of the command line: in backquotes they are
// columns, in quotes they are refused; and columns of the choices that the model lacks.

#include <cmath>
#include <string>
#include <vector>

#include "support/csv_text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

/// t = 1e-3 length / gpus + 0.02, twice as long on B.
double planted_time(double gpus, double length, const std::string& device) {
  return (1e-3 * length / gpus + 0.02) * (device == "B" ? 2 : 1);
}

class BackquotesTest : public ProgramTest {
 public:
  BackquotesTest() {
    std::string csv = "config.gpus,Sequence length,device type,step (s),tokens/s\n";
    for (const double gpus : {1, 2, 4, 8})
      for (const double length : {128, 256, 512, 1024})
        for (const std::string device : {"A", "B"}) {
          const double time = planted_time(gpus, length, device);
          csv += csv_row(gpus, length, device, time, length * gpus / time);
        }
    write("runs.csv", csv);
    write("space.json", R"({"config.gpus": [1, 2, 4, 8], "Sequence length": [256, 512],
                            "device type": ["A", "B"], "Price per hour": [1, 3]})");
  }
  ProgramResult fit(const Words& further) const {
    return run({"fit", "runs.csv", "-o", "model.json"}, further);
  }
  /// A model of the planted law, which every choice below is computed with.
  void fit_law(const Words& further = {}) const {
    fit(both_of({"--formula",
                 "`step (s)` = `Sequence length` * a / `config.gpus` + C * (`device type` == 'B' ? "
                 "k : 1) + (`device type` == \"B\" ? `Sequence length` * d / `config.gpus` : 0)"},
                further))
        .succeeded();
  }
  double predicted(double gpus, double length, const std::string& device) const {
    const ProgramResult out =
        run({"predict", "model.json", "--set", "config.gpus=" + std::to_string(gpus), "--set",
             "Sequence length=" + std::to_string(length), "--set", "device type=" + device});
    return std::stod(out.succeeded().output);
  }
  nlohmann::json suggested(const Words& further) const {
    return run({"suggest", "model.json", "space.json", "--format", "json"}, further).json();
  }
};

}  // namespace

TEST_CASE_METHOD(BackquotesTest, "an own formula names columns in backquotes, and loads again",
                 "[cli][own][backquotes]") {
  fit_law();
  CHECK(model()["target"]["column"] == "step (s)");
  CHECK(predicted(4, 512, "B") == Approx(planted_time(4, 512, "B")).epsilon(1e-6));
  CHECK(run({"evaluate", "model.json", "runs.csv"}).exit_code == 0);
  CHECK(run({"report", "model.json", "runs.csv", "-o", "report.html"}).exit_code == 0);
  // The printed formula can be fitted: it has no constants but numbers.
  const std::string shown = run({"show", "model.json"}).succeeded().output;
  CHECK_THAT(shown, ContainsSubstring("`Sequence length`") && ContainsSubstring("`config.gpus`") &&
                        ContainsSubstring("`device type` == 'B'"));
  const std::string law = lines_of(shown)[0];
  fit({"--formula", "`step (s)` = f * (" + law.substr(law.find(" = ") + 3) + ")"}).succeeded();
  CHECK(model()["constants"]["values"][0]["value"].get<double>() == Approx(1).epsilon(0.01));
}

TEST_CASE_METHOD(BackquotesTest, "a constant per level of a column that is no word",
                 "[cli][own][backquotes]") {
  fit({"--formula", "step (s) = F * (`Sequence length` / `config.gpus` + c)", "--per",
       "`device type`:F"})
      .succeeded();
  CHECK(predicted(2, 256, "A") == Approx(planted_time(2, 256, "A")).epsilon(1e-6));
  CHECK(predicted(2, 256, "B") == Approx(planted_time(2, 256, "B")).epsilon(1e-6));
}

TEST_CASE_METHOD(BackquotesTest, "a name of an own formula that has to be a column is one",
                 "[cli][own][backquotes]") {
  const auto refused = [&](const std::string& formula) {
    return fit({"--formula", "`step (s)` = " + formula}).refused();
  };
  CHECK_THAT(refused("a / `gpus` + c * `Sequence length`"),
             ContainsSubstring("'gpus' is no column; there are `config.gpus`"));
  CHECK_THAT(refused("a / `config.gpu` + c"), ContainsSubstring("did you mean `config.gpus`?"));
  CHECK_THAT(refused("a / config.gpus + c"),
             ContainsSubstring("a column of this name is written `config.gpus`"));
  CHECK_THAT(refused("a * tokens/s + c"), ContainsSubstring("the column is written `tokens/s`"));
  CHECK_THAT(refused("a * 'Sequence length' + c"),
             ContainsSubstring("the column is written `Sequence length`"));
  CHECK_THAT(refused("(`device type` == 'C' ? a : b) + c"),
             ContainsSubstring("column 'device type' has no level \"C\"; there are 'A' and 'B'"));
  CHECK_THAT(refused("`config.gpus` == '8' ? a : b"),
             ContainsSubstring("`config.gpus` is compared with the number 8, without quotes"));
}

TEST_CASE_METHOD(BackquotesTest, "conditions, prices and values name columns in backquotes",
                 "[cli][suggest][backquotes]") {
  fit_law();
  const nlohmann::json found = suggested({"--where", "`config.gpus` < 8 && `device type` != \"B\"",
                                          "--price", "`Price per hour` * `config.gpus`",
                                          "--maximise", "`Sequence length` / time", "--top", "99"});
  CHECK(found["allowed"] == 3 * 2 * 2);
  for (const auto& each : found["best"]) {
    const double gpus = each["configuration"]["config.gpus"];
    const double length = each["configuration"]["Sequence length"];
    const double price = each["configuration"]["Price per hour"];
    const double time = planted_time(gpus, length, "A");
    CHECK(gpus < 8);
    CHECK(each["configuration"]["device type"] == "A");
    CHECK(each["cost"].get<double>() == Approx(time * price * gpus).epsilon(1e-5));
    CHECK(each["value"]["predicted"].get<double>() == Approx(length / time).epsilon(1e-5));
  }
  // The parts of a condition are told apart outside of names alone.
  CHECK_THAT(run({"suggest", "model.json", "space.json", "--where",
                  "`Sequence length` == 512 && time < 0.3"})
                 .errors,
             ContainsSubstring("left out: --where 'time < 0.3' does not hold"));
  write("space.json", R"({"columns": [{"column": "config.gpus", "values": [1, 2, 4, 8]},
                                      {"column": "Sequence length", "values": [256, 512]},
                                      {"column": "device type", "values": ["A", "B"]}],
                          "where": "`config.gpus` * 128 <= `Sequence length`"})");
  CHECK(suggested({})["allowed"] == 10);
  CHECK(lines_of(run({"plan", "space.json", "-n", "10"}).succeeded().output).size() == 11);
}

TEST_CASE_METHOD(BackquotesTest, "a text in quotes is no column of a formula of suggest",
                 "[cli][suggest][backquotes]") {
  fit_law();
  const auto refused = [&](const Words& options) {
    return run({"suggest", "model.json", "space.json"}, options).refused();
  };
  for (const std::string option : {"--where", "--price", "--maximise"}) {
    CAPTURE(option);
    CHECK_THAT(refused({option, "\"config.gpus\" < 8"}),
               ContainsSubstring("\"config.gpus\" is a text, which == and != compare with a column "
                                 "of texts; the column is written `config.gpus`"));
    CHECK_THAT(refused({option, "config.gpus < 8"}), ContainsSubstring("written `config.gpus`"));
    CHECK_THAT(refused({option, "Price per hour"}), ContainsSubstring("written `Price per hour`"));
    CHECK_THAT(refused({option, "`device type` == 'C'"}),
               ContainsSubstring("column 'device type' has no level \"C\""));
    CHECK_THAT(refused({option, "`device type` * 2"}),
               ContainsSubstring("'device type' holds texts"));
    CHECK_THAT(refused({option, "`config.gpu`"}), ContainsSubstring("did you mean `config.gpus`?"));
  }
  CHECK_THAT(refused({"--price", "\"USD\""}),
             ContainsSubstring("a column is written in backquotes: `USD`"));
  write("space.json", R"({"columns": [{"column": "config.gpus", "values": [1, 2]},
                                      {"column": "device type", "values": ["A", "B"]}],
                          "where": "\"config.gpus\" < 2"})");
  CHECK_THAT(run({"plan", "space.json", "-n", "1"}).errors,
             ContainsSubstring("where") && ContainsSubstring("written `config.gpus`"));
}

TEST_CASE_METHOD(BackquotesTest, "derived columns and works name columns in backquotes",
                 "[cli][derive][backquotes]") {
  const Words without = {"--target", "step (s)", "--ignore",
                         "Sequence length,config.gpus,tokens/s"};
  fit(both_of(without, {"--derive", "share = `Sequence length`/`config.gpus`"})).succeeded();
  CHECK(model()["derived"][0]["formula"] == "`Sequence length`/`config.gpus`");
  const double derived = predicted(4, 512, "B");
  CHECK(run({"report", "model.json", "runs.csv", "-o", "report.html"}).exit_code == 0);
  std::string csv = "share,device type,step (s)\n";  // the same by a column of the file
  for (const double gpus : {1, 2, 4, 8})
    for (const double length : {128, 256, 512, 1024})
      for (const std::string device : {"A", "B"})
        csv += csv_row(length / gpus, device, planted_time(gpus, length, device));
  write("shares.csv", csv);
  run({"fit", "shares.csv", "--target", "step (s)", "-o", "shares.json"}).succeeded();
  const ProgramResult shared =
      run({"predict", "shares.json", "--set", "share=128", "--set", "device type=B"});
  CHECK(std::stod(shared.succeeded().output) == Approx(derived).epsilon(1e-6));
  const Words others = {"--target", "step (s)"};
  CHECK_THAT(fit(both_of(others, {"--derive", "share = \"Sequence length\" / 2"})).refused(),
             ContainsSubstring("a name that is no word stands in backquotes"));
  CHECK_THAT(fit(both_of(others, {"--derive", "share = `Sequence lenght` / 2"})).refused(),
             ContainsSubstring("did you mean `Sequence length`?"));

  fit({"--target", "step (s)", "--ignore", "tokens/s"}).succeeded();
  const double of_times = predicted(4, 512, "A");
  const Words rate = {"--throughput-target", "tokens/s", "--ignore", "step (s)", "--work"};
  fit(both_of(rate, {"`Sequence length` * `config.gpus`"})).succeeded();
  CHECK(predicted(4, 512, "A") == Approx(of_times).epsilon(1e-4));
  CHECK_THAT(fit(both_of(rate, {"Sequence length * 2"})).refused(),
             ContainsSubstring("a column of this name is written `Sequence length`"));
}

TEST_CASE_METHOD(BackquotesTest, "code of a model computes what names in backquotes mean",
                 "[cli][own][backquotes][needs-python]") {
  fit_law();
  for (const std::string language : {"text", "latex", "c", "javascript", "spreadsheet"})
    run({"show", "model.json", "--as", language}).succeeded();
  const ProgramResult code = run({"show", "model.json", "--as", "python"}).succeeded();
  const std::string call =
      "print(predict(config_gpus=4., Sequence_length=512., device_type='B'))\n";
  CHECK(std::stod(output_of_python(code.output + "\n" + call).value()) ==
        Approx(planted_time(4, 512, "B")).epsilon(1e-6));
}

TEST_CASE_METHOD(BackquotesTest, "one of many models is picked by a key that is no word",
                 "[cli][backquotes]") {
  fit({"--target", "step (s)", "--ignore", "tokens/s", "--by", "device type"}).succeeded();
  const auto shown = [&](const std::string& pick) {
    return run({"show", "model.json", "--pick", pick});
  };
  shown("`device type` == 'A' && target == \"step (s)\"").succeeded();
  CHECK_THAT(shown("\"device type\" == 'A'").refused(),
             ContainsSubstring("the column is written `device type`"));
  CHECK_THAT(shown("device type == 'A'").refused(),
             ContainsSubstring("the column is written `device type`"));
  CHECK_THAT(shown("`device type` == 'a'").refused(),
             ContainsSubstring("has no level \"a\"; did you mean 'A'?") ||
                 ContainsSubstring("has no level \"a\"; there are 'A' and 'B'"));
  CHECK_THAT(run({"scaling", "model.json"}).errors,
             ContainsSubstring("--pick '`device type` == \"...\"'"));
}

TEST_CASE_METHOD(BackquotesTest, "a column of the choices that may be a misspelt input is refused",
                 "[cli][suggest]") {
  fit_law();
  const auto chosen = [&](const std::string& file, const Words& further = {}) {
    return run({"suggest", "model.json", file}, further);
  };
  write("space.json", R"({"config.gpu": [1, 8], "Sequence length": [256]})");
  const std::string misspelt = "the model has no input 'config.gpu'; did you mean 'config.gpus'?";
  CHECK_THAT(chosen("space.json").refused(), ContainsSubstring("space.json: " + misspelt));
  CHECK_THAT(chosen("space.json", {"--next", "1"}).refused(), ContainsSubstring(misspelt));
  write("choices.csv", "config.gpu,Sequence length,device type\n1,256,A\n8,256,A\n");
  CHECK_THAT(chosen("choices.csv").refused(), ContainsSubstring(misspelt));
  // One that a formula names is meant as it is.
  CHECK(chosen("space.json", {"--price", "`config.gpu`"}).succeeded().errors.find("is not used") ==
        std::string::npos);
}

TEST_CASE_METHOD(BackquotesTest, "a column of the choices that nothing uses is told",
                 "[cli][suggest]") {
  fit_law();
  const auto said = [&](const std::string& file, const Words& further = {}) {
    return run({"suggest", "model.json", file}, further).succeeded().errors;
  };
  const auto unused = [](const std::string& name, const std::string& file) {
    return "'" + name + "' of " + file + " is not used: the model has no such input";
  };
  CHECK_THAT(said("space.json"), ContainsSubstring(unused("Price per hour", "space.json")));
  CHECK_THAT(said("space.json", {"--price", "`Price per hour`"}),
             !ContainsSubstring("is not used"));
  CHECK_THAT(said("space.json", {"--each", "Price per hour"}), !ContainsSubstring("is not used"));
  write("choices.csv", "config.gpus,Sequence length,device type,host\n1,256,A,x\n8,256,A,y\n");
  CHECK_THAT(said("choices.csv"), ContainsSubstring(unused("host", "choices.csv")));
  CHECK_THAT(said("runs.csv"), !ContainsSubstring("is not used"));
}
