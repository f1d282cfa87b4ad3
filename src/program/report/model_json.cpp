#include "report/model_json.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "forms/failure_model.hpp"
#include "forms/form.hpp"
#include "forms/scaling_belief.hpp"
#include "forms/sum_form.hpp"
#include "storage/files.hpp"
#include "table/formula.hpp"
#include "trust/prediction_intervals.hpp"
#include "trust/resampling.hpp"

namespace perfmodel {

// Parts shared with other documents

void describe(Fields& f, Metrics& x) {
  f("rows", x.rows, "how many there are");
  f("mae", x.mae, "mean |t - y|", kNotNegative);
  f("mape_percent", x.mape_percent, "mean |t - y| / t", kNotNegative);
  f("smape_percent", x.smape_percent, "mean 2 |t - y| / (t + y)", kNotNegative);
  f("mse", x.mse, "mean square", kNotNegative);
  f("rmse", x.rmse, "its root", kNotNegative);
  f("r2", OrNull{x.r2}, "share of the variance explained; `null` where all times are equal");
}

void describe(Fields& f, PartMetrics& x) {
  std::optional<Metrics> train = x.train.rows > 0 ? std::optional(x.train) : std::nullopt;
  f("train", train, "[metrics](#metrics) of the training rows");
  f("validation", x.validation, "[metrics](#metrics) of the validation rows");
  f("test", x.test, "[metrics](#metrics) of the test rows");
  if (f.reads())
    x.train = train.value_or(Metrics{});
}

void describe(Fields& f, FailedRuns& x) {
  f("file", x.file, "its base name");
  f("cell", x.cell, "what stood there, or empty");
  f("rows", x.rows, "how many");
  f("lines", x.lines, "the first five");
}

void describe(Fields& f, DataFile& x) {
  f("file", x.file, "its base name");
  f("rows", x.rows, "rows that were used");
  f("sha256", x.sha256, "of its bytes");
}

void describe(Fields& f, Provenance& x) {
  f("file", x.file, "its base name; of several files their names");
  f("rows", x.rows, "rows that were used");
  f("sha256", x.sha256, "of all bytes, one file after the other");
  f("files", x.files, "where there are several: each", kSparse);
  f("failed", x.failed, "the runs that failed, if excluded", kSparse);
  f("row_marks", x.row_marks, "a hash of each row of the fit, by which it is recognised", kSparse);
}

void describe(Fields& f, NoiseFloor& x) {
  f("rows", x.rows, "that share their configuration with another");
  f("groups", x.groups, "of them");
  f("mape_percent", x.mape_percent, "how far they are from the median of their group");
}

namespace {

/// Whole number from -4 to 4, but not 0.
struct Power {
  int& value;

  Json json() const { return value; }
  void read(const JsonCursor& node) const {
    const double power = node.number();
    for (const int whole : {-4, -3, -2, -1, 1, 2, 3, 4})
      if (power == whole)
        return void(value = whole);
    node.fail("expected a whole number from -4 to 4, but 0");
  }
  static Json schema() { return {{"type", "integer"}, {"minimum", -4}, {"maximum", 4}}; }
};

/// A level code, written as the level's name.
struct LevelOf {
  const std::vector<std::string>& levels;
  std::uint32_t& level;

