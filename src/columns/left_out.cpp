#include "columns/left_out.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include "base/text.hpp"

namespace perfmodel {
namespace {

using Words = std::vector<std::string>;

// Only the last word names the quantity: "loss_scale" and "accuracy_goal" are settings.
constexpr WordList kResults{
    "throughput goodput util utilization utilisation mfu hfu occupancy loss accuracy acc "
    "perplexity ppl bleu f1 speedup efficiency tflops tflop ips fps qps rps tps iops bandwidth "
    "busbw algbw bw gbps energy joules watts temperature latency elapsed wall wallclock duration "
    "seconds secs overhead slowdown runtime walltime imbalance rss maxrss vmem vmpeak vmhwm hwm "
    "forward backward fwd bwd error qps"};

// Amounts that a run uses up, besides memory.
constexpr WordList kUsedUp{"energy joules watts rss maxrss vmem vmpeak vmhwm hwm"};

// With one of these words, a time or a rate is a setting: "time_limit", "target_latency".
constexpr WordList kAskedFor{
    "limit target timeout budget requested offered goal interval period deadline threshold "
    "allowed cap scheduled peak rated req"};

constexpr WordList kUnitsOfTime{"s sec secs second seconds ms us min minute h hour"};

constexpr WordList kUsed{"peak max used usage allocated reserved"};
constexpr WordList kMemory{"mem memory vram rss ram hbm vm"};
constexpr WordList kBytes{"kb mb gb kib mib gib"};

/// "peak memory mb", "gpu mem used".
bool names_used_memory(const Words& words) {
  return kUsed.has_one_of(words) && (kMemory.has_one_of(words) || kBytes.has_one_of(words));
}

/// "samples per s", "tokens per sec per gpu", "imgpersec".
bool is_rate(const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "per" && kUnitsOfTime.has(words[i + 1]))
      return true;
  return words.back().ends_with("persec") || words.back().ends_with("persecond");
}

// Words after "time" in the name of a setting: "time_steps".
constexpr WordList kCountedTimes{"step steps window windows series dim embedding bucket"};

/// "forward_ms", "ctime", "CPUSeconds", "time_in_place".
bool is_time(std::string_view name, const Words& words) {
  if (is_time_name(name) || has_time_unit(name) || words.back().ends_with("time") ||
      words.back().ends_with("seconds"))
    return true;
  for (std::size_t i = 0; i + 1 < words.size(); ++i)
    if (words[i] == "time")
      return !kCountedTimes.has(words[i + 1]);
  return false;
}

/// "mem_mb", "memory_gb": used by the run, or else what the machine has or was requested.
bool may_be_memory_used(std::string_view name) {
  Words words = words_of_quantity(name);
  if (words.size() > 1 && kBytes.has(words.back()))
    words.pop_back();
  return !words.empty() && kMemory.has(words.back()) && !kAskedFor.has_one_of(words);
}

// What a percentage is of if it was measured: "CPU Load (%)", but not "sparsity %".
constexpr WordList kShares{"load util usage cpu gpu idle busy error errors hit hits miss misses"};

// Names of times that may stand beside the time of a run.
constexpr WordList kOtherTimes{"wall latency elapsed duration"};

// What is computed from results, so that it is none to model.
constexpr WordList kComputed{
    "ideal expected predicted speedup slowdown efficiency ratio relative recall accuracy loss "
    "error "
    "change"};

// Whole names of results without the name of a quantity.
constexpr WordList kOutcomes{"score result measured actual fom"};

constexpr WordList kStatisticsOfRuns{
    "avg mean average median std stdev stddev sd dev deviation sem min max var cv iqr mad geomean"};
// Beside the name of a quantity only, since "low" and "high" alone are settings.
constexpr WordList kSpreads{"err error ci lo low lower hi high upper q1 q3 sum"};
// What counts the runs behind a row of statistics.
constexpr WordList kRunsBehind{"n count runs reps repeats rounds iterations samples"};

/// "stddev", "p99".
bool is_statistic(std::string_view word) {
  return kStatisticsOfRuns.has(word) ||
         (word.size() > 1 && word[0] == 'p' &&
          word.find_first_not_of("0123456789", 1) == std::string_view::npos);
}

/// Whether the numbers can be statistics of the target: no "min" is above it, no "max" below.
bool can_be_statistic(const Column& column, const Column& target) {
  const Words words = name_words(column.name);
  const bool is_least = contains(words, "min");
  const bool is_most = contains(words, "max");
  for (std::size_t row = 0; row < std::min(column.numbers.size(), target.numbers.size()); ++row)
    if ((is_least && column.numbers[row] > target.numbers[row]) ||
        (is_most && column.numbers[row] < target.numbers[row]))
      return false;
  return true;
}

/// Whether the name consists of statistics, "min" or "p95", which can be those of the target.
bool is_plain_statistic(const Column& column, const Column& target) {
  const Words words = name_words(column.name);
  return !words.empty() && std::ranges::all_of(words, is_statistic) &&
         can_be_statistic(column, target);
}

/// The sorted words of a name but statistics.
Words words_of_measured(std::string_view name) {
  Words words = name_words(name);
  std::erase_if(words,
                [](const std::string& word) { return is_statistic(word) || kSpreads.has(word); });
  std::ranges::sort(words);
  return words;
}

/// "tput_err" beside "tput", "p50_ms" beside "mean_ms".
bool is_statistic_of(std::string_view name, std::string_view target) {
  const Words words = words_of_measured(name);
  return !words.empty() && words == words_of_measured(target);
}

/// Columns that a tool writes besides the settings of its runs, folded.
struct ToolColumns {
  WordList key;  ///< all of these are in each of the tool's tables
  WordList results;
  WordList labels;  ///< names, places and dates of runs

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
                {"name run_name family_index per_family_instance_index run_type aggregate_name"}},
    // hyperfine
    ToolColumns{{"command mean stddev"},
                {"mean stddev median user system min max exit_codes memory_usage_byte"},
                {"command"}},
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

constexpr double kAgreement = 0.01;          // of a law, in every row
constexpr std::size_t kManyValues = 20;      // settings have fewer
constexpr std::size_t kFewestRowsOfLaw = 5;  // four columns fit fewer rows by chance

/// "3.42x", "4.8 \u00b1 0.1": numbers that nothing but a measurement is written as.
bool is_unread_result(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view rest = trimmed(text.substr(end), " ");
  return text.substr(0, end).find('.') != text.npos &&
         (rest == "x" || rest == "\u00d7" || rest.starts_with("\u00b1"));
}

bool holds_unread_results(const Column& column) {
  return !column.is_numeric() && 2 * column.levels.size() > column.codes.size() &&
         std::ranges::all_of(column.levels, is_unread_result);
}

/// True if no flag names the column, it has numbers, and its name is not that of a scale.
bool may_be_left_out(const ColumnPart& part) {
  return part.is_input() && !part.by_flag && part.column->formula.empty() &&
         (part.facts.numbers > 0 || holds_unread_results(*part.column)) && !part.facts.constant &&
         !part.facts.zero_one && !is_scale_name(part.column->name);
}

bool is_of_numbers(const ColumnPart& part) {
  return part.is_number() && part.column->is_numeric() && part.column->bad_cells.empty();
}

bool looks_measured(const Column& column) {
  const std::size_t values = distinct_values(column);
  const std::size_t cells =
      std::max(column.numbers.size(), column.codes.size()) - column.bad_cells.size();
  return values > kManyValues || 2 * values > cells;
}

/// The relative change of a number by half of the last digit that its column shows.
double rounding_of(const LogColumn& x, std::size_t row) {
  return x.part->column->last_digit / 2 / x.part->column->numbers[row];
}

/// Whether the product is the same in every row to 1 %, or to what the digits of the first two
/// members leave open: copies of one measurement are rounded apart.
bool is_same_but_for_digits(const std::vector<SignedColumn>& members) {
  constexpr double kLargest = 0.1;   // beyond it, digits leave anything open
  constexpr double kRangeOfAll = 5;  // in roundings: a column that varies less says nothing
  double low = -std::numeric_limits<double>::infinity();
  double high = -low;
  double typical = 0;
  const std::vector<double>& x = members[0].column->logarithms;
  for (std::size_t row = 0; row < x.size(); ++row) {
    double sum = 0;
    for (const SignedColumn& factor : members)
      sum += factor.power * factor.column->logarithms[row];
    const double rounding =
        rounding_of(*members[0].column, row) + rounding_of(*members[1].column, row);
    const double open = std::max(kAgreement, std::min(kLargest, rounding));
    low = std::max(low, sum - open);
    high = std::min(high, sum + open);
    typical += open / static_cast<double>(x.size());
  }
  const auto [least, most] = std::ranges::minmax(x);
  return low <= high && (typical <= kAgreement || most - least > kRangeOfAll * typical);
}

/// The law x = time^+-1 times up to two of the other columns, if it holds.
std::optional<std::string> law_of(const LogColumn& x, const LogColumn& time,
                                  const std::vector<LogColumn>& inputs) {
  const auto law = [&](const std::vector<SignedColumn>& members) -> std::optional<std::string> {
    if (!is_same_but_for_digits(members))
      return std::nullopt;
    std::vector<Factor> named;
    for (const SignedColumn& factor : std::span(members).subspan(2))
      named.push_back({factor.column->name(), factor.power});
    named.push_back({time.name(), members[1].power});
    return product_text(named);
  };
  for (const int of_time : {-1, 1})
    if (auto found = find_product(inputs, {2, 4}, {{&x, -1}, {&time, of_time}}, law))
      return found;
  return std::nullopt;
}

constexpr std::size_t kMostParts = 4;
constexpr double kLeastOfSum = 0.9;  // the rest of a total may be in no column
constexpr double kMostOfSum = 1.02;
constexpr double kEvenShare = 1.25;  // by which the share of the parts may vary

/// Adds columns from `from` on to a sum until it is the target in every row, but for a rest.
bool completes_sum(const std::vector<const ColumnPart*>& columns, const std::vector<double>& target,
                   std::size_t from, std::vector<double> sum,
                   std::vector<const ColumnPart*>& taken) {
  if (taken.size() > 1) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0;
    for (std::size_t row = 0; row < sum.size(); ++row) {
      least = std::min(least, sum[row] / target[row]);
      most = std::max(most, sum[row] / target[row]);
    }
    if (least >= kLeastOfSum && most <= kMostOfSum && most <= kEvenShare * least)
      return true;
  }
  for (std::size_t i = from; i < columns.size() && taken.size() < kMostParts; ++i) {
    std::vector<double> longer = sum;
    bool fits = true;
    for (std::size_t row = 0; row < sum.size(); ++row)
      fits = fits && (longer[row] += columns[i]->column->numbers[row]) <= kMostOfSum * target[row];
    taken.push_back(columns[i]);
    if (fits && completes_sum(columns, target, i + 1, std::move(longer), taken))
      return true;
    taken.pop_back();
  }
  return false;
}

