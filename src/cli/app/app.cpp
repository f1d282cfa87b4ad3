#include "cli/app/app.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <new>
#include <system_error>

#include "analysis/compare/regressor.hpp"
#include "base/text.hpp"
#include "cli/commands/compare/compare_command.hpp"
#include "cli/commands/evaluate/evaluate_command.hpp"
#include "cli/commands/fit/fit_command.hpp"
#include "cli/commands/plan_command.hpp"
#include "cli/commands/predict_command.hpp"
#include "cli/commands/report_command.hpp"
#include "cli/commands/scaling/scaling_command.hpp"
#include "cli/commands/selftest_command.hpp"
#include "cli/commands/show_command.hpp"
#include "cli/commands/simulate_command.hpp"
#include "cli/commands/ssgd/ssgd_command.hpp"
#include "cli/commands/suggest/suggest_command.hpp"
#include "cli/commands/sweep/sweep_command.hpp"
#include "cli/options/flag_names.hpp"
#include "cli/options/gates.hpp"
#include "cli/options/option_set.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/signals.hpp"
#include "io/file/output_file.hpp"
#include "perfmodel/base/error.hpp"

namespace perfmodel::cli {
namespace {

void add_console_options(CLI::App& app, ConsoleOptions& options) {
  app.add_flag("--quiet", options.quiet, "keep warnings and errors only")->group("Messages");
  app.add_option_function<std::string>(
         "--color",
         [&options](const std::string& text) {
           const std::map<std::string, ColorChoice> choices = {{"auto", ColorChoice::automatic},
                                                               {"always", ColorChoice::always},
                                                               {"never", ColorChoice::never}};
           const auto found = choices.find(text);
           if (found == choices.end())
             throw CLI::ValidationError(
                 "--color", "'" + text + "' is not one of 'auto', 'always' and 'never'");
           options.color = found->second;
         },
         "colours on standard error; auto: on a terminal,\nunless NO_COLOR is set")
      ->type_name("auto|always|never")
      ->group("Messages");
}

std::string version_text() {
  return std::string("perfmodel " PERFMODEL_VERSION "\nblack boxes of compare: ") +
         (has_black_boxes() ? "dlib" : "none, built without dlib") +
         (has_gradient_boosting() ? ", XGBoost" : ", built without XGBoost");
}

/// The command line as a whole: every command, its options and what it does.
class Program {
 public:
  Program() {
    app_.name("perfmodel");
    app_.require_subcommand(0, 1);
    app_.get_formatter()->column_width(36);
    app_.set_version_flag("--version", version_text(), "print the version");
    add_console_options(app_, console_options_);
    app_.footer(
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
        "perfmodel COMMAND --help says more.");
    add_command("fit", "Fits the constants of the model to measured runs.", fit_, setup_fit,
                run_fit);
    add_command("predict", "Predicts the times of configurations.", predict_, setup_predict,
                run_predict);
    add_command("evaluate", "Says how far a model is from measured runs.", evaluate_,
                setup_evaluate, run_evaluate);
    add_command("sweep", "Fits over a range of regularisation strengths.", sweep_, setup_sweep,
                run_sweep);
    add_command("compare", "Compares the model with black boxes.", compare_, setup_compare,
                run_compare);
    add_command("simulate", "Makes runs from known constants.", simulate_, setup_simulate,
                run_simulate);
    add_command("scaling", "Speedup, efficiency and scaling laws along one column.", scaling_,
                setup_scaling, run_scaling);
    add_command("ssgd", "Models an iteration of synchronous SGD from layer times.", ssgd_,
                setup_ssgd, run_ssgd);
    add_command("show", "Prints a model's formula, to read or to compute elsewhere.", show_,
                setup_show, run_show);
    add_command("plan", "Chooses configurations to measure.", plan_, setup_plan, run_plan);
    add_command("suggest", "Finds the best configurations, or the next to measure.", suggest_,
                setup_suggest, run_suggest);
    add_command("report", "Writes one page with the tables and figures of a model.", report_,
                setup_report, run_report);
    add_command("selftest", "Recomputes known answers on this machine.", selftest_, setup_selftest,
                run_selftest_command);
  }

  /// Throws CLI::ParseError or UsageError for what cannot be understood.
  void parse(int argc, const char* const* argv) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ExtrasError&) {
      throw UsageError(about_extras());
    } catch (const CLI::ArgumentMismatch& error) {
      throw UsageError(about_mismatch(error.what()));
    }
  }

  /// "perfmodel fit", as far as the command line was understood.
  std::string command_name() const {
    const auto commands = app_.get_subcommands();
    return commands.empty() ? "perfmodel" : "perfmodel " + commands.front()->get_name();
  }

  bool has_command() const { return static_cast<bool>(run_); }
  /// CLI11's, without its double blank lines.
  std::string help() const {
    std::string text = app_.help();
    for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
      text.erase(at, 1);
    return text;
  }
  const ConsoleOptions& console_options() const { return console_options_; }
  int run(Console& console) const { return run_(console); }

 private:
  CLI::App app_{"Fits a generic performance model of deep-learning training times."};
  ConsoleOptions console_options_;
  FitArguments fit_;
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
  std::function<int(Console&)> run_;

  const CLI::App& current() const {
    const auto commands = app_.get_subcommands();
    return commands.empty() ? app_ : *commands.front();
  }

  /// What to say of arguments that nothing takes. CLI11 lists them, in reverse.
  std::string about_extras() const {
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
    for (const CLI::App* each : app_.get_subcommands([](const CLI::App*) { return true; }))
      known.push_back(each->get_name());
    return "unknown command '" + extras.at(0) + "'" + did_you_mean(extras.at(0), known);
  }

  /// CLI11 says "--seed: 1 required N missing" and "--seed: At Most 1 required but received 2".
  static std::string about_mismatch(const std::string& message) {
    const std::string option = message.substr(0, message.find(':'));
    return option + (message.find("received") == std::string::npos ? " needs a value"
                                                                   : " is given more than once");
  }

  template <class Arguments>
  void add_command(const std::string& name, const std::string& description, Arguments& arguments,
                   void (*setup)(OptionSet&, Arguments&),
                   int (*run_command)(const Arguments&, Console&)) {
    CLI::App& command = *app_.add_subcommand(name, description);
    OptionSet options(command);
    setup(options, arguments);
    add_console_options(command, console_options_);
    command.callback([this, &arguments, run_command] {
      run_ = [&arguments, run_command](Console& console) {
        return run_command(arguments, console);
      };
    });
  }
};

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

}  // namespace perfmodel::cli
