#include "cli/app.hpp"

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "cli/fit_command.hpp"
#include "registry/registry.hpp"
#include "report/documents.hpp"
#include "storage/files.hpp"

namespace perfmodel::cli {

Command help_command(const std::function<std::string(const std::string& command)>& help_of);
Command completions_command(const CLI::App& program, const OptionRecords& records);
Command predict_command();
Command evaluate_command();
Command show_command();
Command report_command();

namespace {

constexpr auto kFooter =
    R"(A model is t = (sum a_i I_i^p_i + sum a_level) * prod E_j^q_j + C over the columns of a CSV file.
Results go to standard output, messages to standard error.

Exit codes: 0 done, 1 internal error, 2 wrong usage, 3 bad input, 4 a --fail-if condition holds,
5 the output cannot be written, 6 out of memory, 7 the goal of measure --until is not reached, 130
and 143 on SIGINT and SIGTERM, 141 (without a message) if the reader of a pipe exited.

Environment: PERFMODEL_KERNEL=baseline|avx2|avx512 chooses the instruction set of the search
(default: the widest of this processor); it never changes a result. OMP_NUM_THREADS and NO_COLOR
have their usual meaning.

Examples:
  perfmodel fit runs.csv -o model.json)";

class HelpFormatter : public CLI::Formatter {
 public:
  static constexpr std::size_t name_width = 36;
  static constexpr std::size_t width = 100;

  HelpFormatter() { column_width(name_width); }

  std::string make_option_desc(const CLI::Option* option) const override {
    const std::vector<std::string> paragraphs = split_list(option->get_description(), '\n');
    std::vector<std::string> lines;
    for (const std::string& paragraph : paragraphs)
      for (std::string& line :
           lines_within(paragraph, width - name_width, paragraphs.size() > 1 ? 2 : 0))
        lines.push_back(std::move(line));
    return joined(lines, "\n");
  }

  /// As in CLI11, without the default, which is part of the description.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (!option->get_option_text().empty())
      return " " + option->get_option_text();
    return (option->get_type_name().empty() ? "" : " " + option->get_type_name()) +
           (option->get_allow_extra_args() ? " ..." : "") +
           (option->get_required() ? " REQUIRED" : "");
  }

  /// The text before the first semicolon or default, as one line.
  std::string short_line(const CLI::Option& option) const {
    const std::string text = option.get_description();
    const auto end = std::min(
        {text.find("; "), text.find('\n'), text.find(" (default: "), text.find(" (repeatable)")});
    std::string name = "  " + make_option_name(&option, false) + make_option_opts(&option);
    if (name.size() >= name_width)
      name += "\n";
    name.resize(name.size() + name_width - (name.ends_with('\n') ? 0 : name.size()), ' ');
    return name + text.substr(0, end) + "\n";
  }
};

void add_console_options(OptionSet& options, ConsoleOptions& chosen) {
  options.group("Messages", /*of_program=*/true);
  options.flag("--quiet", chosen.quiet, "keep warnings and errors only").of_no_result();
  options
      .choice<ColorChoice>("--color", chosen.color,
                           {{"auto", ColorChoice::automatic},
                            {"always", ColorChoice::always},
                            {"never", ColorChoice::never}},
                           "colours on standard error; auto: on a terminal, unless NO_COLOR is set")
      .of_no_result();
}

std::string version_text(bool as_json) {
  if (!as_json) {
    std::string out = "perfmodel " PERFMODEL_VERSION "\n";
    for (const UsedLibraries& libraries : added<UsedLibraries>())
      out += libraries.line();
    return out;
  }
#if defined(__clang__)
  VersionDocument out{.version = PERFMODEL_VERSION, .compiler = __VERSION__};
#else
  VersionDocument out{.version = PERFMODEL_VERSION, .compiler = "GCC " __VERSION__};
#endif
  for (const InstructionSet instructions : available_instruction_sets())
    out.kernels.emplace_back(to_text(instructions));
  for (const UsedLibraries& libraries : added<UsedLibraries>())
    out.black_boxes = libraries.black_boxes();
  return to_json(out);
}

bool is_csv(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".tsv");
}

/// True for a word such as "workers=8" that is no file, if the command has --set.
bool is_setting_of(const CLI::App& command, const std::string& word) {
  return word.find('=') != std::string::npos && !std::filesystem::exists(word) &&
         command.get_option_no_throw("--set") != nullptr;
}

