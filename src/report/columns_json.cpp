#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "forms/form.hpp"
#include "report/model_json.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/resampling.hpp"

namespace perfmodel {
namespace {

void check_scaling_powers(const FittedModel& model, const JsonCursor& root) {
  const auto node = root.optional_member("scaling_powers");
  if (!node)
    return;
  const std::vector<double> powers = scaling_powers(model);
  for (std::size_t j = 0; j < powers.size(); ++j)
    if (const auto power = node->optional_member(model.spec.extrinsic[j].column))
      check_number(*power, powers[j], 1 + std::abs(powers[j]));
}

}  // namespace

void check_derived_fields(const FittedModel& model, const JsonCursor& root) {
  check_formula(root.member("expression"), model.form->formula(model.spec, model.constants));
  model.form->check_constants(model, root.member("constants"));
  check_scaling_powers(model, root);
}

namespace {

using Because = LeftOut::Because;

constexpr std::array<std::pair<Because, std::string_view>, 5> kReasons = {{
    {Because::result, "result"},
    {Because::identity, "identity"},
    {Because::repetition, "repetition"},
    {Because::label, "label"},
    {Because::constant, "constant"},
}};

std::string_view reason_text(Because because) {
  return std::find_if(
             kReasons.begin(), kReasons.end(),
             [&](const auto& reason) { return reason.first == because; })
      ->second;
}

Because read_reason(const JsonCursor& node) {
  const std::string text = node.text();
  std::vector<std::string> names;
  for (const auto& [because, name] : kReasons) {
    if (name == text)
      return because;
    names.emplace_back(name);
  }
  node.fail("'" + text + "' is not one of " + quoted_list(names));
}

/// 1 or another whole number, but 0.
int read_power(const JsonCursor& node) {
  const double power = node.number();
  for (const int whole : {-4, -3, -2, -1, 1, 2, 3, 4})
    if (power == whole)
      return whole;
  node.fail("expected a whole number from -4 to 4, but 0");
}

std::string read_input(const ModelSpec& spec, const JsonCursor& node) {
  const std::string name = node.name();
  for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic})
    for (const NumericInput& input : *inputs)
      if (input.column == name)
        return name;
  node.fail("the model has no numeric input '" + name + "'");
}

}  // namespace

Json central_run_to_json(const ModelSpec& spec, const CentralRun& central) {
  return {{"line", central.line},
          {"time", number(central.time)},
          {"configuration", configuration_to_json(spec, central.configuration)}};
}

std::optional<CentralRun> read_central_run(const ModelSpec& spec, const JsonCursor& root) {
  const auto node = root.optional_member("central_run");
  if (!node)
    return std::nullopt;
  CentralRun out;
  out.configuration = read_configuration(spec, node->member("configuration"));
  out.line = static_cast<std::uint32_t>(node->member("line").count());
  out.time = node->member("time").number();
  return out;
}

namespace {

Json factors_to_json(const std::vector<Factor>& factors) {
  Json out = Json::array();
  for (const Factor& factor : factors)
    out.push_back({{"column", factor.column}, {"power", factor.power}});
  return out;
}

/// The column of each is read by `read_column`.
template <class ReadColumn>
std::vector<Factor> read_factors(const JsonCursor& node, const ReadColumn& read_column) {
  std::vector<Factor> out;
  for (const JsonCursor& factor : node.items())
    out.push_back({read_column(factor.member("column")), read_power(factor.member("power"))});
  return out;
}

}  // namespace

Json ties_to_json(const std::vector<Tie>& ties) {
  Json out = Json::array();
  for (const Tie& tie : ties) {
    Json node = {{"scale", tie.scale}, {"column", tie.column}, {"power", tie.power}};
    if (tie.in_steps())
      node["step"] = {{"factors", factors_to_json(tie.factors)}, {"divisor", tie.divisor}};
    out.push_back(std::move(node));
  }
  return out;
}

std::vector<Tie> read_ties(const ModelSpec& spec, const JsonCursor& root) {
  std::vector<Tie> out;
  const auto node = root.optional_member("tied");
  if (!node)
    return out;
  for (const JsonCursor& item : node->items()) {
    out.push_back({read_input(spec, item.member("scale")), read_input(spec, item.member("column")),
                   read_power(item.member("power"))});
    if (const auto step = item.optional_member("step")) {
      out.back().factors = read_factors(
          step->member("factors"), [&](const JsonCursor& name) { return read_input(spec, name); });
      out.back().divisor = step->member("divisor").number();
      if (out.back().factors.empty() || !(out.back().divisor > 0))
        step->fail("expected factors and a divisor > 0");
    }
  }
  return out;
}

