#include "fit/residual/process_code.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/index.hpp"
#include "base/text.hpp"

namespace perfmodel {
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

}  // namespace perfmodel
