#include "analysis/central/doubling.hpp"

#include <cmath>

#include "analysis/central/moved_configuration.hpp"

namespace perfmodel {
namespace {

/// x / 2 is a value that the column can have, as far as x tells.
bool can_be_halved(double x) {
  return x != std::round(x) || std::fmod(x, 2) == 0;
}

}  // namespace

std::vector<Doubling> doublings_of(const FittedModel& model, const Configuration& at) {
  std::vector<Doubling> out;
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j) {
    const NumericInput& input = model.spec.extrinsic[j];
    if (model.spec.is_derived(input.column))
      continue;
    const double here = at.extrinsic[j];
    const bool ends_here = 2 * here > input.high && here / 2 >= input.low && can_be_halved(here);
    Doubling doubling{.column = input.column, .from = ends_here ? here / 2 : here};
    doubling.to = 2 * doubling.from;
    doubling.measured = input.low <= doubling.from && doubling.to <= input.high;
    const MovedConfiguration moved(model, at, j);
    const auto before = moved.time_at(doubling.from);
    const auto after = moved.time_at(doubling.to);
    if (!before || !after)
      continue;
    doubling.ratio = *after / *before;
    out.push_back(doubling);
  }
  return out;
}

std::optional<Centre> centre_of(const FittedModel& model) {
  if (model.central)
    return Centre{model.central->configuration,
                  "the run of line " + std::to_string(model.central->line)};
  if (model.typical)
    return Centre{*model.typical, "the median configuration"};
  return std::nullopt;
}

}  // namespace perfmodel
