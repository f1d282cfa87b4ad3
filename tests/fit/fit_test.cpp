#include "fit/fit.hpp"

#include <cmath>
#include <numeric>
#include <stop_token>
#include <string>
#include <vector>

#include "perfmodel/error.hpp"
#include "support/catch.hpp"
#include "support/csv_text.hpp"
#include "support/paper_runs.hpp"
#include "table/expressions.hpp"

using namespace perfmodel;
using Eigen::VectorXd;
using perfmodel::test::Framework;
using perfmodel::test::PaperRuns;

namespace {

PaperRuns small_runs() {
  return test::paper_runs(Framework::mxnet, 240, 0.05, 1);
}

FittedModel fit_with(const PaperRuns& runs, const FitOptions& options) {
  return fit(runs.spec, runs.design, options);
}

VectorXd powers(const FittedModel& model) {
  const Eq4Layout layout(model.spec);
  const auto first = static_cast<Eigen::Index>(layout.intrinsic_power(0));
  return model.constants.segment(first, model.constants.size() - 1 - first);
}

bool has_warning(const FittedModel& model, const std::string& kind,
                 const std::string& constant = "") {
  for (const Warning& warning : model.warnings)
    if (warning.kind == kind && (constant.empty() || warning.constant == constant))
      return true;
  return false;
}

}  // namespace

TEST_CASE("the same seed gives the same constants, for any number of threads",
          "[fit][whole-fits]") {
  const PaperRuns runs = small_runs();
  FitOptions options;
  options.seed = 7;
  const FittedModel one = fit_with(runs, options);
  options.threads = 2;
  const FittedModel two = fit_with(runs, options);
  CHECK(one.constants == two.constants);
  CHECK(one.search.evaluations == two.search.evaluations);
}

TEST_CASE("the reported cost is that of the reported constants", "[fit]") {
  const PaperRuns runs = small_runs();
  const FittedModel model = fit_with(runs, {});
  const double mae = (runs.design.time - predict(model, runs.design)).cwiseAbs().mean();
  CHECK(model.search.cost == Catch::Approx(mae).epsilon(1e-12));
  CHECK(model.known.metrics.train.mae == Catch::Approx(mae).epsilon(1e-12));
}

TEST_CASE("the order of the rows and doubling each of them leave the optimum",
          "[fit][whole-fits]") {
  const PaperRuns runs = small_runs();
  const double cost = fit_with(runs, {}).search.cost;
  std::vector<std::size_t> reversed(runs.table.rows());
  std::iota(reversed.rbegin(), reversed.rend(), std::size_t{0});
  std::vector<std::size_t> doubled = reversed;
  doubled.insert(doubled.end(), reversed.begin(), reversed.end());
  for (const auto& rows : {reversed, doubled}) {
    const Design design = make_design(runs.table, runs.spec, Target::required, rows);
    CHECK(fit(runs.spec, design, {}).search.cost == Catch::Approx(cost).epsilon(1e-8));
  }
}

TEST_CASE("the exact finish records what it gained", "[fit][whole-fits]") {
  const PaperRuns runs = small_runs();
  for (const Loss loss : {Loss::mae, Loss::mape, Loss::mse, Loss::rmsle}) {
    FitOptions options;
    options.loss = loss;
    const FittedModel model = fit_with(runs, options);
    CAPTURE(to_text(loss));
    CHECK(model.search.polish_gain > 0);
    CHECK(model.search.polish_gain < 1);
    CHECK(model.search.gap < 1e-9);
  }
}

