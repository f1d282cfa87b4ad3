#include "codegen/formula_code.hpp"
#include "forms/sum_form.hpp"

#include <algorithm>
#include <optional>
#include <sstream>

#include "base/text.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/export.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/shell.hpp"
#include "support/sum_runs.hpp"
#include "table/expressions.hpp"

using namespace perfmodel;

namespace {

void check_numbers(const std::optional<std::string>& text, const Eigen::VectorXd& expected) {
  REQUIRE(text);
  std::istringstream lines(*text);
  for (const double number : expected) {
    std::string line;
    REQUIRE(std::getline(lines, line));
    const auto value = parse_number(line);
    REQUIRE(value);
    CHECK(*value == Catch::Approx(number).epsilon(1e-12));
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

using Run = std::optional<std::string> (*)(const std::string& code, const std::string& calls);

/// Sums, and Eq. (4) and a sum with derived columns, compute what predict does in a language;
/// a call stands between two texts.
void check_times(FormulaLanguage language, const std::string& before, const std::string& after,
                 Run run) {
  test::SumRuns zeros = shown_runs();
  zeros.truth.spec.extrinsic[0].zero = ZeroValue{2, true};
  zeros.truth.spec.intrinsic[0].zero = ZeroValue{3, false};
  for (const test::SumRuns& sum : {shown_runs(), runs_of_other_growths(), zeros})
    check_numbers(
        run(code_of(sum, language), calls_of_configurations(sum.spec, sum.table, before, after)),
        predict(sum.truth, sum.design));
  for (const DerivedModel& model : {derived_model(), derived_sum()})
    check_numbers(
        run(model.code(language), calls_of_configurations(model.spec, model.table, before, after)),
        model.predicted());
}

std::optional<std::string> run_python(const std::string& code, const std::string& calls) {
  return test::output_of_python(code + calls);
}

}  // namespace

TEST_CASE("the Python function computes what predict does", "[model][show][derive][needs-python]") {
  check_times(FormulaLanguage::python, "print(repr(", "))", run_python);
  const test::PaperRuns paper = test::paper_runs(test::Framework::mxnet, 40, 0, 1);
  check_numbers(run_python(terms_code(paper.spec, paper.constants, FormulaLanguage::python),
                           calls_of_configurations(paper.spec, paper.table, "print(repr(", "))")),
                predict_terms(paper.spec, paper.constants, paper.design));
  CHECK_THAT(derived_sum().code(FormulaLanguage::python),
             Catch::Matchers::ContainsSubstring("def predict(mode, workers, m, batch):\n"));
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
  std::string lists;
  for (const std::string& name : required_columns(model.spec)) {
    std::vector<std::string> cells;
    for (std::size_t row = 0; row < model.table.rows(); ++row)
      cells.push_back((name == "mode" ? "'" : "") + model.table.at(name).text(row) +
                      (name == "mode" ? "'" : ""));
    lists += (lists.empty() ? "[" : ", [") + joined(cells, ", ") + "]";
  }
  const auto printed =
      run_python(model.code(FormulaLanguage::python),
                 "for time in predict(" + lists + "):\n    print(repr(float(time)))\n" +
                     "print(predict(" + lists + ").shape, type(predict('1', 2, 3, 4)).__name__)\n");
  check_numbers(printed, model.predicted());
  CHECK_THAT(*printed, Catch::Matchers::EndsWith("\n(6,) float64\n"));
}

TEST_CASE("the JavaScript function computes what predict does",
          "[model][show][derive][needs-node]") {
  check_times(
      FormulaLanguage::javascript, "console.log(", ")",
      [](const std::string& code, const std::string& calls) {
        return test::output_of_javascript(code + calls);
      });
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
  const auto printed = test::output_of_javascript(
      "\"use strict\";\n" + code +
      "for (const level of ['</script>', ']]>', '__proto__', 'constructor', 'q\"\\\\\\n', "
      "'toString'])\n  console.log(predict(7, level, 2, 4));\n");
  CHECK(printed == "8\n9\n10\n11\n12\nNaN\n");  // (7 + level) * 2^2 / 4
}

TEST_CASE("the C function computes what predict does", "[model][show][derive][needs-cc]") {
  check_times(
      FormulaLanguage::c, "printf(\"%.17g\\n\", ", ");",
      [](const std::string& code, const std::string& calls) {
        return test::output_of_c(code, calls);
      });
}

TEST_CASE("a spreadsheet gets one formula over defined names", "[model][show]") {
  CHECK(code_of(shown_runs(), FormulaLanguage::spreadsheet) ==
        "=2e-05*filters^1.5*IF(activation=\"relu\",1,IF(activation=\"tanh\",1.5,NA()))"
        "*gpus^(-1)*batch_size*IF(gpus>1,1,1)"
        "+0.01*filters^0.5*IF(activation=\"relu\",1,IF(activation=\"tanh\",1,NA()))"
        "*gpus^0.5*LOG(MAX(gpus,1),2)*IF(gpus>1,1,0)+0.0125\n");
}

TEST_CASE("a spreadsheet, text and LaTeX show rings, caps and logarithms of all columns",
          "[model][show]") {
  const auto shown = [&](FormulaLanguage language) {
    return code_of(runs_of_other_growths(), language);
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

/// Checks what code in Python and in C computes for five levels, where there are these languages;
/// the levels are literals of each, and `call` is one with `level`.
void check_levels(const std::string& python, const std::string& levels_of_python,
                  const std::string& c, const std::string& levels_of_c, const std::string& call,
                  const Eigen::VectorXd& expected) {
  if (test::succeeds(test::kPython + "-c 'import numpy'"))
    check_numbers(
        run_python(python, "for level in [" + levels_of_python + "]:\n    print(" + call + ")\n"),
        expected);
  if (test::succeeds("cc --version"))
    check_numbers(test::output_of_c(c, "const char *levels[] = {" + levels_of_c +
                                           "};\nfor (int i = 0; i < 5; ++i) {\n"
                                           "const char *level = levels[i];\nprintf(\"%g\\n\", " +
                                           call + ");\n}\n"),
                  expected);
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
  check_levels(terms_code(spec, constants, FormulaLanguage::python),
               R"('"q"', 'back\\', 'two\nlines\r', 'what?' '?/', '{x}%s')",
               terms_code(spec, constants, FormulaLanguage::c),
               R"("\"q\"", "back\\", "two\nlines\r", "what?" "?/", "{x}%s")", "predict(1, level)",
               Eigen::VectorXd::LinSpaced(5, 2, 6));
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
  // The code computes what predict does.
  check_levels(model.code(FormulaLanguage::python),
               R"('\x1b[2J', 'a\nb', '\x9b1', '\u202Eabc', '\x7f')", model.code(FormulaLanguage::c),
               R"("\033[2J", "a\nb", "\302\2331", "\342\200\256" "abc", "\177")",
               "predict(level, 2, 3)", Eigen::VectorXd::LinSpaced(5, 8, 12));  // x y + 1 = 7
}

TEST_CASE("the C function uses no name that C reserves", "[model][show][needs-cc]") {
  ModelSpec spec;
  spec.intrinsic = {{"_Bool", 1, 2}, {"__LINE__", 1, 2}};
  Eigen::VectorXd constants(5);
  constants << 2, 3, 1, 1, 0.5;
  CHECK(test::output_of_c(terms_code(spec, constants, FormulaLanguage::c),
                          "printf(\"%g\\n\", predict(1, 10));\n") == "32.5\n");
}

TEST_CASE("LaTeX has a sign for each character that means something to it", "[model][show]") {
  const ModelSpec signs = spec_of_levels({"a~b c_d", "50%{&}$#"});
  CHECK_THAT(terms_code(signs, constants_of(signs), FormulaLanguage::latex),
             Catch::Matchers::ContainsSubstring("\\mathrm{a{\\sim}b\\ c\\_d} \\\\ 2") &&
                 Catch::Matchers::ContainsSubstring("\\mathrm{50\\%\\{\\&\\}\\$\\#}"));
  // Backslashes and carets are set as they are.
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
