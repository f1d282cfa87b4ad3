// What fit says of the next step, and that what it says to paste does it.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "support/program_fixture.hpp"
#include "support/runs_text.hpp"

using namespace perfmodel::test;
using Catch::Matchers::ContainsSubstring;

namespace {

using Law = std::function<double(double filters, double kernel, double workers, double batch)>;

/// Runs of a law with 5 % of noise, every `step`-th of 240 configurations; `noisier` times as much
/// where the kernel is 3.
std::string runs_of(const Law& law, std::size_t step = 1, double noisier = 1) {
  perfmodel::RandomStream noise(5, "next steps");
  std::string text = "filters,kernel,workers,batch_size,time_s\n";
  std::size_t count = 0;
  for (const double filters : {4, 8, 16, 32, 64})
    for (const double kernel : {2, 3, 5})
      for (const double workers : {1, 2, 4, 8})
        for (const double batch : {8, 32, 128, 512}) {
          const double time = law(filters, kernel, workers, batch) *
                              std::exp((kernel == 3 ? noisier : 1) * 0.05 * noise.normal());
          if (count++ % step == 0)
            text += csv_row(filters, kernel, workers, batch, time);
        }
  return text;
}

double two_products(double filters, double kernel, double workers, double batch) {
  return 0.001 * std::pow(filters, 1.2) * std::pow(kernel, 1.5) * batch / workers +
         0.05 * std::pow(filters, 0.3) * std::pow(workers, 0.7);
}

double product(double filters, double kernel, double workers, double batch) {
  return 0.001 * std::pow(filters, 1.2) * kernel * batch / workers;
}

double equation_4(double filters, double kernel, double workers, double batch) {
  return (0.01 * std::pow(filters, 1.2) + 0.2 * std::sqrt(kernel)) * std::pow(workers, -0.8) *
             std::pow(batch, 0.6) +
         0.3;
}

}  // namespace

TEST_CASE_METHOD(ProgramTest, "fit says where another form may predict far better", "[cli]") {
  write("sum of two.csv", runs_of(two_products));
  const Words fit = {"fit", "sum of two.csv", "-o", "model.json"};
  const ProgramResult told = run(fit).succeeded();
  CHECK_THAT(told.errors, ContainsSubstring("another form may fit far better:\n  perfmodel fit "
                                            "'sum of two.csv' -o model.json --expression auto\n"));
  const std::size_t line = told.errors.find(": another form may fit far better");
  CHECK(line < told.errors.find("time_s from sum of two.csv"));
  CHECK_THAT(told.errors, !ContainsSubstring("\neffect of "));  // three times as far off
  CHECK_THAT(run({"report", "model.json", "sum of two.csv", "--format", "md"}).succeeded().output,
             ContainsSubstring("**How does it scale?** not determined\n- products follow") &&
                 ContainsSubstring("\n- on held-out runs, products have an error of ") &&
                 ContainsSubstring(": another form may fit far better\n"));
  // Not where the form was asked for, or a penalty.
  for (const Words& more : {Words{"--quiet"}, {"--expression", "generic"}, {"--l2", "0.001"}})
    CHECK_THAT(run(fit, more).succeeded().errors, !ContainsSubstring("another form"));
}

TEST_CASE_METHOD(ProgramTest, "fit names the command that says what to measure next", "[cli]") {
  write("runs.csv", runs_of(equation_4, 7));
  CHECK_THAT(run({"fit", "runs.csv", "-o", "model.json"}).errors,
             ContainsSubstring("35 configurations are few for 7 constants; which to "
                               "measure next:\n  perfmodel suggest model.json runs.csv "
                               "--next 3\n"));
  const Words suggest = {"suggest", "model.json", "runs.csv", "--format", "json"};
  const ProgramResult next = run(suggest, {"--next", "3"});
  CHECK_THAT(next.errors, !ContainsSubstring("without --runs"));
  const auto found = next.json();
  CHECK(found["next"].size() == 3);
  CHECK(found["searched"] == 240 - 35);  // without those that were measured
  CHECK(found["allowed"] == 240 - 35);
  CHECK(found["complete"] == true);
  CHECK(run(suggest, {"--next", "3", "--runs", "runs.csv"}).output == next.output);
  const auto all = run(suggest).json();
  CHECK(all["searched"] == 35);  // the runs themselves
  CHECK(all["complete"] == true);

  write("many.csv", runs_of(equation_4));
  CHECK_THAT(run({"fit", "many.csv", "-o", "model.json"}).succeeded().errors,
             !ContainsSubstring("are few for") && !ContainsSubstring("another form"));
  CHECK_THAT(run({"fit", "runs.csv"}).errors,
             !ContainsSubstring("are few for"));  // no file to name
}

TEST_CASE_METHOD(ProgramTest, "fit names the runs that it predicts worst, and what shows them",
                 "[cli]") {
  write("runs.csv", runs_of(product, 1, 4));
  const Words fit = {"fit",   "runs.csv", "--categorical", "kernel", "--expression",
                     "multi", "-o",       "model.json"};
  CHECK_THAT(run(fit).succeeded().errors,
             Catch::Matches("(.|\n)*note: where kernel is 3 the model is off by 1[0-9].[0-9] %, "
                            "elsewhere by [345].[0-9] %; errors by level and value:\n"
                            "  perfmodel report model.json runs.csv -o report.html\n(.|\n)*"));
  CHECK(run({"report", "model.json", "runs.csv", "-o", "report.html"}).exit_code == 0);
  CHECK_THAT(read("report.html"), ContainsSubstring("kernel"));

  const auto is_silent = [&](const Words& arguments, const Words& more = {}) {
    return run(arguments, more).succeeded().errors.find("elsewhere by") == std::string::npos;
  };
  CHECK(is_silent(fit, {"--quiet"}));
  CHECK(is_silent({fit.begin(), fit.end() - 2}));  // no file to name
  write("runs.csv", runs_of(product));
  CHECK(is_silent(fit));
}

TEST_CASE_METHOD(ProgramTest, "fit suggests at most two next steps", "[cli]") {
  // Eq. (4) misses a product, 48 runs are few for its nine constants, and kernel 3 is noisy.
  write("runs.csv", runs_of(two_products, 5, 12));
  const ProgramResult told =
      run({"fit", "runs.csv", "--categorical", "kernel", "-o", "model.json"});
  std::size_t steps = 0;
  for (std::size_t at = 0; (at = told.errors.find("\n  perfmodel ", at)) != std::string::npos; ++at)
    ++steps;
  INFO(told.errors);
  CHECK(steps == 2);
}
