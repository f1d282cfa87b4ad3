#include "roles/column_facts.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "roles/vocabulary.hpp"
#include "table/table.hpp"

namespace perfmodel {
namespace {

constexpr WordList kCountedThings{
    "gpus workers nodes processes procs ranks cores cpus threads devices "
    "machines replicas "
    "accelerators instances executors tasks jobs gcds kerne knoten prozesse rechner arbeiter "
    "coeurs noeuds processus hilos nodos procesos nodi processi"};

// Words before a counted noun that say that it is a number of things.
constexpr WordList kNumbers{"num n no number # alloc req"};

// Words that may accompany a counted noun in the name of a scale: "mpi_procs", "spark_executors".
// With others it may be a property of the problem or the machine: "hidden_nodes", "tensor_cores".
constexpr WordList kWordsOfScales{
    "num n no number of # alloc req total mpi omp openmp parallel spark "
    "cluster compute worker"};

// Words that name a scale if combined with "parallel": "num_tensor_parallel_workers".
constexpr WordList kSharedOut{"tensor data pipeline model expert sequence"};

// Words with which a name of a batch is not its size: "num_batch".
constexpr WordList kNotOfBatchSizes{"num n number max min use is no"};

constexpr WordList kOfAllWorkers{"global total effective overall aggregate world"};
constexpr WordList kOfOneWorker{"per local micro device"};
constexpr WordList kOfMachines{"mem memory ram vram"};

/// Whether a word is a counted thing; of a number, also in the singular: "num_gpu".
bool is_counted(const std::string& word, bool is_number) {
  return kCountedThings.has(word) ||
         (is_number && kCountedThings.has(word + (word.ends_with("s") ? "es" : "s")));
}

/// "mpi_procs", "num_tensor_parallel_workers", "mpi_rank_count", "num_gpu", "ngpus", "GPU #".
bool counts_things(std::vector<std::string> words) {
  const bool has_count = !words.empty() && (words.back() == "count" || words.back() == "#");
  if (has_count)
    words.pop_back();
  if (words.empty())
    return false;
  const bool is_number = has_count || kNumbers.has(words[0]);
  const std::string thing = words.back();
  words.pop_back();
  if (!is_counted(thing, is_number) &&
      !(thing.starts_with('n') && is_counted(thing.substr(1), true)))
    return false;
  const bool parallel = contains(words, "parallel");
  return std::ranges::all_of(words, [&](const std::string& word) {
    return kWordsOfScales.has(word) || (parallel && kSharedOut.has(word));
  });
}

/// "train_batch_size", "batch_size_per_gpu", "per_device_batch".
bool is_batch_size(std::vector<std::string> words) {
  if (words.size() > 2 && words[words.size() - 2] == "per")
    words.resize(words.size() - 2);
  if (words.size() > 1 && words.back() == "size")
    words.pop_back();
  return !words.empty() && words.back().ends_with("batch") && !kNotOfBatchSizes.has_one_of(words);
}

/// The word of a name that is its unit of time: of "step_ms" and of "ms_per_step"; empty if there
/// is none, as of a rate.
std::string word_of_unit(std::string_view name) {
  const NameParts parts = name_parts(name);
  const std::vector<std::string>& words = parts.words;
  const bool in_brackets = name.find_first_of("([,") != name.npos;
  const auto is_unit = [&](const std::string& word) {
    return !unit_of_time(word, in_brackets).empty();
  };
  if (const auto per = std::ranges::find(words, "per"); per != words.end()) {
    if (per != words.begin() && is_unit(*(per - 1)))
      return *(per - 1);
    if (per + 1 != words.end() && is_unit(*(per + 1)))
      return {};
  }
  // The last one: a unit in brackets goes before another one in the name.
  const std::vector<std::string>& among = in_brackets ? words : parts.units;
  const auto unit = std::find_if(among.rbegin(), among.rend(), is_unit);
  return unit == among.rend() ? std::string() : *unit;
}

}  // namespace

std::string unit_of_time(std::string_view word, bool is_clear) {
  static const std::map<double, std::string> units{{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"},
                                                   {1, "s"},     {60, "min"},  {3600, "h"}};
  // "min" may be a minimum and "second" the next after the first; "m" rather is a length.
  const bool is_sure = word.ends_with('s')
                           ? word.size() < 3 || word.size() > 4 || word.find("sec") != word.npos
                           : word.ends_with("sec");
  const auto one = is_sure || (is_clear && word != "m") ? parse_quantity("1 " + std::string(word))
                                                        : std::nullopt;
  const auto found = one && one->unit == "s" ? units.find(one->value) : units.end();
  return found == units.end() ? std::string() : found->second;
}

std::vector<std::string> name_words(std::string_view name) {
  return name_parts(name).words;
}

std::string unit_of(std::string_view name) {
  return unit_of_time(word_of_unit(name), true);
}

bool has_time_unit(std::string_view name) {
  return !unit_of(name).empty();
}

bool has_bracketed_unit(std::string_view name) {
  return has_time_unit(name) && name.find_first_of("([,") != name.npos;
}

bool is_scale_name(std::string_view name) {
  constexpr WordList others{"np concurrency"};
  const std::vector<std::string> words = name_words(name);
  return (words.size() == 1 && others.has(words[0])) || joined(words, " ") == "max batch size" ||
         counts_things(words) || is_batch_size(words);
}

bool is_total_name(const std::string& name) {
  return kOfAllWorkers.has_one_of(name_words(name));
}

bool is_per_something_name(const std::string& name) {
  return kOfOneWorker.has_one_of(name_words(name));
}

bool is_batch_name(const std::string& name) {
  return is_scale_name(name) && contains(name_words(name), "batch");
}

bool is_worker_count_name(const std::string& name) {
  return is_scale_name(name) && !is_batch_name(name) && !is_per_something_name(name);
}

bool is_rate_of_one_worker_name(const std::string& name) {
  const std::vector<std::string> words = name_words(name);
  const auto thing = std::find(words.rbegin(), words.rend(), "per").base();
  return thing != words.begin() && thing != words.end() && is_counted(*thing, true);
}

bool is_work_per_worker_name(const std::string& name) {
  if (is_batch_name(name))
    return is_per_something_name(name);
  const std::vector<std::string> words = name_words(name);
  const auto per = std::ranges::find(words, "per");
  return per != words.begin() && per != words.end() && per + 1 != words.end() &&
         is_counted(*(per + 1), true) &&
         std::none_of(words.begin(), per, [](const std::string& word) {
           return is_counted(word, false) || kOfMachines.has(word);
         });
}

namespace {

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
  const std::vector<double> numbers = numbers_of(column);
  const auto count = [&](const auto& is_counted) {
    return to_size(std::ranges::count_if(numbers, is_counted));
  };
  ColumnFacts facts;
  facts.texts = count([](double x) { return std::isnan(x); });
  facts.numbers = numbers.size() - facts.texts;
  if (!column.is_numeric()) {
    facts.constant = column.levels.size() == 1;
    return facts;
  }
  const std::size_t zeros = count([](double x) { return x == 0; });
  const std::size_t ones = count([](double x) { return x == 1; });
  facts.constant = count([&](double x) { return x == numbers[0]; }) == numbers.size();
  facts.zero_one = zeros > 0 && ones > 0 && zeros + ones == numbers.size();
  facts.all_positive = count([](double x) { return x <= 0; }) == 0;
  return facts;
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
        return level.find_first_not_of("0123456789.,+-eE% ") == std::string::npos ||
               has_size_letter(level);
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
      sentences.push_back(
          fmt::format("Column '{}' spells its truth values {}; "
                      "they are taken as 'true' and 'false'.",
                      column.name, quoted_list(found)));
    }
  }
  return sentences;
}

}  // namespace perfmodel
