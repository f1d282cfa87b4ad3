#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/options.hpp"
#include "jobs/large_runs.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::cli {
namespace {

constexpr std::size_t kFewestSampleRows = 10;

void parse_merge_rows(const std::string& text, LargeRowsArguments& arguments) {
  if (text != "auto" && text != "always" && text != "never")
    throw OptionError("--merge-rows", "'" + text + "' is not one of 'auto', 'always' and 'never'");
  arguments.merge = text == "auto" ? std::nullopt : std::optional(text != "never");
}

bool is_large(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) &&
         std::filesystem::file_size(path, error) > kLargeFile;
}

}  // namespace

void add_large_options(OptionSet& app, LargeRowsArguments& arguments,
                       std::optional<std::string>& weight) {
  app.add_option_function(
         "--merge-rows", [&](const std::string& text) { parse_merge_rows(text, arguments); },
         "rows of equal columns and time count as one while they\n"
         "are read, so that the file may be larger than memory\n"
         "(default: auto, of files of more than 1 GiB)")
      .type_name("auto|always|never")
      .group("Reading files");
  app.add_option("--weight", weight,
                 "of lines that stand for several runs with the same time:\n"
                 "how many they are; such runs may also stand one by one")
      .type_name("COL")
      .group("Reading files");
  add_count<std::size_t>(app, "--sample-rows", arguments.sample_rows,
                         "fit that many rows, drawn at random while the file is\n"
                         "read (default: all)",
                         kFewestSampleRows)
      .group("Reading files");
}

std::optional<LargeRunsRequest> large_runs_request(const LargeRowsArguments& arguments,
                                                   const std::vector<std::string>& paths,
                                                   const FitRequest& request) {
  if (request.roles.weight)
    return std::nullopt;
  const bool merge = arguments.merge.value_or(false);
  if (merge && arguments.sample_rows)
    throw UsageError("--merge-rows always does not go with --sample-rows");
  if ((merge || arguments.sample_rows) && paths.size() > 1)
    throw UsageError(std::string(merge ? "--merge-rows always" : "--sample-rows") +
                     " takes one file; put the files into one");
  if (arguments.sample_rows)
    return LargeRunsRequest{.merge = false, .sample_rows = arguments.sample_rows};
  const Sentence obstacle = needs_rows_of_file(request);
  const Sentence single_rows_for = needs_single_rows(request);
  if (merge && !obstacle.empty())
    throw UsageError(obstacle + " needs rows that are not merged: leave out " +
                     Field{"merge_rows"} + ", or draw rows with " +
                     Field{"sample_rows", {"100000"}});
  const bool large = !arguments.merge && paths.size() == 1 && is_large(paths.front()) &&
                     obstacle.empty() && single_rows_for.empty();
  if (!merge && !large)
    return std::nullopt;
  return LargeRunsRequest{.merge = true, .single_rows_for = single_rows_for};
}

namespace {

constexpr auto kGroup = "Reading files";

constexpr std::array<std::pair<std::string_view, char>, 9> kSeparatorNames = {{
    {"comma", ','},
    {",", ','},
    {"semicolon", ';'},
    {";", ';'},
    {"tab", '\t'},
    {"\\t", '\t'},
    {"\t", '\t'},
    {"pipe", '|'},
    {"|", '|'},
}};

char parse_separator(const std::string& text) {
  const auto* const known =
      std::find_if(kSeparatorNames.begin(), kSeparatorNames.end(),
                   [&](const auto& candidate) { return candidate.first == text; });
  if (known == kSeparatorNames.end()) {
    throw OptionError("--separator",
                      "'" + text + "' is not one of 'comma', 'semicolon', 'tab' and 'pipe'");
  }
  return known->second;
}

}  // namespace

void add_separator(OptionSet& app, std::optional<char>& separator) {
  app.add_option_function(
         "--separator", [&](const std::string& text) { separator = parse_separator(text); },
         "what stands between the columns of a file\n(default: recognised)")
      .type_name("comma|semicolon|tab|pipe")
      .group(kGroup);
}

void add_failed(OptionSet& app, bool& drop_failed) {
  app.add_option_function(
         "--failed",
         [&](const std::string& text) {
           if (text != "refuse" && text != "drop")
             throw OptionError("--failed", "'" + text + "' is not one of 'refuse' and 'drop'");
           drop_failed = text == "drop";
         },
         "runs whose time is blank, NA, nan, 0, failed, ...: an\n"
         "error, or left out and counted (default: refuse)")
      .type_name("refuse|drop")
      .group(kGroup);
}