  Json json() const { return levels[level]; }
  void read(const JsonCursor& node) const {
    const auto found = std::ranges::find(levels, node.text());
    if (found == levels.end())
      node.fail(not_one_of(node.text(), levels));
    level = static_cast<std::uint32_t>(found - levels.begin());
  }
  static Json schema() { return fields::schema_of_type("string"); }
};

/// Describes a configuration as one value per column.
void describe_configuration(Fields& f, const ModelSpec& spec, Configuration& x) {
  x.intrinsic.resize(spec.intrinsic.size());
  x.levels.resize(spec.categorical.size());
  x.extrinsic.resize(spec.extrinsic.size());
  const auto describe_number = [&](const NumericInput& input, double& value) {
    f(input.column, value, {}, input.zero ? kNotNegative : kPositive);
  };
  for (std::size_t i = 0; i < spec.intrinsic.size(); ++i)
    describe_number(spec.intrinsic[i], x.intrinsic[i]);
  for (std::size_t c = 0; c < spec.categorical.size(); ++c)
    f(spec.categorical[c].column, LevelOf{spec.categorical[c].levels, x.levels[c]});
  for (std::size_t j = 0; j < spec.extrinsic.size(); ++j)
    describe_number(spec.extrinsic[j], x.extrinsic[j]);
}

}  // namespace

void describe(Fields& f, DerivedColumn& x) {
  f("column", x.column, "its name", kName);
  f("formula", x.formula, "what it is computed by");
  if (!f.reads())
    return;
  try {
    x = make_derived(x.column, x.formula, quoted_formula(x.formula));
  } catch (const UsageError& error) {
    f.fail(error.what());  // the file is invalid, not the usage
  }
}

void describe(Fields& f, SourceColumn& x) {
  f("column", x.column, "its name", kName);
  f("typical", x.typical, "its value of the central run");
}

void describe(Fields& f, Throughput& x) {
  f("column", x.column, "the measured throughput", kName);
  f("work", x.work, "a column or a formula; empty: 1");
}

void describe(Fields& f, Factor& x) {
  f("column", x.column, "its name", kName);
  f("power", Power{x.power}, "its exponent");
}

void describe(Fields& f, Tie& x) {
  f("scale", x.scale, "where it is multiplied by x", kName);
  f("column", x.column, "this input is by x^`power`", kName);
  f("power", Power{x.power}, "in steps: whether the column grows or falls with the scale");
  const bool in_steps = f.reads() ? f.has("step") : x.in_steps();
  f.object("step", "of a column that moves in steps", only_if(in_steps), [&](Fields& step) {
    step("factors", x.factors, "the scale is one, or moves one");
    step("divisor", x.divisor, "of the product of the factors, rounded up");
    if (step.reads() && (x.factors.empty() || !(x.divisor > 0)))
      step.fail("expected factors and a divisor > 0");
  });
}

void describe(Fields& f, ColumnDoubt& x) {
  f("column", x.column, "its name", kName);
  f("result", x.result, "the probability that it is a result of the runs", kShare);
  f("label", x.label, "the probability that it names runs", kShare);
}

void describe(Fields& f, LeftOut& x) {
  f("column", x.column, "its name", kName);
  f("because", x.because, "it is a result, given by others, ...");
  using enum LeftOut::Because;
  auto value =
      x.because == constant || x.because == incomplete ? std::optional(x.value) : std::nullopt;
  f("value", value, "of a constant; in words, what an incomplete one lacks", kSparse);
  if (f.reads())
    x.value = value.value_or("");
  f("identity", x.identity, "what gives it", kSparse);
  f("factors", x.factors, "of a product that gives it", kSparse);
}

namespace {

/// A character, as a text.
struct Mark {
  std::optional<char>& mark;

  bool empty() const { return !mark; }
  Json json() const { return std::string(1, *mark); }
  void read(const JsonCursor& node) const { mark = node.name().front(); }
  static Json schema() { return fields::schema_of_type("string"); }
};

}  // namespace

void describe(Fields& f, FactsFile& x) {
  f("column", x.column, "of the texts", kName);
  f("file", x.path, "its base name");
  f("csv", x.csv, "the table as CSV: a row per text", kName);
}

void describe(Fields& f, ReadingRules& x) {
  f("separator", Mark{x.input.separator}, "of the columns of CSV", kSparse);
  f("decimal", Mark{x.input.decimal}, "the decimal mark", kSparse);
  f("format", x.input.format, "of the files", kSparse);
  f("table", x.input.table, "of an SQLite database: a study, an experiment, a table or a view",
    kSparse);
  std::string older;  // read only
  f("study", older, "`table` in older files, of Optuna", kSparse);
  f("experiment", older, "`table` in older files, of MLflow", kSparse);
  if (!older.empty())
    x.input.table = older;
  f("sql", x.input.sql, "a query of an SQLite database, whose rows are the runs", kSparse);
  f("facts", x.input.facts, "tables about the texts of columns, appended to the runs", kSparse);
  f("failed", x.failed, "what becomes of the runs that failed; `told`: no number, dropped", kNewer);
  f("limit", x.limit, "a column or a number: when a run would have been ended", kSparse);
  f("status", x.status, "the column that tells which runs failed", kSparse);
}

void describe(Fields& f, CentralRun& x) {
  f("line", x.line, "in the runs file");
  f("time", x.time, "measured");
  f.object("configuration", "a value by column", [&](Fields& inner) {
    describe_configuration(inner, f.context<FittedModel>().spec, x.configuration);
  });
}

namespace {

/// A constant, or a quantity derived from constants, with its interval.
struct NamedInterval {
  std::string name;
  Interval interval;
  bool identified = false;
};

void describe(Fields& f, NamedInterval& x) {
  f("name", x.name, "of the constant, difference or column");
  f("low", OrNull{x.interval.low}, "`null` where samples tell none");
  f("high", OrNull{x.interval.high}, "upper end");
  f("identified", std::as_const(x.identified), "whether the runs determine it");
}

/// `identified`: per name; null marks all intervals as not identifiable.
void describe_intervals(Fields& f, const std::string& field, const std::vector<std::string>& names,
                        std::vector<Interval>& intervals, const std::vector<bool>* identified,
                        const std::string& meaning, const FieldRule& rule = {}) {
  std::vector<NamedInterval> items;
  for (std::size_t k = 0; f.writes() && rule.stands && k < names.size(); ++k) {
    const bool is_known = identified != nullptr && k < identified->size() && (*identified)[k];
    items.push_back({names[k], intervals[k], is_known});
  }
  f(field, items, meaning, rule);
  if (!f.reads() || !rule.stands)
    return;
  const JsonCursor node = f.node().member(field);
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (k == names.size() || items[k].name != names[k])
      node.items()[k].member("name").fail(
          fmt::format("'{}' does not stand in the order of the constants", items[k].name));
    intervals.push_back(items[k].interval);
  }
  if (items.size() < names.size())
    node.fail(fmt::format("'{}' is missing", names[items.size()]));
}

}  // namespace

