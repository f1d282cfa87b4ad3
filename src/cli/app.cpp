#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "analysis/comparison.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/completions.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "perfmodel/error.hpp"

namespace perfmodel::cli {

/// The command line as a whole: every command, its options and what it does.
class Program {
 public:
  Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Throws CLI::ParseError or UsageError for what cannot be understood.
  void parse(int argc, const char* const* argv);

  /// "perfmodel fit", as far as the command line was understood.
  std::string command_name() const;

  bool has_command() const { return static_cast<bool>(run_); }
  /// Of the command that was named, or of the program.
  std::string help() const { return help_of(current()); }
  const ConsoleOptions& console_options() const { return console_options_; }
  int run(Console& console) const { return run_(console); }

 private:
  CLI::App app_{"Fits a generic performance model of deep-learning training times."};
  OptionWords words_;
  ConsoleOptions console_options_;
  FitArguments fit_;
  MergeArguments merge_;
  PredictArguments predict_;
  EvaluateArguments evaluate_;
  SweepArguments sweep_;
  CompareArguments compare_;
  SimulateArguments simulate_;
  ScalingArguments scaling_;
  SsgdArguments ssgd_;
  ShowArguments show_;
  PlanArguments plan_;
  SuggestArguments suggest_;
  ReportArguments report_;
  SelftestArguments selftest_;
  HelpArguments help_;
  CompletionsArguments completions_;
  std::function<int(Console&)> run_;

  /// The commands whose tasks calls can share.
  std::map<std::string, SharingArguments*> sharing_commands();
  /// What these words say, with results that are there.
  static int run_merged(const std::vector<std::string>& words, const MergedTasks& merged,
                        Console& console);

  const CLI::App& current() const;
  std::string help_of(const CLI::App& command) const;
  std::string help_of(const std::string& command) const;
  /// Throws UsageError where there is none of this name.
  const CLI::App& command_of(const std::string& name) const;
  std::vector<std::string> command_names() const;
  std::string about_extras() const;

  template <class Arguments>
  void add_command(const std::string& name, const std::string& description, Arguments& arguments,
                   void (*setup)(OptionSet&, Arguments&),
                   int (*run_command)(const Arguments&, Console&));
};

namespace {

void answer(const std::string& text) {
  OutputFile output("-");
  output.write(text);
  output.commit();
}

int code(ExitCode code) {
  return static_cast<int>(code);
}

int run_program(Program& program, int argc, const char* const* argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    answer(program.help());
    return code(ExitCode::done);
  } catch (const CLI::CallForVersion& version) {
    answer(std::string(version.what()) + "\n");
    return code(ExitCode::done);
  }
  if (!program.has_command()) {
    std::fputs(program.help().c_str(), stderr);
    return code(ExitCode::wrong_usage);
  }
  Console console(program.console_options());
  return program.run(console);
}

}  // namespace

int run_app(int argc, const char* const* argv) {
  // A reader that went away and a file beyond its limit of size are failed writes (EPIPE, EFBIG),
  // so that what was begun is tidied up.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);

  Program program;
  const auto fail = [&](ExitCode exit_code, const std::string& message) {
    Console(program.console_options()).error(message);
    return code(exit_code);
  };
  const auto defect = [&](const std::exception& error) {
    return fail(ExitCode::internal_error,
                std::string(error.what()) + "; this is a defect of perfmodel, please report it");
  };
  constexpr auto out_of_memory =
      "out of memory: this takes more than the machine, or a limit of it, gives; pass fewer rows "
      "or columns, or fewer --threads";
  const auto advice = [&] { return "\nSee '" + program.command_name() + " --help'."; };
  try {
    return run_program(program, argc, argv);
  } catch (const CLI::ParseError& error) {
    return fail(ExitCode::wrong_usage, error.what() + advice());
  } catch (const UsageError& error) {
    return fail(ExitCode::wrong_usage, with_flags(error.sentence()) + advice());
  } catch (const InputError& error) {
    return fail(ExitCode::bad_input, with_flags(error.sentence()));
  } catch (const GateError& error) {
    return fail(ExitCode::gate_failed, error.what());
  } catch (const ReaderGone&) {
    return exit_code_of_signal(SIGPIPE);  // what a pipeline expects, and no message
  } catch (const OutputError& error) {
    return fail(ExitCode::output_failed, error.what());
  } catch (const Interrupted& error) {
    fail(ExitCode::internal_error, error.what());
    return exit_code_of_signal(received_signal().value_or(SIGINT));
  } catch (const std::bad_alloc&) {
    return fail(ExitCode::out_of_memory, out_of_memory);
  } catch (const std::system_error& error) {
    // A thread for which there is no room.
    return error.code() == std::errc::resource_unavailable_try_again
               ? fail(ExitCode::out_of_memory, out_of_memory)
               : defect(error);
  } catch (const std::exception& error) {
    return defect(error);
  }
}

