#include <algorithm>
#include <cmath>
#include <utility>

#include "base/files.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "report/documents.hpp"
#include "report/model_json.hpp"

namespace perfmodel {
namespace {

Json nullable(const std::optional<double>& value) {
  return value ? number(*value) : Json();
}

Json laws(const scaling::ScalingStudy& study) {
  Json laws = {{"amdahl", nullptr}, {"gustafson", nullptr}, {"usl", nullptr}};
  if (study.amdahl) {
    laws["amdahl"] = {{"serial_fraction", number(study.amdahl->serial_fraction)},
                      {"time_of_one", number(study.amdahl->time_of_one)},
                      {"rmse", number(study.amdahl->rmse)}};
  }
  if (study.gustafson) {
    laws["gustafson"] = {{"serial_fraction", number(study.gustafson->serial_fraction)},
                         {"rmse", number(study.gustafson->rmse)}};
  }
  if (study.usl) {
    laws["usl"] = {
        {"sigma", number(study.usl->sigma)},   {"kappa", number(study.usl->kappa)},
        {"gamma", number(study.usl->gamma)},   {"gamma_is_measured", study.usl->gamma_is_measured},
        {"peak", nullable(study.usl->peak())}, {"rmse", number(study.usl->rmse)}};
  }
  return laws;
}

}  // namespace

std::string to_json(const ScalingDocument& document) {
  const bool tells = document.tells_speedup;
  const auto told = [&](double value) { return tells ? number(value) : Json(); };
  Json rows = Json::array();
  for (std::size_t i = 0; i < document.study.rows.size(); ++i) {
    const auto& row = document.study.rows[i];
    Json item = {
        {"scale", number(row.scale)},
        {"time", number(row.time)},
        {"configurations", row.configurations},
        {"speedup", told(row.speedup)},
        {"efficiency", told(row.efficiency)},
        {"karp_flatt", tells ? nullable(row.karp_flatt) : Json()},
        {"equivalent_power", nullable(row.equivalent_power)},
        {"in_range", document.in_range.empty() ? Json() : Json(bool(document.in_range[i]))}};
    if (!document.intervals.empty()) {
      item["lower"] = number(document.intervals[i].low);
      item["upper"] = number(document.intervals[i].high);
    }
    rows.push_back(std::move(item));
  }
  Json root = {
      {"schema", "perfmodel/scaling"},
      {"schema_version", 1},
      {"source", document.source},
      {"file", document.file},
      {"column", document.column},
      {"kind", tells ? Json(scaling::to_text(document.study.kind)) : Json()},
      {"kind_because", document.kind_because.empty() ? Json() : Json(document.kind_because)},
      {"kind_is_open", document.kind_is_open},
      {"time_unit", document.relative ? "" : document.unit},
      {"time_is_relative", document.relative},
      {"rows", std::move(rows)},
      {"laws", laws(tells ? document.study : scaling::ScalingStudy())},
      {"least_efficiency", number(document.study.least_efficiency)},
      {"pays_until", tells ? nullable(document.study.pays_until) : Json()},
      {"pays_no_more_at", tells ? nullable(document.study.pays_no_more_at) : Json()},
      {"fastest_scale", told(document.study.fastest_scale)},
      {"doubling", nullptr},
      {"model", nullptr}};
  if (document.doubling) {
    root["doubling"] = {{"from", value_to_json(document.doubling->from)},
                        {"to", value_to_json(document.doubling->to)},
                        {"time_ratio", number(document.doubling->ratio)},
                        {"measured", document.doubling->measured},
                        {"at", document.doubling_at}};
  }
  if (!document.intervals.empty())
    root["interval_level"] = number(document.level);
  if (document.power) {
    Json readings = Json::array();
    for (const auto& reading : document.readings) {
      readings.push_back({{"scale", number(reading.scale)},
                          {"scalable_part",
                           {{"speedup", number(reading.scalable_speedup)},
                            {"efficiency", number(reading.scalable_efficiency)}}},
                          {"whole_time",
                           {{"speedup", number(reading.whole_speedup)},
                            {"efficiency", number(reading.whole_efficiency)}}}});
    }
    root["model"] = {{"settings", document.settings},
                     {"q", number(document.power->power)},
                     {"A", number(document.power->scalable)},
                     {"C", number(document.power->constant)},
                     {"pays_until", nullable(document.model_pays_until)},
                     {"readings", std::move(readings)}};
  }
  return document_text(root);
}

Json configuration_to_json(const plan::Space& space, const plan::Configuration& configuration) {
  Json out = Json::object();
  for (std::size_t c = 0; c < space.columns.size(); ++c) {
    const auto& column = space.columns[c];
    const double value = configuration[c];
    out[column.name] = column.is_text() ? Json(column.text(value)) : number(value);
  }
  return out;
}

std::string plan_to_json(const plan::Space& space,
                         const std::vector<plan::Configuration>& configurations) {
  Json items = Json::array();
  for (const plan::Configuration& configuration : configurations)
    items.push_back(configuration_to_json(space, configuration));
  return document_text(
      {{"schema", "perfmodel/plan"}, {"schema_version", 1}, {"configurations", std::move(items)}});
}

namespace {

constexpr std::uint64_t kSpaceSchemaVersion = 1;

void refuse_unknown(const JsonCursor& place, const std::vector<std::string>& known) {
  for (const std::string& name : place.names()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string hint = did_you_mean(name, known);
      place.fail("unknown field '" + name + "'" +
                 (hint.empty() ? "; there are " + quoted_list(known) : hint));
    }
  }
}

void read_values(const JsonCursor& place, plan::SpaceColumn& column) {
  const auto items = place.items();
  if (items.empty())
    place.fail("expected at least one value");
  const bool texts = items.front().is_text();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (texts) {
      const std::string level = items[i].text();
      if (std::find(column.levels.begin(), column.levels.end(), level) != column.levels.end())
        items[i].fail("'" + level + "' stands twice");
      column.levels.push_back(level);
    } else {
      const double value = items[i].number();
      if (std::find(column.values.begin(), column.values.end(), value) != column.values.end())
        items[i].fail(to_text(value) + " stands twice");
      column.values.push_back(value);
    }
  }
}

