#include "sums/normal_matrix.hpp"

#include <array>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

namespace {

MatrixXd random_matrix(Index rows, Index columns, RandomStream& random) {
  MatrixXd out(rows, columns);
  for (double& value : out.reshaped())
    value = random.normal();
  return out;
}

/// The same sum, column by column of the Jacobian.
MatrixXd by_jacobian(const MatrixXd& features, const MatrixXd& terms, const ArrayXd& curvature) {
  MatrixXd jacobian(features.rows(), terms.cols() * features.cols());
  for (Index k = 0; k < terms.cols(); ++k) {
    for (Index j = 0; j < features.cols(); ++j) {
      jacobian.col(k * features.cols() + j) =
          terms.col(k).array() * features.col(j).array() * curvature.sqrt();
    }
  }
  return jacobian.transpose() * jacobian;
}

}  // namespace

TEST_CASE("the normal matrix is J'J, with the same bits for every instruction set",
          "[fit][multi]") {
  RandomStream random(1, "normal matrix");
  // Rows that fill no block, numbers of terms with every rest, products too many to be kept.
  for (const auto [rows, features, terms] : {std::array<Index, 3>{1, 1, 1},
                                             {7, 3, 0},
                                             {64, 5, 2},
                                             {65, 6, 3},
                                             {200, 13, 5},
                                             {130, 9, 7},
                                             {15000, 17, 2},
                                             {700, 80, 2}}) {
    CAPTURE(rows, features, terms);
    const MatrixXd x = random_matrix(rows, features, random);
    const MatrixXd t = random_matrix(rows, terms, random);
    const ArrayXd c = random_matrix(rows, 1, random).array().square();
    const MatrixXd expected = by_jacobian(x, t, c);
    const MatrixXd baseline = NormalMatrix(x, InstructionSet::baseline)(t, c);
    CHECK((baseline - expected).norm() <= 1e-12 * expected.norm());
    const MatrixXd sums = NormalMatrix(x, InstructionSet::baseline).feature_sums(t);
    CHECK((sums - x.transpose() * t).norm() <= 1e-12 * x.norm() * t.norm());
    for (const InstructionSet instructions : available_instruction_sets()) {
      CHECK(NormalMatrix(x, instructions)(t, c) == baseline);
      CHECK(NormalMatrix(x, instructions).feature_sums(t) == sums);
    }
  }
}

TEST_CASE("second derivatives of the terms are added to their own blocks", "[fit][multi]") {
  RandomStream random(3, "bend");
  const Index rows = 70;
  const Index features = 4;
  const MatrixXd x = random_matrix(rows, features, random);
  const MatrixXd t = random_matrix(rows, 3, random);
  const ArrayXd c = random_matrix(rows, 1, random).array().square();
  const MatrixXd bend = random_matrix(rows, 3, random);
  MatrixXd expected = by_jacobian(x, t, c);
  for (Index k = 0; k < 3; ++k)
    expected.block(k * features, k * features, features, features) +=
        x.transpose() * bend.col(k).asDiagonal() * x;
  const MatrixXd baseline = NormalMatrix(x, InstructionSet::baseline)(t, c, bend);
  CHECK((baseline - expected).norm() <= 1e-12 * expected.norm());
  for (const InstructionSet instructions : available_instruction_sets())
    CHECK(NormalMatrix(x, instructions)(t, c, bend) == baseline);
}

TEST_CASE("sums level by level are those of the contrasts", "[fit][multi]") {
  RandomStream random(2, "levels");
  // The second column is too short to be summed by levels; the third is, and has a level that no
  // row has.
  struct Column {
    Index first;
    std::size_t levels;
  };
  const Column columns[] = {{2, 12}, {13, 3}, {16, 40}};
  const Index rows = 150;
  const Index features = 57;
  MatrixXd x = random_matrix(rows, features, random);
  std::vector<NormalMatrix::Levels> levels;
  for (const auto& [first, count] : columns) {
    const MatrixXd basis = contrasts(count);
    const std::size_t met = count == 40 ? count - 1 : count;
    for (Index row = 0; row < rows; ++row)
      x.row(row).segment(first, basis.cols()) = basis.row(static_cast<Index>(random.below(met)));
    levels.emplace_back(first, basis.cols());
  }
  const MatrixXd t = random_matrix(rows, 3, random);
  const ArrayXd c = random_matrix(rows, 1, random).array().square();
  const MatrixXd expected = by_jacobian(x, t, c);
  const NormalMatrix baseline(x, InstructionSet::baseline, {}, levels);
  CHECK((baseline(t, c) - expected).norm() <= 1e-12 * expected.norm());
  CHECK((baseline.feature_sums(t) - x.transpose() * t).norm() <= 1e-12 * x.norm() * t.norm());
  for (const InstructionSet instructions : available_instruction_sets()) {
    const NormalMatrix other(x, instructions, {}, levels);
    CHECK(other(t, c) == baseline(t, c));
    CHECK(other.feature_sums(t) == baseline.feature_sums(t));
  }
}
