// Properties of fits to generated runs; see support/generated_runs.hpp.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "fit/fit.hpp"
#include "forms/fit_options.hpp"
#include "forms/form.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "report/model_json.hpp"
#include "sums/sum_finish.hpp"
#include "support/catch.hpp"
#include "support/generated_runs.hpp"
#include "support/property.hpp"
#include "trust/prediction_intervals.hpp"

using namespace perfmodel;
using Catch::Matchers::ContainsSubstring;
using Eigen::VectorXd;
using test::for_each_case;
using test::generated_request;
using test::generated_runs;
using test::GeneratedKinds;
using test::GeneratedRuns;

namespace {

FittedModel fitted(const GeneratedRuns& runs, FitRequest request) {
  const bool totals = request.roles.totals_per_worker;
  request.roles = runs.roles();
  request.roles.totals_per_worker = totals;
  return fit_runs(runs.table(), request).model;
}

/// Nullopt if the runs are refused for this reason, and for no other one.
std::optional<FittedModel> fitted_unless(const GeneratedRuns& runs, const FitRequest& request,
                                         const std::string& reason) {
  try {
    return fitted(runs, request);
  } catch (const Error& error) {
    CHECK_THAT(error.what(), ContainsSubstring(reason));
    return std::nullopt;
  }
}

VectorXd predicted(const FittedModel& model, const GeneratedRuns& runs) {
  return predict(model, make_design(runs.table(), model.spec, Target::absent));
}

/// Whether two vectors have the same bits, also if they are no numbers.
bool same_bits(const VectorXd& a, const VectorXd& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

/// The largest difference of two vectors in units of the largest number.
double difference(const VectorXd& a, const VectorXd& b) {
  if (a == b)  // all 0, after a search of few generations
    return 0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
}

/// Whether the levels of two columns separate the same rows. Only their names tell such columns
/// apart.
bool has_equal_columns(const GeneratedRuns& runs) {
  std::set<std::vector<std::size_t>> first_rows;
  std::size_t columns = 0;
  for (const test::GeneratedColumn& column : runs.columns) {
    std::vector<std::size_t> first;
    for (const std::string& level : column.levels)
      first.push_back(static_cast<std::size_t>(std::ranges::find(column.levels, level) -
                                               column.levels.begin()));
    columns += first.empty() ? 0U : 1U;
    if (!first.empty())
      first_rows.insert(first);
  }
  return first_rows.size() < columns;
}

std::vector<std::size_t> shuffled_rows(std::size_t rows, RandomStream& random) {
  std::vector<std::size_t> out(rows);
  std::iota(out.begin(), out.end(), std::size_t{0});
  random.shuffle(std::span(out));
  return out;
}

/// The text with every occurrence of each key replaced by its value.
std::string replaced(std::string text, const std::map<std::string, std::string>& words) {
  for (const auto& [from, to] : words)
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  return text;
}

/// Runs whose columns have other names of the same length.
struct Renamed {
  GeneratedRuns runs;
  std::map<std::string, std::string> old_names;
};

Renamed renamed_columns(const GeneratedRuns& runs, bool same_order, RandomStream& random) {
  Renamed out{runs, {}};
  std::set<std::string> names;
  for (const auto& column : runs.columns)
    names.insert(column.name);
  std::set<std::string> others;
  while (others.size() < names.size())
    others.insert("v" + std::to_string(10000 + random.below(90000)));
  std::vector<std::string> sorted(others.begin(), others.end());
  if (!same_order)
    std::reverse(sorted.begin(), sorted.end());
  for (auto& column : out.runs.columns) {
    const auto rank = std::distance(names.begin(), names.find(column.name));
    const std::string name = sorted[static_cast<std::size_t>(rank)];
    out.old_names[name] = column.name;
    for (DerivedColumn& derived : out.runs.derived)
      derived =
          make_derived(derived.column, replaced(derived.formula, {{column.name, name}}), "test");
    column.name = name;
  }
  return out;
}

/// The constants under their names, each with whether it is identifiable.
std::map<std::string, std::pair<double, bool>> named_constants(const FittedModel& model) {
  std::map<std::string, std::pair<double, bool>> out;
  const std::vector<std::string> names = constant_names(model);
  for (std::size_t k = 0; k < names.size(); ++k)
    out[names[k]] = {model.constants[static_cast<Eigen::Index>(k)],
                     model.known.identifiability && model.known.identifiability->constants[k]};
  return out;
}

/// model.json without the line of the central run: which of several equal lines is arbitrary.
std::string without_line(FittedModel model) {
  if (model.central)
    model.central->line = 0;
  return to_json(model);
}

/// Whether a column has no other numbers than 0 and 1, so that it becomes one of levels.
bool is_flag(const test::GeneratedColumn& column) {
  return std::all_of(
      column.numbers.begin(), column.numbers.end(),
      [](double number) { return number == 0 || number == 1; });
}

/// Whether the program chooses the terms of a sum.
bool may_have_logarithms(const FitRequest& request) {
  return chooses_terms(request.options);
}

FittedModel read_back(const std::string& json) {
  return read_model(JsonCursor::parse("model.json", json), form_kinds());
}

/// Calls the property with the runs and the fit of each case.
template <class Check>
void for_each_fit(const std::string& property, const Check& check) {
  for_each_case(
      property,
      [&](RandomStream& random) {
        const GeneratedRuns runs = generated_runs(random);
        const FitRequest request = generated_request(runs, random);
        INFO(test::words_of(runs, request));
        check(runs, request, random);
      });
}

}  // namespace

TEST_CASE("property: the order of rows changes no byte of a model", "[property]") {
  for_each_fit(
      "rows",
      [](const GeneratedRuns& runs, const FitRequest& request, RandomStream& random) {
        const GeneratedRuns moved = take_rows(runs, shuffled_rows(runs.rows(), random));
        CHECK(without_line(fitted(runs, request)) == without_line(fitted(moved, request)));
      });
}

TEST_CASE("property: the order of columns changes the order of the constants alone", "[property]") {
  for_each_fit(
      "columns",
      [](const GeneratedRuns& runs, const FitRequest& request, RandomStream& random) {
        GeneratedRuns moved = runs;
        random.shuffle(std::span(moved.columns));
        const FittedModel model = fitted(runs, request);
        const FittedModel same = fitted(moved, request);
        CHECK((named_constants(model) == named_constants(same)));
        CHECK(difference(predicted(model, runs), predicted(same, runs)) < 1e-13);
      });
}

TEST_CASE("property: names of columns and levels are names alone", "[property]") {
  for_each_fit(
      "names",
      [](const GeneratedRuns& runs, const FitRequest& request, RandomStream& random) {
        // In the same order or in the opposite one, in which nothing but lists of names may differ.
        const bool same_order = random.below(2) == 0 || has_equal_columns(runs);
        const Renamed renamed = renamed_columns(runs, same_order, random);
        const FittedModel model = fitted(runs, request);
        const FittedModel other = fitted(renamed.runs, request);
        CHECK(same_bits(model.constants, other.constants));
        CHECK(same_bits(predicted(model, runs), predicted(other, renamed.runs)));
        if (same_order)
          CHECK(to_json(model) == replaced(to_json(other), renamed.old_names));
      });
}

TEST_CASE("property: units of the time and of columns change no prediction", "[property]") {
  std::size_t cases = 0;
  std::size_t with_other_optima = 0;
  for_each_case("units", [&](RandomStream& random) {
    const GeneratedRuns runs = generated_runs(random);
    const FitRequest request =
        generated_request(runs, random, GeneratedKinds{.raw_penalties = false, .paper = false});
    INFO(test::words_of(runs, request));
    GeneratedRuns others = runs;
    const double unit = std::pow(10, random.uniform(-3, 3));
    for (double& time : others.times)
      time *= unit;
    // Among chosen terms are powers of log2(n) of whole numbers n, which change with their unit.
    for (auto& column : others.columns) {
      const double factor = std::pow(10, random.uniform(-3, 3));
      const bool is_whole =
          std::ranges::all_of(column.numbers, [](double n) { return n == std::floor(n); });
      for (double& number : column.numbers)
        number *= is_flag(column) || (may_have_logarithms(request) && is_whole) ? 1 : factor;
    }
    const FittedModel model = fitted(runs, request);
    const FittedModel other = fitted(others, request);
    CAPTURE(model.search.cost, other.search.cost, unit);
    const Loss loss = model.search.objective.loss;
    const bool is_absolute = (loss == Loss::mae || loss == Loss::mape) && !has_gp(*model.form);
    const double off = difference(unit * predicted(model, runs), predicted(other, others));
    ++cases;
    // The same least mean absolute error can be that of many constants, a likelihood can have
    // several maxima, and from different roundings a search that is cut short ends elsewhere.
    double most = 1e-6;
    // The finish of sums stops where a step gains less than kSumGap of the root of the mean square:
    // squares of moves by 2 kSumGap cost^2 in the mean, which may be those of one row.
    if (expression_of(request.options) == Expression::sum && loss == Loss::rmsle)
      most += model.search.cost * std::sqrt(2 * kSumGap * static_cast<double>(runs.rows()));
    if (off >= most && (is_absolute || has_gp(*model.form)))
      ++with_other_optima;
    else
      CHECK(off < most);
  });
  CHECK(with_other_optima <= 1 + cases / 25);
}

TEST_CASE("property: a model that is read and written has the same bytes and predictions",
          "[property]") {
  for_each_fit(
      "round trip",
      [](const GeneratedRuns& runs, FitRequest request, RandomStream& random) {
        request.held_out.intervals = random.below(3) == 0;
        if (random.below(8) == 0)
          request.bootstrap = BootstrapRequest{.samples = 10};
        if (random.below(8) == 0)
          request.held_out.folds = HeldOutRequest::Folds{2};
        if (random.below(8) == 0)
          request.repeats = 2;
        const auto fit = fitted_unless(runs, request, "a fold leaves no row");
        if (!fit)
          return;
        const FittedModel& model = *fit;
        const std::string json = to_json(model);
        const FittedModel again = read_back(json);
        CHECK(to_json(again) == json);
        CHECK(same_bits(predicted(again, runs), predicted(model, runs)));
      });
}

TEST_CASE("property: intervals grow with their coverage and hold the prediction", "[property]") {
  for_each_case(
      "intervals",
      [](RandomStream& random) {
        GeneratedRuns runs = generated_runs(random);
        FitRequest request = generated_request(runs, random);
        request.held_out.intervals = true;
        request.held_out.coverage = 0.5;
        INFO(test::words_of(runs, request));
        const auto fit = fitted_unless(runs, request, "no intervals can be given for this model");
        if (!fit)
          return;
        const FittedModel& model = *fit;
        REQUIRE(model.known.intervals);
        // The configurations of the runs, and some beyond their ranges.
        for (auto& column : runs.columns)
          if (!is_flag(column))
            for (double& number : column.numbers)
              number *= random.below(4) == 0 ? random.uniform(0.1, 10) : 1;
        const Design design = make_design(runs.table(), model.spec, Target::absent);
        const double highest = highest_level(model.known.intervals->count);
        Eigen::ArrayXd lower = Eigen::ArrayXd::Ones(static_cast<Eigen::Index>(design.rows));
        Eigen::ArrayXd upper = lower;
        for (const double share : {0.1, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0}) {
          const RowIntervals intervals = row_intervals(model, share * highest, design);
          CHECK((intervals.lower > 0).all());
          CHECK((intervals.lower <= lower).all());
          CHECK((intervals.upper >= upper).all());
          lower = intervals.lower;
          upper = intervals.upper;
        }
      });
}

namespace {

/// Loss plus raw penalty of Eq. (4), or the loss of a sum, by the plain predictions of the model.
double plain_cost(const FittedModel& model, const Design& design, const FitOptions& options) {
  const Eigen::ArrayXd measured = design.time.array();
  const Eigen::ArrayXd times = predict(model, design).array();
  double out = std::numeric_limits<double>::quiet_NaN();
  if (options.loss == Loss::mae)
    out = (measured - times).abs().mean();
  else if (options.loss == Loss::mape)
    out = ((measured - times) / measured).abs().mean();
  else if (options.loss == Loss::mse)
    out = (measured - times).square().mean();
  else if ((times > 0).all())
    out = std::sqrt((measured / times).log().square().mean());
  const VectorXd penalised = model.constants.head(model.constants.size() - 1);
  return out + options.penalty.l1 * penalised.lpNorm<1>() +
         options.penalty.l2 * penalised.squaredNorm();
}

/// A search that shares nothing with those of the program: random steps from `start`, longer after
/// a success and shorter after a failure. Returns the least cost.
double climbed(FittedModel model, VectorXd start, const Design& design, const FitOptions& options,
               RandomStream& random) {
  const std::vector<ConstantInfo> infos = model.form->constants(model.spec);
  const double typical = design.time.mean();
  model.constants = start;
  double best = plain_cost(model, design, options);
  double step = 0.1;
  for (int trial = 0; trial < 150 && step > 1e-9; ++trial) {
    for (std::size_t k = 0; k < infos.size(); ++k) {
      double& constant = model.constants[static_cast<Eigen::Index>(k)];
      constant = start[static_cast<Eigen::Index>(k)];
      if (random.below(2) == 0)
        continue;
      const double by = step * random.normal();
      if (infos[k].range != ConstantRange::any)
        constant = infos[k].role == ConstantRole::intercept ? std::abs(constant + by * typical)
                                                            : constant * std::exp(by);
      else if (constant != 0)
        constant =
            std::clamp(constant + by, constant > 0 ? 0.01 : -5.0, constant > 0 ? 5.0 : -0.01);
    }
    const double cost = plain_cost(model, design, options);
    step *= cost < best ? 2 : 0.9;
    if (!(cost < best))
      continue;
    best = cost;
    start = model.constants;
  }
  return best;
}

/// The constants of the law behind the times.
VectorXd constants_of(const test::GeneratedLaw& law) {
  std::vector<double> out = law.coefficients;
  for (const std::vector<double>& levels : law.levels)
    out.insert(out.end(), levels.begin(), levels.end());
  out.insert(out.end(), law.powers.begin(), law.powers.end());
  out.insert(out.end(), law.scaling_powers.begin(), law.scaling_powers.end());
  out.push_back(law.intercept);
  return VectorXd::Map(out.data(), static_cast<Eigen::Index>(out.size()));
}

}  // namespace

TEST_CASE("property: no other search descends from an optimum, and few find a lower one",
          "[property]") {
  std::size_t cases = 0;
  std::size_t beaten = 0;
  std::size_t unfinished = 0;
  for_each_case("optimum", [&](RandomStream& random) {
    const GeneratedRuns runs = generated_runs(random);
    FitRequest request = generated_request(runs, random, {.paper = false, .whole_searches = true});
    FitOptions& options = request.options;
    options.residual = Residual::none;
    if (options.as<Eq4Options>() == nullptr) {
      options.form = SumOptions{given_terms(options).value_or(1), may_subtract(options)};
      options.penalty = {};
    }
    options.penalty.constants = Penalise::raw;
    if (options.loss == Loss::soft_l1)
      options.loss = Loss::mse;
    INFO(test::words_of(runs, request));
    const FittedModel model = fitted(runs, request);
    CHECK(model.search.gap >= 0);
    const Design design = make_design(runs.table(), model.spec, Target::required);
    const double cost = model.search.cost;
    const double rounding = 1e-9 * plain_cost(model, design, options) +
                            1e-12 * (options.loss == Loss::mse ? design.time.squaredNorm()
                                                               : design.time.maxCoeff() + 1);
    CHECK(plain_cost(model, design, options) == Catch::Approx(cost).margin(rounding));
    ++cases;
    const std::vector<bool>& at_bound = model.known.identifiability->at_bound;
    const bool is_at_bound = std::find(at_bound.begin(), at_bound.end(), true) != at_bound.end();
    if (model.search.gap * cost > 1e-6 * cost + rounding)
      ++unfinished;
    else if (!is_at_bound) {  // beyond which others may search
      const double other = climbed(model, model.constants, design, options, random);
      CAPTURE(cost, other, model.search.gap);
      // Raw penalties of large constants have narrow valleys, out of which a random step may lead.
      const bool is_lower = other * (1 + 1e-4) + rounding < cost;
      if (is_lower && options.penalty.l1 + options.penalty.l2 > 0)
        ++unfinished;
      else
        CHECK_FALSE(is_lower);
    }
    if (options.as<Eq4Options>() == nullptr || !runs.derived.empty())
      return;
    const double other = climbed(model, constants_of(runs.law), design, options, random);
    if (cost > other * (1 + 1e-6) + rounding)
      ++beaten;
  });
  // No search of many optima finds the lowest one always, and raw penalties of large constants are
  // so steep that a refinement may end before its optimum, as its gap says.
  CHECK(beaten <= 1 + cases / 50);
  CHECK(unfinished <= 1 + cases / 50);
  if (cases > test::kUsualCases)
    WARN(beaten << " beaten and " << unfinished << " unfinished of " << cases);
}
