#include "search/search_space.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/sum_form.hpp"
#include "support/catch.hpp"

using namespace perfmodel;

namespace {

constexpr std::size_t kLevels = 300;
constexpr std::size_t kRowsPerLevel = 7;

/// One categorical column; the best prediction of a level's rows is a single number.
struct ManyLevelRuns {
  ModelSpec spec;
  Design design;
};

ManyLevelRuns level_runs(double noise = 0.3) {
  RandomStream random(3, "many levels");
  ManyLevelRuns out;
  out.spec.target = "time_s";
  out.spec.categorical.push_back({"host", {}});
  out.design.rows = kLevels * kRowsPerLevel;
  out.design.time.resize(static_cast<Eigen::Index>(out.design.rows));
  LevelFactor factor{.levels = kLevels, .codes = {}};
  for (std::size_t l = 0; l < kLevels; ++l)
    out.spec.categorical[0].levels.push_back("h" + std::to_string(l));
  for (std::size_t row = 0; row < out.design.rows; ++row) {
    const std::size_t level = row % kLevels;
    factor.codes.push_back(static_cast<std::uint32_t>(level));
    out.design.time[static_cast<Eigen::Index>(row)] =
        (1 + 0.01 * static_cast<double>(level)) * std::exp(noise * random.normal());
  }
  out.design.categorical.push_back(std::move(factor));
  return out;
}

std::vector<std::vector<double>> times_by_level(const Design& design) {
  std::vector<std::vector<double>> out(kLevels);
  for (std::size_t row = 0; row < design.rows; ++row)
    out[design.categorical[0].codes[row]].push_back(design.time[static_cast<Eigen::Index>(row)]);
  for (std::vector<double>& times : out)
    std::sort(times.begin(), times.end());
  return out;
}

/// Of the best prediction of each level; 1 / t as weight gives the mape.
double best_absolute(const std::vector<std::vector<double>>& levels, bool relative) {
  double sum = 0;
  for (const std::vector<double>& times : levels) {
    double least = 1e300;
    for (const double prediction : times) {  // a weighted median is one of them
      double cost = 0;
      for (const double t : times)
        cost += std::abs(t - prediction) / (relative ? t : 1);
      least = std::min(least, cost);
    }
    sum += least;
  }
  return sum / (kLevels * kRowsPerLevel);
}

double mean_scatter(const std::vector<std::vector<double>>& levels, bool logarithmic) {
  double sum = 0;
  for (const std::vector<double>& times : levels) {
    double mean = 0;
    for (const double t : times)
      mean += (logarithmic ? std::log(t) : t) / kRowsPerLevel;
    for (const double t : times)
      sum += std::pow((logarithmic ? std::log(t) : t) - mean, 2);
  }
  return sum / (kLevels * kRowsPerLevel);
}

FitOptions options_for(Loss loss) {
  FitOptions options;
  options.loss = loss;
  return options;
}

}  // namespace

TEST_CASE("hundreds of levels are fitted to their medians, means and geometric means", "[fit]") {
  const ManyLevelRuns runs = level_runs();
  const auto levels = times_by_level(runs.design);
  const auto cost = [&](Loss loss) {
    return fit(runs.spec, runs.design, options_for(loss)).search.cost;
  };
  CHECK(cost(Loss::mae) == Catch::Approx(best_absolute(levels, false)).epsilon(1e-10));
  CHECK(cost(Loss::mape) == Catch::Approx(best_absolute(levels, true)).epsilon(1e-10));
  CHECK(cost(Loss::mse) == Catch::Approx(mean_scatter(levels, false)).epsilon(1e-10));
  CHECK(cost(Loss::rmsle) == Catch::Approx(std::sqrt(mean_scatter(levels, true))).epsilon(1e-8));
}

TEST_CASE("a search among hundreds of levels has the dimensions of their groups", "[fit]") {
  const ManyLevelRuns runs = level_runs();
  const FittedModel model = fit(runs.spec, runs.design, options_for(Loss::mae));
  CHECK(model.search.population < kLevels);
  CHECK(model.search.gap < 1e-9);
}

TEST_CASE("beside a constant only the differences of hundreds of levels are determined", "[fit]") {
  const ManyLevelRuns runs = level_runs(0.05);
  const FittedModel model = fit(runs.spec, runs.design, options_for(Loss::mse));
  REQUIRE(model.known.identifiability);
  CHECK(std::none_of(model.known.identifiability->constants.begin(),
                     model.known.identifiability->constants.end() - 1,
                     [](bool known) { return known; }));
  CHECK(std::count(model.known.identifiability->differences.begin(),
                   model.known.identifiability->differences.end(), true) == kLevels);
  const auto says_so = [](const Warning& warning) {
    return warning.message.starts_with("only differences between the levels of 'host'");
  };
  CHECK(std::count_if(model.warnings.begin(), model.warnings.end(), says_so) == 1);
}

