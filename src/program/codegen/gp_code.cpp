#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "codegen/formula_code.hpp"
#include "columns/spec.hpp"
#include "forms/form.hpp"
#include "forms/gp_form.hpp"
#include "forms/own_form.hpp"
#include "forms/term_form.hpp"
#include "gp/gaussian_process.hpp"
#include "perfmodel/error.hpp"
#include "registry/registry.hpp"

namespace perfmodel {

namespace {

std::string listed(const std::vector<std::string>& items) {
  return joined(items, ", ");
}

std::vector<std::string> number_row(const gp::GaussianProcess& gp, Index row) {
  return mapped(gp.inputs.numbers.row(row), decimal_literal);
}

std::vector<std::string> level_row(const gp::GaussianProcess& gp, Index row) {
  return mapped(
      gp.inputs.levels.row(row), [](auto code) { return std::to_string(code); });
}

std::string all_digits(double number) {
  return to_text(number);
}

/// centre, scale, 1 / l and w of a number.
std::vector<std::string> facts_of_number(const gp::GaussianProcess& gp, std::size_t j) {
  const gp::Coordinate& coordinate = gp.coordinates[j];
  return {decimal_literal(coordinate.centre), decimal_literal(coordinate.scale),
          decimal_literal(gp.kernel.inverse_lengths[index(j)]),
          decimal_literal(gp.kernel.shares[index(j)])};
}

/// The code with the texts in place of their names, such as "$ROWS".
std::string filled(std::string_view code,
                   const std::vector<std::pair<std::string_view, std::string>>& texts) {
  std::string out(code);
  for (const auto& [name, text] : texts)
    for (std::size_t at = 0; (at = out.find(name, at)) != out.npos; at += text.size())
      out.replace(at, name.size(), text);
  return out;
}

constexpr std::string_view kPythonGp =
    R"(# Of each number: centre, scale, 1 / length, share that remains far away.
process_columns = np.array([
$COLUMNS])
process_rates = np.array([$RATES])
# Of each known configuration: weight, coordinates, positions of its levels.
process_known = np.array([
$KNOWN])
process_centre = $CENTRE

def predict_process(numbers, levels):
    centre, scale, inverse_length, share = process_columns.reshape(-1, 4).T
    weights, places, positions = np.split(process_known, [1, 1 + $COUNT_OF_NUMBERS], axis=1)
    rows = np.broadcast_arrays(*numbers, *levels)
    z = []
    for row in np.reshape(rows, (len(rows), -1)).T:
        place = np.rint((row[:$COUNT_OF_NUMBERS] - centre) / scale * 2.0**30) / 2.0**30
        a = np.sqrt(5.0) * np.abs(place - places) * inverse_length
        correlations = share + (1.0 - share) * (1.0 + a + a * a / 3.0) * np.exp(-a)
        distances = process_rates * (row[$COUNT_OF_NUMBERS:] != positions)
        factors = np.prod(correlations, axis=1) * np.exp(-np.sum(distances, axis=1))
        z.append(np.sum(weights[:, 0] * factors))
    return np.reshape(z, np.shape(rows[0])) - process_centre

)";

constexpr std::string_view kCGp =
    R"(static double predict_process(const double *numbers, const double *levels) {
  /* Of each number: centre, scale, 1 / length, share that remains far away. */
  static const double columns[$PLACES][4] = {
$COLUMNS  };
  static const double rates[$LEVELS] = {$RATES};
  /* Of each known configuration: weight, coordinates, positions of its levels. */
  static const struct {
    double weight;
    double places[$PLACES];
    double levels[$LEVELS];
  } known[$ROWS] = {
$KNOWN  };
  double z = 0.0;
  double places[$PLACES];
  int i, j;
  for (j = 0; j < $COUNT_OF_NUMBERS; ++j)
    places[j] = nearbyint((numbers[j] - columns[j][0]) / columns[j][1] * 1073741824.0) /
                1073741824.0;
  for (i = 0; i < $ROWS; ++i) {
    double weight = known[i].weight;
    for (j = 0; j < $COUNT_OF_NUMBERS; ++j) {
      const double a = sqrt(5.0) * fabs(places[j] - known[i].places[j]) * columns[j][2];
      weight *= columns[j][3] +
                (1.0 - columns[j][3]) * (1.0 + a + a * a / 3.0) * exp(-a);
    }
    for (j = 0; j < $COUNT_OF_LEVELS; ++j)
      weight *= levels[j] == known[i].levels[j] ? 1.0 : exp(-rates[j]);
    z += weight;
  }
  return z - ($CENTRE);
}

)";

constexpr std::string_view kJavaScriptGp =
    R"(// Of each number: centre, scale, 1 / length, share that remains far away.
const process_columns = [$COLUMNS];
const process_rates = [$RATES];
// Of each number: the coordinates of the known configurations.
const process_places = [$PLACES];
// Of each known configuration: weight, coordinates, positions of its levels.
const process_known = [
$KNOWN].map(([weight, at, levels]) =>
  [weight, at.map((i, j) => process_places[j][i]), levels]);