void describe(Fields& f, Uncertainty& x) {
  const auto& model = f.context<FittedModel>();
  const Identifiability* known =
      model.known.identifiability ? &*model.known.identifiability : nullptr;
  const std::vector<std::string> differences =  // "activation=tanh - relu"
      mapped(model.form->differences(model.spec), [](const ConstantDifference& item) {
        return fmt::format("{}={} - {}", item.column, item.level, item.first_level);
      });
  const std::vector<std::string> scales = mapped(model.spec.extrinsic, &NumericInput::column);
  f("method", "bootstrap", "`bootstrap`");
  f("resampled", x.resampling, "what was drawn");
  f("samples", x.samples, "how many");
  f("confidence", x.confidence, "of the intervals", kShare);
  describe_intervals(f, "constants", constant_names(model), x.constants,
                     known ? &known->constants : nullptr, "one per constant");
  describe_intervals(f, "level_differences", differences, x.differences,
                     known ? &known->differences : nullptr, "of levels to the first of a column");
  describe_intervals(f, "scaling_powers", scales, x.scaling_powers,
                     known ? &known->scaling_powers : nullptr, "of a sum",
                     only_if(model.form->has_local_powers()));
}

void describe(Fields& f, Spread& x) {
  f("name", x.name, "of the quantity", kName);
  f("mean", x.mean, "over the seeds");
  f("standard_deviation", x.standard_deviation, "n - 1");
}

void describe(Fields& f, SeedFit& x) {
  f("seed", x.seed, "of one fit");
  f("cost", x.cost, "that it found");
}

void describe(Fields& f, RepeatSummary& x) {
  f("fits", x.fits, "how many");
  // Readers of the file might mistake "standard deviation" for an uncertainty.
  f("meaning",
    "mean and standard deviation (n - 1) over seeds of the search on the same rows: not a "
    "confidence interval",
    "a sentence");
  f("seeds", x.seeds, "each");
  f("constants", x.constants, "by name");
  f("scaling_powers", x.scaling_powers, "by column");
  f.object("metrics", "of each part", [&](Fields& parts) {
    parts("train", x.train, "by name");
    parts("validation", x.validation, "by name");
    parts("test", x.test, "by name");
  });
}

void describe(Fields& f, Penalty& x) {
  f("l1", x.l1, "lambda of the sum of |x|");
  f("l2", x.l2, "lambda of the sum of x^2");
  auto constants =
      x.constants == Penalise::raw ? std::nullopt : std::optional<Penalise>(x.constants);
  f("constants", constants, "`scaled`: they count free of units", kSparse);
  if (f.reads())
    x.constants = constants.value_or(Penalise::raw);
}

