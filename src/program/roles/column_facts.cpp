#include "roles/column_facts.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "table/table.hpp"

namespace perfmodel {
namespace {

constexpr WordList kStatistics{
    "avg mean average median std stddev min max p50 p90 p95 p99 var sum final last best percent "
    "pct measured aux"};

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string_view unit_among(std::span<const WordsOfUnit> units, std::string_view word) {
  const auto found =
      std::ranges::find_if(units, [&](const WordsOfUnit& unit) { return unit.words.has(word); });
  return found == units.end() ? std::string_view() : found->unit;
}

std::vector<std::string> name_words(std::string_view name) {
  std::vector<std::string> words(1);
  const auto end_word = [&] {
    if (!words.back().empty())
      words.emplace_back();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (is_upper(c)) {
      if (i > 0 && is_lower_or_digit(name[i - 1]))
        end_word();
      words.back() += static_cast<char>(c - 'A' + 'a');
    } else if (is_lower_or_digit(c) || static_cast<unsigned char>(c) >= 0x80) {
      words.back() += c;
    } else {
      end_word();
      if (c == '/') {
        words.back() = "per";
        words.emplace_back();
      }
    }
  }
  if (words.back().empty())
    words.pop_back();
  return words;
}

std::string last_word(std::span<const std::string> words) {
  return words.empty() ? std::string() : words.back();
}

std::string_view last_part(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const bool is_path = dot != name.npos && dot + 1 < name.size() &&
                       (is_upper(name[dot + 1]) || (name[dot + 1] >= 'a' && name[dot + 1] <= 'z'));
  return is_path ? name.substr(dot + 1) : name;
}

std::vector<std::string> words_of_quantity(std::string_view name) {
  std::vector<std::string> words = name_words(name);
  while (words.size() > 1 && kStatistics.has(words.back()))
    words.pop_back();
  while (words.size() > 1 && kStatistics.has(words.front()))
    words.erase(words.begin());
  return words;
}

namespace {

constexpr std::array kUnitsAtEnd{
    WordsOfUnit{"s", {"s sec secs seconds"}},
    WordsOfUnit{"ms", {"ms msec milliseconds"}},
    WordsOfUnit{"us", {"us usec microseconds"}},
    WordsOfUnit{"ns", {"ns nsec nanoseconds"}},
    WordsOfUnit{"min", {"minutes"}},
    WordsOfUnit{"h", {"hours"}},
};

// Only in brackets, since "time_min" may be a minimum; as the words that kUnitsAtEnd has.
constexpr std::array kBracketedUnits{
    WordsOfUnit{"us", {"\u00b5s \u03bcs usecs"}},
    WordsOfUnit{"minutes", {"min mins"}},
    WordsOfUnit{"hours", {"h hr"}},
    WordsOfUnit{"s", {"second"}},
    WordsOfUnit{"ms", {"msecs"}},
};

// All names without underscores, so that "batch_size" and "batchsize" are equal.
constexpr WordList kTimes{
    "time t iterationtime itertime timeperiteration steptime timeperstep batchtime timeperbatch "
    "epochtime timeperepoch trainingtime traintime runtime walltime elapsed elapsedtime duration "
    "executiontime exectime totaltime meantime averagetime measuredtime realtime"};

constexpr WordList kCountedThings{
    "gpus workers nodes processes procs ranks cores cpus threads devices machines replicas "
    "accelerators instances executors tasks jobs gcds"};

// Words that may accompany a counted noun in the name of a scale: "mpi_procs", "spark_executors".
// With others it may be a property of the problem or the machine: "hidden_nodes", "tensor_cores".
constexpr WordList kWordsOfScales{
    "num n no no. number of # total mpi omp openmp parallel spark cluster compute worker"};

// Words that name a scale if combined with "parallel": "num_tensor_parallel_workers".
constexpr WordList kSharedOut{"tensor data pipeline model expert sequence"};

// Words with which a name of a batch is not its size: "max_batch_size".
constexpr WordList kNotOfBatchSizes{"num n number max min use is no"};

// Whole names of scales that count nothing by their words.
constexpr WordList kOtherScales{"np concurrency maxbatchsize"};

constexpr WordList kBatches{
    "batch batchsize localbatch localbatchsize globalbatch globalbatchsize microbatch "
    "microbatchsize minibatch minibatchsize totalbatchsize effectivebatchsize"};

/// Folds the last part of a name, splits it at capitals and turns a bracketed suffix into another
/// word: "step_time_ms" of "metrics.Step Time (ms)", "TimeMs" and "time, ms" alike.
std::string plain_name(std::string_view name) {
  std::string text;
  for (const char c : last_part(name)) {
    if (is_upper(c) && !text.empty() && text.back() >= 'a' && text.back() <= 'z')
      text += '_';
    if (c != ',')
      text += c;
  }
  text = folded(text);
  if (const std::size_t slash = text.find('/'); slash != std::string::npos)
    text.replace(slash, 1, "_per_");
  const auto open = text.find_last_of("([");
  if (open == std::string::npos || open == 0 || !(text.ends_with(')') || text.ends_with(']')))
    return text;
  std::string word = text.substr(open + 1, text.size() - open - 2);
  if (const std::string_view unit = unit_among(kBracketedUnits, word); !unit.empty())
    word = unit;
  text.resize(open);
  while (text.ends_with('_'))
    text.pop_back();
  return text + "_" + word;
}

std::string without_underscores(std::string_view name) {
  std::string result = plain_name(name);
  std::erase(result, '_');
  return result;
}

std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : plain_name(name) + "_")
    if (c != '_')
      word += c;
    else if (!word.empty())
      words.push_back(std::exchange(word, {}));
  return words;
}

/// "workers" of "worker", "processes" of "process".
std::string plural(const std::string& word) {
  return word + (word.ends_with("s") ? "es" : "s");
}

/// "mpi_procs", "num_tensor_parallel_workers", "mpi_rank_count", "num_gpu", "GPU #".
bool counts_things(std::vector<std::string> words) {
  const bool has_count = !words.empty() && (words.back() == "count" || words.back() == "#");
  if (has_count)
    words.pop_back();
  if (words.empty())
    return false;
  constexpr WordList counts{"num n no no. #"};
  const bool is_counted = has_count || counts.has(words[0]);
  std::string thing = words.back();
  words.pop_back();
  if (is_counted && !kCountedThings.has(thing))
    thing = plural(thing);
  const bool parallel = contains(words, "parallel");
  const auto leaves_a_scale = [&](const std::string& word) {
    return kWordsOfScales.has(word) || (parallel && kSharedOut.has(word));
  };
  return kCountedThings.has(thing) && std::ranges::all_of(words, leaves_a_scale);
}

/// "train_batch_size", "batch_size_per_gpu", "per_device_batch".
bool is_batch_size(std::vector<std::string> words) {
  if (words.size() > 2 && words[words.size() - 2] == "per")
    words.resize(words.size() - 2);
  if (words.size() > 1 && words.back() == "size")
    words.pop_back();
  return !words.empty() && (words.back() == "batch" || words.back() == "batchsize") &&
         !kNotOfBatchSizes.has_one_of(words);
}

/// A plain name without its unit of time, and the unit: of "step_ms" and of "ms_per_step"; a rate
/// such as "samples_per_s" has none.
std::pair<std::string_view, std::string_view> split_unit(std::string_view name) {
  const std::size_t per = name.find("_per_");
  if (per != name.npos)
    if (const std::string_view first = unit_among(kUnitsAtEnd, name.substr(0, per)); !first.empty())
      return {name.substr(per + 1), first};
  const std::size_t last = std::min(name.rfind('_'), name.size());
  const std::string_view base = name.substr(0, last);
  const std::string_view unit =
      base == name || base.ends_with("_per") ? "" : unit_among(kUnitsAtEnd, name.substr(last + 1));
  return {unit.empty() ? name : base, unit};
}

constexpr std::array<std::string_view, 6> kOfAllWorkers{
    "global", "total", "effective", "overall", "aggregate", "world",
};
constexpr std::array<std::string_view, 4> kOfOneWorker{"per", "local", "micro", "device"};
constexpr WordList kOfMachines{"mem memory ram vram"};

/// True if a name contains one of these words, even without a separator: "globalbatch".
template <std::size_t n>
bool speaks_of(const std::string& name, const std::array<std::string_view, n>& wanted) {
  return std::ranges::any_of(
      name_words(name),
      [&](const std::string& word) {
        return std::ranges::any_of(
            wanted,
            [&](std::string_view candidate) {
              return word == candidate || (candidate.size() > 4 && word.starts_with(candidate));
            });
      });
}

}  // namespace

