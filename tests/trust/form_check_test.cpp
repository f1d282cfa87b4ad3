#include <cmath>
#include <string>

#include "fit/fit.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "support/runs_text.hpp"
#include "trust/cross_validation.hpp"

using namespace perfmodel;

namespace {

/// A grid of `batches` times `counts` runs: a product of powers, times exp(bend ln^2(batch / 8)).
test::PaperRuns bent_runs(int batches, int counts, double bend) {
  std::string csv = "batch,workers,time_s\n";
  for (int i = 0; i < batches; ++i)
    for (int j = 0; j < counts; ++j) {
      const double batch = 8 * std::pow(1.7, i);
      const double workers = std::pow(2.0, j);
      const double along = std::log(batch / 8);
      csv += test::csv_row(batch, workers,
                           0.3 * batch / std::sqrt(workers) * std::exp(bend * along * along));
    }
  RoleRequest request;
  request.extrinsic = {"workers"};
  return test::runs_of(test::table_of(csv), request);
}

FittedModel straight_model() {
  const test::PaperRuns runs = bent_runs(6, 5, 0);
  FitOptions options;
  options.form = Eq4Options();
  return fit(runs.spec, runs.design, options);
}

}  // namespace

TEST_CASE("a check of the form tells its misses from those of a quadratic surface", "[intervals]") {
  const FittedModel model = straight_model();
  // The surface has no curvature to find; all times are 30 % longer than predicted.
  test::PaperRuns runs = bent_runs(6, 5, 0);
  runs.design.time *= 1.3;
  const auto longer = check_form(model, runs.design);
  REQUIRE(longer);
  CHECK(longer->of_model == Catch::Approx(std::log(1.3)).epsilon(0.01));
  CHECK(longer->of_surface < 0.02);
  CHECK(longer->points_elsewhere());

  // The mean of 0.2 (i ln 1.7)^2 over i = 0..5 is what the model does not have.
  const auto bent = check_form(model, bent_runs(6, 5, 0.2).design);
  REQUIRE(bent);
  const double step = std::log(1.7);
  CHECK(bent->of_model ==
        Catch::Approx(0.2 * step * step * (1 + 4 + 9 + 16 + 25) / 6).epsilon(0.02));
  CHECK(bent->of_surface < 0.05);

  // Of 15 runs 6 coefficients are too many: the surface is a plane, and misses the bend too.
  const auto few = check_form(model, bent_runs(5, 3, 0.2).design);
  REQUIRE(few);
  CHECK(few->of_surface > 0.05);
}
