#include "roles/left_out.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

#include "base/text.hpp"
#include "columns/spec.hpp"

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

/// "samples per s", "cycles per cpu second", "tokens per sec per gpu", "imgpersec".
bool is_rate(const Words& words) {
  const auto per = std::ranges::find(words, "per");
  if (std::any_of(per, words.end(), [](const std::string& word) { return kUnitsOfTime.has(word); }))
    return true;
  return last_word(words).ends_with("persec") || last_word(words).ends_with("persecond");
}

// Words after "time" in the name of a setting: "time_steps".
constexpr WordList kCountedTimes{"step steps window windows series dim embedding bucket"};

/// "forward_ms", "ctime", "CPUSeconds", "time_in_place".
bool is_time(std::string_view name, const Words& words) {
  if (is_time_name(name) || has_time_unit(name) || last_word(words).ends_with("time") ||
      last_word(words).ends_with("seconds"))
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
  return kMemory.has(last_word(words)) && !kAskedFor.has_one_of(words);
}

// What a percentage is of if it was measured: "CPU Load (%)", but not "sparsity %".
constexpr WordList kShares{
    "time load util usage cpu gpu idle busy error errors hit hits miss misses"};

// Names of times that may stand beside the time of a run.
constexpr WordList kOtherTimes{"wall latency elapsed duration"};

// What is computed from results, so that it is none to model.
constexpr WordList kComputed{
    "ideal expected predicted speedup slowdown efficiency ratio relative recall accuracy loss "
    "error "
    "change"};

// Whole names of results without the name of a quantity.
constexpr WordList kOutcomes{"score result measured actual fom total mean median avg average"};

constexpr WordList kStatisticsOfRuns{
    "avg mean average median spread standard std stdev stddev sd dev deviation sem min max var cv "
    "iqr mad "
    "geomean"};
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

constexpr double kAgreement = 0.01;          // of a law, in every row
constexpr std::size_t kManyValues = 20;      // settings have fewer
constexpr std::size_t kFewestRowsOfLaw = 5;  // four columns fit fewer rows by chance

/// "3.42x", "4.8 \u00b1 0.1", "226-350": numbers that nothing but a measurement is written as.
bool is_unread_result(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view rest = trimmed(text.substr(end), " ");
  const auto least = parse_number(text.substr(0, end));
  const auto most = rest.starts_with('-') ? parse_number(rest.substr(1)) : std::nullopt;
  return (text.substr(0, end).find('.') != text.npos &&
          (rest == "x" || rest == "\u00d7" || rest.starts_with("\u00b1"))) ||
         (least && most && *least < *most);
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

/// "op" of "ns_per_op" and "allocs/op": what both columns are measured of.
std::string measured_of(const std::string& name) {
  const Words words = name_words(name);
  const auto per = std::ranges::find(words, "per");
  return words.size() > 2 && per != words.begin() && words.end() - per == 2 ? words.back() : "";
}

/// Whether a column has a result of however many values: "CPU Load (%)", "energy_j" or "GB/s" with
/// digits behind the point.
bool is_surely_measured(const Column& column) {
  const Words all = name_words(column.name);
  const bool has_digits = column.last_digit > 0 && column.last_digit < 1;
  return has_digits && !all.empty() && !kAskedFor.has_one_of(all) &&
         (kUsedUp.has_one_of(all) || is_rate(all) ||
          (column.name.find('%') != std::string::npos && kShares.has_one_of(all)));
}

/// Whether a column counts the calls of a run of a benchmark, more of them where each takes less.
bool counts_calls(const ColumnPart& part, const ColumnPart& target) {
  constexpr WordList calls{"iters iterations loops calls runs"};
  const std::vector<LogColumn> columns = log_columns({&part, &target});
  if (columns.size() < 2 || !calls.has(last_word(name_words(part.column->name))))
    return false;
  const std::vector<double>& x = columns[0].logarithms;
  const std::vector<double>& y = columns[1].logarithms;
  const double n = static_cast<double>(x.size());
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t row = 0; row < x.size(); ++row) {
    mean_x += x[row] / n;
    mean_y += y[row] / n;
  }
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (std::size_t row = 0; row < x.size(); ++row) {
    xx += (x[row] - mean_x) * (x[row] - mean_x);
    yy += (y[row] - mean_y) * (y[row] - mean_y);
    xy += (x[row] - mean_x) * (y[row] - mean_y);
  }
  constexpr double close = 0.7;  // of a correlation: such counts are powers of two or rounded
  return xy < -close * std::sqrt(xx * yy);
}

