#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "codegen/formula_code.hpp"
#include "forms/sum_form.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/export.hpp"
#include "support/catch.hpp"
#include "support/shell.hpp"
#include "support/sum_runs.hpp"
#include "support/temporary_directory.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A sum with a saturation, clamps, logarithms and a step.
test::SumRuns runs_with_unit(const std::string& unit) {
  test::SumRuns runs = test::sum_runs(40, 0, 1);
  SumStructure& structure = own_sum_form(runs.truth).structure;  // gpus, batch_size, filters
  structure.step_factors = {{2, 8}};
  structure.features = {{{}, {.clamp = 32}, {.log_power = 2}},
                        {{.log_power = 1, .clamp = 4}, {}, {.clamp = 16}}};
  structure.own_feature(0, 0).saturates = true;
  const SumLayout layout(runs.spec, structure);
  const auto count = static_cast<Eigen::Index>(layout.size());
  runs.truth.constants =
      Eigen::VectorXd::LinSpaced(count, 0.4, 0.4 + 0.15 * static_cast<double>(count - 1));
  runs.truth.spec.unit = unit;
  return runs;
}

/// Variables of a shell in which `sbatch` prints its arguments.
std::string with_printing_sbatch(const test::TemporaryDirectory& directory) {
  const std::string sbatch = directory.write("sbatch", "#!/bin/sh\necho \"$@\"\n");
  std::filesystem::permissions(sbatch, std::filesystem::perms::owner_all);
  return "PATH=" + directory.path().string() + ":$PATH ";
}

/// The values of a row in the order of the parameters, texts in quotes.
std::vector<std::pair<std::string, std::string>> values_of(const test::SumRuns& runs,
                                                           std::size_t row) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = 0; i < runs.spec.intrinsic.size(); ++i)
    out.emplace_back(runs.spec.intrinsic[i].column, to_text(runs.design.intrinsic[i].value(row)));
  for (std::size_t c = 0; c < runs.spec.categorical.size(); ++c)
    out.emplace_back(
        runs.spec.categorical[c].column,
        '"' + runs.spec.categorical[c].levels[runs.design.categorical[c].codes[row]] + '"');
  for (std::size_t j = 0; j < runs.spec.extrinsic.size(); ++j)
    out.emplace_back(runs.spec.extrinsic[j].column, to_text(runs.design.extrinsic[j].value(row)));
  return out;
}

std::string calls_of(const test::SumRuns& runs, const std::string& before,
                     const std::string& after) {
  std::string out;
  for (std::size_t row = 0; row < runs.design.rows; ++row) {
    std::vector<std::string> list;
    for (const auto& [column, value] : values_of(runs, row))
      list.push_back(value);
    out += before + joined(list, ", ") + after + "\n";
  }
  return out;
}

/// Each line is the prediction in the requested unit, rounded up.
void check_requests(const std::string& printed, const test::SumRuns& runs, double units) {
  const Eigen::VectorXd predicted = predict(runs.truth, runs.design);
  std::istringstream lines(printed);
  for (const double time : predicted) {
    std::string line;
    REQUIRE(std::getline(lines, line));
    const double exact = time * units;
    // Rounding in another order can cross a whole number.
    CHECK(parse_number(line).value() >= std::ceil(exact * (1 - 1e-12)));
    CHECK(parse_number(line).value() <= std::ceil(exact * (1 + 1e-12)));
  }
}

/// Memory in MB, 2000 input_size_gb^-0.1 threads^-0.5 + 10, measured from 0.5 to 40 GB and with 1
/// to 8 threads.
ModelSpec falling_memory() {
  ModelSpec spec;
  spec.target = "peak";
  spec.unit = "MB";
  spec.intrinsic = {{"input_size_gb", 0.5, 40}};
  spec.extrinsic = {{"threads", 1, 8}};
  return spec;
}

Eigen::VectorXd falling_constants() {
  Eigen::VectorXd constants(4);
  constants << 2000, -0.1, -0.5, 10;
  return constants;
}