namespace {

/// "A,B"; the option may also be repeated.
void add_columns(OptionSet& app, const std::string& name, const std::string& description,
                 const std::function<std::vector<std::string>&()>& variable) {
  const auto append = [name, variable](const std::string& text) {
    auto& columns = variable();
    for (auto& column : split_list(text)) {
      if (column.empty())
        throw OptionError(name, "'" + text + "' has an empty column name");
      columns.push_back(std::move(column));
    }
  };
  app.add_option_function(name, append, description)
      .type_name("A,B")
      .trigger_on_parse()
      .group("Columns")
      .take_last();
}

Throughput& throughput_of(RoleRequest& request) {
  return request.throughput ? *request.throughput : request.throughput.emplace();
}

}  // namespace

void add_role_options(OptionSet& app, RoleRequest& request, std::optional<char>& separator) {
  app.add_option("--target", request.target, "the measured time (default: inferred from the name)")
      .type_name("COL")
      .group("Columns");
  app.add_option_function(
         "--throughput-target",
         [&](const std::string& text) {
           if (text.empty())
             throw OptionError("--throughput-target", "it is empty");
           throughput_of(request).column = text;
         },
         "a measured throughput in place of the time, which is\n"
         "1 / throughput: of one sample, step, ...")
      .type_name("COL")
      .group("Columns");
  app.add_option_function(
         "--work",
         [&](const std::string& text) {
           if (text.empty())
             throw OptionError("--work", "it is empty");
           throughput_of(request).work = text;
         },
         "with it: what an iteration works on, such as batch_size\n"
         "or 'local_batch * gpus'; the time is work / throughput")
      .type_name("FORMULA")
      .group("Columns");
  add_columns(
      app, "--extrinsic", "columns of scale: workers, batch size (default: inferred)",
      [&]() -> std::vector<std::string>& {
        return request.extrinsic ? *request.extrinsic : request.extrinsic.emplace();
      });
  add_columns(
      app, "--intrinsic", "columns of the model; none: scales alone\n(default: all others)",
      [&]() -> std::vector<std::string>& {
        return request.intrinsic ? *request.intrinsic : request.intrinsic.emplace();
      });
  add_columns(
      app, "--categorical", "numeric columns to treat as levels",
      [&]() -> std::vector<std::string>& { return request.categorical; });
  add_columns(
      app, "--ignore", "columns to leave out",
      [&]() -> std::vector<std::string>& { return request.ignore; });
  app.add_option_function(
         "--derive",
         [&](const std::string& text) { request.derived.push_back(parse_derived(text)); },
         "a column computed from others, such as\n"
         "'flops = filters * kernel_size^2' (repeatable)")
      .type_name("NAME=FORMULA")
      .trigger_on_parse()
      .group("Columns");
  app.add_option_function(
         "--time-unit",
         [&](const std::string& text) {
           if (!is_utf8(text)) {
             throw OptionError("--time-unit", "'" + text + "' is not UTF-8");
           }
           request.time_unit = text;
         },
         "label of the unit of the target, never a conversion\n"
         "(default: read from a name that ends in _s, _ms, _us)")
      .type_name("UNIT")
      .group("Columns");
  add_separator(app, separator);
  add_failed(app, request.drop_failed);
}

namespace {

/// Of commands that judge on rows that were not trained on, where no split is asked for.
constexpr auto kDefaultShares = "60:20:20";

}  // namespace

void add_split_options(OptionSet& app, SplitArguments& arguments) {
  app.add_option_function(
         "--split", [&](const std::string& text) { arguments.shares = parse_split(text); },
         "shares of training, validation and test rows\n(default: " + std::string(kDefaultShares) +
             ")")
      .type_name("SHARES")
      .group("Judging the model");
  add_count<std::uint64_t>(app, "--split-seed", arguments.seed, "seed of the split (default: 1)", 0)
      .group("Judging the model");
}

Split split_of(const LabelledRuns& runs, const SplitArguments& arguments) {
  return split_rows(runs.rows, arguments.shares.value_or(parse_split(kDefaultShares)),
                    arguments.seed.value_or(kDefaultSplitSeed));
}

LabelledRuns read_labelled_runs(const std::vector<std::string>& paths, const RoleRequest& request,
                                std::optional<char> separator, Console& console,
                                const ReadProgress& progress) {
  return told(label_runs(read_runs(paths, {request.categorical.begin(), request.categorical.end()},
                                   separator, progress),
                         request),
              console);
}

LabelledRuns told(LabelledRuns runs, Console& console) {
  for (const Sentence& warning : runs.warnings)
    console.warning(with_flags(warning));
  for (const auto& notice : runs.roles.notices)
    console.notice(with_flags(notice));
  return runs;
}

