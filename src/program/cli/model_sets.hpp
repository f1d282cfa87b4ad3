#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/option_set.hpp"
#include "perfmodel/predict.hpp"
#include "report/model_set.hpp"

namespace perfmodel::cli {

void add_pick(OptionSet& app, std::string& pick);

/// The models of a file that match a condition on key columns and `target` (empty: all). One at a
/// time is in memory. From the file of a single model nothing can be picked. Throws InputError if
/// no line matches.
ModelSet picked_models(const std::string& path, const std::string& pick);

/// The run at which the models of a file are compared, picked or not, so that their inputs do not
/// differ: the central one of the model with the most rows, but for settings (COL=VALUE), which
/// give one configuration or more.
class CommonRun {
 public:
  explicit CommonRun(ModelSet set, const std::vector<std::string>& settings = {});

  /// The same run with these settings as well.
  CommonRun with(const std::vector<std::string>& settings) const;
  /// The model with this as its central run, as far as it has these inputs and levels.
  FittedModel moved(FittedModel model) const;
  /// The configurations of a moved model, which are those of its central run but for the settings.
  /// Ignores columns that the model does not have. Returns nullopt for a level that it does not
  /// know.
  std::optional<SetConfigurations> configurations(const FittedModel& moved);
  /// Called after all models: throws UsageError if a column that is set is in no model, or if no
  /// model has a configuration.
  void check() const;

  /// "at stride=2 without gpus": the inputs in which a moved model differs from it, and from
  /// settings of columns that are none of its inputs.
  std::string unlike(const FittedModel& moved, const std::vector<std::string>& settings) const;
  /// "the central run of device=a100 (line 12): stride=1"; "the central run of each" if the models
  /// name no runs.
  std::string words() const;
  /// Whether an input that all models have keeps its value there.
  bool holds_inputs() const { return of_.empty() || !values_.empty(); }
  const std::vector<std::string>& settings() const { return settings_; }

 private:
  std::string of_;
  std::uint32_t line_ = 0;
  std::map<std::string, std::string> values_;  ///< of the inputs of all models
  std::vector<std::string> keys_;              ///< the columns by which the models differ
  std::vector<std::string> settings_;
  std::set<std::string> known_;  ///< settings whose column is in some model
  bool any_ = false;             ///< whether some model has a configuration
  std::optional<UsageError> wrong_;
};

/// The only line of the set, which has a model. Throws UsageError if there are several, InputError
/// if the model could not be fitted.
ModelSetLine line_of(const ModelSet& set);
FittedModel model_of(const ModelSet& set);
/// The same at the common run of its file.
FittedModel model_at_common_run(const ModelSet& set);

/// The columns to be read as text so that the rows of each model can be found.
std::set<std::string> text_columns_of(const ModelSet& set);

/// How the runs of its first model were read, which are those of all models.
ReadingRules reading_of(const ModelSet& set);

/// A model and the rows of a table that belong to it.
struct ModelRows {
  const ModelSetLine& line;
  const FittedModel& model;
  const std::vector<std::size_t>& rows;
  Table table;  ///< these rows
};

/// Visits every model that has rows in the table. Throws InputError if the table lacks a key
/// column.
void for_each_with_rows(const ModelSet& set, const Table& table,
                        const std::function<void(ModelRows part)>& visit);

}  // namespace perfmodel::cli