/// What is requested: at 0, below the measured values, at their edges and beyond.
const std::vector<std::pair<double, double>> asked = {
    {0, 0}, {0.25, 1}, {0.5, 1}, {40, 8}, {500, 16}};

double falling_request(double size, double threads) {
  return 2000 * std::pow(std::max(size, 0.5), -0.1) * std::pow(std::max(threads, 1.0), -0.5) + 10;
}

}  // namespace

TEST_CASE("rules take less input than was measured as the least that was measured",
          "[model][show][workflow][needs-python][needs-node]") {
  const test::TemporaryDirectory directory;
  const auto code = [](FormulaLanguage language) {
    return terms_code(falling_memory(), falling_constants(), language);
  };
  const std::string script = directory.write("request.sh", code(FormulaLanguage::slurm));
  const std::string path = with_printing_sbatch(directory);
  std::string python = code(FormulaLanguage::snakemake);
  std::string javascript =
      std::regex_replace(code(FormulaLanguage::nextflow), std::regex("([0-9])d\\b"), "$1");
  javascript =
      std::regex_replace(javascript, std::regex("1\\.MB \\* \\((.*) as long\\)"), "return $1;");
  javascript = std::regex_replace(javascript, std::regex("\nmemory \\{"),
                                  "\nfunction memory(input_size_gb, threads) {");
  std::string slurm;
  for (const auto& [size, threads] : asked) {
    const std::string both = to_text(size) + ", " + to_text(threads);
    python += "print(mem_mb(" + both + "))\n";
    javascript += "console.log(memory(" + both + "))\n";
    slurm += path + "input_size_gb=" + to_text(size) + " threads=" + to_text(threads) + " bash " +
             script + "\n";
  }
  const auto requests = [&](const std::string& program, const std::string& name,
                            const std::string& text) {
    auto printed = test::output_of(program + directory.write(name, text));
    REQUIRE(printed);
    return std::istringstream(*printed);
  };
  std::istringstream mem_mb = requests(test::kPython, "rule.py", python);
  std::istringstream memory = requests("node ", "rule.js", javascript);
  std::istringstream mem = requests("bash ", "calls.sh", slurm);
  for (const auto& [size, threads] : asked) {
    INFO(size << " GB, " << threads << " threads");
    const double megabytes = falling_request(size, threads);
    const double mebibytes = std::ceil(megabytes * 1e6 / 0x1p20);
    std::string line;
    std::getline(mem_mb, line);
    CHECK(line == to_text(std::ceil(megabytes)));
    std::getline(memory, line);
    CHECK(line == to_text(mebibytes));
    std::getline(mem, line);
    CHECK(line == "--mem=" + to_text(mebibytes) + "M");
  }
  CHECK_THAT(code(FormulaLanguage::slurm),
             ContainsSubstring("# input_size_gb was measured from 0.5 to 40; less counts as 0.5, "
                               "more is extrapolated\n"));
}

TEST_CASE("the Snakemake function computes the bound rounded up",
          "[model][show][workflow][needs-python]") {
  const auto [unit, name, units] =
      GENERATE(table<std::string, std::string, double>({{"GB", "mem_mb", 1e3},
                                                        {"MiB", "mem_mb", 0x1p20 / 1e6},
                                                        {"s", "runtime", 1.0 / 60},
                                                        {"h", "runtime", 60}}));
  const test::SumRuns runs = runs_with_unit(unit);
  const std::string code = code_of(runs, FormulaLanguage::snakemake);
  CHECK_THAT(code, ContainsSubstring("#         " + name +
                                     "=lambda wildcards, input, threads: " + name + "("));
  const auto printed = test::output_of_python(code + calls_of(runs, "print(" + name + "(", "))"));
  REQUIRE(printed);
  check_requests(*printed, runs, units);
}

