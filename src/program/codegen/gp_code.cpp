#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/eigen.hpp"
#include "base/text.hpp"
#include "codegen/dialect.hpp"
#include "codegen/formula_code.hpp"
#include "columns/spec.hpp"
#include "forms/form.hpp"
#include "forms/gp_form.hpp"
#include "forms/own_form.hpp"
#include "forms/term_form.hpp"
#include "gp/gaussian_process.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/model.hpp"

namespace perfmodel {

namespace {

std::string listed(const std::vector<std::string>& items) {
  return joined(items, ", ");
}

std::vector<std::string> number_row(const gp::GaussianProcess& gp, Index row) {
  std::vector<std::string> out;
  for (Index j = 0; j < gp.inputs.numbers.cols(); ++j)
    out.push_back(decimal_literal(gp.inputs.numbers(row, j)));
  return out;
}

std::vector<std::string> level_row(const gp::GaussianProcess& gp, Index row) {
  std::vector<std::string> out;
  for (Index j = 0; j < gp.inputs.levels.cols(); ++j)
    out.push_back(std::to_string(gp.inputs.levels(row, j)));
  return out;
}

/// centre, scale, 1 / l and w of a number.
std::vector<std::string> facts_of_number(const gp::GaussianProcess& gp, std::size_t j) {
  const gp::Coordinate& coordinate = gp.coordinates[j];
  return {decimal_literal(coordinate.centre), decimal_literal(coordinate.scale),
          decimal_literal(gp.kernel.inverse_lengths[index(j)]),
          decimal_literal(gp.kernel.shares[index(j)])};
}

std::vector<std::string> rates(const gp::GaussianProcess& gp) {
  return mapped(gp.kernel.rates, decimal_literal);
}

std::string weight(const gp::GaussianProcess& gp, Index row) {
  return decimal_literal(gp.kernel.variance * gp.weights[row]);
}

/// The rows of a table of Python, one line each.
std::string python_table(const std::string& name, const std::vector<std::string>& rows) {
  std::string out = "process_" + name + " = np.array([\n";
  for (const std::string& row : rows)
    out += "    [" + row + "],\n";
  return out + "])\n";
}

std::string python_function(const gp::GaussianProcess& gp, double centre) {
  std::vector<std::string> columns;
  for (std::size_t j = 0; j < gp.coordinates.size(); ++j)
    columns.push_back(listed(facts_of_number(gp, j)));
  std::vector<std::string> known;
  for (Index row = 0; row < gp.inputs.rows(); ++row) {
    std::vector<std::string> values = {weight(gp, row)};
    for (const auto& more : {number_row(gp, row), level_row(gp, row)})
      values.insert(values.end(), more.begin(), more.end());
    known.push_back(listed(values));
  }
  const std::string numbers = std::to_string(gp.coordinates.size());
  return "# Of each number: centre, scale, 1 / length, share that remains far away.\n" +
         python_table("columns", columns) + "process_rates = np.array([" + listed(rates(gp)) +
         "])\n"
         "# Of each known configuration: weight, coordinates, positions of its levels.\n" +
         python_table("known", known) + "process_centre = " + decimal_literal(centre) + "\n" +
         "\n\n"
         "def predict_process(numbers, levels):\n"
         "    centre, scale, inverse_length, share = process_columns.reshape(-1, 4).T\n"
         "    weights, places, positions = np.split(process_known, [1, 1 + " +
         numbers +
         "], axis=1)\n"
         "    rows = np.broadcast_arrays(*numbers, *levels)\n"
         "    z = []\n"
         "    for row in np.reshape(rows, (len(rows), -1)).T:\n"
         "        place = np.rint((row[:" +
         numbers +
         "] - centre) / scale * 2.0**30) / 2.0**30\n"
         "        a = np.sqrt(5.0) * np.abs(place - places) * inverse_length\n"
         "        correlations = share + (1.0 - share) * (1.0 + a + a * a / 3.0) * np.exp(-a)\n"
         "        distances = process_rates * (row[" +
         numbers +
         ":] != positions)\n"
         "        factors = np.prod(correlations, axis=1) * np.exp(-np.sum(distances, axis=1))\n"
         "        z.append(np.sum(weights[:, 0] * factors))\n"
         "    return np.reshape(z, np.shape(rows[0])) - process_centre\n\n\n";
}

/// An array in C cannot be empty.
std::vector<std::string> or_zero(const std::vector<std::string>& items) {
  return items.empty() ? std::vector<std::string>{"0"} : items;
}

std::string c_function(const gp::GaussianProcess& gp, double centre) {
  const std::string rows = std::to_string(gp.inputs.rows());
  const std::string numbers = std::to_string(gp.inputs.numbers.cols());
  const std::string levels = std::to_string(gp.inputs.levels.cols());
  const auto length = [](Index columns) { return std::to_string(columns > 0 ? columns : 1); };
  const std::string number_length = length(gp.inputs.numbers.cols());
  const std::string level_length = length(gp.inputs.levels.cols());
  std::string out =
      "static double predict_process(const double *numbers, const double *levels) {\n"
      "  /* Of each number: centre, scale, 1 / length, share that remains far away. */\n"
      "  static const double columns[" +
      number_length + "][4] = {\n";
  for (std::size_t j = 0; j < gp.coordinates.size(); ++j)
    out += "      {" + listed(facts_of_number(gp, j)) + "},\n";
  if (gp.coordinates.empty())
    out += "      {0},\n";
  out +=
      "  };\n  static const double rates[" + level_length + "] = {" + listed(or_zero(rates(gp))) +
      "};\n"
      "  /* Of each known configuration: weight, coordinates, positions of its levels. */\n"
      "  static const struct {\n    double weight;\n    double places[" +
      number_length + "];\n    double levels[" + level_length + "];\n  } known[" + rows + "] = {\n";
  for (Index row = 0; row < gp.inputs.rows(); ++row) {
    out += "      {" + weight(gp, row) + ", {" + listed(or_zero(number_row(gp, row))) + "}, {" +
           listed(or_zero(level_row(gp, row))) + "}},\n";
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
      decimal_literal(centre) + ");\n}\n\n";
  return out;
}

/// Known configurations have indices of coordinates, which take less space in a page.
std::string javascript_rows(const gp::GaussianProcess& gp, const gp::CodedInputs& coded) {
  std::string out;
  for (Index row = 0; row < gp.inputs.rows(); ++row) {
    std::vector<std::string> places;
    for (const gp::CodedColumn& column : coded.numbers)
      places.push_back(std::to_string(column.codes[to_size(row)]));
    out += fmt::format("[{},[{}],[{}]],\n", weight(gp, row), joined(places, ","),
                       joined(level_row(gp, row), ","));
  }
  return out;
}

std::string javascript_function(const gp::GaussianProcess& gp, double centre) {
  std::vector<std::string> columns;
  for (std::size_t j = 0; j < gp.coordinates.size(); ++j)
    columns.push_back(fmt::format("[{}]", listed(facts_of_number(gp, j))));
  const gp::CodedInputs coded(gp.inputs);
  std::vector<std::string> lists;
  for (const gp::CodedColumn& column : coded.numbers) {
    const std::vector<std::string> texts =
        mapped(column.values, [](double value) { return to_text(value); });
    lists.push_back(fmt::format("[{}]", listed(texts)));
  }
  return "// Of each number: centre, scale, 1 / length, share that remains far away.\n"
         "const process_columns = [" +
         listed(columns) +
         "];\n"
         "const process_rates = [" +
         listed(rates(gp)) +
         "];\n"
         "// Of each number: the coordinates of the known configurations.\n"
         "const process_places = [" +
         listed(lists) +
         "];\n"
         "// Of each known configuration: weight, coordinates, positions of its levels.\n"
         "const process_known = [\n" +
         javascript_rows(gp, coded) +
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
         decimal_literal(centre) +
         ");\n"
         "}\n\n";
}

/// The source code of a function predict_gp(), which returns the posterior mean of z minus its
/// centre. Its arguments are the numbers as gp_number() writes them, then the indices of
/// levels.
std::string gp_function(const gp::GaussianProcess& gp, double centre, FormulaLanguage language) {
  switch (language) {
    case FormulaLanguage::c:
      return c_function(gp, centre);
    case FormulaLanguage::javascript:
      return javascript_function(gp, centre);
    default:
      return python_function(gp, centre);
  }
}

/// A number as an argument of the function: its logarithm or other transformation.
std::string gp_number(const gp::Coordinate& coordinate, const std::string& value,
                      const Dialect& dialect) {
  const std::string operand =
      std::isfinite(coordinate.most)
          ? dialect.apply(Operation::minimum, std::array{value, decimal_literal(coordinate.most)})
          : value;
  switch (coordinate.form) {
    case gp::CoordinateForm::log:
      return dialect.apply(Operation::log, std::array{operand});
    case gp::CoordinateForm::log_one_plus:
      return std::string(dialect.module()) + "log1p((" + operand + ") / " +
             decimal_literal(coordinate.unit) + ")";
    case gp::CoordinateForm::saturation:
      return "1.0 - 1.0 / (" + operand + ")";
  }
  return operand;
}

/// A call of the function.
std::string gp_call(const std::vector<std::string>& numbers, const std::vector<std::string>& levels,
                    FormulaLanguage language) {
  if (language != FormulaLanguage::c)
    return "predict_process([" + listed(numbers) + "], [" + listed(levels) + "])";
  return "predict_process((const double[]){" + listed(or_zero(numbers)) + "}, (const double[]){" +
         listed(or_zero(levels)) + "})";
}

/// The function of the trend, renamed, without the code before it.
std::string trend_function(const std::string& code, FormulaLanguage language) {
  const bool is_c = language == FormulaLanguage::c;
  const std::string head = language == FormulaLanguage::python ? "def "
                           : is_c                              ? "double "
                                                               : "function ";
  const std::string body = code.substr(code.find(head + "predict(") + head.size() + 7);
  return (is_c ? "static " : "") + head + "predict_trend" + body +
         (language == FormulaLanguage::python ? "\n\n" : "\n");
}

/// A trend times the function of its GP.
std::string gp_code(const GpForm& form, const ModelSpec& spec, const VectorXd& constants,
                    const CodeLanguage& language) {
  const gp::GaussianProcess& gp = form.known().gp;
  const std::string trend = form_code(form.trend(), spec, constants, language);
  const bool is_latex = language == FormulaLanguage::latex;
  if (language == FormulaLanguage::text || is_latex)
    return trend + (is_latex ? "% " : "") + "times a residual correction (a Gaussian process)\n";
  if (language == FormulaLanguage::spreadsheet || language == FormulaLanguage::extrap)
    throw InputError(
        "neither a spreadsheet nor Extra-P has a residual correction; use --as python or --as c");
  if (gp.neighbours > 0)
    throw InputError(
        fmt::format("the residual correction has {} configurations, too many for one function; "
                    "perfmodel predict computes it, and docs/json.md says how",
                    gp.inputs.rows()));
  const Dialect& dialect = dialect_of(language);
  const std::string helpers =
      trend_function(trend, language) + gp_function(gp, form.known().centre, language);
  return function_code(spec, language, helpers, [&](const CodeInputs& inputs) {
    std::vector<std::string> numbers;
    std::vector<std::string> levels;
    const auto number = [&](const std::string& operand) {
      numbers.push_back(gp_number(gp.coordinates[numbers.size()], operand, dialect));
    };
    for (const std::size_t i : form.columns().intrinsic)
      number(inputs.intrinsic[i]);
    for (const std::size_t j : form.columns().extrinsic)
      number(inputs.extrinsic[j]);
    for (const std::size_t c : form.columns().categorical)
      levels.push_back(inputs.levels[c]);
    return "predict_trend(" + joined(inputs.parameters, ", ") + ") * " +
           dialect.apply(Operation::exp, std::array{gp_call(numbers, levels, language)});
  });
}

}  // namespace

std::string form_code(const Form& form, const ModelSpec& spec, const VectorXd& constants,
                      const CodeLanguage& language) {
  if (const auto* const with_gp = dynamic_cast<const GpForm*>(&form))
    return gp_code(*with_gp, spec, constants, language);
  if (const auto* const terms = dynamic_cast<const TermForm*>(&form))
    return terms_code(terms->terms(spec), constants, language);
  if (const auto* const own = dynamic_cast<const OwnForm*>(&form)) {
    const OwnProgram program(own->own(), spec);
    return own_code(spec, program.formula(), program.operands(constants), own->factor(), language);
  }
  return form.formula(spec, constants) + "\n";
}

std::string formula_code(const FittedModel& model, const CodeLanguage& language) {
  const bool is_request = is_of_workflow(language);
  if (is_request && !model.bound)
    throw InputError(
        "half of the jobs would exceed this model's prediction; fit a bound: --quantile 0.95");
  if (is_request && has_gp(*model.form))
    throw InputError(
        "a residual correction is too long for a workflow; fit the bound with --residual none");
  return form_code(*model.form, model.spec, model.constants, language);
}

}  // namespace perfmodel
