#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/csv_text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr double kOfDevice[] = {2e12, 8e12};

/// t = max(flops / F of the device, bytes / 1e11) + 1e-5 log2(gpus), with errors of up to 2 %.
std::string device_runs() {
  std::string csv = "device,flops,bytes,gpus,host,t\n";
  int row = 0;
  for (const int device : {0, 1})
    for (const double flops : {1e8, 1e9, 1e10})
      for (const double bytes : {1e6, 1e7, 3e8})
        for (const double gpus : {1., 2., 8.}) {
          const double error = 1 + 0.01 * ((row * 7) % 5 - 2);
          const double time =
              std::max(flops / kOfDevice[device], bytes / 1e11) + 1e-5 * std::log2(gpus);
          csv += csv_row(device == 0 ? "a100" : "h100", flops, bytes, gpus,
                         "node" + std::to_string(row++), time * error);
        }
  return csv;
}

constexpr auto kFormula = "t = max(flops / F, bytes / B) + c * log2(gpus)";

class OwnFormulaTest : public ProgramTest {
 public:
  OwnFormulaTest() { write("runs.csv", device_runs()); }
  ProgramResult fit(const std::string& formula, const Words& further = {}) const {
    return run({"fit", "runs.csv", "--formula", formula, "-o", "model.json", "--loss", "mape"},
               further);
  }
  void refuses(const std::string& formula, const Words& further, int code,
               const std::string& words) const {
    CAPTURE(formula);
    CHECK_THAT(fit(formula, further).failed(code), ContainsSubstring(words));
  }
  double constant(const std::string& name) const {
    const nlohmann::json document = model();
    for (const auto& item : document["constants"]["values"])
      if (item["constant"] == name)
        return item["value"];
    FAIL("no constant " << name);
    return 0;
  }
  /// The predictions for these runs by the command.
  std::vector<double> predictions() const {
    const std::string csv =
        run({"predict", "model.json", "runs.csv", "--quiet"}).succeeded().output;
    REQUIRE(csv.starts_with("device,flops,bytes,gpus,host,t,predicted_t"));
    return table_of(csv).at("predicted_t").numbers;
  }
};

}  // namespace

TEST_CASE_METHOD(OwnFormulaTest, "a constant per level is found and the model predicts",
                 "[cli][own]") {
  fit(kFormula, {"--per", "device:F", "--bounds", "F=1e11:1e14"}).succeeded();
  CHECK(constant("F[device=a100]") == Catch::Approx(2e12).epsilon(0.02));
  CHECK(constant("F[device=h100]") == Catch::Approx(8e12).epsilon(0.02));
  CHECK(constant("B") == Catch::Approx(1e11).epsilon(0.02));
  CHECK(constant("c") == Catch::Approx(1e-5).epsilon(0.05));
  const nlohmann::json document = model();
  CHECK(document["expression"]["form"] == "formula");
  CHECK(document["constants"]["formula"] == "max(flops / F, bytes / B) + c * log2(gpus)");
  CHECK(document["constants"]["per_level"][0]["column"] == "device");
  CHECK(document["constants"]["per_level"][0]["constant"] == "F");
  CHECK(document["metrics"]["train"]["mape_percent"].get<double>() < 2);
  // The local power of gpus: d ln t / d ln gpus at the stored configuration.
  const auto at = document["scaling_powers_at"];
  const double gpus = at["gpus"];
  const double of_device = constant("F[device=" + at["device"].get<std::string>() + "]");
  const double alone =
      std::max(at["flops"].get<double>() / of_device, at["bytes"].get<double>() / constant("B"));
  const double slope = constant("c") / std::log(2.0);
  CHECK(document["scaling_powers"]["gpus"].get<double>() ==
        Catch::Approx(slope / (alone + constant("c") * std::log2(gpus))).epsilon(1e-9));
  const std::vector<double> times = predictions();
  REQUIRE(times.size() == 54);
  CHECK(times[0] == Catch::Approx(std::max(1e8 / constant("F[device=a100]"), 1e6 / constant("B")))
                        .epsilon(1e-12));
  CHECK(run({"evaluate", "model.json", "runs.csv"}).exit_code == 0);
  CHECK(run({"report", "model.json", "runs.csv", "-o", "report.html"}).exit_code == 0);
}

TEST_CASE_METHOD(OwnFormulaTest, "exported code of an own formula computes the predictions",
                 "[cli][own][needs-python]") {
  fit("t = (max(flops / F, bytes / B) + c * log2(gpus)) * (device == 'h100' ? h : 1)").succeeded();
  const std::vector<double> times = predictions();
  for (const std::string language : {"text", "latex", "c", "javascript", "spreadsheet"}) {
    CAPTURE(language);
    CHECK_THAT(run({"show", "model.json", "--as", language}).succeeded().output,
               ContainsSubstring("flops"));
  }
  const ProgramResult code = run({"show", "model.json", "--as", "python"});
  std::string rows;
  for (const std::string device : {"a100", "h100"})
    rows += "print(repr(predict(flops=1e9, bytes=3e8, gpus=8., device='" + device + "')))\n";
  const std::string script = write("check.py", code.output + "\n" + rows);
  const std::vector<std::string> printed = lines_of(output_of(kPython + script).value());
  REQUIRE(printed.size() == 2);
  CHECK(std::stod(printed[0]) == Catch::Approx(times[17]).epsilon(1e-12));
  CHECK(std::stod(printed[1]) == Catch::Approx(times[44]).epsilon(1e-12));
}

