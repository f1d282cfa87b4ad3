#include "perfmodel/pipeline/runs_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "io/file/digest.hpp"
#include "io/file/input_file.hpp"
#include "perfmodel/base/error.hpp"
#include "perfmodel/io/csv/csv.hpp"

namespace perfmodel {
namespace {

/// Whether both are one file, under other names or through links. A file that is not there is none.
bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code no_matter;
  return a == b || (a != "-" && b != "-" && std::filesystem::equivalent(a, b, no_matter));
}

void refuse_second(const std::string& path, const std::vector<std::string>& paths) {
  for (const std::string& other : paths) {
    if (&other == &path || !is_same_file(path, other))
      continue;
    throw UsageError("'" + path + "' is given twice" +
                     (path == other ? "" : ", also as '" + other + "'"));
  }
}

}  // namespace

RunsFile read_runs(const std::string& path, const std::set<std::string>& text_columns,
                   std::optional<char> separator, const ReadProgress& progress) {
  RunsFile runs;
  runs.path = path;
  runs.bytes = read_file(path);
  runs.table = parse_csv(std::array{CsvText{runs.bytes, display_name(path)}}, text_columns,
                         separator, progress);
  return runs;
}

RunsFile read_runs(const std::vector<std::string>& paths, const std::set<std::string>& text_columns,
                   std::optional<char> separator, const ReadProgress& progress) {
  if (paths.size() == 1)
    return read_runs(paths.front(), text_columns, separator, progress);
  RunsFile runs;
  std::vector<std::string> names;
  std::vector<std::size_t> ends;
  for (const std::string& path : paths) {
    refuse_second(path, paths);
    runs.bytes += read_file(path);
    ends.push_back(runs.bytes.size());
    names.push_back(base_name(path));
  }
  std::vector<CsvText> texts;
  for (std::size_t i = 0, begin = 0; i < paths.size(); begin = ends[i++]) {
    const std::string_view bytes = std::string_view(runs.bytes).substr(begin, ends[i] - begin);
    texts.push_back({bytes, display_name(paths[i])});
    runs.files.push_back({names[i], 0, sha256(bytes)});
  }
  runs.path = joined(names, ", ");
  runs.table = parse_csv(texts, text_columns, separator, progress);
  return runs;
}

std::optional<std::string> drop_failed_runs(RunsFile& runs, const std::string& column,
                                            const std::set<std::string>& text_columns) {
  const std::size_t rows = runs.table.rows();
  WithoutFailed left = without_failed_runs(runs.table, column, text_columns);
  if (left.failed.empty())
    return std::nullopt;
  runs.table = std::move(left.table);
  runs.failed = std::move(left.failed);
  std::string words = words_for(runs.failed, column, rows);
  if (runs.table.rows() == 0)
    throw InputError(words);
  return words;
}

std::string judged_column(const Table& runs, const ModelSpec& spec) {
  const bool rated = spec.throughput && runs.find(spec.throughput->column) != nullptr;
  return rated ? spec.throughput->column : spec.target;
}

std::optional<std::string> drop_failed_runs(RunsFile& runs, const ModelSpec& spec) {
  const std::string column = judged_column(runs.table, spec);
  return runs.table.find(column) == nullptr
             ? std::nullopt
             : drop_failed_runs(runs, column, categorical_columns(spec));
}

std::optional<std::string> reading_notice(const Table& table) {
  const std::string& number = table.style.decimal_comma;
  if (number.empty())
    return std::nullopt;
  std::string read = number;
  read[read.find(',')] = '.';
  return "Commas in numbers are decimal commas: \"" + number + "\" is " + read + ".";
}

std::string base_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

Provenance provenance_of(const RunsFile& runs, const Roles& roles) {
  Provenance out{"perfmodel " PERFMODEL_VERSION,
                 runs.files.empty() ? base_name(runs.path) : runs.path,
                 runs.table.measured_runs(),
                 runs.bytes.empty() ? runs.sha256 : sha256(runs.bytes),
                 roles.notices,
                 runs.files,
                 runs.failed};
  for (const std::uint32_t file : runs.table.file)
    ++out.files[file].rows;
  return out;
}

std::set<std::string> categorical_columns(const ModelSpec& spec) {
  std::set<std::string> columns;
  for (const auto& input : spec.categorical)
    columns.insert(input.column);
  return columns;
}

}  // namespace perfmodel
