#include "base/text.hpp"

#include <fmt/core.h>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <sstream>

namespace perfmodel {

std::vector<std::size_t> indices(std::size_t count) {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  return out;
}

std::vector<double> sorted_unique(std::vector<double> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

namespace {

/// Number of bytes of a sequence that begins with `lead`; 0 if it is no lead byte.
std::size_t sequence_length(std::uint32_t lead) {
  if (lead < 0x80)
    return 1;
  if (lead >= 0xC0 && lead < 0xE0)
    return 2;
  if (lead >= 0xE0 && lead < 0xF0)
    return 3;
  return lead >= 0xF0 && lead < 0xF8 ? 4 : 0;
}

/// Not overlong, no surrogate, and within Unicode.
bool is_valid(std::uint32_t code_point, std::size_t length) {
  constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code_point >= 0xD800 && code_point < 0xE000;
  return code_point >= smallest[length] && code_point < 0x110000 && !surrogate;
}

std::string masked(std::string_view text, bool keep_line_feeds) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const bool shown = character.length > 0 && (!is_control(character.code_point) ||
                                                (keep_line_feeds && character.code_point == '\n'));
    const std::size_t length = std::max<std::size_t>(character.length, 1);
    out += shown ? text.substr(0, length) : "?";
    text.remove_prefix(length);
  }
  return out;
}

bool starts_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

struct KnownUnit {
  std::string_view name;
  double per_base;  ///< how many are a second, or a byte
};

constexpr std::array<KnownUnit, 4> kTimes = {{{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}}};
constexpr KnownUnit kHour = {"h", 1.0 / 3600};
constexpr std::array<KnownUnit, 6> kDecimalBytes = {
    {{"PB", 1e-15}, {"TB", 1e-12}, {"GB", 1e-9}, {"MB", 1e-6}, {"kB", 1e-3}, {"B", 1}}};
constexpr std::array<KnownUnit, 6> kBinaryBytes = {{{"PiB", 0x1p-50},
                                                    {"TiB", 0x1p-40},
                                                    {"GiB", 0x1p-30},
                                                    {"MiB", 0x1p-20},
                                                    {"KiB", 0x1p-10},
                                                    {"B", 1}}};
constexpr double kFourDigits = 9999.5;  // what is larger is shown with an exponent

/// The first of the units in which the value is 1 or more, else the last.
TimeUnit first_of_one(std::span<const KnownUnit> units, double value, const KnownUnit& given) {
  TimeUnit out;
  for (const KnownUnit& known : units) {
    out = {std::string(known.name), known.per_base / given.per_base};
    // What four digits show as 1 counts as 1.
    if (std::abs(value) * out.factor >= 0.99995)
      break;
  }
  return out;
}

/// The unit of this name; null if there is none.
const KnownUnit* unit_called(std::span<const KnownUnit> units, std::string_view name) {
  const auto found = std::ranges::find(units, name, &KnownUnit::name);
  return found == units.end() ? nullptr : &*found;
}

TimeUnit readable_bytes(double value, const Unit& unit) {
  const std::string& written = unit.written.empty() ? unit.name : unit.written;
  const bool is_binary = unit_called(kDecimalBytes, written) == nullptr;
  const std::span<const KnownUnit> units = is_binary ? kBinaryBytes : kDecimalBytes;
  const KnownUnit* const shown = unit_called(units, written);
  const KnownUnit* given = unit_called(kDecimalBytes, unit.name);
  given = given != nullptr ? given : unit_called(kBinaryBytes, unit.name);
  if (shown == nullptr || given == nullptr)
    return {unit.name};
  const double factor = shown->per_base / given->per_base;
  const double size = std::abs(value) * factor;
  return size >= 0.1 && size < kFourDigits ? TimeUnit{written, factor}
                                           : first_of_one(units, value, *given);
}

std::string with_name(const std::string& number, const std::string& unit) {
  return unit.empty() ? number : number + " " + unit;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Levenshtein distance with transpositions (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, current);
  }
  return last[b.size()];
}

bool is_safe_in_shell(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view("_-./:=@%+,").find(c) != std::string_view::npos;
}

}  // namespace

Utf8Character first_character(std::string_view text) {
  if (text.empty())
    return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = sequence_length(lead);
  if (length == 0 || length > text.size())
    return {};
  // The lead byte of a sequence of n > 1 bytes carries 7 - n bits, each further byte 6.
  std::uint32_t code_point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80U)
      return {};
    code_point = code_point << 6 | (byte & 0x3FU);
  }
  return is_valid(code_point, length) ? Utf8Character{code_point, length} : Utf8Character{};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = first_character(text).length;
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