Json left_out_to_json(const std::vector<LeftOut>& left_out) {
  Json out = Json::array();
  for (const LeftOut& item : left_out) {
    Json node = {{"column", item.column}, {"because", reason_text(item.because)}};
    if (item.because == Because::constant)
      node["value"] = item.value;
    if (!item.identity.empty())
      node["identity"] = item.identity;
    if (!item.factors.empty())
      node["factors"] = factors_to_json(item.factors);
    out.push_back(std::move(node));
  }
  return out;
}

std::vector<LeftOut> read_left_out(const JsonCursor& root) {
  std::vector<LeftOut> out;
  const auto node = root.optional_member("left_out");
  if (!node)
    return out;
  for (const JsonCursor& item : node->items()) {
    LeftOut& column = out.emplace_back();
    column.column = item.member("column").name();
    column.because = read_reason(item.member("because"));
    if (const auto value = item.optional_member("value"))
      column.value = value->text();
    if (const auto identity = item.optional_member("identity"))
      column.identity = identity->text();
    if (const auto factors = item.optional_member("factors"))
      column.factors = read_factors(*factors, [](const JsonCursor& name) { return name.name(); });
  }
  return out;
}

namespace {

constexpr auto kScoreText = "ln(measured / predicted)";
constexpr auto kDividedScoreText = "ln(measured / predicted) / deviation";

Json part_to_json(const RegionPart& part) {
  Json node = {{"column", part.column}};
  if (part.level.empty())
    node["range"] = Json::array({number(part.low), number(part.high)});
  else
    node["level"] = part.level;
  return node;
}

RegionPart read_part(const JsonCursor& node) {
  RegionPart part;
  part.column = node.member("column").name();
  if (const auto level = node.optional_member("level")) {
    part.level = level->name();
    return part;
  }
  const auto range = node.member("range");
  const auto ends = range.items();
  if (ends.size() != 2)
    range.fail("expected two numbers, the lowest and the highest value");
  part.low = ends[0].number();
  part.high = ends[1].number();
  return part;
}

}  // namespace

Json to_json(const PredictionIntervals& intervals) {
  Json ranks = Json::array();
  Json scores = Json::array();
  for (std::size_t k = 0; k < intervals.scores.size(); ++k) {
    ranks.push_back(intervals.ranks[k]);
    scores.push_back(number(intervals.scores[k]));
  }
  Json node = {
      {"method", to_text(intervals.calibration)},
      {"score", intervals.by_deviation ? kDividedScoreText : kScoreText},
      {"level", number(intervals.level)},
      {"count", intervals.count},
      {"test_coverage", intervals.test_coverage ? number(*intervals.test_coverage) : Json()},
      {"ranks", ranks},
      {"scores", scores}};
  if (intervals.held_out_deviation)
    node["held_out_deviation"] = number(*intervals.held_out_deviation);
  if (intervals.by_deviation)
    node["added_deviation"] = number(intervals.added_deviation);
  if (!intervals.beyond)
    return node;
  node["beyond"] = Json::array();
  for (const GrowthOfErrors& column : *intervals.beyond)
    node["beyond"].push_back(
        {{"column", column.column}, {"edges", column.edges}, {"growth", number(column.growth)}});
  return node;
}

PredictionIntervals read_intervals(const JsonCursor& node, bool has_process) {
  PredictionIntervals out;
  const auto method = node.member("method");
  if (method.text() == to_text(Calibration::cross_validation))
    out.calibration = Calibration::cross_validation;
  else if (method.text() != to_text(Calibration::validation))
    method.fail("'" + method.text() + "' is not one of 'split conformal' and 'cross-conformal'");
  const auto score = node.member("score");
  out.by_deviation = has_process && score.text() == kDividedScoreText;
  if (!out.by_deviation && score.text() != kScoreText)
    score.fail("expected '" + std::string(kScoreText) + "'" +
               (has_process ? " or '" + std::string(kDividedScoreText) + "'" : ""));
  if (const auto deviation = node.optional_member("held_out_deviation"); deviation) {
    out.held_out_deviation = deviation->number();
    if (!out.by_deviation || !(*out.held_out_deviation > 0))
      deviation->fail("expected a number > 0, of scores that are divided by the deviation");
  }
  if (const auto added = node.optional_member("added_deviation"); added) {
    out.added_deviation = added->number();
    if (!(out.added_deviation >= 0))
      added->fail("expected a number >= 0");
  }
  const auto level = node.member("level");
  out.level = level.number();
  if (!(out.level > 0 && out.level < 1))
    level.fail("expected a number between 0 and 1");
  out.count = node.member("count").count();
  if (const auto share = node.nullable_member("test_coverage"))
    out.test_coverage = share->number();
  for (const auto& rank : node.member("ranks").items())
    out.ranks.push_back(rank.count());
  const auto scores = node.member("scores");
  for (const auto& item : scores.items())
    out.scores.push_back(item.number());
  // Every level that the rows reach is looked up in these.
  const bool ranks_fit =
      !out.ranks.empty() && out.ranks.front() == 1 && out.ranks.back() == out.count &&
      std::adjacent_find(out.ranks.begin(), out.ranks.end(), std::greater_equal<>()) ==
          out.ranks.end();
  if (!ranks_fit || out.scores.size() != out.ranks.size() ||
      !std::is_sorted(out.scores.begin(), out.scores.end()))
    node.fail("expected ranks from 1 to count in ascending order and as many ascending scores");
  if (const auto beyond = node.optional_member("beyond")) {
    out.beyond.emplace();
    for (const JsonCursor& item : beyond->items()) {
      const JsonCursor growth = item.member("growth");
      out.beyond->push_back(
          {item.member("column").name(), item.member("edges").count(), growth.number()});
      if (!(out.beyond->back().growth >= 0))
        growth.fail("expected a number >= 0");
    }
  }
  return out;
}

