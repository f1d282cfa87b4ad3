#include "io/documents/scaling_json.hpp"

#include "json/json_layout.hpp"

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
    rows.push_back(
        {{"scale", number(row.scale)},
         {"time", number(row.time)},
         {"configurations", row.configurations},
         {"speedup", told(row.speedup)},
         {"efficiency", told(row.efficiency)},
         {"karp_flatt", tells ? nullable(row.karp_flatt) : Json()},
         {"equivalent_power", nullable(row.equivalent_power)},
         {"in_range", document.in_range.empty() ? Json() : Json(bool(document.in_range[i]))}});
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
    root["doubling"] = {{"from", number(document.doubling->from)},
                        {"to", number(document.doubling->to)},
                        {"time_ratio", number(document.doubling->ratio)},
                        {"measured", document.doubling->measured},
                        {"at", document.doubling_at}};
  }
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

}  // namespace perfmodel