/// The columns of which the target is the sum: "forward" and "backward" of "total".
std::vector<const ColumnPart*> parts_of_total(const std::vector<const ColumnPart*>& columns,
                                              const Column& target) {
  constexpr std::size_t most_columns = 16;
  constexpr double least_range = 1.5;  // of the total: a constant is the sum of any two
  std::vector<const ColumnPart*> taken;
  if (columns.size() > most_columns || target.numbers.size() < 4 || !target.bad_cells.empty())
    return taken;
  const auto [least, most] = std::ranges::minmax(target.numbers);
  if (!(least > 0) || most < least_range * least ||
      !completes_sum(columns, target.numbers, 0, std::vector<double>(target.numbers.size(), 0.0),
                     taken))
    taken.clear();
  return taken;
}

/// Whether the cells are times or memory, as results are; what a run reads or was given, too.
bool has_unit_of_result(const ColumnPart& part) {
  constexpr WordList given{"input inputs size file files data dataset read disk cache"};
  const Column& column = *part.column;
  const Words words = name_words(column.name);
  const bool has_digits = column.with_unit.find('.') != std::string::npos;  // settings are round
  return (column.unit == "s" || column.unit == "B") && has_digits && !kAskedFor.has_one_of(words) &&
         !given.has_one_of(words);
}

}  // namespace

