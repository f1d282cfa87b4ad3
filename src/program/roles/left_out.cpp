#include "roles/left_out.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"

namespace perfmodel {
namespace {

using Words = std::vector<std::string>;

/// Columns that a tool writes besides the settings of its runs, folded.
struct ToolColumns {
  WordList key;  ///< all of these are in each of the tool's tables
  WordList results;
  WordList labels;        ///< names, places and dates of runs
  bool measures = false;  ///< it runs benchmarks: all other columns are their settings

  std::size_t count(const Words& names) const {
    return to_size(std::ranges::count_if(
        names, [&](const std::string& name) { return role(folded(name)).has_value(); }));
  }
  bool has_key(const Words& names) const {
    return key.words.empty() ||
           std::ranges::count_if(
               names, [&](const std::string& name) { return key.has(folded(name)); }) >
               std::ranges::count(key.words, ' ');
  }
  std::optional<LeftOut::Because> role(const std::string& name) const {
    if (results.has(name))
      return LeftOut::Because::result;
    return labels.has(name) ? std::optional(LeftOut::Because::label) : std::nullopt;
  }
};

constexpr std::size_t kFewestOfTool = 3;

/// Columns of any table that say how a run ended.
constexpr WordList kExitCodes{"exit exit_code exitcode exit_status rc return_code returncode"};

constexpr std::array kTools{
    // Nextflow's trace
    ToolColumns{{"realtime"},
                {"duration realtime %cpu %mem rss vmem peak_rss peak_vmem rchar wchar syscr syscw "
                 "read_bytes write_bytes vol_ctxt inv_ctxt status exit error_action"},
                {"task_id hash native_id name tag submit start complete workdir script env"}},
    // Snakemake's benchmarks
    ToolColumns{{"s h:m:s"},
                {"s h:m:s max_rss max_vms max_uss max_pss io_in io_out io_char_in io_char_out "
                 "mean_load cpu_time cpu_usage"},
                {"jobid wildcards params resources"}},
    // Slurm's sacct
    ToolColumns{{"jobid"},
                {"elapsed elapsedraw cputime cputimeraw totalcpu usercpu systemcpu avecpu mincpu "
                 "averss maxrss avevmsize maxvmsize avepages maxpages avediskread maxdiskread "
                 "avediskwrite maxdiskwrite avecpufreq consumedenergy consumedenergyraw planned "
                 "reserved suspended state exitcode derivedexitcode reason"},
                {"jobid jobidraw start end submit eligible nodelist workdir submitline maxrssnode "
                 "maxrsstask maxvmsizenode maxvmsizetask mincpunode mincputask comment dbindex"}},
    // Google Benchmark
    ToolColumns{{"real_time"},
                {"iterations real_time cpu_time time_unit bytes_per_second items_per_second "
                 "error_occurred error_message"},
                {"name run_name family_index per_family_instance_index run_type aggregate_name"},
                true},
    // the same on a console
    ToolColumns{{"benchmark time cpu iterations"}, {"time cpu iterations"}, {}, true},
    // Go's benchmarks, as they are imported
    ToolColumns{{"benchmark time iterations"},
                {"time bytes_per_op allocs_per_op mb_per_s iterations"},
                {},
                true},
    // hyperfine
    ToolColumns{{"command mean stddev"},
                {"mean stddev median user system min max exit_codes memory_usage_byte"},
                {"command"},
                true},
    // vLLM's benchmark of serving
    ToolColumns{{},
                {"duration completed failed total_input_tokens total_output_tokens "
                 "request_throughput request_goodput output_throughput "
                 "total_token_throughput max_output_tokens_per_s max_concurrent_requests "
                 "mean_ttft_ms median_ttft_ms std_ttft_ms p50_ttft_ms p90_ttft_ms "
                 "p95_ttft_ms p99_ttft_ms mean_tpot_ms median_tpot_ms std_tpot_ms "
                 "p50_tpot_ms p90_tpot_ms p95_tpot_ms p99_tpot_ms mean_itl_ms median_itl_ms "
                 "std_itl_ms p50_itl_ms p90_itl_ms p95_itl_ms p99_itl_ms mean_e2el_ms "
                 "median_e2el_ms std_e2el_ms p50_e2el_ms p90_e2el_ms p95_e2el_ms "
                 "p99_e2el_ms"},
                {"date"}},
    // Optuna
    ToolColumns{{"datetime_start"},
                {"value duration state"},
                {"number trial_id study_id study_name datetime_start datetime_complete"}},
    // MLflow
    ToolColumns{
        {"run_id"},
        {"status lifecycle_stage"},
        {"run_id run_uuid run_name experiment_id artifact_uri start_time end_time user_id"}},
};

/// The tool that wrote a table with these columns, or null.
const ToolColumns* tool_of(const std::vector<std::string>& names) {
  const auto columns = [&](const ToolColumns& tool) {
    return tool.has_key(names) ? tool.count(names) : 0;
  };
  const auto* const tool = std::ranges::max_element(kTools, {}, columns);
  return columns(*tool) < kFewestOfTool ? nullptr : tool;
}

}  // namespace

bool is_table_of_tool(const std::vector<std::string>& names) {
  return tool_of(names) != nullptr;
}

bool is_measured_by_tool(const std::string& name, const std::vector<std::string>& names) {
  const ToolColumns* const tool = tool_of(names);
  return tool != nullptr && tool->measures && tool->role(folded(name)).has_value();
}

std::optional<LeftOut::Because> role_in_tool(const std::string& name,
                                             const std::vector<std::string>& names) {
  const ToolColumns* const tool = tool_of(names);
  return tool == nullptr ? std::nullopt : tool->role(folded(name));
}

namespace {

using Parts = std::vector<ColumnPart>;

/// Excludes a column if another input remains. Returns true if it did.
bool take_out(Parts& parts, const std::string& column) {
  ColumnPart* found = nullptr;
  std::size_t others = 0;
  for (ColumnPart& part : parts)
    if (part.column->name == column)
      found = &part;
    else if (part.is_input())
      ++others;
  if (others == 0)
    return false;
  found->part = Part::left_out;
  return true;
}

/// Longer lists of names are not printed.
constexpr std::size_t kMostNamesToPaste = 8;

/// The flags that name the current inputs and these columns.
std::string flags_to_keep(const std::vector<std::string>& columns, const Parts& parts) {
  std::vector<std::string> numbers = columns;
  std::vector<std::string> levels;
  for (const ColumnPart& part : parts)
    if (part.is_levels())
      levels.push_back(part.column->name);
    else if (part.part == Part::intrinsic)
      numbers.push_back(part.column->name);
  const bool one = columns.size() == 1;
  if (numbers.size() + levels.size() > kMostNamesToPaste)
    return fmt::format("name {} in --intrinsic, with the other inputs, to keep it",
                       one ? "it" : "one");
  return fmt::format(
      "pass --intrinsic {}{}{} to keep {}", shell_word(joined(numbers, ",")),
      levels.empty() ? "" : " ",
      levels.empty() ? std::string() : "--categorical " + shell_word(joined(levels, ",")),
      one ? "it" : "them");
}

std::vector<std::string> names_of_reason(const std::vector<LeftOut>& left_out,
                                         LeftOut::Because because) {
  std::vector<std::string> names;
  for (const LeftOut& item : left_out)
    if (item.because == because)
      names.push_back(item.column);
  return names;
}

/// What the rules look at.
struct Evidence {
  const Table& table;
  const Parts& parts;
  const std::vector<std::string>& results;  ///< that the format of the file declares
};

/// Columns that the format declares as results, and those that a known tool writes.
std::vector<LeftOut> columns_of_tool(const Evidence& in) {
  const ToolColumns* const tool = tool_of(in.table.names());
  std::vector<LeftOut> out;
  for (const ColumnPart& part : in.parts) {
    const std::string name = folded(part.column->name);
    const bool is_result = kExitCodes.has(name) || contains(in.results, part.column->name);
    const auto because = is_result         ? std::optional(LeftOut::Because::result)
                         : tool != nullptr ? tool->role(name)
                                           : std::nullopt;
    if (because && part.is_input() && !part.by_flag && part.column->formula.empty())
      out.push_back({part.column->name, *because, {}});
  }
  // The last column that is left is no result.
  const auto is_result = [](const auto& item) { return item.because == LeftOut::Because::result; };
  std::stable_partition(out.begin(), out.end(), is_result);
  return out;
}

/// Names of rows, which are not known of other runs.
std::vector<LeftOut> names_of_rows(const Evidence& in) {
  std::vector<LeftOut> out;
  for (const ColumnPart& part : in.parts)
    if (part.is_input() && !part.by_flag && names_the_rows(*part.column) && !part.facts.mixed() &&
        !is_scale_name(part.column->name) && !holds_numbers_as_written(*part.column))
      out.push_back({part.column->name, LeftOut::Because::label, {}});
  return out;
}

/// Columns that lack a number, or a text, in more rows than those in which it may be a mistake, and
/// columns of numbers below 0, of which there are no powers.
std::vector<LeftOut> incomplete_columns(const Evidence& in) {
  std::vector<LeftOut> out;
  for (const ColumnPart& part : in.parts) {
    if (!part.is_input() || part.by_flag)
      continue;
    const Column& column = *part.column;
    const std::size_t rows = in.table.rows();
    const auto negative =
        to_size(std::ranges::count_if(column.numbers, [](double x) { return x < 0; }));
    const std::size_t missing = missing_cells(column);
    if (is_gap(missing, rows))
      out.push_back({column.name,
                     LeftOut::Because::incomplete,
                     {},
                     {},
                     fmt::format("has no value in {} of {} rows", missing, rows)});
    else if (part.part == Part::intrinsic && is_gap(negative, rows))
      out.push_back({column.name,
                     LeftOut::Because::incomplete,
                     {},
                     {},
                     fmt::format("is below 0 in {} of {} rows", negative, rows)});
  }
  return out;
}

/// True if no level of a text column has both rows in which `column` has no value and others.
bool tells_gaps(const Column& levels, const Column& column) {
  std::vector<std::optional<bool>> missing(levels.levels.size());
  for (std::size_t row = 0; row < levels.codes.size(); ++row) {
    const bool here = is_missing(column.text(row));
    if (missing[levels.codes[row]].value_or(here) != here)
      return false;
    missing[levels.codes[row]] = here;
  }
  return true;
}

/// What finds columns that are no inputs, with the reason, in the order in which they are taken
/// out: each rule sees the inputs that the earlier ones have left.
constexpr std::array<std::vector<LeftOut> (*)(const Evidence& in), 6> kRules{
    columns_of_tool,
    [](const Evidence& in) { return find_by_products(in.table, in.parts); },
    [](const Evidence& in) { return find_run_labels(in.table, in.parts); },
    names_of_rows,
    incomplete_columns,
    [](const Evidence& in) { return find_identities(in.parts); },
};

}  // namespace

std::vector<LeftOut> leave_out_no_inputs(const Table& table, Parts& parts,
                                         const std::vector<std::string>& results) {
  std::vector<LeftOut> left_out;
  for (const auto& rule : kRules)
    for (const LeftOut& item : rule({table, parts, results}))
      if (take_out(parts, item.column))
        left_out.push_back(item);
  return left_out;
}

std::string words_for(const LeftOut& left_out) {
  switch (left_out.because) {
    case LeftOut::Because::repetition:
      return "numbers repetitions";
    case LeftOut::Because::label:
      return "names runs rather than configurations";
    case LeftOut::Because::result:
      return left_out.identity.empty()
                 ? "looks like a result of the runs"
                 : fmt::format("is {}, up to a factor, in every row", left_out.identity);
    case LeftOut::Because::identity:
      return fmt::format("is {} in every row", left_out.identity);
    case LeftOut::Because::constant:
      return left_out.value.empty() ? "is blank in every row"
                                    : fmt::format("has the value {} in every row", left_out.value);
    case LeftOut::Because::incomplete:
      return left_out.value.empty() ? "is incomplete" : left_out.value;
  }
  return "";
}

std::string columns_named(std::span<const std::string> names) {
  return fmt::format("Column{} {}", names.size() == 1 ? "" : "s", quoted_list(names));
}

std::string models_without_gaps(const Column& column, const Table& table) {
  const Column* by = nullptr;
  if (missing_cells(column) == 0)
    return "";
  for (const Column& levels : table.columns)
    if (&levels != &column && !levels.is_numeric() && 2 * levels.levels.size() <= table.rows() &&
        (by == nullptr || levels.levels.size() < by->levels.size()) && tells_gaps(levels, column))
      by = &levels;
  return by == nullptr
             ? ""
             : fmt::format("fit a model per '{}': --by {}", by->name, shell_word(by->name));
}

std::vector<std::string> left_out_notices(const std::vector<LeftOut>& left_out, const Parts& parts,
                                          const Table& table) {
  std::vector<std::string> notices;
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::repetition)
      notices.push_back(
          fmt::format("Column '{}' {} and is left out: rows that differ in it alone are runs of "
                      "one configuration; pass --categorical {} to keep it.",
                      item.column, words_for(item), shell_word(item.column)));
  const std::vector<std::string> labels = names_of_reason(left_out, LeftOut::Because::label);
  if (!labels.empty()) {
    const bool one = labels.size() == 1;
    notices.push_back(fmt::format(
        "{} {} runs rather than configurations and {} left out; pass --categorical {} to keep {}.",
        columns_named(labels), one ? "names" : "name", one ? "is" : "are",
        shell_word(joined(labels, ",")), one ? "it" : "them"));
  }
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::result && !item.identity.empty())
      notices.push_back(fmt::format("Column '{}' {}.", item.column, words_for(item)));
  const std::vector<std::string> results = names_of_reason(left_out, LeftOut::Because::result);
  if (!results.empty()) {
    const bool one = results.size() == 1;
    notices.push_back(
        fmt::format("{} {}; {}.", columns_named(results),
                    one ? "looks like a result of the runs, not an input, and is left out"
                        : "look like results of the runs, not inputs, and are left out",
                    flags_to_keep(results, parts)));
  }
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::incomplete) {
      const std::string by = models_without_gaps(table.at(item.column), table);
      notices.push_back(fmt::format(
          "Column '{}' {} and is left out; {}{}{}.", item.column, words_for(item),
          missing_cells(table.at(item.column)) > 0
              ? std::string("fill it to keep it")
              : fmt::format("--categorical {} takes its values as levels", shell_word(item.column)),
          by.empty() ? "" : ", or ", by));
    }
  for (const LeftOut& item : left_out)
    if (item.because == LeftOut::Because::identity)
      notices.push_back(fmt::format(
          "Column '{}' {} and is left out; name it in --intrinsic or --extrinsic to keep it.",
          item.column, words_for(item)));
  return notices;
}

}  // namespace perfmodel
