#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "columns/spec.hpp"
#include "roles/left_out.hpp"

namespace perfmodel {
namespace {

using Members = std::vector<SignedColumn>;

constexpr double kOfWholeNumbers = 1e-9;    // a product of integers is exact
constexpr double kOfRoundedNumbers = 5e-4;  // "4.32" for log2(20)
constexpr double kLeastVariation = 0.01;    // columns that vary less are nearly constant
constexpr std::size_t kFewRows = 8;         // three values may agree by chance there
constexpr std::size_t kMostColumnsOfFour = 40;

double tolerance_of(const Members& members) {
  return std::ranges::all_of(
             members, [](const SignedColumn& member) { return member.column->is_whole; })
             ? kOfWholeNumbers
             : kOfRoundedNumbers;
}

/// Number of distinct rows.
std::size_t combinations(const Members& members) {
  std::set<std::vector<double>> seen;
  for (std::size_t row = 0; row < members[0].column->logarithms.size(); ++row) {
    seen.insert(mapped(
        members, [&](const SignedColumn& member) { return member.column->logarithms[row]; }));
  }
  return seen.size();
}

constexpr WordList kCoarseCounts{"node nodes machine machines host hosts server servers"};

enum class Rank { scale, per_something, coarse_count, plain, total };

Rank rank_of(const std::string& name, bool beside_batch_per_worker) {
  if (is_total_name(name))
    return Rank::total;
  if (is_per_something_name(name))
    return Rank::per_something;
  if (!is_scale_name(name))
    return Rank::plain;
  if (is_batch_name(name) && beside_batch_per_worker)
    return Rank::total;
  return kCoarseCounts.has_one_of(name_words(name)) ? Rank::coarse_count : Rank::scale;
}

/// The index of the member that follows from the others, by the rules of find_identities();
/// members.size() if no member may follow.
std::size_t choose_dependent(const Members& members) {
  const bool batch_per_worker = std::ranges::any_of(members, [](const SignedColumn& member) {
    return is_batch_name(member.column->name()) && is_per_something_name(member.column->name());
  });
  std::vector<std::tuple<Rank, bool, std::size_t>> precedence;
  for (const SignedColumn& member : members) {
    const auto same_side = std::ranges::count(members, member.power, &SignedColumn::power);
    precedence.emplace_back(rank_of(member.column->name(), batch_per_worker),
                            members.size() > 2 && same_side == 1,
                            distinct_values(*member.column->part->column));
  }
  std::size_t chosen = members.size();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].column->part->by_flag)
      continue;
    if (chosen == members.size() || precedence[i] > precedence[chosen] ||
        (precedence[i] == precedence[chosen] &&
         members[i].column->name() < members[chosen].column->name()))
      chosen = i;
  }
  return chosen;
}

/// The column that follows from the others if their product is the same in every row.
std::optional<LeftOut> identity_of(const Members& members) {
  const std::size_t chosen = choose_dependent(members);
  if (chosen == members.size())
    return std::nullopt;
  LeftOut out{members[chosen].column->name(), LeftOut::Because::identity, {}};
  double log_factor = members[chosen].column->logarithms[0];
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == chosen)
      continue;
    const int power = members[i].power == members[chosen].power ? -1 : 1;
    out.factors.push_back({members[i].column->name(), power});
    log_factor -= power * members[i].column->logarithms[0];
  }
  out.identity = scaled_product(std::exp(log_factor), out.factors);
  return out;
}

/// True if the product is the same in all rows, and these are too many for chance.
bool holds(const Members& members) {
  if (!is_same_everywhere(members, tolerance_of(members)))
    return false;
  if (members.size() == 2) {
    const Column& column = *members[0].column->part->column;
    return distinct_values(column) >= (column.numbers.size() < kFewRows ? 4 : 3);
  }
  return combinations(members) >= members.size() + 2;
}

std::optional<LeftOut> identity_that_holds(const Members& members) {
  return holds(members) ? identity_of(members) : std::nullopt;
}

