#include "io/model/columns_json.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "io/model/configuration_json.hpp"

namespace perfmodel {
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

Json ties_to_json(const std::vector<Tie>& ties) {
  Json out = Json::array();
  for (const Tie& tie : ties)
    out.push_back({{"scale", tie.scale}, {"column", tie.column}, {"power", tie.power}});
  return out;
}

std::vector<Tie> read_ties(const ModelSpec& spec, const JsonCursor& root) {
  std::vector<Tie> out;
  if (const auto node = root.optional_member("tied"))
    for (const JsonCursor& item : node->items())
      out.push_back({read_input(spec, item.member("scale")),
                     read_input(spec, item.member("column")), read_power(item.member("power"))});
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
    for (const Factor& factor : item.factors)
      node["factors"].push_back({{"column", factor.column}, {"power", factor.power}});
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
      for (const JsonCursor& factor : factors->items())
        column.factors.push_back(
            {factor.member("column").name(), read_power(factor.member("power"))});
  }
  return out;
}

}  // namespace perfmodel
