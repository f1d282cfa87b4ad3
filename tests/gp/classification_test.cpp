#include "gp/classification.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "support/catch.hpp"

using namespace perfmodel;
using namespace perfmodel::gp;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

struct EndedRuns {
  Inputs inputs;
  std::vector<bool> fails;

  double share() const {
    return static_cast<double>(std::ranges::count(fails, true)) / static_cast<double>(fails.size());
  }
};

/// Runs fail if the product of two numbers exceeds a limit, on one of two devices a lower one; a
/// third number does nothing.
EndedRuns planted_failures(Index rows, std::uint64_t seed) {
  RandomStream random(seed);
  EndedRuns out{.inputs = {.numbers = MatrixXd(rows, 3), .levels = Levels(rows, 1)}, .fails = {}};
  for (Index i = 0; i < rows; ++i) {
    out.inputs.numbers.row(i) << std::exp2(random.below(8)), std::exp(random.uniform(0, 5)),
        random.uniform(1, 100);
    out.inputs.levels(i, 0) = static_cast<std::uint32_t>(random.below(2));
    const double limit = out.inputs.levels(i, 0) == 0 ? 800 : 300;
    out.fails.push_back(out.inputs.numbers(i, 0) * out.inputs.numbers(i, 1) > limit);
  }
  return out;
}

double normal_cdf(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

// An oracle without the blocked algorithms, derivatives and merged rows of the program. Its rows
// are the runs one by one.

constexpr double kOfConstant = 10;

MatrixXd oracle_covariance(const Kernel& kernel, const Inputs& a, const Inputs& b) {
  MatrixXd out(a.rows(), b.rows());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index k = 0; k < b.rows(); ++k) {
      double correlation = 1;
      for (Index j = 0; j < a.numbers.cols(); ++j) {
        const double far = std::sqrt(5.0) * kernel.inverse_lengths[j] *
                           std::abs(a.numbers(i, j) - b.numbers(k, j));
        correlation *=
            kernel.shares[j] + (1 - kernel.shares[j]) * (1 + far + far * far / 3) * std::exp(-far);
      }
      for (Index j = 0; j < a.levels.cols(); ++j)
        correlation *= a.levels(i, j) == b.levels(k, j) ? 1 : std::exp(-kernel.rates[j]);
      out(i, k) = kernel.variance * correlation + kOfConstant;
    }
  return out;
}

struct OracleMode {
  VectorXd f;
  VectorXd slopes;
  VectorXd curvatures;
  double log_marginal = 0;
};

/// Newton's method on -f'K^-1 f / 2 + sum ln Phi(y f), and Laplace's approximation of the marginal
/// likelihood there: Rasmussen and Williams 2006, eq. 3.12 to 3.18 and 3.32, as they stand.
OracleMode oracle_mode(const MatrixXd& covariance, const std::vector<bool>& fails) {
  const Index n = covariance.rows();
  OracleMode out{.f = VectorXd::Zero(n), .slopes = VectorXd(n), .curvatures = VectorXd(n)};
  VectorXd weights = VectorXd::Zero(n);  // K^-1 f
  double log_likelihood = 0;
  MatrixXd b;
  for (int step = 0; step < 100; ++step) {
    log_likelihood = 0;
    for (Index i = 0; i < n; ++i) {
      const double y = fails[static_cast<std::size_t>(i)] ? 1 : -1;
      const double z = y * out.f[i];
      const double ratio = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi) / normal_cdf(z);
      out.slopes[i] = y * ratio;
      out.curvatures[i] = ratio * (ratio + z);
      log_likelihood += std::log(normal_cdf(z));
    }
    b = MatrixXd::Identity(n, n) + out.curvatures.asDiagonal() * covariance;
    const VectorXd to =
        b.partialPivLu().solve(VectorXd(out.curvatures.cwiseProduct(out.f) + out.slopes));
    weights += 0.7 * (to - weights);
    out.f = covariance * weights;
  }
  out.log_marginal = log_likelihood - out.f.dot(weights) / 2 - std::log(b.determinant()) / 2;
  return out;
}

