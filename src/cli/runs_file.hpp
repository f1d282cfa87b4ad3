#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"
#include "perfmodel/fit/fitted_model.hpp"

namespace perfmodel::cli {

/// A table and the bytes it was read from, read once.
struct RunsFile {
  std::string bytes;
  Table table;
};

/// The last part of a path: what a result says of a file, without folders of this machine. "-"
/// stays.
std::string base_name(const std::string& path);

RunsFile read_runs(const std::string& path, const std::set<std::string>& text_columns);

/// Throws UsageError where the output is the same file as an input that it would replace.
void refuse_to_replace(const std::string& input, const std::string& output);

/// The same of every input that is given.
void refuse_to_replace(const std::vector<std::optional<std::string>>& inputs,
                       const std::string& output);

/// What a model says about its data: base name, rows, digest and what was inferred
/// about its columns; no path of this machine.
Provenance provenance_of(const std::string& path, const RunsFile& runs, const Roles& roles);

/// The columns of a model that are read as text whatever they hold.
std::set<std::string> categorical_columns(const ModelSpec& spec);

}  // namespace perfmodel::cli
