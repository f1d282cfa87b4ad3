#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "codegen/formula_code.hpp"
#include "forms/form.hpp"
#include "forms/generic_form.hpp"
#include "forms/process_form.hpp"
#include "forms/sum_form.hpp"
#include "gp/residual_process.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

/// The field `process` of the constants: all that predictions take. Distinct coordinates stand once
/// per column, and rows say which of them they have.
Json process_to_json(const KnownProcess& known, const ProcessColumns& columns,
                     const ModelSpec& spec);

struct ReadProcess {
  process::ResidualProcess process;
  ProcessColumns columns;
};

/// Throws InputError for fields that do not fit each other or the inputs of the spec.
ReadProcess read_process(const JsonCursor& node, const ModelSpec& spec);

/// A function predict_process() of a language that computes, which returns the mean of z, less its
/// centre. It takes the numbers as process_number() writes them, then the positions of the levels.
std::string process_function(const process::ResidualProcess& process, double centre,
                             FormulaLanguage language);

/// A number as the function takes it: its logarithm, or what else its coordinate is of.
std::string process_number(const process::Coordinate& coordinate, const std::string& value,
                           FormulaLanguage language);

/// What a trend is multiplied by, of a call.
std::string process_factor(const std::string& call, FormulaLanguage language);

/// A call of the function.
std::string process_call(const std::vector<std::string>& numbers,
                         const std::vector<std::string>& levels, FormulaLanguage language);

