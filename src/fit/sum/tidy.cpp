#include "fit/sum/tidy.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fit/sum/form/sum_form.hpp"
#include "fit/task/loss_value.hpp"

namespace perfmodel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNegligible = 1e-4;
/// Share of the loss that a factor may add by becoming 0; of an error of this share of the time
/// where the loss is next to nothing.
constexpr double kUnnoticed = 1e-7;
constexpr double kExact = 1e-9;

/// Sets the factors of `constants[first..first + count)` to 0 whose rows all have a negligible
/// share, and makes the first factor that is left 1, as people see them. Rows for which another
/// factor is 0 say nothing about this one.
void tidy_factors(const VectorXd& shares, const std::vector<std::uint32_t>& codes,
                  const CategoricalInput& input, Index count, Index coefficient, Index first,
                  VectorXd& constants) {
  VectorXd largest = VectorXd::Constant(count, -1);
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const double share = shares[static_cast<Index>(row)];
    double& most = largest[static_cast<Index>(codes[row])];
    if (share > 0)
      most = std::max(most, share);
  }
  if (largest.maxCoeff() < kNegligible)
    return;  // the whole term is negligible; its factors say nothing
  auto factors = constants.segment(first, count);
  for (Index l = 0; l < count; ++l)
    if (largest[l] >= 0 && largest[l] < kNegligible)
      factors[l] = 0;
  std::size_t place = 0;
  const auto shown = [&] { return factors[static_cast<Index>(input.shown_level(place))]; };
  while (!(shown() > 0))
    ++place;
  const double scale = shown();
  constants[coefficient] *= scale;
  factors /= scale;
}

/// Lists by term, which end with the last term that has any.
template <class List>
void put_in(const std::vector<List>& before, std::size_t from, std::size_t to,
            std::vector<List>& lists) {
  if (from >= before.size())
    return;
  lists.resize(std::max(lists.size(), to + 1));
  lists[to] = before[from];
}

}  // namespace

void switch_off_negligible_factors(FittedModel& model, const Design& training, Loss loss) {
  const MultiStructure& structure = sum_form(model).structure;
  const MultiLayout layout(model.spec, structure);
  const auto loss_at = [&](const VectorXd& constants) {
    return loss_value(loss, training.time,
                      predict_multi(model.spec, structure, constants, training));
  };
  const double most = (1 + kUnnoticed) * loss_at(model.constants) +
                      loss_value(loss, training.time, (1 + kExact) * training.time);
  const MatrixXd parts = multi_parts(model.spec, structure, model.constants, training);
  const VectorXd total = parts.rowwise().sum();
  for (std::size_t k = 0; k < structure.terms; ++k) {
    const VectorXd shares = parts.col(static_cast<Index>(k)).cwiseQuotient(total).cwiseAbs();
    const Index coefficient = static_cast<Index>(layout.coefficient(k));
    const auto tidy = [&](const std::vector<std::uint32_t>& codes, const CategoricalInput& input,
                          std::size_t count, std::size_t first) {
      VectorXd tidied = model.constants;
      tidy_factors(shares, codes, input, static_cast<Index>(count), coefficient,
                   static_cast<Index>(first), tidied);
      if (tidied != model.constants && loss_at(tidied) <= most)
        model.constants = tidied;
    };
    for (std::size_t c = 0; c < training.categorical.size(); ++c)
      tidy(training.categorical[c].codes, model.spec.categorical[c], training.categorical[c].levels,
           layout.level(k, c, 0));
    for (std::size_t g = 0; g < structure.regimes.size(); ++g) {
      const Regime& regime = structure.regimes[g];
      std::vector<std::uint32_t> sides(training.rows);
      for (std::size_t row = 0; row < training.rows; ++row)
        sides[row] = numeric_factor(training, regime.numeric).value(row) > regime.above ? 1 : 0;
      tidy(sides, {}, 2, layout.regime(k, g, 0));
    }
  }
}

void order_by_share(FittedModel& model, const Design& training) {
  MultiStructure& structure = own_sum_form(model).structure;
  const MultiLayout layout(model.spec, structure);
  const VectorXd sums =
      multi_parts(model.spec, structure, model.constants, training).colwise().sum();
  std::vector<std::size_t> order(structure.terms);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(sums[static_cast<Index>(a)]) > std::abs(sums[static_cast<Index>(b)]);
  });
  const VectorXd constants = model.constants;
  const MultiStructure before = structure;
  structure.rings.clear();
  structure.caps.clear();
  const Index stride =
      structure.terms == 0 ? 0 : (constants.size() - 1) / static_cast<Index>(structure.terms);
  for (std::size_t k = 0; k < structure.terms; ++k) {
    model.constants.segment(static_cast<Index>(layout.coefficient(k)), stride) =
        constants.segment(static_cast<Index>(layout.coefficient(order[k])), stride);
    structure.log_powers[k] = before.log_powers[order[k]];
    put_in(before.rings, order[k], k, structure.rings);
    put_in(before.caps, order[k], k, structure.caps);
  }
}

}  // namespace perfmodel
