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
#include "jobs/large_runs.hpp"
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

/// What is wrong with the value of an option.
class OptionError : public UsageError {
 public:
  OptionError(const std::string& option, const std::string& message)
      : UsageError(option + ": " + message) {}
};

/// What holds for a command line: an option is given ("--bootstrap"), it has one of some values
/// ("--method d-optimal|lhs"; one that is not given has its default) or another one ("--terms
/// !auto"), or what a function says.
struct Condition {
  Condition(const char* option) : words(option) {}
  Condition(std::string text, std::function<bool()> function)
      : words(std::move(text)), holds(std::move(function)) {}

  std::string words;
  std::function<bool()> holds;  ///< empty: the words are an option and its values
};

/// What is so only together with something else, or not together with it.
struct Rule {
  Condition subject;
  Condition other;
  bool excludes = false;
  std::string reason;
};

/// A file that an option names.
enum class FileUse {
  none,
  input,     ///< one alone can be standard input, and no output replaces it
  replaced,  ///< an input that an output may replace
  output
};

/// What the program knows of an option beside its name, its value and its help.
struct OptionFacts {
  std::vector<std::string> words;  ///< that its value can be, where these are few
  bool is_common = false;          ///< stands in the short help
  bool is_of_result = true;        ///< results depend on it
  FileUse file = FileUse::none;
};

/// Of the options of all commands.
struct OptionRecords {
  std::map<const CLI::Option*, OptionFacts> options;
  std::map<const CLI::App*, std::vector<Rule>> rules;
};

/// Throws UsageError for the first rule that the given options of a command break, and for files
/// that cannot be what they are said to be.
void check_rules(const CLI::App& command, const OptionRecords& records);

/// An option as it is added. CLI11's header takes seconds to compile, hence only option_set.cpp,
/// completions.cpp and app.cpp include it.
class Option {
 public:
  Option(CLI::App& app, CLI::Option& option, OptionRecords& records)
      : app_(&app), option_(&option), records_(&records) {}

  Option required();
  Option repeatable();  ///< one value each time, all of which hold
  Option common();
  Option of_no_result();
  Option file(FileUse use);
  Option words(std::vector<std::string> words);
  /// Without that, it would have no effect.
  Option needs(Condition other, std::string reason = "");
  Option excludes(Condition other, std::string reason = "");

 private:
  CLI::App* app_;
  CLI::Option* option_;
  OptionRecords* records_;

  OptionFacts& facts() { return records_->options[option_]; }
};

/// A range of numbers that an option takes, and its words for a message.
struct NumberRange {
  double low = 0;
  double high = std::numeric_limits<double>::max();
  bool low_included = true;
  std::string words = "a number >= 0";

  bool contains(double value) const {
    return (low_included ? value >= low : value > low) && value <= high;
  }
};

/// The options and arguments of a command. A name is "-o,--output FILE", with what stands for the
/// value: "a|b" are its words, "COL" and "A,B" are columns of the file, "FILE" and what has a dot
/// are files; an argument has the name "RUNS.csv". The program breaks the lines of a help and ends
/// it with the default of the variable, unless it has a "(default: X)" of its own.
class OptionSet {
 public:
  using Parser = std::function<void(const std::string& text)>;

  OptionSet(CLI::App& app, OptionRecords& records) : app_(&app), records_(&records) {}

  /// Under which the help lists those that follow.
  void group(const std::string& name) { group_ = name; }

  /// An empty value is refused.
  Option add(const std::string& name, std::string& variable, const std::string& help);
  Option add(const std::string& name, std::optional<std::string>& variable,
             const std::string& help);
  Option add(const std::string& name, std::vector<std::string>& variable, const std::string& help);
  /// Its value goes to a function, which throws OptionError where it cannot be taken.
  Option add(const std::string& name, const Parser& parse, const std::string& help);
  /// The same for every value of an option that may be given again.
  Option add_each(const std::string& name, const Parser& parse, const std::string& help);

  /// A flag that gives the variable a value.
  template <class Variable, class Value = bool>
  Option flag(const std::string& name, Variable& variable, const std::string& help,
              Value value = true) {
    return add_flag(
        name, [&variable, value] { variable = value; }, help);
  }

  /// One decimal number of a range. CLI11's own conversion also takes "nan", "inf" and "0x10", and
  /// its messages do not say what would be right.
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

