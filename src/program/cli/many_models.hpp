#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/fit_command.hpp"
#include "page/page.hpp"
#include "perfmodel/fit.hpp"
#include "registry/registry.hpp"
#include "report/model_set.hpp"

namespace perfmodel::cli {

struct SetPageRequest {
  std::string model_file;  ///< base name
  std::vector<std::string> settings;
  std::string title;                  ///< empty: made from the file names
  std::optional<RunsFile> runs = {};  ///< nullopt: the models are not judged
  std::string command;                ///< that writes the page
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
  std::string (*ranking)(const ModelSet& set, const Console& console,
                         const std::vector<std::string>& settings);
  page::SetContent (*page)(const ModelSet& set, const SetPageRequest& request, Console& console);
};

/// Throws UsageError if the program was built without that tool.
inline const ManyModels& many_models() {
  require_tool_of("fit --by");
  return added<ManyModels>().front();
}

}  // namespace perfmodel::cli