/// True if y = a + b x in every row, within a tolerance relative to y and to its range, and at
/// least four rows are distinct.
bool is_line(const std::vector<double>& x, const std::vector<double>& y) {
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  const double y_low = y[static_cast<std::size_t>(low - x.begin())];
  const double y_high = y[static_cast<std::size_t>(high - x.begin())];
  const double slope = (y_high - y_low) / (*high - *low);
  const double of_range = kLeastVariation * std::abs(y_high - y_low);
  for (std::size_t row = 0; row < x.size(); ++row)
    if (!(std::abs(y_low + slope * (x[row] - *low) - y[row]) <=
          std::min(kOfRoundedNumbers * y[row], of_range)))
      return false;
  return std::set<double>(x.begin(), x.end()).size() >= 4;
}

/// True if y = a x^power in every row and at least four rows are distinct.
bool is_power(const LogColumn& x, const LogColumn& y, int power) {
  return is_same_everywhere({{&y, 1}, {&x, -power}}, kOfWholeNumbers) &&
         distinct_values(*x.part->column) >= 4;
}

/// Finds a column that is a logarithm or a power of another.
std::optional<LeftOut> find_function(const std::vector<LogColumn>& columns) {
  const auto follows = [](const LogColumn& column, const std::string& law) {
    return LeftOut{column.name(), LeftOut::Because::identity, law};
  };
  for (const LogColumn& y : columns)
    for (const LogColumn& x : columns) {
      if (&x == &y || (x.part->by_flag && y.part->by_flag))
        continue;
      if (is_line(x.logarithms, y.part->column->numbers))
        return y.part->by_flag ? follows(x, "exponential in " + y.name())
                               : follows(y, "logarithmic in " + x.name());
      for (const int power : {2, 3})
        if (is_power(x, y, power))
          return y.part->by_flag
                     ? follows(x, "a root of " + y.name())
                     : follows(y, fmt::format("proportional to {}^{}", x.name(), power));
    }
  return std::nullopt;
}

/// True if y / x is the same in all rows of each level, and these are too many for chance.
bool holds_by_level(const LogColumn& x, const LogColumn& y, const Column& levels) {
  std::vector<std::optional<double>> ratio(levels.levels.size());
  std::set<std::pair<std::uint32_t, double>> seen;
  for (std::size_t row = 0; row < levels.codes.size(); ++row) {
    const double here = y.logarithms[row] - x.logarithms[row];
    std::optional<double>& known = ratio[levels.codes[row]];
    known = known.value_or(here);
    if (std::abs(here - *known) > kOfRoundedNumbers)
      return false;
    seen.insert({levels.codes[row], x.logarithms[row]});
  }
  return seen.size() >= 2 * ratio.size() + 1;
}

std::optional<LeftOut> find_by_level(const std::vector<LogColumn>& columns,
                                     const std::vector<ColumnPart>& parts) {
  for (const ColumnPart& part : parts) {
    if (!part.is_levels() || part.column->is_numeric())
      continue;
    for (std::size_t i = 0; i < columns.size(); ++i)
      for (std::size_t j = i + 1; j < columns.size(); ++j) {
        if (!holds_by_level(columns[i], columns[j], *part.column))
          continue;
        const Members pair{{&columns[i], 1}, {&columns[j], 1}};
        const std::size_t chosen = choose_dependent(pair);
        if (chosen == pair.size())
          continue;
        const std::string& other = pair[1 - chosen].column->name();
        return LeftOut{pair[chosen].column->name(),
                       LeftOut::Because::identity,
                       fmt::format("{} times a number for each {}", other, part.column->name),
                       {{other, 1}}};
      }
  }
  return std::nullopt;
}

std::optional<LeftOut> find_one(const std::vector<LogColumn>& columns,
                                const std::vector<ColumnPart>& parts) {
  if (auto found = find_product(columns, {2, 2}, {}, identity_that_holds))
    return found;
  if (auto found = find_function(columns))
    return found;
  for (const std::size_t size : {std::size_t{3}, std::size_t{4}})
    if (size < 4 || columns.size() <= kMostColumnsOfFour)
      if (auto found = find_product(columns, {size, size}, {}, identity_that_holds))
        return found;
  return find_by_level(columns, parts);
}

