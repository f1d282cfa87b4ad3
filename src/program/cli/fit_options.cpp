#include "cli/fit_options.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/parallel.hpp"
#include "base/text.hpp"

namespace perfmodel::cli {
namespace {

/// The value, which is created if necessary.
template <class Value>
Value& made(std::optional<Value>& variable) {
  return variable ? *variable : variable.emplace();
}

std::vector<std::string>& made(std::vector<std::string>& variable) {
  return variable;
}

/// Adds an option for a list "A,B", which may be repeated.
template <class Columns>
Option add_columns(OptionSet& app, const std::string& name, Columns& variable,
                   const std::string& help) {
  const auto append = [name, &variable](const std::string& text) {
    std::vector<std::string>& columns = made(variable);
    for (auto& column : split_list(text)) {
      if (column.empty())
        throw OptionError(name, "'" + text + "' has an empty column name");
      columns.push_back(std::move(column));
    }
  };
  return app.add_each(name + " A,B", append, help);
}

FactsFile parse_facts(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw OptionError("--facts",
                      "'" + text + "' is not a column and a file, such as device=devices.csv");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

void add_input_options(OptionSet& app, InputOptions& input) {
  const std::map<std::string, char> names = {{"comma", ','}, {",", ','},    {"semicolon", ';'},
                                             {";", ';'},     {"tab", '\t'}, {"\\t", '\t'},
                                             {"\t", '\t'},   {"pipe", '|'}, {"|", '|'}};
  const auto parse = [&separator = input.separator, names](const std::string& text) {
    const auto known = names.find(text);
    if (known == names.end())
      throw OptionError("--separator",
                        "'" + text + "' is not one of 'comma', 'semicolon', 'tab' and 'pipe'");
    separator = known->second;
  };
  app.group("Reading files", /*of_program=*/true);
  app.add("--separator comma|semicolon|tab|pipe", parse,
          "separator of the columns (default: recognised)");
  app.add(
      "--decimal ,|.",
      [&decimal = input.decimal](const std::string& text) {
        if (text != "," && text != ".")
          throw OptionError("--decimal", "'" + text + "' is neither ',' nor '.'");
        decimal = text.front();
      },
      "the decimal mark; the other one marks thousands (default: recognised)");
  app.choice<InputFormat>(
      "--input-format", input.format,
      "what the file is, if it is not recognised; csv, as it is, json, sqlite, extrap, asv, "
      "hyperfine, google-benchmark, go-benchmark, pytest-benchmark, jmh, fio, criterion or seff");
  app.add("--table NAME", input.table, "a study, experiment, table or view of an SQLite database");
  app.add("--sql QUERY", input.sql, "a query of an SQLite database, whose rows are the runs")
      .excludes("--table", "a query names its tables itself");
  app.add_each(
      "--facts COL=FILE", input.facts, parse_facts,
      "a table with one row per text of the column, such as the bandwidth of each device; its "
      "columns become inputs in place of the text (repeatable)");
}

void add_failed(OptionSet& app, FailedRunsAre& failed, bool with_limits) {
  Choices<FailedRunsAre> choices = {{"refuse", FailedRunsAre::refused},
                                    {"drop", FailedRunsAre::dropped}};
  if (with_limits)
    choices.emplace_back("censor", FailedRunsAre::censored);
  app.group("Reading files");
  app.choice<FailedRunsAre>(
      "--failed", failed, choices,
      std::string("runs whose time is blank, NA, nan, 0, failed, ...: refuse the file, or drop and "
                  "count them") +
          (with_limits ? "; censor: of these, runs that were ended at a limit (>3600, or timeout "
                         "with --limit) count as longer"
                       : "") +
          " (default: drop them, but refuse 0)");
}

void add_reading(OptionSet& app, ReadingRules& reading) {
  add_input_options(app, reading.input);
  add_failed(app, reading.failed);
  app.add("--status COL", reading.status, kStatusHelp);
  app.add("--limit COL", reading.limit,
          "when a run would have been ended: a column, or a number or quantity for all runs (2h); "
          "runs that were ended there are left out");
}

void add_role_options(OptionSet& app, RoleRequest& request, InputOptions& input, bool with_limits) {
  app.group("Columns");
  app.of_kinds(kAnyKind & ~kPrior);
  app.add("--target COL", request.target, "the measured time (default: inferred from the name)");
  app.add(
         "--throughput-target COL",
         [&](const std::string& text) { made(request.throughput).column = text; },
         "a measured throughput instead of a time; the time is 1 / throughput, that of one sample, "
         "step, ...")
      .never_empty()
      .not_of(kOwnFormula | kPrior | kCensored)
      .excludes("--target", "both name the measured column");
  app.add(
         "--work FORMULA", [&](const std::string& text) { made(request.throughput).work = text; },
         "the work of one iteration, such as batch_size or 'local_batch * gpus'; the time is work "
         "/ throughput")
      .never_empty()
      .needs("--throughput-target");
  add_columns(app, "--extrinsic", request.extrinsic,
              "columns of scale: workers, batch size (default: inferred)");
  add_columns(
      app, "--intrinsic", request.intrinsic,
      "other inputs of the model; none: only the extrinsic ones (default: all other columns)")
      .not_of(kOwnFormula | kPrior);
  add_columns(app, "--categorical", request.categorical, "numeric columns to treat as levels");
  add_columns(app, "--ignore", request.ignore, "columns to exclude");
  app.add_each(
      "--derive NAME=FORMULA", request.derived, parse_derived,
      "a column computed from others, such as 'flops = filters * kernel_size^2' (repeatable)");
  app.add(
      "--target-unit,--time-unit UNIT",
      [&](const std::string& text) {
        if (!is_utf8(text))
          throw OptionError("--target-unit", "'" + text + "' is not UTF-8");
        request.time_unit = text;
      },
      "label of the target's unit, by which it is a time, memory, ...; nothing is converted to it "
      "(default: that of the cells, or of a name that ends in _s, _ms, _us)");
  app.of_kinds(kAnyKind);
  add_input_options(app, input);
  add_failed(app, request.failed, with_limits);
  app.common({"--target", "--extrinsic", "--ignore"});
}

void add_split_options(OptionSet& app, SplitArguments& split, const std::string& standard) {
  app.add("--split SHARES", split.shares, parse_split,
          "shares of training, validation and test rows; 60:20:20 or 80:20 (default: " + standard +
              ")");
  app.count("--split-seed N", split.seed, "seed of the split", 0);
  app.common({"--split"});
}

LabelledRuns read_labelled_runs(const std::vector<std::string>& paths, const RoleRequest& request,
                                const InputOptions& input, Console& console,
                                const ReadProgress& progress) {
  return told(label_runs(read_runs(paths, {request.categorical.begin(), request.categorical.end()},
                                   input, progress),
                         request),
              console);
}

LabelledRuns told(LabelledRuns runs, Console& console) {
  for (const std::string& warning : runs.warnings)
    console.warning(warning);
  for (const auto& notice : runs.roles.notices)
    console.notice(notice);
  return runs;
}

namespace {

/// The number of terms; nullopt for "auto".
std::optional<std::size_t> parse_terms(const std::string& text) {
  if (text == "auto")
    return std::nullopt;
  if (text.size() != 1 || text[0] < '1' || text[0] > '9')
    throw OptionError("--terms", "'" + text + "' is neither 'auto' nor 1 to 9");
  return static_cast<std::size_t>(text[0] - '0');
}

/// "(default: 8; paper: 15)", from search_defaults(), which alone defines the defaults.
std::string defaults_text(const std::function<std::string(const SearchDefaults&)>& text_of) {
  const std::string scaled = text_of(search_defaults(Method::scaled));
  const std::string paper = text_of(search_defaults(Method::paper));
  return "(default: " + scaled + (paper == scaled ? ")" : "; paper: " + paper + ")");
}

const std::vector<std::string> kSearchKeys = {"exploration-rows", "strategy", "population",
                                              "generations", "tolerance"};

/// Sets the key of "population=8".
void set_search(SearchSettings& search, const std::string& setting) {
  const auto equals = setting.find('=');
  const std::string key = setting.substr(0, equals);
  const std::string flag = "--search " + key;
  if (equals == std::string::npos || !contains(kSearchKeys, key))
    throw OptionError("--search", "'" + setting + "' has none of the keys " +
                                      quoted_list(kSearchKeys) + ", as population=8 has");
  const std::string value = setting.substr(equals + 1);
  if (key == "exploration-rows")
    search.exploration_rows = parse_count(flag, value, 0);
  else if (key == "strategy")
    search.strategy = parse_choice(flag, value, choices_of<optimise::Strategy>());
  else if (key == "population")
    search.population = parse_count(flag, value, 1);
  else if (key == "generations")
    search.generations = parse_count(flag, value, 1);
  else
    search.tolerance = parse_in(flag, value, {});
}

Option add_search_settings(OptionSet& app, SearchSettings& search) {
  using Defaults = SearchDefaults;
  const auto set = [&search](const std::string& text) {
    for (const std::string& setting : split_list(text))
      set_search(search, setting);
  };
  return app.add_each(
      "--search KEY=VALUE", set,
      "settings of differential evolution, by commas or repeated: population=8,generations=500\n"
      "exploration-rows: explore on so many random rows with columns rounded to 128 values, then "
      "finish on all exact rows; 0: explore on all exact rows " +
          defaults_text([](const Defaults& d) { return std::to_string(d.exploration_rows); }) +
          "\nstrategy: of mutation; best1bin, rand1bin or currenttobest1bin (default: best1bin)\n"
          "population: members per free constant " +
          defaults_text([](const Defaults& d) { return std::to_string(d.population); }) +
          "\ngenerations: at most " +
          defaults_text([](const Defaults& d) { return std::to_string(d.generations); }) +
          "\ntolerance: converged when the costs of the population spread less than this times "
          "their mean; the finish goes on " +
          defaults_text([](const Defaults& d) { return to_text(d.tolerance); }));
}

constexpr auto kSearchOfSums =
    "sums have a search of their own, which takes --loss, --l1, --l2, --seed, --starts and "
    "--threads";

/// The forms, and the residual correction, whose constants have no loss.
void add_kinds(OptionSet& app, const SearchArguments& arguments, bool any) {
  const auto fits_eq4 = [&arguments] { return arguments.expression == Expression::eq4; };
  app.kind({kEq4, {"--expression generic", fits_eq4}, ""});
  app.kind({kSum, "--expression multi", kSearchOfSums});
  if (!any)
    return;
  app.kind({kAuto, "--expression auto", kSearchOfSums});
  app.kind({kOwnFormula, "--formula", "it names its columns itself and is the form"});
  app.kind({kGp, "--residual process",
            "its constants and hyper-parameters maximise a likelihood; leave out one of them"});
}

std::size_t default_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    // OMP_NUM_THREADS may list the threads per nesting level; only the first counts.
    const std::string_view list(text);
    if (const auto threads = parse_whole(list.substr(0, list.find(','))); threads.value_or(0) > 0)
      return *threads;
  }
  return processor_count();
}

/// A user's own formula, and what of Eq. (4) and its columns it replaces.
void add_formula_options(OptionSet& app, SearchArguments& arguments) {
  OwnOptions& own = arguments.own;
  app.add(
         "--formula FORMULA",
         [&](const std::string& text) {
           const OwnFormula parsed = parse_own_formula(text);
           arguments.expression = Expression::formula;
           own.formula.target = parsed.target;
           own.formula.text = parsed.text;
         },
         "a law of your own; 't = max(flops / F, bytes / B) * n^p + C' names the measured column "
         "and a formula of columns and of constants, which are all other names")
      .not_of(kPrior);
  app.add_each("--per COL:CONSTANT", own.formula.per, parse_per_level,
               "a constant of the formula has a value per level of a column of texts: device:F "
               "(repeatable)")
      .needs("--formula");
  app.flag("--positive", own.positive,
           "constants of the formula are not negative, but for exponents and those with --bounds")
      .needs("--formula");
}

void add_expression(OptionSet& app, SearchArguments& arguments, bool any) {
  std::vector<Expression> expressions = {Expression::eq4, Expression::sum};
  std::vector<Residual> residuals = {Residual::none};
  if (any) {
    expressions.push_back(Expression::automatic);
    residuals.insert(residuals.begin(), Residual::gp);
  }
  app.group("Expression");
  add_kinds(app, arguments, any);
  app.choice(
      "--expression", arguments.expression, expressions,
      std::string("the form of the formula: generic, the default, is Eq. (4)\n"
                  "generic: Eq. (4) of the paper\n"
                  "multi: a sum of product terms, t = sum_k a_k prod I^p_k prod E^q_k + C") +
          (any ? "\nauto: the formula that, with a residual correction, predicts held-out runs "
                 "best and reads well"
               : ""));
  app.option("--expression").not_of(kOwnFormula | kPrior);
  app.rule({"--terms !auto", "--expression auto", true, "auto chooses the terms, too"});
  app.add(any ? "--terms K|auto" : "--terms K", arguments.sum.terms, parse_terms,
          any ? "number of terms of multi: 1 to 9, or chosen by cross-validation (default: auto)"
              : "number of terms of multi, which needs it: 1 to 9")
      .not_of(kEq4 | kOwnFormula | kPrior);
  if (any)
    app.flag("--signed", arguments.sum.signed_terms,
             "with chosen terms of multi: terms may be subtracted, as in 2518 - 413 log2(gpus)")
        .not_of(kEq4 | kOwnFormula | kPrior | kGp)
        .excludes("--terms !auto", "it is for terms that are chosen");
  app.choice(
         "--residual", arguments.residual, residuals,
         any ? "process: a residual correction, a Gaussian process of ln(time); most accurate near "
               "the runs (default: none; of auto: process)"
             : "only none: a residual correction has no penalties (default: none)")
      .not_of(kPrior);
  if (any)
    add_formula_options(app, arguments);
}

void add_loss(OptionSet& app, SearchArguments& arguments) {
  Penalty& penalty = arguments.options.penalty;
  app.group("Loss");
  app.of_kinds(kAnyKind & ~kPrior);
  app.choice("--loss", arguments.loss,
             std::vector{Loss::mae, Loss::mape, Loss::mse, Loss::rmsle, Loss::huber},
             "the loss that is minimised; huber: of ln(time), squared up to 0.001; if multi "
             "chooses its terms and no loss is set: soft-l1 of ln(time), with a small ridge; with "
             "--formula and --residual process: rmsle (default: mae)");
  app.of_kinds(kAnyKind & ~(kPrior | kGp | kCensored));
  app.number("--l1 LAMBDA", penalty.l1, "lambda of Eq. (10), sum |x| over all constants except C");
  app.number("--l2 LAMBDA", penalty.l2, "lambda of Eq. (11), sum x^2 over all constants except C");
  app.choice<Penalise>(
         "--penalise", penalty.constants,
         "raw: the constants in the units of the data, as in the paper\nscaled: without units")
      .not_of(kSum | kAuto | kPrior | kGp);
}

}  // namespace

void add_threads(OptionSet& app, std::size_t& threads) {
  threads = default_threads();
  app.count("--threads N", threads,
            "number of threads; it never changes a result (default: OMP_NUM_THREADS, else "
            "all cores)")
      .of_no_result();
}

void add_search_options(OptionSet& app, SearchArguments& arguments, Forms forms) {
  const bool any = forms == Forms::any;
  add_expression(app, arguments, any);
  add_loss(app, arguments);
  app.group("Search");
  app.choice<Method>("--method", arguments.eq4.method,
                     "scaled: normalised columns, exact finish\n"
                     "paper: scipy's defaults in the raw box of the paper")
      .not_of(kSum | kAuto | kOwnFormula | kPrior | kGp | kCensored);
  app.of_kinds(kAnyKind);
  app.count("--seed N", arguments.options.seed, "seed of the search", 0);
  SearchSettings& search = arguments.eq4.search;
  app.add_each(
         "--bounds X=LO:HI", search.bounds, parse_bound,
         "search box of the constants a, p, q or C, of all columns or one: p=-2:2, p.filters=0:3, "
         "or of a constant of --formula: F=1e12:1e16; X=VALUE fixes it (repeatable) (default: p, q "
         "and exponents in -5:5; others from the data)")
      .not_of(kSum | kAuto | kPrior);
  if (any)
    for (const char* limited : {"--bounds", "--loss"})
      app.rule({limited,
                {"--residual process without --formula",
                 [&] {
                   return arguments.residual == Residual::gp &&
                          arguments.expression != Expression::formula;
                 }},
                true,
                "only those of a formula of your own have a box, and a loss, beside the process"});
  app.count("--starts N", arguments.options.starts,
            "independent searches; the best is kept " +
                defaults_text([](const auto& standard) { return std::to_string(standard.starts); }))
      .not_of(kPrior);
  add_search_settings(app, search).not_of(kSum | kAuto | kPrior);
  add_threads(app, arguments.options.threads);
  app.common({"--expression", "--residual", "--loss"});
  if (any)
    app.common({"--formula"});
}

InstructionSet parse_kernel(std::string_view word, std::span<const InstructionSet> available) {
  if (word.empty())
    return available.back();
  std::vector<std::string> words;
  for (const InstructionSet instructions : available) {
    if (to_text(instructions) == word)
      return instructions;
    words.emplace_back(to_text(instructions));
  }
  throw UsageError("PERFMODEL_KERNEL: '" + std::string(word) + "' is no kernel of this machine, " +
                   "which has " + quoted_list(words));
}

Residual residual_of(const SearchArguments& arguments) {
  const Penalty& penalty = arguments.options.penalty;
  const bool objective = arguments.loss || penalty.l1 > 0 || penalty.l2 > 0;
  const bool may_choose =
      arguments.expression == Expression::automatic && !objective && !arguments.sum.signed_terms;
  return arguments.residual.value_or(may_choose ? Residual::chosen : Residual::none);
}

namespace {

FormOptions form_of(const SearchArguments& arguments) {
  switch (arguments.expression) {
    case Expression::sum:
      return arguments.sum;
    case Expression::automatic:
      return AutomaticOptions{arguments.sum.signed_terms};
    case Expression::formula:
      return OwnOptions{arguments.own.formula, arguments.eq4.search, arguments.own.positive};
    case Expression::eq4:
      break;
  }
  return arguments.eq4;
}

}  // namespace

FitOptions fit_options(const SearchArguments& arguments) {
  FitOptions options = arguments.options;
  options.form = form_of(arguments);
  options.residual = residual_of(arguments);
  options.loss = arguments.loss.value_or(default_loss(options));
  const char* const kernel = std::getenv("PERFMODEL_KERNEL");
  options.instructions =
      parse_kernel(kernel == nullptr ? "" : kernel, available_instruction_sets());
  return options;
}

}  // namespace perfmodel::cli
