#include "many/group_fits.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <memory>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "roles/unit_columns.hpp"
#include "sources/source.hpp"
#include "storage/files.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 21;
constexpr std::uint32_t kHeaderLines = 2;  // the header and the first row

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec && a.st_ino == b.st_ino;
}

bool is_blank_line(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

std::optional<GroupIndex> GroupIndex::of(const std::string& path,
                                         const std::vector<std::string>& by,
                                         const std::set<std::string>& texts,
                                         const InputOptions& input,
                                         std::uintmax_t most_bytes_as_a_whole) {
  GroupIndex out;
  out.path_ = path;
  out.texts_ = texts;
  if (path == "-" || input.separator.value_or(',') != ',' || input.decimal ||
      ::stat(path.c_str(), &out.status_) != 0 || !S_ISREG(out.status_.st_mode))
    return std::nullopt;
  Sha256 digest;
  std::string open;  // lines not yet parsed; the last may be incomplete
  std::uint64_t begin = 0;
  std::uint32_t line = 1;
  bool goes = true;
  const auto take = [&](std::size_t bytes) {
    const std::string_view lines = std::string_view(open).substr(0, bytes);
    goes = goes && lines.find(kImportLine) == lines.npos && out.add(lines, begin, line, by);
    line += static_cast<std::uint32_t>(std::count(lines.begin(), lines.end(), '\n'));
    begin += bytes;
    open.erase(0, bytes);
  };
  for_each_block(path, [&](std::string_view block) {
    digest.add(block);
    if (!goes)
      return;
    if (begin == 0 && open.empty() && !is_plain_csv(block, input))
      goes = false;
    open += block;
    if (open.size() >= kBlockBytes)
      if (const std::size_t end = open.rfind('\n'); end != std::string::npos)
        take(end + 1);
  });
  if (goes && !open.empty())
    take(open.size());
  if (!goes || out.spans_.empty()) {
    if (static_cast<std::uintmax_t>(out.status_.st_size) <= most_bytes_as_a_whole)
      return std::nullopt;
    throw InputError(path + ": rows of a group are not adjacent in a file of more than " +
                     std::to_string(most_bytes_as_a_whole >> 30) +
                     " GiB, or it is not one of commas; sort it by " + quoted_list(by) +
                     ", below its header, with sort -t, -k");
  }
  out.digest_ = digest.text();
  out.seen_.clear();
  return out;
}

bool GroupIndex::add(std::string_view lines, std::uint64_t begin, std::uint32_t line,
                     const std::vector<std::string>& by) {
  if (begin == 0) {
    const std::size_t first = lines.find('\n');
    const std::size_t second =
        first == std::string_view::npos ? first : lines.find('\n', first + 1);
    if (second == std::string_view::npos)
      return false;
    header_ = lines.substr(0, first + 1);
    first_row_ = lines.substr(first + 1, second - first);
    if (is_blank_line(header_) || is_blank_line(first_row_))
      return false;
  }
  Table table = begin == 0 ? parse_csv(lines, path_, texts_, std::nullopt) : parsed(lines, line);
  if (begin == 0 && table.style.separator != ',')
    return false;
  // What marks and units of cells mean is decided by all of a column's cells.
  if (!table.style.decimal_comma.empty() || !table.style.thousands.empty() ||
      !columns_of_units(table, texts_).empty() ||
      std::ranges::any_of(table.columns, [](const Column& column) { return !column.unit.empty(); }))
    return false;
  std::vector<std::uint64_t> line_begins{begin};
  for (std::size_t at = lines.find('\n'); at != std::string_view::npos;
       at = lines.find('\n', at + 1))
    line_begins.push_back(begin + at + 1);
  if (line_begins.back() != begin + lines.size())
    line_begins.push_back(begin + lines.size());  // the last line lacks a newline
  for (const std::string& name : by)
    if (table.find(name) == nullptr)
      return false;  // reported when the file is read as a whole
  for (const auto& [key, rows] : groups_of(table, by)) {
    const std::uint32_t first = table.lines[rows.front()];
    if (rows.back() - rows.front() + 1 != rows.size())
      return false;
    if (spans_.empty() || spans_.back().key != key) {
      if (!seen_.insert(key).second)
        return false;
      spans_.push_back({key, line_begins[first - line], 0, first, 0});
    }
    spans_.back().end = line_begins[table.lines[rows.back()] - line + 1];
    spans_.back().rows += rows.size();
  }
  if (begin == 0)
    first_rows_ = std::move(table);
  return true;
}

Table GroupIndex::parsed(std::string_view lines, std::uint32_t line) const {
  const std::string text = header_ + first_row_ + std::string(lines);
  const Table table =
      parse_csv(std::array{CsvText{text, path_, line - kHeaderLines - 1}}, texts_, ',');
  std::vector<std::size_t> rows(table.rows() - 1);
  std::iota(rows.begin(), rows.end(), std::size_t{1});
  return take_rows(table, rows);
}

Table GroupIndex::table(std::size_t group) const {
  const Span& span = spans_[group];
  std::string bytes(span.end - span.begin, '\0');
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(span.begin));
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  struct stat now = {};
  if (!file || ::stat(path_.c_str(), &now) != 0 || !is_same_file(now, status_))
    throw InputError(path_ + ": somebody wrote to the file while it was read; run again");
  return span.line == kHeaderLines ? parse_csv(header_ + bytes, path_, texts_, ',')
                                   : parsed(bytes, span.line);
}

