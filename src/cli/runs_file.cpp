#include "cli/runs_file.hpp"

#include <filesystem>

#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv.hpp"
#include "perfmodel/io/digest.hpp"
#include "perfmodel/io/input_file.hpp"

namespace perfmodel::cli {

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

RunsFile read_runs(const std::string& path, const std::set<std::string>& text_columns) {
  RunsFile runs;
  runs.bytes = read_file(path);
  runs.table = parse_csv(runs.bytes, display_name(path), text_columns);
  return runs;
}

void refuse_to_replace(const std::string& input, const std::string& output) {
  std::error_code ignored;  // a file that is not there is not the same
  if (std::filesystem::is_regular_file(input, ignored) &&
      std::filesystem::equivalent(input, output, ignored)) {
    throw UsageError("the output would replace the input " + input);
  }
}

void refuse_to_replace(const std::vector<std::optional<std::string>>& inputs,
                       const std::string& output) {
  for (const auto& input : inputs) {
    if (input) {
      refuse_to_replace(*input, output);
    }
  }
}

Provenance provenance_of(const std::string& path, const RunsFile& runs, const Roles& roles) {
  return {"perfmodel " PERFMODEL_VERSION, base_name(path), runs.table.rows(), sha256(runs.bytes),
          roles.notices};
}

std::set<std::string> categorical_columns(const ModelSpec& spec) {
  std::set<std::string> columns;
  for (const auto& input : spec.categorical) {
    columns.insert(input.column);
  }
  return columns;
}

}  // namespace perfmodel::cli
