#include "perfmodel/model/formula_code.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>

#include "perfmodel/base/text.hpp"
#include "perfmodel/model/generic_expression.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/multi_runs.hpp"

using namespace perfmodel;

namespace {

/// What a program prints; nothing where it cannot be run.
std::optional<std::string> output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr)
    return std::nullopt;
  std::string text;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr)
    text += buffer;
  if (pclose(pipe) != 0)
    return std::nullopt;
  return text;
}

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

test::MultiRuns shown_runs() {
  test::MultiRuns runs = test::multi_runs(40, 0, 1);
  runs.truth.multi->structure.log_powers[1] = {1, 0};
  runs.truth.constants[16] = 0.0125;
  return runs;
}

}  // namespace

TEST_CASE("the Python function computes what predict does", "[model][show]") {
  if (std::system("python3 -c 'import math' >/dev/null 2>&1") != 0)
    return;
  const test::MultiRuns runs = shown_runs();
  const test::PaperRuns paper = test::paper_runs(test::Framework::mxnet, 40, 0, 1);
  const auto check = [](const ModelSpec& spec, const MultiStructure* structure,
                        const Eigen::VectorXd& constants, const Design& design,
                        const Eigen::VectorXd& expected) {
    const std::string code = formula_code(spec, structure, constants, FormulaLanguage::python) +
                             calls(spec, design, "print(repr(", "))", 40);
    const test::CsvFile file(code);
    const auto printed = output_of("python3 " + file.path());
    REQUIRE(printed);
    check_numbers(*printed, expected, 40);
  };
  check(runs.spec, &runs.truth.multi->structure, runs.truth.constants, runs.design,
        predict(runs.truth, runs.design));
  check(paper.spec, nullptr, paper.constants, paper.design,
        predict_generic(paper.spec, paper.constants, paper.design));
}

TEST_CASE("the C function computes what predict does", "[model][show]") {
  if (std::system("cc --version >/dev/null 2>&1") != 0)
    return;
  const test::MultiRuns runs = shown_runs();
  const std::string code = formula_code(runs.spec, &runs.truth.multi->structure,
                                        runs.truth.constants, FormulaLanguage::c) +
                           "#include <stdio.h>\nint main(void) {\n" +
                           calls(runs.spec, runs.design, "printf(\"%.17g\\n\", ", ");", 40) +
                           "return 0;\n}\n";
  const test::CsvFile file(code);
  const std::string binary = file.path() + ".out";
  const auto printed = output_of("cc -x c -o " + binary + " " + file.path() + " -lm && " + binary);
  std::filesystem::remove(binary);
  REQUIRE(printed);
  check_numbers(*printed, predict(runs.truth, runs.design), 40);
}

TEST_CASE("a spreadsheet gets one formula over defined names", "[model][show]") {
  const test::MultiRuns runs = shown_runs();
  CHECK(formula_code(runs.spec, &runs.truth.multi->structure, runs.truth.constants,
                     FormulaLanguage::spreadsheet) ==
        "=2e-05*filters^1.5*IF(activation=\"relu\",1,IF(activation=\"tanh\",1.5,NA()))"
        "*gpus^(-1)*batch_size*IF(gpus>1,1,1)"
        "+0.01*filters^0.5*IF(activation=\"relu\",1,IF(activation=\"tanh\",1,NA()))"
        "*gpus^0.5*LOG(MAX(gpus,1),2)*IF(gpus>1,1,0)+0.0125\n");
}