namespace {

void require_columns(const Table& runs, const std::string& flag,
                     const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (runs.find(name) == nullptr)
      throw UsageError(flag + ": " + runs.no_column(name));
    if (std::count(names.begin(), names.end(), name) > 1)
      throw UsageError(flag + ": '" + name + "' is given twice");
  }
}

/// A key column is constant within a group, so that it cannot have another role.
void refuse_keys(const GroupJob& job, const RoleRequest& roles) {
  const std::vector<std::string> none;
  for (const auto& [flag, names] : {std::pair("--target", job.targets),
                                    {"--ignore", roles.ignore},
                                    {"--categorical", roles.categorical},
                                    {"--extrinsic", roles.extrinsic.value_or(none)},
                                    {"--intrinsic", roles.intrinsic.value_or(none)}})
    for (const std::string& name : names)
      if (contains(job.by, name))
        throw UsageError(
            std::string(flag) + ": '" + name +
            "' has no effect in the models of the groups that it distinguishes (--by)");
}

/// The target inferred from the whole table.
std::string target_of_all(const Table& runs, const RoleRequest& roles) {
  if (roles.throughput)
    return roles.throughput->column;
  if (const auto column = measured_column(runs, roles); column && !column->is_rate)
    return column->name;
  return resolve_roles(runs, roles).target;  // throws if there is none
}

/// Makes a column of texts of one that only holds numbers because of other groups' cells: all cells
/// of this group are blank.
void read_as_blank(Column& column) {
  const std::size_t rows = column.numbers.size();
  if (column.bad_cells.size() < rows ||
      !std::ranges::all_of(column.bad_cells, [](const BadCell& cell) { return cell.text.empty(); }))
    return;
  column.kind = Column::Kind::text;
  column.numbers.clear();
  column.bad_cells.clear();
  column.codes.assign(rows, 0);
  column.levels = {""};
}

/// The table of a model alone, without the columns of keys and other targets.
Table table_of_target(const std::string& target, Table table, const GroupJob& job) {
  std::erase_if(table.columns, [&](const Column& column) {
    return contains(job.by, column.name) ||
           (column.name != target && contains(job.targets, column.name));
  });
  for (Column& column : table.columns)
    if (Column numbers = as_numbers(column); numbers.bad_cells.empty())
      column = std::move(numbers);  // held texts only because of other groups' cells
    else if (column.is_numeric() && column.name != target)
      read_as_blank(column);
  return table;
}