/// The negative log posterior of the kernel: its priors are those of a residual correction, but
/// that of the variance.
double oracle_cost(const Kernel& kernel, const Inputs& coordinates,
                   const std::vector<bool>& fails) {
  const auto off = [](double value, double mean, double deviation) {
    return (value - mean) * (value - mean) / (2 * deviation * deviation);
  };
  double prior = off(std::log(kernel.variance), std::log(4.0), 1);
  for (Index j = 0; j < kernel.shares.size(); ++j)
    prior += off(std::log(kernel.inverse_lengths[j]), std::log(0.05), 3) +
             off(std::log(kernel.shares[j] / (1 - kernel.shares[j])), 0, 2);
  for (const double rate : kernel.rates)
    prior += off(std::log(rate), std::log(0.03), 3);
  return prior -
         oracle_mode(oracle_covariance(kernel, coordinates, coordinates), fails).log_marginal;
}

}  // namespace

TEST_CASE("a classification is the mode of Laplace's posterior by an oracle", "[process]") {
  const EndedRuns runs = planted_failures(45, 3);
  const Classification found = classify(runs.inputs, runs.fails, {});
  const Inputs coordinates = placed(runs.inputs, found.coordinates);
  const double best = oracle_cost(found.kernel, coordinates, runs.fails);
  // The search ends where it gains less than 1e-5 of the cost.
  const auto check = [&](double Kernel::*member, VectorXd Kernel::*members, Index j) {
    for (const double factor : {0.8, 1.25}) {
      Kernel other = found.kernel;
      if (members == nullptr)
        other.*member *= factor;
      else if (members == &Kernel::shares)
        other.shares[j] = 1 / (1 + factor * (1 / other.shares[j] - 1));
      else
        (other.*members)[j] *= factor;
      CHECK(oracle_cost(other, coordinates, runs.fails) > best - 1e-3 * std::abs(best));
    }
  };
  check(&Kernel::variance, nullptr, 0);
  for (Index j = 0; j < 3; ++j) {
    check(nullptr, &Kernel::inverse_lengths, j);
    check(nullptr, &Kernel::shares, j);
  }
  check(nullptr, &Kernel::rates, 0);
}

TEST_CASE("probabilities of failing are those of an oracle", "[process]") {
  const EndedRuns runs = planted_failures(60, 5);
  const EndedRuns others = planted_failures(20, 6);
  const Classification found = classify(runs.inputs, runs.fails, {});
  const Inputs known = placed(runs.inputs, found.coordinates);
  const Inputs asked = placed(others.inputs, found.coordinates);
  const MatrixXd covariance = oracle_covariance(found.kernel, known, known);
  const OracleMode mode = oracle_mode(covariance, runs.fails);
  const MatrixXd shared = oracle_covariance(found.kernel, known, asked);
  const MatrixXd with_noise = covariance + MatrixXd(mode.curvatures.cwiseInverse().asDiagonal());
  const MatrixXd weights = with_noise.ldlt().solve(shared);
  const VectorXd p = Classifier(found).probabilities(others.inputs, 1);
  for (Index row = 0; row < 20; ++row) {
    const double variance =
        found.kernel.variance + kOfConstant - shared.col(row).dot(weights.col(row));
    const double mean = shared.col(row).dot(mode.slopes);
    CHECK(p[row] == Catch::Approx(normal_cdf(mean / std::sqrt(1 + variance))).epsilon(1e-6));
  }
}

