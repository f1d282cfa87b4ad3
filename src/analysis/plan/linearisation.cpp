#include <algorithm>
#include <cmath>

#include "analysis/plan/information.hpp"
#include "base/index.hpp"
#include "model/form/generic_expression.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::plan {
namespace {

/// Of a range of whole numbers 1, of another range its end.
double least_above_zero(const SpaceColumn& column) {
  if (column.is_range())
    return column.whole ? 1 : column.high;
  double out = column.values.front();
  for (const double value : column.values)
    if (value > 0 && (out <= 0 || value < out))
      out = value;
  return out;
}

NumericInput numeric_input(const SpaceColumn& column) {
  NumericInput input;
  input.column = column.name;
  input.low = column.is_range() ? column.low
                                : *std::min_element(column.values.begin(), column.values.end());
  input.high = column.is_range() ? column.high
                                 : *std::max_element(column.values.begin(), column.values.end());
  if (input.low == 0 && input.high > 0)
    input.zero = ZeroValue{.unit = least_above_zero(column)};
  return input;
}

bool is_scale(const Space& space, const std::string& name) {
  return std::find(space.extrinsic.begin(), space.extrinsic.end(), name) != space.extrinsic.end();
}

}  // namespace

Linearisation default_linearisation(const Space& space) {
  for (const SpaceColumn& column : space.columns) {
    if (column.is_text())
      continue;
    const NumericInput input = numeric_input(column);
    if (is_scale(space, column.name) ? input.low <= 0 : input.low < 0) {
      throw InputError(space.source + ": column '" + column.name + "' has values that are not >" +
                       (is_scale(space, column.name) ? "" : "=") +
                       " 0, of which the model takes no powers");
    }
  }
  Linearisation result{.spec = {}, .form = generic_form(), .constants = {}};
  for (const SpaceColumn& column : space.columns) {
    if (column.is_text()) {
      result.spec.categorical.push_back({column.name, column.levels});
      std::sort(result.spec.categorical.back().levels.begin(),
                result.spec.categorical.back().levels.end());
    } else if (is_scale(space, column.name)) {
      result.spec.extrinsic.push_back(numeric_input(column));
    } else {
      result.spec.intrinsic.push_back(numeric_input(column));
    }
  }
  const GenericLayout layout(result.spec);
  result.constants = Eigen::VectorXd::Zero(index(layout.size()));
  for (std::size_t i = 0; i < result.spec.intrinsic.size(); ++i) {
    const NumericInput& input = result.spec.intrinsic[i];
    result.constants[index(layout.coefficient(i))] =
        1 / std::sqrt((input.zero ? input.zero->unit : input.low) * input.high);
    result.constants[index(layout.intrinsic_power(i))] = 1;
  }
  for (std::size_t c = 0; c < result.spec.categorical.size(); ++c)
    for (std::size_t l = 0; l < result.spec.categorical[c].levels.size(); ++l)
      result.constants[index(layout.level(c, l))] = 1;
  if (const auto lone = layout.lone_coefficient())
    result.constants[index(*lone)] = 1;
  double scale = 1;
  for (std::size_t j = 0; j < result.spec.extrinsic.size(); ++j) {
    const NumericInput& input = result.spec.extrinsic[j];
    result.constants[index(layout.extrinsic_power(j))] = -0.5;
    scale *= std::pow(input.low * input.high, -0.25);
  }
  const auto parts =
      static_cast<double>(result.spec.intrinsic.size() + result.spec.categorical.size());
  result.constants[index(layout.intercept())] = 0.25 * std::max(parts, 1.0) * scale;
  return result;
}

}  // namespace perfmodel::plan
