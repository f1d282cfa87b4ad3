// A space may be written in short, or be a CSV of the configurations themselves, or a model.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"
#include "support/sample_runs.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string columns_in_full =
    R"({"column": "tile", "values": [8, 16]}, {"column": "kind", "values": ["a", "b"]},
       {"column": "threads", "values": [1, 2, 4]})";
const std::string columns_in_short =
    R"({"tile": [8, 16], "kind": ["a", "b"], "threads": [1, 2, 4]})";
const std::string columns_as_rows = csv_grid("tile,kind,threads", {16, 8}, {"b", "a"}, {4, 1, 2},
                                             [](int, const char*, int) { return ""; });

/// Rows that are no grid, as three of twelve combinations.
const std::string some_rows = "tile,kind,threads\n8,a,4\n16,a,1\n16,b,2\n8,a,4\n";
const std::set<std::string> some_lines = {"8,a,4", "16,a,1", "16,b,2"};

std::set<std::string> lines_below_header(const std::string& csv) {
  std::set<std::string> out;
  for (auto at = csv.find('\n') + 1; at < csv.size(); at = csv.find('\n', at) + 1)
    out.insert(csv.substr(at, csv.find('\n', at) - at));
  return out;
}

class SpaceForms : public ProgramTest {
 public:
  std::string plan(const std::string& space, const Words& options) const {
    return run({"plan", write("choices", space)}, options).succeeded().output;
  }
  std::string refused_plan(const std::string& space) const {
    write("choices", space);
    return run({"plan", "choices", "-n", "2"}).refused(3);
  }
};

const std::string example_of_space = R"({"tile": [8, 16], "threads": [1, 2, 4]})";

}  // namespace

TEST_CASE_METHOD(SpaceForms, "each form of a space gives the plan of its full form",
                 "[cli][plan][space]") {
  std::string rows = columns_as_rows;
  for (auto at = rows.find(",\n"); at != std::string::npos; at = rows.find(",\n"))
    rows.erase(at, 1);  // the empty last cells of the grid
  for (const Words& options :
       {Words{"-n", "7"}, Words{"-n", "7", "--seed", "5"}, Words{"-n", "6", "--method", "lhs"},
        Words{"-n", "8", "--method", "d-optimal"}}) {
    const std::string expected = plan(space_of(columns_in_full), options);
    CHECK(plan(R"({"columns": [)" + columns_in_full + "]}", options) == expected);
    CHECK(plan(columns_in_short, options) == expected);
    CHECK(plan(rows, options) == expected);
  }
}

TEST_CASE_METHOD(SpaceForms, "a value of its own in a space is a list of one",
                 "[cli][plan][space]") {
  CHECK(lines_below_header(plan(R"({"tile": 8, "kind": "a", "threads": [1, 2]})", {"-n", "2"})) ==
        std::set<std::string>{"8,a,1", "8,a,2"});
  // A column may be called as a field of the full form.
  CHECK(plan(R"({"columns": [3], "schema": ["x"]})", {"-n", "1"}) == "columns,schema\n3,x\n");
}

TEST_CASE_METHOD(SpaceForms, "a plan of candidates has rows of their file and no others",
                 "[cli][plan][space]") {
  for (const std::string method : {"random", "lhs", "d-optimal"}) {
    CHECK(lines_below_header(plan(some_rows, {"-n", "3", "--method", method})) == some_lines);
    const auto two = lines_below_header(plan(some_rows, {"-n", "2", "--method", method}));
    CHECK(two.size() == 2);
    CHECK(std::ranges::includes(some_lines, two));
  }
  write("rows.csv", some_rows);
  CHECK(run({"plan", "rows.csv", "-n", "4"}).refused(3) ==
        error_prefix + "rows.csv: there are only 3 configurations, not 4\n");
  // Cells with units stay as they are.
  CHECK(lines_below_header(plan("mem,gpus\n16G,1\n512M,2\n", {"-n", "2"})) ==
        std::set<std::string>{"16G,1", "512M,2"});
}

TEST_CASE_METHOD(SpaceForms, "a plan of very many candidates may have all of them",
                 "[cli][plan][space]") {
  // Of three columns whose combinations are too many to be listed.
  std::string rows = "a,b,c\n";
  for (int row = 0; row < 300; ++row)
    rows += csv_row(row, 1000 - row, row * row);
  CHECK(lines_below_header(plan(rows, {"-n", "300"})) == lines_below_header(rows));
}

