// What resolve_roles says about cells that cannot be used.

#include "perfmodel/columns.hpp"
#include "perfmodel/table.hpp"
#include "roles/roles.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"
#include "support/runs_text.hpp"

namespace perfmodel {
namespace {

using test::table_of;
using Texts = std::vector<std::string>;

std::string role_error(std::string_view csv, const RoleRequest& request = {},
                       const std::set<std::string>& text_columns = {}) {
  return test::message_of<InputError>([&] { resolve_roles(table_of(csv, text_columns), request); });
}

TEST_CASE("cells that are no numbers are reported column by column", "[roles]") {
  CHECK(
      role_error("x,batch_size,time_s\n"
                 "1,8,0.1\n"
                 "nan,\"1,5\",0.2\n"
                 "3,16,\n"
                 "4,,0.3\n"
                 "5,8,0.3\n") ==
      "runs.csv:3: column 'x': \"nan\" is not a number; needed are numbers >= 0: correct this, or "
      "pass --categorical x or --ignore x\n"
      "runs.csv: column 'batch_size': 2 cells: \"1,5\" is not a number (line 3), the cell is blank "
      "(line 5); needed are numbers > 0: correct this, or pass --categorical batch_size or "
      "--ignore batch_size\n"
      "runs.csv:4: column 'time_s': the cell is blank; every run needs a measured time > 0: "
      "correct this, remove the rows, or pass --failed drop to leave out runs that failed");
  // Also where the first cell is bad, and a time with decimal commas throughout is still the time.
  CHECK(role_error("x,gpus,time_s\nn/a,1,1\n2,2,2\n-3,3,3\n") ==
        "runs.csv: column 'x': 2 cells: \"n/a\" is not a number (line 2), -3 is not >= 0 (line 4); "
        "needed are numbers >= 0: correct this, or pass --categorical x or --ignore x");
  CHECK(role_error("x,gpus,time_s\n1,1,0:1\n2,2,0:2\n") ==
        "runs.csv: column 'time_s': 2 cells: \"0:1\" is not a number (line 2), \"0:2\" is not a "
        "number (line 3); every run needs a measured time > 0: correct this or remove the rows");
}

TEST_CASE("all bad cells of a column are counted and the first five shown", "[roles]") {
  std::string csv = "x,gpus,time_s\n";
  for (int line = 2; line <= 150; ++line)
    csv += test::csv_row(std::string(line > 95 ? "??" : std::to_string(line)), line, "1");
  CHECK(role_error(csv) ==
        "runs.csv: column 'x': 55 cells: \"??\" is not a number (lines 96, 97, 98, 99 and 100) and "
        "50 more; needed are numbers >= 0: correct this, or pass --categorical x or --ignore x");
}

TEST_CASE("negative values, scales of 0 and times of 0 are errors, other numbers may be 0",
          "[roles][zeros]") {
  CHECK(role_error("dropout,gpus,time_s\n0,1,1\n0.5,2,2\n-0.25,3,3\n") ==
        "runs.csv:4: column 'dropout': -0.25 is not >= 0; needed are numbers >= 0: correct this, "
        "or pass --categorical dropout or --ignore dropout");
  CHECK(role_error("dropout,gpus,time_s\n0,1,1\n0.5,2,2\n0.25,3,3\n") == "(none)");
  RoleRequest request;
  request.extrinsic = Texts{"gpus"};
  CHECK(role_error("x,gpus,time_s\n1,1,1\n2,0,2\n", request) ==
        "runs.csv:3: column 'gpus': 0 is not > 0; needed are numbers > 0: correct this, or pass "
        "--categorical gpus or --ignore gpus");
  CHECK(role_error("x,gpus,time_s\n1,1,0\n2,2,-1\n3,3,1\n") ==
        "runs.csv: column 'time_s': 2 cells: 0 is not > 0 (line 2), -1 is not > 0 (line 3); every "
        "run needs a measured time > 0: correct this, remove the rows, or pass --failed drop to "
        "leave out runs that failed");
}

TEST_CASE("values that would be errors are none in columns that are not used", "[roles]") {
  RoleRequest request;
  request.ignore = {"x"};
  request.categorical = {"dropout"};
  CHECK(role_error("x,y,dropout,gpus,time_s\nnan,1,0,1,1\n-1,2,0.5,2,2\n,3,-1,3,3\n", request) ==
        "(none)");
}

TEST_CASE("a text column cannot be numeric by flag", "[roles]") {
  RoleRequest request;
  request.intrinsic = Texts{"activation"};
  request.extrinsic = Texts{"gpus"};
  CHECK(role_error("activation,gpus,time_s\nrelu,1,1\ntanh,2,2\n", request) ==
        "runs.csv: column 'activation': 2 cells: \"relu\" is not a number (line 2), \"tanh\" is "
        "not a number (line 3); needed are numbers >= 0: correct this, or pass --categorical "
        "activation or --ignore activation");
}

TEST_CASE("a column with as many texts as numbers is one of levels and half of a number is none",
          "[roles]") {
  const char* csv = "mode,x,gpus,time_s\n3,1,1,1\na,2,2,2\nb,3,3,3\n";
  CHECK(role_error(csv) == "(none)");
  CHECK(role_error("mode,x,gpus,time_s\na,1,1,1\nb,2,2,2\n3,3,3,3\n") == "(none)");
  const char* missing = "mode,x,gpus,time_s\n3,1,1,1\nn/a,2,2,2\n?,3,3,3\n";
  CHECK(role_error(missing) == "(none)");  // it is left out
  CHECK(role_error("mode,x,gpus,time_s\n3,1,1,1\nfailed,2,2,2\nfailed,3,3,3\n") ==
        "runs.csv: column 'mode' mixes 1 number and 2 texts; pass --categorical mode to take its "
        "values as levels, or --ignore mode");
  // It gets it by that flag, read as text or not.
  RoleRequest request;
  request.categorical = {"mode"};
  CHECK(role_error(missing, request) == "(none)");
  CHECK(role_error(missing, request, {"mode"}) == "(none)");
}

TEST_CASE("numbers in human notation are reported where texts and numbers mix", "[roles]") {
  CHECK(role_error("size,x,gpus,time_s\n512,1,1,1\n\"1,024\",2,2,2\n\"2,048\",3,3,3\n")
            .find("runs.csv:3: column 'size': \"1,024\" can be 1024 or 1.024; pass --decimal . for "
                  "1024, or --decimal , for 1.024") != std::string::npos);
  CHECK(role_error("size,x,gpus,time_s\n16k,1,1,1\n32k,2,2,2\n3,3,3,3\n")
            .find("\"16k\" (runs.csv:2): write all digits there; ") != std::string::npos);
}

TEST_CASE("a blank cell is not a level of texts or of numbers", "[roles]") {
  CHECK(role_error("activation,x,gpus,time_s\nrelu,1,1,1\n,2,2,2\ntanh,3,3,3\n") ==
        "runs.csv:3: column 'activation': the cell is blank; fill this, or pass --ignore "
        "activation");
  RoleRequest request;
  request.categorical = {"stride"};
  const char* csv = "stride,x,gpus,time_s\n1,1,1,1\n,2,2,2\n2,3,3,3\n";
  const std::string expected =
      "runs.csv:3: column 'stride': the cell is blank; fill this, or pass --ignore stride";
  CHECK(role_error(csv, request) == expected);
  CHECK(role_error(csv, request, {"stride"}) == expected);
}

TEST_CASE("a column that names the runs is refused where it is all there is", "[roles]") {
  std::string csv = "run,time_s\n";
  for (int i = 1; i <= 12; ++i)
    csv += test::csv_row("run-" + std::to_string(i), "1");
  RoleRequest request;
  request.extrinsic = std::vector<std::string>{};
  CHECK(role_error(csv, request) ==
        "runs.csv: nearly every row has a 'run' of its own, and no other input varies, so there is "
        "nothing to model; add columns that say in what these differ, or pass --categorical run "
        "for a constant each");
  request.categorical = {"run"};
  CHECK(role_error(csv, request) == "(none)");
}

TEST_CASE("names with blanks or quotes are quoted in the flags of the advice", "[roles]") {
  CHECK(
      role_error("drop out,o'neil,gpus,time_s\n-1,-1,1,1\n2,2,2,2\n") ==
      "runs.csv:2: column 'drop out': -1 is not >= 0; needed are numbers >= 0: correct this, or "
      "pass --categorical 'drop out' or --ignore 'drop out'\n"
      "runs.csv:2: column 'o'neil': -1 is not >= 0; needed are numbers >= 0: correct this, or pass "
      "--categorical 'o'\\''neil' or --ignore 'o'\\''neil'");
}

TEST_CASE("where runs were ended at a limit, the advice counts them as longer", "[roles]") {
  const auto advice = [](const std::string& cell, const std::string& measured = "time_s") {
    const Table table = table_of("n," + measured + "\n1,2\n2,1\n4," + cell + "\n");
    return remedy_of_measured("time", table, table.at(measured));
  };
  const auto censors = Catch::Matchers::ContainsSubstring("--failed censor --limit LIMIT");
  CHECK_THAT(advice("timeout"), censors);
  CHECK_THAT(advice(">3600"), censors);
  CHECK_THAT(advice("failed"), !censors);
  CHECK_THAT(advice("OOM"), !censors);  // how long it would have taken, no limit tells
  CHECK_THAT(advice("OOM", "peak_memory_mb"), censors);
  CHECK_THAT(advice("timeout", "peak_memory_mb"), !censors);
}

}  // namespace
}  // namespace perfmodel
