#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/terminal/console.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel::cli {

/// What a model says of the rows of a table.
struct Predictions {
  Eigen::VectorXd values;
  std::vector<std::size_t> without_time;  ///< rows of which the value is no time, ascending
};

Predictions predictions_of(const FittedModel& model, const Design& design);

/// "runs.csv: in 3 of 20 rows (lines 4, 9 and 12) the model predicts no time > 0 that a number
/// holds"; nothing where every row has one.
std::optional<std::string> without_time_text(const Predictions& predictions, const Table& table);

/// Warns of that, and of what becomes of the rows; where it is strict, throws InputError.
void report_without_time(const Predictions& predictions, const Table& table,
                         const std::string& consequence, bool strict, Console& console);

/// Warns of rows in which a 0 takes all away that grows with the other inputs, so that the constant
/// of the formula alone is left: the same time whatever the others are. `lines` are named where
/// there are several rows.
void report_constants(const FittedModel& model, const Design& design, const Eigen::VectorXd& times,
                      const std::vector<std::uint32_t>& lines, Console& console);

/// The predicted time of every row. Throws InputError with the places of those that are no times,
/// as `where` names them. For single configurations and for what needs a time of every row.
Eigen::VectorXd predicted_times(const FittedModel& model, const Design& design,
                                const std::function<std::string(std::size_t row)>& where);

}  // namespace perfmodel::cli