TEST_CASE_METHOD(SampleModelTest, "plan takes the values of the runs of a model",
                 "[cli][plan][space]") {
  write("runs.csv", csv_grid("size,gpus,time_s", {1, 2, 4, 8}, {1, 2, 4}, [](int size, int gpus) {
          return std::to_string(1 + 0.5 * size / gpus);
        }));
  run({"fit", "runs.csv", "-o", "model.json"}).succeeded();
  const auto lines = lines_below_header(run({"plan", "model.json", "-n", "12"}).succeeded().output);
  CHECK(lines.size() == 12);
  CHECK(lines.contains("8,4"));
}

TEST_CASE_METHOD(SpaceForms, "what is no space is refused with the shortest one",
                 "[cli][plan][space]") {
  const std::string in = error_prefix + "choices: ";
  const std::string as_in = ", as in " + example_of_space + "\n";
  CHECK(refused_plan("[1, 2]") == in + "expected columns and their values" + as_in);
  CHECK(refused_plan("{}") == in + "expected columns and their values" + as_in);
  CHECK(refused_plan(R"({"tile": [8, {"a": 1}]})") ==
        in + "tile[1]: expected a number or a text" + as_in);
  CHECK(refused_plan(R"({"tile": true})") == in + "tile: expected a number or a text" + as_in);
  CHECK(refused_plan(R"({"tile": [8, "a"]})") == in + "tile[1]: expected a number, not a text\n");
  CHECK(refused_plan(R"({"tile": []})") == in + "tile: expected at least one value\n");
  CHECK(refused_plan(R"({"tile": [8, 8]})") == in + "tile[1]: 8 stands twice\n");
  CHECK_THAT(refused_plan("{\"tile\": [8,\n16"), ContainsSubstring("choices:2:"));
  CHECK_THAT(refused_plan(""), ContainsSubstring("choices is empty"));
  CHECK_THAT(refused_plan("nothing to see"), ContainsSubstring(example_of_space));
  CHECK_THAT(refused_plan("tile,threads\n8,1\n16\n"), ContainsSubstring("choices:3: "));
  CHECK_THAT(refused_plan("tile,threads\n8,1\n16,two\n"),
             ContainsSubstring("choices:3: column 'threads': \"two\" is not a number"));
}

TEST_CASE_METHOD(SampleModelTest, "suggest takes a space in short and rows without times",
                 "[cli][suggest][space]") {
  write("full.json", space_of(R"({"column": "filters", "values": [4, 8, 16]},
                                 {"column": "activation", "values": ["tanh", "relu"]},
                                 {"column": "workers", "values": [1, 2]})"));
  write("short", R"({"filters": [4, 8, 16], "activation": ["tanh", "relu"], "workers": [1, 2]})");
  write("rows.csv", "filters,activation,workers\n16,tanh,1\n4,relu,1\n");
  const auto suggested = [&](const std::string& space, const Words& options) {
    auto out = run(both_of({"suggest", "model.json", space, "--format", "json"}, options)).json();
    return out;
  };
  for (const Words& options : {Words{"--top", "12"}, Words{"--next", "5"}}) {
    CHECK(suggested("short", options) == suggested("full.json", options));
    CHECK(suggested("rows.csv", options)["searched"] == 2);
  }
  // Runs have times, and other combinations of their values.
  write("runs.csv", "filters,activation,workers,time_s\n16,tanh,1,3\n4,relu,1,2\n16,relu,1,4\n");
  const std::string next =
      run({"suggest", "model.json", "runs.csv", "--next", "1", "--format", "csv"}).output;
  CHECK_THAT(next, ContainsSubstring("4,tanh,1,"));
}

TEST_CASE_METHOD(SpaceForms, "measure runs exactly the rows of a file", "[cli][campaign][space]") {
  write("rows.csv", "size,gpus\n1,1\n2,4\n4,2\n8,8\n");
  run({"measure", "rows.csv", "--time-from", "took {}", "--repeats", "1", "-o", "model.json", "--",
       "echo", "took", "{size}", "{gpus}"});
  std::set<std::string> measured;
  for (const std::string& line : lines_below_header(read("runs.csv")))
    measured.insert(line.substr(0, line.find(',', line.find(',') + 1)));
  CHECK(measured == std::set<std::string>{"1,1", "2,4", "4,2", "8,8"});
}
