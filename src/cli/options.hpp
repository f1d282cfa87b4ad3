#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
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

namespace perfmodel::cli {

class OptionSet;

struct BootstrapArguments {
  std::optional<std::size_t> samples;
  std::optional<double> confidence;
};

/// `--bootstrap` and `--confidence`.
void add_bootstrap_options(OptionSet& app, BootstrapArguments& arguments);

/// Throws UsageError where they do not go with each other.
void check_bootstrap(const BootstrapArguments& arguments);

/// Nothing where none are asked for.
std::optional<BootstrapRequest> bootstrap_request(const BootstrapArguments& arguments);

}  // namespace perfmodel::cli

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

/// The words that the values of options can be, where these are few.
using OptionWords = std::map<const CLI::Option*, std::vector<std::string>>;

/// One option, as CLI11 knows it: its header takes seconds to compile, hence only option_set.cpp,
/// completions.cpp and app.cpp include it.
class Option {
 public:
  Option(CLI::Option& option, OptionWords& words) : option_(&option), words_(&words) {}

  Option type_name(const std::string& name);    ///< of its value; "a|b" are its words
  Option group(const std::string& name);        ///< under which the help lists it
  Option option_text(const std::string& text);  ///< in the help, in place of its type
  Option required();
  Option trigger_on_parse();                     ///< its function is called for each of its values
  Option take_last();                            ///< may be given again; the last one holds
  Option take_all();                             ///< may be given again
  Option allow_extra_args(bool allow);           ///< more than one value after one name
  Option words(std::vector<std::string> words);  ///< what its value can be, for completions

 private:
  CLI::Option* option_;
  OptionWords* words_;
};

/// The options and arguments of a command.
class OptionSet {
 public:
  OptionSet(CLI::App& app, OptionWords& words) : app_(&app), words_(&words) {}

  /// An empty value is refused.
  Option add_option(const std::string& name, std::string& variable, const std::string& description);
  Option add_option(const std::string& name, std::optional<std::string>& variable,
                    const std::string& description);
  Option add_option(const std::string& name, std::vector<std::string>& variable,
                    const std::string& description);
  /// Its value goes to a function, which throws OptionError where it cannot be taken.
  Option add_option_function(const std::string& name,
                             const std::function<void(const std::string&)>& function,
                             const std::string& description);
  Option add_flag(const std::string& name, bool& variable, const std::string& description);
  Option add_flag_callback(const std::string& name, const std::function<void()>& function,
                           const std::string& description);
  Option get_option(const std::string& name);
  void remove_option(const std::string& name);
  void footer(const std::string& text);  ///< below the options in the help

 private:
  CLI::App* app_;
  OptionWords* words_;
};

/// An option that takes one of a few words. CLI11's own transformer prints a map of enumerators.
template <class Choice>
Option add_choice(OptionSet& app, const std::string& name, Choice& variable,
                  std::vector<std::pair<std::string, Choice>> choices,
                  const std::string& description) {
  std::vector<std::string> words;
  std::string type_name;
  for (const auto& [word, choice] : choices) {
    words.push_back(word);
    type_name += (type_name.empty() ? "" : "|") + word;
  }
  constexpr std::size_t longest_type_name = 24;
  const auto parse = [&variable, name, words,
                      choices = std::move(choices)](const std::string& text) {
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end())
      throw OptionError(name, "'" + text + "' is not one of " + quoted_list(words));
    variable = choices[static_cast<std::size_t>(found - words.begin())].second;
  };
  return app.add_option_function(name, parse, description)
      .type_name(type_name.size() > longest_type_name ? "NAME" : type_name)
      .words(words);
}

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

/// An option that takes one decimal number of a range. CLI11's own conversion also takes "nan",
/// "inf" and "0x10", and its messages do not say what would be right.
inline Option add_number(OptionSet& app, const std::string& name, std::optional<double>& variable,
                         const std::string& description, NumberRange range = {}) {
  const auto parse = [&variable, name, range = std::move(range)](const std::string& text) {
    const auto value = parse_number(text);
    if (!value || !range.contains(*value))
      throw OptionError(name, "'" + text + "' is not " + range.words);
    variable = *value;
  };
  return app.add_option_function(name, parse, description).type_name("X");
}

/// An option that takes a whole number of at least `low`.
template <class Integer>
Option add_count(OptionSet& app, const std::string& name, std::optional<Integer>& variable,
                 const std::string& description, Integer low) {
  const auto parse = [&variable, name, low](const std::string& text) {
    Integer value = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc{} || end != last || value < low)
      throw OptionError(name, "'" + text + "' is not a whole number >= " + std::to_string(low));
    variable = value;
  };
  return app.add_option_function(name, parse, description).type_name("N");
}

