#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cli/console.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/error.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/model.hpp"
#include "perfmodel/progress.hpp"
#include "perfmodel/table.hpp"
#include "report/document.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace perfmodel::cli {

class OptionError : public UsageError {
 public:
  OptionError(const std::string& option, const std::string& message)
      : UsageError(option + ": " + message) {}
};

/// A condition on a command line: an option is given ("--bootstrap"), has one of some values
/// ("--method d-optimal|lhs"; an option that is not given has its default), has another value
/// ("--terms !auto"), or a function returns true.
struct Condition {
  Condition(const char* option) : words(option) {}
  Condition(std::string text, std::function<bool()> function)
      : words(std::move(text)), holds(std::move(function)) {}

  std::string words;
  std::function<bool()> holds;  ///< empty: the words are an option and its values
};

/// `subject` requires `other`, or excludes it.
struct Rule {
  Condition subject;
  Condition other;
  bool excludes = false;
  std::string reason;
};

/// What a command line can ask for: a form of the formula, or what bears on all of a fit. An option
/// belongs to some kinds, and is unknown beside the others.
enum KindOfFit : unsigned {
  kEq4 = 1U << 0U,
  kSum = 1U << 1U,
  kAuto = 1U << 2U,
  kOwnFormula = 1U << 3U,
  kPrior = 1U << 4U,  ///< of the forms, exactly one is asked for
  kProcess = 1U << 5U,
  kBound = 1U << 6U,
  kCensored = 1U << 7U,
  kMany = 1U << 8U,
};
inline constexpr unsigned kAnyKind = ~0U;

/// When a kind is asked for, and why it lacks the options of others.
struct Kind {
  KindOfFit kind;
  Condition asked;
  std::string reason;  ///< empty for the kind of a command line that asks for no other
};

/// A file that an option names.
enum class FileUse {
  none,
  input,     ///< only one may be standard input; an output must not replace it
  replaced,  ///< an input that an output may replace
  output
};

/// Properties of an option besides its name, value and help.
struct OptionFacts {
  std::vector<std::string> words;  ///< possible values; empty: not enumerated
  bool is_common = false;          ///< listed in the short help
  bool is_of_result = true;        ///< the results depend on it
  bool is_of_program = false;      ///< about files, messages or several models: not of a library
  unsigned kinds = kAnyKind;       ///< to which it belongs
  FileUse file = FileUse::none;
};

struct OptionRecords {
  std::map<const CLI::Option*, OptionFacts> options;
  std::map<const CLI::App*, std::vector<Kind>> kinds;
  std::map<const CLI::App*, std::vector<Rule>> rules;
};

/// Throws UsageError for options that the kind of fit does not have, for the first rule that the
/// given options of a command break, and for files that contradict their FileUse.
void check_rules(const CLI::App& command, const OptionRecords& records);

/// Sets properties of an option that was added. CLI11's header takes seconds to compile, hence only
/// option_set.cpp, completions.cpp and app.cpp include it.
class Option {
 public:
  Option(CLI::App& app, CLI::Option& option, OptionRecords& records)
      : app_(&app), option_(&option), records_(&records) {}

  Option required();
  Option repeatable();  ///< may be given again; all values count
  Option common() { return with(&OptionFacts::is_common, true); }
  Option of_program() { return with(&OptionFacts::is_of_program, true); }
  Option of_no_result() { return with(&OptionFacts::is_of_result, false); }
  Option file(FileUse use) { return with(&OptionFacts::file, use); }
  Option only(unsigned kinds) { return with(&OptionFacts::kinds, kinds); }
  Option not_of(unsigned kinds) { return only(kAnyKind & ~kinds); }
  Option words(std::vector<std::string> words) {
    return with(&OptionFacts::words, std::move(words));
  }
  /// Requires `other`, without which the option would have no effect.
  Option needs(Condition other, std::string reason = "") {
    return rule(std::move(other), false, std::move(reason));
  }
  Option excludes(Condition other, std::string reason = "") {
    return rule(std::move(other), true, std::move(reason));
  }

 private:
  CLI::App* app_;
  CLI::Option* option_;
  OptionRecords* records_;

  template <class Value>
  Option with(Value OptionFacts::*fact, Value value) {
    records_->options[option_].*fact = std::move(value);
    return *this;
  }
  Option rule(Condition other, bool excludes, std::string reason);
};

