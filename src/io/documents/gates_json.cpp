#include "io/documents/gates_json.hpp"

#include <cmath>

namespace perfmodel {

Json interval_to_json(const std::optional<Interval>& interval) {
  return interval ? Json{{"lower", number(interval->low)}, {"upper", number(interval->high)}}
                  : Json();
}

Json gates_to_json(const std::vector<GateDocument>& gates) {
  Json out = Json::array();
  for (const GateDocument& gate : gates) {
    const bool known = gate.value && std::isfinite(*gate.value);
    out.push_back({{"condition", gate.condition},
                   {"value", known ? number(*gate.value) : Json()},
                   {"interval", interval_to_json(gate.interval)},
                   {"fired", gate.fired}});
  }
  return out;
}

}  // namespace perfmodel
