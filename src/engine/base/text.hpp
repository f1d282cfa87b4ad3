#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace perfmodel {

/// An index of a standard container as Eigen's signed type.
constexpr std::ptrdiff_t index(std::size_t i) {
  return static_cast<std::ptrdiff_t>(i);
}

/// An Eigen index as a size of a standard container.
constexpr std::size_t to_size(std::ptrdiff_t count) {
  return static_cast<std::size_t>(count);
}

/// 0, 1, ..., count - 1.
std::vector<std::size_t> indices(std::size_t count);

/// The distinct values, ascending.
std::vector<double> sorted_unique(std::vector<double> values);

template <class Values, class Value>
bool contains(const Values& values, const Value& value) {
  return std::ranges::find(values, value) != values.end();
}

/// What a function, or a pointer to a member, gives of each value, in their order.
template <class Values, class Function>
auto mapped(const Values& values, const Function& function) {
  using Result = std::invoke_result_t<const Function&, decltype(*std::begin(values))>;
  std::vector<std::decay_t<Result>> out;
  if constexpr (requires { std::size(values); })
    out.reserve(static_cast<std::size_t>(std::size(values)));
  for (const auto& value : values)
    out.push_back(std::invoke(function, value));
  return out;
}

/// A character and its number of bytes; length 0 if no well-formed UTF-8 was found.
struct Utf8Character {
  std::uint32_t code_point = 0;
  std::size_t length = 0;
};

/// The first character of a text.
Utf8Character first_character(std::string_view text);

/// Whether a text is well-formed UTF-8, as JSON and HTML need it.
bool is_utf8(std::string_view text);

/// Whether a character controls a terminal, a line or the direction of text: C0 and C1, DEL, line
/// and paragraph separators, and marks, embeddings, overrides and isolates of the direction.
bool is_control(std::uint32_t code_point);

/// A text for terminals, as names from files could contain anything: replaces controls except line
/// feeds, and bytes that are not valid UTF-8 (a terminal might take them for C1), by '?'. Not for
/// machine-readable files, which have their own escapes.
std::string printable(std::string_view text);

/// As printable(), and replaces line feeds, too: for names and other single lines.
std::string printable_word(std::string_view text);

/// Number of characters of a UTF-8 text, as terminal columns (wide and combining ones count 1).
std::size_t display_width(std::string_view text);

/// The text, shortened in its middle to at most `width` characters.
std::string clipped(const std::string& text, std::size_t width);

/// A text without line ends in lines of at most `width`, cut at blanks; those after the first begin
/// with `indentation` blanks. A word that is longer stays whole.
std::vector<std::string> lines_within(const std::string& text, std::size_t width,
                                      std::size_t indentation);

/// Whole lines, those that are longer than `width` in several: what goes on stands two blanks
/// further in than its beginning.
std::string paragraphs_within(const std::string& lines, std::size_t width);

/// Four significant digits: "0.00917", "1.46", "1.235e+05".
std::string short_number(double value);

/// "MAE [s]", or the name alone if the unit is unknown.
std::string with_unit(const std::string& name, const std::string& unit);

/// "42.5 %"
std::string percent(double value);

/// The unit of numbers, and the one in which people wrote them if that is another: bytes of cells
/// such as "801.03 GiB".
struct Unit {
  Unit(const char* unit) : name(unit) {}
  Unit(std::string unit, std::string as_written = {})
      : name(std::move(unit)), written(std::move(as_written)) {}

  std::string name;
  std::string written;  ///< empty: as `name`
};

/// A unit in which values are shown; those in files and documents keep the unit of the data.
struct TimeUnit {
  std::string name;
  double factor = 1;  ///< multiplies a value in the unit of the data
};

/// Of a time, the largest of s, ms, us and ns in which it is 1 or more, or hours where four digits
/// of seconds do not suffice. Bytes remain as they were written if they lie between 0.1 and 10,000;
/// else they are in the largest unit of their powers of 1000 or 1024 in which they are 1 or more.
/// Any other unit is kept.
TimeUnit readable_unit(double value, const Unit& unit);

/// "1.57 ms" for 0.00157 in "s"; the number alone if the unit is unknown.
std::string time_text(double time, const Unit& unit);