  /// A whole number of at least `low`.
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

  /// One of a few words.
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
        throw OptionError(flag, "'" + text + "' is not one of " + quoted_list(words));
      variable = choices[static_cast<std::size_t>(found - words.begin())].second;
    };
    return add_words(flag, parse, help, words, standard);
  }
  /// The same with the words of to_text().
  template <class Choice, class Variable>
  Option choice(const std::string& flag, Variable& variable, const std::vector<Choice>& choices,
                const std::string& help) {
    std::vector<std::pair<std::string, Choice>> named;
    for (const Choice choice : choices)
      named.emplace_back(to_text(choice), choice);
    return this->choice(flag, variable, named, help);
  }

  template <class Choice, class Variable>
  Option choice(const std::string& flag, Variable& variable, std::initializer_list<Choice> choices,
                const std::string& help) {
    return choice(flag, variable, std::vector<Choice>(choices), help);
  }

  /// More of one that was added, such as its rules.
  Option option(const std::string& flag);
  void rule(Rule rule) { records_->rules[app_].push_back(std::move(rule)); }
  /// At most one of these is given.
  void one_of(const std::vector<std::string>& flags);
  void remove(const std::string& flag);
  void footer(const std::string& text);  ///< below the options in the help

 private:
  CLI::App* app_;
  OptionRecords* records_;
  std::string group_ = "Options";

  /// What follows the name is for the help.
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

/// A word as a shell takes it, in quotes where it needs them.
std::string shell_word(const std::string& word);

/// The flag that sets a field of a request: "--group-by", and "--ignore a,b" where values are
/// advised, quoted for the shell where they need it.
std::string flag_text(const Field& field);

/// The sentence with flags for fields.
std::string with_flags(const Sentence& sentence);

/// What a model says to people, in the words of the command line.
void name_flags(FittedModel& model);

/// The instruction set that a user's word names: the last of `available` where it is empty. Throws
/// UsageError for an unknown word and for what is not available.
InstructionSet parse_kernel(std::string_view word, std::span<const InstructionSet> available);

/// What the environment variable PERFMODEL_KERNEL asks of this processor.
InstructionSet kernel_of_environment();

/// `--format text|json|csv|markdown|latex` and further ones; `md` is short for markdown. A variable
/// that holds a format holds the default.
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

/// A quality gate (`--fail-if`) held.
class GateError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number that a run can be judged by.
struct Figure {
  std::string name;  ///< as conditions call it: "mape", "train.r2", "mape_drift"
  double value = 0;
  std::string part;  ///< what was measured: "the test part"
  /// What it may be on other runs like these. A condition fires only where it holds all over it.
  std::optional<Interval> interval = {};
};

/// A condition under which a run counts as failed: `--fail-if 'mape>10'`.
struct Gate {
  std::string text;    ///< as the user wrote it
  std::string figure;  ///< mae, mape, smape (in percent), mse, rmse, r2, or another of the command
  enum class Comparison { above, at_least, below, at_most } comparison = Comparison::above;
  double threshold = 0;
};

/// Names of figures that a command knows besides the plain metrics, and how a message sums them up:
/// "; with 'train.' before it for a part".
struct FurtherFigures {
  std::vector<std::string> names;
  std::string words;
  std::function<bool(std::string_view)> accepts = {};  ///< names beside these
};

/// Names of the metrics in conditions: mae, mape, smape, mse, rmse, r2.
std::vector<std::string> gate_metrics();

/// The metrics as figures with `prefix` before their names.
std::vector<Figure> figures_of(const Metrics& metrics, const std::string& part,
                               const std::string& prefix = "");

/// Throws UsageError that says what a condition looks like.
Gate parse_gate(std::string_view text, const FurtherFigures& further = {});

/// What became of a condition, for each figure of its name.
struct JudgedGate {
  Gate gate;
  std::optional<Figure> figure;  ///< none: there is no such figure
  bool holds = false;            ///< for the figure itself
  bool fires = false;
};

/// An undefined r2 counts as failed: nobody asks for it without need. So does a figure that there
/// is none of.
std::vector<JudgedGate> judged_gates(const std::vector<Gate>& gates,
                                     const std::vector<Figure>& figures);

/// Throws GateError with every figure for which a condition fires; several may have one name.
void check_gates(const std::vector<JudgedGate>& gates);
void check_gates(const std::vector<Gate>& gates, const std::vector<Figure>& figures);