std::string about_setting(const std::string& word) {
  return "; did you mean --set " + shell_word(word) + "?";
}

/// Throws UsageError for a setting given as a file, and for runs given before the model.
void check_arguments(const CLI::App& command) {
  std::string swapped;
  std::string model;
  for (const CLI::Option* option : command.get_options(
           [](const CLI::Option* each) { return each->get_positional() && each->count() > 0; })) {
    const std::string& path = option->results().front();
    if (is_setting_of(command, path))
      throw UsageError("there is no file " + path + about_setting(path));
    if (option->get_name(true) == "MODEL.json" && is_csv(path))
      swapped = path;
    else if (model.empty() && path.ends_with(".json"))
      model = path;
  }
  if (!swapped.empty())
    throw UsageError(model.empty()
                         ? swapped + " is a table of runs, and no model; fit one: perfmodel fit " +
                               shell_word(swapped) + " -o model.json"
                         : "the model comes first: perfmodel " + command.get_name() + " " +
                               shell_word(model) + " " + shell_word(swapped));
}

/// An option or a command of the last minor version that is gone.
struct Removed {
  std::string_view command;  ///< empty: a command itself; kAnyOf: all that have `instead`
  std::string_view name;
  std::string_view instead;  ///< what to do; of kAnyOf it names an option
};

constexpr std::string_view kAnyOf = "*";
constexpr std::string_view kTable =
    "pass --table NAME, of a study, an experiment, a table or a view";

constexpr std::string_view kOneMachine =
    "this takes seconds on the cores of one machine; fit --by has shards";

// Entries go one minor version after what they name.
constexpr std::array kRemoved = {
    Removed{"", "selftest", "its certified answers are tests now, which ctest -L certified runs"},
    Removed{"help", "--markdown", "perfmodel COMMAND --help-all lists all options"},
    Removed{"predict", "--monotone",
            "sort the predictions yourself where you are certain of a direction"},
    Removed{"fit", "--merge-rows", "a row is a run; --sample-rows draws rows of a large file"},
    Removed{"fit", "--weight", "a row is a run: write each run as a line of its own"},
    Removed{"fit", "--total", "fit --by and several targets stay; compare their sum yourself"},
    Removed{"fit", "--target-name", "give each target a column of its own: --target time_s,mem_mb"},
    Removed{"sweep", "--shard", kOneMachine},
    Removed{"compare", "--shard", kOneMachine},
    Removed{"plan", "--shard", kOneMachine},
    Removed{"ssgd", "--timeline-svg",
            "--timeline draws the iteration as text, and --format json has its messages"},
    Removed{"ssgd", "--batch-shares", "--worker-times takes the samples of the workers, too"},
    Removed{"sweep", "--resume", kOneMachine},
    Removed{"compare", "--resume", kOneMachine},
    Removed{kAnyOf, "--study", kTable},
    Removed{kAnyOf, "--experiment", kTable},
    Removed{"fit", "--confidence", "--coverage SHARE is the level of all intervals"},
    Removed{kAnyOf, "--fix", "pass --bounds X=VALUE"},
    Removed{kAnyOf, "--exploration-rows", "pass --search exploration-rows=N"},
    Removed{kAnyOf, "--strategy", "pass --search strategy=NAME"},
    Removed{kAnyOf, "--population", "pass --search population=N"},
    Removed{kAnyOf, "--generations", "pass --search generations=N"},
    Removed{kAnyOf, "--tolerance", "pass --search tolerance=X"},
    Removed{kAnyOf, "--differential-weight", "it is 0.5:1, as by --method paper"},
    Removed{kAnyOf, "--crossover-rate", "it is 0.7, as by --method paper"},
    Removed{kAnyOf, "--no-polish",
            "--method paper ends with scipy's finish, scaled always with the exact one"},
};

/// What replaces an option of the command, or a command of the program; empty if there never was
/// one.
std::string about_removed(const CLI::App& command, std::string_view name) {
  const bool is_program = command.get_parent() == nullptr;
  const auto* const found = std::ranges::find_if(kRemoved, [&](const Removed& each) {
    if (each.name != name)
      return false;
    if (each.command != kAnyOf)
      return each.command == (is_program ? "" : command.get_name());
    const std::string_view option = each.instead.substr(each.instead.find("--"));
    return command.get_option_no_throw(std::string(option.substr(0, option.find(' ')))) != nullptr;
  });
  return found == kRemoved.end() ? ""
                                 : fmt::format("'{}' was removed: {}", found->name, found->instead);
}