/// "1.2 .. 1.9 ms", both ends in the unit of the upper one.
std::string time_range_text(double low, double high, const Unit& unit);

/// The shortest text that reads back to the same double ("0.1", "1e-06", "900").
std::string to_text(double value);

/// Three significant digits ("2.1e-05", "0.333"), for messages.
std::string rounded(double value);

/// Quotes a word for a shell if necessary.
std::string shell_word(const std::string& word);

std::string joined(std::span<const std::string> words, std::string_view separator);

/// The text as a field of CSV, quoted if necessary; blanks around a field without quotes would not
/// be read.
std::string csv_field(const std::string& text, char separator = ',');

/// A line of CSV with its line end. Blank lines are not read, so a single blank field is quoted.
std::string csv_line(std::span<const std::string> fields);

/// The text without these characters at its ends.
std::string_view trimmed(std::string_view text, std::string_view blanks);

/// Splits "A,B" at its commas; a part may be empty.
std::vector<std::string> split_list(const std::string& text, char separator = ',');

/// The words between blanks, tabs and carriage returns.
std::vector<std::string> words_of_line(std::string_view text);

/// Takes the first line off a text. Returns it without its line feed.
std::string_view take_line(std::string_view& text);

/// "a, b and c"; if there are more than `most`: "a, b, c and 7 more".
std::string enumerated(std::span<const std::string> words, std::size_t most);

/// The whole of `text` as a finite decimal number; nullopt for anything else (blank, nan, inf,
/// 0x10, decimal comma, 1e400, blanks before or after). A leading plus sign is accepted.
/// Independent of the locale.
std::optional<double> parse_number(std::string_view text);

/// Lower case (ASCII), with '-' and ' ' as '_': for comparing names whose spelling may vary.
std::string folded(std::string_view word);

/// The candidate with the smallest edit distance to `word`, both folded; nullopt if none is near
/// enough to be a typing error.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// The text of a cell for messages: in double quotes, long texts cut, controls masked.
std::string quoted_cell(std::string_view text);

/// "'a', 'b' and 'c'", controls masked; if there are more than `most`: "'a', 'b' and 7 more".
std::string quoted_list(std::span<const std::string> words, std::size_t most = std::string::npos);

/// As quoted_list(), in alphabetical order.
std::string sorted_list(std::vector<std::string> words);

/// "; did you mean 'x'?" or an empty text, for the end of a message.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

/// did_you_mean(), or all candidates if none is near: "; there are 'a' and 'b'".
std::string did_you_mean_one_of(std::string_view word, std::span<const std::string> candidates);

/// "'x' is not one of 'a' and 'b'"
std::string not_one_of(std::string_view text, std::span<const std::string> words);

/// "1 row", "3 rows"
std::string counted_noun(std::size_t count, std::string_view noun);

/// Problems found in a file: all are counted, and the first 20 in the order of the file are kept.
class ProblemList {
 public:
  static constexpr std::size_t shown = 20;

  /// `describe` returns the text; it is only called for a problem that may be shown, so that a file
  /// with a million bad cells does not cost a million texts.
  template <class Describe>
  void add(std::size_t line, std::size_t column, const Describe& describe) {
    ++count_;
    const std::pair place(line, column);
    if (first_.size() < shown || place < std::prev(first_.end())->first) {
      first_.emplace(place, describe());
      if (first_.size() > shown)
        first_.erase(std::prev(first_.end()));
    }
  }

  bool empty() const { return count_ == 0; }
  std::size_t count() const { return count_; }

  /// One line each, and "... and 35 more" if there are more. No final newline.
  std::string text() const;

 private:
  std::size_t count_ = 0;
  std::multimap<std::pair<std::size_t, std::size_t>, std::string> first_;
};

/// What stands before the name of a setting of a fit where errors and findings name it as the cure:
/// the program, which has them as options, sets "--" before the first fit.
inline std::string_view before_settings;
/// "--bounds" of "bounds".
std::string spelled(std::string_view setting);

/// Words that are looked for, separated by blanks.
struct WordList {
  std::string_view words;

  bool has(std::string_view word) const;
  bool has_one_of(std::span<const std::string> candidates) const;
};

}  // namespace perfmodel
