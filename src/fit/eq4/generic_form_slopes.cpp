#include <cmath>

#include "base/index.hpp"
#include "fit/eq4/generic_form.hpp"
#include "model/form/generic_expression.hpp"

namespace perfmodel {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd GenericForm::log_slopes(const ModelSpec& spec, const VectorXd& constants,
                                 const Design& design) const {
  const GenericLayout layout(spec);
  const VectorXd time = predict(spec, constants, design);
  const double rest = constants[index(layout.intercept())];
  MatrixXd out = MatrixXd::Zero(index(design.rows), index(layout.size()));
  for (std::size_t row = 0; row < design.rows; ++row) {
    auto slopes = out.row(index(row));
    const double share_of_rest = rest / time[index(row)];
    double scale = 1 / time[index(row)];
    for (std::size_t j = 0; j < spec.extrinsic.size(); ++j) {
      const double value = design.extrinsic[j].value(row);
      const auto power = index(layout.extrinsic_power(j));
      scale *= std::pow(value, constants[power]);
      slopes[power] = (1 - share_of_rest) * std::log(value);
    }
    for (std::size_t i = 0; i < spec.intrinsic.size(); ++i) {
      const double value = design.intrinsic[i].value(row);
      const auto coefficient = index(layout.coefficient(i));
      const auto power = index(layout.intrinsic_power(i));
      slopes[coefficient] = constants[coefficient] * std::pow(value, constants[power]) * scale;
      slopes[power] = slopes[coefficient] * log_of_value(value);
    }
    for (std::size_t c = 0; c < spec.categorical.size(); ++c) {
      const auto level = index(layout.level(c, design.categorical[c].codes[row]));
      slopes[level] = constants[level] * scale;
    }
    if (const auto lone = layout.lone_coefficient())
      slopes[index(*lone)] = constants[index(*lone)] * scale;
    slopes[index(layout.intercept())] = share_of_rest;
  }
  return out;
}

}  // namespace perfmodel