TEST_CASE("the Slurm script requests the bound rounded up", "[model][show][workflow]") {
  const auto [unit, option, suffix, units] =
      GENERATE(table<std::string, std::string, std::string, double>(
          {{"GB", "--mem=", "M", 1e9 / 0x1p20}, {"min", "--time=", "", 1}}));
  const test::SumRuns runs = runs_with_unit(unit);
  const test::TemporaryDirectory directory;
  const std::string script = directory.write("request.sh", code_of(runs, FormulaLanguage::slurm));
  std::string calls = with_printing_sbatch(directory) + "\n";
  for (std::size_t row = 0; row < runs.design.rows; ++row) {
    for (const auto& [column, value] : values_of(runs, row))
      calls += column + "=" + value + " ";
    calls += "bash " + script + " job.sh\n";
  }
  const auto printed = test::output_of("bash " + directory.write("calls.sh", calls));
  REQUIRE(printed);
  const std::string bare =
      std::regex_replace(*printed, std::regex(option + "([0-9]+)" + suffix + " job.sh"), "$1");
  check_requests(bare, runs, units);
}

TEST_CASE("the arithmetic of the Nextflow directive computes the bound rounded up",
          "[model][show][workflow][needs-node]") {
  const auto [unit, directive, one, units] =
      GENERATE(table<std::string, std::string, std::string, double>(
          {{"GB", "memory", "1.MB", 1e9 / 0x1p20}, {"ms", "time", "1.s", 1e-3}}));
  const test::SumRuns runs = runs_with_unit(unit);
  std::string code = code_of(runs, FormulaLanguage::nextflow);
  CHECK_THAT(code, ContainsSubstring("\n" + directive + " {\n"));
  CHECK_THAT(code, ContainsSubstring(one + " * (Math.ceil("));
  // Groovy's doubles, maps and conversions in JavaScript, which has the same operators.
  code = std::regex_replace(code, std::regex("([0-9])d\\b"), "$1");
  code = std::regex_replace(code, std::regex("\\[\""), "({\"");
  code = std::regex_replace(code, std::regex("\\]\\.get\\(([^)]*)\\)"), "})[$1]");
  code = std::regex_replace(code, std::regex("1\\.(MB|s) \\* \\((.*) as long\\)"), "return $2;");
  std::vector<std::string> names;
  for (const auto& [column, value] : values_of(runs, 0))
    names.push_back(column);
  code = std::regex_replace(code, std::regex("\n" + directive + " \\{"),
                            "\nfunction request(" + joined(names, ", ") + ") {");
  const auto printed =
      test::output_of_javascript(code + calls_of(runs, "console.log(request(", "))"));
  REQUIRE(printed);
  check_requests(*printed, runs, units);
}

TEST_CASE("names and levels with a meaning in a workflow remain what they are",
          "[model][show][workflow][needs-python]") {
  ModelSpec spec;
  spec.target = "peak";
  spec.unit = "MB";
  spec.intrinsic = {{"PATH", 1, 2}};
  spec.categorical = {{"mem_mb", {"it's", "q\"\\$x"}}};
  Eigen::VectorXd constants(5);  // a[PATH] | levels | p[PATH] | C
  constants << 1, 10, 20, 1, 0;
  CHECK(test::output_of_python(terms_code(spec, constants, FormulaLanguage::snakemake) +
                               "print(mem_mb(7, 'it\\'s'), mem_mb(7, 'q\"\\\\$x'))\n") ==
        "17 27\n");
  const test::TemporaryDirectory directory;
  const std::string script =
      directory.write("request.sh", terms_code(spec, constants, FormulaLanguage::slurm));
  const std::string call = with_printing_sbatch(directory) + "PATH_=7 ";
  const double units = 1e6 / 0x1p20;
  CHECK(test::output_of(call + "mem_mb=\"it's\" bash " + script) ==
        "--mem=" + to_text(std::ceil(17 * units)) + "M\n");
  CHECK(test::output_of(call + "mem_mb='q\"\\$x' bash " + script) ==
        "--mem=" + to_text(std::ceil(27 * units)) + "M\n");
}