Json to_json(const CrossValidation& validation) {
  Json metrics = Json::object();
  for (const Spread& spread : metrics_spread(validation.folds)) {
    metrics[spread.name] = {{"mean", number(spread.mean)},
                            {"standard_deviation", number(spread.standard_deviation)}};
  }
  Json folds = Json::array();
  for (const Metrics& fold : validation.folds)
    folds.push_back(to_json(fold));
  return {{"folds", validation.folds.size()},
          {"group_by", validation.group_by ? Json(*validation.group_by) : Json()},
          {"metrics", metrics},
          {"held_out", folds}};
}

CrossValidation read_cross_validation(const JsonCursor& node) {
  CrossValidation out;
  if (const auto column = node.nullable_member("group_by"))
    out.group_by = column->name();
  for (const auto& fold : node.member("held_out").items())
    out.folds.push_back(read_metrics(fold));
  return out;
}

Json to_json(const std::vector<UnmeasuredRegion>& regions) {
  Json list = Json::array();
  for (const UnmeasuredRegion& region : regions) {
    Json parts = Json::array();
    for (const RegionPart& part : region.parts)
      parts.push_back(part_to_json(part));
    list.push_back(parts);
  }
  return list;
}

std::vector<UnmeasuredRegion> read_unmeasured(const JsonCursor& node) {
  std::vector<UnmeasuredRegion> out;
  for (const auto& region : node.items()) {
    UnmeasuredRegion found;
    for (const auto& part : region.items())
      found.parts.push_back(read_part(part));
    if (found.parts.empty())
      region.fail("expected at least one column");
    out.push_back(std::move(found));
  }
  return out;
}

namespace {

/// For readers of the file, who may take "standard deviation" for an uncertainty.
constexpr auto kMeaning =
    "mean and standard deviation (n - 1) over seeds of the search on the same rows: not a "
    "confidence interval";

Json to_json(const std::vector<SeedSpread>& spreads) {
  Json list = Json::array();
  for (const SeedSpread& spread : spreads) {
    list.push_back({{"name", spread.name},
                    {"mean", number(spread.mean)},
                    {"standard_deviation", number(spread.standard_deviation)}});
  }
  return list;
}

std::vector<SeedSpread> read_spreads(const JsonCursor& node) {
  std::vector<SeedSpread> spreads;
  for (const auto& item : node.items()) {
    spreads.push_back({item.member("name").name(), item.member("mean").number(),
                       item.member("standard_deviation").number()});
  }
  return spreads;
}

}  // namespace

Json to_json(const RepeatSummary& repeats) {
  Json seeds = Json::array();
  for (const SeedFit& fit : repeats.seeds)
    seeds.push_back({{"seed", fit.seed}, {"cost", number(fit.cost)}});
  return {{"fits", repeats.fits},
          {"meaning", kMeaning},
          {"seeds", seeds},
          {"constants", to_json(repeats.constants)},
          {"scaling_powers", to_json(repeats.scaling_powers)},
          {"metrics",
           {{"train", to_json(repeats.train)},
            {"validation", to_json(repeats.validation)},
            {"test", to_json(repeats.test)}}}};
}

RepeatSummary read_repeats(const JsonCursor& node) {
  RepeatSummary repeats;
  repeats.fits = node.member("fits").count();
  for (const auto& item : node.member("seeds").items())
    repeats.seeds.push_back({item.member("seed").count(), item.member("cost").number()});
  repeats.constants = read_spreads(node.member("constants"));
  repeats.scaling_powers = read_spreads(node.member("scaling_powers"));
  const auto metrics = node.member("metrics");
  repeats.train = read_spreads(metrics.member("train"));
  repeats.validation = read_spreads(metrics.member("validation"));
  repeats.test = read_spreads(metrics.member("test"));
  return repeats;
}