void read_range(const JsonCursor& place, plan::SpaceColumn& column) {
  const auto range = place.member("range");
  const auto ends = range.items();
  if (ends.size() != 2)
    range.fail("expected two numbers, the lowest and the highest value");
  column.low = ends[0].number();
  column.high = ends[1].number();
  if (!(column.low < column.high))
    range.fail("expected lowest < highest");
  if (const auto scale = place.optional_member("scale")) {
    if (scale->text() != "log" && scale->text() != "linear")
      scale->fail("'" + scale->text() + "' is not one of 'linear' and 'log'");
    column.logarithmic = scale->text() == "log";
  }
  if (column.logarithmic && column.low <= 0)
    range.fail("a logarithmic range has to be > 0");
  if (const auto whole = place.optional_member("whole")) {
    if (!whole->is_boolean())
      whole->fail("expected true or false");
    column.whole = whole->boolean();
    if (column.whole &&
        (column.low != std::floor(column.low) || column.high != std::floor(column.high)))
      range.fail("expected whole numbers");
  }
}

plan::SpaceColumn read_column(const JsonCursor& place) {
  plan::SpaceColumn column;
  column.name = place.member("column").name();
  refuse_unknown(place, {"column", "values", "range", "scale", "whole"});
  const auto values = place.optional_member("values");
  if (values.has_value() == place.optional_member("range").has_value())
    place.fail("expected either 'values' or 'range'");
  if (values) {
    if (place.optional_member("scale") || place.optional_member("whole"))
      place.fail("'scale' and 'whole' go with 'range'");
    read_values(*values, column);
  } else {
    read_range(place, column);
  }
  return column;
}

void check_schema(const JsonCursor& root) {
  const auto schema = root.member("schema");
  if (schema.text() != "perfmodel/space")
    schema.fail("'" + schema.text() + "' is not 'perfmodel/space': this is not a space");
  const auto version = root.member("schema_version");
  if (version.count() != kSpaceSchemaVersion) {
    version.fail(std::to_string(version.count()) + " is not " +
                 std::to_string(kSpaceSchemaVersion) + ", the one version this program knows");
  }
}

}  // namespace