namespace {

/// As Galaxy evaluates it: the lines of the block, of which the last one is the value.
std::string galaxy_program(const std::string& rule) {
  return "import ast, re\nrule = r'''" + rule + R"('''
text = rule[rule.index("mem: |\n") + 7:]
lines = text.splitlines()
assert all(line.startswith("      ") for line in lines)
block = ast.parse("\n".join(line[6:] for line in lines))
value = compile(ast.Expression(block.body.pop().value), "rule", "eval")
def mem(input_size, cores, **values):
    class Job:
        def get_param_values(self, app):
            return values
    names = {"input_size": input_size, "cores": cores, "job": Job(), "app": None}
    exec(compile(block, "rule", "exec"), names)
    return eval(value, names)
)";
}

/// The numbers that a program prints, one a line.
std::vector<double> numbers_in(const std::optional<std::string>& printed) {
  REQUIRE(printed);
  std::vector<double> out;
  std::istringstream lines(*printed);
  for (std::string line; std::getline(lines, line);)
    out.push_back(parse_number(line).value());
  return out;
}

}  // namespace

TEST_CASE("a rule for Galaxy computes the memory in GB from the size of the input and the cores",
          "[model][show][workflow][needs-python]") {
  const std::string rule =
      terms_code(falling_memory(), falling_constants(), FormulaLanguage::galaxy);
  std::string calls;
  for (const auto& [size, threads] : asked)
    calls += "print(mem(" + to_text(size) + ", " + to_text(threads) + "))\n";
  const std::vector<double> requests =
      numbers_in(test::output_of_python(galaxy_program(rule) + calls));
  REQUIRE(requests.size() == asked.size());
  for (std::size_t k = 0; k < asked.size(); ++k)
    CHECK(requests[k] == Catch::Approx(falling_request(asked[k].first, asked[k].second) / 1e3));

  // Bytes are converted, and what Galaxy does not know are parameters of the tool.
  ModelSpec spec;
  spec.target = "peak_gb";
  spec.intrinsic = {{"input_bytes", 1, 1e10}, {"depth", 1, 9}};
  spec.categorical = {{"mode", {"fast", "safe"}}};
  Eigen::VectorXd constants(7);  // a, a, levels | p, p | C
  constants << 1e-9, 10, 100, 200, 1, 1, 0;
  const std::string code = galaxy_program(terms_code(spec, constants, FormulaLanguage::galaxy)) +
                           "print(mem(2.0, 1, depth='3', mode='safe'))\n";
  CHECK(numbers_in(test::output_of_python(code)).at(0) ==
        Catch::Approx(2 * 1.073741824 + 30 + 200));
  spec.unit = "s";
  CHECK_THROWS_AS(terms_code(spec, constants, FormulaLanguage::galaxy), InputError);
}

TEST_CASE("requests keep to their floor and their cap and are rounded up to sizes",
          "[model][show][workflow][needs-python]") {
  ModelSpec spec;
  spec.target = "peak";
  spec.unit = "GB";
  spec.intrinsic = {{"input_size", 1, 100}};
  Eigen::VectorXd constants(3);  // input_size * 1 + 0
  constants << 1, 1, 0;
  const RequestLimits cap{.least = 4e9, .most = 50e9};
  const RequestLimits sizes{.least = {}, .most = {}, .steps = {32e9, 64e9, 128e9}};
  const RequestLimits both{.least = 40e9, .most = 100e9, .steps = {32e9, 64e9, 128e9}};
  const std::vector<double> inputs = {0, 3, 33, 64, 70, 1e6};
  const std::vector<std::pair<RequestLimits, std::vector<double>>> cases = {
      {cap, {4, 4, 33, 50, 50, 50}},
      {sizes, {32, 32, 64, 64, 128, 128}},
      {both, {64, 64, 64, 64, 100, 100}}};
  const test::TemporaryDirectory directory;
  const std::string path = with_printing_sbatch(directory);
  for (const auto& [limits, expected] : cases) {
    const auto code = [&, &within = limits](FormulaLanguage language) {
      return terms_code(spec, constants, {language, within});
    };
    const std::string script = directory.write("request.sh", code(FormulaLanguage::slurm));
    std::string snakemake = code(FormulaLanguage::snakemake);
    std::string galaxy = galaxy_program(code(FormulaLanguage::galaxy));
    std::string slurm;
    for (const double input : inputs) {
      snakemake += "print(mem_mb(" + to_text(input) + "))\n";
      galaxy += "print(mem(" + to_text(input) + ", 1))\n";
      slurm += path + "input_size=" + to_text(input) + " bash " + script + "\n";
    }
    const std::vector<double> megabytes = numbers_in(test::output_of_python(snakemake));
    const std::vector<double> gigabytes = numbers_in(test::output_of_python(galaxy));
    const auto printed = test::output_of("bash " + directory.write("calls.sh", slurm));
    REQUIRE(printed);
    const std::vector<double> mebibytes =
        numbers_in(std::regex_replace(*printed, std::regex("--mem=([0-9]+)M"), "$1"));
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      INFO(inputs[k]);
      CHECK(megabytes.at(k) == 1e3 * expected[k]);
      CHECK(gigabytes.at(k) == expected[k]);
      CHECK(mebibytes.at(k) == Catch::Approx(expected[k] * 1e9 / 0x1p20).margin(1));
      if (limits.most)  // also when rounded to a unit of the workflow
        CHECK(mebibytes.at(k) <= *limits.most / 0x1p20);
    }
  }
  CHECK_THAT(terms_code(spec, constants, {FormulaLanguage::nextflow, both}),
             ContainsSubstring(" <= 30517.578125d ? 30517.578125d : (request <= ") &&
                 ContainsSubstring("1.MB * (Math.ceil(Math.min("));
}