TEST_CASE_METHOD(OwnFormulaTest, "the readable formula has its numbers and few parentheses",
                 "[cli][own]") {
  fit("t = max(flops / F, bytes / B) + c * log2(gpus)^p",
      {"--bounds", "F=2e12", "--bounds", "B=1e11", "--bounds", "c=-0.5", "--bounds", "p=2"})
      .succeeded();
  CHECK(run({"show", "model.json"}).output ==
        "t = max(flops / 2e+12, bytes / 1e+11) + -0.5 * log2(gpus)^2\n");
  CHECK_THAT(run({"show", "model.json", "--as", "latex"}).output,
             ContainsSubstring("\\operatorname{max}\\left(\\frac{\\mathrm{flops}}{2 \\times "
                               "10^{12}}, \\frac{\\mathrm{bytes}}{1 \\times 10^{11}}\\right)"));
}

TEST_CASE_METHOD(OwnFormulaTest, "an own formula with bootstrap, folds and intervals",
                 "[cli][own][whole-fits]") {
  fit(kFormula, {"--per", "device:F", "--bootstrap", "30", "--folds", "5", "--starts", "1"})
      .succeeded();
  const nlohmann::json document = model();
  CHECK(document["uncertainty"]["samples"] == 30);
  for (const auto& interval : document["uncertainty"]["constants"]) {
    const double value = constant(interval["name"]);
    CHECK(interval["low"].get<double>() <= value);
    CHECK(interval["high"].get<double>() >= value);
  }
  CHECK(document["uncertainty"]["constants"].size() == 4);
  CHECK(document["cross_validation"]["folds"] == 5);
  CHECK(document.contains("prediction_intervals"));
}

TEST_CASE_METHOD(OwnFormulaTest, "a residual correction multiplies the user's physics",
                 "[cli][own][residual]") {
  run({"fit", "runs.csv", "--residual", "process", "-o", "model.json", "--formula",
       "t = flops / F + bytes / B + (device == 'h100' ? h : 0) + c * log2(gpus)"})
      .succeeded();
  const nlohmann::json document = model();
  CHECK(document["expression"]["form"] == "process");
  CHECK(document["constants"]["trend"] == "formula");
  CHECK(document["constants"]["factor"].get<double>() > 0);
  // Without the maximum and a constant per device, the formula is off by more than 50 %.
  CHECK(document["metrics"]["train"]["mape_percent"].get<double>() < 10);
  CHECK(predictions().size() == 54);
  CHECK_THAT(run({"show", "model.json"}).output, ContainsSubstring("times a residual correction"));
}

TEST_CASE_METHOD(OwnFormulaTest, "the loss beside a residual correction is that of the formula",
                 "[cli][own][residual]") {
  // A third of the runs takes ten times as long: squared errors move, absolute ones hardly.
  std::string csv = "n,m,t\n";
  for (int run = 0; run < 60; ++run) {
    const int n = 1 + run % 10;
    csv += csv_row(n, 1 + run / 10, 0.1 * n * (run % 3 == 0 ? 10 : 1));
  }
  write("slow.csv", csv);
  const auto constant_by = [&](const Words& loss) {
    run({"fit", "slow.csv", "--formula", "t = a * n", "--residual", "process", "-o", "model.json"},
        loss)
        .succeeded();
    return constant("a");
  };
  const double squared = constant_by({});
  CHECK(constant_by({"--loss", "rmsle"}) == squared);
  CHECK(squared == Catch::Approx(0.1 * std::pow(10, 1. / 3)).epsilon(0.01));
  CHECK(constant_by({"--loss", "mape"}) == Catch::Approx(0.1).epsilon(0.01));
}

TEST_CASE_METHOD(OwnFormulaTest, "constants that are not negative add up to a time everywhere",
                 "[cli][own]") {
  // 10 n - 8: a line whose constant is below 0.
  write("line.csv", "n,t\n1,2\n2,12\n3,22\n4,32\n5,42\n6,52\n");
  const auto fitted = [&](const std::string& formula, const Words& further) {
    run({"fit", "line.csv", "--formula", formula, "--loss", "mae", "-o", "model.json"}, further)
        .succeeded();
    return constant("c");
  };
  CHECK(fitted("t = a * n + c", {}) == Catch::Approx(-8));
  CHECK(fitted("t = a * n + c", {"--positive"}) == 0);
  CHECK(fitted("t = a * n + c", {"--positive", "--bounds", "c=-20:20"}) == Catch::Approx(-8));
  // In a maximum, c is no linear constant; an exponent may be negative.
  CHECK(fitted("t = max(a * n, c) + b", {"--positive"}) >= 0);
  write("line.csv", "n,t\n1,8\n2,4\n4,2\n8,1\n16,0.5\n");
  fitted("t = a * n ^ p + c", {"--positive"});
  CHECK(constant("p") == Catch::Approx(-1).epsilon(1e-3));
}

