#include "model/columns/left_out/run_labels.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "model/columns/facts/log_columns.hpp"
#include "model/columns/facts/name_words.hpp"
#include "model/columns/facts/well_known_names.hpp"

namespace perfmodel {
namespace {

using Names = std::vector<std::string>;

constexpr std::array<std::string_view, 12> kRepetitions{
    "rep",   "repetition", "repeat",  "replicate",  "replication", "run",
    "trial", "visit",      "attempt", "experiment", "measurement", "seed",
};
// What else may stand in such a name: "run_id", "random_seed", "seed 3".
constexpr std::array<std::string_view, 10> kBesideRepetitions{
    "id", "idx", "index", "no", "nr", "number", "random", "rng", "uuid", "count",
};
constexpr std::array<std::string_view, 6> kIds{"id", "idx", "index", "uuid", "guid", "pid"};
constexpr std::array<std::string_view, 9> kWhatHasIds{
    "job", "config", "configuration", "test", "sample", "row", "record", "task", "case",
};
constexpr std::array<std::string_view, 4> kDates{"date", "datetime", "timestamp", "timestamps"};

template <std::size_t n>
bool names(const std::array<std::string_view, n>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "configurationID" ends one word later than "configurationId".
Names label_words(const std::string& name) {
  Names words = name_words(name);
  if (!words.empty() && words.back().size() > 2 && name.ends_with("ID")) {
    words.back().erase(words.back().size() - 2);
    words.emplace_back("id");
  }
  return words;
}

bool is_repetition_name(const Names& words) {
  return std::any_of(
             words.begin(), words.end(),
             [](const std::string& word) { return names(kRepetitions, word); }) &&
         std::all_of(
             words.begin(), words.end(),
             [](const std::string& word) {
               return names(kRepetitions, word) || names(kBesideRepetitions, word);
             });
}

/// "id", "job_id", "config index".
bool is_id_name(const Names& words) {
  return !words.empty() && names(kIds, words.back()) &&
         std::all_of(
             words.begin(), words.end() - 1,
             [](const std::string& word) { return names(kWhatHasIds, word); });
}

/// 0, 1, 2, ... or 1, 2, 3, ..., each of them somewhere.
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

/// Whether a text has the shape of a pattern, in which 0 stands for any digit; it may go on.
bool begins_like(std::string_view text, std::string_view pattern) {
  return text.size() >= pattern.size() && std::equal(
                                              pattern.begin(), pattern.end(), text.begin(),
                                              [](char wanted, char c) {
                                                return wanted == '0' ? c >= '0' && c <= '9'
                                                                     : c == wanted;
                                              });
}

/// "2024-05-31", "2024/05/31 10:00", "10:00:59".
bool is_date(std::string_view text) {
  for (const std::string_view day : {"0000-00-00", "0000/00/00"}) {
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

/// "1,5", "12 %": numbers in a shape that is not read, which have to be pointed out.
bool is_like_a_number(std::string_view text) {
  return text.find_first_not_of("0123456789.,+-eE% ") == std::string_view::npos;
}

bool is_text_label(const Column& column, std::size_t rows) {
  constexpr std::size_t kFewLevels = 10;  // as many models or datasets may stand in a row each
  const Names& levels = column.levels;
  if (std::all_of(levels.begin(), levels.end(), is_date))
    return true;
  if (is_scale_name(column.name) || std::all_of(levels.begin(), levels.end(), is_like_a_number))
    return false;
  return 2 * levels.size() > rows &&
         (levels.size() >= kFewLevels || std::all_of(levels.begin(), levels.end(), is_path));
}

bool is_label(const Column& column, const Names& words, std::size_t rows) {
  if (!column.is_numeric())
    return is_text_label(column, rows);
  const bool dated = std::any_of(words.begin(), words.end(),
                                 [](const std::string& word) { return names(kDates, word); });
  return column.bad_cells.empty() && is_whole(column) && (dated || is_id_name(words));
}

}  // namespace

RunLabels find_run_labels(const Table& table, const std::vector<ColumnPart>& parts) {
  RunLabels found;
  for (const ColumnPart& part : parts) {
    const Column& column = *part.column;
    if (!part.is_input() || part.by_flag || !column.formula.empty() || part.facts.mixed())
      continue;
    const Names words = label_words(column.name);
    if (is_repetition(column, words))
      found.repetitions.push_back(column.name);
    else if (is_label(column, words, table.rows()))
      found.labels.push_back(column.name);
  }
  return found;
}

}  // namespace perfmodel
