#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/eigen.hpp"
#include "base/fields.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "codegen/dialect.hpp"
#include "codegen/formula_code.hpp"
#include "columns/spec.hpp"
#include "forms/eq4_form.hpp"
#include "forms/form.hpp"
#include "forms/gp_form.hpp"
#include "forms/own_form.hpp"
#include "forms/sum_form.hpp"
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

}  // namespace

std::string GpForm::code(const ModelSpec& spec, const VectorXd& constants,
                         const CodeLanguage& language) const {
  const gp::GaussianProcess& gp = known_->gp;
  const std::string trend = trend_->code(spec, constants, language);
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
      trend_function(trend, language) + gp_function(gp, known_->centre, language);
  return function_code(spec, language, helpers, [&](const CodeInputs& inputs) {
    std::vector<std::string> numbers;
    std::vector<std::string> levels;
    const auto number = [&](const std::string& operand) {
      numbers.push_back(gp_number(gp.coordinates[numbers.size()], operand, dialect));
    };
    for (const std::size_t i : columns_.intrinsic)
      number(inputs.intrinsic[i]);
    for (const std::size_t j : columns_.extrinsic)
      number(inputs.extrinsic[j]);
    for (const std::size_t c : columns_.categorical)
      levels.push_back(inputs.levels[c]);
    return "predict_trend(" + joined(inputs.parameters, ", ") + ") * " +
           dialect.apply(Operation::exp, std::array{gp_call(numbers, levels, language)});
  });
}

void describe(Fields& f, GpNumber& x) {
  f("column", x.column, "a numeric input");
  f("form", x.coordinate.form, "f(x): ln x, ln(1 + x / `unit`), or 1 - 1 / x");
  f("unit", x.coordinate.unit, "of f", kPositive);
  f("centre", x.coordinate.centre, "u = round(2^30 (f(x) - `centre`) / `scale`) / 2^30");
  f("scale", x.coordinate.scale, "of the coordinate u", kPositive);
  f("inverse_length", x.inverse_length, "of the correlation", kPositive);
  f("share", x.share, "of the correlation that remains far away", kShare);
  f("values", x.values, "distinct coordinates");
  f("codes", x.codes, "of each known configuration the position in `values`, from 0");
  auto most = std::isfinite(x.coordinate.most) ? std::optional(x.coordinate.most) : std::nullopt;
  f("most", most, "a larger number counts as this: the formula says the same beyond it",
    kSparse | kPositive);
  if (f.reads() && most)
    x.coordinate.most = *most;
}

void describe(Fields& f, GpLevels& x) {
  f("column", x.column, "an input with levels");
  f("rate", x.rate, "of the correlation", kPositive);
  f("codes", x.codes, "of each known configuration the position in the column's levels, from 0");
}

void check_size(const JsonCursor& node, Index rows) {
  if (index(node.items().size()) != rows)
    node.fail(fmt::format("expected {} numbers, one per known configuration", rows));
}

void check_codes(const JsonCursor& node, Index rows, std::size_t end) {
  check_size(node, rows);
  for (const JsonCursor& item : node.items())
    if (item.count() >= end)
      item.fail(fmt::format("there are only {} values", end));
}

