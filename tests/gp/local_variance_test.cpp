#include "gp/local_variance.hpp"

#include "base/random.hpp"
#include "gp/gaussian_process.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::gp;

namespace {

/// Places of one number and one column of three levels.
Inputs normal_places(Index rows, std::uint64_t seed) {
  RandomStream random(seed, "places", 0);
  Inputs out{.numbers = MatrixXd(rows, 2), .levels = Levels(rows, 1)};
  for (Index i = 0; i < rows; ++i) {
    out.numbers.row(i) << random.normal(), random.normal();
    out.levels(i, 0) = static_cast<std::uint32_t>(random.below(3));
  }
  return out;
}

/// A process of known rows, with its exact answers.
struct Known {
  Kernel kernel{.inverse_lengths = Eigen::Vector2d(1.5, 0.5),
                .shares = Eigen::Vector2d(0.1, 0.3),
                .rates = VectorXd::Constant(1, 0.2),
                .variance = 2,
                .noise = 0.05};
  CodedInputs rows;
  VectorXd noise;
  MatrixXd covariance;

  explicit Known(Index count) : rows(normal_places(count, 1)), noise(count) {
    for (Index row = 0; row < count; ++row)
      noise[row] = kernel.noise / static_cast<double>(1 + row % 3);  // of so many runs
    covariance = kernel.variance * correlations(kernel, rows, rows);
    covariance.diagonal() += noise;
  }

  MatrixXd covariances(const Inputs& places) const {
    return kernel.variance * correlations(kernel, rows, CodedInputs(places));
  }
  LocalVariance local() const { return {kernel, rows, noise}; }
};

}  // namespace

TEST_CASE("variances given the nearest rows are those given all rows, or a little larger",
          "[process]") {
  const Known known(900);
  const MatrixXd shared = known.covariances(normal_places(200, 2));
  const MatrixXd solved = known.covariance.llt().solve(shared);
  const LocalVariance local = known.local();
  double sum = 0;
  for (Index i = 0; i < shared.cols(); ++i) {
    const double exact = known.kernel.variance - shared.col(i).dot(solved.col(i));
    const double found = local.given_near(shared.col(i));
    CHECK(found > exact * (1 - 1e-9));
    sum += (found + known.kernel.noise) / (exact + known.kernel.noise) / 200;
  }
  CHECK(sum < 1.05);  // of a run, with its noise

  const VectorXd precisions = known.covariance.inverse().diagonal();
  sum = 0;
  for (Index row = 0; row < 900; row += 9) {
    const double exact = 1 / precisions[row] - known.noise[row];
    CHECK(local.left_out(row) > exact * (1 - 1e-9));
    sum += (local.left_out(row) + known.kernel.noise) / (exact + known.kernel.noise) / 100;
  }
  CHECK(sum < 1.05);
}

TEST_CASE("of fewer rows than a set holds, local variances are exact", "[process]") {
  const Known known(static_cast<Index>(LocalVariance::kRowsOfCell));
  const MatrixXd shared = known.covariances(normal_places(40, 2));
  const MatrixXd solved = known.covariance.llt().solve(shared);
  const LocalVariance local = known.local();
  for (Index i = 0; i < shared.cols(); ++i)
    CHECK(local.given_near(shared.col(i)) ==
          Catch::Approx(known.kernel.variance - shared.col(i).dot(solved.col(i))).epsilon(1e-9));
  const VectorXd precisions = known.covariance.inverse().diagonal();
  for (Index row = 0; row < known.noise.size(); ++row)
    CHECK(local.left_out(row) ==
          Catch::Approx(1 / precisions[row] - known.noise[row]).epsilon(1e-8));
}

TEST_CASE("a deviation is the same beside other rows and for any number of threads", "[process]") {
  const Known known(Predictor::kMostExact + 50);
  const Index count = known.noise.size();
  const Inputs places = normal_places(count, 1);
  const GaussianProcess process{.coordinates = {Coordinate{}, Coordinate{}},
                                .kernel = known.kernel,
                                .inputs = places,
                                .runs = known.kernel.noise / known.noise.array(),
                                .residual = places.numbers.col(0),
                                .weights = VectorXd::Zero(count)};
  Inputs asked = normal_places(60, 2);
  asked.numbers = asked.numbers.array().exp().eval();  // their logarithms are the coordinates
  const VectorXd together = Predictor(process).predicted(asked, true, 3).deviation;
  for (Index row = 59; row >= 0; row -= 7)
    CHECK(Predictor(process).predicted(take_rows(asked, std::vector{row}), true, 1).deviation[0] ==
          together[row]);
}
