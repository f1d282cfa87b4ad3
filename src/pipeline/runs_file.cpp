#include "perfmodel/pipeline/runs_file.hpp"

#include <filesystem>

#include "io/file/digest.hpp"
#include "io/file/input_file.hpp"
#include "perfmodel/io/csv/csv.hpp"

namespace perfmodel {

RunsFile read_runs(const std::string& path, const std::set<std::string>& text_columns) {
  RunsFile runs;
  runs.path = path;
  runs.bytes = read_file(path);
  runs.table = parse_csv(runs.bytes, display_name(path), text_columns);
  return runs;
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Provenance provenance_of(const RunsFile& runs, const Roles& roles) {
  return {"perfmodel " PERFMODEL_VERSION, base_name(runs.path), runs.table.rows(),
          runs.bytes.empty() ? std::string() : sha256(runs.bytes), roles.notices};
}

std::set<std::string> categorical_columns(const ModelSpec& spec) {
  std::set<std::string> columns;
  for (const auto& input : spec.categorical)
    columns.insert(input.column);
  return columns;
}

}  // namespace perfmodel
