#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option_set.hpp"
#include "perfmodel/predict.hpp"
#include "report/model_set.hpp"
#include "storage/files.hpp"

namespace perfmodel::cli {

/// The lines of a model set in memory or in a text; of a text, one line at a time is in memory.
/// They can be visited repeatedly.
class SetLines {
 public:
  /// Visits the lines of a text after its header.
  using ShowText = std::function<void(const std::function<void(std::string_view text)>& visit)>;

  /// `set` must outlive this object.
  explicit SetLines(const ModelSet& set)
      : SetLines(std::shared_ptr<const ModelSet>(std::shared_ptr<void>(), &set)) {}
  explicit SetLines(std::shared_ptr<const ModelSet> set);
  SetLines(std::string source, ModelSetHeader header, ShowText text);
  /// The lines of a file with this header.
  SetLines(const TextLines& file, ModelSetHeader header);

  const ModelSetHeader& header() const { return header_; }
  std::size_t size() const;
  void for_each(const std::function<void(const ModelSetLine&)>& visit) const;
  /// Visits only lines for which `is_wanted` is true. It must not use the model, which is parsed
  /// from a text only afterwards.
  void for_each(const std::function<bool(const ModelSetLine&)>& is_wanted,
                const std::function<void(const ModelSetLine&)>& visit) const;
  /// Restricts the set to the lines with `true`.
  void keep(std::vector<bool> kept) { kept_ = std::move(kept); }

 private:
  std::shared_ptr<const ModelSet> set_;
  std::string source_;
  ModelSetHeader header_;
  ShowText text_;
  std::vector<bool> kept_;  ///< per line; empty: all

  bool is_kept(std::size_t line) const { return kept_.empty() || kept_[line]; }
};

void add_pick(OptionSet& app, std::string& pick);

/// The models of a file that match a condition on key columns and `target` (empty: all). One at a
/// time is in memory. A file of a single model is a set of one line without a key, from which
/// nothing can be picked. Throws InputError if no line matches.
SetLines picked_models(const std::string& path, const std::string& pick);

/// The run at which the models of a file are compared, picked or not, so that their inputs do not
/// differ: the central one of the model with the most rows.
class CommonRun {
 public:
  /// `settings`: COL=VALUE of columns that are set otherwise.
  explicit CommonRun(SetLines set, const std::vector<std::string>& settings = {});

  /// The model with this as its central run, as far as it has these inputs and levels.
  FittedModel moved(FittedModel model) const;
  /// "at stride=2 without gpus": the inputs in which a moved model differs from it, and from
  /// settings (COL=VALUE) of columns that are none of its inputs.
  std::string unlike(const FittedModel& moved, const std::vector<std::string>& settings = {}) const;
  /// The same without the columns of these settings.
  CommonRun without(const std::vector<std::string>& settings) const;
  /// "the central run of device=a100 (line 12): stride=1"; "the central run of each" if the models
  /// name no runs.
  std::string words() const;
  /// Whether an input that all models have keeps its value there.
  bool holds_inputs() const { return of_.empty() || !values_.empty(); }

 private:
  std::string of_;
  std::uint32_t line_ = 0;
  std::map<std::string, std::string> values_;  ///< of the inputs of all models
};

/// Configurations given by settings (COL=VALUE) for many models, with all other inputs as in the
/// central run of each, which CommonRun::moved() makes one for all.
class SetPlaces {
 public:
  /// `keys`: the columns by which the models differ.
  SetPlaces(const std::vector<std::string>& settings, const std::vector<std::string>& keys)
      : settings_(settings), keys_(keys) {}

  /// Ignores columns that the model does not have. Returns nullopt for a level that it does not
  /// know.
  std::optional<SetConfigurations> of(const FittedModel& model);
  /// As a table of one row; throws UsageError if there are several.
  std::optional<Table> one_of(const FittedModel& model);

  /// Called after all models: throws UsageError if a column is in no model, or if no model has a
  /// configuration.
  void check() const;

 private:
  std::vector<std::string> settings_;
  std::vector<std::string> keys_;
  std::set<std::string> known_;  ///< settings whose column is in some model
  bool any_ = false;
  std::optional<UsageError> wrong_;
};

/// The only model of picked_models(), at the common run of its file. Throws UsageError if there are
/// several, InputError if it could not be fitted.
FittedModel picked_model(const std::string& path, const std::string& pick);

/// The only model of the set; throws as picked_model() does.
FittedModel model_of(const SetLines& set);

/// True if the set has keys, false for the file of a single model.
bool has_keys(const SetLines& set);

/// The columns to be read as text so that the rows of each model can be found.
std::set<std::string> text_columns_of(const SetLines& set);

/// How the runs of its first model were read, which are those of all models.
ReadingRules reading_of(const SetLines& set);

/// The rows of a table that belong to a line of a set.
struct LineRows {
  const ModelSetLine& line;
  const std::vector<std::size_t>& rows;
  Table table;  ///< these rows
};

/// Visits every line that has a model and rows in the table. Throws InputError if the table lacks a
/// key column.
void for_each_with_rows(const SetLines& set, const Table& table,
                        const std::function<void(LineRows part)>& visit);

}  // namespace perfmodel::cli