namespace {

using Eigen::Index;

/// A literal that is no integer of C.
std::string literal(double value) {
  std::string text = to_text(value);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

/// "1.5, 2.0": where `closed`, as Python wants it of a tuple of one.
std::string listed(const std::vector<std::string>& items, bool closed = false) {
  return joined(items, ", ") + (closed && items.size() == 1 ? "," : "");
}

std::vector<std::string> number_row(const process::ResidualProcess& process, Index row) {
  std::vector<std::string> out;
  for (Index j = 0; j < process.inputs.numbers.cols(); ++j)
    out.push_back(literal(process.inputs.numbers(row, j)));
  return out;
}

std::vector<std::string> level_row(const process::ResidualProcess& process, Index row) {
  std::vector<std::string> out;
  for (Index j = 0; j < process.inputs.levels.cols(); ++j)
    out.push_back(std::to_string(process.inputs.levels(row, j)));
  return out;
}

/// centre, scale, 1 / l and w of a number.
std::vector<std::string> facts_of_number(const process::ResidualProcess& process, std::size_t j) {
  const process::Coordinate& coordinate = process.coordinates[j];
  return {literal(coordinate.centre), literal(coordinate.scale),
          literal(process.kernel.inverse_lengths[index(j)]),
          literal(process.kernel.shares[index(j)])};
}

std::vector<std::string> rates(const process::ResidualProcess& process) {
  std::vector<std::string> out;
  for (const double rate : process.kernel.rates)
    out.push_back(literal(rate));
  return out;
}

std::string weight(const process::ResidualProcess& process, Index row) {
  return literal(process.kernel.variance * process.weights[row]);
}

std::string python_function(const process::ResidualProcess& process, double centre) {
  std::string out =
      "def predict_process(numbers, levels):\n"
      "    # Of each number: centre, scale, 1 / length, share that remains far away.\n"
      "    columns = (\n";
  for (std::size_t j = 0; j < process.coordinates.size(); ++j)
    out += "        (" + listed(facts_of_number(process, j)) + "),\n";
  out += "    )\n    rates = (" + listed(rates(process), true) +
         ")\n"
         "    # Of each known configuration: weight, coordinates, positions of its levels.\n"
         "    known = (\n";
  for (Index row = 0; row < process.inputs.rows(); ++row) {
    out += "        (" + weight(process, row) + ", (" + listed(number_row(process, row), true) +
           "), (" + listed(level_row(process, row), true) + ")),\n";
  }
  return out +
         "    )\n"
         "    places = [round((x - c[0]) / c[1] * 2.0**30) / 2.0**30"
         " for x, c in zip(numbers, columns)]\n"
         "    z = 0.0\n"
         "    for weight, other_places, other_levels in known:\n"
         "        for x, y, (_, _, inverse_length, share) in zip(places, other_places, columns):\n"
         "            a = math.sqrt(5.0) * abs(x - y) * inverse_length\n"
         "            weight *= share + (1.0 - share) * (1.0 + a + a * a / 3.0) * math.exp(-a)\n"
         "        for x, y, rate in zip(levels, other_levels, rates):\n"
         "            weight *= 1.0 if x == y else math.exp(-rate)\n"
         "        z += weight\n"
         "    return z - (" +
         literal(centre) + ")\n\n\n";
}

/// Arrays of C cannot be empty.
std::vector<std::string> or_zero(const std::vector<std::string>& items) {
  return items.empty() ? std::vector<std::string>{"0"} : items;
}

std::string c_function(const process::ResidualProcess& process, double centre) {
  const std::string rows = std::to_string(process.inputs.rows());
  const std::string numbers = std::to_string(process.inputs.numbers.cols());
  const std::string levels = std::to_string(process.inputs.levels.cols());
  const auto length = [](Index columns) { return std::to_string(columns > 0 ? columns : 1); };
  const std::string number_length = length(process.inputs.numbers.cols());
  const std::string level_length = length(process.inputs.levels.cols());
  std::string out =
      "static double predict_process(const double *numbers, const double *levels) {\n"
      "  /* Of each number: centre, scale, 1 / length, share that remains far away. */\n"
      "  static const double columns[" +
      number_length + "][4] = {\n";
  for (std::size_t j = 0; j < process.coordinates.size(); ++j)
    out += "      {" + listed(facts_of_number(process, j)) + "},\n";
  if (process.coordinates.empty())
    out += "      {0},\n";
  out += "  };\n  static const double rates[" + level_length + "] = {" +
         listed(or_zero(rates(process))) +
         "};\n"
         "  /* Of each known configuration: weight, coordinates, positions of its levels. */\n"
         "  static const struct {\n    double weight;\n    double places[" +
         number_length + "];\n    double levels[" + level_length + "];\n  } known[" + rows +
         "] = {\n";
  for (Index row = 0; row < process.inputs.rows(); ++row) {
    out += "      {" + weight(process, row) + ", {" + listed(or_zero(number_row(process, row))) +
           "}, {" + listed(or_zero(level_row(process, row))) + "}},\n";
  }
  out +=
      "  };\n  double z = 0.0;\n  double places[" + number_length +
      "];\n"
      "  int i, j;\n"
      "  for (j = 0; j < " +
      numbers +
      "; ++j)\n"
      "    places[j] = nearbyint((numbers[j] - columns[j][0]) / columns[j][1] * 1073741824.0) /\n"
      "                1073741824.0;\n"
      "  for (i = 0; i < " +
      rows +
      "; ++i) {\n"
      "    double weight = known[i].weight;\n"
      "    for (j = 0; j < " +
      numbers +
      "; ++j) {\n"
      "      const double a = sqrt(5.0) * fabs(places[j] - known[i].places[j]) * columns[j][2];\n"
      "      weight *= columns[j][3] +\n"
      "                (1.0 - columns[j][3]) * (1.0 + a + a * a / 3.0) * exp(-a);\n"
      "    }\n"
      "    for (j = 0; j < " +
      levels +
      "; ++j)\n"
      "      weight *= levels[j] == known[i].levels[j] ? 1.0 : exp(-rates[j]);\n"
      "    z += weight;\n"
      "  }\n"
      "  return z - (" +
      literal(centre) + ");\n}\n\n";
  return out;
}

/// The distinct values of each column: configurations name them by their positions, which takes
/// less room in a page.
std::vector<std::vector<double>> distinct_values(const process::ResidualProcess& process) {
  std::vector<std::vector<double>> out;
  for (Index j = 0; j < process.inputs.numbers.cols(); ++j) {
    std::vector<double> values(process.inputs.numbers.col(j).begin(),
                               process.inputs.numbers.col(j).end());
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    out.push_back(std::move(values));
  }
  return out;
}

std::vector<std::string> positions_in(const std::vector<std::vector<double>>& distinct,
                                      const process::ResidualProcess& process, Index row) {
  std::vector<std::string> out;
  for (const std::vector<double>& values : distinct) {
    const double value = process.inputs.numbers(row, index(out.size()));
    out.push_back(
        std::to_string(std::lower_bound(values.begin(), values.end(), value) - values.begin()));
  }
  return out;
}

std::string javascript_function(const process::ResidualProcess& process, double centre) {
  std::vector<std::string> columns;
  for (std::size_t j = 0; j < process.coordinates.size(); ++j)
    columns.push_back("[" + listed(facts_of_number(process, j)) + "]");
  const std::vector<std::vector<double>> distinct = distinct_values(process);
  std::vector<std::string> lists;
  for (const std::vector<double>& values : distinct) {
    std::vector<std::string> texts;
    for (const double value : values)
      texts.push_back(to_text(value));
    lists.push_back("[" + listed(texts) + "]");
  }
  std::string out =
      "// Of each number: centre, scale, 1 / length, share that remains far away.\n"
      "const process_columns = [" +
      listed(columns) +
      "];\n"
      "const process_rates = [" +
      listed(rates(process)) +
      "];\n"
      "// Of each number: the coordinates of the known configurations.\n"
      "const process_places = [" +
      listed(lists) +
      "];\n"
      "// Of each known configuration: weight, coordinates, positions of its levels.\n"
      "const process_known = [\n";
  for (Index row = 0; row < process.inputs.rows(); ++row) {
    out += "[" + weight(process, row) + ",[" + joined(positions_in(distinct, process, row), ",") +
           "],[" + joined(level_row(process, row), ",") + "]],\n";
  }
  return out +
         "].map(([weight, at, levels]) =>\n"
         "  [weight, at.map((i, j) => process_places[j][i]), levels]);\n"
         "function process_correlation(places, levels, other) {\n"
         "  let out = 1;\n"
         "  places.forEach((x, j) => {\n"
         "    const [, , inverse_length, share] = process_columns[j];\n"
         "    const a = Math.sqrt(5) * Math.abs(x - other[1][j]) * inverse_length;\n"
         "    out *= share + (1 - share) * (1 + a + a * a / 3) * Math.exp(-a);\n"
         "  });\n"
         "  levels.forEach((x, j) => {\n"
         "    out *= x === other[2][j] ? 1 : Math.exp(-process_rates[j]);\n"
         "  });\n"
         "  return out;\n"
         "}\n"
         "// With every known configuration.\n"
         "function process_correlations(numbers, levels) {\n"
         "  const half = 1.5 * 2 ** 52;  // that is added and taken away rounds to even\n"
         "  const places = numbers.map((x, j) =>\n"
         "    ((x - process_columns[j][0]) / process_columns[j][1] * 2 ** 30 + half - half) / 2 ** "
         "30);\n"
         "  return process_known.map((other) => process_correlation(places, levels, other));\n"
         "}\n"
         "function predict_process(numbers, levels) {\n"
         "  let z = 0;\n"
         "  process_correlations(numbers, levels).forEach((x, i) => { z += process_known[i][0] * "
         "x; });\n"
         "  return z - (" +
         literal(centre) +
         ");\n"
         "}\n\n";
}

/// How a language calls a function of mathematics.
std::string in_module(FormulaLanguage language, const std::string& name) {
  const bool is_python = language == FormulaLanguage::python;
  return (is_python ? "math." : language == FormulaLanguage::javascript ? "Math." : "") + name;
}

}  // namespace

std::string process_function(const process::ResidualProcess& process, double centre,
                             FormulaLanguage language) {
  switch (language) {
    case FormulaLanguage::c:
      return c_function(process, centre);
    case FormulaLanguage::javascript:
      return javascript_function(process, centre);
    default:
      return python_function(process, centre);
  }
}

std::string process_number(const process::Coordinate& coordinate, const std::string& value,
                           FormulaLanguage language) {
  const std::string minimum = language == FormulaLanguage::python ? "min"
                              : language == FormulaLanguage::c    ? "fmin"
                                                                  : "Math.min";
  const std::string operand = std::isfinite(coordinate.most)
                                  ? minimum + "(" + value + ", " + literal(coordinate.most) + ")"
                                  : value;
  switch (coordinate.form) {
    case process::CoordinateForm::log:
      return in_module(language, "log") + "(" + operand + ")";
    case process::CoordinateForm::log_one_plus:
      return in_module(language, "log1p") + "((" + operand + ") / " + literal(coordinate.unit) +
             ")";
    case process::CoordinateForm::ring:
      return "1.0 - 1.0 / (" + operand + ")";
  }
  return operand;
}

std::string process_factor(const std::string& call, FormulaLanguage language) {
  return in_module(language, "exp") + "(" + call + ")";
}

std::string process_call(const std::vector<std::string>& numbers,
                         const std::vector<std::string>& levels, FormulaLanguage language) {
  if (language == FormulaLanguage::python)
    return "predict_process((" + listed(numbers, true) + "), (" + listed(levels, true) + "))";
  if (language == FormulaLanguage::javascript)
    return "predict_process([" + listed(numbers) + "], [" + listed(levels) + "])";
  return "predict_process((const double[]){" + listed(or_zero(numbers)) + "}, (const double[]){" +
         listed(or_zero(levels)) + "})";
}

namespace {

/// The trend's function by another name, without what stands before it.
std::string trend_function(const std::string& code, FormulaLanguage language) {
  const bool is_c = language == FormulaLanguage::c;
  const std::string head = language == FormulaLanguage::python ? "def "
                           : is_c                              ? "double "
                                                               : "function ";
  const std::string body = code.substr(code.find(head + "predict(") + head.size() + 7);
  return (is_c ? "static " : "") + head + "predict_trend" + body +
         (language == FormulaLanguage::python ? "\n\n" : "\n");
}

}  // namespace

std::string ProcessForm::code(const ModelSpec& spec, const Eigen::VectorXd& constants,
                              FormulaLanguage language) const {
  const process::ResidualProcess& process = known_->process;
  const std::string trend = trend_->code(spec, constants, language);
  const bool is_latex = language == FormulaLanguage::latex;
  if (language == FormulaLanguage::text || is_latex)
    return trend + (is_latex ? "% " : "") + "times exp(z), z being a residual process\n";
  if (language == FormulaLanguage::spreadsheet) {
    throw InputError("no spreadsheet computes a residual process; use " +
                     Field{"language", {"python"}} + " or " + Field{"language", {"c"}});
  }
  if (process.neighbours > 0) {
    throw InputError("the process knows " + std::to_string(process.inputs.rows()) +
                     " configurations, too many for one function; perfmodel predict computes it, "
                     "and docs/json.md says how");
  }
  const std::string helpers =
      trend_function(trend, language) + process_function(process, known_->centre, language);
  return function_code(spec, language, helpers, [&](const CodeInputs& inputs) {
    std::vector<std::string> numbers;
    std::vector<std::string> levels;
    const auto number = [&](const std::string& operand) {
      numbers.push_back(process_number(process.coordinates[numbers.size()], operand, language));
    };
    for (const std::size_t i : columns_.intrinsic)
      number(inputs.intrinsic[i]);
    for (const std::size_t j : columns_.extrinsic)
      number(inputs.extrinsic[j]);
    for (const std::size_t c : columns_.categorical)
      levels.push_back(inputs.levels[c]);
    return "predict_trend(" + joined(inputs.parameters, ", ") + ") * " +
           process_factor(process_call(numbers, levels, language), language);
  });
}

namespace {

using Eigen::VectorXd;
using process::CoordinateForm;

constexpr std::array<std::pair<CoordinateForm, const char*>, 3> kFormNames = {
    {{CoordinateForm::log, "log"},
     {CoordinateForm::log_one_plus, "log_one_plus"},
     {CoordinateForm::ring, "ring"}}};

Json numbers(const VectorXd& values) {
  Json out = Json::array();
  for (const double value : values)
    out.push_back(number(value));
  return out;
}

CoordinateForm read_coordinate_form(const JsonCursor& node) {
  const std::string text = node.text();
  std::vector<std::string> names;
  for (const auto& [form, name] : kFormNames) {
    if (text == name)
      return form;
    names.emplace_back(name);
  }
  node.fail("'" + text + "' is not one of " + quoted_list(names));
}

double read_positive(const JsonCursor& node) {
  const double value = node.number();
  if (!(value > 0))
    node.fail("expected a number > 0");
  return value;
}

VectorXd read_numbers(const JsonCursor& node, std::optional<Index> rows) {
  const std::vector<JsonCursor> items = node.items();
  if (rows && index(items.size()) != *rows)
    node.fail("expected " + std::to_string(*rows) + " numbers, one per row of the process");
  VectorXd out(index(items.size()));
  for (std::size_t i = 0; i < items.size(); ++i)
    out[index(i)] = items[i].number();
  return out;
}

std::vector<std::size_t> read_codes(const JsonCursor& node, Index rows, std::size_t end) {
  const std::vector<JsonCursor> items = node.items();
  if (index(items.size()) != rows)
    node.fail("expected " + std::to_string(rows) + " positions, one per row of the process");
  std::vector<std::size_t> out;
  for (const JsonCursor& item : items) {
    out.push_back(item.count());
    if (out.back() >= end)
      item.fail("there are only " + std::to_string(end) + " values");
  }
  return out;
}

template <class Input>
std::optional<std::size_t> json_place_of(const std::vector<Input>& inputs,
                                         const std::string& column) {
  const auto found = std::find_if(inputs.begin(), inputs.end(),
                                  [&](const Input& input) { return input.column == column; });
  return found == inputs.end() ? std::nullopt
                               : std::optional(static_cast<std::size_t>(found - inputs.begin()));
}

bool is_each_once(std::vector<std::size_t> places, std::size_t count) {
  std::sort(places.begin(), places.end());
  return places.size() == count && std::adjacent_find(places.begin(), places.end()) == places.end();
}

void read_number(const JsonCursor& node, std::size_t j, const ModelSpec& spec, ReadProcess& out) {
  const JsonCursor column = node.member("column");
  if (const auto place = json_place_of(spec.intrinsic, column.text())) {
    if (!out.columns.extrinsic.empty())
      column.fail("intrinsic columns stand before extrinsic ones");
    out.columns.intrinsic.push_back(*place);
  } else if (const auto scale = json_place_of(spec.extrinsic, column.text())) {
    out.columns.extrinsic.push_back(*scale);
  } else {
    column.fail("'" + column.text() + "' is no numeric input of the model");
  }
  process::ResidualProcess& process = out.process;
  const std::optional<JsonCursor> most = node.optional_member("most");
  process.coordinates.push_back(
      {.form = read_coordinate_form(node.member("form")),
       .unit = read_positive(node.member("unit")),
       .centre = node.member("centre").number(),
       .scale = read_positive(node.member("scale")),
       .most = most ? read_positive(*most) : std::numeric_limits<double>::infinity()});
  process.kernel.inverse_lengths[index(j)] = read_positive(node.member("inverse_length"));
  const JsonCursor share = node.member("share");
  process.kernel.shares[index(j)] = share.number();
  if (!(share.number() >= 0 && share.number() <= 1))
    share.fail("expected a number from 0 to 1");
  const VectorXd values = read_numbers(node.member("values"), {});
  const std::vector<std::size_t> codes = read_codes(node.member("codes"), process.runs.size(),
                                                    static_cast<std::size_t>(values.size()));
  for (std::size_t row = 0; row < codes.size(); ++row)
    process.inputs.numbers(index(row), index(j)) = values[index(codes[row])];
}

void read_levels(const JsonCursor& node, std::size_t j, const ModelSpec& spec, ReadProcess& out) {
  const JsonCursor column = node.member("column");
  const auto place = json_place_of(spec.categorical, column.text());
  if (!place)
    column.fail("'" + column.text() + "' is no categorical input of the model");
  out.columns.categorical.push_back(*place);
  out.process.kernel.rates[index(j)] = read_positive(node.member("rate"));
  const std::vector<std::size_t> codes = read_codes(node.member("codes"), out.process.runs.size(),
                                                    spec.categorical[*place].levels.size());
  for (std::size_t row = 0; row < codes.size(); ++row)
    out.process.inputs.levels(index(row), index(j)) = static_cast<std::uint32_t>(codes[row]);
}

}  // namespace

Json process_to_json(const KnownProcess& known, const ProcessColumns& columns,
                     const ModelSpec& spec) {
  const process::ResidualProcess& process = known.process;
  const process::CodedInputs coded(process.inputs);
  const process::Kernel& kernel = process.kernel;
  Json numeric = Json::array();
  for (std::size_t j = 0; j < coded.numbers.size(); ++j) {
    const process::Coordinate& coordinate = process.coordinates[j];
    const auto* const form = std::find_if(kFormNames.begin(), kFormNames.end(), [&](const auto& f) {
      return f.first == coordinate.form;
    });
    Json node = {{"column", columns.number(spec, j).column},
                 {"form", form->second},
                 {"unit", number(coordinate.unit)},
                 {"centre", number(coordinate.centre)},
                 {"scale", number(coordinate.scale)},
                 {"inverse_length", number(kernel.inverse_lengths[index(j)])},
                 {"share", number(kernel.shares[index(j)])},
                 {"values", numbers(coded.numbers[j].values)},
                 {"codes", coded.numbers[j].codes}};
    if (std::isfinite(coordinate.most))
      node["most"] = number(coordinate.most);
    numeric.push_back(std::move(node));
  }
  Json levels = Json::array();
  for (Index j = 0; j < process.inputs.levels.cols(); ++j) {
    Json codes = Json::array();
    for (Index row = 0; row < process.inputs.rows(); ++row)
      codes.push_back(process.inputs.levels(row, j));
    const auto column = static_cast<std::size_t>(j);
    levels.push_back({{"column", spec.categorical[columns.categorical[column]].column},
                      {"rate", number(kernel.rates[j])},
                      {"codes", std::move(codes)}});
  }
  Json out = {{"variance", number(kernel.variance)},
              {"noise", number(kernel.noise)},
              {"near_variance", number(known.near_variance)},
              {"centre", number(known.centre)},
              {"neighbours", process.neighbours},
              {"numbers", std::move(numeric)},
              {"levels", std::move(levels)},
              {"runs", numbers(process.runs)},
              {"residual", numbers(process.residual)}};
  if (process.neighbours == 0)
    out["weights"] = numbers(process.weights);
  return out;
}

ReadProcess read_process(const JsonCursor& node, const ModelSpec& spec) {
  ReadProcess out;
  process::ResidualProcess& process = out.process;
  process.kernel.variance = read_positive(node.member("variance"));
  process.kernel.noise = read_positive(node.member("noise"));
  if (const auto near = node.optional_member("near_variance"))
    process.near_variance = read_positive(*near);
  process.neighbours = index(node.member("neighbours").count());
  process.runs = read_numbers(node.member("runs"), {});
  const Index rows = process.runs.size();
  if (rows == 0 || !(process.runs.array() > 0).all())
    node.member("runs").fail("expected numbers of runs, above 0 each");
  process.residual = read_numbers(node.member("residual"), rows);
  if (process.neighbours == 0)
    process.weights = read_numbers(node.member("weights"), rows);
  const std::vector<JsonCursor> numeric = node.member("numbers").items();
  process.inputs.numbers.resize(rows, index(numeric.size()));
  process.kernel.inverse_lengths.resize(index(numeric.size()));
  process.kernel.shares.resize(index(numeric.size()));
  for (std::size_t j = 0; j < numeric.size(); ++j)
    read_number(numeric[j], j, spec, out);
  const std::vector<JsonCursor> levels = node.member("levels").items();
  process.inputs.levels.resize(rows, index(levels.size()));
  process.kernel.rates.resize(index(levels.size()));
  for (std::size_t j = 0; j < levels.size(); ++j)
    read_levels(levels[j], j, spec, out);
  if (!is_each_once(out.columns.intrinsic, spec.intrinsic.size()) ||
      !is_each_once(out.columns.extrinsic, spec.extrinsic.size()) ||
      !is_each_once(out.columns.categorical, spec.categorical.size()))
    node.fail("expected every input of the model once");
  return out;
}

namespace {

/// What can be the trend of a process.
constexpr std::array<std::pair<Expression, void (*)(const JsonCursor&, FittedModel&)>, 2> trends = {
    {{Expression::generic, GenericForm::read}, {Expression::multi, SumForm::read}}};

void read_trend(const JsonCursor& constants, FittedModel& model) {
  const JsonCursor node = constants.member("trend");
  const std::string text = node.text();
  std::vector<std::string> names;
  for (const auto& [expression, read] : trends) {
    if (text == to_text(expression))
      return read(constants, model);
    names.emplace_back(to_text(expression));
  }
  node.fail("'" + text + "' is not one of " + quoted_list(names));
}

}  // namespace

Json ProcessForm::constants_to_json(const FittedModel& model) const {
  Json out = trend_->constants_to_json(model);
  out["trend"] = trend_->name();
  out["process"] = process_to_json(*known_, columns_, model.spec);
  return out;
}

void ProcessForm::check_constants(const FittedModel& model, const JsonCursor& constants) const {
  trend_->check_constants(model, constants);
}

void ProcessForm::read(const JsonCursor& constants, FittedModel& model) {
  read_trend(constants, model);
  ReadProcess found = read_process(constants.member("process"), model.spec);
  model.form = std::make_shared<ProcessForm>(
      model.form, std::move(found.columns),
      std::make_shared<const KnownProcess>(std::move(found.process),
                                           std::max(1U, std::thread::hardware_concurrency())),
      ProcessPrior{});
}

}  // namespace perfmodel