std::optional<ModelSetLine> fit_task(std::size_t number, const GroupJob& job,
                                     const FitRequest& request) {
  const std::size_t group = number / job.targets.size();
  const std::string& target = job.targets[number % job.targets.size()];
  RunsFile runs = job.runs(group);
  runs.table = table_of_target(target, std::move(runs.table), job);
  ModelSetLine out{
      number, job.key(group), job.time.value_or(target), runs.table.rows(), std::nullopt, ""};
  FitRequest own = request;
  if (!request.roles.throughput)
    own.roles.target = out.target;
  own.options.be_silent();
  own.progress = nullptr;
  try {
    FitOutcome fitted = fit_runs(std::move(runs), own);
    if (fitted.interrupted)
      return std::nullopt;
    out.model = std::move(fitted.model);
    out.model->provenance.sha256 = job.digest;
  } catch (const Interrupted&) {
    return std::nullopt;
  } catch (const Error& error) {
    out.refused = error.what();
  }
  return out;
}

/// The job of these columns, without its groups.
GroupJob job_for(const Table& runs, const std::vector<std::string>& by, const RoleRequest& roles) {
  GroupJob out;
  out.by = by;
  require_columns(runs, "--by", by);
  if (roles.target && runs.find(*roles.target) != nullptr)
    out.targets = {*roles.target};  // a name with a comma
  else if (roles.target)
    out.targets = split_list(*roles.target);
  require_columns(runs, "--target", out.targets);
  if (out.targets.size() > 1 && roles.time_unit)
    throw UsageError(
        fmt::format("--target-unit {} would label {} targets, {}, alike; their units are "
                    "those of their names and cells, or fit each target by itself",
                    *roles.time_unit, out.targets.size(), quoted_list(out.targets)));
  if (out.targets.empty())
    out.targets = {target_of_all(runs, roles)};
  refuse_keys(out, roles);
  if (roles.throughput && runs.find(roles.throughput->column) != nullptr)
    out.time = time_of(*roles.throughput, runs).column;
  return out;
}

}  // namespace

GroupJob read_groups(const std::vector<std::string>& paths, const std::vector<std::string>& by,
                     const RoleRequest& roles, const InputOptions& input) {
  std::set<std::string> texts(roles.categorical.begin(), roles.categorical.end());
  texts.insert(by.begin(), by.end());
  if (auto found = paths.size() == 1 && !by.empty()
                       ? GroupIndex::of(paths.front(), by, texts, input)
                       : std::nullopt) {
    GroupJob out = job_for(found->first_rows(), by, roles);
    const auto index = std::make_shared<const GroupIndex>(*std::move(found));
    out.file = base_name(index->path());
    out.digest = index->digest();
    out.groups = index->groups();
    out.key = [index](std::size_t group) { return index->key(group); };
    out.runs = [index, input](std::size_t group) {
      return RunsFile{
          .path = index->path(), .bytes = {}, .table = index->table(group), .reading = {input}};
    };
    return out;
  }
  RunsFile all = read_runs(paths, texts, input);
  GroupJob out = job_for(all.table, by, roles);
  out.file = all.files.empty() ? base_name(all.path) : all.path;
  out.digest = sha256(std::exchange(all.bytes, {}));
  const auto groups = std::make_shared<const std::vector<TableGroup>>(groups_of(all.table, by));
  const auto runs = std::make_shared<const RunsFile>(std::move(all));
  out.groups = groups->size();
  out.key = [groups](std::size_t group) { return (*groups)[group].key; };
  out.runs = [runs, groups](std::size_t group) {
    return RunsFile{.path = runs->path,
                    .bytes = {},
                    .table = take_rows(runs->table, (*groups)[group].rows),
                    .files = runs->files,
                    .results = runs->results,
                    .reading = runs->reading};
  };
  return out;
}

void fit_groups(const GroupJob& job, const std::vector<std::size_t>& numbers,
                const FitRequest& request, const std::function<void(ModelSetLine)>& take) {
  parallel_in_order<ModelSetLine>(
      numbers.size(), request.options.threads,
      [&](std::size_t i) -> std::optional<ModelSetLine> {
        if (request.options.stop.stop_requested())
          return std::nullopt;
        return fit_task(numbers[i], job, request);
      },
      [&](std::size_t, ModelSetLine model) { take(std::move(model)); });
}

}  // namespace perfmodel