bool is_by_product_name(std::string_view name) {
  const Words words = words_of_quantity(name);
  if (words.empty())
    return false;
  const Words all = name_words(name);
  if (names_used_memory(all))
    return true;
  // "peak" usage, handled above, is a result; any other peak is a property of the machine.
  if (kAskedFor.has_one_of(words))
    return false;
  constexpr WordList computed{"ideal predicted recall"};
  if (all == Words{"total"} || all.front() == "perf" || kUsedUp.has_one_of(all) ||
      computed.has_one_of(all) || (name.find('%') != name.npos && kShares.has_one_of(all)))
    return true;
  Words quantity = words;  // without its unit: "throughput_gbs", "energy_j", "loss_1"
  if (quantity.size() > 1 && quantity.back().size() <= 3 && !kResults.has(quantity.back()))
    quantity.pop_back();
  return kResults.has(words.back()) || kResults.has(quantity.back()) || is_rate(all) ||
         is_time(name, words);
}

bool names_amount(std::string_view name) {
  const Words words = words_of_quantity(name);
  const Words all = name_words(name);
  if (names_used_memory(all))
    return true;
  return !words.empty() && !kAskedFor.has_one_of(words) &&
         (kUsedUp.has_one_of(all) || may_be_memory_used(name) ||
          (all.size() > 1 && all.front() == "vm"));
}