function process_correlation(places, levels, other) {
  let out = 1;
  places.forEach((x, j) => {
    const [, , inverse_length, share] = process_columns[j];
    const a = Math.sqrt(5) * Math.abs(x - other[1][j]) * inverse_length;
    out *= share + (1 - share) * (1 + a + a * a / 3) * Math.exp(-a);
  });
  levels.forEach((x, j) => {
    out *= x === other[2][j] ? 1 : Math.exp(-process_rates[j]);
  });
  return out;
}
// With every known configuration.
function process_correlations(numbers, levels) {
  const half = 1.5 * 2 ** 52;  // that is added and taken away rounds to even
  const places = numbers.map((x, j) =>
    ((x - process_columns[j][0]) / process_columns[j][1] * 2 ** 30 + half - half) / 2 ** 30);
  return process_known.map((other) => process_correlation(places, levels, other));
}
function predict_process(numbers, levels) {
  let z = 0;
  process_correlations(numbers, levels).forEach((x, i) => { z += process_known[i][0] * x; });
  return z - ($CENTRE);
}

)";

/// An array in C cannot be empty.
std::vector<std::string> or_zero(const std::vector<std::string>& items) {
  return items.empty() ? std::vector<std::string>{"0"} : items;
}

/// The source code of a function predict_process(), which returns the posterior mean of z minus its
/// centre. Its arguments are the numbers as gp_number() writes them, then the indices of
/// levels.
std::string gp_function(const gp::GaussianProcess& gp, double centre, FormulaLanguage language) {
  const bool is_c = language == FormulaLanguage::c;
  const bool is_script = language == FormulaLanguage::javascript;
  const gp::CodedInputs coded(gp.inputs);
  std::vector<std::string> columns;
  std::vector<std::string> places;
  for (std::size_t j = 0; j < gp.coordinates.size(); ++j) {
    const std::string facts = listed(facts_of_number(gp, j));
    columns.push_back(is_script ? "[" + facts + "]" : facts);
    places.push_back("[" + listed(mapped(coded.numbers[j].values, all_digits)) + "]");
  }
  std::vector<std::string> known;
  for (Index row = 0; row < gp.inputs.rows(); ++row) {
    // Indices of coordinates take less space in a page.
    const std::vector<std::string> numbers =
        is_script ? mapped(coded.numbers,
                           [&](const gp::CodedColumn& column) {
                             return std::to_string(column.codes[to_size(row)]);
                           })
                  : number_row(gp, row);
    const std::vector<std::string> levels = level_row(gp, row);
    std::vector<std::string> values = {decimal_literal(gp.kernel.variance * gp.weights[row])};
    if (is_c)
      values.push_back(
          fmt::format("{{{}}}, {{{}}}", listed(or_zero(numbers)), listed(or_zero(levels))));
    else if (is_script)
      values.back() += fmt::format(",[{}],[{}]", joined(numbers, ","), joined(levels, ","));
    for (const auto& more : {numbers, levels})
      if (!is_c && !is_script)
        values.insert(values.end(), more.begin(), more.end());
    known.push_back(listed(values));
  }
  const auto in_lines = [&](const std::vector<std::string>& items) {
    std::string out;
    for (const std::string& item : items)
      out += is_c ? "      {" + item + "},\n" : (is_script ? "[" : "    [") + item + "],\n";
    return out;
  };
  const std::vector<std::string> rates = mapped(gp.kernel.rates, decimal_literal);
  const auto count = [](std::size_t least, std::size_t items) {
    return std::to_string(std::max(least, items));
  };
  return filled(
      is_c        ? kCGp
      : is_script ? kJavaScriptGp
                  : kPythonGp,
      {{"$COLUMNS", is_script ? listed(columns) : in_lines(is_c ? or_zero(columns) : columns)},
       {"$RATES", listed(is_c ? or_zero(rates) : rates)},
       {"$KNOWN", in_lines(known)},
       {"$CENTRE", decimal_literal(centre)},
       {"$ROWS", std::to_string(known.size())},
       {"$COUNT_OF_NUMBERS", count(0, columns.size())},
       {"$COUNT_OF_LEVELS", count(0, rates.size())},
       {"$PLACES", is_script ? listed(places) : count(1, columns.size())},
       {"$LEVELS", count(1, rates.size())}});
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
      return std::string(dialect.syntax().module) + "log1p((" + operand + ") / " +
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
  if (is_request)
    require_tool_of(fmt::format("--as {}", to_text(language.language)));
  if (is_request && !model.bound)
    throw InputError(
        "half of the jobs would exceed this model's prediction; fit a bound: --quantile 0.95");
  if (is_request && has_gp(*model.form))
    throw InputError(
        "a residual correction is too long for a workflow; fit the bound with --residual none");
  return form_code(*model.form, model.spec, model.constants, language);
}

}  // namespace perfmodel
