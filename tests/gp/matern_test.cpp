#include "gp/matern.hpp"

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "perfmodel/progress.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

namespace {

constexpr double kDistanceStep = 1e-5;

double matern_value(double distance, const matern::Correlation& of) {
  const double r = std::sqrt(5.0) * distance * of.inverse_length;
  return of.share + (1 - of.share) * (1 + r + r * r / 3) * std::exp(-r);
}

/// d ln k by the logarithm of 1 / l, or of w / (1 - w), as a difference.
double slope_by_difference(double distance, const matern::Correlation& of, bool by_share) {
  const auto at = [&](double step) {
    matern::Correlation moved = of;
    if (by_share)
      moved.share = 1 / (1 + (1 / of.share - 1) * std::exp(-step));
    else
      moved.inverse_length *= std::exp(step);
    return std::log(matern_value(distance, moved));
  };
  return (at(kDistanceStep) - at(-kDistanceStep)) / (2 * kDistanceStep);
}

}  // namespace

TEST_CASE("correlations of numbers and their slopes, with the same bits for every instruction set",
          "[fit][process]") {
  RandomStream random(1, "places");
  const matern::Correlation of{.inverse_length = 0.7, .share = 0.1};
  constexpr double kFrom = 0.25;
  for (const std::size_t count : {1U, 8U, 21U}) {  // no vector, a whole one, and a rest
    std::vector<double> values(count);
    for (double& value : values)
      value = random.uniform(-4, 4);
    values.front() = kFrom;
    std::vector<double> first;
    for (const InstructionSet instructions : available_instruction_sets()) {
      const matern::Functions& kernel = matern::functions_for(instructions);
      const matern::Places places{count, values.data(), kFrom};
      std::vector<double> out(3 * count);
      kernel.correlations(of, places, out.data());
      kernel.slopes(of, places, &out[count], &out[2 * count]);
      for (std::size_t i = 0; i < count; ++i) {
        CAPTURE(to_text(instructions), i);
        const double distance = std::abs(values[i] - kFrom);
        const double expected = matern_value(distance, of);
        CHECK(out[i] == Approx(expected).epsilon(1e-14));
        CHECK(out[count + i] ==
              Approx(slope_by_difference(distance, of, false)).epsilon(1e-6).margin(1e-9));
        CHECK(out[2 * count + i] ==
              Approx(slope_by_difference(distance, of, true)).epsilon(1e-6).margin(1e-9));
      }
      if (first.empty())
        first = out;
      CHECK(out == first);
    }
  }
}
