#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "perfmodel/data/metrics.hpp"
#include "perfmodel/data/table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/columns/spec.hpp"
#include "perfmodel/model/design/design.hpp"

namespace perfmodel {

/// How far predictions are from the measured times of a design. Throws InputError, with `part` to
/// say where, if the errors are no numbers.
Metrics measure(const Design& design, const Eigen::VectorXd& predicted, const std::string& part);
Metrics measure(const FittedModel& model, const Design& design, const std::string& part);

/// Gives a table of further runs with these columns read as text, read_csv() say: which ones is
/// known only when the parts of the columns of the runs are.
using TestRunsReader = std::function<Table(const std::set<std::string>& text_columns)>;

/// Further runs to judge a model on.
struct TestRuns {
  Design design;
  std::optional<std::string> left_out;  ///< a whole sentence about rows that cannot be judged
};

/// Rows with a level that no run behind the model has are left out.
///
/// Throws InputError where no row is left, and, if the test is `gated`, for any such row: a gate
/// must not pass because the rows that it is about are missing.
TestRuns select_test_runs(const Table& table, const ModelSpec& spec, bool gated);

}  // namespace perfmodel