std::vector<const ColumnPart*> underived_numbers(const std::vector<ColumnPart>& parts) {
  std::vector<const ColumnPart*> numbers;
  for (const ColumnPart& part : parts)
    if (part.is_number() && part.column->formula.empty())
      numbers.push_back(&part);
  return numbers;
}

}  // namespace

std::vector<LeftOut> find_identities(const std::vector<ColumnPart>& parts) {
  std::vector<LogColumn> columns = log_columns(underived_numbers(parts));
  std::erase_if(columns, [](const LogColumn& column) {
    return is_same_everywhere({{&column, 1}}, kLeastVariation);
  });
  std::vector<LeftOut> identities;
  while (auto found = find_one(columns, parts)) {
    std::erase_if(columns, [&](const LogColumn& column) { return column.name() == found->column; });
    identities.push_back(*std::move(found));
  }
  return identities;
}

namespace {

using Names = std::vector<std::string>;

constexpr WordList kRepetitions{
    "rep repl repetition repeat replicate replication run trial visit attempt experiment "
    "measurement "
    "seed"};
// Other words that such a name may contain: "run_id", "random_seed", "seed 3".
constexpr WordList kBesideRepetitions{"id idx index no nr number random rng uuid count"};
constexpr WordList kIds{"id idx index uuid guid pid"};
constexpr WordList kWhatHasIds{"job config configuration test sample row record task case"};
constexpr WordList kHashes{"hash sha sha1 sha256 md5 digest checksum"};
constexpr WordList kDates{"date datetime timestamp timestamps"};

/// The words of the last part of a name; "configurationID" is split as "configurationId".
Names label_words(const std::string& name) {
  Names words = name_words(last_part(name));
  if (!words.empty() && words.back().size() > 2 && name.ends_with("ID")) {
    words.back().erase(words.back().size() - 2);
    words.emplace_back("id");
  }
  return words;
}

bool is_repetition_name(const Names& words) {
  return kRepetitions.has_one_of(words) && std::ranges::all_of(
                                               words,
                                               [](const auto& word) {
                                                 return kRepetitions.has(word) ||
                                                        kBesideRepetitions.has(word);
                                               });
}

/// "id", "job_id", "config index".
bool is_id_name(const Names& words) {
  return kIds.has(last_word(words)) && std::all_of(
                                           words.begin(), words.end() - 1,
                                           [](const auto& word) { return kWhatHasIds.has(word); });
}

/// True if the values are 0, 1, 2, ... or 1, 2, 3, ... without gaps, in any order.
bool counts_up(const Column& column) {
  const std::set<double> values(column.numbers.begin(), column.numbers.end());
  return is_whole(column) && (*values.begin() == 0 || *values.begin() == 1) &&
         *values.rbegin() - *values.begin() + 1 == static_cast<double>(values.size());
}

/// "r1", "r2", "r10".
bool differ_in_digits_alone(const Names& levels) {
  std::set<std::string> rests;
  for (std::string level : levels) {
    const std::size_t length = level.size();
    std::erase_if(level, [](char c) { return c >= '0' && c <= '9'; });
    if (level.size() == length)
      return false;
    rests.insert(level);
  }
  return rests.size() == 1;
}

bool is_repetition(const Column& column, const Names& words) {
  if (!column.is_numeric())
    return is_repetition_name(words) && differ_in_digits_alone(column.levels);
  if (!column.bad_cells.empty())
    return false;
  if (words == Names{"iteration"} || words == Names{"iter"})
    return counts_up(column);
  return is_repetition_name(words) && is_whole(column);
}

/// True if a text begins like a pattern, in which 0 stands for any digit.
bool begins_like(std::string_view text, std::string_view pattern) {
  return text.size() >= pattern.size() && std::equal(
                                              pattern.begin(), pattern.end(), text.begin(),
                                              [](char wanted, char c) {
                                                return wanted == '0' ? c >= '0' && c <= '9'
                                                                     : c == wanted;
                                              });
}

/// The text with "00" for the name of a month in "02-Mar-2024".
std::string with_number_of_month(std::string_view text) {
  constexpr WordList months{"jan feb mar apr may jun jul aug sep oct nov dec"};
  std::string out(text);
  if (text.size() >= 11 && months.has(folded(text.substr(3, 3))))
    out.replace(3, 3, "00");
  return out;
}

/// "2024-05-31", "2024/05/31 10:00", "31.05.2024", "31-May-2024", "10:00:59".
bool is_date(std::string_view cell) {
  const std::string with_number = with_number_of_month(cell);
  const std::string_view text = with_number;
  for (const std::string_view day :
       {"0000-00-00", "0000/00/00", "00.00.0000", "00/00/0000", "00-00-0000", "00 00 0000"}) {
    if (!begins_like(text, day))
      continue;
    const std::string_view rest = text.substr(day.size());
    return rest.empty() || begins_like(rest.substr(1), "00:00") ||
           begins_like(rest.substr(1), "0000");
  }
  return begins_like(text, "00:00") && text.size() <= 15 &&
         text.find_first_not_of("0123456789:.") == std::string_view::npos;
}

/// "/data/run.csv", "s3://bucket/x", "logs/a/b", "logs/run1.json"; not "facebook/opt-125m".
bool is_path(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos)
    return false;
  if (text.find('/') != slash || slash == 0 || text.starts_with("./") || text.starts_with("~"))
    return true;
  const std::size_t dot = text.rfind('.');
  return dot != std::string_view::npos && dot > slash && dot + 1 < text.size() &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(dot) + 1, text.end(),
                     [](char c) { return c >= 'a' && c <= 'z'; });
}

