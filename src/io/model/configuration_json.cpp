#include "io/model/configuration_json.hpp"

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace perfmodel {

Json configuration_to_json(const ModelSpec& spec, const Configuration& configuration) {
  Json out = Json::object();
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    out[spec.intrinsic[i].column] = number(configuration.intrinsic[i]);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    out[spec.categorical[c].column] = spec.categorical[c].levels[configuration.levels[c]];
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    out[spec.extrinsic[j].column] = number(configuration.extrinsic[j]);
  return out;
}

Configuration read_configuration(const ModelSpec& spec, const JsonCursor& node) {
  const auto numbers = [&](const std::vector<NumericInput>& inputs) {
    std::vector<double> out;
    for (const NumericInput& input : inputs) {
      const JsonCursor member = node.member(input.column);
      out.push_back(member.number());
      if (!input.allows(out.back()))
        member.fail(input.zero ? "expected a number >= 0" : "expected a number > 0");
    }
    return out;
  };
  Configuration out;
  out.intrinsic = numbers(spec.intrinsic);
  for (const CategoricalInput& input : spec.categorical) {
    const JsonCursor member = node.member(input.column);
    const auto found = std::find(input.levels.begin(), input.levels.end(), member.text());
    if (found == input.levels.end())
      member.fail("'" + member.text() + "' is not one of " + quoted_list(input.levels));
    out.levels.push_back(static_cast<std::uint32_t>(found - input.levels.begin()));
  }
  out.extrinsic = numbers(spec.extrinsic);
  return out;
}

}  // namespace perfmodel