bool is_time_name(std::string_view name) {
  const std::string plain = plain_name(name);
  return kTimes.has(without_underscores(split_unit(plain).first));
}

bool has_time_unit(std::string_view name) {
  return !unit_of(name).empty();
}

bool is_scale_name(std::string_view name) {
  const std::string whole = without_underscores(name);
  if (kBatches.has(whole) || kOtherScales.has(whole))
    return true;
  std::string_view base = whole;
  if (base.ends_with("count") &&  // "gpucount"
      kCountedThings.has(plural(std::string(base.substr(0, base.size() - 5)))))
    return true;
  for (const std::string_view prefix : {"numberof", "num", "n", "alloc", "req"})
    if (const std::string thing(base.starts_with(prefix) ? base.substr(prefix.size()) : "");
        !thing.empty() && (kCountedThings.has(thing) || kCountedThings.has(plural(thing))))
      return true;
  const std::vector<std::string> words = words_of(name);
  return kCountedThings.has(base) || counts_things(words) || is_batch_size(words);
}

std::string unit_of(std::string_view name) {
  return std::string(split_unit(plain_name(name)).second);
}

bool has_bracketed_unit(std::string_view name) {
  return has_time_unit(name) && folded(last_part(name)) != plain_name(name);
}

bool is_total_name(const std::string& name) {
  return speaks_of(name, kOfAllWorkers);
}

