#include <cmath>
#include <sstream>
#include <string>
#include <vector>

#include "import/readers.hpp"
#include "perfmodel/error.hpp"
#include "sources/source.hpp"
#include "support/program_fixture.hpp"
#include "support/shell.hpp"

namespace perfmodel {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::Message;
using test::ProgramTest;

const std::string kText =
    "# two parameters\n"
    "PARAMETER p\n"
    "PARAMETER n\n"
    "POINTS (8 100) ( 16 100 )\n"
    "POINTS ((8) (1e3))\n"
    "\n"
    "REGION main->solve it\n"
    "METRIC time\n"
    "DATA 1.5 2.50 nan\n"
    "DATA 3\n"
    "DATA 4\n"
    "METRIC bytes moved\n"
    "DATA 10 20\n"
    "DATA 30\n"
    "DATA 40\r\n";

std::string text_csv(const std::string& text) {
  return read_extrap_text(text, "runs.txt").csv();
}

std::string json_csv(const std::string& text) {
  const JsonCursor document = JsonCursor::parse("runs.json", text);
  return extrap_rows({&document, 1}).value().csv();
}

std::optional<NamedRows> rows_of_lines(const std::string& text) {
  std::vector<JsonCursor> documents;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    documents.push_back(
        JsonCursor::parse("runs.jsonl:" + std::to_string(documents.size() + 1), line));
  return extrap_rows(documents);
}

TEST_CASE("Extra-P's text has a row per point, region and repetition", "[extrap]") {
  CHECK(is_extrap_text(kText));
  CHECK(text_csv(kText) ==
        "p,n,region,time,bytes moved\n"
        "8,100,main->solve it,1.5,10\n"
        "8,100,main->solve it,2.50,20\n"
        "8,100,main->solve it,nan,\n"
        "16,100,main->solve it,3,30\n"
        "8,1000,main->solve it,4,40\n");
  CHECK(read_extrap_text(kText, "runs.txt").results() ==
        std::vector<std::string>{"time", "bytes moved"});
}

TEST_CASE("a metric may change between the regions, or have no name or that of a parameter",
          "[extrap]") {
  CHECK(text_csv("PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 5\nDATA 6\nREGION b\nDATA 7\nDATA 8\n") ==
        "p,region,value\n1,a,5\n2,a,6\n1,b,7\n2,b,8\n");
  CHECK(text_csv("PARAMETER p\nPOINTS (1)(2)\nMETRIC t\nREGION a\nDATA 5\nDATA 6\nMETRIC u\n"
                 "REGION b\nDATA 7\nDATA 8\n") == "p,region,t,u\n1,a,5,\n2,a,6,\n1,b,,7\n2,b,,8\n");
  CHECK(text_csv("PARAMETER t region\nPOINTS (1 2)\nMETRIC t\nREGION a\nDATA 5\n") ==
        "t,region,region_,t_\n1,2,a,5\n");
}

TEST_CASE("faults of Extra-P's text are named with their line", "[extrap]") {
  const std::string head = "PARAMETER p q\nPOINTS (1 2) (3 4)\nREGION a\n";
  const std::vector<std::pair<std::string, std::string>> faults = {
      {head + "DATA 1\nDATA 2\nDATA 3\n", "runs.txt:6: more lines of DATA than the 2 points"},
      {head + "DATA 1\nREGION b\n", "runs.txt:5: 1 line of DATA before here, but 2 points"},
      {head + "DATA 1\n", "runs.txt:4: 1 line of DATA before here, but 2 points"},
      {head + "DATA 1 1,5\nDATA 2\n", "runs.txt:4: \"1,5\" is not a number"},
      {"PARAMETER p q\nPOINTS (1 2 3)\n",
       "runs.txt:2: 3 coordinates are no points of 2 parameters"},
      {"PARAMETER p\nPOINTS (x)\n", "runs.txt:2: \"x\" is not a number"},
      {"POINTS (1)\n", "runs.txt:1: POINTS before PARAMETER"},
      {"PARAMETER p\nPOINTS 1\nPARAMETER q\n", "runs.txt:3: PARAMETER after POINTS"},
      {"PARAMETER p p\n", "runs.txt:1: parameter 'p' is given twice"},
      {"PARAMETER p\nVALUES 1\n",
       "runs.txt:2: \"VALUES\" is none of PARAMETER, POINTS, REGION, METRIC and DATA"}};
  for (const auto& [text, problem] : faults)
    CHECK_THROWS_MATCHES(text_csv(text), InputError, Message(problem));
}

TEST_CASE("CSV with words of Extra-P's text is CSV", "[extrap]") {
  CHECK_FALSE(is_extrap_text("PARAMETER,time\nPOINTS,1\n"));
  CHECK_FALSE(is_extrap_text("p,time\n1,2\n"));
  CHECK_FALSE(is_extrap_text(""));
  CHECK_FALSE(is_extrap_text("PARAMETER p\n"));
  CHECK(is_extrap_text("# c\n\nPARAMETER p\r\nPARAMETER q\r\nPOINTS (1 2)\r\n"));
}

TEST_CASE("TaLPas' lines are JSON with semicolons", "[extrap]") {
  const std::string text =
      "{\"parameters\":{\"n\":2,\"p\":1};\"metric\":\"time\";\"callpath\":\"a\";\"value\":8.5}\n"
      "{\"parameters\":{\"p\":1,\"n\":2};\"metric\":\"flops\";\"callpath\":\"a\";\"value\":9}\n";
  REQUIRE(is_extrap_text(text));
  CHECK(text_csv(text) == "n,p,region,time,flops\n2,1,a,8.5,9\n");
  CHECK_THROWS_WITH(text_csv(text + text.substr(0, 20) + "\n"), Contains("runs.txt:3:1:"));
}

TEST_CASE("Extra-P's JSON refers to regions and metrics by their names or ids", "[extrap]") {
  CHECK(json_csv(R"({"parameters": ["p"], "measurements": {"main": {
      "flops": [{"point": [4], "values": [7]}],
      "time": [{"point": [4], "values": [0.5, 1]}, {"point": [8], "values": [2]}]}}})") ==
        "p,region,flops,time\n4,main,7,0.5\n4,main,,1\n8,main,,2\n");
  CHECK(json_csv(R"({"parameters": [{"id": 1, "name": "p"}],
      "callpaths": [{"id": 9, "name": "main"}],
      "metrics": [{"id": 2, "name": "flops"}, {"id": 1, "name": "time"}],
      "coordinates": [
        {"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 4}]},
        {"id": 7, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 8}]}],
      "measurements": [
        {"id": 0, "callpath_id": 9, "coordinate_id": 1, "metric_id": 1, "value": 0.5},
        {"id": 1, "callpath_id": 9, "coordinate_id": 1, "metric_id": 2, "value": 7},
        {"id": 2, "callpath_id": 9, "coordinate_id": 1, "metric_id": 1, "value": 1},
        {"id": 3, "callpath_id": 9, "coordinate_id": 7, "metric_id": 1, "value": 2}]})") ==
        "p,region,time,flops\n4,main,0.5,7\n4,main,1,\n8,main,2,\n");
  // The document within an .extra-p file has means.
  CHECK(json_csv(R"({"Extra-P": "4.1", "scaling": null, "parameters": ["x"], "measurements": {
      "main": {"time": [{"coordinate": [4], "mean": 3.5, "median": 3, "values": [0, 1]}]}}})") ==
        "x,region,time\n4,main,3.5\n");
}

