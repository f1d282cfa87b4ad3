#include "forms/form.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "perfmodel/model.hpp"
#include "table/expressions.hpp"
#include "table/spec.hpp"

namespace perfmodel {

namespace {

constexpr const char* kAbsent = "absent";
constexpr const char* kApart = "apart";
constexpr const char* kShifted = "shifted";

ZeroValue read_zero(const JsonCursor& node) {
  ZeroValue out;
  const JsonCursor counts = node.member("counts");
  const std::string text = counts.text();
  if (text != kAbsent && text != kApart && text != kShifted)
    counts.fail("'" + text + "' is not one of " +
                quoted_list(std::vector<std::string>{kAbsent, kApart, kShifted}));
  out.apart = text == kApart;
  const JsonCursor unit = node.member("unit");
  out.unit = unit.number();
  if (!(out.unit > 0))
    unit.fail("expected a number > 0");
  return out;
}

}  // namespace

void add_zero_to_json(const NumericInput& input, bool in_products, Json& item) {
  if (!input.zero)
    return;
  item["zero"] = {{"counts", !in_products        ? kAbsent
                             : input.zero->apart ? kApart
                                                 : kShifted},
                  {"unit", number(input.zero->unit)}};
}

std::string InputsReader::column(const JsonCursor& item) {
  const JsonCursor node = item.member("column");
  std::string name = node.name();
  if (!columns_.insert(name).second)
    node.fail("the column '" + name + "' already has a part in the model");
  return name;
}

NumericInput InputsReader::numeric_input(const JsonCursor& item) {
  NumericInput input;
  input.column = column(item);
  const JsonCursor range = item.member("range");
  const std::vector<JsonCursor> ends = range.items();
  if (ends.size() != 2)
    range.fail("expected two numbers, the lowest and the highest value");
  input.low = ends[0].number();
  input.high = ends[1].number();
  if (const auto zero = item.optional_member("zero"))
    input.zero = read_zero(*zero);
  if (!(input.allows(input.low) && input.low <= input.high))
    range.fail(input.zero ? "expected 0 <= lowest <= highest" : "expected 0 < lowest <= highest");
  return input;
}

void InputsReader::add_level(const JsonCursor& item, const JsonCursor& name, bool derived,
                             std::set<std::string>& levels) {
  const std::string level = name.text();
  if (!levels.insert(level).second)
    item.fail("the level '" + level + "' stands twice");
  // The levels of a column that is computed are its values.
  if (derived && !parse_number(level))
    name.fail("'" + level + "' is not a number, and the column is derived");
}

std::vector<std::string> InputsReader::sorted_levels(const JsonCursor& item,
                                                     const std::set<std::string>& levels) {
  if (levels.empty())
    item.member("levels").fail("expected at least one level");
  std::vector<std::string> out(levels.begin(), levels.end());
  sort_levels(out);
  return out;
}

std::vector<ConstantDifference> Form::differences(const ModelSpec&) const {
  return {};
}

std::optional<std::size_t> Form::scaling_constant(const ModelSpec&, std::size_t) const {
  return std::nullopt;
}

std::optional<Eigen::VectorXd> Form::process_factors(const Design&) const {
  return std::nullopt;
}

std::optional<ProcessBelief> Form::process_belief(const ModelSpec&) const {
  return std::nullopt;
}

std::vector<double> Form::steps(const ModelSpec&, std::size_t) const {
  return {};
}

void Form::settle_unseen_levels(const Design&, FittedModel&) const {}

std::string_view to_text(ProcessNoise noise) {
  return noise == ProcessNoise::student_t ? "student_t" : "normal";
}

std::string formula_code(const FittedModel& model, FormulaLanguage language) {
  return model.form->code(model.spec, model.constants, language);
}

Eigen::VectorXd predict(const FittedModel& model, const Design& design) {
  return model.form->predict(model.spec, model.constants, design);
}

bool is_time(double predicted) {
  return std::isfinite(predicted) && predicted > 0;
}

std::vector<std::string> constant_names(const FittedModel& model) {
  std::vector<std::string> names;
  for (ConstantInfo& constant : model.form->constants(model.spec))
    names.push_back(std::move(constant.name));
  return names;
}

std::optional<ScaleStep> step_through_derived(const FittedModel& model, std::size_t extrinsic) {
  const ModelSpec& spec = model.spec;
  const NumericInput& scale = spec.extrinsic[extrinsic];
  if (!spec.is_derived_from(scale.column) || spec.is_derived(scale.column) || !model.typical)
    return std::nullopt;
  const Configuration& typical = *model.typical;
  const double middle = typical.extrinsic[extrinsic];
  const double low = std::max(scale.low, middle / std::numbers::sqrt2);
  const double high = std::min(scale.high, middle * std::numbers::sqrt2);
  const auto below = with_scale(spec, typical, extrinsic, low);
  const auto above = with_scale(spec, typical, extrinsic, high);
  if (!below || !above || !(high > low))
    return std::nullopt;
  return ScaleStep{*below, *above, std::log(high / low)};
}

std::optional<double> power_through_derived(const FittedModel& model, std::size_t extrinsic) {
  const auto step = step_through_derived(model, extrinsic);
  if (!step)
    return std::nullopt;
  const double constant = model.form->unscaled_time(model.constants);
  const auto scalable = [&](const Configuration& at) {
    return predict(model, design_of(at, model.spec))[0] - constant;
  };
  const double power = std::log(scalable(step->above) / scalable(step->below)) / step->log_ratio;
  return std::isfinite(power) ? std::optional(power) : std::nullopt;
}

std::vector<double> scaling_powers(const FittedModel& model) {
  std::vector<double> out = model.form->scaling_powers(model.spec, model.constants,
                                                       model.typical ? &*model.typical : nullptr);
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = power_through_derived(model, j).value_or(out[j]);
  return out;
}

std::vector<double> time_shares(const FittedModel& model, const Design& design) {
  return model.form->shares(model.spec, model.constants, design);
}

namespace {

using Eigen::ArrayXd;

constexpr double kGoneOn = 1e-9;  ///< of ln t: more than rounding

}  // namespace

Eigen::Array<bool, Eigen::Dynamic, 1> depends_beyond(const Form& form, const ModelSpec& spec,
                                                     const Eigen::VectorXd& constants,
                                                     const Design& design) {
  Design edge = design;
  Design opposite = design;  // at the other end of the range
  const auto move = [&](const std::vector<NumericInput>& inputs, auto& at_edge, auto& at_opposite) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double low = inputs[i].low;
      const double high = inputs[i].high;
      for (std::size_t v = 0; v < at_edge[i].values.size(); ++v) {
        const double value = at_edge[i].values[v];
        if (low <= value && value <= high)
          continue;
        at_edge[i].values[v] = value > high ? high : low;
        at_opposite[i].values[v] = value > high ? low : high;
      }
    }
  };
  move(spec.intrinsic, edge.intrinsic, opposite.intrinsic);
  move(spec.extrinsic, edge.extrinsic, opposite.extrinsic);
  const auto log_time = [&](const Design& at) -> ArrayXd {
    // One by one: a vector of logarithms rounds its last ones in another way.
    return form.predict(spec, constants, at).unaryExpr([](double t) { return std::log(t); });
  };
  const ArrayXd at_edge = log_time(edge);
  return (log_time(design) - at_edge).abs().max((log_time(opposite) - at_edge).abs()) >= kGoneOn;
}

bool is_flat_beyond(const Form& form, const ModelSpec& spec, const Eigen::VectorXd& constants,
                    const Design& runs, std::size_t numeric) {
  constexpr std::size_t kRows = 20;
  constexpr double kSame = 1e-9;
  std::vector<std::size_t> some;
  for (std::size_t row = 0; row < runs.rows; row += runs.rows / kRows + 1)
    some.push_back(row);
  const Design design = take_rows(runs, some);
  const auto times_at = [&](double value) -> ArrayXd {
    return form.predict(spec, constants, with_numeric_at(design, numeric, value));
  };
  const double high = numeric_input(spec, numeric).high;
  return (times_at(2 * high) / times_at(high) - 1).abs().maxCoeff() < kSame;
}

}  // namespace perfmodel
