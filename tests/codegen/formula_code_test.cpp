#include "codegen/formula_code.hpp"
#include "forms/sum_form.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/shell.hpp"
#include "support/sum_runs.hpp"
#include "table/expressions.hpp"

using namespace perfmodel;

namespace {

/// Lines that call predict() for the first rows of a design.
std::string calls(const ModelSpec& spec, const Design& design, const std::string& before,
                  const std::string& after, std::size_t rows) {
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::string> values;
    for (const NumericFactor& factor : design.intrinsic)
      values.push_back(to_text(factor.value(row)));
    for (std::size_t c = 0; c < spec.categorical.size(); ++c)
      values.push_back('"' + spec.categorical[c].levels[design.categorical[c].codes[row]] + '"');
    for (const NumericFactor& factor : design.extrinsic)
      values.push_back(to_text(factor.value(row)));
    std::string list;
    for (const std::string& value : values)
      list += (list.empty() ? "" : ", ") + value;
    out += before + "predict(" + list + ")" + after + "\n";
  }
  return out;
}

void check_numbers(const std::string& text, const Eigen::VectorXd& expected, std::size_t rows) {
  std::istringstream lines(text);
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line;
    REQUIRE(std::getline(lines, line));
    const auto value = parse_number(line);
    REQUIRE(value);
    CHECK(*value == Catch::Approx(expected[static_cast<Eigen::Index>(row)]).epsilon(1e-12));
  }
}

test::SumRuns shown_runs() {
  test::SumRuns runs = test::sum_runs(40, 0, 1);
  own_sum_form(runs.truth).structure.own_feature(1, 0).log_power = 1;
  runs.truth.constants[16] = 0.0125;
  return runs;
}

/// The same with a saturation, clamps, and a logarithm and a step_factor of an intrinsic column.
test::SumRuns runs_of_other_growths() {
  test::SumRuns runs = shown_runs();
  SumStructure& structure =
      own_sum_form(runs.truth).structure;  // numeric: gpus, batch_size, filters
  structure.step_factors = {{2, 8}};
  structure.features = {{{}, {.clamp = 32}, {.log_power = 2}},
                        {{.log_power = 1, .clamp = 4}, {}, {.clamp = 16}}};
  structure.own_feature(0, 0).saturates = true;
  structure.own_feature(1, 0).saturates = true;
  structure.own_feature(1, 1).saturates = true;
  runs.truth.constants[14] = 0.25;  // of the second term, up to 8 filters
  return runs;
}

/// Calls with the columns that a configuration has, in the order of required_columns().
std::string calls_of_configurations(const ModelSpec& spec, const Table& table,
                                    const std::string& before, const std::string& after) {
  std::string out;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<std::string> values;
    for (const std::string& name : required_columns(spec)) {
      const bool is_text =
          std::any_of(spec.categorical.begin(), spec.categorical.end(),
                      [&](const CategoricalInput& input) { return input.column == name; });
      const std::string text = table.at(name).text(row);
      values.push_back(is_text ? '"' + text + '"' : text);
    }
    out += before + "predict(" + joined(values, ", ") + ")" + after + "\n";
  }
  return out;
}

struct DerivedModel {
  ModelSpec spec;
  Table table;
  std::optional<SumStructure> structure;
  Eigen::VectorXd constants;

  std::string code(FormulaLanguage language) const {
    return structure ? terms_code({spec, *structure}, constants, language)
                     : terms_code(spec, constants, language);
  }
  Eigen::VectorXd predicted() const {
    const Design design = make_design(table, spec, Target::absent);
    return structure ? predict_terms({spec, *structure}, constants, design)
                     : predict_terms(spec, constants, design);
  }
};

/// Eq. (4) with derived columns of all roles. One uses another, one a column of levels, and two
/// names are words of the languages.
DerivedModel derived_model() {
  DerivedModel out;
  out.spec.target = "time_s";
  out.spec.derived = {make_derived("tiles", "ceil(m / 4) * (_pi - 2)", "here"),
                      make_derived("max", "-(tiles^0.5 - 40) * mode", "here"),
                      make_derived("big", "m > 16 && workers >= 2", "here"),
                      make_derived("load", "m <= 9 ? max(m, batch, 6) / workers : 2", "here")};
  out.spec.intrinsic = {{"max", 1, 2}};
  out.spec.categorical = {{"big", {"0", "1"}}, {"mode", {"1", "3", "x"}}};
  out.spec.extrinsic = {{"load", 1, 2}, {"workers", 1, 8}};
  // a[max] | big | mode | p[max] | q[load], q[workers] | C
  out.constants.resize(10);
  out.constants << 0.3, 0.5, 0.75, 1.5, 2.5, 9, 1.25, 0.7, -0.9, 0.01;
  out.table = test::table_of(
      "m,mode,workers,batch\n1,1,1,3\n4,3,2,8\n9,1,4,64\n17,3,1,3\n23.5,1,2,7\n16,3,8,1\n",
      {"mode"});
  return out;
}

