#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;
using perfmodel::to_text;

namespace {

/// Runs on 1 to 16 workers; each of 27 combinations of levels has a factor of its own.
std::string interacting_runs() {
  std::mt19937 random(7);
  const auto uniform = [&] { return static_cast<double>(random() % 10001) / 5000 - 1; };
  std::vector<double> log_factors(27);
  for (double& log_factor : log_factors)
    log_factor = uniform();
  std::string csv = "job,host,mode,workers,time_s\n";
  for (int row = 0; row < 110; ++row) {
    const std::size_t cell = random() % log_factors.size();
    const double workers = std::pow(2, random() % 5);
    csv += csv_row("j" + std::to_string(cell / 9), "h" + std::to_string(cell / 3 % 3),
                   "m" + std::to_string(cell % 3), workers,
                   std::exp(log_factors[cell] + 0.03 * uniform()) * std::pow(workers, -0.6));
  }
  return csv;
}

/// Of a batch per GPU on so many GPUs: how it uses the GPU is peculiar to its size.
double planted_time(std::size_t size, double gpus) {
  constexpr double kPeculiar[] = {1.0, 1.9, 1.2, 2.9, 1.7, 4.1};
  return 0.1 * kPeculiar[size] * std::pow(gpus, 0.2);
}

constexpr double kBatches[] = {32, 45, 64, 91, 129, 182};

/// On 1 to 8 GPUs, planned by the batch per GPU; the file has the global one.
std::string runs_by_global_batch() {
  std::mt19937 random(3);
  std::string csv = "num_gpus,global_batch,time_s\n";
  for (const double gpus : {1., 2., 3., 4., 5., 6., 7., 8.})
    for (std::size_t size = 0; size < std::size(kBatches); ++size) {
      const double noise = 0.01 * (static_cast<double>(random() % 10001) / 5000 - 1);
      csv += csv_row(gpus, gpus * kBatches[size], planted_time(size, gpus) * std::exp(noise));
    }
  return csv;
}

/// The summary says in which column of held-out errors the correction gains nothing.
void check_said_gains(const ProgramResult& fitted) {
  const nlohmann::json held_out = fitted.json()["search"]["form"]["held_out"];
  REQUIRE(held_out.size() == 3);
  const auto gains = [&](const char* column) {
    const nlohmann::json& alone = held_out[1][column];
    return !alone.is_number() || held_out[2][column].get<double>() <= 0.99 * alone.get<double>();
  };
  const bool within = gains("random");
  const bool beyond = gains("far_ends");
  CAPTURE(fitted.errors);
  CHECK_THAT(fitted.errors, ContainsSubstring("judge predictions within the measured ranges by the "
                                              "first column, those of larger values by the "
                                              "second\n"));
  const std::string said = "the correction gains nothing in ";
  if (within && beyond)
    CHECK_THAT(fitted.errors, !ContainsSubstring(said));
  else
    CHECK_THAT(fitted.errors,
               ContainsSubstring(said +
                                 (within   ? "the second"
                                  : beyond ? "the first"
                                           : "either") +
                                 " column; --residual none chooses a formula without it\n"));
}

class AutoTest : public ProgramTest {
 public:
  AutoTest() {
    write("runs.csv", interacting_runs());
    write("by_total.csv", runs_by_global_batch());
  }
  ProgramResult fit(const Words& further) const {
    return run({"fit", "runs.csv", "--expression", "auto"}, further);
  }
  ProgramResult fit_totals(const Words& further) const {
    return run({"fit", "by_total.csv", "--extrinsic", "global_batch,num_gpus"}, further);
  }
};

}  // namespace

TEST_CASE_METHOD(AutoTest, "fit --expression auto takes a process where it predicts better",
                 "[cli][auto][report]") {
  const ProgramResult result = fit({}).succeeded();
  const nlohmann::json model = result.json();
  CHECK(model["expression"]["form"] == "process");
  CHECK(model["schema_version"] == 2);
  const nlohmann::json& form = model["search"]["form"];
  CHECK(form["chosen_by"] == "cross-validation");
  REQUIRE(form["held_out"].size() == 3);
  CHECK(form["held_out"][0]["form"] == "generic");
  CHECK(form["held_out"][1]["form"] == "multi");
  CHECK(form["held_out"][2]["form"] == "process");
  CHECK(form["held_out"][2]["random"] < form["held_out"][1]["random"]);
  check_said_gains(result);
  check_said_gains(run({"fit", "by_total.csv", "--expression", "auto"}).succeeded());

  const nlohmann::json without = fit({"--residual", "none"}).json();
  CHECK(without["expression"]["form"] != "process");
  CHECK(without["search"]["form"]["candidates"] < form["candidates"]);
  CHECK_FALSE(without["search"]["form"].contains("held_out"));

  // The page headlines the error on held-out runs where it is known.
  write("model.json", result.output);
  const double held_out = 100 * form["held_out"][2]["random"].get<double>();
  const double fitted = model["metrics"]["train"]["mape_percent"];
  CHECK(fitted < 0.8 * held_out);  // of runs that each cell of levels has four of
  CHECK_THAT(
      run({"report", "model.json", "runs.csv", "--format", "md"}).output,
      ContainsSubstring(perfmodel::percent(held_out) + " off\n- on runs held out at random\n- " +
                        perfmodel::percent(fitted) +
                        " mean error of these runs (MAPE), which the model was fitted to\n"));
}

