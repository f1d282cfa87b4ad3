#include "analysis/model_words.hpp"
#include "forms/sum_form.hpp"
#include "page/page_content.hpp"

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"
#include "support/rows.hpp"
#include "support/sum_runs.hpp"

using namespace perfmodel;
using namespace perfmodel::page;
using test::sum_runs;
using test::SumRuns;

namespace {

struct Judged {
  SumRuns runs;
  Eigen::VectorXd predicted;
};

Judged judged_runs(std::size_t rows, double noise) {
  Judged out{sum_runs(rows, noise, 3), {}};
  out.predicted = predict(out.runs.truth, out.runs.design);
  return out;
}

Content content_of_runs(const Judged& judged) {
  const SumRuns& runs = judged.runs;
  return content_of({runs.truth,
                     "perfmodel",
                     "model.json",
                     {"runs.csv", runs.design.rows, "abc"},
                     runs.table.lines,
                     runs.design,
                     judged.predicted,
                     compute_metrics(runs.design.time, judged.predicted),
                     {}});
}

const ScaleCurve& curve_along(const Content& content, const std::string& column) {
  return *std::find_if(
      content.curves.begin(), content.curves.end(),
      [&](const ScaleCurve& curve) { return curve.column == column; });
}

}  // namespace

TEST_CASE("the shares of a sum are those of its terms and add up", "[report]") {
  const Judged judged = judged_runs(200, 0.05);
  const Content content = content_of_runs(judged);
  const SumForm& form = sum_form(judged.runs.truth);
  const auto parts_at = [&](const Design& design) {
    return Eigen::MatrixXd(
        term_parts({judged.runs.spec, form.structure}, judged.runs.truth.constants, design));
  };
  const Eigen::MatrixXd all = parts_at(judged.runs.design);
  const Eigen::MatrixXd here = parts_at(design_of(content.central.configuration, judged.runs.spec));
  REQUIRE(content.shares.size() == 2);  // C is 0
  for (const Share& share : content.shares) {
    const Eigen::Index term = share.name == "term 1" ? 0 : 1;
    CHECK(share.percent == Catch::Approx(100 * all.col(term).sum() / all.sum()));
    CHECK(share.percent_shown == Catch::Approx(100 * here.col(term).sum() / here.sum()));
    const auto largest = all.col(term).array() > all.col(1 - term).array();
    CHECK(share.percent_ruled == Catch::Approx(100 * largest.cast<double>().mean()));
    CHECK_FALSE(share.most_at.empty());
    CHECK(share.formula.find("filters^") != std::string::npos);
    CHECK(share.title.starts_with("filters"));
  }
  CHECK(content.shares[0].percent_shown >= content.shares[1].percent_shown);
  REQUIRE(content.steps);
  double time = 0;
  for (const TimeSteps::Step& step : content.steps->steps)
    time += step.time;
  CHECK(time == Catch::Approx(content.steps->formula));
  CHECK(content.steps->formula == content.central.time);
}

TEST_CASE(
    "a curve is what the model predicts at whole scales, and forecasts double from the shown "
    "scale and are sped up as by scaling",
    "[report]") {
  const Judged judged = judged_runs(200, 0.05);
  const Content content = content_of_runs(judged);
  const ScaleCurve& curve = curve_along(content, "gpus");
  CHECK(curve.scales == std::vector<double>{1, 2, 4, 8});
  std::vector<double> scales;
  Configuration moved = content.central.configuration;
  for (const Forecast& point : curve.points) {
    scales.push_back(point.scale);
    moved.extrinsic[0] = point.scale;
    CHECK(point.time == predict(judged.runs.truth, design_of(moved, judged.runs.spec))[0]);
    CHECK(point.measured == (point.scale <= 8));
  }
  CHECK(scales == std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 16, 32});
  CHECK(content.powers[0].column == "gpus");

  REQUIRE(curve.forecasts.size() == 6);
  const Forecast& first = curve.forecasts.front();
  const double work = curve.work.kind == scaling::Kind::weak ? 1 : 0;
  double scale = 1;
  for (const Forecast& forecast : curve.forecasts) {
    CHECK(forecast.scale == scale);
    const double speedup = std::pow(scale, work) * first.time / forecast.time;
    CHECK(forecast.speedup == Catch::Approx(speedup));
    CHECK(forecast.efficiency == Catch::Approx(speedup / scale));
    scale *= 2;
  }
}

