#pragma once

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <vector>

#include "fit/process/kernel/coordinates.hpp"
#include "fit/process/trend.hpp"
#include "fit/residual/process_columns.hpp"
#include "fit/result/form.hpp"
#include "model/form/multi_expression.hpp"

namespace perfmodel {

/// A form as the trend of a process: what the process's estimates make of its constants.
struct TrendOfForm {
  std::shared_ptr<const Form> form;
  process::Trend trend;
  /// The constants of the form, the level taken in.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& estimates, double level)> constants;
};

/// Around constants that the form has already. The estimates are differences of powers and
/// logarithms of the ratios of other constants; where a power changes, the coefficients beside it
/// change too, so that nothing moves in the middle of the runs: no unit matters.
TrendOfForm trend_around(const std::shared_ptr<const Form>& form, const ModelSpec& spec,
                         const Eigen::VectorXd& constants, const Design& runs);

/// One product of powers and factors, from nothing: its prior is that no column matters. Rings are
/// those of the coordinates; the process may count no further where the trend does.
TrendOfForm product_trend_of(const ModelSpec& spec, const ProcessColumns& columns,
                             const process::Inputs& inputs,
                             std::vector<process::Coordinate> coordinates,
                             const std::vector<Cap>& caps);

}  // namespace perfmodel