/// The same columns in a sum of one term.
DerivedModel derived_sum() {
  DerivedModel out = derived_model();
  out.structure = {.terms = 1, .step_factors = {{0, 4}}, .features = {{{}, {.log_power = 1}}}};
  // a | p[max] | big | mode | q[load], q[workers] | load <= 4, load > 4 | C
  out.constants.resize(12);
  out.constants << 0.3, 1.25, 1, 0.75, 1, 2.5, 9, 0.7, -0.9, 1, 1.5, 0.01;
  return out;
}

}  // namespace

TEST_CASE("the Python function computes what predict does", "[model][show][needs-python]") {
  const test::SumRuns runs = shown_runs();
  const test::PaperRuns paper = test::paper_runs(test::Framework::mxnet, 40, 0, 1);
  const auto check = [](const ModelSpec& spec, const std::string& code, const Design& design,
                        const Eigen::VectorXd& expected) {
    const test::CsvFile file(code + calls(spec, design, "print(repr(", "))", 40));
    const auto printed = test::output_of(test::kPython + file.path());
    REQUIRE(printed);
    check_numbers(*printed, expected, 40);
  };
  for (const test::SumRuns& sum : {runs, runs_of_other_growths()}) {
    check(sum.spec,
          terms_code({sum.spec, sum_form(sum.truth).structure}, sum.truth.constants,
                     FormulaLanguage::python),
          sum.design, predict(sum.truth, sum.design));
  }
  check(paper.spec, terms_code(paper.spec, paper.constants, FormulaLanguage::python), paper.design,
        predict_terms(paper.spec, paper.constants, paper.design));
}

TEST_CASE("the Python function takes arrays, and divides by 0 as predict does",
          "[model][show][derive][needs-python]") {
  DerivedModel model = derived_sum();
  model.spec.derived.push_back(make_derived("rest", "min(1 / abs(batch - 64), 5)", "here"));
  model.spec.intrinsic.push_back({"rest", 1, 2});
  // a | p[max], p[rest] | big | mode | q[load], q[workers] | load <= 4, load > 4 | C
  model.constants.resize(13);
  model.constants << 0.3, 1.25, 1, 1, 0.75, 1, 2.5, 9, 0.7, -0.9, 1, 1.5, 0.01;
  if (GENERATE(false, true))
    model.constants[0] = 30996132508441952256.0;  // written without exponent, too large for int64
  const Eigen::VectorXd expected = model.predicted();
  std::string lists;
  for (const std::string& name : required_columns(model.spec)) {
    std::vector<std::string> cells;
    for (std::size_t row = 0; row < model.table.rows(); ++row)
      cells.push_back((name == "mode" ? "'" : "") + model.table.at(name).text(row) +
                      (name == "mode" ? "'" : ""));
    lists += (lists.empty() ? "[" : ", [") + joined(cells, ", ") + "]";
  }
  const test::CsvFile file(model.code(FormulaLanguage::python) + "for time in predict(" + lists +
                           "):\n    print(repr(float(time)))\n" + "print(predict(" + lists +
                           ").shape, type(predict('1', 2, 3, 4)).__name__)\n");
  const auto printed = test::output_of(test::kPython + file.path());
  REQUIRE(printed);
  std::istringstream lines(*printed);
  for (const double time : expected) {
    std::string line;
    REQUIRE(std::getline(lines, line));
    CHECK(parse_number(line).value() == Catch::Approx(time).epsilon(1e-12));
  }
  std::string shape;
  std::getline(lines, shape);
  CHECK(shape == "(6,) float64");
}