plan::Space read_space(const std::string& path) {
  plan::Space space;
  space.source = display_name(path);
  const JsonCursor root = JsonCursor::parse(space.source, read_file(path));
  check_schema(root);
  refuse_unknown(root,
                 {"schema", "schema_version", "description", "columns", "extrinsic", "where"});
  const auto columns = root.member("columns").items();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    space.columns.push_back(read_column(columns[i]));
    const std::string& name = space.columns.back().name;
    for (std::size_t before = 0; before < i; ++before)
      if (space.columns[before].name == name)
        columns[i].fail("the column '" + name + "' stands twice");
  }
  if (space.columns.empty())
    root.member("columns").fail("expected at least one column");
  if (const auto extrinsic = root.optional_member("extrinsic")) {
    const auto names = space.names();
    for (const auto& item : extrinsic->items()) {
      if (std::find(names.begin(), names.end(), item.text()) == names.end())
        item.fail("there is no column '" + item.text() + "'" + did_you_mean(item.text(), names));
      space.extrinsic.push_back(item.text());
    }
  }
  if (const auto where = root.optional_member("where")) {
    if (where->is_text())
      space.where.push_back(where->text());
    else
      for (const auto& item : where->items())
        space.where.push_back(item.text());
  }
  return space;
}

namespace {

Json to_json(const plan::Space& space, const plan::Suggestion& suggestion, bool with_cost) {
  Json item = {{"configuration", configuration_to_json(space, suggestion.configuration)},
               {"predicted_time", finite(suggestion.time)}};
  if (suggestion.interval) {
    item["lower"] = finite(suggestion.interval->low);
    item["upper"] = finite(suggestion.interval->high);
  }
  if (with_cost)
    item["cost"] = finite(suggestion.cost);
  return item;
}

}  // namespace

std::string to_json(const SuggestionDocument& document) {
  const auto list = [&](const std::vector<plan::Suggestion>& suggestions) {
    Json items = Json::array();
    for (const auto& suggestion : suggestions)
      items.push_back(to_json(document.space, suggestion, document.with_cost));
    return items;
  };
  Json root = {{"schema", "perfmodel/suggestions"},
               {"schema_version", 1},
               {"target", {{"column", document.target}, {"unit", document.unit}}},
               {"searched", document.suggestions.searched},
               {"without_time", document.suggestions.without_time},
               {"allowed", document.suggestions.allowed},
               {"complete", document.suggestions.complete}};
  if (document.level)
    root["interval_level"] = number(*document.level);
  if (document.next.empty()) {
    root["fastest"] = list(document.suggestions.fastest);
    if (document.with_cost) {
      root["cheapest"] = list(document.suggestions.cheapest);
      root["pareto"] = list(document.suggestions.pareto);
    }
  } else {
    Json items = Json::array();
    for (const NextSuggestion& next : document.next) {
      Json item = to_json(document.space, next.suggestion, true);
      item["deviation_gain"] = finite(next.run.deviation_gain);
      item["log_determinant_gain"] = finite(next.run.log_determinant);
      items.push_back(std::move(item));
    }
    root["mean_deviation"] = finite(document.deviation);
    root["next"] = std::move(items);
  }
  return document_text(root);
}

namespace {

Json constants_by_name(const FittedModel& model) {
  const std::vector<std::string> names = constant_names(model);
  Json constants = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k)
    constants[names[k]] = finite(model.constants[static_cast<Eigen::Index>(k)]);
  return constants;
}

Json to_json(const SweepPoint& point) {
  return {{"penalty", to_text(point.penalty)},
          {"lambda", finite(point.lambda)},
          {"cost", finite(point.model.search.cost)},
          {"validation_loss", finite(point.validation_loss)},
          {"validation_loss_standard_error", finite(point.standard_error)},
          {"termination", point.model.search.termination},
          {"metrics", to_json(point.model.metrics)},
          {"constants", constants_by_name(point.model)}};
}

}  // namespace

std::string sweep_to_json(const SweepDocument& report) {
  Json points = Json::array();
  for (const SweepPoint& point : report.points)
    points.push_back(to_json(point));
  const SweepPoint& chosen = report.points[report.chosen];
  const SearchSummary& search = chosen.model.search;
  const ModelSpec& spec = chosen.model.spec;
  return document_text({{"schema", "perfmodel/sweep"},
                        {"schema_version", 1},
                        {"target", {{"column", spec.target}, {"unit", spec.unit}}},
                        {"data", data_to_json(report.provenance)},
                        {"search",
                         {{"method", to_text(search.method)},
                          {"loss", to_text(search.loss)},
                          {"penalised_constants", to_text(search.penalty.constants)},
                          {"seed", search.seed}}},
                        {"points", points},
                        {"chosen",
                         {{"index", report.chosen},
                          {"penalty", to_text(chosen.penalty)},
                          {"lambda", finite(chosen.lambda)},
                          {"rule", to_text(report.rule)}}}});
}

}  // namespace perfmodel
