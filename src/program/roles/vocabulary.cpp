#include "roles/vocabulary.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <stdexcept>

#include "base/text.hpp"
#include "roles/column_facts.hpp"

namespace perfmodel {

/// The text of vocabulary.tsv.
extern const std::string_view kVocabulary;

namespace {

struct Vocabulary {
  std::vector<std::string> kinds;
  std::map<std::string, Kinds, std::less<>> words;
};

const Vocabulary& vocabulary() {
  static const Vocabulary parsed = [] {
    Vocabulary out;
    for (std::string_view rest = kVocabulary; !rest.empty();) {
      const std::vector<std::string> line = words_of_line(take_line(rest));
      if (line.empty() || line[0] == "#")
        continue;
      for (std::size_t i = 1; i < line.size(); ++i)
        out.words[line[i]] |= Kinds{1} << out.kinds.size();
      out.kinds.push_back(line[0]);
    }
    return out;
  }();
  return parsed;
}

bool is_known(std::string_view word) {
  return kinds_of(word) != 0;
}

Kinds kinds_of_all(const std::vector<std::string>& words) {
  Kinds kinds = 0;
  for (const std::string& word : words)
    kinds |= kinds_of(word);
  return kinds;
}

bool is_digit_of_name(unsigned char c) {
  return std::isdigit(c) != 0;
}

/// Also of the bytes of a letter that is not ASCII.
bool is_letter_of_name(unsigned char c) {
  return std::isalpha(c) != 0 || c >= 0x80;
}

/// "p95", "q1" or "95th".
bool is_quantile(std::string_view word) {
  if (word.starts_with('p') || word.starts_with('q'))
    word.remove_prefix(1);
  else if (word.ends_with("th"))
    word.remove_suffix(2);
  else
    return false;
  return !word.empty() && std::ranges::all_of(word, is_digit_of_name);
}

/// The known words of three letters or more of which a word consists, "wall" and "time" of
/// "walltime"; empty if there are none.
std::vector<std::string> known_pieces(std::string_view word) {
  constexpr std::size_t longest = 40;
  for (std::size_t end = word.size(); end >= 3 && word.size() <= longest; --end) {
    if (!is_known(word.substr(0, end)))
      continue;
    std::vector<std::string> pieces = known_pieces(word.substr(end));
    if (end < word.size() && pieces.empty())
      continue;
    pieces.insert(pieces.begin(), std::string(word.substr(0, end)));
    return pieces;
  }
  return {};
}

/// Whether a word begins at this place, as in "gpuTime", "GPUTime" and "layer12", but not "GPUs".
bool begins_word(std::string_view run, std::size_t at) {
  const auto is = [&](auto of_kind, std::size_t place) {
    return place < run.size() && of_kind(static_cast<unsigned char>(run[place])) != 0;
  };
  return is(isdigit, at) != is(isdigit, at - 1) ||
         (is(isupper, at) &&
          (!is(isupper, at - 1) || (is(islower, at + 1) && is(islower, at + 2))));
}

/// Adds the words of letters and digits without other signs.
void add_words(std::string_view run, std::vector<std::string>& words) {
  const std::string whole = folded(run);
  std::size_t end = 1;
  while (end < run.size() && !begins_word(run, end))
    ++end;
  if (is_known(whole)) {
    words.push_back(whole);
  } else if (end < run.size()) {
    add_words(run.substr(0, end), words);
    add_words(run.substr(end), words);
  } else if (is_digit_of_name(static_cast<unsigned char>(run[0]))) {
    words.emplace_back("0");
  } else {
    std::vector<std::string> pieces = known_pieces(whole);
    if (pieces.empty())
      pieces.push_back(whole);
    words.insert(words.end(), pieces.begin(), pieces.end());
  }
}

std::vector<std::string> words_within(std::string_view text) {
  std::vector<std::string> words;
  const auto is_of_word = [](unsigned char c) {
    return is_letter_of_name(c) || is_digit_of_name(c);
  };
  while (!text.empty()) {
    const auto length = to_size(std::ranges::find_if_not(text, is_of_word) - text.begin());
    if (length > 0)
      add_words(text.substr(0, length), words);
    else if (text[0] == '/')
      words.emplace_back("per");
    else if (std::string_view("%#$").find(text[0]) != std::string_view::npos)
      words.emplace_back(1, text[0]);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return words;
}

/// "Zeit/s" is a time and its unit, as "requests/s" and "t/s" are not.
void join_unit_of_time(std::vector<std::string>& words) {
  for (std::size_t i = 1; i + 1 < words.size(); ++i)
    if (words[i] == "per" && words[i - 1].size() > 1 && has_kind(words[i - 1], "time") &&
        has_kind(words[i + 1], "timeunit"))
      words.erase(words.begin() + index(i));
}

/// Moves "ms" of "time_ms" to the units; "min" is the least of something in "time_min".
void move_units(NameParts& parts) {
  static const Kinds of_units = kind_mask("timeunit byteunit");
  std::vector<std::string>& body = parts.body;
  while (body.size() > 1 && (kinds_of(body.back()) & of_units) != 0 &&
         (body.back() != "min" || body.size() > 2)) {
    parts.units.insert(parts.units.begin(), body.back());
    body.pop_back();
  }
}

/// Tells what it is per.
void find_per(NameParts& parts) {
  static const Kinds of_things = kind_mask("thing byteunit");
  const std::vector<std::string>& words = parts.words;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool is_short_for_per = i + 2 == words.size() && WordList{"s sec"}.has(words[i + 1]) &&
                                  (kinds_of(words[i]) & of_things) != 0;
    parts.per_time |= is_short_for_per ||
                      (words[i] == "per" && (kinds_of(words[i + 1]) & kind_mask("timeunit")) != 0);
  }
  parts.per_thing = !parts.per_time && contains(words, "per");
}

std::string head_of(const std::vector<std::string>& body) {
  static const Kinds plain =
      kind_mask("stat centre max min total num timeunit byteunit per metric config");
  std::string head;
  for (const std::string& word : body) {
    const Kinds kinds = kinds_of(word);
    const bool says_something = word != "0" && (kinds == 0 || (kinds & ~plain) != 0);
    if (says_something && (kinds != 0 || !is_known(head)))
      head = word;
  }
  return head.empty() && !body.empty() ? body.back() : head;
}

/// Adds "n any:time" and the like.
void add_kinds(std::string_view place, Kinds kinds, Evidence& evidence) {
  for (std::size_t kind = 0; kind < vocabulary().kinds.size(); ++kind)
    if (((kinds >> kind) & 1U) != 0)
      evidence.emplace(std::string(place) + vocabulary().kinds[kind], 1.0);
}

}  // namespace

Kinds kind_mask(std::string_view kinds) {
  Kinds mask = 0;
  for (const std::string& kind : words_of_line(kinds)) {
    const auto at = std::ranges::find(vocabulary().kinds, kind);
    if (at == vocabulary().kinds.end())
      throw std::out_of_range("no kind of words: " + kind);
    mask |= Kinds{1} << (at - vocabulary().kinds.begin());
  }
  return mask;
}

Kinds kinds_of(std::string_view word) {
  constexpr std::size_t shortest_singular = 3;
  for (const std::string_view ending : {"", "s", "es"})
    if (ending.empty() ||
        (word.ends_with(ending) && word.size() >= shortest_singular + ending.size()))
      if (const auto found = vocabulary().words.find(word.substr(0, word.size() - ending.size()));
          found != vocabulary().words.end())
        return found->second;
  return is_quantile(word) ? kind_mask("stat") : 0;
}

bool has_kind(std::string_view name, std::string_view kinds) {
  return (kinds_of_all(name_words(name)) & kind_mask(kinds)) != 0;
}

std::string_view last_part(std::string_view name) {
  const std::size_t point = name.rfind('.');
  const bool is_path = point != name.npos && point + 1 < name.size() &&
                       std::isalpha(static_cast<unsigned char>(name[point + 1])) != 0;
  return is_path ? name.substr(point + 1) : name;
}

NameParts name_parts(std::string_view name) {
  const std::string_view last = last_part(name);
  NameParts parts;
  parts.path = words_within(name.substr(0, name.size() - last.size()));
  parts.words = words_within(last);
  join_unit_of_time(parts.words);
  parts.body = parts.words;
  move_units(parts);
  find_per(parts);
  if (const auto per = std::ranges::find(parts.body, "per"); per != parts.body.end())
    parts.body.erase(per == parts.body.begin() ? per + 1 : per, parts.body.end());
  parts.head = head_of(parts.body);
  return parts;
}

Evidence name_evidence(std::string_view name) {
  static const Kinds of_measured = kind_mask(
      "time rate memory energy util score cost counter outcome status relative predicted");
  static const Kinds of_asked = kind_mask("limit setting config given price");
  const NameParts parts = name_parts(name);
  const std::vector<std::string>& body = parts.body;
  const Kinds any = kinds_of_all(body);
  const Kinds units = kinds_of_all(parts.units) & kind_mask("timeunit byteunit");
  const Kinds first = kinds_of_all(parts.path) | (body.empty() ? 0 : kinds_of(body[0]));
  const bool is_measured = (any & of_measured) != 0 || (units & kind_mask("timeunit")) != 0 ||
                           parts.per_time || parts.per_thing;
  const auto letters = std::ranges::count_if(name, is_letter_of_name);
  const auto is_statistic = [](const std::string& word) {
    return (kinds_of(word) & kind_mask("stat centre max min")) != 0;
  };
  Evidence evidence;
  add_kinds("n any:", any, evidence);
  add_kinds("n head:", kinds_of(parts.head), evidence);
  add_kinds("n unit:", units, evidence);
  add_kinds("n first:", first & kind_mask("config metric part entity"), evidence);
  put("n measured, not asked", is_measured && (any & of_asked) == 0, evidence);
  put("n extreme of a thing", !is_measured && (any & kind_mask("max min")) != 0, evidence);
  put("n statistic alone", !body.empty() && std::ranges::all_of(body, is_statistic), evidence);
  put("n per time", parts.per_time, evidence);
  put("n number at the end", body.size() > 1 && (kinds_of(body.back()) & kind_mask("num")) != 0,
      evidence);
  put("n no known word", any == 0 && (units & kind_mask("timeunit")) == 0, evidence);
  put("n short name", letters <= 2, evidence);
  put("n empty name", letters == 0 || folded(name).starts_with("unnamed"), evidence);
  return evidence;
}

bool names_measured(std::string_view name) {
  return name_evidence(name).contains("n measured, not asked");
}

bool names_time(std::string_view name) {
  const Evidence evidence = name_evidence(name);
  return evidence.contains("n measured, not asked") && !evidence.contains("n per time") &&
         (evidence.contains("n head:time") || evidence.contains("n unit:timeunit") ||
          evidence.contains("n any:timeunit"));
}

}  // namespace perfmodel