namespace {

/// "activation=tanh - relu", in the order of an uncertainty.
std::vector<std::string> difference_list(const FittedModel& model) {
  std::vector<std::string> out;
  for (const ConstantDifference& item : model.form->differences(model.spec))
    out.push_back(item.column + "=" + item.level + " - " + item.first_level);
  return out;
}

std::vector<std::string> scale_list(const ModelSpec& spec) {
  std::vector<std::string> out;
  for (const NumericInput& input : spec.extrinsic)
    out.push_back(input.column);
  return out;
}

Json end_json(double end) {
  return std::isfinite(end) ? number(end) : Json();
}

double read_end(const JsonCursor& item, const std::string& name) {
  const auto end = item.nullable_member(name);
  return end ? end->number() : std::numeric_limits<double>::quiet_NaN();
}

Json intervals_json(const std::vector<std::string>& names, const std::vector<Interval>& intervals,
                    const std::vector<bool>* identified) {
  Json out = Json::array();
  for (std::size_t k = 0; k < names.size(); ++k) {
    // Without the statement nothing is known to be safe to quote.
    out.push_back(
        {{"name", names[k]},
         {"low", end_json(intervals[k].low)},
         {"high", end_json(intervals[k].high)},
         {"identified", identified != nullptr && k < identified->size() && (*identified)[k]}});
  }
  return out;
}

std::vector<Interval> read_intervals(const JsonCursor& node,
                                     const std::vector<std::string>& names) {
  std::vector<Interval> out;
  for (const auto& item : node.items()) {
    const auto name = item.member("name");
    if (out.size() == names.size() || name.text() != names[out.size()])
      name.fail("'" + name.text() + "' does not stand in the order of the constants");
    out.push_back({read_end(item, "low"), read_end(item, "high")});
  }
  if (out.size() < names.size())
    node.fail("'" + names[out.size()] + "' is missing");
  return out;
}

std::optional<JsonCursor> present(const JsonCursor& root, const std::string& name) {
  return root.optional_member(name) ? root.nullable_member(name) : std::nullopt;
}

}  // namespace

Json to_json(const std::optional<NoiseFloor>& floor) {
  if (!floor)
    return {};
  return {{"rows", floor->rows},
          {"groups", floor->groups},
          {"mape_percent", number(floor->mape_percent)}};
}

std::optional<NoiseFloor> read_noise_floor(const JsonCursor& root) {
  const auto node = present(root, "noise_floor");
  if (!node)
    return std::nullopt;
  return NoiseFloor{node->member("rows").count(), node->member("groups").count(),
                    node->member("mape_percent").number()};
}

Json uncertainty_to_json(const FittedModel& model) {
  if (!model.uncertainty)
    return {};
  const Uncertainty& uncertainty = *model.uncertainty;
  const Identifiability* found = model.identifiability ? &*model.identifiability : nullptr;
  Json constants = intervals_json(constant_names(model), uncertainty.constants,
                                  found ? &found->constants : nullptr);
  Json differences = intervals_json(difference_list(model), uncertainty.differences,
                                    found ? &found->differences : nullptr);
  Json out = {{"method", "bootstrap"},
              {"resampled", to_text(uncertainty.resampling)},
              {"samples", uncertainty.samples},
              {"confidence", number(uncertainty.confidence)},
              {"constants", std::move(constants)},
              {"level_differences", std::move(differences)}};
  if (model.form->has_local_powers()) {
    out["scaling_powers"] = intervals_json(scale_list(model.spec), uncertainty.scaling_powers,
                                           found ? &found->scaling_powers : nullptr);
  }
  return out;
}

std::optional<Uncertainty> read_uncertainty(const FittedModel& model, const JsonCursor& root) {
  const auto node = present(root, "uncertainty");
  if (!node)
    return std::nullopt;
  Uncertainty out;
  const auto resampled = node->member("resampled");
  if (resampled.text() == to_text(Resampling::residuals))
    out.resampling = Resampling::residuals;
  else if (resampled.text() != to_text(Resampling::rows))
    resampled.fail("'" + resampled.text() + "' is neither 'rows' nor 'residuals'");
  out.samples = node->member("samples").count();
  out.confidence = node->member("confidence").number();
  out.constants = read_intervals(node->member("constants"), constant_names(model));
  out.differences = read_intervals(node->member("level_differences"), difference_list(model));
  if (model.form->has_local_powers())
    out.scaling_powers = read_intervals(node->member("scaling_powers"), scale_list(model.spec));
  return out;
}

}  // namespace perfmodel