TEST_CASE("threads do not change a fit of many levels", "[fit]") {
  const ManyLevelRuns runs = level_runs();
  FitOptions options = options_for(Loss::mae);
  const FittedModel one = fit(runs.spec, runs.design, options);
  options.threads = 2;
  CHECK(fit(runs.spec, runs.design, options).constants == one.constants);
}

TEST_CASE("planted factors of two columns of many levels are recovered", "[fit][multi]") {
  constexpr std::size_t levels = 60;
  constexpr double power = -0.7;
  constexpr double intercept = 0.5;
  RandomStream random(5, "planted factors");
  ModelSpec spec;
  Design design;
  design.rows = 20 * levels;
  design.time.resize(20 * levels);
  spec.target = "time_s";
  spec.extrinsic.push_back({.column = "workers", .low = 1, .high = 8});
  design.extrinsic.push_back({.values = {1, 2, 4, 8}, .codes = {}});
  std::vector<Eigen::VectorXd> factors;
  for (const char* const column : {"host", "model"}) {
    spec.categorical.push_back({column, {}});
    design.categorical.push_back({.levels = levels, .codes = {}});
    factors.emplace_back(levels);
    for (std::size_t l = 0; l < levels; ++l) {
      spec.categorical.back().levels.push_back(column + std::to_string(l));
      factors.back()[index(l)] = std::exp(0.5 * random.normal());
    }
  }
  for (std::size_t row = 0; row < design.rows; ++row) {
    const std::size_t host = row % levels;
    const std::size_t model = row / levels * 7 % levels + row % 3;
    design.categorical[0].codes.push_back(static_cast<std::uint32_t>(host));
    design.categorical[1].codes.push_back(static_cast<std::uint32_t>((model + host) % levels));
    design.extrinsic[0].codes.push_back(static_cast<std::uint32_t>(random.below(4)));
    const double product = 2 * factors[0][index(host)] *
                           factors[1][index((model + host) % levels)] *
                           std::pow(design.extrinsic[0].value(row), power);
    design.time[index(row)] = (product + intercept) * std::exp(0.01 * random.normal());
  }
  for (const Loss loss : {Loss::mae, Loss::mse}) {
    CAPTURE(static_cast<int>(loss));
    FitOptions options = options_for(loss);
    options.form = SumOptions{1};
    const FittedModel model = fit(spec, design, options);
    const SumLayout layout(model.spec, sum_form(model).structure);
    CHECK(model.constants[index(layout.extrinsic_power(0, 0))] ==
          Catch::Approx(power).margin(0.02));
    CHECK(model.constants[index(layout.intercept())] == Catch::Approx(intercept).epsilon(0.05));
    for (std::size_t c = 0; c < 2; ++c) {
      const Eigen::VectorXd fitted = model.constants.segment(index(layout.level(0, c, 0)), levels);
      CHECK((fitted / fitted[0] - factors[c] / factors[c][0])
                .cwiseQuotient(factors[c] / factors[c][0])
                .lpNorm<Eigen::Infinity>() < 0.05);
    }
  }
}

TEST_CASE("a sum of more constants than can be fitted is refused", "[fit][multi]") {
  const ManyLevelRuns runs = level_runs();
  FitOptions options;
  options.form = SumOptions{8};
  CHECK_THROWS_WITH(fit(runs.spec, runs.design, options),
                    "a sum of 8 terms would have 2401 constants here, and at most 2100 can be "
                    "fitted together: use --expression generic, or leave out 'host', which has 300 "
                    "levels");
}

TEST_CASE("a sum of many levels that is stopped is there without a look at its constants",
          "[fit][multi]") {
  const ManyLevelRuns runs = level_runs();
  std::stop_source stop;
  stop.request_stop();
  FitOptions options;
  options.stop = stop.get_token();
  for (const std::optional<std::size_t> terms : {std::optional<std::size_t>{}, {3}}) {
    options.form = SumOptions{terms};
    const FittedModel model = fit(runs.spec, runs.design, options);
    CHECK(model.search.termination == "interrupted");
    CHECK(model.search.evaluations <= 1);
    CHECK_FALSE(model.known.identifiability.has_value());
    CHECK(model.constants.allFinite());
  }
}
