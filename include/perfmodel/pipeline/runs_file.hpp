#pragma once

#include <set>
#include <string>

#include "perfmodel/data/table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/model/columns/roles.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// A table and the bytes it was read from, read once.
struct RunsFile {
  std::string path;   ///< "-": standard input
  std::string bytes;  ///< empty where the table does not come from a file
  Table table;
};

/// Reads a CSV file as read_csv() does and keeps its bytes, whose digest stands in the model. For a
/// fit, `text_columns` are those that RoleRequest names as categorical.
RunsFile read_runs(const std::string& path, const std::set<std::string>& text_columns = {});

/// The last part of a path: what a result says of a file, without folders of this machine. "-"
/// stays.
std::string base_name(const std::string& path);

/// What a model says about its data: base name, rows, digest and what was inferred
/// about its columns; no path of this machine.
Provenance provenance_of(const RunsFile& runs, const Roles& roles);

/// The columns of a model that are read as text whatever they hold.
std::set<std::string> categorical_columns(const ModelSpec& spec);

}  // namespace perfmodel
