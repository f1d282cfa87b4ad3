#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "forms/sum_form.hpp"
#include "sums/identify_sum.hpp"
#include "support/catch.hpp"
#include "support/sum_runs.hpp"
#include "trust/resampling.hpp"

using namespace perfmodel;
using Eigen::ArrayXd;
using Eigen::Index;

namespace {

constexpr double kGrowthNoise = 0.03;
constexpr std::size_t kGrowthSamples = 30;

/// Two products of filters, activation, gpus and batch_size and a C, as if they had been fitted to
/// 300 noisy runs.
struct FittedGrowth {
  test::SumRuns runs;
  FittedModel model;
  SumLayout layout;

  Index at(std::size_t constant) const { return static_cast<Index>(constant); }
};

/// a | p[filters] | relu, tanh | q[gpus], q[batch_size], twice, and C.
FittedGrowth fitted_growth(const SumStructure& structure, const std::vector<double>& constants,
                           const SumEstimate& estimate) {
  test::SumRuns runs = test::sum_runs(300, 0, 1);
  FittedModel model = runs.truth;
  own_sum_form(model).structure = structure;
  own_sum_form(model).estimate = estimate;
  model.constants =
      Eigen::Map<const Eigen::VectorXd>(constants.data(), static_cast<Index>(constants.size()));
  runs.design.time = predict(model, runs.design);
  RandomStream random(7, "noise of growths");
  for (double& time : runs.design.time)
    time *= std::exp(kGrowthNoise * random.normal());
  const SumLayout layout(model.spec, structure);
  return {std::move(runs), std::move(model), layout};
}

ArrayXd samples_of(const BootstrapSamples& samples, std::size_t constant) {
  return samples.constants.row(static_cast<Index>(constant)).array();
}

/// Whether samples differ, and lie about the planted constant: 30 samples of a constant that is
/// determined to a tenth leave no other centre.
void check_samples(const BootstrapSamples& samples, const FittedGrowth& growth,
                   std::size_t constant) {
  CAPTURE(growth.layout.name(constant));
  const double planted = growth.model.constants[growth.at(constant)];
  const ArrayXd all = samples_of(samples, constant);
  CHECK(all.maxCoeff() > all.minCoeff());
  CHECK(std::abs(all.mean() - planted) < 0.15 * std::max(1.0, std::abs(planted)));
}

}  // namespace

TEST_CASE("constants of rings are identified and sampled", "[fit][multi]") {
  const SumStructure structure{
      .terms = 2, .step_factors = {}, .features = {{{.saturates = true}}, {{.saturates = true}}}};
  const FittedGrowth growth = fitted_growth(
      structure, {2e-4, 1.5, 1, 1.5, -3, 1, 0.02, 0.3, 1, 1, 2, 0, 0}, {.intercept = false});
  const Findings found = identify_sum(growth.model, growth.runs.design, {}).value();
  const SumLayout& layout = growth.layout;
  for (const std::size_t term : {0U, 1U})
    CHECK(found.identifiability.constants[layout.extrinsic_power(term, 0)]);
  const BootstrapSamples samples = bootstrap(growth.model, growth.runs.design, {}, kGrowthSamples);
  REQUIRE(samples.constants.allFinite());
  check_samples(samples, growth, layout.extrinsic_power(0, 0));
  check_samples(samples, growth, layout.extrinsic_power(1, 0));

  // The same runs under powers of the gpus themselves are fitted worse, so the saturation is in
  // use.
  FittedModel plain = growth.model;
  own_sum_form(plain).structure.features.clear();
  const BootstrapSamples of_powers = bootstrap(plain, growth.runs.design, {}, kGrowthSamples);
  CHECK(std::abs(samples_of(of_powers, layout.extrinsic_power(0, 0)).mean() + 3) > 0.6);
}

TEST_CASE("a power that terms share is one in every sample", "[fit][multi]") {
  const SumStructure structure{.terms = 2, .step_factors = {}};
  const FittedGrowth growth =
      fitted_growth(structure, {2e-4, 1.5, 1, 1.5, -0.7, 1, 0.02, 0.3, 1, 1, -0.7, 0, 0},
                    {.intercept = false, .shared = {0}});
  const SumLayout& layout = growth.layout;
  const Findings found = identify_sum(growth.model, growth.runs.design, {}).value();
  CHECK(found.identifiability.constants[layout.extrinsic_power(0, 0)]);
  CHECK(found.identifiability.constants[layout.extrinsic_power(1, 0)]);
  const BootstrapSamples samples = bootstrap(growth.model, growth.runs.design, {}, kGrowthSamples);
  check_samples(samples, growth, layout.extrinsic_power(0, 0));
  CHECK((samples_of(samples, layout.extrinsic_power(0, 0)) ==
         samples_of(samples, layout.extrinsic_power(1, 0)))
            .all());
}

TEST_CASE("a term that is taken away is so in every sample", "[fit][multi]") {
  const SumStructure structure{.terms = 2, .step_factors = {}};
  const FittedGrowth growth = fitted_growth(
      structure, {2e-4, 1.5, 1, 1.5, -1, 1, -0.02, 0.3, 1, 1, 0.5, 0, 0.4}, {.intercept = true});
  const SumLayout& layout = growth.layout;
  const Findings found = identify_sum(growth.model, growth.runs.design, {}).value();
  CHECK(found.identifiability.constants[layout.intercept()]);
  CHECK(found.identifiability.constants[layout.extrinsic_power(0, 0)]);
  const BootstrapSamples samples = bootstrap(growth.model, growth.runs.design, {}, kGrowthSamples);
  REQUIRE(samples.constants.allFinite());
  CHECK((samples_of(samples, layout.coefficient(1)) < 0).all());
  CHECK((samples_of(samples, layout.coefficient(0)) > 0).all());
  check_samples(samples, growth, layout.extrinsic_power(0, 0));
  check_samples(samples, growth, layout.intercept());
}
