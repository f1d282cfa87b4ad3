#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/json_layout.hpp"
#include "perfmodel/fit/result/certainty.hpp"

namespace perfmodel {

/// A condition under which the judgement counts as failed.
struct GateDocument {
  std::string condition;
  std::optional<double> value;  ///< none: there is no such figure
  std::optional<Interval> interval;
  bool fired = false;
};

Json gates_to_json(const std::vector<GateDocument>& gates);

/// Null where there is none.
Json interval_to_json(const std::optional<Interval>& interval);

}  // namespace perfmodel