namespace {

/// A residual process has an objective of its own.
void refuse_options_beside_process(const SearchArguments& arguments) {
  const FitOptions& options = arguments.options;
  std::vector<std::string> idle;
  const auto refuse = [&](const char* name, bool given) {
    if (given)
      idle.emplace_back(name);
  };
  refuse("--loss", arguments.loss.has_value());
  refuse("--l1", arguments.l1.has_value());
  refuse("--l2", arguments.l2.has_value());
  refuse("--penalise", arguments.penalise.has_value());
  refuse("--method", options.method != Method::scaled);
  refuse("--bounds", !options.bounds.empty());
  refuse("--no-polish", arguments.no_polish);
  refuse("--signed", options.signed_terms);
  if (!idle.empty()) {
    throw UsageError(quoted_list(idle) + (idle.size() == 1 ? " does" : " do") +
                     " not go with --residual process, whose constants and hyper-parameters "
                     "maximise a likelihood; leave out one of them");
  }
}

}  // namespace

void refuse_options_of_others(const SearchArguments& arguments) {
  const FitOptions& options = arguments.options;
  if (options.residual == Residual::process)
    refuse_options_beside_process(arguments);
  if (options.expression == Expression::generic) {
    if (arguments.terms_given)
      throw UsageError("--terms has no effect without --expression multi");
    if (options.signed_terms)
      throw UsageError("--signed has no effect without --expression multi");
    return;
  }
  const std::string expression = "--expression " + std::string(to_text(options.expression));
  if (options.expression == Expression::automatic && options.terms)
    throw UsageError("--terms does not go with " + expression + ", which chooses the terms, too");
  if (options.signed_terms && options.terms)
    throw UsageError("--signed is for terms that are chosen: leave --terms out");
  std::vector<std::string> idle;
  const auto refuse = [&](const char* name, bool given) {
    if (given)
      idle.emplace_back(name);
  };
  refuse("--method", options.method != Method::scaled);
  refuse("--bounds", !options.bounds.empty());
  refuse("--penalise", arguments.penalise.has_value());
  refuse("--exploration-rows", options.exploration_rows.has_value());
  refuse("--strategy", options.strategy.has_value());
  refuse("--population", options.population.has_value());
  refuse("--generations", options.generations.has_value());
  refuse("--tolerance", options.tolerance.has_value());
  refuse("--differential-weight", options.differential_weight.has_value());
  refuse("--crossover-rate", options.crossover_rate.has_value());
  refuse("--no-polish", arguments.no_polish);
  if (!idle.empty()) {
    throw UsageError(quoted_list(idle) + (idle.size() == 1 ? " is" : " are") + " for Eq. (4); " +
                     expression + " has a search of its own, which takes " +
                     (options.expression == Expression::multi ? "--terms, " : "") +
                     "--loss, --l1, --l2, --seed, --starts and --threads");
  }
}

namespace {

using optimise::Strategy;

constexpr auto kExpressionGroup = "Expression";
constexpr auto kLossGroup = "Loss";
constexpr auto kSearchGroup = "Search";

/// An option that takes the text of one enumerator.
template <class Enum>
void add_choice(OptionSet& app, const std::string& name, const std::vector<Enum>& choices,
                const std::function<void(Enum)>& assign, const std::string& description,
                const std::string& group) {
  std::vector<std::string> names;
  std::string listed;
  for (const Enum choice : choices) {
    names.emplace_back(to_text(choice));
    listed += (listed.empty() ? "" : "|") + names.back();
  }
  const auto parse = [name, choices, names, assign](const std::string& text) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end())
      throw OptionError(name, "'" + text + "' is not one of " + quoted_list(names));
    assign(choices[static_cast<std::size_t>(found - names.begin())]);
  };
  app.add_option_function(name, parse, description).type_name(listed).group(group);
}

/// "0.5:1" is a range to draw from, "0.8" a fixed weight.
std::pair<double, double> parse_weight(const std::string& name, const std::string& text) {
  const auto colon = text.find(':');
  const auto low = parse_number(text.substr(0, colon));
  const auto high = colon == std::string::npos ? low : parse_number(text.substr(colon + 1));
  if (!low || !high || *low < 0 || *high > 2 || *low > *high) {
    throw OptionError(
        name, "'" + text + "' is neither a number from 0 to 2 nor a range of them such as 0.5:1");
  }
  return {*low, *high};
}

