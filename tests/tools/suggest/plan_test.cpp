#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string two_columns =
    R"({"column": "filters", "values": [4, 8, 16]}, {"column": "padding", "values": ["valid", "same"]})";

ProgramResult run_plan(const std::string& space, Words arguments) {
  arguments.insert(arguments.begin(), {"plan", "-"});
  ProgramOptions options;
  options.input = space;
  return run_perfmodel(arguments, options);
}

std::string plan_error(const std::string& space, const Words& arguments, int exit_code) {
  return run_plan(space, arguments).refused(exit_code);
}

const std::string plan_advice = "\nSee 'perfmodel plan --help'.\n";

}  // namespace

TEST_CASE("plan writes a CSV with the columns of the space", "[cli][plan]") {
  const ProgramResult result =
      run_plan(space_of(two_columns, R"(, "where": "filters < 10 && padding == 'same'")"),
               {"-n", "2"})
          .succeeded();
  CHECK(result.errors.empty());
  CHECK((result.output == "filters,padding\n4,same\n8,same\n" ||
         result.output == "filters,padding\n8,same\n4,same\n"));
}

TEST_CASE("plan writes 1500 configurations of Table 2 the same way each time", "[cli][plan]") {
  const std::string table2 = PERFMODEL_SOURCE_DIR "/data/paper/table2.json";
  for (const std::string method : {"random", "lhs"}) {
    const auto first =
        run_perfmodel({"plan", table2, "-n", "1500", "--method", method}).succeeded();
    CHECK(std::count(first.output.begin(), first.output.end(), '\n') == 1501);
    CHECK(run_perfmodel({"plan", table2, "-n", "1500", "--method", method}).output == first.output);
    CHECK(run_perfmodel({"plan", table2, "-n", "1500", "--method", method, "--seed", "2"}).output !=
          first.output);
  }
}

TEST_CASE_METHOD(ProgramTest, "plan resumes from a plan, or from what was measured of it",
                 "[cli][plan]") {
  const std::string measured = write("runs.csv", "time_s,padding,filters\n1,same,8\n2,valid,16\n");
  const std::string plan =
      run_plan(space_of(two_columns), {"-n", "4", "--resume", measured}).succeeded().output;
  CHECK(plan.starts_with("filters,padding\n8,same\n16,valid\n"));
  CHECK(std::count(plan.begin(), plan.end(), '\n') == 5);
  CHECK(plan_error(space_of(two_columns), {"-n", "1", "--resume", measured}, 2) ==
        error_prefix + "--resume: there are 2 configurations already, more than the 1 of -n" +
            plan_advice);
  const std::string strange = write("strange.csv", "padding,filters\nsame,5\nfull,8\n");
  CHECK(plan_error(space_of(two_columns), {"-n", "4", "--resume", strange}, 3) ==
        error_prefix + strange +
            ":3: column 'padding': \"full\" is not in the space, which has one of 'valid' and "
            "'same'\n" +
            strange +
            ":2: column 'filters': \"5\" is not in the space, which has one of 4, 8, 16\n");
}

TEST_CASE("plan names what is wrong with a space", "[cli][plan]") {
  const auto bad = [](const std::string& space) { return plan_error(space, {"-n", "2"}, 3); };
  const std::string in = error_prefix + "standard input: ";
  CHECK(bad(R"({"schema": "perfmodel/plan", "schema_version": 1})") ==
        in + "schema: 'perfmodel/plan' is not 'perfmodel/space': this is not a space\n");
  CHECK(bad(space_of("")) == in + "columns: expected at least one column\n");
  for (const auto& [values, message] : std::vector<std::pair<std::string, std::string>>{
           {R"(, "values": [1, 1])", ".values[1]: 1 stands twice"},
           {R"(, "values": [1, "a"])", ".values[1]: expected a number, not a text"},
           {"", ": expected either 'values' or 'range'"},
           {R"(, "range": [2, 1])", ".range: expected lowest < highest"},
           {R"(, "range": [0, 1], "scale": "log")", ".range: a logarithmic range has to be > 0"},
           {R"(, "values": [])", ".values: expected at least one value"},
           {R"(, "range": [1, 2.5], "whole": true)", ".range: expected whole numbers"},
           {R"(, "range": [1])", ".range: expected two numbers, the lowest and the highest value"},
           {R"(, "values": [1, 2], "scale": "log")", ": 'scale' and 'whole' go with 'range'"},
           {R"(, "rangee": [0, 1])", ": unknown field 'rangee'; did you mean 'range'?"}})
    CHECK(bad(space_of(R"({"column": "x")" + values + "}")) == in + "columns[0]" + message + "\n");
  CHECK(bad(space_of(two_columns + "," + R"({"column": "filters", "values": [1]})")) ==
        in + "columns[2]: the column 'filters' stands twice\n");
  CHECK(bad(space_of(two_columns, R"(, "extrinsic": ["filter"])")) ==
        in + "extrinsic[0]: there is no column 'filter'; did you mean 'filters'?\n");
  CHECK(bad(space_of(R"({"column": "x", "values": [1]})")) ==
        in + "there are only 1 configurations, not 2\n");
  CHECK(plan_error(space_of(R"({"column": "x", "values": [-1, 1]})"),
                   {"-n", "2", "--method", "d-optimal"}, 3) ==
        in + "column 'x' has values that are not >= 0, of which the model takes no powers\n");
}

TEST_CASE("plan names what is wrong with a condition or an option", "[cli][plan]") {
  const auto bad = [](const std::string& condition) {
    return plan_error(space_of(two_columns, R"(, "where": [")" + condition + R"("])"), {"-n", "2"},
                      2);
  };
  CHECK(bad("filter < 3") ==
        error_prefix +
            "standard input: where: 'filter < 3': there is no 'filter'; did you mean "
            "'filters'?" +
            plan_advice);
  CHECK(bad("padding == 'same") ==
        error_prefix + "standard input: where: 'padding == 'same': a quote is not closed" +
            plan_advice);
  CHECK_THAT(bad("filters <"), ContainsSubstring("standard input: where: 'filters <': "));
  CHECK(plan_error(space_of(two_columns), {"-n", "2", "--model", "m.json"}, 2) ==
        error_prefix + "--model needs --method d-optimal" + plan_advice);
  CHECK(plan_error(space_of(two_columns), {"-n", "0"}, 2) ==
        error_prefix + "-n: '0' is not a whole number >= 1" + plan_advice);
  CHECK(plan_error(space_of(two_columns), {"-n", "2", "--method", "best"}, 2) ==
        error_prefix + "--method: 'best' is not one of 'random', 'lhs' and 'd-optimal'" +
            plan_advice);
}
