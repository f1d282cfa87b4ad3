#pragma once

#include <string>
#include <vector>

#include "cli/runs/held_out_options.hpp"
#include "cli/runs/range_check.hpp"
#include "cli/terminal/text_table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/pipeline/settings.hpp"

namespace perfmodel::cli {

/// What a model says of configurations that were set.
struct PredictedSettings {
  const FittedModel& model;
  const SetConfigurations& set;
  const Eigen::VectorXd& times;
  const Certainty& certainty;
  const RangeCheck& range;
  std::optional<double> level;  ///< of the intervals, where there are any
};

/// A line per configuration for people: what differs between them, the time, its interval.
TextTable prediction_table(const PredictedSettings& predicted);

/// One prediction as its document, several as a list of such.
std::string predictions_json(const PredictedSettings& predicted, const Design& design);

/// A table as a CSV file, its rows in the lines from the second on.
std::string csv_of_table(const Table& table);

}  // namespace perfmodel::cli
