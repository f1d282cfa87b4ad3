#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "forms/form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "storage/files.hpp"
#include "support/catch.hpp"
#include "support/certified.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/runs_text.hpp"
#include "table/formula.hpp"

using namespace perfmodel;
using Catch::Approx;

namespace {

struct OwnRuns {
  std::string formula;
  std::vector<std::string> bounds = {};
  Loss loss = Loss::mae;
  std::uint64_t seed = 1;
};

FitOutcome fit_own_to(const std::string& csv, const OwnRuns& how) {
  FitRequest request;
  const OwnFormula formula = parse_own_formula(how.formula);
  request.options.form = OwnOptions{formula, test::within(how.bounds).search};
  request.options.loss = how.loss;
  request.options.seed = how.seed;
  request.roles.formula = formula;
  request.held_out.intervals = false;
  return fit_runs(test::table_of(csv), request);
}

double constant_of(const FittedModel& model, const std::string& name) {
  const std::vector<std::string> names = constant_names(model);
  const auto found = std::ranges::find(names, name);
  REQUIRE(found != names.end());
  return model.constants[found - names.begin()];
}

/// Runs of a law of two columns.
std::string runs_of(const std::string& header, std::span<const double> first,
                    std::span<const double> second,
                    const std::function<double(double, double)>& time) {
  std::string csv = header + "\n";
  for (const double a : first)
    for (const double b : second)
      csv += test::csv_row(a, b, time(a, b));
  return csv;
}

constexpr double kFlops[] = {1e9, 3e9, 1e10, 4e10, 2e11};
constexpr double kBytes[] = {1e6, 2e7, 1e8, 9e8, 5e9};

std::string roofline_runs() {
  return runs_of(
      "flops,bytes,t", kFlops, kBytes,
      [](double flops, double bytes) { return std::max(flops / 3e12, bytes / 4e11) + 2e-4; });
}

}  // namespace

TEST_CASE("derivatives with respect to several names equal those with respect to each",
          "[own][derivative]") {
  TextCodes codes;
  const std::vector<std::string> names = {"a", "b", "c"};
  const Formula formula("max(a, b / c)^1.5 * exp(-c * 0.1) + (a > b ? a * c : b^c) - min(a, c)",
                        names, codes, "a test");
  RandomStream random(1, "places of derivatives");
  std::vector<double> stack;
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> at = {random.uniform(0.5, 3), random.uniform(0.5, 3),
                                    random.uniform(0.5, 3)};
    const std::vector<std::size_t> all = {2, 0, 1};
    formula.slopes(at, all, stack);
    CHECK(stack[0] == formula(at));
    std::vector<double> of_one;
    for (std::size_t k = 0; k < all.size(); ++k) {
      formula.slopes(at, std::array{all[k]}, of_one);
      CHECK(stack[1 + k] == of_one[1]);
    }
  }
}

TEST_CASE("a formula is linear only in names that it does not combine with each other", "[own]") {
  const auto is_affine = [](const std::string& text, bool a, bool b, bool c) {
    TextCodes codes;
    return Formula(text, {"a", "b", "c"}, codes, "a test").is_affine_in({a, b, c});
  };
  CHECK(is_affine("a * exp(-b * c) + a / c - c", true, false, false));
  CHECK(is_affine("a + b * c + 3", true, true, false));
  CHECK_FALSE(is_affine("a * b + c", true, true, false));
  CHECK_FALSE(is_affine("a / b", false, true, false));
  CHECK_FALSE(is_affine("max(a, c)", true, false, false));
  CHECK_FALSE(is_affine("a^2", true, false, false));
  CHECK(is_affine("c > 1 ? a : -b", true, true, false));
  CHECK_FALSE(is_affine("a > 1 ? 2 : 3", true, false, false));
}

TEST_CASE("a roofline is found without a start by 20 of 20 seeds", "[own][roofline]") {
  const std::string csv = roofline_runs();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const FittedModel model =
        fit_own_to(csv, {.formula = "t = max(flops / F, bytes / B) + C", .seed = seed}).model;
    CHECK(constant_of(model, "F") == Approx(3e12).epsilon(1e-9));
    CHECK(constant_of(model, "B") == Approx(4e11).epsilon(1e-9));
    CHECK(constant_of(model, "C") == Approx(2e-4).epsilon(1e-9));
  }
}