TEST_CASE("the JavaScript function computes what predict does", "[model][show][needs-node]") {
  const auto check = [](const std::string& code, const std::string& called,
                        const Eigen::VectorXd& expected) {
    const test::CsvFile file(code + called);
    const auto printed = test::output_of("node " + file.path());
    REQUIRE(printed);
    check_numbers(*printed, expected, static_cast<std::size_t>(expected.size()));
  };
  test::SumRuns zeros = shown_runs();
  zeros.truth.spec.extrinsic[0].zero = ZeroValue{2, true};
  zeros.truth.spec.intrinsic[0].zero = ZeroValue{3, false};
  for (const test::SumRuns& sum : {shown_runs(), runs_of_other_growths(), zeros}) {
    check(terms_code({sum.truth.spec, sum_form(sum.truth).structure}, sum.truth.constants,
                     FormulaLanguage::javascript),
          calls(sum.spec, sum.design, "console.log(", ")", 40), predict(sum.truth, sum.design));
  }
  for (const DerivedModel& model : {derived_model(), derived_sum()}) {
    check(model.code(FormulaLanguage::javascript),
          calls_of_configurations(model.spec, model.table, "console.log(", ")"), model.predicted());
  }
}

TEST_CASE("names and levels with a meaning in JavaScript and in pages remain what they are",
          "[model][show][needs-node]") {
  ModelSpec spec;
  spec.intrinsic = {{"Math", 1, 2}};
  spec.categorical = {{"new", {"</script>", "]]>", "__proto__", "constructor", "q\"\\\n"}}};
  spec.extrinsic = {{"arguments", 1, 2}, {"Number", 1, 2}};
  Eigen::VectorXd constants(10);  // a[Math] | levels | p[Math] | q, q | C
  constants << 1, 1, 2, 3, 4, 5, 1, 2, -1, 0;
  const std::string code = terms_code(spec, constants, FormulaLanguage::javascript);
  for (const char* mark : {"</", "]]>"})
    CHECK(code.find(mark) == std::string::npos);
  const test::CsvFile file(
      "\"use strict\";\n" + code +
      "for (const level of ['</script>', ']]>', '__proto__', 'constructor', 'q\"\\\\\\n', "
      "'toString'])\n  console.log(predict(7, level, 2, 4));\n");
  const auto printed = test::output_of("node " + file.path());
  REQUIRE(printed);
  CHECK(*printed == "8\n9\n10\n11\n12\nNaN\n");  // (7 + level) * 2^2 / 4
}

TEST_CASE("the C function computes what predict does", "[model][show][needs-cc]") {
  const test::SumRuns runs = GENERATE(false, true) ? runs_of_other_growths() : shown_runs();
  const std::string code = terms_code({runs.spec, sum_form(runs.truth).structure},
                                      runs.truth.constants, FormulaLanguage::c) +
                           "#include <stdio.h>\nint main(void) {\n" +
                           calls(runs.spec, runs.design, "printf(\"%.17g\\n\", ", ");", 40) +
                           "return 0;\n}\n";
  const test::CsvFile file(code);
  const std::string binary = file.path() + ".out";
  const auto printed =
      test::output_of("cc -x c -o " + binary + " " + file.path() + " -lm && " + binary);
  std::filesystem::remove(binary);
  REQUIRE(printed);
  check_numbers(*printed, predict(runs.truth, runs.design), 40);
}

TEST_CASE("a spreadsheet gets one formula over defined names", "[model][show]") {
  const test::SumRuns runs = shown_runs();
  CHECK(terms_code({runs.spec, sum_form(runs.truth).structure}, runs.truth.constants,
                   FormulaLanguage::spreadsheet) ==
        "=2e-05*filters^1.5*IF(activation=\"relu\",1,IF(activation=\"tanh\",1.5,NA()))"
        "*gpus^(-1)*batch_size*IF(gpus>1,1,1)"
        "+0.01*filters^0.5*IF(activation=\"relu\",1,IF(activation=\"tanh\",1,NA()))"
        "*gpus^0.5*LOG(MAX(gpus,1),2)*IF(gpus>1,1,0)+0.0125\n");
}