TEST_CASE("Extra-P's JSON lines are rows with plain names of parameters", "[extrap]") {
  CHECK(rows_of_lines(R"({"params": {"x": 1, "y": 2.5}, "value": [3, 4]}
{"params": {"y": 2.5, "x": 1}, "value": 5}
{"params": {"y": 3, "x": 1}, "value": 6})")
            .value()
            .csv() == "x,y,value\n1,2.5,3\n1,2.5,4\n1,2.5,5\n1,3,6\n");
  CHECK(rows_of_lines(R"({"params": {"x": 1}, "callpath": "a", "metric": "t", "value": 3}
{"params": {"x": 1}, "callpath": "a", "metric": "u", "value": 4})")
            .value()
            .csv() == "x,region,t,u\n1,a,3,4\n");
}

TEST_CASE("other JSON is not taken for Extra-P's", "[extrap]") {
  for (const char* text : {"[]", "{}", "3", R"({"params": {"x": 1}})", R"({"parameters": []})",
                           R"([{"params": {"x": 1}, "value": 2}])"})
    CHECK_FALSE(rows_of_lines(text));
  CHECK_FALSE(extrap_rows({}));
}

TEST_CASE("faults of Extra-P's JSON are named with their place", "[extrap]") {
  const auto lines = [](const std::string& text) { return rows_of_lines(text).value().csv(); };
  CHECK_THROWS_MATCHES(lines("{\"params\": {\"x\": 1}, \"value\": \"a\"}"), InputError,
                       Message("runs.jsonl:1: value: expected a number, not a text"));
  CHECK_THROWS_MATCHES(lines("{\"params\": {\"x\": 1}, \"value\": 1}\n{\"value\": 2}"), InputError,
                       Message("runs.jsonl:2: the field params is missing"));
  CHECK_THROWS_MATCHES(
      lines("{\"params\": {\"x\": 1}, \"value\": 1}\n{\"params\": {}, \"value\": 2}"), InputError,
      Message("runs.jsonl:2: params: expected the parameters of the first line"));
  CHECK_THROWS_MATCHES(
      json_csv(R"({"parameters": ["p", "q"], "measurements": {"m": {"t":
          [{"point": [4], "values": [1]}]}}})"),
      InputError, Message("runs.json: measurements.m.t[0].point: expected a number per parameter"));
  CHECK_THROWS_MATCHES(
      json_csv(R"({"parameters": [], "callpaths": [], "metrics": [], "coordinates": [],
          "measurements": [{"callpath_id": 1, "coordinate_id": 1, "metric_id": 1, "value": 1}]})"),
      InputError, Message("runs.json: measurements[0].coordinate_id: no entry has this id"));
}