namespace {

constexpr auto kFooter =
    "A model is t = (sum a_i I_i^p_i + sum a_level) * prod E_j^q_j + C over the columns of a "
    "CSV "
    "file.\n"
    "Results go to standard output, all else to standard error.\n"
    "\n"
    "Exit codes: 0 done, 1 internal error, 2 wrong usage, 3 bad input, 4 a --fail-if condition "
    "holds,\n"
    "5 the output cannot be written, 6 out of memory, 130 and 143 on SIGINT and SIGTERM, 141\n"
    "(without a word) where who read the output from a pipe went away.\n"
    "\n"
    "Environment: PERFMODEL_KERNEL=baseline|avx2|avx512 chooses the instructions of the "
    "search, "
    "else the\n"
    "widest of this processor; they never change a result. OMP_NUM_THREADS, NO_COLOR as "
    "usual.\n"
    "\n"
    "Examples:\n"
    "  perfmodel fit runs.csv -o model.json\n"
    "  perfmodel predict model.json --set filters=32 workers=2 batch_size=64\n"
    "  perfmodel evaluate model.json new_runs.csv\n"
    "  perfmodel report model.json runs.csv -o report.html\n"
    "\n"
    "perfmodel COMMAND --help says more.";

void add_console_options(OptionSet& options, ConsoleOptions& chosen) {
  options.add_flag("--quiet", chosen.quiet, "keep warnings and errors only").group("Messages");
  add_choice<ColorChoice>(options, "--color", chosen.color,
                          {{"auto", ColorChoice::automatic},
                           {"always", ColorChoice::always},
                           {"never", ColorChoice::never}},
                          "colours on standard error; auto: on a terminal,\nunless NO_COLOR is set")
      .group("Messages");
}

std::string version_text() {
  return std::string("perfmodel " PERFMODEL_VERSION "\nblack boxes of compare: ") +
         (has_black_boxes() ? "dlib" : "none, built without dlib") +
         (has_gradient_boosting() ? ", XGBoost" : ", built without XGBoost");
}

/// CLI11 says "--seed: 1 required N missing" and "--seed: At Most 1 required but received 2".
std::string about_mismatch(const std::string& message) {
  const std::string option = message.substr(0, message.find(':'));
  return option + (message.find("received") == std::string::npos ? " needs a value"
                                                                 : " is given more than once");
}

/// Whether no result depends on an option: it says where results go, which of its tasks a call
/// does, what its summary shows and who watches. (--resume of a plan is a file that is read.)
bool is_of_no_result(const CLI::Option& option) {
  static const std::set<std::string> names = {"-o,--output", "--threads", "--shard", "--fail-if",
                                              "--quiet",     "--color",   "--set"};
  const std::string name = option.get_name(false, true);
  return names.contains(name) || (name == "--resume" && option.get_expected_max() == 0);
}

/// The options that are given and their values, in the order of the help.
std::string settings_of(const CLI::App& command) {
  std::string out;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || option->get_positional() || is_of_no_result(*option))
      continue;
    out += option->get_name(false, true);
    for (const std::string& value : option->results())
      out += " " + shell_word(value);
    out += "\n";
  }
  return out;
}

/// The words that make the same result wherever it is written.
std::vector<std::string> command_of_result(const CLI::App& command) {
  std::vector<std::string> out{command.get_name()};
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0 || is_of_no_result(*option))
      continue;
    const bool is_long = !option->get_lnames().empty();
    if (option->get_positional())
      out.insert(out.end(), option->results().begin(), option->results().end());
    else if (option->get_expected_max() == 0)
      options.push_back("--" + option->get_lnames().front());
    else
      for (const std::string& value : option->results())
        options.push_back((is_long ? "--" + option->get_lnames().front() + "="
                                   : "-" + option->get_snames().front()) +
                          value);
  }
  out.insert(out.end(), options.begin(), options.end());
  return out;
}

}  // namespace

template <class Arguments>
void Program::add_command(const std::string& name, const std::string& description,
                          Arguments& arguments, void (*setup)(OptionSet&, Arguments&),
                          int (*run_command)(const Arguments&, Console&)) {
  CLI::App& command = *app_.add_subcommand(name, description);
  OptionSet options(command, words_);
  setup(options, arguments);
  add_console_options(options, console_options_);
  command.callback([this, &arguments, run_command] {
    run_ = [&arguments, run_command](Console& console) { return run_command(arguments, console); };
  });
}

