#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/console.hpp"
#include "cli/option_set.hpp"
#include "perfmodel/fit.hpp"
#include "report/document.hpp"

namespace perfmodel::cli {

/// The instruction set of this name; the last of `available` if `word` is empty. Throws UsageError
/// for an unknown or unavailable one.
InstructionSet parse_kernel(std::string_view word, std::span<const InstructionSet> available);

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

/// Default of `--seed`, except for fits, whose default is in FitOptions.
constexpr std::uint64_t kDefaultSeed = 1;

/// Adds a positional argument for an input file.
inline Option add_input(OptionSet& app, const std::string& name, std::string& path,
                        const std::string& help) {
  return app.add(name, path, help + "; \"-\" is stdin").file(FileUse::input);
}

/// Adds `--output`; `file` is its placeholder in the help.
template <class Path>
void add_output(OptionSet& app, Path& output, const std::string& file,
                const std::string& help =
                    "output file; an existing file is replaced only when the result is complete "
                    "(default: standard output, \"-\")") {
  app.add("-o,--output " + file, output, help).file(FileUse::output).of_no_result().common();
}

/// Where nothing is stored.
constexpr auto kNowhere = "/dev/null";

void add_input_options(OptionSet& app, InputOptions& input);

/// `with_limits`: with the choice of runs that count as longer than their limits.
void add_failed(OptionSet& app, FailedRunsAre& failed, bool with_limits = false);

/// Adds the options of how further runs are read for a model.
void add_reading(OptionSet& app, ReadingRules& reading);

inline constexpr auto kStatusHelp =
    "column of exit codes or states: 0, completed, ok, ... of runs that finished; 124, 142, 152, "
    "timeout, ... of a time limit; 137, oom, ... of memory; all others failed";

/// Adds the options for the roles of columns and the format of files, shared by all commands that
/// read runs. `with_limits`: as of add_failed().
void add_role_options(OptionSet& app, RoleRequest& request, InputOptions& input,
                      bool with_limits = false);

/// The split into training, validation and test rows, for commands that need all three.
struct SplitArguments {
  SplitShares shares = parse_split("60:20:20");
  std::uint64_t seed = kDefaultSplitSeed;

  Split of(const LabelledRuns& runs) const { return split_rows(runs.rows, shares, seed); }
};

/// Adds `--split` and `--split-seed`; `standard` describes the default split in the help.
void add_split_options(OptionSet& app, SplitArguments& split,
                       const std::string& standard = "60:20:20");

/// Writes the notices and warnings of the runs to the console.
LabelledRuns told(LabelledRuns runs, Console& console);
/// Reads files of runs as one table and resolves the roles of its columns. Notices go to the
/// console.
LabelledRuns read_labelled_runs(const std::vector<std::string>& paths, const RoleRequest& request,
                                const InputOptions& input, Console& console,
                                const ReadProgress& progress = {});

/// The options of a fit; nullopt if a default depends on other options.
struct SearchArguments {
  FitOptions options;  ///< those of all forms; fit_options() sets the form
  Expression expression = Expression::eq4;
  Eq4Options eq4;  ///< its search is also that of an own formula
  SumOptions sum;  ///< its sign is also that of `auto`
  OwnOptions own;
  std::optional<Loss> loss;
  std::optional<Residual> residual;
};

/// The forms that a command fits: any, or a given one without residual correction.
enum class Forms { any, given };

void add_search_options(OptionSet& app, SearchArguments& arguments, Forms forms = Forms::any);

/// The residual correction that was asked for. By default, automatic choice may add one, unless an
/// objective or signed terms were requested that it does not support.
Residual residual_of(const SearchArguments& arguments);

/// The options for fit(), with the instruction set of PERFMODEL_KERNEL. Throws UsageError if that
/// is unavailable.
FitOptions fit_options(const SearchArguments& arguments);

/// Adds `--threads`; its default is OMP_NUM_THREADS or the number of cores.
void add_threads(OptionSet& app, std::size_t& threads);

}  // namespace perfmodel::cli
