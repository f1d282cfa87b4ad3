#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cli/runs/set_lines.hpp"
#include "perfmodel/data/table.hpp"

namespace perfmodel::cli {

class OptionSet;

/// `--pick`.
void add_pick(OptionSet& app, std::string& pick);

/// The models of a file for which the condition over key columns and `target` holds (all, where it
/// is empty), of which one at a time is in memory. A file of a single model is a set of one line
/// without key, of which nothing can be picked. Throws InputError where no line is left.
SetLines picked_models(const std::string& path, const std::string& pick);

/// The only model that picked_models() gives. Throws UsageError where there are several, InputError
/// where it could not be fitted.
FittedModel picked_model(const std::string& path, const std::string& pick);

/// The same of lines that were picked.
FittedModel model_of(const SetLines& set);

/// Whether the set is one of keys, not a single model's file.
bool has_keys(const SetLines& set);

/// The columns that are read as text to find the rows of each model.
std::set<std::string> text_columns_of(const SetLines& set);

/// The rows of a table that a line of a set is about.
struct LineRows {
  const ModelSetLine& line;
  const std::vector<std::size_t>& rows;
  Table table;  ///< of these; of a long table the values have the name of the target
};

/// Shows every line with a model that has rows here. A table that lacks a column of the key is
/// refused with InputError.
void for_each_with_rows(const SetLines& set, const Table& table,
                        const std::function<void(LineRows part)>& visit);

}  // namespace perfmodel::cli