bool is_table_of_tool(const std::vector<std::string>& names) {
  return tool_of(names) != nullptr;
}

std::optional<LeftOut::Because> role_in_tool(const std::string& name,
                                             const std::vector<std::string>& names) {
  const ToolColumns* const tool = tool_of(names);
  return tool == nullptr ? std::nullopt : tool->role(folded(name));
}

namespace {

/// What the columns of a table say together about those that are results.
struct ResultEvidence {
  const Column& target;
  bool tells_memory;    ///< in few rows, every memory that was asked for may be another one
  bool has_statistics;  ///< two or more
  std::vector<const ColumnPart*> summands;  ///< of the target

  /// A result if it looks measured.
  bool is_named(const ColumnPart& part) const {
    const std::string& name = part.column->name;
    return is_by_product_name(name) || is_plain_statistic(*part.column, target) ||
           has_unit_of_result(part) ||
           (tells_memory && may_be_memory_used(name) && part.column->bad_cells.empty());
  }
  /// A result with any values.
  bool is_sure(const ColumnPart& part) const {
    const std::string& name = part.column->name;
    return is_statistic_of(name, target.name) || contains(summands, &part) ||
           folded(name) == "visits" || holds_unread_results(*part.column) ||
           (has_statistics &&
            (is_plain_statistic(*part.column, target) || kRunsBehind.has(folded(name))));
  }
};

ResultEvidence evidence_of(const Table& table, const std::vector<ColumnPart>& parts,
                           const Column& target) {
  std::size_t statistics = 0;
  std::vector<const ColumnPart*> may_be_summands;
  for (const ColumnPart& part : parts) {
    if (!may_be_left_out(part))
      continue;
    const std::string& name = part.column->name;
    statistics +=
        is_plain_statistic(*part.column, target) || is_statistic_of(name, target.name) ? 1U : 0U;
    if (is_of_numbers(part) && part.facts.all_positive && !is_whole(*part.column) &&
        looks_measured(*part.column))
      may_be_summands.push_back(&part);
  }
  return {target, table.rows() >= kFewestRowsOfLaw, statistics > 1,
          parts_of_total(may_be_summands, target)};
}

}  // namespace

bool is_asked_for(std::string_view name) {
  return kAskedFor.has_one_of(name_words(name));
}

bool may_be_time_name(std::string_view name) {
  const Words words = words_of_quantity(name);
  return !words.empty() && !is_asked_for(name) &&
         (is_time(name, words) || kOtherTimes.has_one_of(words));
}

bool may_be_rate_name(std::string_view name) {
  return names_throughput(name) && !is_asked_for(name) && !kComputed.has_one_of(name_words(name));
}

ResultRank rank_as_target(std::string_view name) {
  const Words words = name_words(name);
  return kOutcomes.has(folded(name))                                    ? ResultRank::outcome
         : kComputed.has_one_of(words) || kRunsBehind.has(folded(name)) ? ResultRank::computed
                                                                        : ResultRank::unknown;
}