/// Rewrites CLI11's "--seed: 1 required N missing" and "--seed: At Most 1 required but received 2".
std::string about_mismatch(const std::string& message) {
  const std::string option = message.substr(0, message.find(':'));
  return option + (message.find("received") == std::string::npos ? " needs a value"
                                                                 : " is given more than once");
}

/// The files of a command, and its options on which the results depend, in the order of the help.
Call call_of(const CLI::App& command, const OptionRecords& records, std::string line) {
  Call out{.line = std::move(line)};
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || !recorded(records.options, option).is_of_result)
      continue;
    const bool is_long = !option->get_lnames().empty();
    if (option->get_positional())
      out.files.insert(out.files.end(), option->results().begin(), option->results().end());
    else if (option->get_expected_max() == 0)
      out.options.push_back("--" + option->get_lnames().front());
    else
      for (const std::string& value : option->results())
        out.options.push_back((is_long ? "--" + option->get_lnames().front() + "="
                                       : "-" + option->get_snames().front()) +
                              value);
  }
  return out;
}

/// Message about unexpected arguments, which CLI11 lists in reverse.
std::string about_extras(const CLI::App& program, const CLI::App& command,
                         const OptionRecords& records) {
  const std::vector<std::string> own = command.remaining();
  const std::vector<std::string> extras = own.empty() ? program.remaining() : own;  // before it
  for (const std::string& extra : extras)
    if (const std::string missing = about_missing(extra); !missing.empty() && &command == &program)
      return missing;
  const auto option = std::ranges::find_if(
      extras, [](const std::string& extra) { return extra.starts_with("-") && extra.size() > 1; });
  std::vector<std::string> known;
  if (option != extras.end()) {
    const std::string name = option->substr(0, option->find('='));
    if (const std::string missing = about_missing(command.get_name() + " " + name);
        !missing.empty())
      return missing;
    if (const std::string removed = about_removed(command, name); !removed.empty())
      return removed;
    std::vector<std::string> usual;
    std::vector<std::string> similar;  // that share a word, as --test-split and --split
    for (const CLI::Option* each : command.get_options()) {
      const std::string flag = each->get_name(false, false);
      known.push_back(flag);
      if (recorded(records.options, each).is_common)
        usual.push_back(flag);
      for (const std::string& word : split_list(flag, '-'))
        if (word.size() > 1 && (name + "-").find("-" + word + "-") != std::string::npos)
          similar.push_back(flag);
    }
    const std::string hint = did_you_mean(name, known);
    return "unknown option '" + name + "'" +
           (!hint.empty() || usual.empty()
                ? hint
                : "; there are, among others, " + quoted_list(similar.empty() ? usual : similar));
  }
  const std::string& extra = extras.at(0);
  if (&command != &program)
    return "unexpected argument '" + extra + "'" +
           (is_setting_of(command, extra) ? about_setting(extra) : "");
  if (is_csv(extra))
    return "'" + extra + "' is no command; did you mean 'perfmodel fit " + shell_word(extra) + "'?";
  if (const std::string removed = about_removed(program, extra); !removed.empty())
    return removed;
  return "unknown command '" + extra + "'" +
         (extra == "version" ? "; did you mean '--version'?"
                             : did_you_mean(extra, names_of_commands(program)));
}

/// CLI11's help without double blank lines. Unless `all`, only the common options, to fit a screen.
std::string help_of(const CLI::App& command, const OptionRecords& records, bool all) {
  const bool is_program = command.get_parent() == nullptr;
  const auto& formatter = static_cast<const HelpFormatter&>(*command.get_formatter());
  const std::string name = is_program ? "perfmodel" : "perfmodel " + command.get_name();
  std::string text;
  if (all) {
    // Not help(), which shows the command that was given.
    text = formatter.make_help(&command, name, CLI::AppFormatMode::Normal);
    for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
      text.erase(at, 1);
    return text;
  }
  text = formatter.make_description(&command) + formatter.make_usage(&command, name);
  text += is_program ? formatter.make_subcommands(&command, CLI::AppFormatMode::Normal).substr(1)
                     : "\n";
  for (const CLI::Option* option : command.get_options())
    if (recorded(records.options, option).is_common)
      text += formatter.short_line(*option);
  const std::string footer = command.get_footer();
  return text + "\n" + footer.substr(footer.find("Examples:\n")) +
         (is_program ? "\nperfmodel COMMAND --help prints the usual options; --help-all prints all "
                       "of them.\n"
                     : "\n\n" + name + " --help-all lists all options.\n");
}

