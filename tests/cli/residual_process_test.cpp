#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::parse_number;
using perfmodel::to_text;

namespace {

const std::string kData = PERFMODEL_SOURCE_DIR "/data/";
const Words kProduct = {"--expression", "multi", "--terms", "1", "--residual", "process"};

Words both_lists(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<Words> both_lists_of(std::vector<Words> a, const std::vector<Words>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<Words> rows_of(const std::string& csv) {
  std::vector<Words> out;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    out.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');)
      out.back().push_back(cell);
  }
  return out;
}

std::string text_of(const std::vector<Words>& rows) {
  std::string out;
  for (const Words& row : rows)
    out += perfmodel::joined(row, ",") + "\n";
  return out;
}

/// The first rows of a file of the project, with its header.
std::vector<Words> first_rows(const std::string& name, std::size_t count) {
  std::vector<Words> rows = rows_of(read_text(kData + name));
  rows.resize(std::min(rows.size(), count + 1));
  return rows;
}

class ProcessTest : public ProgramTest {
 public:
  ProcessTest() {
    write("runs.csv", text_of(first_rows("lenet5_train900.csv", 240)));
    write("asked.csv", text_of(first_rows("lenet5_test300.csv", 25)));
  }
  nlohmann::json fit(const Words& further, const std::string& to = "model.json",
                     const std::string& runs = "runs.csv") const {
    run({"fit", runs, "--quiet", "--target", "time_s", "-o", to}, further).succeeded();
    return json(to);
  }
  std::vector<double> predictions(const std::string& model = "model.json",
                                  const std::string& asked = "asked.csv") const {
    const std::vector<Words> rows = rows_of(run({"predict", model, asked}).succeeded().output);
    const auto column = static_cast<std::size_t>(
        std::find(rows[0].begin(), rows[0].end(), "predicted_time_s") - rows[0].begin());
    std::vector<double> out;
    for (std::size_t row = 1; row < rows.size(); ++row)
      out.push_back(parse_number(rows[row].at(column)).value());
    return out;
  }
};

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    out = std::max(out, std::abs(a[i] / b[i] - 1));
  return out;
}

std::vector<double> numbers_of(const std::string& lines) {
  std::vector<double> out;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);)
    out.push_back(parse_number(line).value());
  return out;
}