bool is_better_statistic(std::string_view name, std::string_view other) {
  constexpr WordList middles{"avg mean average median p50"};
  const auto distance = [&](std::string_view column) {
    const Words words = name_words(column);
    const auto is_spread = [&](const std::string& word) {
      return (is_statistic(word) && !middles.has(word)) || kSpreads.has(word);
    };
    return std::ranges::any_of(words, is_spread) ? 2 : middles.has_one_of(words) ? 1 : 0;
  };
  return words_of_measured(name) == words_of_measured(other) && distance(name) < distance(other);
}

std::vector<LeftOut> find_by_products(const Table& table, const std::vector<ColumnPart>& parts) {
  const auto target = std::ranges::find(parts, Part::target, &ColumnPart::part);
  if (target == parts.end())
    return {};
  const ResultEvidence evidence = evidence_of(table, parts, *target->column);
  std::vector<const ColumnPart*> set;
  for (const ColumnPart& part : parts)
    if (part.is_number() && part.column->formula.empty() &&
        !is_by_product_name(part.column->name) && !evidence.is_sure(part))
      set.push_back(&part);
  const std::vector<LogColumn> time = log_columns({&*target});
  const std::vector<LogColumn> inputs = log_columns(set);
  const bool tells_laws = table.rows() >= kFewestRowsOfLaw && !time.empty() &&
                          !is_same_everywhere({{&time[0], 1}}, kAgreement);
  std::vector<LeftOut> found;
  for (const ColumnPart& part : parts) {
    if (!may_be_left_out(part))
      continue;
    const std::string& name = part.column->name;
    const bool measured =
        looks_measured(*part.column) || (may_be_time_name(name) && !is_whole(*part.column));
    const bool named = evidence.is_named(part);
    const bool is_result = evidence.is_sure(part) || (named && measured);
    std::optional<std::string> law;
    if (tells_laws && is_of_numbers(part) &&
        (is_result || named || (measured && !is_whole(*part.column))))
      if (const std::vector<LogColumn> x = log_columns({&part}); !x.empty())
        law = law_of(x[0], time[0], inputs);
    if (law || is_result)
      found.push_back({name, LeftOut::Because::result, law.value_or("")});
  }
  std::ranges::sort(found, {}, &LeftOut::column);
  return found;
}

std::vector<ColumnPart> numeric_parts(const Table& table, const ModelSpec& spec) {
  std::vector<ColumnPart> parts;
  const auto add = [&](const std::vector<NumericInput>& inputs, Part part) {
    for (const NumericInput& input : inputs) {
      const Column& column = table.at(input.column);
      if (!spec.is_derived(input.column))
        parts.push_back({.column = &column, .part = part, .facts = facts_of(column)});
    }
  };
  add(spec.intrinsic, Part::intrinsic);
  add(spec.extrinsic, Part::extrinsic);
  return parts;
}

std::vector<LeftOut> inputs_given_by_target(const Table& table, const ModelSpec& spec) {
  std::vector<ColumnPart> parts = numeric_parts(table, spec);
  const Column& target = table.at(spec.target);
  parts.push_back({.column = &target, .part = Part::target, .facts = facts_of(target)});
  std::vector<LeftOut> out = find_by_products(table, parts);
  std::erase_if(out, [](const LeftOut& item) { return item.identity.empty(); });
  return out;
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
  return out;
}

/// What finds columns that are no inputs, with the reason, in the order in which they are taken
/// out: each rule sees the inputs that the earlier ones have left.
constexpr std::array<std::vector<LeftOut> (*)(const Evidence& in), 4> kRules{
    columns_of_tool,
    [](const Evidence& in) { return find_run_labels(in.table, in.parts); },
    [](const Evidence& in) { return find_by_products(in.table, in.parts); },
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
  }
  return "";
}

std::string columns_named(std::span<const std::string> names) {
  return fmt::format("Column{} {}", names.size() == 1 ? "" : "s", quoted_list(names));
}

std::vector<std::string> left_out_notices(const std::vector<LeftOut>& left_out,
                                          const Parts& parts) {
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
    if (item.because == LeftOut::Because::identity)
      notices.push_back(fmt::format(
          "Column '{}' {} and is left out; name it in --intrinsic or --extrinsic to keep it.",
          item.column, words_for(item)));
  return notices;
}

}  // namespace perfmodel