TEST_CASE("constants stay inside the box that the user gives", "[fit]") {
  const PaperRuns runs = small_runs();
  FitOptions options;
  options.form =
      test::within({"p=-1:1", "p.filters=0.5:0.75", "q.gpus=-0.5:0", "C=1:2", "a.stride=3:4"});
  const FittedModel model = fit_with(runs, options);
  const Eq4Layout layout(model.spec);
  for (std::size_t k = 0; k < layout.size(); ++k) {
    const double value = model.constants[static_cast<Eigen::Index>(k)];
    const std::string& name = layout.name(k);
    CAPTURE(name, value);
    if (name == "p[filters]")
      CHECK((value >= 0.5 && value <= 0.75));
    else if (name.starts_with("p["))
      CHECK((value >= -1 && value <= 1));
    if (name == "q[gpus]")
      CHECK((value >= -0.5 && value <= 0));
    if (name == "C")
      CHECK((value >= 1 && value <= 2));
    if (name == "a[stride]")
      CHECK((value >= 3 && value <= 4));
  }
  CHECK(has_warning(model, "at_bound", "q[gpus]"));
}

TEST_CASE("equal bounds fix a constant", "[fit]") {
  const PaperRuns runs = small_runs();
  FitOptions options;
  options.form = test::within({"q.gpus=-1:-1", "C=0:0"});
  const FittedModel model = fit_with(runs, options);
  const Eq4Layout layout(model.spec);
  for (std::size_t j = 0; j < model.spec.extrinsic.size(); ++j) {
    if (model.spec.extrinsic[j].column != "gpus")
      continue;
    CHECK(model.constants[static_cast<Eigen::Index>(layout.extrinsic_power(j))] == -1);
  }
  CHECK(model.constants[model.constants.size() - 1] == 0);
}

TEST_CASE("a bound for an unknown column is refused with the nearest name", "[fit]") {
  const PaperRuns runs = small_runs();
  FitOptions options;
  options.form = test::within({"x=0:1"});
  CHECK_THROWS_WITH(fit_with(runs, options), "--bounds x: the constants are a, p, q and C");
  options.form = test::within({"p.filter=0:3"});
  CHECK_THROWS_WITH(fit_with(runs, options),
                    "--bounds p.filter: the model has no constant p for a column 'filter'; did you "
                    "mean 'filters'?");
}

TEST_CASE("a penalty shrinks the penalised constants and leaves C alone", "[fit][whole-fits]") {
  const PaperRuns runs = small_runs();
  const auto norm1 = [](const FittedModel& m) {
    return m.constants.head(m.constants.size() - 1).lpNorm<1>();
  };
  const auto norm2 = [](const FittedModel& m) {
    return m.constants.head(m.constants.size() - 1).squaredNorm();
  };
  const FittedModel plain = fit_with(runs, {});
  FitOptions l1;
  l1.penalty.l1 = 1e-3;
  FitOptions l2;
  l2.penalty.l2 = 1e-3;
  const FittedModel with_l1 = fit_with(runs, l1);
  const FittedModel with_l2 = fit_with(runs, l2);
  CHECK(norm1(with_l1) < norm1(plain));
  CHECK(norm2(with_l2) < norm2(plain));
  CHECK(with_l1.search.cost ==
        Catch::Approx(with_l1.known.metrics.train.mae + 1e-3 * norm1(with_l1)).epsilon(1e-9));
  CHECK(with_l2.search.cost ==
        Catch::Approx(with_l2.known.metrics.train.mae + 1e-3 * norm2(with_l2)).epsilon(1e-9));
}

TEST_CASE("a penalty of scaled constants shrinks powers towards 0", "[fit][whole-fits]") {
  const PaperRuns runs = small_runs();
  FitOptions options;
  options.penalty.constants = Penalise::scaled;
  double last = powers(fit_with(runs, options)).squaredNorm();
  for (const double lambda : {1e-3, 1e-1, 1e1}) {
    options.penalty.l2 = lambda;
    const double norm = powers(fit_with(runs, options)).squaredNorm();
    CHECK(norm < last);
    last = norm;
  }
  CHECK(last < 0.1);
}