/// The range of numbers that an option accepts, and its description for messages.
struct NumberRange {
  double low = 0;
  double high = std::numeric_limits<double>::max();
  bool low_included = true;
  std::string words = "a number >= 0";

  bool contains(double value) const {
    return (low_included ? value >= low : value > low) && value <= high;
  }
};

/// The options and arguments of a command. An option's name is "-o,--output FILE"; its placeholder
/// sets the completion: "a|b" are the possible words, "COL" and "A,B" are columns of the file,
/// "FILE" and names with a dot are files. An argument has the name "RUNS.csv". Help texts are
/// wrapped, and the default of the variable is appended unless they contain "(default: X)".
class OptionSet {
 public:
  using Parser = std::function<void(const std::string& text)>;

  OptionSet(CLI::App& app, OptionRecords& records) : app_(&app), records_(&records) {}

  /// Sets the heading in the help for the options that follow.
  void group(const std::string& name) { group_ = name; }

  /// Throws OptionError for an empty value.
  Option add(const std::string& name, std::string& variable, const std::string& help);
  Option add(const std::string& name, std::optional<std::string>& variable,
             const std::string& help);
  Option add(const std::string& name, std::vector<std::string>& variable, const std::string& help);
  /// Passes the value to `parse`, which throws OptionError if it is invalid.
  Option add(const std::string& name, const Parser& parse, const std::string& help);
  /// Adds an option that may be repeated, and passes each value to `parse`.
  Option add_each(const std::string& name, const Parser& parse, const std::string& help);

  /// Adds a flag that sets the variable to `value`.
  template <class Variable, class Value = bool>
  Option flag(const std::string& name, Variable& variable, const std::string& help,
              Value value = true) {
    return add_flag(
        name, [&variable, value] { variable = value; }, help);
  }

  /// Adds an option for a decimal number in a range. CLI11's own conversion also accepts "nan",
  /// "inf" and "0x10", and its messages do not name the valid range.
  template <class Number>
  Option number(const std::string& name, Number& variable, const std::string& help,
                NumberRange range = {}) {
    const auto parse = [&variable, flag = flag_of_name(name),
                        range = std::move(range)](const std::string& text) {
      const auto value = parse_number(text);
      if (!value || !range.contains(*value))
        throw OptionError(flag, "'" + text + "' is not " + range.words);
      variable = *value;
    };
    return add(name, parse, with_default(help, variable));
  }

  /// Adds an option for a whole number of at least `low`.
  template <class Count>
  Option count(const std::string& name, Count& variable, const std::string& help,
               std::uint64_t low = 1) {
    const auto parse = [&variable, flag = flag_of_name(name), low](const std::string& text) {
      std::uint64_t value = 0;
      const char* last = text.data() + text.size();
      const auto [end, error] = std::from_chars(text.data(), last, value);
      if (error != std::errc{} || end != last || value < low)
        throw OptionError(flag, "'" + text + "' is not a whole number >= " + std::to_string(low));
      variable = value;
    };
    return add(name, parse, with_default(help, variable));
  }

  /// Adds an option for one of a few words.
  template <class Choice, class Variable>
  Option choice(const std::string& flag, Variable& variable,
                const std::vector<std::pair<std::string, Choice>>& choices,
                const std::string& help) {
    std::vector<std::string> words;
    std::string standard;
    for (const auto& [word, choice] : choices) {
      words.push_back(word);
      if (standard.empty() && variable == choice)
        standard = word;
    }
    const auto parse = [&variable, flag, words, choices](const std::string& text) {
      const auto found = std::find(words.begin(), words.end(), text);
      if (found == words.end())
        throw OptionError(flag, not_one_of(text, words));
      variable = choices[static_cast<std::size_t>(found - words.begin())].second;
    };
    return add_words(flag, parse, help, words, standard);
  }
  /// Uses the words of to_text().
  template <class Choice, class Variable>
  Option choice(const std::string& flag, Variable& variable, const std::vector<Choice>& choices,
                const std::string& help) {
    std::vector<std::pair<std::string, Choice>> named;
    for (const Choice choice : choices)
      named.emplace_back(to_text(choice), choice);
    return this->choice(flag, variable, named, help);
  }

  /// Offers all names of the enumeration.
  template <class Choice, class Variable>
  Option choice(const std::string& flag, Variable& variable, const std::string& help) {
    std::vector<Choice> choices;
    for (const auto& [value, text] : texts_of(Choice{}))
      choices.push_back(value);
    return choice(flag, variable, choices, help);
  }

