#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cli/app/shell_commands.hpp"
#include "cli/commands/compare/compare_command.hpp"
#include "cli/commands/evaluate/evaluate_command.hpp"
#include "cli/commands/fit/fit_command.hpp"
#include "cli/commands/merge_command.hpp"
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
#include "cli/options/option_set.hpp"
#include "cli/terminal/console.hpp"

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

}  // namespace perfmodel::cli
