#include <Eigen/Core>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "fit/fit.hpp"
#include "forms/sum_form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/reading.hpp"
#include "support/catch.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;

namespace {

test::PaperRuns lenet5_train() {
  return test::runs_of(read_csv(PERFMODEL_SOURCE_DIR "/data/lenet5_test300.csv"));
}

test::PaperRuns three_products() {
  RoleRequest request;
  request.extrinsic = {"gpus", "batch"};
  return test::runs_of(read_csv(PERFMODEL_SOURCE_DIR "/tests/data/optima/three_products.csv"),
                       request);
}

FittedModel fitted_sum(const test::PaperRuns& runs, Loss loss, std::optional<std::size_t> terms,
                       Penalty penalty = {}, std::uint64_t seed = 1) {
  FitOptions options;
  options.form = SumOptions{terms};
  options.loss = loss;
  options.penalty = penalty;
  options.seed = seed;
  return fit(runs.spec, runs.design, options);
}

/// The loss as its definition has it, from predictions alone.
double loss_of(Loss loss, const FittedModel& model, const test::PaperRuns& runs) {
  const Eigen::VectorXd predicted = predict(model, runs.design);
  double sum = 0;
  for (Eigen::Index row = 0; row < predicted.size(); ++row) {
    const double t = runs.design.time[row];
    const double y = predicted[row];
    switch (loss) {
      case Loss::mae:
        sum += std::abs(t - y);
        break;
      case Loss::mape:
        sum += std::abs(t - y) / t;
        break;
      case Loss::mse:
        sum += (t - y) * (t - y);
        break;
      case Loss::rmsle:
        sum += std::log(t / y) * std::log(t / y);
        break;
      case Loss::soft_l1:
        sum += std::hypot(std::log(t / y), 0.1) - 0.1;
        break;
      case Loss::huber: {
        const double x = std::abs(std::log(t / y));
        sum += x <= 0.001 ? x * x / 2 : 0.001 * (x - 0.0005);
        break;
      }
    }
  }
  const double mean = sum / static_cast<double>(predicted.size());
  return loss == Loss::rmsle ? std::sqrt(mean) : mean;
}

/// Sums of |x| and x^2 over the powers and the logarithms of factors around the mean of their
/// column.
std::pair<double, double> penalised_sums(const FittedModel& model) {
  const SumLayout layout(model.spec, sum_form(model).structure);
  double absolute = 0;
  double squared = 0;
  const auto add = [&](double x) {
    absolute += std::abs(x);
    squared += x * x;
  };
  const auto constant = [&](std::size_t k) {
    return model.constants[static_cast<Eigen::Index>(k)];
  };
  for (std::size_t k = 0; k < sum_form(model).structure.terms; ++k) {
    for (std::size_t i = 0; i < model.spec.intrinsic.size(); ++i)
      add(constant(layout.intrinsic_power(k, i)));
    for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j)
      add(constant(layout.extrinsic_power(k, j)));
    for (std::size_t c = 0; c < model.spec.categorical.size(); ++c) {
      const std::size_t levels = model.spec.categorical[c].levels.size();
      std::vector<double> logs;  // where the term exists
      for (std::size_t l = 0; l < levels; ++l)
        if (constant(layout.level(k, c, l)) > 0)
          logs.push_back(std::log(constant(layout.level(k, c, l))));
      const double mean =
          std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
      for (const double log : logs)
        add(log - mean);
    }
  }
  return {absolute, squared};
}

constexpr std::array kSumLosses = {Loss::mae, Loss::mape, Loss::mse, Loss::rmsle};

/// The best that tests/benchmarks/sum_optima.py found with scipy from several random starts and the
/// program's own constants: [terms - 1][loss].
using Optima = std::array<std::array<double, 4>, 3>;

/// At least half of the seeds reach them, and no search ends more than 0.1 % above: kinks make
/// optima beside each other.
void require_optima(const test::PaperRuns& runs, const Optima& best, std::uint64_t seeds) {
  for (std::size_t terms = 1; terms <= best.size(); ++terms) {
    for (std::size_t l = 0; l < kSumLosses.size(); ++l) {
      CAPTURE(terms, std::string(to_text(kSumLosses[l])));
      std::uint64_t reached = 0;
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const FittedModel model = fitted_sum(runs, kSumLosses[l], terms, {}, seed);
        CAPTURE(seed);
        reached += model.search.cost <= (1 + 1e-6) * best[terms - 1][l] ? 1U : 0U;
        CHECK(model.search.cost <= 1.001 * best[terms - 1][l]);
        CHECK(model.search.cost ==
              Catch::Approx(loss_of(kSumLosses[l], model, runs)).epsilon(1e-10));
        CHECK(model.search.gap < 1e-6);
        CHECK(model.search.objective.loss == kSumLosses[l]);
        CHECK(model.search.ridges.empty());
      }
      CHECK(2 * reached >= seeds);
    }
  }
}

}  // namespace

TEST_CASE("sums of products reach the best known optimum of every loss: simulated runs",
          "[fit][multi][whole-fits]") {
  require_optima(
      three_products(),
      {{{0.131663264120408, 0.10461246722842, 0.178237248730453, 0.145016042651779},
        {0.060657947074539, 0.067867414696224, 0.0149996433775407, 0.0876015677377075},
        {0.0491396708287234, 0.0610209814471903, 0.00950748724297661, 0.0795865383661403}}},
      4);
}