Program::Program() {
  app_.name("perfmodel");
  app_.require_subcommand(0, 1);
  app_.get_formatter()->column_width(36);
  app_.set_version_flag("-V,--version", version_text(), "print the version");
  OptionSet options(app_, words_);
  add_console_options(options, console_options_);
  app_.footer(kFooter);
  add_command("fit", "Fits the constants of the model to measured runs.", fit_, setup_fit, run_fit);
  add_command("merge", "Joins the models that the shards of a fit wrote.", merge_, setup_merge,
              run_merge);
  add_command("predict", "Predicts the times of configurations.", predict_, setup_predict,
              run_predict);
  add_command("evaluate", "Says how far a model is from measured runs.", evaluate_, setup_evaluate,
              run_evaluate);
  add_command("sweep", "Fits over a range of regularisation strengths.", sweep_, setup_sweep,
              run_sweep);
  add_command("compare", "Compares the model with black boxes.", compare_, setup_compare,
              run_compare);
  add_command("simulate", "Makes runs from known constants.", simulate_, setup_simulate,
              run_simulate);
  add_command("scaling", "Speedup, efficiency and scaling laws along one column.", scaling_,
              setup_scaling, run_scaling);
  add_command("ssgd", "Models an iteration of synchronous SGD from layer times.", ssgd_, setup_ssgd,
              run_ssgd);
  add_command("show", "Prints a model's formula, to read or to compute elsewhere.", show_,
              setup_show, run_show);
  add_command("plan", "Chooses configurations to measure.", plan_, setup_plan, run_plan);
  add_command("suggest", "Finds the best configurations, or the next to measure.", suggest_,
              setup_suggest, run_suggest);
  add_command("report", "Writes one page with the tables and figures of a model.", report_,
              setup_report, run_report);
  add_command("selftest", "Recomputes known answers on this machine.", selftest_, setup_selftest,
              run_selftest_command);
  add_command("help", "Prints the help of a command.", help_, setup_help, run_help);
  add_command("completions", "Prints completions for a shell.", completions_, setup_completions,
              run_completions);
  merge_.run_merged = run_merged;
  help_.help_of = [this](const std::string& command) { return help_of(command); };
  completions_.tree = [this] { return command_tree(app_, words_); };
}

std::map<std::string, SharingArguments*> Program::sharing_commands() {
  return {{"fit", &fit_.sharing},
          {"sweep", &sweep_.sharing},
          {"compare", &compare_.sharing},
          {"plan", &plan_.sharing}};
}

int Program::run_merged(const std::vector<std::string>& words, const MergedTasks& merged,
                        Console& console) {
  std::vector<const char*> arguments{"perfmodel"};
  for (const std::string& word : words)
    arguments.push_back(word.c_str());
  Program program;
  program.parse(static_cast<int>(arguments.size()), arguments.data());
  for (const auto& [name, sharing] : program.sharing_commands())
    sharing->merged = &merged;
  if (!program.has_command())
    throw InputError("the parts name no command");
  return program.run(console);
}

void Program::parse(int argc, const char* const* argv) {
  fit_.command_line = "perfmodel";
  for (int i = 1; i < argc; ++i)
    fit_.command_line += " " + shell_word(argv[i]);
  try {
    app_.parse(argc, argv);
    for (const auto& [name, sharing] : sharing_commands()) {
      sharing->settings = settings_of(*app_.get_subcommand(name));
      sharing->command = command_of_result(*app_.get_subcommand(name));
    }
  } catch (const CLI::ExtrasError&) {
    throw UsageError(about_extras());
  } catch (const CLI::ArgumentMismatch& error) {
    throw UsageError(about_mismatch(error.what()));
  }
}

std::string Program::command_name() const {
  const auto commands = app_.get_subcommands();
  return commands.empty() ? "perfmodel" : "perfmodel " + commands.front()->get_name();
}

const CLI::App& Program::current() const {
  const auto commands = app_.get_subcommands();
  return commands.empty() ? app_ : *commands.front();
}

std::string Program::help_of(const std::string& command) const {
  return help_of(command.empty() ? app_ : command_of(command));
}

/// CLI11's, without its double blank lines.
std::string Program::help_of(const CLI::App& command) const {
  // Not help(), which prefers the command that was named.
  std::string text = command.get_formatter()->make_help(
      &command, &command == &app_ ? "perfmodel" : "perfmodel " + command.get_name(),
      CLI::AppFormatMode::Normal);
  for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
    text.erase(at, 1);
  return text;
}

std::vector<std::string> Program::command_names() const {
  std::vector<std::string> names;
  for (const CLI::App* each : app_.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(each->get_name());
  return names;
}

const CLI::App& Program::command_of(const std::string& name) const {
  for (const CLI::App* each : app_.get_subcommands([](const CLI::App*) { return true; }))
    if (each->get_name() == name)
      return *each;
  throw UsageError("unknown command '" + name + "'" + did_you_mean(name, command_names()));
}

/// What to say of arguments that nothing takes. CLI11 lists them, in reverse.
std::string Program::about_extras() const {
  const std::vector<std::string> extras = current().remaining();
  const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& extra) {
    return extra.starts_with("-") && extra.size() > 1;
  });
  std::vector<std::string> known;
  if (option != extras.end()) {
    for (const CLI::Option* each : current().get_options())
      known.push_back(each->get_name(false, false));
    const std::string name = option->substr(0, option->find('='));
    return "unknown option '" + name + "'" + did_you_mean(name, known);
  }
  if (&current() != &app_)
    return "unexpected argument '" + extras.at(0) + "'";
  return "unknown command '" + extras.at(0) + "'" + did_you_mean(extras.at(0), command_names());
}

}  // namespace perfmodel::cli
