#include "perfmodel/design.hpp"
#include "perfmodel/table.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/message_of.hpp"
#include "support/paper_runs.hpp"
#include "support/runs_text.hpp"

namespace perfmodel {
namespace {

using test::table_of;
using Texts = std::vector<std::string>;
using Codes = std::vector<std::uint32_t>;
using Numbers = std::vector<double>;

/// x and gpus numeric, padding of two levels, target time_s.
ModelSpec small_spec() {
  ModelSpec spec;
  spec.target = "time_s";
  spec.unit = "s";
  spec.intrinsic = {{"x", 1, 9}};
  spec.categorical = {{"padding", {"same", "valid"}}};
  spec.extrinsic = {{"gpus", 1, 4}};
  return spec;
}

std::string design_error(std::string_view csv, const ModelSpec& spec = small_spec(),
                         Target target = Target::required) {
  return test::message_of<InputError>([&] { make_design(table_of(csv), spec, target); });
}

ModelSpec spec_of_levels(const CategoricalInput& input) {
  ModelSpec spec;
  spec.categorical = {input};
  return spec;
}

Codes level_codes(const CategoricalInput& input, std::string_view csv,
                  const std::set<std::string>& text_columns = {}) {
  return make_design(table_of(csv, text_columns), spec_of_levels(input), Target::absent)
      .categorical[0]
      .codes;
}

std::string level_error(const CategoricalInput& input, std::string_view csv) {
  return design_error(csv, spec_of_levels(input), Target::absent);
}

TEST_CASE("a design holds the factors in the order of the spec", "[design]") {
  const Table table = table_of(
      "padding,gpus,extra,x,time_s\n"
      "valid,2,?,9,0.5\n"
      "same,1,?,3,0.25\n"
      "same,2,?,3,0.75\n");
  const Design design = make_design(table, small_spec(), Target::required);
  CHECK(design.rows == 3);
  REQUIRE(design.intrinsic.size() == 1);
  CHECK(design.intrinsic[0].values == Numbers{3, 9});
  CHECK(design.intrinsic[0].codes == Codes{1, 0, 0});
  CHECK(design.intrinsic[0].value(0) == 9);
  REQUIRE(design.categorical.size() == 1);
  CHECK(design.categorical[0].levels == 2);
  CHECK(design.categorical[0].codes == Codes{1, 0, 0});
  REQUIRE(design.extrinsic.size() == 1);
  CHECK(design.extrinsic[0].values == Numbers{1, 2});
  CHECK(design.extrinsic[0].codes == Codes{1, 0, 1});
  CHECK(design.time == Eigen::Vector3d(0.5, 0.25, 0.75));
}

TEST_CASE("a design can be made of chosen rows in a chosen order, and others may hold anything",
          "[design]") {
  const Table table = table_of("x,padding,gpus,time_s\nbad,odd,0,-1\n1,same,1,1\n3,valid,1,3\n");
  const std::vector<std::size_t> rows{2, 1, 2};
  const Design design = make_design(table, small_spec(), Target::required, rows);
  CHECK(design.rows == 3);
  CHECK(design.intrinsic[0].values == Numbers{1, 3});
  CHECK(design.intrinsic[0].codes == Codes{1, 0, 1});
  CHECK(design.categorical[0].codes == Codes{1, 0, 1});
  CHECK(design.time == Eigen::Vector3d(3, 1, 3));
}

TEST_CASE("configurations need no time", "[design]") {
  const Design design =
      make_design(table_of("gpus,x,padding\n1,2,same\n"), small_spec(), Target::absent);
  CHECK(design.rows == 1);
  CHECK(design.time.size() == 0);
  CHECK(design_error("gpus,x,padding,time_s\n1,2,same,?\n", small_spec(), Target::absent) ==
        "(none)");
}

TEST_CASE("every value of a row is found again, coded or not", "[design]") {
  ModelSpec spec;
  spec.intrinsic = {{"x", 0, 0}, {"y", 0, 0}};
  std::string csv = "x,y\n";
  for (int i = 0; i < 10000; ++i) {
    // 4096 distinct values of x, one more of y, in scattered order.
    csv += test::csv_row(1 + i * 1237 % 4096, 1 + i * 1237 % 4097);
  }
  const Design design = make_design(table_of(csv), spec, Target::absent);
  const NumericFactor& x = design.intrinsic[0];
  const NumericFactor& y = design.intrinsic[1];
  CHECK(x.coded());
  CHECK(x.values.size() == 4096);
  CHECK(std::is_sorted(x.values.begin(), x.values.end()));
  CHECK_FALSE(y.coded());
  CHECK(y.values.size() == 10000);
  bool found = true;
  for (std::size_t i = 0; i < 10000; ++i) {
    found = found && x.value(i) == static_cast<double>(1 + i * 1237 % 4096) &&
            y.value(i) == static_cast<double>(1 + i * 1237 % 4097);
  }
  CHECK(found);
}

TEST_CASE("the order of the rows leaves no trace in the distinct values", "[design]") {
  ModelSpec spec;
  spec.intrinsic = {{"x", 0, 0}};
  const auto values = [&](const char* csv) {
    return make_design(table_of(csv), spec, Target::absent).intrinsic[0].values;
  };
  CHECK(values("x\n0.1\n1e-6\n20\n0.1\n") == Numbers{1e-6, 0.1, 20});
  CHECK(values("x\n20\n0.1\n1e-06\n20\n") == Numbers{1e-6, 0.1, 20});
}

TEST_CASE("all missing columns, and cells that cannot be used, are named at once", "[design]") {
  CHECK(design_error("X,paddings,time\n1,same,2\n") ==
        "no columns 'x', 'padding', 'gpus' and 'time_s' in runs.csv; there are 'X', 'paddings' and "
        "'time'");
  CHECK(design_error("x,padding,gpus,time_s\n"
                     "1,same,1,1\n"
                     "0,samee,1;5,nan\n"
                     "2,,-2,0\n"
                     ",valid,1,1\n") ==
        "runs.csv: column 'x': 2 cells: 0 is not > 0 (line 3), the cell is blank (line 5)\n"
        "runs.csv: column 'padding': 2 cells: \"samee\" is not a level of the model, which has "
        "'same' and 'valid'; did you mean 'same'? (line 3), the cell is blank (line 4)\n"
        "runs.csv: column 'gpus': 2 cells: \"1;5\" is not a number (line 3), -2 is not > 0 (line "
        "4)\n"
        "runs.csv: column 'time_s': 2 cells: \"nan\" is not a number (line 3), 0 is not > 0 (line "
        "4); every run needs a measured time > 0: correct this, remove the rows, or pass --failed "
        "drop to leave out runs that failed");
  // A numeric column may begin with a text.
  CHECK(design_error("x,padding,gpus,time_s\nn/a,same,1,1\n2,same,1,1\n0,same,1,1\n") ==
        "runs.csv: column 'x': 2 cells: \"n/a\" is not a number (line 2), 0 is not > 0 (line 4)");
}

TEST_CASE("the first five of many bad cells and the first ten of many known levels are shown",
          "[design]") {
  std::string csv = "x,padding,gpus,time_s\n";
  for (int line = 2; line <= 56; ++line)
    csv += "1,,1,1\n";
  CHECK(design_error(csv) ==
        "runs.csv: column 'padding': 55 cells: the cell is blank (lines 2, 3, 4, 5 and 6) and 50 "
        "more");
  CHECK(level_error({"m", {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}},
                    "m\n99\n") ==
        "runs.csv:2: column 'm': \"99\" is not a level of the model, which has '1', '2', '3', '4', "
        "'5', '6', '7', '8', '9' and '10', ... (2 more)");
}

TEST_CASE(
    "unknown levels in several rows are summarised and told once each, the first five before "
    "other problems",
    "[design]") {
  CHECK(design_error("x,padding,gpus,time_s\n"
                     "1,odd,1,1\n"
                     "1,same,1,1\n"
                     "1,samee,1,1\n"
                     "1,odd,1,1\n") ==
        "runs.csv: 3 of 4 rows have levels that the model does not know; correct or remove them, "
        "or fit such runs too:\n"
        "runs.csv:2: column 'padding': \"odd\" (2 rows) is not a level of the model, which has "
        "'same' and 'valid'\n"
        "runs.csv:4: column 'padding': \"samee\" is not a level of the model, which has 'same' and "
        "'valid'; did you mean 'same'?");
  std::string csv = "x,padding,gpus,time_s\n0,same,1,1\n";
  std::string expected =
      "runs.csv: 55 of 56 rows have levels that the model does not know; correct or remove them, "
      "or fit such runs too:\n";
  for (int line = 3; line <= 57; ++line) {
    // Levels whose order differs from that of the lines.
    const std::string level = "level " + std::to_string(100 - line);
    csv += test::csv_row("1", level, "1", "1");
    if (line <= 7) {
      expected += "runs.csv:" + std::to_string(line) + ": column 'padding': \"" + level +
                  "\" is not a level of the model, which has 'same' and 'valid'\n";
    }
  }
  CHECK(design_error(csv) == expected + "... and 50 more\nruns.csv:2: column 'x': 0 is not > 0");
}

TEST_CASE("numbers match levels by their shortest text, or the only level of their value",
          "[design]") {
  CHECK(level_codes({"lr", {"0.001", "0.1", "1"}}, "lr\n1e-3\n0.10\n1.0\n") == Codes{0, 1, 2});
  CHECK(level_codes({"lr", {"1e-3", "0.10"}}, "lr\n0.001\n0.1\n") == Codes{0, 1});
  CHECK(level_codes({"v", {"1.1", "1.10"}}, "v\n1.1\n") == Codes{0});
  CHECK(level_error({"v", {"1.10", "1.100"}}, "v\n1.1\n") ==
        "runs.csv:2: column 'v': \"1.1\" is not a level of the model, which has '1.10' and "
        "'1.100'; did you mean '1.10'?");
}

TEST_CASE("texts match levels as they stand, whole numbers may have a decimal point", "[design]") {
  CHECK(level_codes({"v", {"1.1", "1.10"}}, "v\n1.10\n1.1\n", {"v"}) == Codes{1, 0});
  CHECK(level_codes({"bias", {"0", "1"}}, "bias\n1.0\n0.0\n1\n", {"bias"}) == Codes{1, 0, 1});
  CHECK(level_error({"v", {"1.1", "b"}}, "v\nb\n1.10\n") ==
        "runs.csv:3: column 'v': \"1.10\" is not a level of the model, which has '1.1' and 'b'; "
        "did you mean '1.1'?");
  // A bad cell of a numeric column can be a level.
  CHECK(level_codes({"mode", {"3", "auto"}}, "mode\n3\nauto\n3\n") == Codes{0, 1, 0});
}

TEST_CASE("rows taken from a design are the design of those rows", "[design]") {
  const test::PaperRuns runs = test::paper_runs(test::Framework::mxnet, 60, 0.05, 1);
  const std::vector<std::size_t> rows{41, 3, 3, 17};
  const Design taken = take_rows(runs.design, rows);
  const Design made = make_design(runs.table, runs.spec, Target::required, rows);
  CHECK(taken.rows == 4);
  CHECK(taken.time == made.time);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = 0; i < made.intrinsic.size(); ++i)
      CHECK(taken.intrinsic[i].value(r) == made.intrinsic[i].value(r));
    for (std::size_t c = 0; c < made.categorical.size(); ++c)
      CHECK(taken.categorical[c].codes[r] == made.categorical[c].codes[r]);
    for (std::size_t j = 0; j < made.extrinsic.size(); ++j)
      CHECK(taken.extrinsic[j].value(r) == made.extrinsic[j].value(r));
  }
}

}  // namespace
}  // namespace perfmodel