TEST_CASE("planted laws are found without bounds", "[own]") {
  constexpr double workers[] = {1, 2, 4, 8, 16, 32, 64};
  constexpr double sizes[] = {100, 200, 400};
  SECTION("Amdahl's") {
    const std::string csv = runs_of("gpus,size,t", workers, sizes, [](double n, double size) {
      return 0.02 * size * (0.07 + 0.93 / n);
    });
    const FittedModel model =
        fit_own_to(csv, {.formula = "t = T * size * (s + (1 - s) / gpus)"}).model;
    CHECK(constant_of(model, "T") == Approx(0.02).epsilon(1e-9));
    CHECK(constant_of(model, "s") == Approx(0.07).epsilon(1e-9));
  }
  SECTION("the universal law of scalability") {
    const std::string csv = runs_of("gpus,size,t", workers, sizes, [](double n, double size) {
      return size * (1 + 0.03 * (n - 1) + 0.0004 * n * (n - 1)) / (7 * n);
    });
    const FittedModel model =
        fit_own_to(csv, {.formula = "t = size * (1 + sigma * (gpus - 1) + kappa * gpus * (gpus - "
                                    "1)) / (lambda * gpus)"})
            .model;
    CHECK(constant_of(model, "lambda") == Approx(7).epsilon(1e-9));
    CHECK(constant_of(model, "sigma") == Approx(0.03).epsilon(1e-9));
    CHECK(constant_of(model, "kappa") == Approx(0.0004).epsilon(1e-9));
  }
  SECTION("Chinchilla's") {
    constexpr double parameters[] = {1e8, 4e8, 1e9, 3e9, 1e10};
    constexpr double tokens[] = {2e9, 1e10, 5e10, 3e11};
    const std::string csv = runs_of("N,D,loss", parameters, tokens, [](double n, double d) {
      return 1.69 + 406.4 / std::pow(n, 0.34) + 410.7 / std::pow(d, 0.28);
    });
    for (const Loss loss : {Loss::mae, Loss::mape, Loss::mse, Loss::rmsle, Loss::huber}) {
      CAPTURE(to_text(loss));
      const FittedModel model =
          fit_own_to(csv, {.formula = "loss = E + A / N^alpha + B / D^beta", .loss = loss}).model;
      CHECK(constant_of(model, "E") == Approx(1.69).epsilon(1e-5));
      CHECK(constant_of(model, "A") == Approx(406.4).epsilon(1e-5));
      CHECK(constant_of(model, "alpha") == Approx(0.34).epsilon(1e-5));
      CHECK(constant_of(model, "beta") == Approx(0.28).epsilon(1e-5));
    }
  }
}

TEST_CASE("bounds hold and fixed constants stay", "[own][bounds]") {
  const FittedModel model =
      fit_own_to(roofline_runs(), {.formula = "t = max(flops / F, bytes / B) + C",
                                   .bounds = {"F=1e12:2e12", "C=0:0"}})
          .model;
  CHECK(constant_of(model, "F") <= 2e12);
  CHECK(constant_of(model, "F") >= 1e12);
  CHECK(constant_of(model, "C") == 0);
  REQUIRE(model.known.identifiability);
  CHECK(model.known.identifiability->at_bound[0]);
  CHECK_THROWS_WITH(
      fit_own_to(roofline_runs(), {.formula = "t = flops / F + C", .bounds = {"p=0:1"}}),
      Catch::Contains("the formula has no constant 'p'"));
}

TEST_CASE("an own formula is independent of the order of rows and equivariant in units",
          "[own][property]") {
  RandomStream random(3, "noise of own formula");
  std::vector<std::string> lines;
  std::string csv = "flops,bytes,t\n";
  std::string in_ms = "flops,bytes,t\n";
  for (const double flops : kFlops)
    for (const double bytes : kBytes) {
      const double time =
          (std::max(flops / 3e12, bytes / 4e11) + 2e-4) * std::exp(random.uniform(-0.05, 0.05));
      lines.push_back(to_text(flops) + "," + to_text(bytes) + "," + to_text(time) + "\n");
      csv += lines.back();
      in_ms += test::csv_row(flops / 1e9, bytes, 1000 * time);
    }
  const std::string formula = "t = max(flops / F, bytes / B) + C";
  const FittedModel model = fit_own_to(csv, {.formula = formula}).model;
  std::ranges::reverse(lines);
  std::string reversed = "flops,bytes,t\n";
  for (const std::string& line : lines)
    reversed += line;
  CHECK(fit_own_to(reversed, {.formula = formula}).model.constants == model.constants);
  const FittedModel other = fit_own_to(in_ms, {.formula = formula}).model;
  CHECK(constant_of(other, "F") == Approx(constant_of(model, "F") / 1e12).epsilon(1e-7));
  CHECK(constant_of(other, "C") == Approx(1000 * constant_of(model, "C")).epsilon(1e-7));
}

// Without Thurber, whose optimum not every seed finds, and the sums of peaks, which take seconds.
TEST_CASE("certified constants of NIST are found to nine digits", "[own][certified]") {
  for (const std::string name :
       {"Bennett5", "BoxBOD",   "Chwirut1", "Chwirut2", "DanWood", "Eckerle4", "Hahn1",   "Kirby2",
        "Lanczos1", "Lanczos2", "Lanczos3", "MGH09",    "MGH10",   "MGH17",    "Misra1a", "Misra1b",
        "Misra1c",  "Misra1d",  "Nelson",   "Rat42",    "Rat43",   "Roszman1"}) {
    for (const test::CertifiedFigure& figure :
         test::nist_figures(read_file(PERFMODEL_SOURCE_DIR "/data/nist/" + name + ".dat"))) {
      CAPTURE(figure.problem, figure.quantity, figure.computed, figure.certified);
      CHECK(test::matching_digits(figure.computed, figure.certified) >= 9);
    }
  }
}

TEST_CASE("constants that only act together are named in a warning", "[own][identifiability]") {
  const FittedModel model =
      fit_own_to(roofline_runs(), {.formula = "t = a * b * flops + C", .loss = Loss::mse}).model;
  CHECK(std::ranges::any_of(model.warnings, [](const Warning& warning) {
    return warning.kind == "flat_direction" &&
           warning.message.find("'a' and 'b'") != std::string::npos;
  }));
  REQUIRE(model.known.identifiability);
  CHECK_FALSE(model.known.identifiability->constants[0]);
  CHECK_FALSE(model.known.identifiability->constants[1]);
  CHECK_THROWS_WITH(fit_own_to(roofline_runs(), {.formula = "t = flops / F + 0 * b"}),
                    Catch::Contains("no time of the --formula depends on it"));
  CHECK_THROWS_WITH(fit_own_to(roofline_runs(), {.formula = "t = flops / (F * 0) + C"}),
                    Catch::Contains("has no valid time"));
}
