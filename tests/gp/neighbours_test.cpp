#include "gp/neighbours.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::gp;
using Eigen::Index;
using Eigen::MatrixXd;

namespace {

Inputs random_places(Index rows, std::uint64_t seed) {
  RandomStream random(seed);
  Inputs out{.numbers = MatrixXd(rows, 2), .levels = Levels(rows, 2)};
  for (Index i = 0; i < rows; ++i) {
    out.numbers.row(i) << random.normal(), static_cast<double>(random.below(6));
    out.levels.row(i) << static_cast<std::uint32_t>(random.below(5)),
        static_cast<std::uint32_t>(random.below(2));
  }
  return out;
}

}  // namespace

TEST_CASE("the nearest rows are those of the largest correlation", "[process]") {
  const Kernel kernel{.inverse_lengths = Eigen::Vector2d(2, 0.5),
                      .shares = Eigen::Vector2d(0.3, 0.1),
                      .rates = Eigen::Vector2d(0.4, 0.02)};
  const Inputs places = random_places(ValueTable::kMostValues + 50, 1);  // no table of column 0
  const CodedInputs rows(places);
  const Neighbours tree(kernel, rows);
  // Places that no row has, and those of rows.
  for (const Inputs& asked : {random_places(40, 2), random_places(40, 1)}) {
    const MatrixXd all = correlations(kernel, rows, CodedInputs(asked));
    for (Index i = 0; i < asked.rows(); ++i) {
      const auto found = tree.nearest(asked.numbers.row(i), asked.levels.row(i).cast<double>(), 25);
      REQUIRE(found.size() == 25);
      std::vector<double> expected(all.col(i).begin(), all.col(i).end());
      std::sort(expected.rbegin(), expected.rend());
      for (std::size_t k = 0; k < 25; ++k) {
        CHECK(all(found[k].row, i) == Approx(expected[k]).epsilon(1e-12));
        CHECK(found[k].correlation == Approx(expected[k]).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("there are no more neighbours than rows, and levels may be unknown", "[process]") {
  const Kernel kernel{.inverse_lengths = Eigen::Vector2d(2, 0.5),
                      .shares = Eigen::Vector2d(0.3, 0.1),
                      .rates = Eigen::Vector2d(0.4, 0.02)};
  const Inputs places = random_places(30, 1);
  const CodedInputs rows(places);
  const auto found =
      Neighbours(kernel, rows).nearest(Eigen::RowVector2d(0, 9), Eigen::RowVector2d(7, 1), 50);
  REQUIRE(found.size() == 30);
  for (const Neighbour& neighbour : found)
    CHECK(neighbour.correlation <= std::exp(-0.4) * (1 + 1e-12));
}

TEST_CASE("among many rows at one place the first ones are the nearest", "[process]") {
  const Kernel kernel{.inverse_lengths = Eigen::Vector2d(2, 0.5),
                      .shares = Eigen::Vector2d(0.3, 0.1),
                      .rates = Eigen::Vector2d(0.4, 0.02)};
  const Inputs places{.numbers = MatrixXd::Constant(50, 2, 1), .levels = Levels::Zero(50, 2)};
  const CodedInputs rows(places);
  const auto found =
      Neighbours(kernel, rows).nearest(Eigen::RowVector2d(0, 1), Eigen::RowVector2d(0, 1), 40);
  REQUIRE(found.size() == 40);
  for (std::size_t k = 0; k < 40; ++k)
    CHECK(found[k].row == static_cast<Index>(k));
}
