#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.hpp"
#include "cli/fit_command.hpp"
#include "cli/model_sets.hpp"
#include "page/page.hpp"
#include "perfmodel/fit.hpp"

namespace perfmodel::cli {

/// As for_each_with_rows(). Runs that do not count are left out, of which the console warns
/// afterwards, and models without other runs are not visited.
void for_each_with_counted_rows(const SetLines& set, const RunsFile& runs, Console& console,
                                const std::function<void(LineRows part)>& visit);

/// The metrics of the test part, else of the training part and, with prefixes such as "train.",
/// those of each part. `group`: words for all of them in messages; empty: the names of the parts.
std::vector<Figure> figures_of_parts(const FittedModel& model, const std::string& group = "");

/// True for figures of conditions on sets: 'any.mape>20', 'kernel=x,gpu=a.q[gpus]>0.2'.
bool is_set_figure(std::string_view name);

/// Description of these figures in messages.
inline constexpr auto kSetFigureWords =
    "; of many models 'any.' or groups such as 'kernel=x,gpu=a.' before it, constants such as "
    "q[gpus], or refused";

/// Throws UsageError for conditions on other figures.
void require_set_figures(const std::vector<Gate>& gates);

/// Evaluates conditions on a set. 'any' covers the lines with a model ('refused': all lines). A
/// condition on a group without a model fires. `further`: more figures of each line.
std::vector<JudgedGate> judged_set_gates(const std::vector<Gate>& gates, const SetLines& set,
                                         const std::vector<std::vector<Figure>>& further = {});

/// Throws GateError as check_gates() does if a condition on the fitted models fires.
void check_set_gates(const std::vector<Gate>& gates, const SetLines& set);

struct SetPageRequest {
  std::string model_file;  ///< base name
  std::vector<std::string> settings;
  std::string title;               ///< empty: made from the file names
  const RunsFile* runs = nullptr;  ///< null: the models are not judged
  std::string runs_file = {};      ///< base name
  std::string runs_sha256 = {};
  std::string command;  ///< that writes the page
};

/// What a tool does with a model per group of runs. The program reads such models, predicts with
/// them and judges them.
struct ManyModels {
  /// Adds the options of `fit` for them.
  void (*add_options)(OptionSet& command, FitArguments& arguments);
  /// Fits a model per group and target and writes each as a JSON line to `output_path` once it is
  /// fitted. Returns the exit code.
  int (*fit)(const FitArguments& arguments, const std::string& output_path, Console& console);
  /// The ranking that `show` prints, at these settings (COL=VALUE).
  std::string (*ranking)(const SetLines& set, const Console& console,
                         const std::vector<std::string>& settings);
  page::SetContent (*page)(const SetLines& set, const SetPageRequest& request, Console& console);
};

/// Throws UsageError if the program was built without that tool.
const ManyModels& many_models();

}  // namespace perfmodel::cli