/// "auto" is no number of terms.
std::optional<std::size_t> parse_terms(const std::string& text) {
  if (text == "auto")
    return std::nullopt;
  if (text.size() != 1 || text[0] < '1' || text[0] > '9')
    throw OptionError("--terms", "'" + text + "' is neither 'auto' nor 1 to 9");
  return static_cast<std::size_t>(text[0] - '0');
}

/// "(default: 8; paper: 15)": the defaults live in search_defaults() alone.
std::string defaults_text(const std::function<std::string(const SearchDefaults&)>& text_of) {
  const std::string scaled = text_of(search_defaults(Method::scaled));
  const std::string paper = text_of(search_defaults(Method::paper));
  return "(default: " + scaled + (paper == scaled ? ")" : "; paper: " + paper + ")");
}

std::string range_text(const std::pair<double, double>& range) {
  return to_text(range.first) + ":" + to_text(range.second);
}

void add_evolution_options(OptionSet& app, SearchArguments& arguments) {
  FitOptions& options = arguments.options;
  using Defaults = SearchDefaults;
  add_count<std::size_t>(
      app, "--starts", options.starts,
      "independent searches, of which the best is kept\n" +
          defaults_text([](const Defaults& d) { return std::to_string(d.starts); }),
      1)
      .group(kSearchGroup);
  add_count<std::size_t>(
      app, "--exploration-rows", options.exploration_rows,
      "explore on that many random rows and on columns\n"
      "rounded to 128 values, finish on all and exactly;\n"
      "0: explore on all rows as they are\n" +
          defaults_text([](const Defaults& d) { return std::to_string(d.exploration_rows); }),
      0)
      .group(kSearchGroup);
  add_choice<Strategy>(
      app, "--strategy", {Strategy::best1bin, Strategy::rand1bin, Strategy::currenttobest1bin},
      [&options](Strategy strategy) { options.strategy = strategy; },
      "how mutants are made\n" +
          defaults_text([](const Defaults& d) { return std::string(to_text(d.strategy)); }),
      kSearchGroup);
  add_count<std::size_t>(app, "--population", options.population,
                         "members per free constant\n" + defaults_text([](const Defaults& d) {
                           return std::to_string(d.population);
                         }),
                         1)
      .group(kSearchGroup);
  add_count<std::size_t>(
      app, "--generations", options.generations,
      "at most\n" + defaults_text([](const Defaults& d) { return std::to_string(d.generations); }),
      1)
      .group(kSearchGroup);
  add_number(app, "--tolerance", options.tolerance,
             "converged when the costs of the population spread\n"
             "less than this times their mean; the finish goes on\n" +
                 defaults_text([](const Defaults& d) { return to_text(d.tolerance); }))
      .group(kSearchGroup);
  app.add_option_function(
         "--differential-weight",
         [&options](const std::string& text) {
           options.differential_weight = parse_weight("--differential-weight", text);
         },
         "F, fixed or drawn anew for each generation from a\nrange " +
             defaults_text([](const Defaults& d) { return range_text(d.differential_weight); }))
      .type_name("F|LO:HI")
      .group(kSearchGroup);
  add_number(app, "--crossover-rate", options.crossover_rate,
             "CR, the share of a trial that comes from the mutant\n" +
                 defaults_text([](const Defaults& d) { return to_text(d.crossover_rate); }),
             {0, 1, true, "a number from 0 to 1"})
      .group(kSearchGroup);
  app.add_flag("--no-polish", arguments.no_polish, "leave out the exact finish of the search")
      .group(kSearchGroup);
}

}  // namespace

std::size_t default_threads() {
  if (const char* text = std::getenv("OMP_NUM_THREADS")) {
    // A list gives the threads of nested levels; the first is ours.
    const std::string_view list(text);
    std::size_t threads = 0;
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), threads);
    const bool whole = end == list.data() + list.size() || *end == ',';
    if (error == std::errc{} && whole && threads > 0)
      return threads;
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