  /// Returns an option that was added, to set further properties.
  Option option(const std::string& flag);
  /// Sets the kinds to which the options that follow belong.
  void of_kinds(unsigned kinds) { kinds_ = kinds; }
  void kind(Kind kind) { records_->kinds[app_].push_back(std::move(kind)); }
  /// Lists these options in the short help.
  void common(const std::vector<std::string>& flags);
  void rule(Rule rule) { records_->rules[app_].push_back(std::move(rule)); }
  /// Adds the rule that at most one of these is given.
  void one_of(const std::vector<std::string>& flags);
  void remove(const std::string& flag);
  void footer(const std::string& text);  ///< text below the options in the help

 private:
  CLI::App* app_;
  OptionRecords* records_;
  std::string group_ = "Options";
  unsigned kinds_ = kAnyKind;

  /// The flag without its placeholder.
  static std::string flag_of_name(const std::string& name) {
    return name.substr(0, name.find(' '));
  }
  Option add_flag(const std::string& flag, const std::function<void()>& set,
                  const std::string& help);
  Option add_words(const std::string& flag, const Parser& parse, const std::string& help,
                   const std::vector<std::string>& words, const std::string& standard);
  Option added(const std::string& name, CLI::Option& option);

  template <class Number>
  static std::string with_default(const std::string& help, const Number& value) {
    return help.find("(default: ") == std::string::npos
               ? help + " (default: " + to_text(static_cast<double>(value)) + ")"
               : help;
  }
  template <class Number>
  static std::string with_default(const std::string& help, const std::optional<Number>& /*none*/) {
    return help;
  }
};

/// Splits "A,B" at its commas.
std::vector<std::string> split_list(const std::string& text, char separator = ',');

/// The instruction set of this name; the last of `available` if `word` is empty. Throws UsageError
/// for an unknown or unavailable one.
InstructionSet parse_kernel(std::string_view word, std::span<const InstructionSet> available);

/// The instruction set chosen by the environment variable PERFMODEL_KERNEL on this processor.
InstructionSet kernel_of_environment();

/// Adds `--format text|json|csv|markdown|latex` and `further` formats; `md` is short for markdown.
/// If `format` holds a value, it is the default.
template <class Format>
void add_format(OptionSet& app, Format& format, const std::string& help,
                const std::vector<std::pair<std::string, OutputFormat>>& further = {}) {
  std::vector<std::pair<std::string, OutputFormat>> formats = {
      {"text", OutputFormat::text},   {"json", OutputFormat::json},
      {"csv", OutputFormat::csv},     {"markdown", OutputFormat::markdown},
      {"md", OutputFormat::markdown}, {"latex", OutputFormat::latex}};
  formats.insert(formats.end(), further.begin(), further.end());
  app.choice("--format", format, formats, help).common();
}

/// A condition of a quality gate (`--fail-if`) fired.
class GateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number that a run can be judged by.
struct Figure {
  std::string name;  ///< in conditions: "mape", "train.r2", "mape_drift"
  double value = 0;
  std::string part;  ///< the runs that were judged: "the test part"
  /// Confidence interval. A condition fires only if it holds at both ends.
  std::optional<Interval> interval = {};
};

/// A condition under which a run counts as failed: `--fail-if 'mape>10'`.
struct Gate {
  std::string text;    ///< as the user wrote it
  std::string figure;  ///< mae, mape, smape (in percent), mse, rmse, r2, or another of the command
  enum class Comparison { above, at_least, below, at_most } comparison = Comparison::above;
  double threshold = 0;
};

/// Figures besides the plain metrics. Messages describe them by `words`, such as "; with 'train.'
/// before it for a part".
struct FurtherFigures {
  std::vector<std::string> names;
  std::string words;
  std::function<bool(std::string_view)> accepts = {};  ///< accepts further names
};

/// " (95 % interval 11 .. 14)"; empty without an interval.
std::string gate_interval_text(const std::optional<Interval>& interval);

/// Names of the metrics in conditions: mae, mape, smape, mse, rmse, r2.
std::vector<std::string> gate_metrics();

/// The metrics as figures whose names begin with `prefix`.
std::vector<Figure> figures_of(const Metrics& metrics, const std::string& part,
                               const std::string& prefix = "");

/// Throws UsageError, with an example, if the text is no condition on a known figure.
Gate parse_gate(std::string_view text, const FurtherFigures& further = {});