TEST_CASE("a penalised fit of runs without noise has finite figures", "[fit]") {
  RoleRequest roles;
  roles.extrinsic = std::vector<std::string>{};
  const PaperRuns runs = test::runs_of(
      test::table_of("x,time_s\n7.028842809143604e-07,1.55e-05\n2.1017764146958665e-06,0.000128\n"),
      roles);
  FitOptions options;
  options.loss = Loss::rmsle;  // whose slope has no limit where its root vanishes
  options.penalty = {.l2 = 0.0006119452325209257, .constants = Penalise::scaled};
  const FittedModel model = fit_with(runs, options);
  CHECK(model.search.cost < 0.006);
  CHECK(model.search.gap < 1e-9);
}

TEST_CASE("seeds agree on the optimum of a penalised fit", "[fit][whole-fits]") {
  const PaperRuns runs = small_runs();
  for (const Penalty penalty : {Penalty{.l1 = 1e-3}, Penalty{.l2 = 1e-3}}) {
    FitOptions options;
    options.penalty = penalty;
    const double first = fit_with(runs, options).search.cost;
    for (const std::uint64_t seed : {2U, 3U, 4U}) {
      options.seed = seed;
      CHECK(fit_with(runs, options).search.cost == Catch::Approx(first).epsilon(1e-3));
    }
  }
}

TEST_CASE("flat directions of several categorical columns are reported", "[fit]") {
  CHECK(has_warning(fit_with(small_runs(), {}), "flat_direction"));
}

TEST_CASE("a level without a training row is reported", "[fit]") {
  PaperRuns runs = small_runs();
  runs.spec.categorical[0].levels.push_back("zz_never_run");
  runs.design = make_design(runs.table, runs.spec, Target::required);
  CHECK(has_warning(fit_with(runs, {}), "untrained_level"));
}

TEST_CASE("fewer rows than constants is reported, not refused", "[fit][whole-fits]") {
  const PaperRuns runs = test::paper_runs(Framework::mxnet, 20, 0.05, 2);
  CHECK(has_warning(fit_with(runs, {}), "few_rows"));
}

TEST_CASE("a limit of generations ends the search with a warning", "[fit]") {
  FitOptions options;
  options.form = Eq4Options{.search = {.generations = 3}};
  const FittedModel model = fit_with(small_runs(), options);
  CHECK(model.search.termination == "generation_limit");
  CHECK(has_warning(model, "not_converged"));
}

TEST_CASE("a stop request ends the fit with what it has", "[fit]") {
  std::stop_source source;
  source.request_stop();
  FitOptions options;
  options.stop = source.get_token();
  const FittedModel model = fit_with(small_runs(), options);
  CHECK(model.search.termination == "interrupted");
  CHECK(model.constants.allFinite());
}

TEST_CASE("the shares of the parts add up to the predicted time", "[fit]") {
  const PaperRuns runs = small_runs();
  const FittedModel model = fit_with(runs, {});
  const std::vector<double> shares = time_shares(model, runs.design);
  CHECK(shares.size() == runs.spec.intrinsic.size() + runs.spec.categorical.size() + 1);
  CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == Catch::Approx(100));
}

TEST_CASE("bounds are read from text", "[fit]") {
  const BoundOverride all = parse_bound("p=-2:2.5");
  CHECK(all.constant == "p");
  CHECK_FALSE(all.column);
  CHECK(all.low == -2);
  CHECK(all.high == 2.5);
  CHECK(parse_bound("p.kernel_size=0:3").column == "kernel_size");
  CHECK_THROWS_WITH(parse_bound("p=3:0"),
                    "--bounds 'p=3:0': the lower bound is above the upper one");
  CHECK(parse_bound("F=1e12:1e16").constant == "F");
  CHECK(parse_bound("p.filters=1").low == 1);
  CHECK(parse_bound("p=1").high == 1);
  CHECK_THROWS_WITH(parse_bound("p=x"),
                    Catch::Matchers::ContainsSubstring("--bounds 'p=x': write ") &&
                        Catch::Matchers::ContainsSubstring("or CONSTANT=VALUE"));
  CHECK_THROWS_AS(parse_bound("p"), UsageError);
  CHECK_THROWS_AS(parse_bound("p=1:x"), UsageError);
  CHECK_THROWS_AS(parse_bound("C.filters=0:1"), UsageError);
}