TEST_CASE_METHOD(AutoTest, "auto counts a total by what each worker has where that was set",
                 "[cli][auto][scaling]") {
  CHECK_THAT(fit_totals({"--expression", "auto", "-o", "by_worker.json"}).succeeded().errors,
             ContainsSubstring("Column 'global_batch' counts per 'num_gpus'"));
  for (const double gpus : {16., 32., 64.})
    for (std::size_t size = 0; size < std::size(kBatches); ++size) {
      const ProgramResult far = run({"predict", "by_worker.json", "--quiet"},
                                    {"--set", "num_gpus=" + to_text(gpus), "--set",
                                     "global_batch=" + to_text(gpus * kBatches[size])})
                                    .succeeded();
      CAPTURE(gpus, kBatches[size], far.output);
      const double told = std::stod(far.output);
      // The law of the GPUs is told to a percent, and they are eight times as many.
      CHECK(std::abs(std::log(told / planted_time(size, gpus))) < 0.1);
    }

  // Errors name the total.
  CHECK_THAT(run({"predict", "by_worker.json", "--set", "global_batch=0", "num_gpus=2"}).failed(2),
             ContainsSubstring("--set 'global_batch=0 num_gpus=2': 'global_batch_per_num_gpus = "
                               "global_batch / num_gpus' is 0 there, not > 0"));
  CHECK_THAT(run({"predict", "by_worker.json", "--set", "global_batch=64,-8"}).failed(2),
             ContainsSubstring("--set 'global_batch=-8': "));
  // As a scale it has neither range nor power.
  CHECK_THAT(run({"scaling", "by_worker.json", "--column", "global_batch"}).failed(2),
             ContainsSubstring("the model counts 'global_batch' in "
                               "'global_batch_per_num_gpus = global_batch / num_gpus'") &&
                 ContainsSubstring("those are 'num_gpus'") && ContainsSubstring("--keep-totals"));
  // A total that stays is no work that grows.
  const Words scaling = {"scaling", "by_worker.json", "--column", "num_gpus"};
  CHECK_THAT(run(scaling, {"--kind", "weak"}).succeeded().errors,
             ContainsSubstring("'global_batch' is of all workers and stays the same") &&
                 ContainsSubstring("Leave --kind out"));
  CHECK_THAT(run(scaling, {"--kind", "strong"}).succeeded().errors,
             !ContainsSubstring("of all workers"));
  const nlohmann::json study =
      run(scaling, {"--set", "global_batch=182", "--at", "1,4", "--format", "json"}).json();
  CHECK(study["kind"] == "strong");
  CHECK(study["kind_because"] == "'global_batch' is of all workers and stays the same");
  // 182 on one GPU and 45.5 on each of four.
  CHECK(std::abs(study["rows"][1]["speedup"].get<double>() /
                     (planted_time(5, 1) / planted_time(1, 4)) -
                 1) < 0.1);
}

TEST_CASE_METHOD(AutoTest, "a total stays an input in other forms and where a flag says so",
                 "[cli][auto]") {
  for (const Words& other : {Words{}, Words{"--expression", "multi", "--terms", "1"},
                             Words{"--expression", "auto", "--keep-totals"}}) {
    const ProgramResult as_given = fit_totals(other).succeeded();
    CHECK_THAT(as_given.errors, !ContainsSubstring("counts per"));
    CHECK(as_given.json()["scaling_powers"].contains("global_batch"));
  }
  CHECK_THAT(fit_totals({"--keep-totals"}).failed(2),
             ContainsSubstring("--keep-totals needs --expression auto"));
}

