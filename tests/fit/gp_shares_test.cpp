#include <cmath>
#include <sstream>

#include "base/text.hpp"
#include "choice/fit_with_gp.hpp"
#include "fit/fit.hpp"
#include "forms/form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/model.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"

using namespace perfmodel;

namespace {

/// Three jobs on 1 to 16 workers, with a pattern that no formula has.
test::PaperRuns jobs_on_workers() {
  std::ostringstream csv;
  csv << "job,workers,time_s\n";
  int row = 0;
  for (const char job : {'a', 'b', 'c'})
    for (const double workers : {1, 2, 4, 8, 16})
      for (int repeat = 0; repeat < 2; ++repeat, ++row)
        csv << job << ',' << to_text(workers) << ','
            << to_text((3 + job - 'a') / workers + 1 + 0.05 * std::sin(7. * row * row)) << '\n';
  RoleRequest request;
  request.extrinsic = {"workers"};
  return test::runs_of(test::table_of(csv.str()), request);
}

FitOptions eq4_options() {
  FitOptions out;
  out.form = Eq4Options();
  return out;
}

}  // namespace

TEST_CASE("a scaling power of a trend counts the time that does not scale", "[fit][process]") {
  const test::PaperRuns runs = jobs_on_workers();
  const FittedModel alone = fit(runs.spec, runs.design, eq4_options());
  const FittedModel both = with_gp(alone, runs.design, eq4_options());
  REQUIRE(alone.form->unscaled_time(both.constants) > 0.1);
  const auto trend_at = [&](double workers) {
    const Configuration at{{}, {0}, {workers}};
    return alone.form->predict(both.spec, both.constants, design_of(at, both.spec))[0];
  };
  const Configuration at{{}, {0}, {4}};
  const double slope = std::log(trend_at(4.004) / trend_at(3.996)) / std::log(4.004 / 3.996);
  CHECK(both.form->scaling_powers(both.spec, both.constants, &at).at(0) ==
        Catch::Approx(slope).epsilon(1e-4));
}

TEST_CASE("a level without training rows has the mean of the others", "[fit]") {
  const test::PaperRuns runs = jobs_on_workers();
  FittedModel model = fit(runs.spec, runs.design, eq4_options());
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < runs.design.rows; ++row)
    if (runs.design.categorical[0].codes[row] != 1)
      kept.push_back(row);
  Eigen::Index first = 0;
  while (model.form->constants(model.spec)[static_cast<std::size_t>(first)].level.empty())
    ++first;
  model.constants.segment(first, 3) << 2, 99, 4;
  model.form->settle_unseen_levels(take_rows(runs.design, kept), model);
  CHECK(model.constants.segment(first, 3) == Eigen::Vector3d(2, 3, 4));
}
