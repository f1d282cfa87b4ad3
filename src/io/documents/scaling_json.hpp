#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/central/doubling.hpp"
#include "perfmodel/analysis/scaling/study.hpp"

namespace perfmodel {

/// What is known of the scaling along one column (schema perfmodel/scaling, version 1).
struct ScalingDocument {
  std::string file;    ///< base name
  std::string source;  ///< "model" or "runs"
  std::string column;
  std::string unit;       ///< of times; empty where unknown
  bool relative = false;  ///< times are relative to the first row
  scaling::ScalingStudy study;
  std::vector<bool> in_range;         ///< of a model, per row of the study: whether it was measured
  bool tells_speedup = true;          ///< of workers, or asked for: speedups, efficiencies and laws
  std::string kind_because;           ///< what told the kind; empty where it was asked for
  bool kind_is_open = false;          ///< nothing told it
  std::vector<std::string> settings;  ///< of a model: what was held fixed
  std::optional<Doubling> doubling;   ///< of a model
  std::string doubling_at;            ///< "the run of line 212 of runs.csv"
  std::optional<scaling::PowerPlusConstant> power;  ///< of a model
  std::vector<scaling::Reading> readings;
  std::optional<double> model_pays_until;
};

/// Ends with a newline.
std::string to_json(const ScalingDocument& document);

}  // namespace perfmodel