/// Whether two columns have digits behind the point and the first has many values.
bool looks_like(const Column& column, const Column& other) {
  return column.is_numeric() && column.bad_cells.empty() && column.last_digit < 1 &&
         other.last_digit < 1 && 2 * distinct_values(column) > column.numbers.size();
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
    if (low > high)
      return false;
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
  // Settings are round.
  const bool is_used = column.with_unit.find('.') != std::string::npos || kUsed.has_one_of(words);
  return (column.unit == "s" || column.unit == "B") && is_used && !kAskedFor.has_one_of(words) &&
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
  constexpr WordList computed{"ideal predicted suggested recall"};
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

namespace {

/// What the columns of a table say together about those that are results.
struct ResultEvidence {
  const Column& target;
  bool tells_memory;    ///< in few rows, every memory that was asked for may be another one
  bool has_statistics;  ///< two or more
  std::vector<const ColumnPart*> summands;  ///< of the target
  std::vector<const ColumnPart*> siblings;  ///< of a target that no name tells from these

  /// A further part of a total: of the same kind as its parts, and below it in every row.
  bool is_further_part(const Column& column) const {
    bool is_below = !summands.empty() && looks_like(column, target);
    for (std::size_t row = 0; is_below && row < column.numbers.size(); ++row)
      is_below = column.numbers[row] < target.numbers[row];
    return is_below;
  }
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
           is_further_part(*part.column) || contains(siblings, &part) ||
           is_surely_measured(*part.column) ||
           (!measured_of(name).empty() && measured_of(name) == measured_of(target.name)) ||
           folded(name) == "visits" || holds_unread_results(*part.column) ||
           (has_statistics &&
            (is_plain_statistic(*part.column, target) || kRunsBehind.has(folded(name))));
  }
};

/// Whether nothing but its place says that the column is the target.
bool is_guessed_by_place(const ColumnPart& target) {
  const std::string& name = target.column->name;
  return !target.by_flag && rank_as_target(name) == ResultRank::unknown && !is_time_name(name) &&
         !may_be_time_name(name) && !names_amount(name) && !is_by_product_name(name);
}

/// The columns that look like such a target, unless all inputs do.
std::vector<const ColumnPart*> siblings_of(const ColumnPart& target,
                                           const std::vector<ColumnPart>& parts) {
  std::vector<const ColumnPart*> found;
  std::size_t others = 0;
  if (!is_guessed_by_place(target))
    return found;
  for (const ColumnPart& part : parts) {
    const bool is_sibling = may_be_left_out(part) && looks_like(*part.column, *target.column);
    if (is_sibling)
      found.push_back(&part);
    others += part.is_input() && !is_sibling ? 1U : 0U;
  }
  return others > 0 ? found : std::vector<const ColumnPart*>();
}

ResultEvidence evidence_of(const Table& table, const std::vector<ColumnPart>& parts,
                           const ColumnPart& target_part) {
  const Column& target = *target_part.column;
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
          parts_of_total(may_be_summands, target), siblings_of(target_part, parts)};
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
  const ResultEvidence evidence = evidence_of(table, parts, *target);
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
    const bool is_result =
        evidence.is_sure(part) || (named && measured) || counts_calls(part, *target);
    std::optional<std::string> law;
    if (tells_laws && is_of_numbers(part) &&
        (is_result || named || (measured && !is_whole(*part.column))))
      if (const std::vector<LogColumn> x = log_columns({&part}); !x.empty())
        law = law_of(x[0], time[0], inputs);
    if (law || is_result)
      found.push_back({name, LeftOut::Because::result, law.value_or("")});
  }
  // A count is taken out last: as the only other column it is a setting.
  std::ranges::sort(found, {}, [](const LeftOut& item) {
    return std::pair(kRunsBehind.has(folded(item.column)), item.column);
  });
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

}  // namespace perfmodel
