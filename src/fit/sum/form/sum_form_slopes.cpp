#include <cmath>

#include "base/index.hpp"
#include "fit/sum/form/sum_form.hpp"

namespace perfmodel {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd SumForm::log_slopes(const ModelSpec& spec, const VectorXd& constants,
                             const Design& design) const {
  const MultiLayout layout(spec, structure);
  const MatrixXd parts = multi_parts(spec, structure, constants, design);
  const MatrixXd shares = parts.array().colwise() / parts.rowwise().sum().array();
  MatrixXd out = MatrixXd::Zero(index(design.rows), index(layout.size()));
  for (std::size_t row = 0; row < design.rows; ++row) {
    auto slopes = out.row(index(row));
    for (std::size_t k = 0; k < structure.terms; ++k) {
      const double share = shares(index(row), index(k));
      slopes[index(layout.coefficient(k))] = share;
      for (std::size_t n = 0; n < numeric_count(spec); ++n) {
        const double value = numeric_input(spec, n).counted(
            structure.capped(k, n, numeric_factor(design, n).value(row)));
        slopes[index(layout.numeric_power(k, n))] =
            share * (structure.has_ring(k, n) ? 1 - 1 / value : std::log(value));
      }
      for (std::size_t c = 0; c < spec.categorical.size(); ++c)
        slopes[index(layout.level(k, c, design.categorical[c].codes[row]))] = share;
      for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
        const Regime& regime = structure.regimes[g];
        const double value =
            structure.capped(k, regime.numeric, numeric_factor(design, regime.numeric).value(row));
        const bool above = value > regime.above;
        slopes[index(layout.regime(k, g, above ? 1 : 0))] = share;
      }
    }
    slopes[index(layout.intercept())] = shares(index(row), index(structure.terms));
  }
  return out;
}

}  // namespace perfmodel