/// Of each condition that holds, but does not fire: why.
std::vector<std::string> open_gates(const std::vector<JudgedGate>& gates);

/// Of everything that `--seed` seeds, unless the fit's own settings say so.
constexpr std::uint64_t kDefaultSeed = 1;

/// A file that is read, by its place on the command line.
inline Option add_input(OptionSet& app, const std::string& name, std::string& path,
                        const std::string& help) {
  return app.add(name, path, help + "; \"-\" is stdin").file(FileUse::input);
}

/// `--fail-if`, repeatable.
inline void add_gates(OptionSet& app, std::vector<Gate>& gates, const std::string& help,
                      const FurtherFigures& further = {}) {
  const auto parse = [&gates, further](const std::string& text) {
    gates.push_back(parse_gate(text, further));
  };
  app.add_each("--fail-if CONDITION", parse, help).of_no_result().common();
}

/// `--output`; what stands for the file is for the help.
template <class Path>
void add_output(OptionSet& app, Path& output, const std::string& file,
                const std::string& help =
                    "where to write; an old file stays as it is until the result is complete "
                    "(default: standard output, \"-\")") {
  app.add("-o,--output " + file, output, help).file(FileUse::output).of_no_result().common();
}

/// Throws UsageError where the output is the same file as an input that it would replace.
void refuse_to_replace(const std::string& input, const std::string& output);

/// How the rows of large files come into memory.
struct LargeRowsArguments {
  std::optional<bool> merge;  ///< nothing: where the file is large
  std::optional<std::size_t> sample_rows;
};

/// `--merge-rows`, `--weight` and `--sample-rows`.
void add_large_options(OptionSet& app, LargeRowsArguments& arguments,
                       std::optional<std::string>& weight);

/// Nothing where the rows are read one by one. Throws UsageError where what is asked for needs that
/// and something else is asked for, too.
std::optional<LargeRunsRequest> large_runs_request(const LargeRowsArguments& arguments,
                                                   const std::vector<std::string>& paths,
                                                   const FitRequest& request);

/// `--separator`.
void add_separator(OptionSet& app, std::optional<char>& separator);

/// `--failed`.
void add_failed(OptionSet& app, bool& drop_failed);

/// The options that say which column plays which part, and how files are read, shared by all
/// commands that read runs.
void add_role_options(OptionSet& app, RoleRequest& request, std::optional<char>& separator);

/// Which rows train and which judge, of commands that need rows to judge on.
struct SplitArguments {
  SplitShares shares = parse_split("60:20:20");
  std::uint64_t seed = kDefaultSplitSeed;
};

/// `--split` and `--split-seed`; `standard` says which rows train where they are not given.
void add_split_options(OptionSet& app, SplitShares& shares, std::uint64_t& seed,
                       const std::string& standard = "60:20:20");

Split split_of(const LabelledRuns& runs, const SplitArguments& arguments);

/// Says what they have to say of themselves.
LabelledRuns told(LabelledRuns runs, Console& console);
/// Reads files of runs as one table and settles the parts of its columns; notices go to the
/// console.
LabelledRuns read_labelled_runs(const std::vector<std::string>& paths, const RoleRequest& request,
                                std::optional<char> separator, Console& console,
                                const ReadProgress& progress = {});

/// The options of a fit, and those of them whose default depends on others.
struct SearchArguments {
  FitOptions options;
  std::optional<Loss> loss;
  std::optional<Residual> residual;
};

/// Which forms a command fits: any, or one that is given and has no residual process.
enum class Forms { any, given };

/// The options of every command that fits.
void add_search_options(OptionSet& app, SearchArguments& arguments, Forms forms = Forms::any);

/// An objective was asked for that no residual process has: among forms that are chosen, there is
/// then none with a process.
bool leaves_process_out(const SearchArguments& arguments);

/// Whether a model with a residual process may come out.
bool may_have_process(const SearchArguments& arguments);

/// The options for fit(), with the kernel that PERFMODEL_KERNEL names. Throws UsageError for one
/// that this machine lacks.
FitOptions fit_options(const SearchArguments& arguments);

/// `--threads`; where it is not given, OMP_NUM_THREADS or the number of cores.
void add_threads(OptionSet& app, std::size_t& threads);

}  // namespace perfmodel::cli