bool is_per_something_name(const std::string& name) {
  return speaks_of(name, kOfOneWorker);
}

bool is_batch_name(const std::string& name) {
  const std::vector<std::string> words = name_words(name);
  return is_scale_name(name) && std::ranges::any_of(words, [](const std::string& word) {
           return word.find("batch") != std::string::npos;
         });
}

bool is_worker_count_name(const std::string& name) {
  return is_scale_name(name) && !is_batch_name(name) && !is_per_something_name(name);
}

bool is_rate_of_one_worker_name(const std::string& name) {
  const std::vector<std::string> words = name_words(name);
  const auto thing = std::find(words.rbegin(), words.rend(), "per").base();
  return thing != words.begin() && thing != words.end() && is_scale_name("num_" + *thing);
}

bool is_work_per_worker_name(const std::string& name) {
  if (is_batch_name(name))
    return is_per_something_name(name);
  const std::vector<std::string> words = name_words(name);
  const auto per = std::ranges::find(words, "per");
  if (per == words.begin() || per == words.end() || per + 1 == words.end())
    return false;
  // "procs" is a scale and so is "num_proc", so "proc" is what is counted.
  return is_scale_name("num_" + *(per + 1)) &&
         std::none_of(words.begin(), per, [](const std::string& word) {
           return is_scale_name(word) || kOfMachines.has(word);
         });
}