TEST_CASE("a spreadsheet, text and LaTeX show rings, caps and logarithms of all columns",
          "[model][show]") {
  const test::SumRuns runs = runs_of_other_growths();
  const auto shown = [&](FormulaLanguage language) {
    return terms_code({runs.spec, sum_form(runs.truth).structure}, runs.truth.constants, language);
  };
  CHECK(shown(FormulaLanguage::spreadsheet) ==
        "=2e-05*filters^1.5*LOG(MAX(filters,1),2)^2"
        "*IF(activation=\"relu\",1,IF(activation=\"tanh\",1.5,NA()))"
        "*EXP(1 - 1 / gpus)^(-1)*MIN(batch_size,32)*IF(filters>8,1,1)"
        "+0.01*MIN(filters,16)^0.5*IF(activation=\"relu\",1,IF(activation=\"tanh\",1,NA()))"
        "*EXP(1 - 1 / MIN(gpus,4))^0.5*LOG(MAX(MIN(gpus,4),1),2)*IF(MIN(filters,16)>8,1,0.25)"
        "+0.0125\n");
  CHECK_THAT(shown(FormulaLanguage::text), Catch::Contains("log2(filters)^2") &&
                                               Catch::Contains("exp(1 - 1/gpus)^-1") &&
                                               Catch::Contains("min(batch_size, 32)") &&
                                               Catch::Contains("exp(1 - 1/min(gpus, 4))^0.5"));
  CHECK_THAT(shown(FormulaLanguage::latex), Catch::Contains("(\\log_2 \\mathrm{filters})^{2}") &&
                                                Catch::Contains("e^{-1 (1 - 1/\\mathrm{gpus})}") &&
                                                Catch::Contains("\\min(\\mathrm{filters}, 16)"));
}

TEST_CASE("the Python function computes derived columns itself",
          "[model][show][derive][needs-python]") {
  for (const DerivedModel& model : {derived_model(), derived_sum()}) {
    const std::string code = model.code(FormulaLanguage::python);
    CHECK_THAT(code, Catch::Matchers::ContainsSubstring("def predict(mode, workers, m, batch):\n"));
    const test::CsvFile file(code +
                             calls_of_configurations(model.spec, model.table, "print(repr(", "))"));
    const auto printed = test::output_of(test::kPython + file.path());
    REQUIRE(printed);
    check_numbers(*printed, model.predicted(), model.table.rows());
  }
}

TEST_CASE("the C function computes derived columns itself", "[model][show][derive][needs-cc]") {
  for (const DerivedModel& model : {derived_model(), derived_sum()}) {
    const std::string code =
        model.code(FormulaLanguage::c) + "#include <stdio.h>\nint main(void) {\n" +
        calls_of_configurations(model.spec, model.table, "printf(\"%.17g\\n\", ", ");") +
        "return 0;\n}\n";
    const test::CsvFile file(code);
    const std::string binary = file.path() + ".out";
    const auto printed = test::output_of("cc -std=c99 -Wall -Wextra -Werror -x c -o " + binary +
                                         " " + file.path() + " -lm && " + binary);
    std::filesystem::remove(binary);
    REQUIRE(printed);
    check_numbers(*printed, model.predicted(), model.table.rows());
  }
}

TEST_CASE("a spreadsheet formula computes derived columns where they stand",
          "[model][show][derive]") {
  ModelSpec spec;
  spec.derived = {make_derived("tiles", "ceil(m / 4)", "here"),
                  make_derived("big", "tiles > 3", "here")};
  spec.intrinsic = {{"tiles", 1, 2}};
  spec.categorical = {{"big", {"0", "1"}}};
  Eigen::VectorXd constants(5);
  constants << 2, 0.25, 0.5, 1.5, 0.125;
  CHECK(terms_code(spec, constants, FormulaLanguage::spreadsheet) ==
        "=(2 * (-INT(-(m/4)))^1.5 + "
        "IF(IF((-INT(-(m/4)))>3,1,0)=0,0.25,IF(IF((-INT(-(m/4)))>3,1,0)=1,0.5,NA())))+0.125\n");
}

namespace {

/// t = (x^1 + a level) * 1 + 0 with levels that have a meaning in code.
ModelSpec spec_of_levels(const std::vector<std::string>& levels) {
  ModelSpec spec;
  spec.intrinsic = {{"x", 1, 2}};
  spec.categorical = {{"level", levels}};
  return spec;
}

Eigen::VectorXd constants_of(const ModelSpec& spec) {
  const auto levels = static_cast<Eigen::Index>(spec.categorical[0].levels.size());
  Eigen::VectorXd constants(levels + 3);  // a[x] | levels | p[x] | C
  constants << 1, Eigen::VectorXd::LinSpaced(levels, 1, static_cast<double>(levels)), 1, 0;
  return constants;
}

}  // namespace

