#include "perfmodel/design.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

namespace {

/// One numeric column of this many groups, each run `replicates` times.
Design replicated(std::size_t groups, std::size_t replicates, double noise) {
  RandomStream random(1, "replicates test");
  Design design;
  design.rows = groups * replicates;
  design.intrinsic.resize(1);
  design.time.resize(static_cast<Eigen::Index>(design.rows));
  for (std::size_t row = 0; row < design.rows; ++row) {
    const double value = static_cast<double>(1 + row % groups);
    design.intrinsic[0].values.push_back(value);
    design.time[static_cast<Eigen::Index>(row)] = value * (1 + noise * random.normal());
  }
  return design;
}

}  // namespace

TEST_CASE("runs of one configuration give a noise floor", "[model]") {
  Design design = replicated(3, 2, 0);
  design.time << 1, 4, 8, 3, 4, 8;
  const auto floor = noise_floor(design);
  REQUIRE(floor);
  CHECK(floor->groups == 3);
  CHECK(floor->rows == 6);
  // |1 - 2| / 1 and |3 - 2| / 3 over six rows, two of a group being 0.7071 too near.
  CHECK(floor->mape_percent == Catch::Approx(100 * (1 + 1.0 / 3) / 6 / 0.7071).epsilon(1e-3));
  CHECK_FALSE(noise_floor(replicated(5, 1, 0.1)));  // no configuration ran twice
}

TEST_CASE("the noise floor is the mean error of the true model, for groups of any size",
          "[model]") {
  // E |x - mu| = sqrt(2 / pi) sigma; the mean of n = 6000 of them has a standard error of 0.8 %.
  for (const std::size_t replicates : {2U, 3U, 4U, 5U, 8U}) {
    CAPTURE(replicates);
    const auto floor = noise_floor(replicated(6000 / replicates, replicates, 0.02));
    REQUIRE(floor);
    CHECK(floor->mape_percent == Catch::Approx(100 * 0.02 * std::sqrt(2 / M_PI)).epsilon(0.04));
  }
}