/// A condition evaluated for one figure of its name.
struct JudgedGate {
  Gate gate;
  std::optional<Figure> figure;  ///< nullopt: there is no such figure
  bool holds = false;            ///< for the value, whatever its interval
  bool fires = false;
};

/// Evaluates each condition for every figure of its name. A condition fires if its figure is
/// undefined, such as r2, or missing.
std::vector<JudgedGate> judged_gates(const std::vector<Gate>& gates,
                                     const std::vector<Figure>& figures);

/// Throws GateError with all figures for which a condition fires; several figures may have one
/// name.
void check_gates(const std::vector<JudgedGate>& gates);
void check_gates(const std::vector<Gate>& gates, const std::vector<Figure>& figures);

/// A message for each condition that holds but does not fire.
std::vector<std::string> open_gates(const std::vector<JudgedGate>& gates);

/// Default of `--seed`, except for fits, whose default is in FitOptions.
constexpr std::uint64_t kDefaultSeed = 1;

/// Adds a positional argument for an input file.
inline Option add_input(OptionSet& app, const std::string& name, std::string& path,
                        const std::string& help) {
  return app.add(name, path, help + "; \"-\" is stdin").file(FileUse::input);
}

/// Adds `--fail-if`, which may be repeated.
inline void add_gates(OptionSet& app, std::vector<Gate>& gates, const std::string& help,
                      const FurtherFigures& further = {}) {
  const auto parse = [&gates, further](const std::string& text) {
    gates.push_back(parse_gate(text, further));
  };
  app.add_each("--fail-if CONDITION", parse, help).of_no_result().of_program().common();
}

/// Adds `--output`; `file` is its placeholder in the help.
template <class Path>
void add_output(OptionSet& app, Path& output, const std::string& file,
                const std::string& help =
                    "output file; an existing file is replaced only when the result is complete "
                    "(default: standard output, \"-\")") {
  app.add("-o,--output " + file, output, help).file(FileUse::output).of_no_result().common();
}

/// Throws UsageError if the output would replace an input.
void refuse_to_replace(const std::string& input, const std::string& output);

/// Adds `--sample-rows`.
void add_sample_rows(OptionSet& app, std::optional<std::size_t>& rows);

void add_input_options(OptionSet& app, InputOptions& input);

void add_failed(OptionSet& app, bool& drop_failed);

/// Adds the options for the roles of columns and the format of files, shared by all commands that
/// read runs. `may_censor`: with the choice of runs that count as longer than their limits.
void add_role_options(OptionSet& app, RoleRequest& request, InputOptions& input,
                      bool may_censor = false);

/// The split into training, validation and test rows, for commands that need all three.
struct SplitArguments {
  SplitShares shares = parse_split("60:20:20");
  std::uint64_t seed = kDefaultSplitSeed;
};

/// Adds `--split` and `--split-seed`; `standard` describes the default split in the help.
void add_split_options(OptionSet& app, SplitShares& shares, std::uint64_t& seed,
                       const std::string& standard = "60:20:20");

Split split_of(const LabelledRuns& runs, const SplitArguments& arguments);

/// Writes the notices and warnings of the runs to the console.
LabelledRuns told(LabelledRuns runs, Console& console);
/// Reads files of runs as one table and resolves the roles of its columns. Notices go to the
/// console.
LabelledRuns read_labelled_runs(const std::vector<std::string>& paths, const RoleRequest& request,
                                const InputOptions& input, Console& console,
                                const ReadProgress& progress = {});

/// The options of a fit; nullopt if a default depends on other options.
struct SearchArguments {
  FitOptions options;
  std::optional<Loss> loss;
  std::optional<Residual> residual;
};

/// The forms that a command fits: any, or a given one without residual process.
enum class Forms { any, given };

void add_search_options(OptionSet& app, SearchArguments& arguments, Forms forms = Forms::any);
void add_quantile(OptionSet& app, SearchArguments& arguments);

/// True if automatic choice must exclude residual processes, because an objective or signed terms
/// were requested that they do not support.
bool leaves_process_out(const SearchArguments& arguments);

/// True if the fit may give a model with a residual process.
bool may_have_process(const SearchArguments& arguments);

/// The options for fit(), with the instruction set of PERFMODEL_KERNEL. Throws UsageError if that
/// is unavailable.
FitOptions fit_options(const SearchArguments& arguments);

/// Adds `--threads`; its default is OMP_NUM_THREADS or the number of cores.
void add_threads(OptionSet& app, std::size_t& threads);

}  // namespace perfmodel::cli