TEST_CASE_METHOD(AutoTest,
                 "an objective given to auto leaves processes out, and the output says so",
                 "[cli][auto][whole-fits]") {
  const std::string notice = "No form with a residual correction is tried";
  for (const Words& option : {Words{"--loss", "mape"}, Words{"--l2", "0.001"}}) {
    CAPTURE(option.front());
    const ProgramResult result = fit(option).succeeded();
    CHECK(result.json()["expression"]["form"] != "process");
    CHECK_THAT(result.errors, ContainsSubstring(notice));
    CHECK_THAT(fit({option[0], option[1], "--residual", "none"}).errors,
               !ContainsSubstring(notice));
  }
}

TEST_CASE_METHOD(AutoTest, "options that mean nothing beside auto are refused", "[cli][auto]") {
  CHECK_THAT(
      fit({"--terms", "3"}).refused(),
      ContainsSubstring(
          "--terms 3 cannot be combined with --expression auto: auto chooses the terms, too"));
  CHECK_THAT(fit({"--method", "paper"}).refused(),
             ContainsSubstring("--method cannot be combined with --expression auto: sums have a "
                               "search of their own, which takes --loss, --l1,"));
  CHECK_THAT(fit({"--residual", "process", "--loss", "mape"}).refused(),
             ContainsSubstring("--loss cannot be combined with --residual process"));
  CHECK_THAT(fit({"--repeats", "3"}).refused(),
             ContainsSubstring(
                 "--repeats 3 cannot be combined with --expression auto if it may add a residual "
                 "correction: add --residual none"));
  CHECK_THAT(run({"sweep", "runs.csv", "--expression", "auto"}).refused(),
             ContainsSubstring("--expression: 'auto' is not one of 'generic' and 'multi'"));
}

// The sum of two columns with a logarithm in the second, of which the first term alone is a
// candidate as well.
TEST_CASE_METHOD(ProgramTest,
                 "auto judges the first term of a sum whose later term has a logarithm",
                 "[cli][auto]") {
  write("runs.csv",
        "gpus,batch_size,time_s\n32,256,1.19406\n2,16,0.136669\n4,64,0.388795\n"
        "16,64,0.394972\n1,128,0.617752\n8,32,0.208789\n4,32,0.206966\n8,128,0.681917\n"
        "2,256,1.04223\n2,8,0.0706895\n4,32,0.203943\n4,8,0.0733575\n");
  const auto model = model_of({"runs.csv", "--expression", "auto"});
  CHECK(model["metrics"]["train"]["mape_percent"] < 10);  // the noise of these times is 5 %
}

TEST_CASE_METHOD(
    ProgramTest,
    "a form without a time for some run is not chosen, and times that jump at random can be fitted",
    "[cli][auto]") {
  // Times of 1 and 1000 by chance: here a logarithm of a column that counts from 1, which is 0
  // there, is as good as any other form in the folds.
  std::uint32_t state = 25;
  const auto below = [&](std::uint32_t most) {
    state = (state * 1103515245U + 12345U) & 0x7fffffffU;
    return (state >> 16U) % most;
  };
  std::string csv = "gpus,size,depth,time_s\n";
  for (int row = 0; row < 50; ++row) {
    for (const std::uint32_t most : {8U, 1000U, 4U})
      csv += std::to_string(1 + below(most)) + ",";
    csv += below(2) == 0 ? "1\n" : "1000\n";
  }
  write("runs.csv", csv);
  for (const Words& form :
       {Words{"multi"}, Words{"multi", "--residual", "process"}, Words{"auto"}}) {
    CAPTURE(form);
    Words call{"runs.csv", "--target", "time_s", "--extrinsic", "none", "--expression"};
    call.insert(call.end(), form.begin(), form.end());
    const nlohmann::json model = model_of(call);
    // As all predictions between 1 and 1000 are.
    CHECK(model["metrics"]["train"]["rmse"] < 1000);
  }
}

TEST_CASE_METHOD(ProgramTest, "a correction that held-out runs refute is left out", "[auto]") {
  // One run of eight took a hundred times too long: the correction spreads it over all others.
  const std::string column = GENERATE("n", "workers");
  std::string csv = column + ",time_s\n";
  for (int n = 10; n <= 80; n += 10)
    csv += csv_row(n, n == 40 ? "400" : to_text(n / 10.0));
  write("runs.csv", csv);
  CHECK_THAT(
      run({"fit", "runs.csv", "--expression", "auto", "-o", "model.json"}).succeeded().errors,
      ContainsSubstring("the correction is left out: with it, held-out runs "
                        "are predicted no better"));
  const ProgramResult predicted =
      run({"predict", "model.json", "--quiet", "--set", column + "=70"});
  CHECK(std::stod(predicted.output) == Catch::Approx(7).epsilon(0.05));
}