namespace {

ColumnFacts facts_of_numbers(const Column& column) {
  ColumnFacts facts;
  facts.texts = column.bad_cells.size();
  facts.numbers = column.numbers.size() - facts.texts;
  bool zero = false;
  bool one = false;
  bool other = false;
  bool different = false;
  bool not_positive = false;
  for (const double x : column.numbers) {  // NaN (a bad cell) counts as "other" and "different"
    zero = zero || x == 0;
    one = one || x == 1;
    other = other || !(x == 0 || x == 1);
    different = different || !(x == column.numbers[0]);
    not_positive = not_positive || x <= 0;
  }
  facts.constant = !different;
  facts.zero_one = zero && one && !other;
  facts.all_positive = !not_positive;
  return facts;
}

ColumnFacts facts_of_texts(const Column& column) {
  ColumnFacts facts;
  const std::vector<double> numbers = level_numbers(column);
  for (const std::uint32_t code : column.codes)
    ++(std::isnan(numbers[code]) ? facts.texts : facts.numbers);
  facts.constant = column.levels.size() == 1;
  return facts;
}

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kGroupMarks = ", _'";
constexpr std::string_view kSizeLetters = "kKMGT";
constexpr std::size_t kGroup = 3;

void multiply(std::vector<Factor>& product, const Factor& by) {
  const auto found = std::ranges::find(product, by.column, &Factor::column);
  if (found == product.end())
    product.push_back(by);
  else if (found->power += by.power; found->power == 0)
    product.erase(found);
}

/// The levels that are truth values; empty unless a value has several spellings.
std::vector<std::string> spellings(const Column& column) {
  std::array<std::size_t, 2> counts = {0, 0};
  std::vector<std::string> found;
  for (const std::string& level : column.levels) {
    if (const auto value = truth_value(level)) {
      ++counts[*value ? 1 : 0];
      found.push_back(level);
    }
  }
  return counts[0] > 1 || counts[1] > 1 ? found : std::vector<std::string>();
}

void respell(Column& column) {
  std::map<std::string, std::uint32_t> code_of;
  std::vector<std::uint32_t> new_code;
  std::vector<std::string> levels;
  for (const std::string& level : column.levels) {
    const auto value = truth_value(level);
    const std::string text = !value ? level : *value ? "true" : "false";
    const auto [entry, is_new] =
        code_of.try_emplace(text, static_cast<std::uint32_t>(levels.size()));
    if (is_new)
      levels.push_back(text);
    new_code.push_back(entry->second);
  }
  for (std::uint32_t& code : column.codes)
    code = new_code[code];
  column.levels = std::move(levels);
}

}  // namespace

ColumnFacts facts_of(const Column& column) {
  return column.is_numeric() ? facts_of_numbers(column) : facts_of_texts(column);
}

std::optional<std::string> without_group_marks(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::size_t first = std::min(whole.find_first_not_of(kDigits), whole.size());
  if (first == 0 || first > kGroup || first == whole.size() ||
      kGroupMarks.find(whole[first]) == kGroupMarks.npos ||
      (whole.size() - first) % (kGroup + 1) != 0)
    return std::nullopt;
  std::string out(whole.substr(0, first));
  for (std::size_t at = first; at < whole.size(); at += kGroup + 1) {
    const std::string_view digits = whole.substr(at + 1, kGroup);
    if (whole[at] != whole[first] || digits.find_first_not_of(kDigits) != digits.npos)
      return std::nullopt;
    out += digits;
  }
  out += text.substr(point);
  return parse_number(out) ? std::optional(out) : std::nullopt;
}

bool has_size_letter(std::string_view text) {
  return text.size() > 1 && kSizeLetters.find(text.back()) != kSizeLetters.npos &&
         parse_number(text.substr(0, text.size() - 1));
}

bool holds_written_numbers(const Column& column) {
  return !column.is_numeric() && std::ranges::all_of(
                                     column.levels,
                                     [](const std::string& level) {
                                       return without_group_marks(level) || has_size_letter(level);
                                     });
}