TEST_CASE("sums of products reach the best known optimum of every loss: LeNet-5",
          "[fit][multi][whole-fits]") {
  require_optima(
      lenet5_train(),
      {{{0.00194463672246306, 0.226099208022811, 8.80938241861211e-06, 0.288101759778686},
        {0.00128352116569932, 0.140739359427878, 3.76549910160817e-06, 0.186592109082804},
        {0.000919661239436803, 0.106959606451595, 1.88016891342728e-06, 0.149685155354252}}},
      1);
}

TEST_CASE("a form that is chosen gets constants for the loss that was asked for",
          "[fit][multi][whole-fits]") {
  const test::PaperRuns runs = three_products();
  std::vector<FittedModel> models;
  for (const Loss loss : kSumLosses)
    models.push_back(fitted_sum(runs, loss, std::nullopt));
  for (std::size_t own = 0; own < kSumLosses.size(); ++own) {
    CAPTURE(std::string(to_text(kSumLosses[own])));
    REQUIRE(models[own].form->name() == "multi");
    CHECK(sum_form(models[own]).structure == sum_form(models[0]).structure);
    CHECK_FALSE(models[own].search.form->given);
    CHECK(models[own].search.form->candidates > 10);
    CHECK(models[own].search.form->random_folds == 5);
    for (std::size_t other = 0; other < kSumLosses.size(); ++other) {
      if (other != own) {
        CHECK(loss_of(kSumLosses[own], models[own], runs) <
              (1 - 1e-6) * loss_of(kSumLosses[own], models[other], runs));
      }
    }
  }
}

TEST_CASE("where no loss is asked for, a chosen form minimises a soft loss and says so",
          "[fit][multi][whole-fits]") {
  FitOptions options;
  options.form = SumOptions();
  CHECK(default_loss(options) == Loss::soft_l1);
  options.form = SumOptions{2};
  CHECK(default_loss(options) == Loss::mae);
  CHECK(default_loss({}) == Loss::mae);

  const test::PaperRuns runs = three_products();
  const FittedModel model = fitted_sum(runs, Loss::soft_l1, std::nullopt);
  REQUIRE(model.search.ridges.size() == 1);
  const double ridge = model.search.ridges.front();
  CHECK(model.search.cost ==
        Catch::Approx(loss_of(Loss::soft_l1, model, runs) + ridge * penalised_sums(model).second)
            .epsilon(1e-6));
}

TEST_CASE("penalties of a sum hold its powers and factors, to the optimum",
          "[fit][multi][whole-fits]") {
  const test::PaperRuns runs = three_products();
  const double typical = std::exp(runs.design.time.array().log().mean());
  for (const Loss loss : kSumLosses) {
    const double unit = loss == Loss::mae ? typical : loss == Loss::mse ? typical * typical : 1;
    const FittedModel free = fitted_sum(runs, loss, 2);
    for (const Penalty penalty : {Penalty{.l1 = 0.02}, Penalty{.l2 = 0.02}}) {
      const auto cost = [&](const FittedModel& model) {
        const auto [absolute, squared] = penalised_sums(model);
        return loss_of(loss, model, runs) + unit * (penalty.l1 * absolute + penalty.l2 * squared);
      };
      const FittedModel held = fitted_sum(runs, loss, 2, penalty);
      CAPTURE(std::string(to_text(loss)), penalty.l1, penalty.l2);
      CHECK(held.search.cost == Catch::Approx(cost(held)).epsilon(1e-9));
      CHECK(cost(held) < cost(free));
      CHECK(loss_of(loss, held, runs) > loss_of(loss, free, runs));
      CHECK(penalised_sums(held).first < penalised_sums(free).first);
      // No power can be moved without a loss.
      const SumLayout layout(held.spec, sum_form(held).structure);
      for (const std::size_t k : {layout.intrinsic_power(0, 0), layout.extrinsic_power(1, 1)}) {
        for (const double step : {-1e-3, 1e-3}) {
          FittedModel moved = held;
          moved.constants[static_cast<Eigen::Index>(k)] += step;
          CHECK(cost(moved) > cost(held));
        }
      }
    }
  }
}

TEST_CASE("an L1 penalty takes powers that do little to exactly 0", "[fit][multi]") {
  const test::PaperRuns runs = three_products();
  for (const Loss loss : {Loss::mae, Loss::rmsle}) {
    const auto powers_of_zero = [&](double l1) {
      const FittedModel model = fitted_sum(runs, loss, 2, {.l1 = l1});
      const SumLayout layout(model.spec, sum_form(model).structure);
      std::size_t out = 0;
      for (std::size_t k = 0; k < 2; ++k)
        for (const std::size_t power : {layout.intrinsic_power(k, 0), layout.intrinsic_power(k, 1),
                                        layout.extrinsic_power(k, 0), layout.extrinsic_power(k, 1)})
          out += model.constants[static_cast<Eigen::Index>(power)] == 0 ? 1U : 0U;
      return out;
    };
    CAPTURE(std::string(to_text(loss)));
    CHECK(powers_of_zero(0) == 0);
    CHECK(powers_of_zero(0.05) >= 1);
    CHECK(powers_of_zero(10) == 8);
  }
}