TEST_CASE("code tells which columns its parameters of other names are", "[model][show]") {
  ModelSpec spec;
  spec.target = "t";
  for (const std::string name : {"gr\u00f6\u00dfe", "gr\u00fc\u00dfe", "plain", "a \"b\\\n</x>"}) {
    spec.intrinsic.emplace_back();
    spec.intrinsic.back().column = name;
  }
  const Eigen::VectorXd constants = Eigen::VectorXd::Ones(9);
  // The first two would be one name.
  const auto lines = [&](FormulaLanguage language, const std::string& mark) {
    const std::string code = terms_code(spec, constants, language);
    CAPTURE(code);
    CHECK(code.find(mark + " gr____e: \"gr\u00f6\u00dfe\"\n") != std::string::npos);
    CHECK(code.find(mark + " gr____e_: \"gr\u00fc\u00dfe\"\n") != std::string::npos);
    CHECK(code.find(mark + " plain") == std::string::npos);
    return code;
  };
  CHECK(lines(FormulaLanguage::python, "#").find(R"(: "a \"b\\\u000a</x>")") != std::string::npos);
  CHECK(lines(FormulaLanguage::c, "//").find(R"(: "a \"b\\\012</x>")") != std::string::npos);
  CHECK(lines(FormulaLanguage::javascript, "//").find("</x>") == std::string::npos);
}

TEST_CASE("levels with a meaning in code remain texts", "[model][show]") {
  // "what??/" would end in a backslash where a compiler knows trigraphs; JSON may have line ends.
  const ModelSpec spec = spec_of_levels({"\"q\"", "back\\", "two\nlines\r", "what?\?/", "{x}%s"});
  const Eigen::VectorXd constants = constants_of(spec);
  const Eigen::VectorXd expected = Eigen::VectorXd::LinSpaced(5, 2, 6);
  if (test::succeeds(test::kPython + "-c 'import numpy'")) {
    const test::CsvFile file(terms_code(spec, constants, FormulaLanguage::python) +
                             "for level in ['\"q\"', 'back\\\\', 'two\\nlines\\r', 'what?\?/', "
                             "'{x}%s']:\n    print(predict(1, level))\n");
    const auto printed = test::output_of(test::kPython + file.path());
    REQUIRE(printed);
    check_numbers(*printed, expected, 5);
  }
  if (test::succeeds("cc --version")) {
    const test::CsvFile file(
        terms_code(spec, constants, FormulaLanguage::c) +
        "#include <stdio.h>\nint main(void) {\n"
        "const char *levels[] = {\"\\\"q\\\"\", \"back\\\\\", \"two\\nlines\\r\", "
        "\"what?\" \"?/\", \"{x}%s\"};\n"
        "for (int i = 0; i < 5; ++i) printf(\"%g\\n\", predict(1, levels[i]));\nreturn 0;\n}\n");
    const std::string binary = file.path() + ".out";
    const auto printed = test::output_of("cc -std=c99 -Wall -Wextra -Werror -x c -o " + binary +
                                         " " + file.path() + " -lm && " + binary);
    std::filesystem::remove(binary);
    REQUIRE(printed);
    check_numbers(*printed, expected, 5);
  }
}

TEST_CASE("a spreadsheet compares a level with what the cell holds once it is typed",
          "[model][show]") {
  const auto choice = [](const std::vector<std::string>& levels) {
    const ModelSpec spec = spec_of_levels(levels);
    const std::string code = terms_code(spec, constants_of(spec), FormulaLanguage::spreadsheet);
    return code.substr(0, code.find(",2,"));
  };
  CHECK(choice({"adam", "sgd"}) == "=(1 * x + IF(level=\"adam\",1,IF(level=\"sgd\"");
  CHECK(choice({"2", "16"}) == "=(1 * x + IF(VALUE(level)=2,1,IF(VALUE(level)=16");
  CHECK(choice({"2", "all"}) == "=(1 * x + IF(level&\"\"=\"2\",1,IF(level&\"\"=\"all\"");
  CHECK(choice({"false", "true"}) == "=(1 * x + IF(level&\"\"=\"false\",1,IF(level&\"\"=\"true\"");
  CHECK(choice({"SGD", "sgd"}) == "=(1 * x + IF(EXACT(level,\"SGD\"),1,IF(EXACT(level,\"sgd\")");
}

TEST_CASE("a formula too long for a spreadsheet is refused before it fills the memory",
          "[model][show][derive]") {
  ModelSpec spec;
  spec.derived = {make_derived("d0", "m + m", "here")};
  for (int i = 1; i < 60; ++i) {
    const std::string last = "d" + std::to_string(i - 1);
    spec.derived.push_back(make_derived("d" + std::to_string(i), last + " + " + last, "here"));
  }
  spec.intrinsic = {{"d59", 1, 2}};
  Eigen::VectorXd constants(3);
  constants << 2, 1, 0;
  CHECK_THROWS_MATCHES(terms_code(spec, constants, FormulaLanguage::spreadsheet), InputError,
                       Catch::Matchers::Message(
                           "column 'd11' takes more than 8192 characters in one formula, which no "
                           "spreadsheet reads; use --as python or --as c"));
  CHECK_NOTHROW(terms_code(spec, constants, FormulaLanguage::c));
}

namespace {

/// Names and levels as a model file may have them; the formula has two lines and a bell.
DerivedModel model_with_controls() {
  DerivedModel out;
  out.spec.target = "time_s";
  out.spec.derived = {make_derived("area", "x *\n\ty\r\n +\a 1", "here")};
  out.spec.intrinsic = {{"area", 1, 2}};
  out.spec.categorical = {{"le\nvel",
                           {"\x1b[2J", "a\nb",
                            "\xC2\x9B"
                            "1",
                            "\u202Eabc", "\x7f"}}};
  // a[area] | levels | p[area] | C
  out.constants.resize(8);
  out.constants << 1, 1, 2, 3, 4, 5, 1, 0;
  return out;
}

bool has_controls(const std::string& text) {
  return perfmodel::printable(text) != text;
}

}  // namespace

TEST_CASE("controls in names, levels and formulas do not reach what show prints", "[model][show]") {
  const DerivedModel model = model_with_controls();
  CHECK(model.code(FormulaLanguage::text) ==
        "t = (1 * area^1 + le?vel{?[2J: 1, a?b: 2, ?1: 3, ?abc: 4, ?: 5})\n"
        "with area = x *  y   +  1\n");
  const std::string latex = model.code(FormulaLanguage::latex);
  CHECK(std::count(latex.begin(), latex.end(), '\n') == 5);
  CHECK_THAT(latex, Catch::Matchers::EndsWith("\n% with area = x *  y   +  1\n"));
  for (const auto language : {FormulaLanguage::latex, FormulaLanguage::python, FormulaLanguage::c,
                              FormulaLanguage::spreadsheet})
    CHECK_FALSE(has_controls(model.code(language)));
  CHECK(model.code(FormulaLanguage::spreadsheet) ==
        "=(1 * ((x*y)+1) + IF(le_vel=\"\"&CHAR(27)&\"[2J\",1,IF(le_vel=\"a\"&CHAR(10)&\"b\",2,"
        "IF(le_vel=\"\"&UNICHAR(155)&\"1\",3,IF(le_vel=\"\"&UNICHAR(8238)&\"abc\",4,"
        "IF(le_vel=\"\"&CHAR(127)&\"\",5,NA()))))))+0\n");
}

TEST_CASE("code with controls in levels and line feeds in formulas computes what predict does",
          "[model][show]") {
  const DerivedModel model = model_with_controls();
  const Eigen::VectorXd expected = Eigen::VectorXd::LinSpaced(5, 8, 12);  // x y + 1 = 7
  if (test::succeeds(test::kPython + "-c 'import numpy'")) {
    const test::CsvFile file(model.code(FormulaLanguage::python) +
                             "for level in ['\\x1b[2J', 'a\\nb', '\\x9b1', '\\u202Eabc', "
                             "'\\x7f']:\n    print(predict(level, 2, 3))\n");
    const auto printed = test::output_of(test::kPython + file.path());
    REQUIRE(printed);
    check_numbers(*printed, expected, 5);
  }
  if (test::succeeds("cc --version")) {
    const test::CsvFile file(
        model.code(FormulaLanguage::c) +
        "#include <stdio.h>\nint main(void) {\n"
        "const char *levels[] = {\"\\033[2J\", \"a\\nb\", \"\\302\\2331\", "
        "\"\\342\\200\\256\" \"abc\", \"\\177\"};\n"
        "for (int i = 0; i < 5; ++i) printf(\"%g\\n\", predict(levels[i], 2, 3));\n"
        "return 0;\n}\n");
    const std::string binary = file.path() + ".out";
    const auto printed = test::output_of("cc -std=c99 -Wall -Wextra -Werror -x c -o " + binary +
                                         " " + file.path() + " -lm && " + binary);
    std::filesystem::remove(binary);
    REQUIRE(printed);
    check_numbers(*printed, expected, 5);
  }
}

TEST_CASE("the C function uses no name that C reserves", "[model][show][needs-cc]") {
  ModelSpec spec;
  spec.intrinsic = {{"_Bool", 1, 2}, {"__LINE__", 1, 2}};
  Eigen::VectorXd constants(5);
  constants << 2, 3, 1, 1, 0.5;
  const test::CsvFile file(terms_code(spec, constants, FormulaLanguage::c) +
                           "#include <stdio.h>\nint main(void) {\n"
                           "printf(\"%g\\n\", predict(1, 10));\nreturn 0;\n}\n");
  const std::string binary = file.path() + ".out";
  const auto printed = test::output_of("cc -std=c99 -Wall -Wextra -Werror -x c -o " + binary + " " +
                                       file.path() + " -lm && " + binary);
  std::filesystem::remove(binary);
  CHECK(printed == "32.5\n");
}

TEST_CASE("LaTeX has a sign for each character that means something to it", "[model][show]") {
  const ModelSpec spec = spec_of_levels({"a~b c_d", "50%{&}$#"});
  CHECK_THAT(terms_code(spec, constants_of(spec), FormulaLanguage::latex),
             Catch::Matchers::ContainsSubstring("\\mathrm{a{\\sim}b\\ c\\_d} \\\\ 2") &&
                 Catch::Matchers::ContainsSubstring("\\mathrm{50\\%\\{\\&\\}\\$\\#}"));
}

TEST_CASE("LaTeX sets backslashes and carets of names as they are", "[model][show]") {
  const ModelSpec spec = spec_of_levels({"a\\b", "c^d^e"});
  CHECK(terms_code(spec, constants_of(spec), FormulaLanguage::latex) ==
        "\\begin{align*}\n"
        "  t ={} & \\Bigl(1 \\cdot \\mathrm{x} \\\\\n"
        "  & \\quad + \\left\\{\\begin{array}{ll}1 & \\mathrm{level} = "
        "\\mathrm{a\\backslash{}b} \\\\ 2 & \\mathrm{level} = "
        "\\mathrm{c\\hat{}d\\hat{}e}\\end{array}\\right.\\Bigr)\n"
        "\\end{align*}\n");
}

TEST_CASE("LaTeX leaves out what is 0 or 1 and aligns the rest", "[model][show]") {
  ModelSpec spec;
  spec.target = "t";
  spec.intrinsic = {{"absent", 1, 2}, {"flat", 1, 2}, {"grows", 1, 2}};
  spec.extrinsic = {{"gpus", 1, 8}, {"idle", 1, 8}};
  Eigen::VectorXd constants(9);
  constants << 0, 5, 3, 2, 0, 1.5, -0.5, 1e-4, 7e-128;  // a, then p, then q, then C
  const Eq4Layout layout(spec);
  REQUIRE(
      (layout.coefficient(1) == 1 && layout.intrinsic_power(2) == 5 && layout.intercept() == 8));
  CHECK(terms_code(spec, constants, FormulaLanguage::latex) ==
        "\\begin{align*}\n"
        "  t ={} & \\Bigl(5 \\\\\n"
        "  & \\quad + 3 \\cdot \\mathrm{grows}^{1.5}\\Bigr) \\\\\n"
        "  & \\cdot \\mathrm{gpus}^{-0.5}\n"
        "\\end{align*}\n");

  const SumStructure structure{.terms = 2, .step_factors = {}};
  const SumLayout sum(spec, structure);
  Eigen::VectorXd factors = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(sum.size()));
  const auto set = [&](std::size_t constant, double value) {
    factors[static_cast<Eigen::Index>(constant)] = value;
  };
  set(sum.coefficient(1), -2);
  set(sum.numeric_power(1, 0), 1);
  set(sum.intercept(), 4);
  CHECK(terms_code({spec, structure}, factors, FormulaLanguage::latex) ==
        "\\begin{align*}\n"
        "  t ={} & - 2 \\cdot \\mathrm{gpus} \\\\\n"
        "  & + 4\n"
        "\\end{align*}\n");
}