/// Calls of predict() for the rows of a CSV file, in the order of the model's inputs.
std::string calls(const nlohmann::json& constants, const std::vector<Words>& rows,
                  const std::string& before, const std::string& after) {
  Words columns;
  for (const char* kind : {"intrinsic", "categorical", "extrinsic"})
    for (const nlohmann::json& input : constants[kind])
      columns.push_back(input["column"]);
  std::string out;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    Words values;
    for (const std::string& column : columns) {
      const auto place = std::find(rows[0].begin(), rows[0].end(), column) - rows[0].begin();
      const std::string& cell = rows[row][static_cast<std::size_t>(place)];
      values.push_back(parse_number(cell) ? cell : '"' + cell + '"');
    }
    out += before + "predict(" + perfmodel::joined(values, ", ") + ")" + after + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE_METHOD(ProcessTest, "the correction of a process is shown beside the formula's shares",
                 "[process]") {
  write("few.csv", text_of(first_rows("lenet5_train900.csv", 80)));
  const ProgramResult fitted =
      run(both_lists(both_lists({"fit", "few.csv"}, kProduct), {"-o", "few.json"})).succeeded();
  const nlohmann::json model = nlohmann::json::parse(read("few.json"));
  std::vector<double> changes;
  double here = 0;
  for (std::size_t line = 2; line <= 81; ++line) {
    const ProgramResult predicted = run(
        {"predict", "few.json", "--json", "--quiet", "--like", "few.csv:" + std::to_string(line)});
    const nlohmann::json said = nlohmann::json::parse(predicted.output);
    const double factor = said["predicted_time_s"].get<double>() / said["trend"].get<double>();
    changes.push_back(std::abs(factor - 1));
    if (model["central_run"]["line"] == line)
      here = factor;
  }
  std::sort(changes.begin(), changes.end());
  // The upper of the two middle ones.
  const double typical = model["correction"]["typical"];
  CHECK(typical == Catch::Approx(changes[40]).epsilon(1e-9));
  const std::string change = (here > 1 ? "+" : "") + perfmodel::percent(100 * (here - 1));
  const std::string place =
      "the central run (line " + std::to_string(model["central_run"]["line"].get<int>()) + ")";
  CHECK_THAT(fitted.errors,
             ContainsSubstring("times a residual correction: " + change + " at " + place +
                               ", typically " + perfmodel::percent(100 * typical) + "\n"));
  CHECK_THAT(run({"show", "few.json"}).errors,
             ContainsSubstring("typically changes a time by " + perfmodel::percent(100 * typical)));
  const std::string page = run({"report", "few.json", "few.csv"}).output;
  CHECK_THAT(page, ContainsSubstring("beside the formula a residual correction: " + change +
                                     " here, typically " + perfmodel::percent(100 * typical)));
  CHECK_THAT(page, ContainsSubstring("(" + change + ")"));
}

TEST_CASE_METHOD(ProcessTest, "a residual process predicts runs that it has not seen better",
                 "[cli][process]") {
  const Words judged = {"--test", kData + "lenet5_test300.csv"};
  const Words alone = {"--expression", "multi", "--terms", "1", "--residual", "none"};
  const nlohmann::json plain = fit(both_lists(alone, judged), "plain.json");
  const nlohmann::json with = fit(both_lists(kProduct, judged), "with.json");
  const auto error = [](const nlohmann::json& model, const char* part) {
    return model["metrics"][part]["mape_percent"].get<double>();
  };
  CHECK(error(with, "train") < 0.6 * error(plain, "train"));
  CHECK(error(with, "test") < 0.6 * error(plain, "test"));
  CHECK(largest_difference(predictions("with.json"), predictions("plain.json")) > 0.05);
  CHECK(with["schema_version"] == 2);
  CHECK(plain["schema_version"] == 1);
  CHECK(with["expression"]["form"] == "process");
  CHECK(with["search"]["priors"].size() == 4);
  CHECK_THAT(with["search"]["objective"].get<std::string>(), ContainsSubstring("likelihood"));
}

TEST_CASE_METHOD(ProcessTest, "the process works on Eq. (4) and on sums",
                 "[cli][process][whole-fits]") {
  const Words judged = {"--test", kData + "lenet5_test300.csv"};
  const auto error = [](const nlohmann::json& model) {
    return model["metrics"]["test"]["mape_percent"].get<double>();
  };
  const double generic = error(fit(judged));
  CHECK(error(fit(both_lists({"--residual", "process"}, judged))) < 0.6 * generic);
  CHECK(error(fit(both_lists({"--expression", "multi", "--terms", "2", "--residual", "process"},
                             judged))) < 0.6 * generic);
}

TEST_CASE_METHOD(ProcessTest, "model.json says enough about a process to predict from it",
                 "[cli][process][whole-fits]") {
  if (!succeeds("python3 -c ''"))
    return;
  for (const Words& how : {kProduct, Words{"--residual", "process"}}) {
    fit(how);
    const auto printed =
        output_of("python3 " PERFMODEL_SOURCE_DIR "/tests/fit/predict_from_json.py " +
                  file("model.json") + " " + file("asked.csv"));
    REQUIRE(printed);
    std::vector<double> times;
    std::vector<double> trends;
    std::istringstream lines(*printed);
    for (double trend = 0, factor = 0, time = 0; lines >> trend >> factor >> time;) {
      trends.push_back(trend);
      times.push_back(time);
    }
    CHECK(largest_difference(times, predictions()) < 1e-9);

    const std::vector<Words> asked = rows_of(read("asked.csv"));
    Words set = {"predict", "model.json", "--json"};
    for (std::size_t j = 0; j + 1 < asked[0].size(); ++j) {
      set.emplace_back("--set");
      set.push_back(asked[0][j] + "=" + asked[1][j]);
    }
    const nlohmann::json answer = run(set).json();
    CHECK(answer["trend"].get<double>() == Catch::Approx(trends[0]).epsilon(1e-9));
    CHECK(answer["trend"].get<double>() * answer["process"].get<double>() ==
          Catch::Approx(answer["predicted_time_s"].get<double>()).epsilon(1e-12));
  }
}

TEST_CASE_METHOD(ProcessTest, "code computes trend and process as predict does", "[cli][process]") {
  for (const Words& how : {kProduct, Words{"--residual", "process"}}) {
    const nlohmann::json constants = fit(how)["constants"];
    const std::vector<double> expected = predictions();
    const std::vector<Words> asked = rows_of(read("asked.csv"));
    if (succeeds(kPython + "-c 'import numpy'")) {
      write("code.py", run({"show", "model.json", "--as", "python"}).output +
                           calls(constants, asked, "print(repr(", "))"));
      CHECK(largest_difference(numbers_of(*output_of(kPython + file("code.py"))), expected) < 1e-9);
    }
    if (succeeds("node --version")) {
      write("code.js", run({"show", "model.json", "--as", "javascript"}).output +
                           calls(constants, asked, "console.log(", ")"));
      CHECK(largest_difference(numbers_of(*output_of("node " + file("code.js"))), expected) < 1e-9);
    }
    write("code.c", run({"show", "model.json", "--as", "c"}).output +
                        "#include <stdio.h>\nint main(void) {\n" +
                        calls(constants, asked, "printf(\"%.17g\\n\", ", ");") + "return 0;\n}\n");
    if (succeeds("cc --version")) {
      REQUIRE(succeeds("cc -std=c99 -pedantic -Wall -Wextra -Werror " + file("code.c") + " -o " +
                       file("code") + " -lm"));
      CHECK(largest_difference(numbers_of(*output_of(file("code"))), expected) < 1e-9);
    }
  }
  CHECK_THAT(run({"show", "model.json"}).output, ContainsSubstring("times a residual correction"));
  CHECK_THAT(run({"show", "model.json", "--as", "spreadsheet"}).failed(3),
             ContainsSubstring("--as python"));
}

TEST_CASE_METHOD(ProcessTest, "a process does not depend on the order of rows and columns",
                 "[cli][process][whole-fits]") {
  std::vector<Words> rows = rows_of(read("runs.csv"));
  std::vector<std::size_t> columns(rows[0].size());
  for (std::size_t j = 0; j < columns.size(); ++j)
    columns[j] = (5 * j + 3) % columns.size();
  std::sort(columns.begin(), columns.end());
  std::rotate(columns.begin(), columns.begin() + 4, columns.end());
  for (Words& row : rows) {
    Words other;
    for (const std::size_t j : columns)
      other.push_back(row[j]);
    row = other;
  }
  std::mt19937 random(7);
  std::shuffle(rows.begin() + 1, rows.end(), random);
  write("other.csv", text_of(rows));
  for (const Words& how : {kProduct, Words{"--residual", "process"}}) {
    fit(how);
    fit(how, "other.json", "other.csv");
    CHECK(largest_difference(predictions("other.json"), predictions()) < 1e-6);
  }
}

TEST_CASE_METHOD(ProcessTest, "a process does not depend on units", "[cli][process][whole-fits]") {
  const auto scaled = [&](const std::string& name) {
    std::vector<Words> rows = rows_of(read(name));
    for (std::size_t j = 0; j < rows[0].size(); ++j) {
      const double factor = rows[0][j] == "time_s" ? 1000 : rows[0][j] == "learning_rate" ? 3.7 : 1;
      for (std::size_t i = 1; i < rows.size() && factor != 1; ++i)
        rows[i][j] = to_text(factor * parse_number(rows[i][j]).value());
    }
    return text_of(rows);
  };
  write("other.csv", scaled("runs.csv"));
  write("other_asked.csv", scaled("asked.csv"));
  for (const Words& how :
       {kProduct, Words{"--residual", "process"},
        Words{"--expression", "multi", "--terms", "2", "--residual", "process"}}) {
    fit(how);
    fit(how, "other.json", "other.csv");
    std::vector<double> other = predictions("other.json", "other_asked.csv");
    for (double& time : other)
      time /= 1000;
    CAPTURE(how);
    CHECK(largest_difference(other, predictions()) < 1e-6);
  }
}

TEST_CASE_METHOD(ProcessTest, "threads change no byte of a process", "[cli][process]") {
  fit(both_lists(kProduct, {"--threads", "1"}), "one.json");
  fit(both_lists(kProduct, {"--threads", "3"}), "three.json");
  CHECK(read("one.json") == read("three.json"));
}

TEST_CASE_METHOD(ProcessTest, "options that do not go with a process are refused",
                 "[cli][process]") {
  const auto refused = [&](const Words& arguments, const std::string& name) {
    CHECK_THAT(run(both_lists(arguments, {"--residual", "process"})).failed(2),
               ContainsSubstring(name));
  };
  refused({"fit", "runs.csv", "--loss", "mape"}, "--loss");
  refused({"fit", "runs.csv", "--l1", "0.1"}, "--l1");
  refused({"fit", "runs.csv", "--l2", "0.1"}, "--l2");
  refused({"fit", "runs.csv", "--method", "paper"}, "--method");
  refused({"fit", "runs.csv", "--bounds", "p=-2:2"}, "--bounds");
  refused({"fit", "runs.csv", "--repeats", "3"}, "--repeats");
  refused({"sweep", "runs.csv"}, "--residual");
  refused({"compare", "runs.csv"}, "--residual");
  CHECK(run({"fit", "runs.csv", "--residual", "forest"}).exit_code == 2);
}

TEST_CASE_METHOD(ProcessTest, "every command that judges models handles a residual process",
                 "[cli][process]") {
  const nlohmann::json model = fit(both_lists(
      kProduct, {"--bootstrap", "20", "--folds", "3", "--coverage", "0.9", "--split", "80:20"}));
  CHECK(model["uncertainty"]["samples"] == 20);
  CHECK(model["cross_validation"]["folds"] == 3);
  CHECK(model["prediction_intervals"]["level"] == 0.9);
  CHECK(model["cross_validation"]["metrics"]["mape_percent"]["mean"].get<double>() < 30);

  CHECK(run({"evaluate", "model.json", "runs.csv"}).exit_code == 0);
  CHECK(run({"report", "model.json", "runs.csv", "-o", "page.html"}).exit_code == 0);
  CHECK_THAT(read("page.html"), ContainsSubstring("with a residual correction"));
  std::vector<Words> configurations = rows_of(read("asked.csv"));
  for (Words& row : configurations)
    row.pop_back();
  write("configurations.csv", text_of(configurations));
  CHECK(run({"simulate", "model.json", "configurations.csv"}).exit_code == 0);
  Words set = {"scaling", "model.json", "--column", "workers", "--at", "1,2"};
  const std::vector<Words> asked = rows_of(read("asked.csv"));
  for (std::size_t j = 0; j + 1 < asked[0].size(); ++j) {
    if (asked[0][j] != "workers") {
      set.emplace_back("--set");
      set.push_back(asked[0][j] + "=" + asked[1][j]);
    }
  }
  run(set).succeeded();
}

TEST_CASE_METHOD(ProcessTest, "compare lists a product with a process and accepts a gate on it",
                 "[cli][process][whole-fits]") {
  const nlohmann::json model = fit(both_lists(kProduct, {"--split", "80:20"}));
  const ProgramResult result = run({"compare", "runs.csv", "--target", "time_s", "--split", "80:20",
                                    "--format", "json", "--fail-if", "process.mape>0.1"});
  CHECK(result.exit_code == 4);
  CHECK_THAT(result.errors, ContainsSubstring("holds on product and process, runs.csv"));
  const nlohmann::json models = nlohmann::json::parse(result.output)["models"];
  const auto found = std::find_if(models.begin(), models.end(), [](const nlohmann::json& score) {
    return score["name"] == "product and process";
  });
  REQUIRE(found != models.end());
  CHECK((*found)["metrics"]["test"] == model["metrics"]["test"]);
}

TEST_CASE_METHOD(ProcessTest, "simulate draws laws that the runs of a process allow",
                 "[cli][process][whole-fits]") {
  fit(kProduct);
  // Configurations that were measured, and others, each twice.
  std::vector<Words> rows = rows_of(read("asked.csv"));
  const std::vector<Words> known = rows_of(read("runs.csv"));
  rows.insert(rows.end(), known.begin() + 1, known.begin() + 26);
  const std::vector<Words> once(rows.begin() + 1, rows.end());
  rows.insert(rows.end(), once.begin(), once.end());
  for (Words& row : rows)
    row.pop_back();
  write("configurations.csv", text_of(rows));
  const auto times = [&](const Words& further) {
    const ProgramResult result =
        run(both_lists({"simulate", "model.json", "configurations.csv"}, further)).succeeded();
    std::vector<double> out;
    for (const Words& row : rows_of(result.output))
      if (const auto number = perfmodel::parse_number(row.back()))
        out.push_back(std::log(*number));
    REQUIRE(out.size() == 100);
    return out;
  };
  const std::vector<double> mean = times({});
  CHECK(mean == times({"--seed", "2"}));
  CHECK(times({"--draw"}) == times({"--draw", "--seed", "1"}));
  constexpr std::size_t kDraws = 240;
  std::vector<double> squares(50, 0);
  for (std::size_t seed = 1; seed <= kDraws; ++seed) {
    const std::vector<double> drawn = times({"--draw", "--seed", std::to_string(seed)});
    for (std::size_t i = 0; i < 50; ++i) {
      CHECK(std::abs(drawn[i] - drawn[i + 50]) < 1e-6);  // one law: twice the same
      squares[i] += (drawn[i] - mean[i]) * (drawn[i] - mean[i]) / kDraws;
    }
  }
  const auto root_mean = [&](std::size_t begin) {
    double sum = 0;
    for (std::size_t i = begin; i < begin + 25; ++i)
      sum += squares[i];
    return std::sqrt(sum / 25);
  };
  // Where it was measured a law is held to the noise of a run, elsewhere it is freer.
  const nlohmann::json process = nlohmann::json::parse(read("model.json"))["constants"]["process"];
  CHECK(root_mean(25) < std::sqrt(process["noise"].get<double>()));
  CHECK(root_mean(25) > 0.1 * std::sqrt(process["noise"].get<double>()));
  // The quotient, 1.2, has a standard error of 2 % in so many draws.
  CHECK(root_mean(0) > 1.1 * root_mean(25));

  fit({"--expression", "multi", "--terms", "1"}, "plain.json");
  CHECK_THAT(run({"simulate", "plain.json", "configurations.csv", "--draw"}).failed(2),
             ContainsSubstring("--draw needs a model with a residual correction"));
}

TEST_CASE_METHOD(ProcessTest, "constants beside a process say whether the runs determine them",
                 "[cli][process][whole-fits]") {
  const nlohmann::json sum =
      fit({"--expression", "multi", "--terms", "2", "--residual", "process"})["constants"];
  for (const nlohmann::json& term : sum["terms"])
    for (const nlohmann::json& factors : term["levels"])
      CHECK(factors.begin().value() == 1);  // relative to the first
  for (const nlohmann::json& input : sum["extrinsic"])
    CHECK(input["scaling_power_identified"].is_boolean());
  fit(kProduct);
  CHECK_THAT(run({"show", "model.json"}).output, ContainsSubstring("times a residual correction"));
  const nlohmann::json generic = fit({"--residual", "process"})["constants"];
  CHECK(generic["C_identified"].is_boolean());
  CHECK(run({"report", "model.json", "runs.csv", "-o", "page.html"}).exit_code == 0);
}

TEST_CASE_METHOD(ProcessTest, "scaling tables are full predictions, including the process",
                 "[cli][process]") {
  fit(kProduct);
  const std::vector<Words> asked = rows_of(read("asked.csv"));
  Words set = {"scaling", "model.json", "--column", "batch_size",
               "--at",    "8,32,128",   "--format", "json"};
  std::vector<Words> configurations = {asked[0], asked[1], asked[1], asked[1]};
  const char* const batches[] = {"8", "32", "128"};
  for (std::size_t j = 0; j + 1 < asked[0].size(); ++j) {
    if (asked[0][j] != "batch_size") {
      set.emplace_back("--set");
      set.push_back(asked[0][j] + "=" + asked[1][j]);
    } else {
      for (std::size_t k = 0; k < 3; ++k)
        configurations[k + 1][j] = batches[k];
    }
  }
  write("line.csv", text_of(configurations));
  const std::vector<double> times = predictions("model.json", "line.csv");
  const nlohmann::json table = run(set).json();
  REQUIRE(table["rows"].size() == 3);
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(table["rows"][k]["time"].get<double>() == Catch::Approx(times[k]).epsilon(1e-12));
}

TEST_CASE_METHOD(ProcessTest, "suggest finds the configurations that a process knows least about",
                 "[cli][process]") {
  std::vector<Words> rows = rows_of(read("runs.csv"));
  const auto column = std::find(rows[0].begin(), rows[0].end(), "dataset") - rows[0].begin();
  const auto dataset = static_cast<std::size_t>(column);
  std::vector<Words> known = {rows[0]};
  std::vector<Words> plan = {rows[0]};
  std::size_t few = 0;  // of cifar10
  for (std::size_t row = 1; row < rows.size(); ++row) {
    const bool rare = rows[row][dataset] == "cifar10";
    if (row <= 120 ? !rare || ++few <= 2 : row <= 150)
      (row <= 120 ? known : plan).push_back(rows[row]);
  }
  plan.push_back(known[1]);  // nothing new
  write("known.csv", text_of(known));
  write("plan.csv", text_of(plan));
  fit(kProduct, "model.json", "known.csv");
  const auto next = [&](const std::string& count, const Words& further) {
    return run(both_lists({"suggest", "model.json",
                           std::string(PERFMODEL_SOURCE_DIR) + "/examples/measure/space.json",
                           "--among", "plan.csv", "--format", "json", "--next", count},
                          further))
        .json();
  };
  const nlohmann::json all = next("1000", {});
  REQUIRE(all["next"].size() == plan.size() - 1);
  CHECK(all["next"][0]["configuration"]["dataset"] == "cifar10");
  CHECK(all["next"].back()["configuration"]["dataset"] != "cifar10");
  // The model knows its runs; what was measured since counts, too.
  const nlohmann::json given = next("3", {"--runs", "known.csv"});
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(given["next"][i]["configuration"] == all["next"][i]["configuration"]);
  write("later.csv", text_of(both_lists_of(known, {plan[1], plan[2], plan[3]})));
  CHECK(next("1", {"--runs", "later.csv"})["mean_deviation"] < all["mean_deviation"]);
  CHECK_THAT(run({"plan", std::string(PERFMODEL_SOURCE_DIR) + "/examples/measure/space.json", "-n",
                  "9", "--method", "d-optimal", "--model", "model.json"})
                 .failed(2),
             ContainsSubstring("suggest --next plans for predictions"));
}

TEST_CASE_METHOD(ProcessTest, "a process that contradicts itself is refused", "[cli][process]") {
  const nlohmann::json model = fit(kProduct);
  const auto refused = [&](const std::function<void(nlohmann::json&)>& spoil,
                           const std::string& field) {
    nlohmann::json other = model;
    spoil(other["constants"]["process"]);
    write("spoilt.json", other.dump());
    CHECK_THAT(run({"predict", "spoilt.json", "asked.csv"}).failed(3), ContainsSubstring(field));
  };
  for (const auto& [file, version] : {std::pair{"process.json", 1}, std::pair{"plain.json", 2}}) {
    nlohmann::json other = file == std::string("plain.json") ? fit({}) : model;
    other["schema_version"] = version;
    write(file, other.dump());
    CHECK_THAT(run({"predict", file, "asked.csv"}).failed(3), ContainsSubstring("schema_version"));
  }
  refused([](nlohmann::json& process) { process["noise"] = 0; }, "process.noise");
  refused([](nlohmann::json& process) { process["weights"].erase(0); }, "process.weights");
  refused([](nlohmann::json& process) { process["numbers"][0]["codes"][0] = 9999; }, "codes[0]");
  refused(
      [](nlohmann::json& process) {
        nlohmann::json& numbers = process["numbers"][0];
        numbers["codes"][0] = numbers["values"].size();
      },
      "codes[0]");
  refused([](nlohmann::json& process) { process["numbers"].erase(0); }, "every input");
  refused([](nlohmann::json& process) { process["levels"][0]["column"] = "colour"; }, "'colour'");
}
