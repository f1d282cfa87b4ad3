#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.hpp"
#include "cli/model_sets.hpp"
#include "suggest/plan.hpp"

namespace perfmodel::cli {

/// The model to rank configurations by, and those of other targets that conditions bound or that
/// are maximised.
struct RankingModels {
  FittedModel ranked;
  std::vector<FittedModel> bounded;
  bool are_limits = false;  ///< whether conditions bound any of them

  /// The inputs of all of them.
  std::vector<std::string> columns() const;
  /// The inputs that a space or a table of configurations lacks, at the central run, in one row.
  /// The console is told. Not those that move along with a column that is there.
  std::vector<Column> held_columns(const std::string& source, const std::vector<std::string>& there,
                                   Console& console) const;
};

/// The models of files, of which the last may be the space: it is, unless it holds the model of a
/// target that those before it do not have. `space`: the path of that file, or empty.
ModelSet models_of_files(const std::vector<std::string>& files, const std::string& pick,
                         std::string& space);

/// Of a set with one key: the model of the only target that no condition names, or of the first one
/// of these that `maximise` names, and those of the other named ones, at the common run of the set.
/// Throws UsageError for several keys, and for several or no such targets, and InputError as
/// model_of() does.
RankingModels ranking_models(const ModelSet& set, const std::vector<std::string>& conditions,
                             const std::optional<std::string>& maximise);

/// The targets that conditions bound, which the console is told about, and those that are
/// maximised. `models` and `space` must outlive them; `coverage`, `file`: as for certainty_of().
std::vector<plan::BoundedTarget> bounded_targets(const std::vector<FittedModel>& models,
                                                 const plan::Space& space,
                                                 const std::vector<std::string>& conditions,
                                                 std::optional<double> coverage,
                                                 const std::string& file, Console& console);

/// The level of the interval of the time at whose ends conditions on time and cost have to hold;
/// nullopt: its model has none. The console is told if there are such conditions.
std::optional<double> level_of_conditions(const FittedModel& ranked,
                                          const std::vector<std::string>& conditions,
                                          std::optional<double> coverage, const std::string& file,
                                          Console& console);

/// What can be chosen.
struct SpaceChoices {
  plan::Space space;
  /// If its rows are runs, of the file or of the model: what the next ones are chosen by.
  std::optional<plan::KnownRuns> runs = {};
};

/// Whether a file holds runs, as its name or its content says.
bool is_of_runs(const std::string& space);

/// The choices in a file: a space, or rows of runs. Without a file, combinations of the runs that
/// the model knows. Inputs that are no columns are held at the central run. The console is told
/// what is left out or not used.
///
/// Columns that no model has are carried along: of candidates all, of runs and with `next` those
/// that formulas of the `request` name. `input`: how the file is read, where not as in the fit.
/// `next`: whether other combinations of runs count. Throws UsageError for a column that may be a
/// misspelt input, and InputError as read_space() and read_further_runs() do.
SpaceChoices choices_in(const std::string& path, const InputOptions& input,
                        const plan::SuggestionRequest& request, bool next,
                        const RankingModels& models, Console& console);

/// Reads rows as configurations of a space. Throws InputError for other values.
std::vector<plan::Configuration> read_configurations(const plan::Space& space,
                                                     const std::string& path);

}  // namespace perfmodel::cli
