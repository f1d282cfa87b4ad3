#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "io/model/model_set.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel::cli {

class OptionSet;

/// `--pick`.
void add_pick(OptionSet& app, std::string& pick);

/// The models of a file for which the condition over key columns and `target` holds (all, where it
/// is empty). A file of a single model is a set of one line without key, of which nothing can be
/// picked. Throws InputError where no line is left.
ModelSet picked_models(const std::string& path, const std::string& pick);

/// The only model that picked_models() gives. Throws UsageError where there are several, InputError
/// where it could not be fitted.
FittedModel picked_model(const std::string& path, const std::string& pick);

/// The same of a set that was read.
FittedModel model_of(const ModelSet& set);

/// Whether the set is one of keys, not a single model's file.
bool has_keys(const ModelSet& set);

/// The columns that are read as text to find the rows of each model.
std::set<std::string> text_columns_of(const ModelSet& set);

/// The rows of a table that a line of a set is about.
struct LineRows {
  const ModelSetLine* line = nullptr;
  std::vector<std::size_t> rows;
  Table table;  ///< of these; of a long table the values have the name of the target
};

/// Of every line with a model that has rows here. A table that lacks a column of the key is refused
/// with InputError.
std::vector<LineRows> rows_of_lines(const ModelSet& set, const Table& table);

}  // namespace perfmodel::cli
