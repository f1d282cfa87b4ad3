#include "analysis/page/exploration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "analysis/central/range_check.hpp"
#include "base/text.hpp"
#include "export/dialect.hpp"
#include "export/formula_code.hpp"
#include "fit/result/form.hpp"
#include "perfmodel/base/error.hpp"
#include "trust/prediction_intervals.hpp"

namespace perfmodel::page {
namespace {

std::string array_of(const std::vector<std::string>& items) {
  return "[" + joined(items, ", ") + "]";
}

std::string texts(const std::vector<std::string>& items) {
  std::vector<std::string> out;
  for (const std::string& item : items)
    out.push_back(javascript_literal(item));
  return array_of(out);
}

bool is_integer(double value) {
  return value == std::floor(value);
}

/// A number of the configuration; without a range where only derived columns use it.
std::string number_control(const NumericInput& input, bool is_scale, double start, bool has_range) {
  return "{name: " + javascript_literal(input.column) + ", start: " + to_text(start) +
         (has_range ? ", low: " + to_text(input.low) + ", high: " + to_text(input.high) : "") +
         (input.zero ? ", zero: " + to_text(input.zero->unit) : "") +
         (is_scale ? ", scale: true" : "") +
         (is_integer(start) && (!has_range || (is_integer(input.low) && is_integer(input.high)))
              ? ", whole: true"
              : "") +
         "}";
}

std::string level_control(const CategoricalInput& input, std::size_t start) {
  return "{name: " + javascript_literal(input.column) +
         ", start: " + javascript_literal(input.levels[start]) +
         ", levels: " + texts(input.levels) + "}";
}

/// As predict() takes them. Nothing where the value of one is not known.
std::optional<std::string> columns_of(const ModelSpec& spec, const Configuration& start) {
  std::vector<std::string> out;
  for (const std::string& name : required_columns(spec)) {
    const std::size_t before = out.size();
    for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
      if (spec.extrinsic[j].column == name)
        out.push_back(number_control(spec.extrinsic[j], true, start.extrinsic[j], true));
    for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
      if (spec.intrinsic[i].column == name)
        out.push_back(number_control(spec.intrinsic[i], false, start.intrinsic[i], true));
    for (std::size_t c = 0; c < spec.categorical.size(); ++c)
      if (spec.categorical[c].column == name)
        out.push_back(level_control(spec.categorical[c], start.levels[c]));
    for (const SourceColumn& source : spec.sources)
      if (source.column == name && out.size() == before)
        out.push_back(number_control({.column = name}, false, source.typical, false));
    if (out.size() != before + 1)
      return std::nullopt;
  }
  return array_of(out);
}

/// Intrinsic, then extrinsic, as inputs() gives them.
std::vector<const NumericInput*> numbers_of(const ModelSpec& spec) {
  std::vector<const NumericInput*> out;
  for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic})
    for (const NumericInput& input : *inputs)
      out.push_back(&input);
  return out;
}

std::string ranges_of(const FittedModel& model) {
  std::vector<std::string> out;
  for (const NumericInput* input : numbers_of(model.spec)) {
    out.push_back("{name: " + javascript_literal(input->column) + ", low: " + to_text(input->low) +
                  ", high: " + to_text(input->high) +
                  ", beyond: " + javascript_literal(growth_beyond(model, *input)) + "}");
  }
  return array_of(out);
}

/// [0, number, low, high] or [1, column of levels, position]; nothing for what the model has not.
std::optional<std::string> part_of(const RegionPart& part, const ModelSpec& spec) {
  const auto numbers = numbers_of(spec);
  for (std::size_t n = 0; n < numbers.size(); ++n)
    if (numbers[n]->column == part.column)
      return array_of({"0", std::to_string(n), to_text(part.low), to_text(part.high)});
  for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
    const std::vector<std::string>& levels = spec.categorical[c].levels;
    const auto found = std::find(levels.begin(), levels.end(), part.level);
    if (spec.categorical[c].column == part.column && found != levels.end())
      return array_of({"1", std::to_string(c), std::to_string(found - levels.begin())});
  }
  return std::nullopt;
}

std::string regions_of(const FittedModel& model) {
  std::vector<std::string> out;
  for (const UnmeasuredRegion& region : model.unmeasured) {
    std::vector<std::string> parts;
    for (const RegionPart& part : region.parts)
      if (const auto text = part_of(part, model.spec))
        parts.push_back(*text);
    if (parts.size() == region.parts.size())
      out.push_back("[" + javascript_literal(to_text(region)) + ", " + array_of(parts) + "]");
  }
  return "[" + joined(out, ",\n") + "]";
}