void describe(Fields& f, HeldOutErrors& x) {
  f("form", x.form, "`generic`: Eq. (4); `multi`: the formula alone; `process`: both");
  f("random", x.random, "mean error of ln(time) over the random folds");
  f("far_ends", x.extrapolation_folds, "over the extrapolation folds");
}

void describe(Fields& f, FormChoice& x) {
  f("chosen_by", Either{x.given, "cross-validation", "user"}, "origin of the form");
  f("candidates", x.candidates, "that were judged");
  f("random_folds", x.random_folds, "they were judged on");
  f("far_folds", x.extrapolation_folds, "extrapolation folds they were judged on");
  f("held_out", x.held_out, "of `auto` with a correction: errors of the forms", kSparse);
}

void describe(Fields& f, HyperPriorFacts& x) {
  f("of", x.of, "which hyper-parameter");
  f("mean", x.mean, "of a normal distribution");
  f("standard_deviation", x.standard_deviation, "of it");
}

namespace {

/// Returns the objective of the fit in words: the loss and every active penalty.
std::string minimised_text(const SearchSummary& search) {
  std::string out =
      std::string(to_text(search.objective.loss)) +
      (search.objective.quantile ? " at the quantile " + to_text(*search.objective.quantile) : "") +
      " over the training rows";
  const auto add = [&](double lambda, const std::string& sum) {
    if (lambda > 0)
      out += fmt::format(" + {} {}", to_text(lambda), sum);
  };
  add(search.objective.penalty.l1, "sum |x|");
  add(search.objective.penalty.l2, "sum x^2");
  if (search.ridges.size() == 1)
    add(search.ridges.front(), "sum x^2");
  else if (!search.ridges.empty())
    out += " + the ridge of each level times sum x^2";
  return out;
}

}  // namespace

void describe(Fields& f, PriorFreedom& x) {
  f("column", x.column, "of the powers; empty: all other constants");
  f("freedom", x.freedom, "multiplies their prior standard deviations");
}

void describe(Fields& f, PriorFacts& x) {
  f("file", x.file, "of the runs of the earlier model");
  f("rows", x.rows, "of that file");
  f("factor", x.factor, "geometric mean of new over old predictions, over the runs");
  f("deviation", x.deviation, "standard deviation of ln(time) of single runs");
  f("freedoms", x.freedoms, "of groups of constants");
}

void describe(Fields& f, SearchSummary& x) {
  const auto [gp, of_gp] = f.part(x.gp, "objective");
  const FieldRule of_formula = only_if(!x.gp);
  f("objective", gp.objective, "what its hyper-parameters maximise", of_gp);
  f("priors", gp.priors, "of the hyper-parameters", of_gp);
  f("most_rows", gp.rows, "of the posterior, at most", of_gp);
  f("method", x.method, "in normalised columns, or as in the paper", of_formula);
  f("loss", x.objective.loss, "that is minimised", of_formula);
  f("quantile", x.objective.quantile, "at which the loss is a pinball loss", of_formula | kSparse);
  f("penalty", x.objective.penalty, "beside it", of_formula);
  f("seed", x.seed, "of the search");
  f("strategy", x.strategy, "of the search");
  f("starts", x.starts, "independent searches; of a correction 4");
  f("population", x.population, "members, of the best start", of_formula);
  f("generations", x.generations, "done, of the best start", of_formula);
  f("evaluations", x.evaluations, "of all starts");
  f("termination", x.termination, "why it ended");
  f("polish_gain", x.polish_gain, "share of the cost that the finish took off", of_formula);
  f("gap", x.gap, "[the certificate](method.md#the-exact-finish)", of_formula);
  f("cost", x.cost, "at the constants");
  f("noise", gp.noise, "of a correction", of_gp | kNewer);
  auto outliers = gp.noise == GpNoise::student_t ? std::optional(gp.outliers) : std::nullopt;
  f("outliers", outliers, "runs that count for little", of_gp | kSparse);
  if (f.reads() && x.gp)
    gp.outliers = outliers.value_or(0);
  f("form", x.form, "how it was chosen", kSparse);
  f("minimised", minimised_text(x), "in words", of_formula | only_if(x.form.has_value()));
  f("ridges", x.ridges, "lambda of the sum of squares", of_formula | kSparse);
  f("prior", x.prior, "how an earlier model was adapted", kSparse);
  if (f.reads() && x.gp)
    x.objective.loss = Loss::rmsle;
}