TEST_CASE("no rule fails where an input is 0", "[model][show][workflow][needs-python]") {
  ModelSpec spec;
  spec.target = "peak";
  spec.unit = "MB";
  spec.sources = {{"x"}};
  for (const char* formula : {"1 / x", "x ^ -0.5", "log(x) ^ 2", "log2(x) ^ 2", "log10(x) ^ 2"})
    spec.derived.push_back(
        make_derived("d" + std::to_string(spec.derived.size()), formula, "here"));
  for (DerivedColumn& column : spec.derived)
    spec.intrinsic.push_back({column.column, 0.001, 1});
  Eigen::VectorXd constants(11);  // a = 1 and p = 0.01 of each | C
  constants << 1, 1, 1, 1, 1, 0.01, 0.01, 0.01, 0.01, 0.01, 10;
  const std::vector<std::string> inputs = {"0", "0.5", "4", "1e6"};
  std::string snakemake = terms_code(spec, constants, FormulaLanguage::snakemake);
  const test::TemporaryDirectory directory;
  const std::string script =
      directory.write("request.sh", terms_code(spec, constants, FormulaLanguage::slurm));
  std::string slurm;
  for (const std::string& input : inputs) {
    snakemake += "print(mem_mb(float(" + input + ")))\n";
    slurm += with_printing_sbatch(directory) + "x=" + input + " bash " + script + "\n";
  }
  const std::vector<double> megabytes = numbers_in(test::output_of_python(snakemake));
  REQUIRE(megabytes.size() == inputs.size());
  const auto printed = test::output_of("bash " + directory.write("calls.sh", slurm));
  REQUIRE(printed);
  const std::vector<double> mebibytes =
      numbers_in(std::regex_replace(*printed, std::regex("--mem=([0-9]+)M"), "$1"));
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    CHECK(megabytes[k] < 30);
    CHECK(mebibytes.at(k) == Catch::Approx(megabytes[k] * 1e6 / 0x1p20).margin(2));
  }
  CHECK_THAT(terms_code(spec, constants, FormulaLanguage::nextflow),
             ContainsSubstring("1d / (x == 0 ? 1e-30d : x)"));
  const double x = 4;
  const double sum = std::pow(1 / x, 0.01) + std::pow(std::pow(x, -0.5), 0.01) +
                     std::pow(std::pow(std::log(x), 2), 0.01) +
                     std::pow(std::pow(std::log2(x), 2), 0.01) +
                     std::pow(std::pow(std::log10(x), 2), 0.01);
  CHECK(megabytes[2] == std::ceil(sum + 10));
}