TEST_CASE_METHOD(OwnFormulaTest, "impossible formulas are refused with the next step",
                 "[cli][own][refusals]") {
  refuses("t = flops / F + sine(bytes)", {}, 2, "unknown function 'sine'");
  refuses("t = flop / F + C", {}, 2, "did you mean 'flops'?");
  refuses("t = flops + bytes", {}, 2, "there is no constant to fit");
  refuses("flops / F", {}, 2, "expected COLUMN = FORMULA");
  refuses("t = flops / F * t", {}, 2, "'t' is the measured time");
  refuses("t = flops / F * device", {}, 2, "'device' holds texts");
  refuses("seconds = flops / F", {}, 2, "no column 'seconds'");
  refuses(kFormula, {"--per", "gpus:F"}, 2, "'gpus' is a column of numbers");
  refuses(kFormula, {"--per", "device:G"}, 2, "the formula has no constant 'G'");
  refuses(kFormula, {"--per", "device"}, 2, "expected COLUMN:CONSTANT");
  refuses(kFormula, {"--bounds", "p=1"}, 2, "the formula has no constant 'p'");
  refuses(kFormula, {"--bounds", "F"}, 2, "or CONSTANT=VALUE");
  refuses(kFormula, {"--bounds", "F.flops=0:1"}, 2, "belong to no column");
  refuses(kFormula, {"--expression", "multi"}, 2, "it names its columns itself and is the form");
  refuses(kFormula, {"--intrinsic", "flops"}, 2, "it names its columns itself");
  refuses(kFormula, {"--target", "bytes"}, 2, "--target 'bytes': --formula is of 't'");
  refuses(kFormula, {"--extrinsic", "host"}, 2, "the formula does not contain 'host'");
  refuses("t = flops / F + 0 * b", {}, 3, "no time of the --formula depends on it");
  refuses("t = flops / (F - F) + C", {}, 3, "has no valid time");
  CHECK(run({"fit", "runs.csv", "--target", "t", "--per", "device:F"}).exit_code == 2);
}

TEST_CASE_METHOD(OwnFormulaTest, "a stored formula that contradicts its constants is refused",
                 "[cli][own][malformed]") {
  fit(kFormula).succeeded();
  const nlohmann::json good = model();
  const auto refused = [&](const nlohmann::json& changed, const std::string& words) {
    write("model.json", changed.dump());
    CHECK_THAT(run({"show", "model.json"}).failed(3), ContainsSubstring(words));
  };
  nlohmann::json changed = good;
  changed["constants"]["formula"] = "flops / F + sine(1)";
  refused(changed, "unknown function 'sine'");
  changed["constants"]["formula"] = "flops / F + G";
  refused(changed, "the constants of the formula are 'F' and 'G'");
  changed = good;
  changed["constants"]["per_level"] = {{{"column", "host"}, {"constant", "F"}}};
  refused(changed, "no input 'host' with levels");
}

TEST_CASE_METHOD(OwnFormulaTest, "a formula may repeat its target, and keeps its names and texts",
                 "[cli][own]") {
  write("runs.csv", csv_grid("n,degraded,y", {10, 20, 40, 80, 160, 320}, {"no", "yes"},
                             [](int n, const std::string& degraded) {
                               return (0.5 + 0.02 * n) * (degraded == "yes" ? 1.25 : 1);
                             }));
  const std::string formula = "y = (C + n*a) * (degraded == 'yes' ? k : 1)";
  const ProgramResult fitted = fit(formula, {"--target", "y"}).succeeded();
  CHECK(model()["expression"]["formula"] == formula);
  const std::string shown = "(0.5 + n * 0.02) * (degraded == 'yes' ? 1.25 : 1)";
  CHECK_THAT(fitted.errors, ContainsSubstring(shown) && !ContainsSubstring("{no: "));
  CHECK(run({"show", "model.json"}).output == "y = " + shown + "\n");
  CHECK_THAT(run({"show", "model.json", "--as", "latex"}).output,
             ContainsSubstring("\\mathrm{y} ={} & ") &&
                 ContainsSubstring("\\mathrm{degraded} = \\mathrm{yes} ? 1.25 : 1"));
  const std::string page = run({"report", "model.json", "runs.csv", "--no-explore"}).output;
  CHECK_THAT(page, ContainsSubstring("degraded == ") && !ContainsSubstring("{no: "));
  CHECK(run({"predict", "model.json", "--set", "n=100", "degraded=yes", "--quiet"})
            .output.starts_with("3.12"));
  // Older versions call every target t.
  std::string old = model().dump();
  old.replace(old.find("\"y = (C"), 2, "\"t");
  write("old.json", old);
  CHECK(run({"show", "old.json"}).output == "y = " + shown + "\n");
}