bool is_control(std::uint32_t code_point) {
  const auto within = [&](std::uint32_t first, std::uint32_t last) {
    return first <= code_point && code_point <= last;
  };
  return code_point < 0x20 || within(0x7F, 0x9F)  // C0, DEL and C1
         || code_point == 0x61C                   // Arabic letter mark
         || within(0x200E, 0x200F)                // left-to-right and right-to-left marks
         || within(0x2028, 0x202E)                // line ends, embeddings and overrides
         || within(0x2066, 0x2069);               // isolates
}

std::string printable(std::string_view text) {
  return masked(text, true);
}

std::string printable_word(std::string_view text) {
  return masked(text, false);
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::string clipped(const std::string& text, std::size_t width) {
  if (display_width(text) <= width)
    return text;
  std::vector<std::string> characters;
  for (const char byte : text) {
    if (starts_character(byte) || characters.empty())
      characters.emplace_back();
    characters.back() += byte;
  }
  const std::size_t head = (width - 1) / 2;
  const std::size_t tail = width - 1 - head;
  std::string result;
  for (std::size_t i = 0; i < characters.size(); ++i)
    if (i < head || i + tail >= characters.size())
      result += characters[i];
    else if (i == head)
      result += "\u2026";
  return result;
}

std::string short_number(double value) {
  if (!std::isfinite(value))
    return "-";
  return fmt::format("{:.4g}", value + 0.0);  // -0 becomes 0
}

std::string with_unit(const std::string& name, const std::string& unit) {
  const std::size_t open = name.find_last_of("[(");
  const bool has_brackets =
      open != std::string::npos && open > 0 && (name.ends_with(']') || name.ends_with(')'));
  const std::string own = has_brackets ? name.substr(open + 1, name.size() - open - 2) : "";
  if (unit.empty() || own == unit)
    return name;
  const auto is_own = [&](std::span<const KnownUnit> units) {
    return unit_called(units, own) != nullptr;
  };
  const bool gives_way = own == "min" || is_own(kTimes) || is_own({&kHour, 1}) ||
                         is_own(kDecimalBytes) || is_own(kBinaryBytes);
  return fmt::format("{} [{}]", gives_way ? trimmed(name.substr(0, open), " ") : name, unit);
}

std::string percent(double value) {
  const std::string text = fmt::format("{:.1f} %", value);
  return text == "-0.0 %" ? "0.0 %" : text;
}

TimeUnit readable_unit(double value, const Unit& unit) {
  if (!std::isfinite(value) || value == 0)
    return {unit.name};
  const KnownUnit* const given = unit_called(kTimes, unit.name);
  if (given == nullptr)
    return readable_bytes(value, unit);
  return std::abs(value) >= kFourDigits * given->per_base ? first_of_one({&kHour, 1}, value, *given)
                                                          : first_of_one(kTimes, value, *given);
}

std::string time_text(double time, const Unit& unit) {
  const TimeUnit shown = readable_unit(time, unit);
  return with_name(short_number(time * shown.factor), shown.name);
}

std::string time_range_text(double low, double high, const Unit& unit) {
  if (!std::isfinite(high))
    return time_text(low, unit) + " or more";
  const TimeUnit shown = readable_unit(high, unit);
  return with_name(short_number(low * shown.factor) + " .. " + short_number(high * shown.factor),
                   shown.name);
}

std::string to_text(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string rounded(double value) {
  return fmt::format("{:.3g}", value + 0.0);
}

std::string csv_field(const std::string& text, char separator) {
  if (text.find(separator) == std::string::npos &&
      text.find_first_of("\"\r\n") == std::string::npos && !text.starts_with(' ') &&
      !text.ends_with(' '))
    return text;
  std::string field = "\"";
  for (const char c : text) {
    field += c;
    if (c == '"')
      field += '"';
  }
  return field + "\"";
}

std::string csv_line(std::span<const std::string> fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i)
    line += (i == 0 ? "" : ",") + csv_field(fields[i]);
  return (line.empty() ? "\"\"" : line) + "\n";
}

std::string_view trimmed(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::vector<std::string> split_list(const std::string& text, char separator) {
  std::vector<std::string> items;
  std::size_t start = 0;
  while (true) {
    const auto end = text.find(separator, start);
    items.push_back(text.substr(start, end - start));
    if (end == std::string::npos)
      return items;
    start = end + 1;
  }
}

std::vector<std::string> words_of_line(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string> words;
  for (text = trimmed(text, blanks); !text.empty(); text = trimmed(text, blanks)) {
    words.emplace_back(text.substr(0, text.find_first_of(blanks)));
    text.remove_prefix(words.back().size());
  }
  return words;
}

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::string shell_word(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_safe_in_shell))
    return word;
  std::string quoted;
  for (const char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + quoted + "'";
}

std::string joined(std::span<const std::string> words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? std::string() : std::string(separator)) + word;
  return text;
}