namespace {

/// A GP that is read from a file.
struct ReadGp {
  gp::GaussianProcess gp;
  GpColumns columns;
};

std::vector<GpNumber> numbers_of(const gp::GaussianProcess& gp, const GpColumns& columns,
                                 const ModelSpec& spec) {
  const gp::CodedInputs coded(gp.inputs);
  std::vector<GpNumber> out;
  for (std::size_t j = 0; j < coded.numbers.size(); ++j) {
    const gp::CodedColumn& column = coded.numbers[j];
    out.push_back({columns.number(spec, j).column,
                   gp.coordinates[j],
                   gp.kernel.inverse_lengths[index(j)],
                   gp.kernel.shares[index(j)],
                   column.values,
                   {column.codes.begin(), column.codes.end()}});
  }
  return out;
}

std::vector<GpLevels> levels_of(const gp::GaussianProcess& gp, const GpColumns& columns,
                                const ModelSpec& spec) {
  std::vector<GpLevels> out;
  for (Index j = 0; j < gp.inputs.levels.cols(); ++j) {
    const auto codes = gp.inputs.levels.col(j);
    out.push_back({spec.categorical[columns.categorical[static_cast<std::size_t>(j)]].column,
                   gp.kernel.rates[j],
                   {codes.begin(), codes.end()}});
  }
  return out;
}

bool is_each_once(std::vector<std::size_t> places, std::size_t count) {
  std::sort(places.begin(), places.end());
  return places.size() == count && std::adjacent_find(places.begin(), places.end()) == places.end();
}

void put_number(const JsonCursor& node, const GpNumber& number, std::size_t j,
                const ModelSpec& spec, ReadGp& out) {
  if (const auto place = place_of_input(spec.intrinsic, number.column)) {
    if (!out.columns.extrinsic.empty())
      node.member("column").fail("intrinsic columns stand before extrinsic ones");
    out.columns.intrinsic.push_back(*place);
  } else if (const auto scale = place_of_input(spec.extrinsic, number.column)) {
    out.columns.extrinsic.push_back(*scale);
  } else {
    node.member("column").fail(fmt::format("'{}' is no numeric input of the model", number.column));
  }
  gp::GaussianProcess& gp = out.gp;
  gp.coordinates.push_back(number.coordinate);
  gp.kernel.inverse_lengths[index(j)] = number.inverse_length;
  gp.kernel.shares[index(j)] = number.share;
  check_codes(node.member("codes"), gp.runs.size(), static_cast<std::size_t>(number.values.size()));
  for (std::size_t row = 0; row < number.codes.size(); ++row)
    gp.inputs.numbers(index(row), index(j)) = number.values[index(number.codes[row])];
}

void put_levels(const JsonCursor& node, const GpLevels& levels, std::size_t j,
                const ModelSpec& spec, ReadGp& out) {
  const auto place = place_of_input(spec.categorical, levels.column);
  if (!place)
    node.member("column").fail(
        fmt::format("'{}' is no categorical input of the model", levels.column));
  out.columns.categorical.push_back(*place);
  out.gp.kernel.rates[index(j)] = levels.rate;
  check_codes(node.member("codes"), out.gp.runs.size(), spec.categorical[*place].levels.size());
  for (std::size_t row = 0; row < levels.codes.size(); ++row)
    out.gp.inputs.levels(index(row), index(j)) = static_cast<std::uint32_t>(levels.codes[row]);
}

/// Throws InputError if fields contradict each other or the inputs of the spec.
void put_columns(const JsonCursor& node, const std::vector<GpNumber>& numbers,
                 const std::vector<GpLevels>& levels, const ModelSpec& spec, ReadGp& out) {
  gp::GaussianProcess& gp = out.gp;
  const Index rows = gp.runs.size();
  if (rows == 0 || !(gp.runs.array() > 0).all())
    node.member("runs").fail("expected numbers of runs, above 0 each");
  check_size(node.member("residual"), rows);
  if (gp.neighbours == 0)
    check_size(node.member("weights"), rows);
  gp.inputs.numbers.resize(rows, index(numbers.size()));
  gp.kernel.inverse_lengths.resize(index(numbers.size()));
  gp.kernel.shares.resize(index(numbers.size()));
  for (std::size_t j = 0; j < numbers.size(); ++j)
    put_number(node.member("numbers").items()[j], numbers[j], j, spec, out);
  gp.inputs.levels.resize(rows, index(levels.size()));
  gp.kernel.rates.resize(index(levels.size()));
  for (std::size_t j = 0; j < levels.size(); ++j)
    put_levels(node.member("levels").items()[j], levels[j], j, spec, out);
  if (!is_each_once(out.columns.intrinsic, spec.intrinsic.size()) ||
      !is_each_once(out.columns.extrinsic, spec.extrinsic.size()) ||
      !is_each_once(out.columns.categorical, spec.categorical.size()))
    node.fail("expected every input of the model once");
}

/// Reads or writes the field `process` of the constants, which suffices for predictions. `known`:
/// the GP to write.
void describe_gp(Fields& f, const KnownGp* known, const ModelSpec& spec, ReadGp& out) {
  gp::GaussianProcess& gp = out.gp;
  std::vector<GpNumber> numbers;
  std::vector<GpLevels> levels;
  if (known != nullptr) {
    gp = known->gp;
    gp.near_variance = known->near_variance;
    numbers = numbers_of(gp, out.columns, spec);
    levels = levels_of(gp, out.columns, spec);
  }
  f("variance", gp.kernel.variance, "of z", kPositive);
  f("noise", gp.kernel.noise, "variance of one run about formula and z", kPositive);
  f("near_variance", gp.near_variance,
    "what of `variance` is left at 19 in 20 of the known configurations given all others: where "
    "more is left, no run is near",
    kNewer | kPositive);
  f("centre", known != nullptr ? known->centre : 0., "the mean of z over the known configurations");
  f("neighbours", gp.neighbours,
    "0: z is exact; else each prediction is from so many known configurations");
  f("numbers", numbers, "the numeric inputs");
  f("levels", levels, "the inputs with levels");
  f("runs", gp.runs,
    "of each known configuration the number of its runs; under noise of Student's t what they "
    "count for, an outlier for little");
  f("residual", gp.residual,
    "of each the (weighted) mean of ln(time) less that of the trend, plus `centre`, which is part "
    "of the trend");
  f("weights", gp.weights, "of each; where `neighbours` is 0", only_if(gp.neighbours == 0));
  if (f.reads())
    put_columns(f.node(), numbers, levels, spec, out);
}

/// The forms that can be the trend of a GP.
enum class Trend { eq4, sum, formula };

constexpr auto texts_of(Trend) {
  return std::to_array<EnumText<Trend>>({{Trend::eq4, to_text(Expression::eq4)},
                                         {Trend::sum, to_text(Expression::sum)},
                                         {Trend::formula, to_text(Expression::formula)}});
}

Trend trend_of(const Form& form) {
  for (const auto& [trend, text] : texts_of(Trend{}))
    if (text == form.name())
      return trend;
  return Trend::eq4;
}

void describe_gp_fields(Fields& f, const Form* trend, const KnownGp* known,
                        const FittedModel& model, ReadGp& gp) {
  Trend kind = trend != nullptr ? trend_of(*trend) : Trend::eq4;
  f("trend", kind, "the form of the formula, whose fields stand beside this one");
  f.object("process", "z of t = trend * exp(z - `centre`)",
           [&](Fields& inner) { describe_gp(inner, known, model.spec, gp); });
}

}  // namespace

void GpForm::describe_constants(Fields& f, FittedModel& model) const {
  trend_->describe_constants(f, model);
  ReadGp gp{{}, columns_};
  describe_gp_fields(f, trend_.get(), known_.get(), model, gp);
}

void GpForm::read(Fields& f, FittedModel& model) {
  // Unless `f` reads, the form of the model is already its trend.
  Trend trend = trend_of(*model.form);
  if (f.reads())
    f.read(f.node().member("trend"), trend);
  if (trend == Trend::formula)
    OwnForm().describe_constants(f, model);
  else if (trend == Trend::sum)
    SumForm().describe_constants(f, model);
  else
    Eq4Form().describe_constants(f, model);
  ReadGp found;
  describe_gp_fields(f, nullptr, nullptr, model, found);
  if (!f.reads())
    return;
  model.form = std::make_shared<GpForm>(
      model.form, std::move(found.columns),
      std::make_shared<const KnownGp>(std::move(found.gp), processor_count()), GpPrior{});
}

}  // namespace perfmodel
