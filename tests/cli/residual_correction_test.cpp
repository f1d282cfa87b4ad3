#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/csv_text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::parse_number;
using perfmodel::to_text;

namespace {

const std::string kData = PERFMODEL_SOURCE_DIR "/data/";
const Words kProduct = {"--expression", "multi", "--terms", "1", "--residual", "process"};

std::string text_of(const std::vector<Words>& rows) {
  std::string out;
  for (const Words& row : rows)
    out += perfmodel::joined(row, ",") + "\n";
  return out;
}

/// The first rows of a file of the project, with its header.
std::vector<Words> first_rows(const std::string& name, std::size_t count) {
  std::vector<Words> rows = csv_cells(read_text(kData + name));
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
    const std::vector<Words> rows = csv_cells(run({"predict", model, asked}).succeeded().output);
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

/// --set of the first configuration of asked.csv.
Words settings_of(const std::vector<Words>& asked) {
  Words out = {"--set"};
  for (std::size_t j = 0; j + 1 < asked[0].size(); ++j)
    out.push_back(asked[0][j] + "=" + asked[1][j]);
  return out;
}

/// C that prints predict() for the rows of a CSV file, with columns in the order of the model.
std::string printed_rows(const nlohmann::json& constants, const std::vector<Words>& rows) {
  Words columns;
  for (const char* kind : {"intrinsic", "categorical", "extrinsic"})
    for (const nlohmann::json& input : constants[kind])
      columns.push_back(input["column"]);
  std::string out = "#include <stdio.h>\nint main(void) {\n";
  for (std::size_t row = 1; row < rows.size(); ++row) {
    Words values;
    for (const std::string& column : columns) {
      const auto place = std::find(rows[0].begin(), rows[0].end(), column) - rows[0].begin();
      const std::string& cell = rows[row][static_cast<std::size_t>(place)];
      values.push_back(parse_number(cell) ? cell : '"' + cell + '"');
    }
    out += "printf(\"%.17g\\n\", predict(" + perfmodel::joined(values, ", ") + "));\n";
  }
  return out + "return 0;\n}\n";
}

}  // namespace

TEST_CASE_METHOD(ProcessTest, "a residual process predicts runs that it has not seen better",
                 "[cli][process][whole-fits]") {
  const Words judged = {"--test", kData + "lenet5_test300.csv"};
  const Words alone = {"--expression", "multi", "--terms", "1", "--residual", "none"};
  const nlohmann::json plain = fit(both_of(alone, judged), "plain.json");
  const nlohmann::json with = fit(both_of(kProduct, judged), "with.json");
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

  // So do those of Eq. (4) and of sums.
  const double eq4 = error(fit(judged), "test");
  for (const Words& how : {Words{"--residual", "process"},
                           Words{"--expression", "multi", "--terms", "2", "--residual", "process"}})
    CHECK(error(fit(both_of(how, judged)), "test") < 0.6 * eq4);
}

TEST_CASE_METHOD(ProcessTest,
                 "code and a reader of model.json compute trend and process as predict does",
                 "[cli][process]") {
  for (const Words& how : {kProduct, Words{"--residual", "process"}}) {
    const nlohmann::json constants = fit(how)["constants"];
    const std::vector<double> expected = predictions();
    const std::vector<Words> asked = csv_cells(read("asked.csv"));
    if (succeeds("python3 -c ''")) {
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
      CHECK(largest_difference(times, expected) < 1e-9);
      const nlohmann::json answer =
          run({"predict", "model.json", "--json"}, settings_of(asked)).json();
      CHECK(answer["trend"].get<double>() == Catch::Approx(trends[0]).epsilon(1e-9));
      CHECK(answer["trend"].get<double>() * answer["process"].get<double>() ==
            Catch::Approx(answer["predicted_time_s"].get<double>()).epsilon(1e-12));
    }
    if (succeeds("cc --version")) {
      write("code.c",
            run({"show", "model.json", "--as", "c"}).output + printed_rows(constants, asked));
      REQUIRE(succeeds("cc -std=c99 -pedantic -Wall -Wextra -Werror " + file("code.c") + " -o " +
                       file("code") + " -lm"));
      std::vector<double> times;
      for (const std::string& line : lines_of(*output_of(file("code"))))
        times.push_back(parse_number(line).value());
      CHECK(largest_difference(times, expected) < 1e-9);
    }
    CHECK_THAT(run({"show", "model.json"}).output,
               ContainsSubstring("times a residual correction"));
  }
}

TEST_CASE_METHOD(ProcessTest, "a process does not depend on units", "[cli][process][whole-fits]") {
  const auto scaled = [&](const std::string& name) {
    std::vector<Words> rows = csv_cells(read(name));
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

TEST_CASE_METHOD(ProcessTest, "compare lists a product with a process and accepts a gate on it",
                 "[cli][process][whole-fits]") {
  const nlohmann::json model = fit(both_of(kProduct, {"--split", "80:20"}));
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
  std::vector<Words> rows = csv_cells(read("asked.csv"));
  const std::vector<Words> known = csv_cells(read("runs.csv"));
  rows.insert(rows.end(), known.begin() + 1, known.begin() + 26);
  const std::vector<Words> once(rows.begin() + 1, rows.end());
  rows.insert(rows.end(), once.begin(), once.end());
  for (Words& row : rows)
    row.pop_back();
  write("configurations.csv", text_of(rows));
  const auto times = [&](const Words& further) {
    const ProgramResult result =
        run(both_of({"simulate", "model.json", "configurations.csv"}, further)).succeeded();
    std::vector<double> out;
    for (const Words& row : csv_cells(result.output))
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
  const nlohmann::json gp = nlohmann::json::parse(read("model.json"))["constants"]["process"];
  CHECK(root_mean(25) < std::sqrt(gp["noise"].get<double>()));
  CHECK(root_mean(25) > 0.1 * std::sqrt(gp["noise"].get<double>()));
  // The quotient, 1.2, has a standard error of 2 % in so many draws.
  CHECK(root_mean(0) > 1.1 * root_mean(25));
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
  const nlohmann::json eq4 = fit({"--residual", "process"})["constants"];
  CHECK(eq4["C_identified"].is_boolean());
  CHECK(run({"report", "model.json", "runs.csv", "-o", "page.html"}).exit_code == 0);
}
