#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "import/readers.hpp"

// The results of tools that measure programs: Google Benchmark and asv.
namespace perfmodel {
namespace {

bool has_column(const RowCells& row, const std::string& column) {
  return std::ranges::find(row, column, &NamedRows::Cell::first) != row.end();
}

}  // namespace

void add_cell(const std::string& column, std::string text, const JsonCursor& node, RowCells& row) {
  if (column.empty())
    node.fail("a field has no name");
  if (has_column(row, column))
    node.fail(fmt::format("the column '{}' stands twice", column));
  row.emplace_back(column, std::move(text));
}

std::string text_of(const JsonCursor& object, const std::string& name, const char* otherwise) {
  const auto text = object.optional_member(name);
  return text ? text->text() : otherwise;
}

std::string with_unit(const JsonCursor& number, const std::string& unit) {
  const std::string cell = number.cell();
  if (cell.empty())
    return cell;
  std::array<char, 400> digits;  // for the least number > 0
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number.number(),
                                  std::chars_format::fixed)
                        .ptr;
  return std::string(digits.data(), end) + unit;
}

namespace {

bool has_list(const JsonCursor& document, const std::string& name) {
  const auto list = document.optional_member(name);
  return list && list->is_array();
}

bool is_true(const JsonCursor& object, const std::string& name) {
  const auto value = object.optional_member(name);
  return value && value->boolean();
}

constexpr std::array<std::string_view, 6> kAggregates{"mean", "median", "stddev",
                                                      "cv",   "BigO",   "RMS"};

/// An entry of Google Benchmark's results.
struct BenchmarkRun {
  JsonCursor node;
  std::string name;
  std::string aggregate{};  ///< the statistic over repetitions, "mean"; empty: a run
};

/// Files of early versions have no type and no run_name, but the statistic ends the name.
BenchmarkRun benchmark_run(const JsonCursor& node) {
  BenchmarkRun run{node, node.member("name").text()};
  const auto bar = run.name.rfind('_');
  const std::string end = bar == run.name.npos ? "" : run.name.substr(bar + 1);
  const bool ends_with_statistic = contains(kAggregates, end);
  const std::string type =
      text_of(node, "run_type", ends_with_statistic ? "aggregate" : "iteration");
  if (type == "aggregate")
    run.aggregate = text_of(node, "aggregate_name", ends_with_statistic ? end.c_str() : "unknown");
  if (const auto name = node.optional_member("run_name"))
    run.name = name->text();
  else if (!run.aggregate.empty() && ends_with_statistic)
    run.name.resize(bar);
  return run;
}

/// Parts of names that tell how a benchmark is measured.
bool is_modifier(std::string_view part) {
  constexpr std::array<std::string_view, 7> kModifiers{
      "real_time",        "manual_time", "process_time", "min_time:",
      "min_warmup_time:", "iterations:", "repeats:"};
  return std::ranges::any_of(kModifiers, [&](std::string_view modifier) {
    return modifier.ends_with(':') ? part.starts_with(modifier) : part == modifier;
  });
}

/// The columns of "BM_x/8/size:64/threads:4": benchmark, arg1, size, threads.
RowCells columns_of_name(const BenchmarkRun& run) {
  RowCells row{{"benchmark", ""}};
  std::size_t arguments = 0;
  std::string_view rest = run.name;
  for (bool is_first = true; is_first || !rest.empty(); is_first = false) {
    const std::string part(rest.substr(0, rest.find('/')));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const auto colon = part.find(':');
    if (is_first)
      row.front().second = part;
    else if (is_modifier(part))
      continue;
    else if (parse_number(part))
      add_cell(fmt::format("arg{}", ++arguments), part, run.node, row);
    else if (colon != part.npos && colon > 0 && !part.substr(colon).starts_with("::"))
      add_cell(part.substr(0, colon), part.substr(colon + 1), run.node, row);
    else
      row.front().second += "/" + part;
  }
  return row;
}

// Neither settings nor results.
const std::set<std::string, std::less<>> kBookkeeping = {
    "name",           "run_name",       "family_index", "per_family_instance_index",
    "run_type",       "repetitions",    "threads",      "repetition_index",
    "iterations",     "time_unit",      "skipped",      "skip_message",
    "error_message",  "error_occurred", "real_time",    "cpu_time",
    "aggregate_unit", "aggregate_name"};

/// Adds a run with its times, its counters and its label.
void add_run(const BenchmarkRun& run, NamedRows& rows) {
  RowCells row = columns_of_name(run);
  const std::string unit = text_of(run.node, "time_unit", "ns");
  const bool failed = is_true(run.node, "error_occurred");
  const bool skipped = is_true(run.node, "skipped");
  for (const char* time : {"real_time", "cpu_time"}) {
    add_cell(time,
             failed    ? "error"
             : skipped ? ""
                       : with_unit(run.node.member(time), unit),
             run.node, row);
    rows.add_result(time);
  }
  for (const auto& [name, value] : run.node.fields()) {
    if (kBookkeeping.contains(name) || value.is_array() || value.is_object())
      continue;
    // Programs also count what are their arguments.
    const std::string column = has_column(row, name) ? "counters." + name : name;
    add_cell(column, value.cell(), run.node, row);
    rows.add_result(column);
  }
  rows.add(row);
}

}  // namespace

