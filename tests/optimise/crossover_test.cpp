#include "optimise/differential_evolution.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::optimise;

namespace {

/// How many coordinates of a mutant of ones stay when it is crossed with a target of zeros.
Eigen::VectorXd crossed(Eigen::Index size, double rate, const std::vector<Eigen::Index>& free,
                        RandomStream& random) {
  Eigen::VectorXd trial = Eigen::VectorXd::Ones(size);
  cross_over(Eigen::VectorXd::Zero(size), rate, free, random, trial);
  return trial;
}

std::vector<Eigen::Index> all_of(Eigen::Index size) {
  std::vector<Eigen::Index> free;
  for (Eigen::Index j = 0; j < size; ++j)
    free.push_back(j);
  return free;
}

}  // namespace

TEST_CASE("At a crossover rate of 0 exactly one coordinate is the mutant's, at 1 all are",
          "[optimise]") {
  RandomStream random(1);
  for (Eigen::Index size = 1; size <= 25; ++size) {
    for (int k = 0; k < 50; ++k) {
      CHECK(crossed(size, 0, all_of(size), random).sum() == 1);
      CHECK(crossed(size, 1, all_of(size), random).sum() == static_cast<double>(size));
    }
  }
  // So many decisions that an error of one part in 2^16 would show.
  CHECK(crossed(1000000, 0, {0}, random).sum() == 1);
  CHECK(crossed(1000000, 1, {0}, random).sum() == 1000000);
}

TEST_CASE("The coordinate that must change is one that can", "[optimise]") {
  RandomStream random(1);
  Eigen::VectorXd stayed = Eigen::VectorXd::Zero(6);
  for (int k = 0; k < 1000; ++k)
    stayed += crossed(6, 0, {1, 4}, random);
  CHECK(stayed[1] + stayed[4] == 1000);
  CHECK(std::abs(stayed[1] - 500) < 5 * 16);  // standard deviation 15.8
}

TEST_CASE("Every coordinate is the mutant's with the crossover rate", "[optimise]") {
  // Each of 9 coordinates stays with probability 1/9 + 8/9 * 0.7 = 0.7333: in 9000 crossovers
  // 6600 +- 42 times. Neighbours, decided by the same draw, are independent but for the forced one.
  RandomStream random(1);
  Eigen::VectorXd stayed = Eigen::VectorXd::Zero(9);
  int both = 0;
  for (int k = 0; k < 9000; ++k) {
    const Eigen::VectorXd trial = crossed(9, 0.7, all_of(9), random);
    stayed += trial;
    both += trial[0] == 1 && trial[1] == 1 ? 1 : 0;
  }
  for (const double count : stayed)
    CHECK(std::abs(count - 6600) < 5 * 42);
  // 2/9 * 0.7 + 7/9 * 0.49 = 0.5367: 4830 +- 47
  CHECK(std::abs(both - 4830) < 5 * 47);
}

TEST_CASE("Coordinates outside the box are drawn anew over the whole interval", "[optimise]") {
  const Bounds bounds{Eigen::Vector3d(-1, 0, 2), Eigen::Vector3d(1, 8, 3)};
  RandomStream random(1);
  double sum = 0;
  for (int k = 0; k < 1000; ++k) {
    Eigen::VectorXd trial = Eigen::Vector3d(0.25, k % 2 == 0 ? 9.0 : -1e300, 2);
    redraw_outside(bounds, random, trial);
    CHECK(trial[0] == 0.25);
    CHECK(trial[2] == 2);
    REQUIRE(bounds.contains(trial));
    sum += trial[1];
  }
  // Mean 4, standard deviation 8 / sqrt(12 * 1000).
  CHECK(std::abs(sum / 1000 - 4) < 5 * 0.073);
}

TEST_CASE("Coordinates at the ends of the box stay", "[optimise]") {
  const Bounds bounds{Eigen::Vector2d(-1, 0), Eigen::Vector2d(1, 8)};
  RandomStream random(1);
  Eigen::VectorXd trial = Eigen::Vector2d(-1, 8);
  redraw_outside(bounds, random, trial);
  CHECK(trial == Eigen::Vector2d(-1, 8));
}

TEST_CASE("A trial that is not a number is drawn anew", "[optimise]") {
  const Bounds bounds{Eigen::VectorXd::Constant(1, -1), Eigen::VectorXd::Constant(1, 1)};
  RandomStream random(1);
  Eigen::VectorXd trial = Eigen::VectorXd::Constant(1, std::nan(""));
  redraw_outside(bounds, random, trial);
  CHECK(bounds.contains(trial));
}