void add_search_options(OptionSet& app, SearchArguments& arguments, Forms forms) {
  FitOptions& options = arguments.options;
  const bool any = forms == Forms::any;
  std::vector<Expression> expressions = {Expression::generic, Expression::multi};
  std::vector<Residual> residuals = {Residual::none};
  if (any) {
    expressions.push_back(Expression::automatic);
    residuals.insert(residuals.begin(), Residual::process);
  }
  add_choice<Expression>(
      app, "--expression", expressions,
      [&options](Expression expression) { options.expression = expression; },
      std::string("generic: Eq. (4) of the paper (default)\n"
                  "multi: a sum of product terms,\nt = sum_k a_k prod I^p_k prod E^q_k + C") +
          (any ? "\nauto: the formula that, with a residual process,\npredicts held-out runs best "
                 "and reads well"
               : ""),
      kExpressionGroup);
  app.add_option_function(
         "--terms",
         [&arguments](const std::string& text) {
           arguments.options.terms = parse_terms(text);
           arguments.terms_given = true;
         },
         any ? "of multi: 1 to 9, or chosen by cross-validation\n(default: auto)"
             : "of multi, which needs it: 1 to 9")
      .type_name(any ? "K|auto" : "K")
      .group(kExpressionGroup);
  if (any)
    app.add_flag("--signed", options.signed_terms,
                 "of multi with chosen terms: terms may be taken away,\n"
                 "such as 2518 - 413 log2(gpus)")
        .group(kExpressionGroup);
  add_choice<Residual>(
      app, "--residual", residuals,
      [&arguments](Residual residual) {
        arguments.options.residual = residual;
        arguments.residual_given = true;
      },
      any ? "process: with a Gaussian process of what the\n"
            "expression leaves of ln(time), best within the runs\n"
            "(default: none; of auto: process)"
          : "a residual process has no penalties",
      kExpressionGroup);
  add_choice<Loss>(
      app, "--loss", {Loss::mae, Loss::mape, Loss::mse, Loss::rmsle},
      [&arguments](Loss loss) { arguments.loss = loss; },
      "what is minimised (default: mae)\n"
      "where multi chooses its terms and no loss is given:\n"
      "soft-l1 of ln(time), with a small ridge",
      kLossGroup);
  add_number(app, "--l1", arguments.l1, "lambda of Eq. (10): sum |x| of all constants but C")
      .type_name("LAMBDA")
      .group(kLossGroup);
  add_number(app, "--l2", arguments.l2, "lambda of Eq. (11): sum x^2 of all constants but C")
      .type_name("LAMBDA")
      .group(kLossGroup);
  add_choice<Penalise>(
      app, "--penalise", {Penalise::raw, Penalise::scaled},
      [&arguments](Penalise constants) { arguments.penalise = constants; },
      "raw: the constants in the units of the data, as in\n"
      "the paper (default)\n"
      "scaled: free of units",
      kLossGroup);
  add_choice<Method>(
      app, "--method", {Method::scaled, Method::paper},
      [&options](Method method) { options.method = method; },
      "scaled: normalised columns, exact finish (default)\n"
      "paper: scipy's defaults in the raw box of the paper",
      kSearchGroup);
  add_count<std::uint64_t>(app, "--seed", arguments.seed, "seed of the search (default: 1)", 0)
      .group(kSearchGroup);
  app.add_option_function(
         "--bounds",
         [&options](const std::string& text) { options.bounds.push_back(parse_bound(text)); },
         "search box of the constants a, p, q or C, of all\n"
         "columns or one: p=-2:2, p.filters=0:3 (repeatable)\n"
         "(default: p, q in -5:5; a, C from the data)")
      .type_name("X=LO:HI")
      .trigger_on_parse()
      .group(kSearchGroup);
  add_evolution_options(app, arguments);
  add_count<std::size_t>(app, "--threads", arguments.threads,
                         "worker threads; never change a result\n"
                         "(default: OMP_NUM_THREADS, else all cores)",
                         1)
      .group(kSearchGroup);
}

bool leaves_process_out(const SearchArguments& arguments) {
  const bool objective = arguments.loss || arguments.l1 || arguments.l2;
  return arguments.options.expression == Expression::automatic && !arguments.residual_given &&
         (objective || arguments.options.signed_terms);
}

bool may_have_process(const SearchArguments& arguments) {
  const FitOptions& options = arguments.options;
  return options.residual == Residual::process ||
         (options.expression == Expression::automatic && !arguments.residual_given &&
          !leaves_process_out(arguments));
}

FitOptions fit_options(const SearchArguments& arguments) {
  FitOptions options = arguments.options;
  options.seed = arguments.seed.value_or(options.seed);
  options.penalty.l1 = arguments.l1.value_or(0);
  options.penalty.l2 = arguments.l2.value_or(0);
  if (options.expression == Expression::automatic && may_have_process(arguments) &&
      !arguments.residual_given)
    options.residual = Residual::chosen;
  options.penalty.constants = arguments.penalise.value_or(options.penalty.constants);
  options.loss = arguments.loss.value_or(default_loss(options));
  options.polish = !arguments.no_polish;
  options.threads = arguments.threads.value_or(default_threads());
  options.instructions = kernel_of_environment();
  return options;
}

}  // namespace perfmodel::cli