TEST_CASE("only runs of the configuration are drawn as they are, near ones are adjusted",
          "[report]") {
  Judged judged = judged_runs(400, 0.05);
  const Content content = content_of_runs(judged);
  const Configuration& shown = content.central.configuration;
  const Design& design = judged.runs.design;
  std::vector<double> expected;
  for (std::size_t row = 0; row < design.rows; ++row)
    if (design.intrinsic[0].value(row) == shown.intrinsic[0] &&
        design.categorical[0].codes[row] == shown.levels[0] &&
        design.extrinsic[1].value(row) == shown.extrinsic[1])
      expected.push_back(design.time[static_cast<Eigen::Index>(row)]);
  REQUIRE_FALSE(expected.empty());
  const NearRuns& runs = curve_along(content, "gpus").runs;
  CHECK(runs.all_measured == expected.size());
  for (std::size_t i = 0; i < runs.measured.size(); ++i)
    CHECK(runs.measured[i].y == expected[i]);

  // A configuration beside those of the runs, by a fifth: the same runs are near, and adjusted.
  Configuration beside = shown;
  beside.intrinsic[0] *= 1.2;
  const NearRuns near =
      near_runs(judged.runs.truth, beside, 0, judged.runs.design, judged.predicted);
  CHECK(near.measured.empty());
  REQUIRE(near.adjusted.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Configuration from = shown;
    Configuration to = beside;
    from.extrinsic[0] = to.extrinsic[0] = near.adjusted[i].x;
    const auto time = [&](const Configuration& at) {
      return predict(judged.runs.truth, design_of(at, judged.runs.spec))[0];
    };
    CHECK(near.adjusted[i].y == Catch::Approx(expected[i] * time(to) / time(from)));
  }
  // Farther away nothing is drawn, whatever the model says.
  beside.intrinsic[0] = 1.3 * shown.intrinsic[0];
  CHECK(near_runs(judged.runs.truth, beside, 0, design, judged.predicted).adjusted.empty());
}

TEST_CASE("errors along the inputs are those of their runs", "[report]") {
  const Judged judged = judged_runs(300, 0.2);
  const Content content = content_of_runs(judged);
  CHECK(content.errors_along.size() == 4);
  for (const ErrorsAlong& along : content.errors_along) {
    std::size_t rows = 0;
    double sum = 0;
    for (const ErrorGroup& group : along.groups) {
      rows += group.rows;
      sum += group.mape * static_cast<double>(group.rows);
      CHECK(group.lower <= group.middle);
      CHECK(group.middle <= group.upper);
    }
    CHECK(rows == 300);
    CHECK(sum / 300 == Catch::Approx(content.metrics.mape_percent));
  }
  const ErrorsAlong& gpus = *std::find_if(content.errors_along.begin(), content.errors_along.end(),
                                          [](const ErrorsAlong& a) { return a.column == "gpus"; });
  double of_eight = 0;
  double count = 0;
  for (std::size_t row = 0; row < 300; ++row) {
    if (judged.runs.design.extrinsic[0].value(row) == 8) {
      const auto at = static_cast<Eigen::Index>(row);
      of_eight += std::abs(judged.predicted[at] / judged.runs.design.time[at] - 1);
      ++count;
    }
  }
  CHECK(gpus.groups.back().name == "8");
  CHECK(gpus.groups.back().mape == Catch::Approx(100 * of_eight / count));
}

TEST_CASE("levels whose times lie far apart are groups", "[report]") {
  Judged judged = judged_runs(200, 0.05);
  CHECK_FALSE(content_of_runs(judged).groups);
  for (std::size_t row = 0; row < 200; ++row)
    if (judged.runs.design.categorical[0].codes[row] == 1)
      judged.runs.design.time[static_cast<Eigen::Index>(row)] *= 20;
  const Content content = content_of_runs(judged);
  REQUIRE(content.groups);
  CHECK(content.groups->column == "activation");
  REQUIRE(content.groups->groups.size() == 2);
  CHECK(content.groups->groups[0].level == judged.runs.spec.categorical[0].levels[1]);
  CHECK(content.groups->groups[0].rows + content.groups->groups[1].rows == 200);
  CHECK(content.groups->groups[0].median_time > 3 * content.groups->groups[1].median_time);
  CHECK(content.groups->groups[0].curve);
}

TEST_CASE("what no run exceeds another input by cannot be shown", "[report]") {
  Design runs;
  runs.rows = 5;
  runs.extrinsic = {{.values = {1, 1, 2, 2, 4}, .codes = {}},
                    {.values = {1, 4, 2, 8, 8}, .codes = {}}};
  const std::vector<NotAbove> orders = orders_of(runs);
  REQUIRE(orders.size() == 1);
  CHECK(orders[0].lower == 0);
  CHECK(orders[0].higher == 1);
  CHECK(keeps_to(orders, {{}, {}, {2, 2}}));
  CHECK_FALSE(keeps_to(orders, {{}, {}, {4, 2}}));
  runs.extrinsic[1].values = {1, 4, 3, 8, 8};  // equal at 1 alone, which may be an accident
  CHECK(orders_of(runs).empty());
}