void describe(Fields& f, Warning& x) {
  f("kind", x.kind, "[which](#kinds-of-warnings)");
  f("constant", x.constant, "which one it is about, or empty");
  f("message", x.message, "a whole sentence");
}

namespace {

/// Mean and standard deviation over folds.
struct OverFolds {
  double mean = 0;
  double standard_deviation = 0;
};

void describe(Fields& f, OverFolds& x) {
  f("mean", x.mean, "over the folds");
  f("standard_deviation", x.standard_deviation, "over the folds");
}

}  // namespace

void describe(Fields& f, CrossValidation& x) {
  ByName<OverFolds> metrics;
  for (const Spread& spread : metrics_spread(x.folds))
    metrics.emplace_back(spread.name, OverFolds{spread.mean, spread.standard_deviation});
  f("folds", x.folds.size(), "their number");
  f("group_by", x.group_by, "a column, or `null`", kName);
  f("metrics", std::as_const(metrics), "by name");
  f("held_out", x.folds, "[metrics](#metrics) of each fold");
}

constexpr auto kScore = "ln(measured / predicted)";
constexpr auto kDividedScore = "ln(measured / predicted) / deviation";

namespace {

/// Looking up a level relies on ranks that ascend from 1 to `count`, with ascending scores.
void check_ranks(const Fields& f, const PredictionIntervals& x) {
  const bool ranks_fit =
      x.ranks.empty()
          ? x.count == 0
          : x.ranks.front() == 1 && x.ranks.back() == x.count &&
                std::ranges::adjacent_find(x.ranks, std::greater_equal<>()) == x.ranks.end();
  if (!ranks_fit || x.scores.size() != x.ranks.size() || !std::ranges::is_sorted(x.scores))
    f.fail("expected ranks from 1 to count in ascending order and as many ascending scores");
}

}  // namespace

void describe(Fields& f, PredictionIntervals& x) {
  f("method", x.calibration, "by rows of the validation part, or by folds");
  f("score", Either{x.by_deviation, kScore, kDividedScore}, "divided with a correction alone");
  f("level", x.level, "used where no other is asked for", kInnerShare);
  f("count", x.count, "calibration rows");
  f("test_coverage", x.test_coverage, "share of the test rows inside");
  f("ranks", x.ranks, "ranks (from 1) of the sorted scores that are kept");
  f("scores", x.scores, "their values");
  f("held_out_deviation", x.held_out_deviation, "its median", kSparse | kPositive);
  f("added_deviation", x.added_deviation, "beyond what the correction says",
    only_if(x.by_deviation) | kNewer | kNotNegative);
  if (!f.reads())
    return;
  if (x.by_deviation && !has_gp(*f.context<FittedModel>().form))
    f.node().member("score").fail(fmt::format("expected '{}'", kScore));
  if (x.held_out_deviation && !x.by_deviation)
    f.node()
        .member("held_out_deviation")
        .fail("expected a number > 0, of scores that are divided by the deviation");
  check_ranks(f, x);
}

void describe(Fields& f, CutRuns& x) {
  f("rows", x.rows, "of the training rows");
  f("limit", x.limit, "the column of the limits, or the limit; empty if it is from the cells");
  f("deviation", x.deviation,
    "standard deviation of ln(time) by which their times are expected; 0 if their order suffices");
}

void describe(Fields& f, Law& x) {
  f("formula", x.formula, "fitted to the training rows");
  f("weight", x.weight, "of all laws, by held-out runs", kShare);
  f("times", x.times, "at the values of the scale");
}

void describe(Fields& f, Laws& x) {
  f("column", x.column, "the scale along which they differ most", kName);
  f("values", x.values, "2 and 4 times its largest measured value");
  f("laws", x.laws, "formulas that the runs allow, the largest weight first");
}

void describe(Fields& f, BoundUse& x) {
  f("coverage", x.coverage, "share of the rows at or below their bound");
  f("over_allocation", x.over_allocation, "sum of the bounds over that of the measured values");
}

void describe(Fields& f, Bound& x) {
  f("quantile", x.quantile, "share of new runs that is meant to stay below", kInnerShare);
  f("factor", x.factor, "of held-out rows, by which coefficients are multiplied", kPositive);
  f("train", x.train, "on the training rows");
  f("validation", x.validation, "on the validation rows", kSparse);
  f("test", x.test, "on the test rows", kSparse);
}

