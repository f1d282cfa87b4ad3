// The formats of commands that print tables.

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/csv_text.hpp"
#include "support/markdown.hpp"
#include "support/program_fixture.hpp"
#include "support/sample_runs.hpp"
#include "support/shell.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using FormatsJson = nlohmann::json;

namespace {

class FormatsTest : public SampleModelTest {
 public:
  FormatsTest() {
    write("runs.csv", sample_runs());
    write("space.json", R"({"schema": "perfmodel/space", "schema_version": 1, "columns": [
      {"column": "filters", "values": [4, 8]}, {"column": "activation", "values": ["relu", "tanh"]},
      {"column": "workers", "values": [1, 2, 4]}]})");
    write("layers.csv", "layer,t_f_us,t_b_us,grad_bytes\n1,4,3,1000\n2,3,5,2000\n");
  }

  std::string in_format(const Words& arguments, const std::string& format) const {
    INFO(perfmodel::joined(arguments, " "));
    return run(arguments, {"--format", format, "--quiet"}).succeeded().output;
  }
};

const std::vector<Words> kTables = {
    {"evaluate", "model.json", "runs.csv", "--outliers", "2"},
    {"scaling", "model.json", "--column", "workers"},
    {"suggest", "model.json", "space.json"},
    {"plan", "space.json", "-n", "3"},
    {"ssgd", "layers.csv", "--workers", "3", "--allreduce", "ring", "--alpha-us", "3",
     "--bandwidth", "10"},
    {"sweep", "runs.csv", "--lambdas", "1e-3:1e-2:2", "--starts", "1", "--penalty", "l2"}};

/// How often a character stands in a line without a backslash before it.
std::size_t bare(const std::string& line, char wanted) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < line.size(); ++i)
    count += line[i] == wanted && (i == 0 || line[i - 1] != '\\') ? 1U : 0U;
  return count;
}

}  // namespace

TEST_CASE_METHOD(FormatsTest, "every table can be printed in every format", "[cli]") {
  for (const Words& command : kTables) {
    INFO(perfmodel::joined(command, " "));
    const std::string markdown = in_format(command, "markdown");
    std::size_t tables = 0;
    const auto lines = lines_of(markdown);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (!lines[i].starts_with("| ---"))
        continue;
      ++tables;
      CHECK(bare(lines[i - 1], '|') == bare(lines[i], '|'));
      CHECK((i < 2 || lines[i - 2].empty()));  // else the table would be part of a paragraph
    }
    CHECK(tables >= 1);

    const std::string latex = in_format(command, "latex");
    std::size_t columns = 0;
    std::size_t latex_tables = 0;
    for (const std::string& line : lines_of(latex)) {
      if (line.starts_with("%") || line.empty())
        continue;
      INFO(line);
      if (line.starts_with("\\begin{tabular}{")) {
        ++latex_tables;
        columns = line.size() - std::string("\\begin{tabular}{}").size();
      } else if (line != "\\end{tabular}") {
        CHECK(bare(line, '&') <= columns - 1);
        CHECK(line.find("\\\\") != std::string::npos);
        CHECK((bare(line, '%') + bare(line, '_') + bare(line, '#') + bare(line, '$') == 0));
        CHECK(bare(line, '{') == bare(line, '}'));
      }
    }
    CHECK(latex_tables == tables);

    const auto csv = lines_of(in_format(
        command.front() == "evaluate" ? Words{"evaluate", "model.json", "runs.csv"} : command,
        "csv"));
    REQUIRE(csv.size() >= 2);
    CHECK(FormatsJson::parse(in_format(command, "json"))["schema"].get<std::string>().starts_with(
        "perfmodel/"));
  }
}