TEST_CASE("effects compare the ends of the ranges, doubled scales and the levels", "[report]") {
  const Judged judged = judged_runs(200, 0);
  const Content content = content_of_runs(judged);
  const auto effect = [&](const std::string& column) {
    return *std::find_if(content.effects.begin(), content.effects.end(),
                         [&](const Effect& each) { return each.column == column; });
  };
  CHECK(content.effects.size() == 4);
  CHECK(effect("activation").from == InputValue("relu"));
  CHECK(effect("activation").to == InputValue("tanh"));
  CHECK(effect("filters").from == InputValue(4.));
  CHECK(effect("filters").to == InputValue(64.));
  CHECK(std::is_sorted(content.effects.begin(), content.effects.end(),
                       [](const Effect& a, const Effect& b) {
                         return std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
                       }));
  // Each is a ratio of two predictions, nothing else moved.
  const auto time_with = [&](double filters, std::uint32_t level) {
    Configuration moved = content.central.configuration;
    moved.intrinsic[0] = filters;
    moved.levels[0] = level;
    return *time_of(content.model, moved);
  };
  const Configuration& here = content.central.configuration;
  CHECK(effect("filters").ratio ==
        Catch::Approx(time_with(64, here.levels[0]) / time_with(4, here.levels[0])));
  CHECK(effect("activation").ratio ==
        Catch::Approx(time_with(here.intrinsic[0], 1) / time_with(here.intrinsic[0], 0)));
  CHECK(content.doublings.size() == 2);
  for (const Effect& each : content.doublings)
    CHECK(std::get<double>(each.to) == 2 * std::get<double>(each.from));
}

TEST_CASE("typical values are those of the outer tenths of the rows, levels only theirs",
          "[report]") {
  const Judged judged = judged_runs(200, 0);
  const FittedModel& model = judged.runs.truth;
  const Configuration at = configuration_of(judged.runs.design, 0);
  Design runs = judged.runs.design;
  // 21 rows: 1, 2, ..., 21 in a row of its own each; the first tenth ends behind the second.
  const std::vector<std::size_t> first = test::rows_between(0, 21);
  runs = take_rows(runs, first);
  runs.intrinsic[0].values.clear();
  runs.intrinsic[0].codes.clear();
  for (std::size_t row = 0; row < first.size(); ++row) {
    runs.intrinsic[0].values.push_back(static_cast<double>(21 - row));
    runs.intrinsic[0].codes.push_back(static_cast<std::uint32_t>(row));
  }
  std::fill(runs.categorical[0].codes.begin(), runs.categorical[0].codes.end(), 1);
  const auto effect_of = [&](const std::string& column) {
    for (const Effect& effect : effects_of(model, at, &runs))
      if (effect.column == column)
        return effect;
    return Effect{};
  };
  CHECK(effect_of("filters").from == InputValue(3.));
  CHECK(effect_of("filters").to == InputValue(19.));
  CHECK(effect_of("activation").from == effect_of("activation").to);
  // All rows but one have the same value.
  runs.intrinsic[0].values = {5, 9};
  std::fill(runs.intrinsic[0].codes.begin(), runs.intrinsic[0].codes.end(), 0);
  runs.intrinsic[0].codes[7] = 1;
  CHECK(effect_of("filters").from == InputValue(5.));
  CHECK(effect_of("filters").to == InputValue(9.));
}

TEST_CASE("formula and prediction never disagree on a direction without saying so", "[report]") {
  const Judged judged = judged_runs(100, 0);
  const FittedModel& model = judged.runs.truth;
  const Configuration at = configuration_of(judged.runs.design, 0);
  Effect effect = scale_effects_of(model, at)[0];
  REQUIRE(std::abs(effect.ratio - 1) > 0.01);
  CHECK(contradiction_of(model, at, effect).empty());
  const std::string words = change_in_words(effect.ratio, measure_of(model.spec));
  effect.ratio = 1 / effect.ratio;
  CHECK(contradiction_of(model, at, effect) ==
        effect.column + " " + value_text(effect.from) + " -> " + value_text(effect.to) +
            ": the formula alone gives " + words + "; the correction reverses it");
  effect.ratio = 1;
  CHECK(contradiction_of(model, at, effect).empty());
}

TEST_CASE("constants of a sum are listed by term with nothing left out", "[report]") {
  const Judged judged = judged_runs(100, 0.05);
  const Content content = content_of_runs(judged);
  REQUIRE(content.constants.size() == 3);
  std::size_t next = 0;
  const std::vector<std::string> names = constant_names(judged.runs.truth);
  for (const ConstantGroup& group : content.constants) {
    for (const ConstantRow& row : group.constants) {
      CHECK(row.name == names[next]);
      CHECK(row.value == judged.runs.truth.constants[static_cast<Eigen::Index>(next)]);
      CHECK(row.status == ConstantStatus::unknown);
      ++next;
    }
  }
  CHECK(next == names.size());
  CHECK(content.constants.back().name == "C");
}
