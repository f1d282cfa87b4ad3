#include <cmath>
#include <sstream>

#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;

TEST_CASE("the cost of repeated runs is the loss of each of them", "[fit]") {
  RandomStream random(2, "repeated runs");
  std::ostringstream csv;
  csv << "batch,workers,time_s\n";
  for (const double batch : {8, 16, 32})
    for (const double workers : {1, 2, 4})
      for (int repeat = 0; repeat < 4; ++repeat)
        csv << to_text(batch) << ',' << to_text(workers) << ','
            << to_text(batch / workers * std::exp(0.1 * random.normal())) << '\n';
  RoleRequest request;
  request.extrinsic = {"workers"};
  const test::PaperRuns runs = test::runs_of(test::table_of(csv.str()), request);
  for (const Expression expression : {Expression::generic, Expression::multi}) {
    FitOptions options;
    options.expression = expression;
    options.loss = Loss::rmsle;
    if (expression == Expression::multi)
      options.terms = 1;
    const FittedModel model = fit(runs.spec, runs.design, options);
    const Eigen::ArrayXd off =
        (predict(model, runs.design).array() / runs.design.time.array()).log();
    CHECK(model.search.cost == Catch::Approx(std::sqrt(off.square().mean())));
  }
}
