#include "fuzz/generated_code.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "base/text.hpp"
#include "forms/form.hpp"
#include "forms/sum_form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/export.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/table.hpp"
#include "support/generated_runs.hpp"
#include "support/shell.hpp"
#include "table/expressions.hpp"

namespace perfmodel::fuzz {
namespace {

using test::happens;
using test::one_of;

/// An arithmetic formula whose value is the same in all languages, to the last bit.
std::string exact_formula(RandomStream& random, const std::vector<std::string>& names, int depth) {
  if (depth == 0 || happens(random, 0.2))
    return happens(random, 0.7) ? names[random.below(names.size())]
                                : to_text(std::floor(random.uniform(1, 40)) / 4);
  const auto part = [&] { return exact_formula(random, names, depth - 1); };
  const std::string a = part();
  const std::string b = part();
  switch (random.below(8)) {
    case 0:
      return "(" + a + one_of(random, {" + ", " - ", " * "}) + b + ")";
    case 1:
      return "(" + a + " / (1 + abs(" + b + ")))";  // 0 / 0 is no number
    case 2:
      return one_of(random, {"min", "max"}) + ("(" + a + ", " + b + ", 3)");
    case 3:
      return one_of(random, {"ceil", "floor", "abs", "rint", "sign"}) + ("(" + a + " / 4)");
    case 4:
      return "(" + a + one_of(random, {" < ", " > ", " <= ", " >= ", " == ", " != "}) + b + ")";
    case 5:
      return "(" + a + " > 2 && " + b + " < 30 || " + a + " == " + b + ")";
    case 6:
      return "(-" + a + ")";
    default:
      return "(" + a + " < " + b + " ? " + part() + " : " + b + ")";
  }
}

/// A formula with values between 0.5 and about 1000.
std::string positive_formula(RandomStream& random, const std::vector<std::string>& names) {
  const std::string exact =
      exact_formula(random, names, 3) + " + " + names[random.below(names.size())];
  const std::string smooth =
      one_of(random, {"", "sqrt", "ln", "log2", "log10", "exp", "atan", "tanh", "asinh", "sin"});
  const std::string bounded = "min(abs(" + exact + "), 500)";
  if (smooth.empty())
    return "0.5 + " + bounded;
  return "1.5 + " + smooth + "(" + (smooth == "exp" ? "-" : "1 + ") + bounded + " / 100)" +
         (happens(random, 0.5) ? "" : " ^ 2");
}

/// Replaces names of columns and levels by some with a meaning in languages and in pages.
void rename(RandomStream& random, ModelSpec& spec, Table& table) {
  static constexpr const char* names[] = {"max",     "class",  "batch size", "Gr\xC3\xB6\xC3\x9Fu",
                                          "1st",     "pow",    "function",   "x-y",
                                          "E",       "Math",   "lambda",     "a.b",
                                          "predict", "double", "undefined",  "errno",
                                          "print",   "known",  "z",          "places",
                                          "strcmp"};
  static constexpr const char* levels[] = {"a\"b", "back\\slash", "\xC3\xA9", "</script>",
                                           "%d",   "what?\?/",    "tab\t",    "__proto__",
                                           "it's", "0",           "",         "*/"};
  std::vector<std::string> free_names(std::begin(names), std::end(names));
  random.shuffle(std::span(free_names));
  const auto rename_column = [&](std::string& column) {
    for (Column& own : table.columns)
      if (own.name == column)
        own.name = free_names.back();
    column = free_names.back();
    free_names.pop_back();
  };
  for (auto* inputs : {&spec.intrinsic, &spec.extrinsic})
    for (NumericInput& input : *inputs)
      rename_column(input.column);
  for (CategoricalInput& input : spec.categorical) {
    rename_column(input.column);
    std::vector<std::string> free_levels(std::begin(levels), std::end(levels));
    random.shuffle(std::span(free_levels));
    for (std::string& level : input.levels) {
      for (Column& own : table.columns)
        if (own.name == input.column)
          std::replace(own.levels.begin(), own.levels.end(), level, free_levels.back());
      level = free_levels.back();
      free_levels.pop_back();
    }
  }
}

SumStructure random_structure(RandomStream& random, const ModelSpec& spec) {
  SumStructure out;
  out.terms = 1 + random.below(3);
  for (std::size_t n = 0; n < numeric_count(spec); ++n) {
    const NumericInput& input = numeric_input(spec, n);
    const double middle = std::sqrt((input.zero ? input.zero->unit : input.low) * input.high);
    if (input.zero && input.zero->apart)
      out.step_factors.push_back({n, 0});
    else if (happens(random, 0.3))
      out.step_factors.push_back({n, middle});
    for (std::size_t k = 0; k < out.terms; ++k) {
      Feature& feature = out.own_feature(k, n);
      if (input.zero || !happens(random, 0.5))
        continue;
      feature.saturates = input.low >= 1 && happens(random, 0.3);
      feature.log_power = input.low > 1 ? static_cast<int>(random.below(3)) : 0;
      if (happens(random, 0.3))
        feature.clamp = middle;
    }
  }
  return out;
}

/// Constants of the form: powers up to 2, all others of any magnitude.
Eigen::VectorXd random_constants(RandomStream& random, const Form& form, const ModelSpec& spec) {
  const std::vector<ConstantInfo> infos = form.constants(spec);
  Eigen::VectorXd out(static_cast<Eigen::Index>(infos.size()));
  for (std::size_t k = 0; k < infos.size(); ++k) {
    double& constant = out[static_cast<Eigen::Index>(k)];
    const bool is_power =
        infos[k].range == ConstantRange::any && (infos[k].role == ConstantRole::intrinsic_power ||
                                                 infos[k].role == ConstantRole::scaling_power);
    constant = is_power
                   ? random.uniform(infos[k].role == ConstantRole::intrinsic_power ? 0.1 : -2, 2)
                   : std::pow(10, random.uniform(-3, 3));
    if (!is_power && happens(random, 0.15))
      constant = 0;
    else if (is_power && happens(random, 0.2))
      constant = std::round(constant);
  }
  return out;
}

FittedModel with_gp(RandomStream& random, const test::GeneratedRuns& runs) {
  FitRequest request = test::generated_request(runs, random);
  request.options = {};
  request.options.residual = Residual::gp;
  if (happens(random, 0.5))
    request.options.form = Eq4Options{.search = {.generations = 5}};
  else
    request.options.form = SumOptions{1};
  request.held_out.intervals = false;
  return fit_runs(runs.table(), request).model;
}

/// A literal of all three languages, but for trigraphs of C.
std::string quoted(const std::string& text, FormulaLanguage language) {
  std::string out = "\"";
  for (const char c : text)
    if (c == '\t')
      out += "\\t";
    else if (c == '"' || c == '\\' || (c == '?' && language == FormulaLanguage::c))
      out += std::string("\\") + c;
    else
      out += c;
  return out + '"';
}

/// The arguments of predict() for a configuration: texts for levels, also if these are numbers.
std::string arguments_of(const GeneratedModel& of, std::size_t row, FormulaLanguage language) {
  std::vector<std::string> out;
  for (const std::string& name : required_columns(of.model.spec)) {
    const Column& column = of.configurations.at(name);
    const auto& levels = of.model.spec.categorical;
    const bool is_text = !column.is_numeric() ||
                         std::any_of(levels.begin(), levels.end(),
                                     [&](const auto& input) { return input.column == name; });
    const std::string value = column.text(row);
    out.push_back(is_text ? quoted(value, language) : value);
  }
  return joined(out, ", ");
}

/// Prints the time of each row, which is that of the row of arrays.
constexpr auto kPrintedRows =
    "times = [predict(*row) for row in rows]\n"
    "arrays = predict(*map(list, zip(*rows))) + np.zeros(len(rows))\n"
    "np.testing.assert_allclose(arrays, times, rtol=1e-8)\n"
    "print(*(repr(float(time)) for time in times), sep='\\n')\n";

std::string repeated_names(const std::string& before, std::size_t number, bool define) {
  std::string out;
  for (const std::string name : {"predict", "predict_trend", "predict_process"})
    out += before + name + (define ? " " + name + "_" + std::to_string(number) : "") + "\n";
  return out;
}

}  // namespace

std::optional<GeneratedModel> generated_model(RandomStream& random) {
  test::GeneratedRuns runs = test::generated_runs(random);
  std::vector<std::string> names;
  for (const test::GeneratedColumn& column : runs.columns)
    if (!column.numbers.empty())
      names.push_back(column.name);
  runs.derived.clear();
  for (std::size_t d = 0; !names.empty() && d < 3 && happens(random, 0.3); ++d) {
    runs.derived.push_back(
        make_derived("derived_" + std::to_string(d), positive_formula(random, names), "test"));
    names.push_back(runs.derived.back().column);
  }
  GeneratedModel out;
  try {
    out.configurations = derive_as_requested(runs.table(), runs.derived);
    std::vector<std::size_t> rows(out.configurations.rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    ModelSpec& spec = out.model.spec;
    spec = make_spec(out.configurations, resolve_roles(out.configurations, runs.roles()), rows);
    if (happens(random, 0.05)) {
      out.model = with_gp(random, runs);
      return out;
    }
    const bool is_sum = happens(random, 0.6);
    for (NumericInput& input : spec.intrinsic)
      if (input.zero)
        input.zero->apart = is_sum && happens(random, 0.5);
    if (runs.derived.empty() && happens(random, 0.7))
      rename(random, spec, out.configurations);
    if (is_sum)
      out.model.form = std::make_shared<SumForm>(random_structure(random, spec));
    out.model.constants = random_constants(random, *out.model.form, spec);
    make_design(out.configurations, spec, perfmodel::Target::absent);
  } catch (const InputError&) {
    return std::nullopt;  // a derived column is constant, or no number
  }
  return out;
}

namespace {

/// Code that prints the times of all configurations of the models, one per line, by what
/// formula_code() writes, and the statements of its main function in C.
std::pair<std::string, std::string> program_of(const std::vector<GeneratedModel>& models,
                                               FormulaLanguage language) {
  std::string out;
  std::string calls;
  for (std::size_t number = 0; number < models.size(); ++number) {
    const GeneratedModel& of = models[number];
    const std::string code = formula_code(of.model, language);
    std::string own;
    for (std::size_t row = 0; row < of.configurations.rows(); ++row) {
      const std::string arguments = "(" + arguments_of(of, row, language) + ")";
      if (language == FormulaLanguage::python)
        own += "rows.append(" + arguments.substr(0, arguments.size() - 1) + ",))\n";
      else if (language == FormulaLanguage::javascript)
        own += "console.log(predict" + arguments + ");\n";
      else
        own += "printf(\"%.17g\\n\", predict_" + std::to_string(number) + arguments + ");\n";
    }
    if (language == FormulaLanguage::python)
      out += code + "rows = []\n" + own + kPrintedRows;
    else if (language == FormulaLanguage::javascript)
      out += "(() => {\n" + code + own + "})();\n";
    else {
      out += repeated_names("#define ", number, true) + code +
             repeated_names("#undef ", number, false);
      calls += own;
    }
  }
  return {out, calls};
}

}  // namespace

void check_code(const std::vector<GeneratedModel>& models, FormulaLanguage language) {
  const std::string name(to_text(language));
  const auto [code, calls] = program_of(models, language);
  const auto printed =
      language == FormulaLanguage::python ? test::output_of_python(code)
      : language == FormulaLanguage::javascript
          ? test::output_of_javascript(code)
          : test::output_of_c(code, calls, "-std=c99 -Wall -Wno-unused-variable -Werror");
  if (!printed)
    throw std::logic_error("the code of " + name + " does not run");
  std::istringstream lines(*printed);
  for (const GeneratedModel& of : models) {
    const Eigen::VectorXd times =
        predict(of.model, make_design(of.configurations, of.model.spec, perfmodel::Target::absent));
    for (const double time : times) {
      std::string line;
      std::getline(lines, line);
      const auto value = parse_number(line);
      // A coordinate of a Gaussian process is rounded to 2^-30; another logarithm can round a tie
      // to the other side.
      const double rounding = has_gp(*of.model.form) ? 1e-8 : 1e-10;
      if (std::isfinite(time) && !(value && std::abs(*value - time) <= rounding * std::abs(time)))
        throw std::logic_error(name + " has " + line + ", predict() " + to_text(time) + ": " +
                               of.model.form->formula(of.model.spec, of.model.constants) + "\n" +
                               formula_code(of.model, language));
    }
  }
}

}  // namespace perfmodel::fuzz