std::optional<NamedRows> google_benchmark_rows(const JsonCursor& document) {
  const auto context = document.optional_member("context");
  if (!context || !context->is_object() || !has_list(document, "benchmarks"))
    return std::nullopt;
  std::vector<BenchmarkRun> runs;
  std::set<std::string> measured;
  for (const JsonCursor& node : document.member("benchmarks").items()) {
    const BenchmarkRun& run = runs.emplace_back(benchmark_run(node));
    if (run.aggregate.empty())
      measured.insert(run.name);
  }
  NamedRows rows;
  for (const BenchmarkRun& run : runs)
    if (run.aggregate.empty() || (run.aggregate == "mean" && !measured.contains(run.name)))
      add_run(run, rows);
  return rows;
}

namespace {

/// What asv stores of a benchmark; null members are missing.
struct AsvBenchmark {
  std::string name;
  JsonCursor node;
  std::optional<JsonCursor> result{};
  std::vector<std::vector<JsonCursor>> parameters{};  ///< the values of each
  std::vector<JsonCursor> samples{};                  ///< per combination, if recorded
};

/// The value of a column of the results of version 2, or a field of those of version 1.
std::optional<JsonCursor> asv_value(const JsonCursor& document, const JsonCursor& benchmark,
                                    const std::string& name) {
  if (benchmark.is_object())
    return benchmark.optional_member(name);
  if (!benchmark.is_array())
    return name == "result" ? std::optional(benchmark) : std::nullopt;
  const std::vector<JsonCursor> values = benchmark.items();
  const std::vector<JsonCursor> columns = document.member("result_columns").items();
  for (std::size_t i = 0; i < std::min(values.size(), columns.size()); ++i)
    if (columns[i].text() == name)
      return values[i];
  return std::nullopt;
}

AsvBenchmark asv_benchmark(const JsonCursor& document, const std::string& name,
                           const JsonCursor& node) {
  AsvBenchmark out{name, node, asv_value(document, node, "result")};
  if (const auto parameters = asv_value(document, node, "params");
      parameters && !parameters->is_null())
    for (const JsonCursor& values : parameters->items())
      out.parameters.push_back(values.items());
  if (const auto samples = asv_value(document, node, "samples"); samples && samples->is_array())
    out.samples = samples->items();
  return out;
}

/// The text of a value in Python's notation: 'float64' without its quotes.
std::string parameter_text(const JsonCursor& value) {
  std::string text = value.cell();
  if (text.size() > 1 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return text;
}

/// The column and the unit of a benchmark's results, which its name tells.
std::pair<std::string, std::string> asv_quantity(const std::string& benchmark) {
  const std::string word = folded(benchmark.substr(benchmark.rfind('.') + 1));
  if (word.starts_with("time"))
    return {"time", "s"};
  return word.starts_with("mem") || word.starts_with("peakmem") ? std::pair("memory_bytes", "")
                                                                : std::pair("value", "");
}

/// Adds a row per combination of the parameters, of which the last varies fastest, or one per
/// sample of it if these were recorded.
void add_benchmark(const AsvBenchmark& benchmark, const RowCells& machine, NamedRows& rows) {
  const auto [column, unit] = asv_quantity(benchmark.name);
  RowCells start{{"benchmark", benchmark.name}};
  start.insert(start.end(), machine.begin(), machine.end());
  rows.add_result(column);
  if (!benchmark.result || benchmark.result->is_null()) {  // failed as a whole
    start.emplace_back(column, "failed");
    return rows.add(start);
  }
  const std::vector<JsonCursor> results =
      benchmark.result->is_array() ? benchmark.result->items() : std::vector{*benchmark.result};
  std::size_t combinations = 1;
  for (const auto& values : benchmark.parameters)
    if (combinations <= results.size())  // else too many, whatever follows
      combinations *= values.size();
  if (combinations != results.size())
    benchmark.node.fail("the number of results is not that of combinations of parameters");
  for (std::size_t i = 0; i < results.size(); ++i) {
    RowCells row = start;
    std::size_t later = combinations;
    for (std::size_t k = 0; k < benchmark.parameters.size(); ++k) {
      const auto& values = benchmark.parameters[k];
      later /= values.size();
      row.emplace_back(fmt::format("param{}", k + 1),
                       parameter_text(values[i / later % values.size()]));
    }
    const bool sampled = i < benchmark.samples.size() && benchmark.samples[i].is_array() &&
                         !benchmark.samples[i].items().empty();
    row.emplace_back(column, "");
    for (const JsonCursor& value :
         sampled ? benchmark.samples[i].items() : std::vector{results[i]}) {
      // Blank for combinations that were skipped, for which asv writes NaN.
      row.back().second = value.is_null() ? "failed" : with_unit(value, unit);
      rows.add(row);
    }
  }
}

}  // namespace

std::optional<NamedRows> asv_rows(const JsonCursor& document) {
  const auto results = document.optional_member("results");
  if (!results || !results->is_object() || !document.optional_member("commit_hash"))
    return std::nullopt;
  RowCells machine{{"commit", document.member("commit_hash").cell()}};
  if (const auto parameters = document.optional_member("params"))
    machine.emplace_back("machine", text_of(*parameters, "machine"));
  NamedRows rows;
  for (const auto& [name, node] : results->fields())
    add_benchmark(asv_benchmark(document, name, node), machine, rows);
  return rows;
}

}  // namespace perfmodel