/// Extra-P's text: time = 2 p at four sizes, in three repetitions; 'visits' is 1 everywhere but in
/// region b, which has no time.
std::string sized_text() {
  std::string points = "PARAMETER p\nPOINTS 2 4 8 16 32 64\nMETRIC time\nREGION a\n";
  std::string visits = "METRIC visits\nREGION a\n";
  for (int p = 2; p <= 64; p *= 2) {
    points += "DATA " + std::to_string(2 * p) + " " + std::to_string(2 * p) + ".01\n";
    visits += "DATA " + std::to_string(p) + " " + std::to_string(p + 1) + "\n";
  }
  return points + visits + "REGION b\n" + visits.substr(visits.find("DATA"));
}

TEST_CASE_METHOD(ProgramTest,
                 "fit takes a metric of Extra-P's text as the time, and no other as an input",
                 "[extrap][program]") {
  const std::string runs_file = write("runs.txt", sized_text());
  const std::string model = file("model.json");
  const auto fitted = run({"fit", runs_file, "--target", "time", "-o", model}).succeeded();
  CHECK_THAT(fitted.errors,
             Contains("Column 'visits' is another result of the runs and is left out"));
  CHECK_THAT(fitted.errors, Contains("12 of 24 runs have no 'time' and are left out"));
  const auto predicted = run({"predict", model, "--set", "p=32", "--quiet"});
  INFO(predicted.errors);
  CHECK(std::stod(predicted.output) == Approx(64).epsilon(0.01));
  CHECK_THAT(run({"fit", runs_file, "-o", file("again.json")}).succeeded().errors,
             Contains("Column 'time' is taken as the measured time."));
  // Without the name of a time, several metrics need a choice.
  write("runs.txt",
        "PARAMETER p\nPOINTS 1 2\nMETRIC a\nDATA 5\nDATA 6\nMETRIC b\nDATA 7\nDATA 8\n");
  CHECK_THAT(run({"fit", runs_file}).failed(3),
             Contains("which of 'a' and 'b' is the measured time?") && Contains("--target a"));
}

TEST_CASE_METHOD(ProgramTest, "show --as extrap prints a function in Extra-P's notation",
                 "[extrap][program][show][needs-python]") {
  std::string runs = "p,n,kind,time\n";
  for (const int p : {2, 4, 8, 16})
    for (const int n : {10, 20, 40})
      runs += std::to_string(p) + "," + std::to_string(n) + "," + (n == 20 ? "a," : "b,") +
              std::to_string(3 * std::pow(p, 1.5) * std::log2(n) + 20) + "\n";
  const std::string runs_file = write("runs.csv", runs);
  const std::string model = file("model.json");
  const auto fit = [&](const test::Words& more) {
    INFO(run({"fit", runs_file, "--target", "time", "-o", model}, more).errors);
    return run({"show", model, "--as", "extrap"});
  };
  const auto shown = fit({"--expression", "multi", "--ignore", "kind"});
  CHECK_THAT(shown.output, Contains("p^(1.5)") && Contains("log2(n)"));
  const auto value = test::output_of(
      "python3 -c 'import math, sys; print(eval(sys.argv[1].replace(\"^\", \"**\"), {\"p\": 32, "
      "\"n\": 80, \"log2\": math.log2}))' '" +
      shown.output.substr(0, shown.output.size() - 1) + "'");
  REQUIRE(value);
  const auto predicted = run({"predict", model, "--set", "p=32", "n=80", "--quiet"});
  CHECK(std::stod(*value) == Approx(std::stod(predicted.output)).epsilon(1e-12));
  CHECK(std::stod(*value) == Approx(3 * std::pow(32, 1.5) * std::log2(80) + 20).epsilon(1e-3));

  CHECK_THAT(fit({"--expression", "generic", "--extrinsic", "p", "--ignore", "kind"}).output,
             Contains(" * n^(") && Contains("p^("));
  CHECK_THAT(fit({"--expression", "generic", "--extrinsic", "p"}).failed(3),
             Contains("Extra-P has no notation for the levels of 'kind'"));
}

TEST_CASE_METHOD(ProgramTest, "import writes Extra-P's runs as CSV, also from gzip",
                 "[extrap][program]") {
  const std::string runs_file = write("runs.txt", kText);
  const auto plain = run({"import", runs_file}).succeeded();
  CHECK_THAT(plain.output, Contains("8,1000,main->solve it,4,40\n"));
  REQUIRE(test::succeeds("gzip -k '" + runs_file + "'"));
  CHECK(run({"import", runs_file + ".gz"}).output == plain.output);
  CHECK(run({"import", runs_file, "--input-format", "extrap"}).output == plain.output);
  CHECK_THAT(run({"import", runs_file, "--table", "s"}).failed(2),
             Contains("a text file of Extra-P"));
}

}  // namespace
}  // namespace perfmodel