/// "9f3a2b1", or any text of a column that is called "hash" or "id".
bool is_hash(std::string_view text) {
  constexpr std::size_t shortest = 6;  // "fa11ed" may be a word
  return text.size() >= shortest &&
         text.find_first_not_of("0123456789abcdefABCDEF-") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

/// Revisions of a program, of which some hashes have digits alone.
bool is_revision(const Column& column, const Names& words) {
  constexpr WordList revisions{"revision rev commit"};
  const auto is_one = [](const std::string& text) { return parse_number(text) || is_hash(text); };
  return (revisions.has(last_word(words)) || kHashes.has(last_word(words))) &&
         std::ranges::all_of(column.levels, is_one) &&
         std::ranges::all_of(column.bad_cells, is_one, &BadCell::text);
}

bool is_text_label(const Column& column, const Names& words, std::size_t rows) {
  constexpr std::size_t kFewLevels = 10;  // so few models or datasets may occur once each
  const Names& levels = column.levels;
  if (std::ranges::all_of(levels, is_date))
    return true;
  if (is_scale_name(column.name) || holds_numbers_as_written(column))
    return false;
  return 10 * levels.size() > 9 * rows &&
         (levels.size() >= kFewLevels || std::ranges::all_of(levels, is_path) ||
          std::ranges::all_of(levels, is_hash) || kHashes.has(last_word(words)) ||
          is_id_name(words));
}

bool is_label(const Column& column, const Names& words, std::size_t rows) {
  if (!column.is_numeric())
    return is_text_label(column, words, rows);
  return column.bad_cells.empty() && is_whole(column) &&
         (kDates.has_one_of(words) || is_id_name(words));
}

}  // namespace

std::vector<LeftOut> find_run_labels(const Table& table, const std::vector<ColumnPart>& parts) {
  std::vector<LeftOut> found;
  for (const ColumnPart& part : parts) {
    const Column& column = *part.column;
    if (!part.is_input() || part.by_flag || !column.formula.empty())
      continue;
    const Names words = label_words(column.name);
    const bool is_mixed = part.facts.mixed();
    if (!is_mixed && is_repetition(column, words))
      found.push_back({column.name, LeftOut::Because::repetition, {}});
    else if (is_mixed ? is_revision(column, words) : is_label(column, words, table.rows()))
      found.push_back({column.name, LeftOut::Because::label, {}});
  }
  std::stable_partition(found.begin(), found.end(),
                        [](auto& item) { return item.because == LeftOut::Because::repetition; });
  return found;
}