TEST_CASE_METHOD(FormatsTest, "csv has the figures of the JSON under their names", "[cli]") {
  const auto check = [&](const Words& command, const std::string& list) {
    auto csv = csv_cells(in_format(command, "csv"));
    const FormatsJson rows = FormatsJson::parse(in_format(command, "json"))[list];
    REQUIRE(csv.size() == rows.size() + 1);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      csv[r + 1].resize(csv[0].size());  // empty ones at the end
      for (std::size_t column = 0; column < csv[0].size(); ++column) {
        const std::string& name = csv[0][column];
        const std::string& cell = csv[r + 1][column];
        INFO(name << " of row " << r << ": " << cell);
        REQUIRE((name == "limited_by" || rows[r].contains(name)));
        const FormatsJson value = name != "limited_by" || rows[r]["limit"].is_null()
                                      ? rows[r].value(name, FormatsJson())
                                      : rows[r]["limit"]["part"];
        if (value.is_null())
          CHECK(cell.empty());
        else if (value.is_number())
          CHECK(perfmodel::parse_number(cell) == value.get<double>());
        else
          CHECK(cell == (value.is_string() ? value.get<std::string>() : value.dump()));
      }
    }
  };
  check({"scaling", "model.json", "--column", "workers"}, "rows");
  check({"plan", "space.json", "-n", "4"}, "configurations");
  check(kTables[4], "schedules");
}

TEST_CASE_METHOD(FormatsTest, "md is short for markdown, and plan writes CSV unless told",
                 "[cli]") {
  CHECK(in_format(kTables[1], "md") == in_format(kTables[1], "markdown"));
  CHECK(in_format(kTables[1], "text") == run(kTables[1]).output);
  CHECK(in_format(kTables[3], "csv") == run(kTables[3]).output);
  CHECK_THAT(run({"scaling", "model.json", "--format", "junit"}).errors,
             ContainsSubstring(
                 "'junit' is not one of 'text', 'json', 'csv', 'markdown', 'md' and 'latex'"));
}

TEST_CASE_METHOD(FormatsTest, "conditions are test cases of JUnit and annotations of GitHub",
                 "[cli]") {
  const Words command = {"evaluate",  "model.json", "runs.csv", "--fail-if", "mape>1",
                         "--fail-if", "r2<-1e9",    "--quiet",  "--format"};
  const auto in = [&](const std::string& format) { return run(command, {format}); };
  const double mape = FormatsJson::parse(in("json").output)["metrics"]["mape_percent"];
  const ProgramResult junit = in("junit");
  CHECK(junit.exit_code == 4);
  CHECK_THAT(junit.output, ContainsSubstring(" tests=\"2\" failures=\"1\" "));
  CHECK_THAT(junit.output,
             ContainsSubstring("<testcase classname=\"model.json on runs.csv\" name=\"fail if "
                               "mape&gt;1\">\n      <failure type=\"condition\" "
                               "message=\"mape&gt;1 holds: " +
                               perfmodel::to_text(mape) + "\"/>\n    </testcase>\n"));
  CHECK_THAT(junit.output, ContainsSubstring("name=\"fail if r2&lt;-1e9\"/>\n"));
  write("junit.xml", junit.output);
  const std::string parse = "python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' ";
  if (succeeds("python3 -c 'import xml.dom.minidom'"))
    CHECK(succeeds(parse + directory().path().string() + "/junit.xml"));

  const ProgramResult github = in("github");
  CHECK(github.exit_code == 4);
  const auto lines = lines_of(github.output);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("::notice title=model.json on runs.csv::48 rows: MAPE "));
  CHECK_THAT(lines[0], ContainsSubstring(" %25, MAE"));
  CHECK(lines[1] ==
        "::error title=model.json on runs.csv::failed: mape>1: " + perfmodel::to_text(mape));
  CHECK(lines[2].starts_with("::notice title=model.json on runs.csv::passed: r2<-1e9: "));
  CHECK_THAT(
      run({"evaluate", "model.json", "runs.csv", "--format", "junit"}).failed(2),
      ContainsSubstring("--format junit needs --fail-if: it reports conditions such as 'mape>15'"));
}
