#include "cli/options/search_options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/options/kernel_choice.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/option_set.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
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
          (any ? "\nauto: what predicts held-out runs best, with a\nresidual process or without"
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
            "(default: none; of auto: whichever predicts\nheld-out runs better)"
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
