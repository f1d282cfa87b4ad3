#include "forms/form.hpp"

#include <algorithm>
#include <numbers>

#include "base/fields.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "columns/spec.hpp"
#include "forms/beyond.hpp"
#include "perfmodel/export.hpp"
#include "table/expressions.hpp"

namespace perfmodel {

namespace {

/// The treatment of a 0 in a numeric column.
enum class ZeroCounts { absent, apart, shifted };

constexpr auto texts_of(ZeroCounts) {
  using enum ZeroCounts;
  return std::to_array<EnumText<ZeroCounts>>(
      {{absent, "absent"}, {apart, "apart"}, {shifted, "shifted"}});
}

constexpr double kGoneOn = 1e-9;  ///< of ln t, above rounding errors

}  // namespace

void describe_range(Fields& f, NumericInput& input, bool in_products) {
  using enum ZeroCounts;
  f("range", Ends{input.low, input.high}, "lowest and highest measured value");
  f("unit", input.unit, "`s`, `B` or `%` if the cells of the runs have units", kSparse);
  const bool may_be_zero = f.reads() ? f.has("zero") : input.zero.has_value();
  ZeroValue value = input.zero.value_or(ZeroValue{});
  ZeroCounts counts = !in_products ? absent : value.apart ? apart : shifted;
  f.object("zero", "of a column that may be 0", only_if(may_be_zero), [&](Fields& zero) {
    zero("counts", counts, "`absent`: the term is 0 there");
    zero("unit", value.unit, "the smallest value above 0", kPositive);
  });
  if (!f.reads())
    return;
  if (may_be_zero)
    input.zero = ZeroValue{value.unit, counts == apart};
  if (!(input.allows(input.low) && input.low <= input.high)) {
    f.node().member("range").fail(input.zero ? "expected 0 <= lowest <= highest"
                                             : "expected 0 < lowest <= highest");
  }
}

void describe_inputs(Fields& f, FittedModel& model, bool in_products) {
  ModelSpec& spec = model.spec;
  const auto describe_number = [&](Fields& item, NumericInput& input, std::size_t) {
    item("column", input.column, "its name", kName);
    describe_range(item, input, in_products);
  };
  f.list("intrinsic", spec.intrinsic, "numeric inputs", describe_number);
  f.list("categorical", spec.categorical, "inputs with levels",
         [&](Fields& item, CategoricalInput& input, std::size_t) {
           item("column", input.column, "its name", kName);
           item("levels", input.levels, "their names");
           if (f.reads())
             settle_levels(item, spec, input);
         });
  f.list("extrinsic", spec.extrinsic, "scales",
         [&](Fields& item, NumericInput& input, std::size_t j) {
           describe_number(item, input, j);
           auto& known = model.known.identifiability;
           bool identified = f.writes() && known && known->scaling_powers[j];
           item("scaling_power_identified", identified,
                "whether the runs determine the local scaling power", if_identified(f));
           if (f.reads() && known)
             known->scaling_powers.push_back(identified);
         });
}

void settle_levels(const Fields& f, const ModelSpec& spec, CategoricalInput& input) {
  const std::vector<JsonCursor> items = f.node().member("levels").items();
  if (items.empty())
    f.node().member("levels").fail("expected at least one level");
  for (std::size_t l = 0; l < items.size(); ++l) {
    const std::string& level = input.levels[l];
    const auto here = input.levels.begin() + static_cast<std::ptrdiff_t>(l);
    if (std::find(input.levels.begin(), here, level) != here)
      items[l].fail("the level '" + level + "' stands twice");
    // The levels of a derived column are its values.
    if (spec.is_derived(input.column) && !parse_number(level)) {
      const JsonCursor place = items[l].is_text() ? items[l] : items[l].member("level");
      place.fail("'" + level + "' is not a number, and the column is derived");
    }
  }
  sort_levels(input.levels);
}

void refuse_repeated_columns(const Fields& f, const ModelSpec& spec) {
  std::set<std::string> columns = {spec.target};
  for (const std::string kind : {"intrinsic", "categorical", "extrinsic"}) {
    const std::optional<JsonCursor> inputs = f.node().optional_member(kind);
    for (const JsonCursor& item : inputs ? inputs->items() : std::vector<JsonCursor>{}) {
      const JsonCursor column = item.member("column");
      if (!columns.insert(column.text()).second)
        column.fail("the column '" + column.text() + "' already has a part in the model");
    }
  }
}

std::vector<bool> seen_levels(const LevelFactor& rows) {
  std::vector<bool> out(rows.levels, false);
  for (const std::uint32_t code : rows.codes)
    out[code] = true;
  return out;
}

void settle_unseen(const LevelFactor& rows, Eigen::Ref<VectorXd> constants) {
  const std::vector<bool> seen = seen_levels(rows);
  double sum = 0;
  for (std::size_t level = 0; level < seen.size(); ++level)
    sum += seen[level] ? constants[index(level)] : 0;
  for (std::size_t level = 0; level < seen.size(); ++level)
    if (!seen[level])
      constants[index(level)] = sum / static_cast<double>(std::ranges::count(seen, true));
}

FieldRule if_identified(const Fields& f) {
  return only_if(f.context<FittedModel>().known.identifiability.has_value());
}

std::vector<ConstantDifference> Form::differences(const ModelSpec& spec) const {
  return has_gp(*this) ? trend().differences(spec) : std::vector<ConstantDifference>();
}

std::optional<std::size_t> Form::scaling_constant(const ModelSpec&, std::size_t) const {
  return std::nullopt;
}

double Form::unscaled_time(const VectorXd& constants) const {
  return has_local_powers() ? 0 : constants[constants.size() - 1];
}

std::optional<VectorXd> Predictor::gp_factors(const Design&) const {
  return std::nullopt;
}

std::optional<GpBelief> Predictor::gp_belief(const ModelSpec&) const {
  return std::nullopt;
}

std::vector<double> Form::steps(const ModelSpec& spec, std::size_t numeric) const {
  return has_gp(*this) ? trend().steps(spec, numeric) : std::vector<double>();
}

void Form::settle_unseen_levels(const Design& training, FittedModel& model) const {
  if (has_gp(*this))
    trend().settle_unseen_levels(training, model);
}

VectorXd predict(const FittedModel& model, const Design& design) {
  const VectorXd times = model.form->predict(model.spec, model.constants, design);
  if (!model.belief)
    return times;
  const auto exponential = [](double log_time) { return std::exp(log_time); };
  if (model.bound)
    return times.cwiseProduct(bound_moves(model, design).unaryExpr(exponential));
  if (!is_averaged(model))
    return times;
  return model.belief->averaged(model.spec, design, log_times_of_formula(model, design))
      .unaryExpr(exponential);
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

Eigen::Array<bool, Eigen::Dynamic, 1> depends_beyond(const Form& form, const ModelSpec& spec,
                                                     const VectorXd& constants,
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
    // One by one: vectorised logarithms round the elements of the last, incomplete vector
    // differently.
    return form.predict(spec, constants, at).unaryExpr([](double t) { return std::log(t); });
  };
  const ArrayXd at_edge = log_time(edge);
  return (log_time(design) - at_edge).abs().max((log_time(opposite) - at_edge).abs()) >= kGoneOn;
}

bool is_flat_beyond(const Form& form, const ModelSpec& spec, const VectorXd& constants,
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