/// Splits "A,B" at its commas.
inline std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  std::size_t start = 0;
  while (true) {
    const auto comma = text.find(',', start);
    items.push_back(text.substr(start, comma - start));
    if (comma == std::string::npos)
      return items;
    start = comma + 1;
  }
}

class OptionSet;

/// `--format text|json|csv|markdown|latex` and further ones; `md` is short for markdown. The
/// variable holds the default.
void add_format(OptionSet& app, OutputFormat& format, const std::string& description,
                const std::vector<std::pair<std::string, OutputFormat>>& further = {});

/// The same where what is usual depends on more.
void add_format(OptionSet& app, std::optional<OutputFormat>& format,
                const std::string& description);

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
                        const std::string& description) {
  // CLI11 would add "TEXT REQUIRED"; the usage line says already what may be left out.
  return app.add_option(name, path, description + "; \"-\" is stdin").option_text(" ");
}

/// `--fail-if`, repeatable.
inline void add_gates(OptionSet& app, std::vector<Gate>& gates, const std::string& description,
                      const FurtherFigures& further = {}) {
  app.add_option_function(
         "--fail-if",
         [&gates, further](const std::string& text) { gates.push_back(parse_gate(text, further)); },
         description)
      .type_name("CONDITION")
      .trigger_on_parse();
}

inline void add_output(OptionSet& app, std::string& output, const std::string& type_name) {
  app.add_option("-o,--output", output,
                 "where to write, \"-\" is standard output (default);\n"
                 "an old file stays as it is until the result is complete")
      .type_name(type_name);
}

/// Throws UsageError where the output is the same file as an input that it would replace.
void refuse_to_replace(const std::string& input, const std::string& output);

/// The same of every input that is given.
void refuse_to_replace(const std::vector<std::optional<std::string>>& inputs,
                       const std::string& output);

class OptionSet;

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

class OptionSet;

/// `--separator`.
void add_separator(OptionSet& app, std::optional<char>& separator);

/// `--failed`.
void add_failed(OptionSet& app, bool& drop_failed);

class OptionSet;

/// The options that say which column plays which part, and how files are read, shared by all
/// commands that read runs.
void add_role_options(OptionSet& app, RoleRequest& request, std::optional<char>& separator);

class OptionSet;

/// Which rows train and which judge, as the command line says it.
struct SplitArguments {
  std::optional<SplitShares> shares;
  std::optional<std::uint64_t> seed;
};

/// `--split` and `--split-seed`, for commands that split where nothing is said.
void add_split_options(OptionSet& app, SplitArguments& arguments);

/// The split that was asked for, else 60:20:20.
Split split_of(const LabelledRuns& runs, const SplitArguments& arguments);

/// Reads files of runs as one table and settles the parts of its columns; notices go to the
/// console.
/// Says what they have to say of themselves.
LabelledRuns told(LabelledRuns runs, Console& console);
LabelledRuns read_labelled_runs(const std::vector<std::string>& paths, const RoleRequest& request,
                                std::optional<char> separator, Console& console,
                                const ReadProgress& progress = {});

class OptionSet;

/// What the command line says about loss and search, as far as it says something.
struct SearchArguments {
  FitOptions options;
  std::optional<Loss> loss;
  std::optional<std::uint64_t> seed;
  std::optional<double> l1;
  std::optional<double> l2;
  bool residual_given = false;
  bool no_polish = false;
  std::optional<Penalise> penalise;
  bool terms_given = false;
  std::optional<std::size_t> threads;
};

/// Which forms a command fits: any, or one that is given and has no residual process.
enum class Forms { any, given };

/// The options of every command that fits.
void add_search_options(OptionSet& app, SearchArguments& arguments, Forms forms = Forms::any);

/// Of commands that fit one expression: throws UsageError for options that it does not know.
void refuse_options_of_others(const SearchArguments& arguments);

/// An objective was asked for that no residual process has: among forms that are chosen, there is
/// then none with a process.
bool leaves_process_out(const SearchArguments& arguments);

/// Whether a model with a residual process may come out.
bool may_have_process(const SearchArguments& arguments);

/// The options for fit(): what was given, else the defaults of FitOptions; all cores, or as many as
/// OMP_NUM_THREADS says; the kernel that PERFMODEL_KERNEL names. Throws UsageError for a kernel
/// that this machine lacks.
FitOptions fit_options(const SearchArguments& arguments);

/// Where `--threads` does not say: OMP_NUM_THREADS, else the cores.
std::size_t default_threads();

}  // namespace perfmodel::cli