/// The command line: every command with its options and its function.
class Program {
 public:
  explicit Program(const Command& fit = fit_command()) {
    app_.name("perfmodel");
    app_.require_subcommand(0, 1);
    app_.formatter(std::make_shared<HelpFormatter>());
    app_.set_help_flag("-h,--help", "print the most-used options");
    app_.set_help_all_flag("--help-all", "print all options");
    // Before --version, which prints as soon as it is processed.
    auto* const json = app_.add_flag("--json", version_as_json_, "with --version: a JSON document");
    json->needs(app_.set_version_flag(
        "-V,--version", [this] { return version_text(version_as_json_); }, "print the version"));
    OptionSet options(app_, records_);
    add_console_options(options, console_options_);
    app_.footer(kFooter);
    // In the order of the help.
    for (const CommandEntry& entry : with_added<CommandEntry>({
             {"fit", [&] { return fit; }},
             {"predict", predict_command},
             {"evaluate", evaluate_command},
             {"show", show_command},
             {"report", report_command},
             {"help",
              [this] {
                return help_command([this](const std::string& name) { return help_of_name(name); });
              }},
             {"completions", [this] { return completions_command(app_, records_); }},
         }))
      add(commands_.emplace_back(entry.make()));
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Throws CLI::ParseError or UsageError for invalid arguments.
  void parse(int argc, const char* const* argv) {
    std::string command_line = "perfmodel";
    for (int i = 1; i < argc; ++i)
      command_line += " " + shell_word(argv[i]);
    try {
      app_.parse(argc, argv);
      for (const CLI::App* command : app_.get_subcommands()) {
        check_arguments(*command);
        check_rules(*command, records_);
      }
      for (const Command& command : commands_)
        if (command.call != nullptr)
          *command.call = call_of(*app_.get_subcommand(command.name), records_, command_line);
    } catch (const CLI::ExtrasError&) {
      throw UsageError(about_extras(app_, current(), records_));
    } catch (const CLI::RequiredError& error) {
      // A missing argument may be present, but misspelt.
      throw UsageError(current().remaining().empty() ? error.what()
                                                     : about_extras(app_, current(), records_));
    } catch (const CLI::ArgumentMismatch& error) {
      throw UsageError(about_mismatch(error.what()));
    }
  }

  /// Throws UsageError for the first word that is an option of `fit` which only the program has.
  void refuse_options_of_program(const std::vector<std::string>& words) const {
    const CLI::App& fit = *app_.get_subcommand("fit");
    for (const std::string& word : words) {
      const std::string flag = word.substr(0, word.find('='));
      const CLI::Option* option = fit.get_option_no_throw(flag);
      const OptionFacts& facts = recorded(records_.options, option);
      const bool is_help = option == fit.get_help_ptr() || option == fit.get_help_all_ptr();
      const bool is_of_program = facts.is_of_program || facts.file == FileUse::output;
      if (option != nullptr && (is_help || is_of_program))
        throw UsageError("option '" + flag.substr(2) + "': only the program has it");
    }
  }

  /// "perfmodel fit", or "perfmodel" if no command was recognised.
  std::string command_name() const {
    return &current() == &app_ ? "perfmodel" : "perfmodel " + current().get_name();
  }

  bool has_command() const { return static_cast<bool>(run_); }
  /// Help of the command that was given, or of the program.
  std::string help(bool all = false) const { return help_of(current(), records_, all); }
  const ConsoleOptions& console_options() const { return console_options_; }
  int run(Console& console) const { return run_(console); }

 private:
  CLI::App app_{"Fits a generic performance model of deep-learning training times."};
  OptionRecords records_;
  ConsoleOptions console_options_;
  bool version_as_json_ = false;
  std::vector<Command> commands_;
  std::function<int(Console&)> run_;

  const CLI::App& current() const {
    const auto commands = app_.get_subcommands();
    return commands.empty() ? app_ : *commands.front();
  }

  /// Throws UsageError for an unknown name; empty: the program.
  std::string help_of_name(const std::string& name) const {
    const std::vector<std::string> known = names_of_commands(app_);
    if (!name.empty() && !contains(known, name))
      throw UsageError("unknown command '" + name + "'" + did_you_mean(name, known));
    return help_of(name.empty() ? app_ : *app_.get_subcommand(name), records_, false);
  }

  void add(const Command& command) {
    CLI::App& app = *app_.add_subcommand(command.name, command.description);
    if (command.name == "help")
      app.group("");  // whoever reads the list has found it
    OptionSet options(app, records_);
    command.add_options(options);
    add_console_options(options, console_options_);
    app.callback([this, run = command.run] { run_ = run; });
  }
};

int code(ExitCode code) {
  return static_cast<int>(code);
}

int answer(const std::string& text) {
  OutputFile output("-");
  return finish(output, text);
}

int run_program(Program& program, int argc, const char* const* argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return answer(program.help());
  } catch (const CLI::CallForAllHelp&) {
    return answer(program.help(true));
  } catch (const CLI::CallForVersion& version) {
    return answer(version.what());
  }
  if (!program.has_command()) {
    std::fputs(program.help().c_str(), stderr);
    return code(ExitCode::wrong_usage);
  }
  Console console(program.console_options());
  return program.run(console);
}

