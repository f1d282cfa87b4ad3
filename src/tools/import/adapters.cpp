#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "import/readers.hpp"
#include "roles/cut_runs.hpp"
#include "table/cells.hpp"

// Tools whose results differ only in where their JSON holds what: a row of a table each.
namespace perfmodel {
namespace {

/// Where a tool writes what. Members are dotted names, separated by blanks; "params.*" are all of
/// an object.
struct Adapter {
  InputFormat format;
  std::string_view has;          ///< members by which a document is known, or the first of a list
  std::string_view runs;         ///< the list of runs; empty: the documents are the runs
  std::string_view run_has;      ///< a member of each run
  std::string_view settings;     ///< of a run; those after '/' are of the document
  std::string_view name;         ///< of a run
  bool repeats_settings;         ///< the name is left out where the settings of all runs differ
  std::string_view ends_name;    ///< what follows in a name repeats the settings
  std::string_view repeats;      ///< the measurements of a run, if they were written
  std::string_view mean;         ///< one for them all
  std::string_view unit;         ///< "s", or ':' and the member that says "ms/op"
  std::string_view exit_codes;   ///< of the repeats
  std::string_view others = {};  ///< other results, of the run or of each repeat
};

constexpr auto kAdapters = std::to_array<Adapter>({
    {InputFormat::hyperfine, "results", "results", "command", "parameters.*", "command", true, "",
     "times", "mean", "s", "exit_codes", "memory_usage_byte"},
    {InputFormat::pytest_benchmark, "benchmarks machine_info", "benchmarks", "stats",
     "params.* extra_info.*", "name", false, "[", "stats.data", "stats.mean", "s", ""},
    {InputFormat::jmh, "benchmark primaryMetric", "", "primaryMetric", "threads forks params.*",
     "benchmark", false, "", "primaryMetric.rawData", "primaryMetric.score",
     ":primaryMetric.scoreUnit", ""},
    {InputFormat::fio, "jobs fio=version", "jobs", "jobname", "/global=options.* job=options.*",
     "jobname", true, "", "", "", "", "",
     "read.iops read.bw_bytes read.lat_ns.mean write.iops write.bw_bytes write.lat_ns.mean"},
    {InputFormat::criterion, "mean.point_estimate median.point_estimate", "", "mean.point_estimate",
     "", "", false, "", "", "mean.point_estimate", "ns", ""},
});

/// The value of "stats.mean"; '=' in a name stands for a blank.
std::optional<JsonCursor> value_at(JsonCursor node, std::string_view path) {
  while (!path.empty()) {
    std::string name(path.substr(0, path.find('.')));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    std::ranges::replace(name, '=', ' ');
    auto member = node.is_object() ? node.optional_member(name) : std::nullopt;
    if (!member || member->is_null())
      return std::nullopt;
    node = *std::move(member);
  }
  return node;
}

bool has_all(const JsonCursor& node, std::string_view paths) {
  return node.is_object() &&
         std::ranges::all_of(
             words_of_line(paths),
             [&](const auto& path) { return value_at(node, path).has_value(); });
}

std::string last_name(std::string_view path) {
  return std::string(path.substr(path.rfind('.') + 1));
}

/// A name that stands already, or is that of the result, gets the object's before it.
void add_settings(const JsonCursor& run, std::string_view paths, RowCells& row) {
  for (const std::string& path : words_of_line(paths)) {
    const bool is_of_all = path.ends_with(".*");
    const auto value = value_at(run, is_of_all ? path.substr(0, path.size() - 2) : path);
    if (value && !is_of_all)
      row.emplace_back(last_name(path), value->cell());
    if (!value || !is_of_all || !value->is_object())
      continue;
    for (const auto& [name, member] : value->fields()) {
      const bool stands = name == "time" || contains(mapped(row, &NamedRows::Cell::first), name);
      if (!member.is_array() && !member.is_object())
        add_cell(stands ? path.substr(0, path.size() - 1) + name : name, member.cell(), *value,
                 row);
    }
  }
}

/// The column and the unit in the cells of a result in "s", "ms/op" or "ops/ms".
std::pair<std::string, std::string> measured_in(const std::string& unit) {
  const std::size_t slash = std::min(unit.find('/'), unit.size());
  const std::string over = unit.substr(0, slash);
  if (const auto one = parse_quantity("1" + over); one && one->unit == "s")
    return {"time", over};
  return slash == unit.size() ? std::pair(std::string("value"), std::string())
                              : std::pair(over + "_per_" + unit.substr(slash + 1), std::string());
}

/// The numbers of a list, or of the lists in it.
std::vector<JsonCursor> numbers_in(const std::optional<JsonCursor>& list) {
  std::vector<JsonCursor> out;
  if (!list || !list->is_array())
    return out;
  for (const JsonCursor& item : list->items()) {
    const std::vector<JsonCursor> inner = item.is_array() ? item.items() : std::vector{item};
    out.insert(out.end(), inner.begin(), inner.end());
  }
  return out;
}

/// The list of a run with an item per repeat; none if it has no such list.
std::vector<JsonCursor> list_per_repeat(const JsonCursor& run, std::string_view path,
                                        std::size_t repeats) {
  const auto list = path.empty() ? std::nullopt : value_at(run, path);
  std::vector<JsonCursor> items = numbers_in(list);
  if (list && list->is_array() && items.size() != repeats)
    list->fail(fmt::format("{} for {}", counted_noun(items.size(), "item"),
                           counted_noun(repeats, "time")));
  return items;
}

/// Adds a row per repeat of a run, or one of its mean.
void add_run(const Adapter& adapter, const JsonCursor& run, const RowCells& settings,
             NamedRows& rows) {
  const bool is_told = adapter.unit.starts_with(':');
  const auto told = is_told ? value_at(run, adapter.unit.substr(1)) : std::nullopt;
  const auto [column, unit] = measured_in(!is_told                  ? std::string(adapter.unit)
                                          : told && told->is_text() ? told->text()
                                                                    : std::string());
  const auto error = value_at(run, "error");  // of a job of fio
  std::vector<JsonCursor> values = numbers_in(value_at(run, adapter.repeats));
  const std::vector<JsonCursor> codes = list_per_repeat(run, adapter.exit_codes, values.size());
  if (values.empty() && !adapter.mean.empty())
    values.push_back(value_at(run, adapter.mean).value_or(run));
  for (std::size_t i = 0; i < std::max<std::size_t>(values.size(), 1); ++i) {
    RowCells row = settings;
    if (!values.empty()) {
      // A command that a signal ended has no exit code.
      const bool failed = !codes.empty() && codes[i].cell() != "0";
      add_cell(column, failed ? "failed" : with_unit(values[i], unit), run, row);
      rows.add_result(column);
    }
    for (const std::string& other : words_of_line(adapter.others)) {
      const auto items = list_per_repeat(run, other, values.size());
      const auto value = items.empty() ? value_at(run, other) : std::optional(items[i]);
      if (!value || value->cell() == "0")  // a job of fio that only reads has zeros of its writes
        continue;
      const bool failed = error && error->cell() != "0";
      const bool is_time = other.find("_ns") != other.npos;
      add_cell(other,
               failed    ? "failed"
               : is_time ? with_unit(*value, "ns")
                         : value->cell(),
               run, row);
      rows.add_result(other);
    }
    rows.add(row);
  }
}

/// The runs of a tool; none if these are not its documents.
std::vector<JsonCursor> runs_of_tool(const Adapter& adapter,
                                     std::span<const JsonCursor> documents) {
  std::vector<JsonCursor> all;
  for (const JsonCursor& document : documents) {
    const bool is_list = document.is_array() && adapter.runs.empty();
    const std::vector<JsonCursor> inner = is_list ? document.items() : std::vector{document};
    all.insert(all.end(), inner.begin(), inner.end());
  }
  if (all.empty() || !has_all(all.front(), adapter.has))
    return {};
  if (!adapter.runs.empty()) {
    const auto list = value_at(all.front(), adapter.runs);
    all = documents.size() == 1 && list && list->is_array() ? list->items()
                                                            : std::vector<JsonCursor>();
  }
  const auto is_run = [&](const JsonCursor& run) {
    return has_all(run, adapter.run_has) &&
           (adapter.mean.empty() || value_at(run, adapter.mean) || value_at(run, adapter.repeats));
  };
  return std::ranges::all_of(all, is_run) ? all : std::vector<JsonCursor>();
}

/// The benchmark and the size in the path of criterion's estimates,
/// "target/criterion/sort/quick/1000/new/estimates.json".
RowCells settings_of_path(std::string_view path) {
  std::string benchmark;
  std::string size;
  bool is_inside = false;
  for (const std::string& part : split_list(std::string(path), '/')) {
    if (part == "change" && is_inside)
      throw InputError(std::string(path) + " has changes between two runs; the times are in new");
    if (part == "new" || part == "base")
      break;
    if (is_inside && parse_number(part))
      size = part;
    else if (is_inside)
      benchmark += (benchmark.empty() ? "" : "/") + part;
    is_inside = is_inside || part == "criterion";
  }
  RowCells out;
  if (!benchmark.empty())
    out.emplace_back("benchmark", benchmark);
  if (!size.empty())
    out.emplace_back("size", size);
  return out;
}

NamedRows rows_of_runs(const Adapter& adapter, const std::vector<JsonCursor>& runs,
                       const JsonCursor& document, const std::string& source) {
  const std::string_view all = adapter.settings;
  const std::size_t own = all.starts_with('/') ? all.find(' ') : 0;
  std::vector<RowCells> settings;
  for (const JsonCursor& run : runs) {
    RowCells& row = settings.emplace_back();
    if (adapter.format == InputFormat::criterion)
      row = settings_of_path(source);
    if (own > 0)
      add_settings(document, all.substr(1, own - 1), row);
    add_settings(run, all.substr(own), row);
  }
  // A command only repeats its parameters if these differ from run to run.
  const bool are_told = adapter.repeats_settings && runs.size() > 1 &&
                        std::set(settings.begin(), settings.end()).size() == runs.size();
  NamedRows rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (const auto name = value_at(runs[i], adapter.name); !adapter.name.empty() && !are_told) {
      const std::string text = name ? name->cell() : "";
      add_cell(last_name(adapter.name),
               text.substr(0, adapter.ends_name.empty() ? text.npos : text.find(adapter.ends_name)),
               runs[i], settings[i]);
    }
    add_run(adapter, runs[i], settings[i], rows);
  }
  return rows;
}

}  // namespace

