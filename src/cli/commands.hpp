#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/plan.hpp"
#include "analysis/ssgd.hpp"
#include "analysis/sweep.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/runs.hpp"
#include "codegen/formula_code.hpp"
#include "perfmodel/columns.hpp"
#include "perfmodel/fit.hpp"
#include "perfmodel/predict.hpp"
#include "perfmodel/table.hpp"
#include "report/document.hpp"

namespace perfmodel::cli {

struct CommandTree;

/// A command of the program. The function that returns it is defined in NAME_command.cpp and listed
/// in app.cpp.
struct Command {
  std::string name;
  std::string description;
  std::function<void(OptionSet&)> add_options;
  std::function<int(Console&)> run;          ///< returns the exit code
  SharingArguments* sharing = nullptr;       ///< if several calls can share its tasks
  std::string* command_line = nullptr;       ///< if it prints the call, quoted for a shell
  std::vector<std::string>* call = nullptr;  ///< if it prints the call without output options
};

/// A command with arguments of its own. Its exit code is 0, or 128 plus the signal that ended it
/// early, or as its documentation states.
template <class Arguments>
Command make_command(
    const std::string& name, const std::string& description, void (*setup)(OptionSet&, Arguments&),
    const std::type_identity_t<std::function<int(const Arguments&, Console&)>>& run,
    Arguments initial = {}) {
  const auto arguments = std::make_shared<Arguments>(std::move(initial));
  Command out{name, description, [=](OptionSet& options) { setup(options, *arguments); },
              [=](Console& console) { return run(*arguments, console); }};
  if constexpr (requires { arguments->sharing; })
    out.sharing = &arguments->sharing;
  if constexpr (requires { arguments->call; })
    out.call = &arguments->call;
  if constexpr (requires { arguments->command_line; })
    out.command_line = &arguments->command_line;
  return out;
}

/// The text of --help of a command; without a name, of the program.
using HelpOf = std::function<std::string(const std::string& command)>;

// Commands that need the others.
Command help_command(const HelpOf& help_of);
Command completions_command(const std::function<CommandTree()>& tree);

struct FitArguments {
  std::string command_line;  ///< quoted for a shell
  std::vector<std::string> runs;
  std::optional<std::string> output;
  FitRequest request;             ///< its options are made from `search`
  BootstrapRequest bootstrap{0};  ///< 0 samples: no bootstrap
  bool keep_totals = false;       ///< `auto` does not turn totals into counts per worker
  InputOptions input;
  std::optional<std::size_t> sample_rows;  ///< nullopt: all, of a large file kRowsOfLargeFile
  SearchArguments search;
  std::optional<std::string> prior;  ///< an earlier model, which is adapted
  std::optional<std::string> test;
  std::vector<Gate> gates;
  std::vector<std::string> by;         ///< columns that distinguish groups, each with its own model
  std::vector<std::string> ranked_at;  ///< settings of the ranking
  SharingArguments sharing;
};

/// The command `fit` with these arguments, or with another function that gets them.
using RunFit = std::function<int(const FitArguments&, Console&)>;
Command fit_command();
Command fit_command(const RunFit& run);

/// The request for a single model of rows that are in memory.
FitRequest table_request_of(const FitArguments& arguments);

/// A stage of a fit in words: "choosing the form".
const char* name_of(FitStage stage);

/// Adds the options of `fit` for many models at once.
void add_many_options(OptionSet& command, FitArguments& arguments);

/// True if the arguments request a model per group or target.
bool asks_for_many(const FitArguments& arguments);

/// Where nothing is stored.
constexpr auto kNowhere = "/dev/null";

/// Fits a model per group and target and writes each as a JSON line to `path` once it is fitted.
/// Returns the exit code, as run_fit() does.
int run_fit_many(const FitArguments& arguments, const std::string& path, FitRequest request,
                 Console& console);

/// The configurations of a file, which has the columns of the space.
std::vector<plan::Configuration> read_configurations(const plan::Space& space,
                                                     const std::string& path);

/// The model to rank configurations by, and those of targets that conditions bound.
struct RankingModels {
  FittedModel ranked;
  std::vector<FittedModel> bounded;

  /// The inputs of all of them.
  std::vector<std::string> columns() const;
};

/// Of a set with one key: the model of the only target that no condition names, and those of the
/// named ones. Throws UsageError for several keys, and for several or no such targets, and
/// InputError as picked_model() does.
RankingModels ranking_models(const SetLines& set, const std::vector<std::string>& conditions);

/// The targets that conditions bound, which the console is told about. `models` and `space` must
/// outlive them; `coverage`, `file`: as for certainty_of().
std::vector<plan::BoundedTarget> bounded_targets(const std::vector<FittedModel>& models,
                                                 const plan::Space& space,
                                                 std::optional<double> coverage,
                                                 const std::string& file, Console& console);

/// The exit codes that scripts rely on. A signal gives 128 + its number.
enum class ExitCode : int {
  done = 0,
  internal_error = 1,
  wrong_usage = 2,
  bad_input = 3,
  gate_failed = 4,
  output_failed = 5,
  out_of_memory = 6,
};

/// Parses the command line, runs the command and turns every error into its message and exit code.
/// Only this function and run_embedded() catch errors.
int run_app(int argc, const char* const* argv);

// For callers that embed the program: no signal handlers, no end of the process.

/// As run_app(), but the message of an error is stored in `error`.
int run_embedded(int argc, const char* const* argv, std::string& error);

/// The request of `fit` with these options, such as "--l2=0.01", for rows that are in memory.
/// Throws UsageError, with the message of the program, for options that it would refuse.
FitRequest fit_request(const std::vector<std::string>& options);

/// The document of `--version --json`.
std::string version_json();

}  // namespace perfmodel::cli