bool is_same_everywhere(const std::vector<SignedColumn>& product, double agreement) {
  double low = 0;
  double high = 0;
  const std::size_t rows = product.front().column->logarithms.size();
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (const SignedColumn& factor : product)
      sum += factor.power * factor.column->logarithms[row];
    low = row == 0 ? sum : std::min(low, sum);
    high = row == 0 ? sum : std::max(high, sum);
    if (high - low > 2 * agreement)
      return false;
  }
  return true;
}

std::vector<LogColumn> log_columns(const std::vector<const ColumnPart*>& parts) {
  std::vector<LogColumn> result;
  for (const ColumnPart* part : parts) {
    const Column& column = *part->column;
    if (!column.is_numeric() || !column.bad_cells.empty() || !part->facts.all_positive ||
        part->facts.constant)
      continue;
    std::vector<double> logarithms = mapped(column.numbers, [](double x) { return std::log(x); });
    result.push_back({part, std::move(logarithms), is_whole(column)});
  }
  std::ranges::sort(result, {}, &LogColumn::name);
  return result;
}

std::size_t distinct_values(const Column& column) {
  if (!column.is_numeric())
    return column.levels.size();
  std::vector<double> values = column.numbers;
  std::erase_if(values, [](double x) { return std::isnan(x); });
  return sorted_unique(std::move(values)).size();
}

bool is_whole(const Column& column) {
  return std::ranges::all_of(
      column.numbers, [](double x) { return x == std::floor(x); });
}

MovingColumns::MovingColumns(const std::vector<ColumnProduct>& products) {
  for (auto product = products.rbegin(); product != products.rend(); ++product) {
    if (product->factors.empty())
      continue;
    std::vector<Factor> of;
    for (const Factor& factor : product->factors)
      for (const Factor& origin : origins(factor.column))
        multiply(of, {origin.column, factor.power * origin.power});
    origins_.emplace(product->column, std::move(of));
  }
}

std::vector<Factor> MovingColumns::origins(const std::string& column) const {
  const auto found = origins_.find(column);
  return found == origins_.end() ? std::vector<Factor>{{column, 1}} : found->second;
}

int MovingColumns::power(const std::string& column, const std::string& origin) const {
  const std::vector<Factor> factors = origins(column);
  const auto found = std::ranges::find(factors, origin, &Factor::column);
  return found == factors.end() ? 0 : found->power;
}

std::size_t missing_cells(const Column& column) {
  if (column.is_numeric())
    return std::ranges::all_of(column.bad_cells, is_missing, &BadCell::text)
               ? column.bad_cells.size()
               : 0;
  const std::vector<double> numbers = level_numbers(column);
  const bool has_numbers = std::ranges::any_of(numbers, [](double x) { return !std::isnan(x); });
  std::vector<bool> missing;
  for (std::size_t code = 0; code < numbers.size(); ++code) {
    const std::string& text = column.levels[code];
    missing.push_back(has_numbers ? is_missing(text) : text.empty());
    if (has_numbers && std::isnan(numbers[code]) && !missing.back())
      return 0;
  }
  return to_size(
      std::ranges::count_if(column.codes, [&](std::uint32_t code) { return missing[code]; }));
}

bool holds_numbers_as_written(const Column& column) {
  return std::ranges::all_of(
      column.levels,
      [](const std::string& level) {
        return level.find_first_not_of("0123456789.,+-eE% ") == std::string::npos;
      });
}

bool names_the_rows(const Column& column) {
  constexpr std::size_t few = 10;
  const std::size_t levels = column.levels.size();
  return !column.is_numeric() && levels >= few && 10 * levels > 9 * column.codes.size();
}

std::vector<std::string> unify_truth_values(Table& table) {
  std::vector<std::string> sentences;
  for (Column& column : table.columns) {
    if (const auto found = spellings(column); !found.empty()) {
      respell(column);
      sentences.push_back(fmt::format(
          "Column '{}' spells its truth values {}; they are taken as 'true' and 'false'.",
          column.name, quoted_list(found)));
    }
  }
  return sentences;
}

}  // namespace perfmodel