namespace {

/// In a row, the product x of all members except the first, and the first as y.
std::pair<double, double> step_in_row(const Members& members, std::size_t row) {
  double above = 1;
  double below = 1;
  for (std::size_t i = 1; i < members.size(); ++i)
    (members[i].power > 0 ? above : below) *= members[i].column->part->column->numbers[row];
  return {above / below, members[0].column->part->column->numbers[row]};
}

/// A number k with y = ceil(x / k) in every row, which holds for max x / y <= k < min x / (y - 1).
/// Returns the smallest k if it is an integer, since a full step was then measured, else the
/// smallest power of two, else the smallest integer.
std::optional<double> divisor_of(const Members& members) {
  double least = 0;
  double below = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < members[0].column->logarithms.size(); ++row) {
    const auto [x, y] = step_in_row(members, row);
    least = std::max(least, x / y);
    if (y > 1)
      below = std::min(below, x / (y - 1));
    if (least >= below)
      return std::nullopt;
  }
  if (members.size() > 2)
    return 1;
  for (const double k : {least, std::exp2(std::ceil(std::log2(least))), std::ceil(least)})
    if (k == std::round(k) && k < below)
      return k;
  return least;
}

/// The tie by which the first member follows from the others in steps, if it does.
std::optional<Tie> step_of(const Members& members) {
  Tie step{{}, members[0].column->name()};
  bool has_scale = false;
  for (std::size_t i = 1; i < members.size(); ++i) {
    step.factors.push_back({members[i].column->name(), members[i].power});
    has_scale = has_scale || members[i].column->part->part == Part::extrinsic;
  }
  const auto divisor = has_scale ? divisor_of(members) : std::nullopt;
  if (!divisor)
    return std::nullopt;
  const std::size_t different = combinations(members);
  if (different < 2 * members.size() ||
      different <= distinct_values(*members[0].column->part->column))
    return std::nullopt;
  step.divisor = *divisor;
  bool rounds = false;  // false: it is the product itself
  for (std::size_t row = 0; row < members[0].column->logarithms.size(); ++row) {
    const auto [x, y] = step_in_row(members, row);
    if (std::ceil(x / *divisor * (1 - kOfWholeNumbers)) != y)
      return std::nullopt;
    rounds = rounds || x / *divisor < y * (1 - kOfWholeNumbers);
  }
  return rounds ? std::optional(step) : std::nullopt;
}

std::optional<Tie> find_step(const std::vector<LogColumn>& columns) {
  for (const std::size_t size : {std::size_t{2}, std::size_t{3}, std::size_t{4}})
    for (const LogColumn& column : columns)
      if (size < 4 || columns.size() <= kMostColumnsOfFour)
        if (auto found = find_product(columns, {size, size}, {{&column, 1}}, step_of))
          return found;
  return std::nullopt;
}

}  // namespace

std::vector<Tie> find_steps(const std::vector<ColumnPart>& parts) {
  std::vector<LogColumn> columns = log_columns(underived_numbers(parts));
  std::erase_if(columns, [](const LogColumn& column) { return !column.is_whole; });
  if (!find_step(columns))
    return {};  // most tables are done here
  std::map<std::string, std::size_t> values;
  for (const LogColumn& column : columns)
    values[column.name()] = distinct_values(*column.part->column);
  // Nodes and racks should both be steps in the GPUs.
  std::ranges::stable_sort(columns, [&](const LogColumn& a, const LogColumn& b) {
    return values.at(a.name()) > values.at(b.name());
  });
  std::vector<Tie> steps;
  while (auto found = find_step(columns)) {
    std::erase_if(columns, [&](const LogColumn& column) { return column.name() == found->column; });
    steps.push_back(*std::move(found));
  }
  return steps;
}

}  // namespace perfmodel