std::string enumerated(std::span<const std::string> words, std::size_t most) {
  const std::size_t named = std::min(words.size(), most);
  std::string text;
  for (std::size_t k = 0; k < named; ++k) {
    const bool is_last = k + 1 == words.size();
    text += (k == 0 ? "" : is_last ? " and " : ", ") + words[k];
  }
  return named < words.size() ? fmt::format("{} and {} more", text, words.size() - named) : text;
}

std::optional<double> parse_number(std::string_view text) {
  const char* first = text.data();
  const char* const last = first + text.size();
  // from_chars does not accept a plus sign.
  if (text.size() > 1 && text[0] == '+' && (is_digit(text[1]) || text[1] == '.'))
    ++first;
  double value = 0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc{} || end != last || !std::isfinite(value))
    return std::nullopt;
  return value + 0.0;
}

std::string folded(std::string_view word) {
  std::string result(word);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
    else if (c == '-' || c == ' ')
      c = '_';
  return result;
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  const std::string wanted = folded(word);
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, folded(candidate));
    // One error per three letters; "99" is no typing error for "9".
    const std::size_t allowed = std::max(wanted.size(), candidate.size()) / 3;
    if (distance <= allowed && (best == nullptr || distance < best_distance)) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

std::string quoted_cell(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::size_t end = std::min(text.size(), longest);
  while (end > 0 && end < text.size() && !starts_character(text[end]))
    --end;  // does not cut a character
  return fmt::format("\"{}{}\"", printable_word(text.substr(0, end)),
                     end < text.size() ? "..." : "");
}

std::string quoted_list(std::span<const std::string> words, std::size_t most) {
  std::vector<std::string> quoted;
  for (const std::string& word : words)
    quoted.push_back(fmt::format("'{}'", printable_word(word)));
  return enumerated(quoted, most);
}

std::string sorted_list(std::vector<std::string> words) {
  std::ranges::sort(words);
  return quoted_list(words);
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto candidate = nearest(word, candidates);
  return candidate ? fmt::format("; did you mean '{}'?", printable_word(*candidate)) : "";
}

std::string did_you_mean_one_of(std::string_view word, std::span<const std::string> candidates) {
  const std::string hint = did_you_mean(word, candidates);
  constexpr std::size_t most = 20;
  return hint.empty() ? fmt::format("; there are {}", quoted_list(candidates, most)) : hint;
}

std::string not_one_of(std::string_view text, std::span<const std::string> words) {
  return fmt::format("'{}' is not one of {}{}", text, quoted_list(words),
                     did_you_mean(text, words));
}

std::string counted_noun(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string ProblemList::text() const {
  std::string result;
  for (const auto& [place, problem] : first_)
    result += (result.empty() ? "" : "\n") + problem;
  if (count_ > first_.size())
    result += fmt::format("\n... and {} more", count_ - first_.size());
  return result;
}

std::vector<std::string> lines_within(const std::string& text, std::size_t width,
                                      std::size_t indentation) {
  if (display_width(text) <= width)
    return {text};
  std::string line = text.substr(0, text.find_first_not_of(' '));
  std::vector<std::string> lines;
  bool begins = true;
  std::istringstream words(text);
  for (std::string word; words >> word; begins = false) {
    if (!begins && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::move(line));
      line = std::string(indentation, ' ');
      begins = true;
    }
    line += (begins ? "" : " ") + word;
  }
  lines.push_back(std::move(line));
  return lines;
}

std::string paragraphs_within(const std::string& lines, std::size_t width) {
  std::string out;
  for (std::size_t start = 0; start < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', start), lines.size());
    const std::string line = lines.substr(start, end - start);
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    for (const std::string& part : lines_within(line, width, begin + 2))
      out += part + "\n";
    start = end + 1;
  }
  return out;
}

std::string spelled(std::string_view setting) {
  return std::string(before_settings) + std::string(setting);
}

bool WordList::has(std::string_view word) const {
  for (auto at = words.find(word); !word.empty() && at != words.npos;
       at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

bool WordList::has_one_of(std::span<const std::string> candidates) const {
  return std::ranges::any_of(
      candidates, [&](const std::string& word) { return has(word); });
}

}  // namespace perfmodel