std::optional<NamedRows> adapted_rows(std::span<const JsonCursor> documents,
                                      std::optional<InputFormat> given, const std::string& source) {
  for (const Adapter& adapter : kAdapters)
    if (given.value_or(adapter.format) == adapter.format)
      if (const auto runs = runs_of_tool(adapter, documents); !runs.empty())
        return rows_of_runs(adapter, runs, documents.front(), source);
  return std::nullopt;
}

bool is_seff(std::string_view beginning) {
  return beginning.starts_with("Job ID: ") && beginning.find("\nState: ") != beginning.npos;
}

NamedRows read_seff(std::string_view bytes, const std::string&, const InputOptions&) {
  constexpr std::array<std::string_view, 5> results = {"CPU Utilized", "CPU Efficiency",
                                                       "Job Wall-clock time", "Memory Utilized",
                                                       "Memory Efficiency"};
  NamedRows rows;
  RowCells job;
  std::string failure;
  const auto add_job = [&] {
    for (auto& [name, cell] : job)
      if (contains(results, std::string_view(name))) {
        rows.add_result(name);
        cell = failure.empty() ? cell : failure;
      }
    if (!job.empty())
      rows.add(std::exchange(job, {}));
  };
  while (!bytes.empty()) {
    const std::string_view line = trimmed(take_line(bytes), "\r");
    const std::size_t colon = line.find(": ");
    const std::string name(line.substr(0, std::min(colon, line.size())));
    if (name == "Job ID")
      add_job();
    if (colon == line.npos || name == "WARNING" ||
        contains(mapped(job, &NamedRows::Cell::first), name))
      continue;
    std::string cell(line.substr(colon + 2));
    if (name == "State")  // "COMPLETED (exit code 0)"
      failure = failure_of(cell = cell.substr(0, cell.find(' ')));
    if (contains(results, std::string_view(name)))  // "26.46% of 00:43:20", "3 GB (estimated)"
      cell.resize(std::min({cell.find(" of "), cell.find(" ("), cell.size()}));
    if (name.starts_with("Memory"))
      cell = binary_size(cell);
    if (const auto time = parse_quantity(cell); time && time->unit == "s")
      cell = to_text(time->value) + "s";
    job.emplace_back(name, cell);
  }
  add_job();
  return rows;
}

}  // namespace perfmodel