/// Ends the program if memory is short where no exception may pass: in functions that are noexcept
/// (CLI11 has some that allocate), or for the message of an error.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr error = std::current_exception())
      std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    std::fputs("perfmodel: error: out of memory\n", stderr);
    std::_Exit(code(ExitCode::out_of_memory));
  } catch (...) {
  }
  std::abort();
}

using ShowError = std::function<void(const std::string& message)>;

/// Runs the command and turns every exception into a message and an exit code.
int run_reported(Program& program, int argc, const char* const* argv, const ShowError& show) {
  const auto fail = [&](ExitCode exit_code, const std::string& message) {
    show(message);
    return code(exit_code);
  };
  const auto defect = [&](const std::exception& error) {
    return fail(ExitCode::internal_error,
                std::string(error.what()) + "; this is a defect of perfmodel, please report it");
  };
  constexpr auto out_of_memory =
      "out of memory: this needs more than the machine, or a limit on it, provides; pass fewer "
      "rows "
      "or columns, or fewer --threads";
  const auto advice = [&] { return "\nSee '" + program.command_name() + " --help'."; };
  try {
    return run_program(program, argc, argv);
  } catch (const CLI::ParseError& error) {
    return fail(ExitCode::wrong_usage, error.what() + advice());
  } catch (const UsageError& error) {
    return fail(ExitCode::wrong_usage, error.what() + advice());
  } catch (const InputError& error) {
    return fail(ExitCode::bad_input, error.what());
  } catch (const GateError& error) {
    return fail(ExitCode::gate_failed, error.what());
  } catch (const ReaderGone&) {
    return exit_code_of_signal(SIGPIPE);  // as a pipeline expects, without a message
  } catch (const OutputError& error) {
    return fail(ExitCode::output_failed, error.what());
  } catch (const Interrupted& error) {
    fail(ExitCode::internal_error, error.what());
    return exit_code_of_signal(received_signal().value_or(SIGINT));
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::out_of_memory, out_of_memory);
  } catch (const std::system_error& error) {
    // Not enough memory for a thread.
    return error.code() == std::errc::resource_unavailable_try_again
               ? fail(ExitCode::out_of_memory, out_of_memory)
               : defect(error);
  } catch (const std::exception& error) {
    return defect(error);
  }
}

}  // namespace

std::string tool_name() {
  return "perfmodel " PERFMODEL_VERSION;
}

std::string version_json() {
  return version_text(true);
}

int run_app(int argc, const char* const* argv) {
  // A closed pipe and a file beyond its size limit become failed writes (EPIPE, EFBIG), so that
  // unfinished output is removed.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_without_memory);
  Program program;
  return run_reported(program, argc, argv, [&](const std::string& message) {
    Console(program.console_options()).error(message);
  });
}

int run_embedded(int argc, const char* const* argv, std::string& error) {
  Program program;
  return run_reported(program, argc, argv, [&](const std::string& message) { error = message; });
}

FitRequest fit_request(const std::vector<std::string>& options) {
  FitRequest request;
  Program program(fit_command([&](const FitArguments& arguments, Console& /*console*/) {
    request = request_of(arguments);
    return 0;
  }));
  program.refuse_options_of_program(options);
  std::vector<const char*> words{"perfmodel", "fit", "table"};
  for (const std::string& option : options)
    words.push_back(option.c_str());
  try {
    program.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  Console console(program.console_options());
  program.run(console);
  return request;
}

}  // namespace perfmodel::cli
