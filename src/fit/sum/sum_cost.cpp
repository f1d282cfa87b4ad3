#include "fit/sum/sum_cost.hpp"

#include <cmath>

#include "base/index.hpp"
#include "fit/sum/terms/sum_parts.hpp"
#include "fit/task/loss_value.hpp"

namespace perfmodel {
namespace {

using Eigen::VectorXd;

/// Sums over the penalised constants u of a part.
struct PenalisedSums {
  double absolute = 0;
  double squared = 0;

  void add(double u) {
    absolute += std::abs(u);
    squared += u * u;
  }
};

PenalisedSums penalised_sums(const SumPart& part) {
  const MultiLayout layout(part.spec, part.structure);
  PenalisedSums out;
  const auto add_factors = [&](std::size_t first, std::size_t count) {
    const VectorXd factors = part.constants.segment(index(first), index(count));
    double logs = 0;
    double present = 0;
    for (const double factor : factors) {
      if (factor > 0) {
        logs += std::log(factor);
        present += 1;
      }
    }
    for (const double factor : factors)
      if (factor > 0)  // a term that does not exist has no size
        out.add(std::log(factor) - logs / present);
  };
  for (std::size_t k = 0; k < part.structure.terms; ++k) {
    for (std::size_t i = 0; i < part.spec.intrinsic.size(); ++i)
      out.add(part.constants[index(layout.intrinsic_power(k, i))]);
    for (std::size_t c = 0; c < part.spec.categorical.size(); ++c)
      add_factors(layout.level(k, c, 0), part.spec.categorical[c].levels.size());
    for (std::size_t j = 0; j < part.spec.extrinsic.size(); ++j)
      out.add(part.constants[index(layout.extrinsic_power(k, j))]);
    for (std::size_t g = 0; g < part.structure.regimes.size(); ++g)
      add_factors(layout.regime(k, g, 0), 2);
  }
  return out;
}

}  // namespace

double sum_cost(const FittedModel& model, const Design& runs, const FitOptions& options) {
  double out = loss_value(options.loss, runs.time, predict(model, runs));
  for (const SumPart& part : sum_parts(model)) {
    const double l2 = options.penalty.l2 + part.estimate.ridge;
    if (options.penalty.l1 == 0 && l2 == 0)
      continue;
    const Design own = part.runs(runs);
    const double share = static_cast<double>(own.rows) / static_cast<double>(runs.rows);
    const double typical_time = std::exp(own.time.array().log().mean());
    const PenalisedSums sums = penalised_sums(part);
    out += share * loss_of_time(options.loss, typical_time) *
           (options.penalty.l1 * sums.absolute + l2 * sums.squared);
  }
  return out;
}

}  // namespace perfmodel