void describe(Fields& f, Effect& x) {
  f("column", x.column, "an input that can be changed alone", kName);
  f("from", x.from, "a value");
  f("to", x.to, "another value");
  f("ratio", x.ratio, "of the time at `to` to that at `from`", kPositive);
  const auto [ends, if_known] = f.part(x.interval, "low");
  f("low", ends.low, "of the ratio, 90 %", if_known);
  f("high", ends.high, "of the ratio, 90 %", if_known);
  f("determined", x.is_determined(), "by the runs", if_known);
  f("measured", x.measured, "whether the runs cover both values", kNewer);
  const auto [band, if_followed] = f.part(x.over_runs, "runs_low");
  f("runs_low", band.low, "of the ratio, its 10th percentile over the runs", if_followed);
  f("runs_high", band.high, "of the ratio, its 90th percentile over the runs", if_followed);
  f("most_at", x.most_at, "where the effect is largest", kSparse);
}

void describe(Fields& f, RegionPart& x) {
  const bool is_level = f.reads() ? f.has("level") : !x.level.empty();
  f("column", x.column, "its name", kName);
  f("range", Ends{x.low, x.high}, "lowest and highest value", only_if(!is_level));
  f("level", x.level, "of a text column", only_if(is_level) | kName);
}

namespace {

void describe_unmeasured(Fields& f, std::vector<UnmeasuredRegion>& regions) {
  std::vector<std::vector<RegionPart>> parts = mapped(regions, &UnmeasuredRegion::parts);
  f("unmeasured_regions", parts, "each the parts that it lies in all of", kSparse);
  for (std::size_t k = 0; f.reads() && k < parts.size(); ++k) {
    if (parts[k].empty())
      f.node().member("unmeasured_regions").items()[k].fail("expected at least one column");
    regions.push_back({parts[k]});
  }
}

/// The constants of a form; `kind` reads them.
struct ConstantsOf {
  FittedModel& model;
  const FormKind* kind;

  Json json() const {
    Fields f(&model);
    model.form->describe_constants(f, model);
    return f.json();
  }
  void read(const JsonCursor& node) const {
    Fields f(node, &model);
    kind->read(f, model);
  }
  /// One schema per form; with a Gaussian process, one per form of its trend.
  static Json schema() {
    std::vector<Json> forms;
    std::vector<std::string> texts;
    for (const FormKind& kind : form_kinds()) {
      std::string title(kind.name);
      for (const auto& trend : {eq4_form(), sum_of_products()}) {
        FittedModel sample;
        sample.form = trend;
        Fields f = Fields::to_describe(&sample);
        kind.read(f, sample);
        const std::string text = line_text(f.json());
        if (contains(texts, text))
          continue;
        texts.push_back(text);
        forms.push_back(f.json());
        forms.back()["title"] = title;
        title += "-sum";  // the second is of the second trend
      }
    }
    return Json{{"anyOf", forms}};
  }