std::string ties_of(const ModelSpec& spec) {
  std::vector<std::string> out;
  for (const Tie& tie : spec.ties) {
    out.push_back(array_of({javascript_literal(tie.scale), javascript_literal(tie.column),
                            std::to_string(tie.power)}));
  }
  return array_of(out);
}

/// The ends as logarithms, of deviation 1.
std::string interval_of(const FittedModel& model) {
  if (!model.intervals)
    return "null";
  const IntervalFactors ends = interval_factors(*model.intervals, model.intervals->level, 1);
  return "{level: " + to_text(model.intervals->level) + ", low: " + to_text(std::log(ends.lower)) +
         ", high: " + to_text(std::log(ends.upper)) +
         ", added: " + to_text(model.intervals->added_deviation) +
         ", typical: " + to_text(typical_deviation(*model.intervals)) +
         ", byDeviation: " + (model.intervals->by_deviation ? "true" : "false") + "}";
}

/// Of which the standard deviation of a prediction is computed, and whether runs are near.
std::string process_of(const FittedModel& model) {
  const auto belief = model.form->process_belief(model.spec);
  if (!belief)
    return "null";
  const Design one = take_rows(belief->known, std::array<std::size_t, 1>{0});
  std::vector<std::string> runs;
  for (const double count : belief->runs)
    runs.push_back(to_text(count));
  std::vector<std::string> caps;
  for (std::size_t n = 0; n < belief->most.size(); ++n)
    if (std::isfinite(belief->most[n]))
      caps.push_back(array_of({std::to_string(n), to_text(belief->most[n])}));
  return "{variance: " + to_text(belief->covariance(one, one)(0, 0)) +
         ", noise: " + to_text(belief->noise) + ", near: " + to_text(belief->near_variance) +
         ", caps: " + array_of(caps) + ", size: " + to_text(model.form->process_size().value()) +
         ", runs: " + array_of(runs) +
         ",\nknown: process_known, between: (a, b) => process_correlation(a[1], a[2], b)}";
}

/// The last ones that predict() computed are kept for the interval.
constexpr std::string_view kKeepCorrelations =
    "const plain_correlations = process_correlations;\n"
    "process_correlations = (numbers, levels) =>\n"
    "  (model.correlations = plain_correlations(numbers, levels));\n";

}  // namespace

std::optional<std::string> exploration_script(const FittedModel& model,
                                              const TypicalConfiguration& start) {
  const ModelSpec& spec = model.spec;
  const auto columns = columns_of(spec, start.configuration);
  if (!columns)
    return std::nullopt;
  std::string code;
  std::string inputs;
  try {
    code = formula_code(model, FormulaLanguage::javascript);
    inputs = function_code(spec, FormulaLanguage::javascript, "", [](const CodeInputs& operands) {
      std::vector<std::string> numbers = operands.intrinsic;
      numbers.insert(numbers.end(), operands.extrinsic.begin(), operands.extrinsic.end());
      return "[" + array_of(numbers) + ", " + array_of(operands.levels) + "]";
    });
  } catch (const InputError&) {
    return std::nullopt;
  }
  // Of the inputs, not of the columns that they are derived from.
  ModelSpec inputs_alone = spec;
  inputs_alone.derived.clear();
  const std::string process = process_of(model);
  return "const model = {};\n{\n" + code + (process == "null" ? "" : kKeepCorrelations.data()) +
         "model.predict = predict;\nmodel.process = " + process + ";\n}\n{\n" + inputs +
         "model.inputs = predict;\n}\n{\n" +
         model.form->trend().code(inputs_alone, model.constants, FormulaLanguage::javascript) +
         "model.trend = predict;\nmodel.trendColumns = " + texts(required_columns(inputs_alone)) +
         ";\n}\nObject.assign(model, {target: " + javascript_literal(spec.target) +
         ", unit: " + javascript_literal(spec.unit) +
         ", place: " + javascript_literal(start.place) + ",\ncolumns: " + *columns +
         ",\nnumbers: " + ranges_of(model) + ",\nregions: " + regions_of(model) +
         ",\nties: " + ties_of(spec) + ",\ninterval: " + interval_of(model) + "});\n";
}

}  // namespace perfmodel::page
