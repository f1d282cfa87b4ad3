#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perfmodel/data/table.hpp"
#include "perfmodel/fit/result/fitted_model.hpp"
#include "perfmodel/io/csv/read_progress.hpp"
#include "perfmodel/model/columns/roles.hpp"
#include "perfmodel/model/columns/spec.hpp"

namespace perfmodel {

/// A table and the bytes it was read from, read once.
struct RunsFile {
  std::string path;   ///< "-": standard input; of several files, all
  std::string bytes;  ///< of several files, one after the other; empty where there is none
  Table table;
  std::vector<DataFile> files{};     ///< where there are several
  std::vector<FailedRuns> failed{};  ///< runs that are no longer in the table
  std::string sha256{};              ///< of bytes that were not kept
};

/// Reads a CSV file as read_csv() does and keeps its bytes, whose digest stands in the model. For a
/// fit, `text_columns` are those that RoleRequest names as categorical.
RunsFile read_runs(const std::string& path, const std::set<std::string>& text_columns = {},
                   std::optional<char> separator = {}, const ReadProgress& progress = {});

/// Several files as one table; their columns are the same, in any order. Throws InputError where
/// they are not, UsageError for a file that is given twice.
RunsFile read_runs(const std::vector<std::string>& paths, const std::set<std::string>& text_columns,
                   std::optional<char> separator, const ReadProgress& progress = {});

/// Takes out the runs of which the measured column says that they failed. Returns a sentence about
/// them; nothing where there are none. Throws InputError where none is left.
std::optional<std::string> drop_failed_runs(RunsFile& runs, const std::string& column,
                                            const std::set<std::string>& text_columns);
/// The one that tells the time of runs that a model judges or is judged on: its target, or the
/// throughput where the runs have it.
std::string judged_column(const Table& runs, const ModelSpec& spec);
/// The same for such runs; nothing where none tells a time.
std::optional<std::string> drop_failed_runs(RunsFile& runs, const ModelSpec& spec);

/// A sentence about numbers that were read in another way than they stand there: decimal commas.
std::optional<std::string> reading_notice(const Table& table);

/// The last part of a path: what a result says of a file, without folders of this machine. "-"
/// stays.
std::string base_name(const std::string& path);

/// What a model says about its data: base name, rows, digest and what was inferred
/// about its columns; no path of this machine.
Provenance provenance_of(const RunsFile& runs, const Roles& roles);

/// The columns of a model that are read as text whatever they hold.
std::set<std::string> categorical_columns(const ModelSpec& spec);

}  // namespace perfmodel