 private:
  static std::shared_ptr<const Form> sum_of_products() {
    return std::make_shared<SumForm>(SumStructure{});
  }
};

/// Oldest schema version that can represent the model: older programs would misread it.
std::uint64_t schema_version(const FittedModel& model) {
  constexpr std::uint64_t with_gp = 2;
  constexpr std::uint64_t with_zeros = 3;
  constexpr std::uint64_t of_bounds = 4;    // older programs would take them for means,
  constexpr std::uint64_t of_averages = 5;  // and these for the formula alone
  return model.bound              ? of_bounds
         : is_averaged(model)     ? of_averages
         : model.spec.has_zeros() ? with_zeros
         : has_gp(*model.form)    ? with_gp
                                  : 1;
}

ByName<double> scaling_powers_by_name(const FittedModel& model) {
  ByName<double> out;
  const std::vector<double> powers = perfmodel::scaling_powers(model);
  for (std::size_t j = 0; j < powers.size(); ++j)
    out.emplace_back(model.spec.extrinsic[j].column, powers[j]);
  return out;
}

const FormKind& read_form(const JsonCursor& root, const std::vector<FormKind>& kinds) {
  const auto node = root.member("expression").member("form");
  const std::string text = node.text();
  std::vector<std::string> names;
  for (const FormKind& kind : kinds) {
    if (kind.name == text)
      return kind;
    names.emplace_back(kind.name);
  }
  node.fail(not_one_of(text, names));
}

void describe_spec(Fields& f, ModelSpec& spec, const Form& form, const FittedModel& model) {
  f.object("expression", "what is computed", [&](Fields& expression) {
    expression("form", form.name(), "`generic`, `multi` or `process`");
    expression("formula", f.writes() ? form.formula(spec, model.constants) : std::string(),
               "for people");
  });
  f.object("target", "the time", [&](Fields& target) {
    target("column", spec.target, "of the measured time", kName);
    target("unit", spec.unit, "a label; may be empty");
    target("shown_unit", spec.shown_unit, "of memory: in which its cells were written, `GiB`",
           kSparse);
    target("throughput", spec.throughput, "if a throughput was measured", kSparse);
  });
  f("derived", spec.derived, "computed columns", kSparse);
  f("derived_sources", spec.sources, "columns that only derived ones need", kSparse);
  f("tied", spec.ties, "numeric inputs that move with a scale in every run, or in all but a few",
    kSparse);
}

/// The belief of a model as a field.
struct BeliefField {
  std::shared_ptr<const ScalingBelief> belief;
};

void describe(Fields& f, BeliefField& x) {
  ScalingBelief::describe(f, x.belief);
}

void describe_origin(Fields& f, Provenance& x) {
  f("tool", x.tool, "the program and its version");
  f.object("data", "the runs", [&](Fields& data) {
    describe(data, x);
    data("notices", x.notices, "what was inferred about the columns");
  });
}

/// Describes everything except the checks after reading. `kinds`: forms that a file may have.
void describe_model(Fields& f, FittedModel& model, const std::vector<FormKind>& kinds) {
  f.set_context(&model);
  f.document("perfmodel/model", "A fitted model: fit", f.writes() ? schema_version(model) : 1,
             kModelSchemaVersion, "model file");
  const FormKind* const kind = f.reads() ? &read_form(f.node(), kinds) : nullptr;
  describe_spec(f, model.spec, *model.form, model);
  f("left_out", model.provenance.left_out, "columns of the runs that are no inputs", kSparse);
  f("doubts", model.provenance.doubts,
    "what each column is that [its name and cells](#doubts) decide", kSparse);
  f("reading", model.provenance.reading,
    "[how the runs were read](#reading), and so are further ones", kSparse);
  f("constants", ConstantsOf{model, kind}, "the inputs and [their constants](#constants)");
  f("scaling_powers", f.writes() ? scaling_powers_by_name(model) : ByName<double>{},
    "by extrinsic column");
  if (f.reads() && model.form->has_local_powers())
    f.node().member("scaling_powers_at");
  const auto [typical, if_local] = f.part(model.typical, "scaling_powers_at");
  f.object("scaling_powers_at", "where they are local", if_local,
           [&, &at = typical](Fields& inner) { describe_configuration(inner, model.spec, at); });
  f("central_run", model.central, "[the run](method.md#the-central-run) amid all others", kSparse);
  f("metrics", model.known.metrics, "by part; a part without rows is `null`");
  f("noise_floor", model.known.noise_floor, "of rows of one configuration", kNewer);
  f("uncertainty", model.known.uncertainty, "[of a bootstrap](trust.md#how-sure-the-constants-are)",
    kNewer);
  f("repeats", model.known.repeats, "of repeated fits");
  auto search =
      model.search.strategy.empty() ? std::nullopt : std::optional<SearchSummary>(model.search);
  f("search", search, "[how the constants were found](#search)");
  f("warnings", model.warnings, "what to know before believing the model");
  f.object("provenance", "where the model came from",
           [&](Fields& inner) { describe_origin(inner, model.provenance); });
  f("cross_validation", model.known.cross_validation, "if folds were asked for", kSparse);
  f("prediction_intervals", model.known.intervals, "[their calibration](#prediction-intervals)",
    kSparse);
  auto belief = model.belief ? std::optional(BeliefField{model.belief}) : std::nullopt;
  f("scaling_process", belief, "[what the runs say without the formula](#scaling-process)",
    kSparse);
  if (f.reads() && belief)
    model.belief = belief->belief;
  f("cut", model.provenance.cut,
    "[the runs that count as longer than their limit](#runs-that-were-cut-off)", kSparse);
  f("bound", model.bound, "[where the predictions are bounds](#bounds)", kSparse);
  f("effects", model.known.effects, "[of other values of the inputs](#effects)", kSparse);
  const auto [correction, if_corrected] = f.part(model.known.correction, "correction");
  f.object("correction", "of a residual correction (Gaussian process)", if_corrected,
           [&share = correction](Fields& inner) { inner("typical", share, "share of the time"); });
  describe_unmeasured(f, model.known.unmeasured);
  f("laws", model.known.laws, "[that the runs allow](trust.md#the-laws-that-the-runs-allow)",
    kSparse);
  auto failures =
      model.failures ? std::optional<FailureFacts>(model.failures->facts()) : std::nullopt;
  f("failures", failures, "[the probability that a run fails](#failures)", kSparse);
  if (f.reads() && failures)
    model.failures = std::make_shared<const FailureModel>(*std::move(failures));
  if (f.reads() && search)
    model.search = *search;
}

/// Restores the constants at a bound, which the file lists in its warnings only.
void mark_bounds(FittedModel& model) {
  if (!model.known.identifiability)
    return;
  const std::vector<std::string> names = constant_names(model);
  std::vector<bool>& at_bound = model.known.identifiability->at_bound;
  at_bound.assign(names.size(), false);
  for (const Warning& warning : model.warnings) {
    const auto found = std::ranges::find(names, warning.constant);
    if (warning.kind == "at_bound" && found != names.end())
      at_bound[static_cast<std::size_t>(found - names.begin())] = true;
  }
}

void check_input(const ModelSpec& spec, const JsonCursor& node) {
  for (const auto* inputs : {&spec.intrinsic, &spec.extrinsic})
    for (const NumericInput& input : *inputs)
      if (input.column == node.text())
        return;
  node.fail(fmt::format("the model has no numeric input '{}'", node.text()));
}

/// Ties are checked last because the file lists them before their inputs.
void check_ties(const ModelSpec& spec, const JsonCursor& root) {
  const auto ties = root.optional_member("tied");
  for (const JsonCursor& tie : ties ? ties->items() : std::vector<JsonCursor>{}) {
    check_input(spec, tie.member("scale"));
    check_input(spec, tie.member("column"));
    if (const auto step = tie.optional_member("step"))
      for (const JsonCursor& factor : step->member("factors").items())
        check_input(spec, factor.member("column"));
  }
}

/// Checks the fields that follow from the constants, so that editing the constants alone cannot
/// leave a contradictory file. Missing fields are accepted. If the notation of formulas changes,
/// the old notation must be accepted too.
void check_derived_fields(const FittedModel& model, const JsonCursor& root) {
  check_formula(root.member("expression"), model.form->formula(model.spec, model.constants));
  const auto node = root.optional_member("scaling_powers");
  if (!node)
    return;
  for (const auto& [column, expected] : scaling_powers_by_name(model))
    if (const auto power = node->optional_member(column))
      check_number(*power, expected, 1 + std::abs(expected));
}

}  // namespace

void describe(Fields& f, FittedModel& model) {
  if (f.reads())
    model = read_model(f.node(), form_kinds());
  else
    describe_model(f, model, form_kinds());
}

FittedModel read_model(const std::string& path) {
  return read_model(path, form_kinds());
}

FittedModel read_model(const std::string& path, const std::vector<FormKind>& kinds) {
  return read_model(JsonCursor::parse(display_name(path), read_file(path)), kinds);
}

FittedModel read_model(const JsonCursor& root, const std::vector<FormKind>& kinds) {
  FittedModel model;
  Fields f(root);
  describe_model(f, model, kinds);
  if (const JsonCursor version = root.member("schema_version");
      version.count() != schema_version(model))
    version.fail(fmt::format("a model of the form '{}' has version {}{}", model.form->name(),
                             schema_version(model),
                             model.bound              ? " where it is a bound"
                             : is_averaged(model)     ? " where it is averaged with a process"
                             : model.spec.has_zeros() ? " where a column may be 0"
                                                      : ""));
  check_ties(model.spec, root);
  check_derived_fields(model, root);
  mark_bounds(model);
  return model;
}

std::string to_json(const FittedModel& model) {
  return document_text(json_of(model));
}

}  // namespace perfmodel