TEST_CASE("where all runs are of one configuration, P(fails) is that of exact integration",
          "[process]") {
  const Index runs = 30;
  EndedRuns same{.inputs = {.numbers = MatrixXd::Constant(runs, 1, 8), .levels = Levels(runs, 0)},
                 .fails = {}};
  for (Index run = 0; run < runs; ++run)
    same.fails.push_back(run % 3 == 0);
  const Classification found = classify(same.inputs, same.fails, {});
  CHECK(found.slopes.size() == 1);
  const double variance = found.kernel.variance + kOfConstant;
  double mass = 0;
  double mean = 0;
  for (double f = -10; f <= 10; f += 1e-3) {
    const double density = std::exp(-f * f / (2 * variance)) * std::pow(normal_cdf(f), 10) *
                           std::pow(normal_cdf(-f), 20);
    mass += density;
    mean += density * normal_cdf(f);
  }
  // A posterior of thirty runs is close to normal.
  CHECK(Classifier(found).probabilities(same.inputs, 1)[0] ==
        Catch::Approx(mean / mass).margin(0.003));
}

TEST_CASE("a planted rule of failing is found, and its probabilities are calibrated", "[process]") {
  const EndedRuns runs = planted_failures(300, 1);
  const EndedRuns others = planted_failures(1000, 2);
  const Classification found = classify(runs.inputs, runs.fails, {});
  const Classifier classifier(found);
  const VectorXd p = classifier.probabilities(others.inputs, 1);
  std::size_t right = 0;
  for (Index row = 0; row < p.size(); ++row)
    right += (p[row] > 0.5) == others.fails[static_cast<std::size_t>(row)] ? 1U : 0U;
  CHECK(right > 960);
  // Two standard errors of the share, and what 300 runs leave uncertain.
  CHECK(p.mean() == Catch::Approx(others.share()).margin(0.03));
  // What does nothing is hardly correlated with failing, which the sparse prior shows.
  CHECK(found.kernel.inverse_lengths[2] < 0.2 * found.kernel.inverse_lengths[1]);
}

TEST_CASE("P(fails) depends on neither the order of the runs, nor units, nor threads",
          "[process]") {
  const EndedRuns runs = planted_failures(120, 7);
  const EndedRuns others = planted_failures(300, 8);
  const VectorXd p =
      Classifier(classify(runs.inputs, runs.fails, {})).probabilities(others.inputs, 1);
  std::vector<Index> order(runs.fails.size());
  std::iota(order.begin(), order.end(), Index{0});
  RandomStream(9).shuffle(std::span<Index>(order));
  EndedRuns shuffled{.inputs = take_rows(runs.inputs, order), .fails = {}};
  for (const Index row : order)
    shuffled.fails.push_back(runs.fails[static_cast<std::size_t>(row)]);
  const Classifier again(classify(shuffled.inputs, shuffled.fails, {.threads = 3}));
  CHECK(again.probabilities(others.inputs, 3) == p);

  const VectorXd scale = VectorXd{{1000, 1.0 / 60, 7}};
  EndedRuns scaled = runs;
  scaled.inputs.numbers = runs.inputs.numbers * scale.asDiagonal();
  Inputs asked = others.inputs;
  asked.numbers = others.inputs.numbers * scale.asDiagonal();
  const VectorXd in_other_units =
      Classifier(classify(scaled.inputs, scaled.fails, {})).probabilities(asked, 1);
  CHECK((in_other_units - p).lpNorm<Eigen::Infinity>() < 1e-6);
  // Of a single row, which is no whole block.
  const Inputs one = take_rows(others.inputs, std::vector<Index>{137});
  CHECK(again.probabilities(one, 1)[0] == p[137]);
}

TEST_CASE("runs that are drawn for a classification do not change how many are expected to fail",
          "[process]") {
  const EndedRuns runs = planted_failures(3000, 11);
  const EndedRuns others = planted_failures(1000, 12);
  const Classification found = classify(runs.inputs, runs.fails, {.rows = 240, .seed = 4});
  CHECK(found.slopes.size() <= 240);
  // 120 of each kind are drawn.
  CHECK(found.drawn == Catch::Approx(runs.share() / (1 - runs.share())));
  const Classifier classifier(found);
  const VectorXd p = classifier.probabilities(others.inputs, 1);
  CHECK(p.mean() == Catch::Approx(others.share()).margin(0.03));
}
