#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "perfmodel/reading.hpp"
#include "roles/column_facts.hpp"
#include "sources/sheet.hpp"

namespace perfmodel {
namespace {

/// Where a text stands in its line, in characters.
struct Span {
  std::size_t begin;
  std::size_t end;

  bool overlaps(const Span& other) const { return begin < other.end && other.begin < end; }
  Span with(const Span& other) const {
    return {std::min(begin, other.begin), std::max(end, other.end)};
  }
  std::size_t twice_middle() const { return begin + end; }
};

/// Whether blanks separate spans, which are those of columns.
bool stand_apart(const std::vector<Span>& spans) {
  return std::ranges::adjacent_find(
             spans, [](const Span& left, const Span& right) { return left.end >= right.begin; }) ==
         spans.end();
}

/// Twice that of their middles.
std::size_t distance(const Span& a, const Span& b) {
  return std::max(a.twice_middle(), b.twice_middle()) -
         std::min(a.twice_middle(), b.twice_middle());
}

/// A text between blanks.
struct Phrase {
  Span span;
  std::string text;
};
using Phrases = std::vector<Phrase>;
using Cells = std::vector<std::string>;

bool is_continued(char c) {  // of UTF-8
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80;
}

/// The texts between tabs or runs of at least so many blanks.
Phrases phrases_of(std::string_view text, std::size_t blanks) {
  Phrases out;
  std::size_t at = 0;
  std::size_t gap = blanks;
  for (const char c : text) {
    if (c == ' ' || c == '\t') {
      gap += c == '\t' ? blanks : 1;
      ++at;
      continue;
    }
    if (gap >= blanks)
      out.push_back({{at, at}, ""});
    else
      out.back().text += std::string(gap, ' ');
    gap = 0;
    out.back().text += c;
    at += is_continued(c) ? 0U : 1U;
    out.back().span.end = at;
  }
  return out;
}

/// Whether a cell is or has several numbers, so that blanks were too few to separate them.
bool is_several_numbers(const std::string& cell) {
  const std::vector<std::string> parts = words_of_line(cell);
  const auto numbers = to_size(std::ranges::count_if(parts, is_written_number));
  return parts.size() > 1 && !is_written_number(cell) && (numbers == parts.size() || numbers > 2);
}

std::size_t numbers_in(const Phrases& phrases) {
  return to_size(std::ranges::count_if(
      phrases, [](const Phrase& phrase) { return is_written_number(phrase.text); }));
}

/// "130.9 ± 8.7" as two numbers; some consoles print the sign as "?".
std::string without_signs(std::string text) {
  constexpr std::array<std::string_view, 4> signs = {" \u00b1 ", " +- ", " +/- ", " ? "};
  for (const std::string_view sign : signs)
    for (std::size_t at = 0; (at = text.find(sign, at)) != text.npos;)
      text.replace(at, sign.size(), std::string(sign == signs[0] ? 3 : sign.size(), ' '));
  return text;
}

/// How a line of a text is cut: at its blanks, and at as many of them as separate columns.
struct AlignedLine {
  Phrases cells;
  Phrases words;
  std::size_t numbers = 0;  ///< among the words
};

/// A text with rows of as many cells, which blanks separate; some cells may be blank where the
/// columns stand apart.
class AlignedText {
 public:
  AlignedText(const SheetRows& rows, std::size_t blanks, bool with_signs);

  /// The numbers of cells that a row may have, the largest first.
  std::vector<std::size_t> widths() const;
  /// Whether half of the lines with numbers, two at least, have as many cells, or several numbers
  /// below several words.
  bool is_likely() const;
  /// Splits the rows of the sheet. Returns the row that does not fit in, if there is one.
  std::optional<std::size_t> split(std::size_t width, Sheet& sheet);

 private:
  bool find_rows();
  void find_columns(const std::vector<std::size_t>& rows);
  bool is_whole(std::size_t i) const;
  bool may_be_run(const Cells& cells, bool may_have_label) const;
  std::optional<Cells> cells_of(std::size_t i) const;
  std::optional<Cells> cells_below_names(const Phrases& words) const;
  std::optional<Cells> row_at(std::size_t i) const;
  bool is_remark(std::size_t i) const;
  std::optional<Cells> grouped_names(const Phrases& words) const;
  std::optional<Cells> named_in(const AlignedLine& line, const Cells& names) const;
  void name_groups(const Phrases& line, const Cells& names, Cells& above) const;
  Cells names(std::size_t& header) const;
  std::string doubtful_name(std::size_t header, const std::vector<std::size_t>& rows) const;
  bool are_names(const Cells& titles, std::size_t header) const;
  std::vector<std::size_t> columns_below(const Span& span) const;

  const SheetRows& rows_;
  bool with_signs_;
  std::size_t blanks_;
  std::vector<AlignedLine> lines_;
  std::map<std::size_t, std::size_t> counts_;  ///< of lines with numbers, per number of cells
  std::size_t with_numbers_ = 0;               ///< lines
  // Of the width that is tried:
  std::size_t width_ = 0;
  std::size_t first_ = 0;    ///< row of numbers
  std::size_t last_ = 0;     ///< whole row
  std::size_t numbers_ = 0;  ///< that half of the whole rows have, or more
  std::vector<bool> is_numeric_;
  std::vector<Span> columns_;  ///< of the rows; empty unless those of all whole rows stand apart
  std::vector<Span> fields_;   ///< the same with the names
};

AlignedText::AlignedText(const SheetRows& rows, std::size_t blanks, bool with_signs)
    : rows_(rows), with_signs_(with_signs), blanks_(blanks) {
  for (const SheetRow& row : rows) {
    const std::string text = with_signs ? row.text : without_signs(row.text);
    AlignedLine line{phrases_of(text, blanks), phrases_of(text, 1)};
    line.numbers = numbers_in(line.words);
    if (line.numbers > 0 && line.cells.size() > 1 && !is_written_number(row.text)) {
      ++counts_[line.cells.size()];
      ++with_numbers_;
    }
    lines_.push_back(std::move(line));
  }
}

std::vector<std::size_t> AlignedText::widths() const {
  constexpr std::size_t most = 4;
  std::vector<std::pair<std::size_t, std::size_t>> usual;  // lines, cells
  for (const auto& [cells, count] : counts_)
    if (count > 1 || std::ranges::any_of(lines_, [wanted = cells](const AlignedLine& line) {
          return line.numbers == 0 && line.cells.size() == wanted;
        }))
      usual.emplace_back(count, cells);
  std::ranges::sort(usual, std::greater());
  usual.resize(std::min(usual.size(), most));
  std::vector<std::size_t> out = mapped(usual, &std::pair<std::size_t, std::size_t>::second);
  std::ranges::sort(out, std::greater());
  return out;
}

bool AlignedText::is_likely() const {
  const auto has_several = [](const AlignedLine& line) {
    return line.numbers > 1 && is_several_numbers(joined(mapped(line.words, &Phrase::text), " "));
  };
  return (2 * to_size(std::ranges::count_if(lines_, has_several)) >= lines_.size() &&
          lines_[0].words.size() > 1) ||
         std::ranges::any_of(counts_, [&](const auto& count) {
           return count.second >= 2 && 2 * count.second >= with_numbers_;
         });
}

/// Whether a line has a cell per column and some are numbers.
bool AlignedText::is_whole(std::size_t i) const {
  const AlignedLine& line = lines_[i];
  return line.cells.size() == width_ && line.numbers > 0 &&
         std::ranges::none_of(line.cells,
                              [](const Phrase& cell) { return is_several_numbers(cell.text); });
}

/// Whether the cells are numbers in the columns of numbers, or tell that a run has none; the first
/// may be the label of a total.
bool AlignedText::may_be_run(const Cells& cells, bool may_have_label) const {
  bool has_result = false;
  bool may_be_label = may_have_label;
  for (std::size_t k = 0; k < width_; ++k) {
    const bool is_result = is_written_number(cells[k]) || tells_failure(cells[k]);
    if (is_numeric_[k] && !is_result && !may_be_label)
      return false;
    has_result |= is_numeric_[k] && is_result && !is_missing(cells[k]);
    may_be_label = may_be_label && cells[k].empty();
  }
  return has_result;
}

bool AlignedText::find_rows() {
  std::vector<std::size_t> whole;
  std::vector<std::size_t> numbers(width_);
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (is_whole(i)) {
      whole.push_back(i);
      for (std::size_t k = 0; k < width_; ++k)
        numbers[k] += is_written_number(lines_[i].cells[k].text) ? 1U : 0U;
    }
  is_numeric_ = mapped(numbers, [&](std::size_t count) { return 2 * count >= whole.size(); });
  while (!whole.empty() && !may_be_run(*cells_of(whole.front()), false))
    whole.erase(whole.begin());
  // "12.5 ms" is one cell.
  if (whole.empty() ||
      std::ranges::all_of(whole, [&](std::size_t i) { return is_written_number(rows_[i].text); }))
    return false;
  first_ = whole.front();
  last_ = whole.back();
  std::vector<std::size_t> counts = mapped(whole, [&](std::size_t i) { return lines_[i].numbers; });
  std::ranges::sort(counts, std::greater());
  numbers_ = counts[counts.size() / 2];
  find_columns(whole);
  while (first_ > 0) {
    const auto above = cells_of(first_ - 1);
    if (!above || lines_[first_ - 1].numbers == 0 || !may_be_run(*above, false))
      break;
    --first_;
  }
  return first_ > 0;
}

void AlignedText::find_columns(const std::vector<std::size_t>& rows) {
  const auto spans = [&](std::size_t i) {
    return mapped(lines_[i].cells, [](const Phrase& cell) { return cell.span; });
  };
  const auto widened = [](std::vector<Span> wide, const std::vector<Span>& by) {
    for (std::size_t k = 0; k < by.size(); ++k)
      wide[k] = wide[k].with(by[k]);
    return stand_apart(wide) ? wide : std::vector<Span>();
  };
  columns_ = spans(rows[0]);
  for (const std::size_t i : rows)
    if (!columns_.empty())
      columns_ = widened(columns_, spans(i));
  fields_ = columns_;
  if (!columns_.empty() && first_ > 0 && lines_[first_ - 1].cells.size() == width_)
    if (auto with_names = widened(columns_, spans(first_ - 1)); !with_names.empty())
      fields_ = std::move(with_names);
}

std::vector<std::size_t> AlignedText::columns_below(const Span& span) const {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (columns_[k].overlaps(span))
      out.push_back(k);
  return out;
}

/// The cells of a line, some of them blank; nullopt if it has none in all columns, or it is unknown
/// in which.
std::optional<Cells> AlignedText::cells_of(std::size_t i) const {
  const AlignedLine& line = lines_[i];
  if (line.cells.size() == width_ && (is_whole(i) || line.numbers == 0))
    return mapped(line.cells, &Phrase::text);
  return cells_below_names(line.words);
}

std::optional<Cells> AlignedText::cells_below_names(const Phrases& words) const {
  Cells cells(width_);
  std::vector<Span> own(width_);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const Span& span = words[i].span;
    const auto overlaps = [&](const Span& field) { return field.overlaps(span); };
    const auto at = std::ranges::find_if(fields_, overlaps);
    if (std::ranges::count_if(fields_, overlaps) != 1)
      return std::nullopt;
    const auto k = to_size(at - fields_.begin());
    if (!cells[k].empty() && words[i - 1].span.end + 1 != span.begin)
      return std::nullopt;
    own[k] = cells[k].empty() ? span : own[k].with(span);
    cells[k] += (cells[k].empty() ? "" : " ") + words[i].text;
  }
  std::vector<Span> spans = fields_;
  for (std::size_t k = 0; k < fields_.size(); ++k)
    if (!cells[k].empty()) {
      spans[k] = fields_[k].with(own[k]);
      const bool is_aligned = own[k].begin == fields_[k].begin || own[k].end == fields_[k].end;
      if ((!is_aligned && (own[k].begin < fields_[k].begin || own[k].end > fields_[k].end)) ||
          is_several_numbers(cells[k]))
        return std::nullopt;
    }
  return fields_.empty() || !stand_apart(spans) ? std::nullopt : std::optional(std::move(cells));
}

/// The cells of a row; nullopt if the line is a remark, or does not fit in.
std::optional<Cells> AlignedText::row_at(std::size_t i) const {
  auto cells = cells_of(i);
  const bool is_row = cells && (may_be_run(*cells, true) || (i < last_ && is_whole(i)));
  return is_row ? std::move(cells) : std::nullopt;
}

/// Whether a line has fewer numbers than rows have, and words where they have numbers, or too many.
bool AlignedText::is_remark(std::size_t i) const {
  const AlignedLine& line = lines_[i];
  const bool has_text = std::ranges::any_of(line.words, [](const Phrase& word) {
    return !is_written_number(word.text) && !is_missing(word.text) && !tells_failure(word.text);
  });
  const bool are_all_numbers = std::ranges::all_of(is_numeric_, std::identity());
  if (i < first_)
    return numbers_in(line.cells) < numbers_;
  return line.numbers < numbers_ && has_text &&
         (line.numbers == 0 || ((line.cells.size() == 1 || blanks_ == 1) &&
                                (are_all_numbers || line.words.size() > width_)));
}

/// Names of several words above columns to whose left or right end they are aligned; the first
/// column may have none. nullopt unless there is one way to do so.
std::optional<Cells> AlignedText::grouped_names(const Phrases& words) const {
  constexpr std::size_t most = 16;
  std::vector<std::vector<Cells>> from(words.size() + 1);  // ways to name columns by words so far
  if (columns_.empty())
    return std::nullopt;
  from[0] = {Cells(), Cells(1)};
  for (std::size_t begin = 0; begin < words.size(); ++begin)
    for (const Cells& names : from[begin]) {
      std::string name;
      for (std::size_t last = begin; last < words.size() && names.size() < width_; ++last) {
        if (last > begin && words[last - 1].span.end + 1 != words[last].span.begin)
          break;
        name += (name.empty() ? "" : " ") + words[last].text;
        const Span& column = columns_[names.size()];
        if (words[begin].span.begin != column.begin && words[last].span.end != column.end)
          continue;
        if (from[last + 1].size() == most)
          return std::nullopt;
        from[last + 1].push_back(names);
        from[last + 1].back().push_back(name);
      }
    }
  std::erase_if(
      from.back(), [&](const Cells& names) { return names.size() != width_; });
  const auto has_index = [](const Cells& names) { return names[0].empty(); };
  if (!std::ranges::all_of(from.back(), has_index))
    std::erase_if(from.back(), has_index);
  return from.back().size() == 1 ? std::optional(from.back()[0]) : std::nullopt;
}

/// The names that a line of the header gives to the columns below, blank where it has none; of the
/// lines below it, they have these `names`. A phrase over several columns names each of them, or is
/// a word for each; nullopt if it does neither, and one of them has no name yet.
std::optional<Cells> AlignedText::named_in(const AlignedLine& line, const Cells& names) const {
  if (line.cells.size() == width_)
    return mapped(line.cells, &Phrase::text);
  if (auto grouped = grouped_names(line.words))
    return grouped;
  Cells above(width_);
  const auto add = [&](std::size_t column, const std::string& text) {
    above[column] += (above[column].empty() ? "" : " ") + text;
  };
  for (const Phrase& phrase : line.cells) {
    const std::vector<std::size_t> below = columns_below(phrase.span);
    const std::vector<std::string> words = words_of_line(phrase.text);
    const bool is_word_each = words.size() == below.size();
    if (below.size() > 1 && !is_word_each &&
        std::ranges::any_of(below, [&](std::size_t k) { return names[k].empty(); }))
      return std::nullopt;
    for (std::size_t k = 0; k < below.size(); ++k)
      add(below[k], is_word_each ? words[k] : phrase.text);
    if (below.empty() && !columns_.empty())
      add(to_size(
              std::ranges::min_element(
                  columns_, {}, [&](const Span& column) { return distance(phrase.span, column); }) -
              columns_.begin()),
          phrase.text);
  }
  return above;
}

bool has_duplicates(const Cells& names) {
  return std::set(names.begin(), names.end()).size() < names.size();
}

/// The middle of a group's columns is below its name, which may be shorter than they are.
void AlignedText::name_groups(const Phrases& line, const Cells& names, Cells& above) const {
  Phrases groups;
  for (const Phrase& phrase : line)
    if (std::ranges::none_of(columns_below(phrase.span),
                             [&](std::size_t column) { return names[column].empty(); }))
      groups.push_back(phrase);
  for (std::size_t k = 0; k < width_ && !groups.empty(); ++k)
    if (above[k].empty() && std::ranges::count(names, names[k]) > 1)
      above[k] = std::ranges::min_element(groups, {}, [&](const Phrase& phrase) {
                   return distance(phrase.span, columns_[k]);
                 })->text;
}

/// The names above the rows; none if there is no header. Sets the first row of the header.
Cells AlignedText::names(std::size_t& header) const {
  Cells names(width_);
  header = first_;
  const auto join = [&](Cells above) {
    for (std::size_t k = 0; k < width_; ++k)
      above[k] += (above[k].empty() || names[k].empty() ? "" : " ") + names[k];
    names = std::move(above);
  };
  // With single blanks, a title looks like names.
  const AlignedLine& lowest = lines_[first_ - 1];
  const bool has_units = lowest.cells.size() < width_ && !grouped_names(lowest.words);
  const std::size_t most = blanks_ > 1 ? 3 : has_units ? 2 : 1;
  while (header > 0 && first_ - header < most) {
    const AlignedLine& line = lines_[header - 1];
    const std::size_t cells = line.cells.size();
    const bool is_next = header < first_ && rows_[header - 1].line + 1 == rows_[header].line;
    const bool lacks = std::count(names.begin() + 1, names.end(), "") > 0 || has_duplicates(names);
    const bool may_go_on =
        !columns_.empty() && is_next &&
        ((cells > 1 && (lacks || 2 * cells > width_) && (blanks_ > 1 || cells == width_)) ||
         (lacks && line.words.size() >= width_ && grouped_names(line.words)));
    if (2 * numbers_in(line.cells) > cells || line.numbers >= numbers_ ||
        (header < first_ && !may_go_on))
      break;
    auto above = named_in(line, names);
    if (!above)
      break;
    if (header < first_)
      name_groups(line.cells, names, *above);
    join(*std::move(above));
    --header;
  }
  return names;
}

std::string words_over(const Span& span, const AlignedLine& line) {
  Cells words;
  for (const Phrase& word : line.words)
    if (word.span.overlaps(span))
      words.push_back(word.text);
  return joined(words, " ");
}

/// How many words of the lines stand over the places before each.
using Coverage = std::vector<std::size_t>;

Coverage coverage_of(std::span<const AlignedLine* const> lines, std::size_t places) {
  Coverage out(places + 1);
  for (const AlignedLine* line : lines)
    for (const Phrase& word : line->words)
      for (std::size_t at = word.span.begin; at < std::min(word.span.end, places); ++at)
        ++out[at + 1];
  std::partial_sum(out.begin(), out.end(), out.begin());
  return out;
}

/// Whether words stand on both sides of a place in a column, and none over it.
bool parts_at(std::size_t at, const Span& column, const Coverage& words) {
  return words[at] > words[column.begin] && words[at] == words[at + 1] &&
         words[column.end] > words[at + 1];
}

/// The name of a column that may be two: its words and those of the cells stand apart at the same
/// place. Empty if there is none.
std::string AlignedText::doubtful_name(std::size_t header,
                                       const std::vector<std::size_t>& rows) const {
  std::vector<const AlignedLine*> names;
  for (std::size_t i = header; i < first_; ++i)
    names.push_back(&lines_[i]);
  if (fields_.empty())
    return "";
  std::vector<const AlignedLine*> cells;
  for (const std::size_t i : rows)
    cells.push_back(&lines_[i]);
  const Coverage of_names = coverage_of(names, fields_.back().end);
  const Coverage of_cells = coverage_of(cells, fields_.back().end);
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    for (const AlignedLine* line : names)
      if (line->cells.size() == width_ && words_of_line(line->cells[k].text).size() > 1 &&
          std::ranges::any_of(columns_below(line->cells[k].span),
                              [&](std::size_t i) { return i != k; }))
        return line->cells[k].text;
    for (std::size_t at = fields_[k].begin + 1; at + 1 < fields_[k].end; ++at)
      if (parts_at(at, fields_[k], of_names) && parts_at(at, fields_[k], of_cells))
        return words_over(fields_[k], *names[0]);
  }
  return "";
}

/// Whether the header has names for the columns. Without signs, an uncertainty needs a name of its
/// own; an index has none, so that it may seem to be a part of the first column of texts.
bool AlignedText::are_names(const Cells& titles, std::size_t header) const {
  const auto unnamed = to_size(std::count(titles.begin() + 1, titles.end(), ""));
  if (header == first_)
    return false;
  const AlignedLine& lowest = lines_[first_ - 1];
  // The first run may have blank cells, too.
  const std::size_t above = header > 0 ? lines_[header - 1].cells.size() : 0;
  const Cells lower = named_in(lowest, Cells(width_)).value();
  const bool names_texts = std::ranges::any_of(
      indices(width_), [&](std::size_t k) { return !lower[k].empty() && !is_numeric_[k]; });
  if (lowest.numbers > 0 ? first_ - header > 1 || (above > 1 && above + 1 >= width_)
                         : lowest.cells.size() < width_ && first_ - header > 1 && names_texts)
    return false;
  const auto has_index = [&](const AlignedLine& line) {
    return line.cells[0].text != line.words[0].text && parse_number(line.words[0].text);
  };
  const bool is_indexed = lowest.cells[0].span.begin > lines_[first_].cells[0].span.begin &&
                          std::ranges::all_of(lines_.begin() + index(first_),
                                              lines_.begin() + index(last_) + 1, has_index);
  if ((!with_signs_ && unnamed > 0) || lowest.cells.size() > width_ || is_indexed ||
      width_ < 2 + to_size(std::ranges::count(titles, std::string())))
    return false;
  if (lowest.cells.size() == width_)
    return true;
  return !columns_.empty() && 2 * unnamed <= width_ &&
         (blanks_ > 1 || first_ - header > 1 || grouped_names(lowest.words));
}

std::optional<std::size_t> AlignedText::split(std::size_t width, Sheet& sheet) {
  width_ = width;
  if (!find_rows())
    return 0;
  std::size_t header = 0;
  Cells titles = names(header);
  if (!are_names(titles, header))
    return first_ - 1;
  const auto unnamed = to_size(std::count(titles.begin() + 1, titles.end(), ""));
  for (std::size_t k = 1; k < width_; ++k)
    if (titles[k].empty())
      titles[k] = fmt::format("column {}", k + 1);
  SheetRows between;
  SheetRows below;
  SheetRows kept = {rows_[first_ - 1]};
  std::vector<std::size_t> runs;
  kept[0].cells = std::move(titles);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    auto cells = i < first_ ? std::nullopt : row_at(i);
    if (cells) {
      between.insert(between.end(), below.begin(), below.end());
      below.clear();
      runs.push_back(i);
      kept.push_back(rows_[i]);
      kept.back().cells = *std::move(cells);
    } else if ((i < header || i >= first_) && !is_remark(i)) {
      return i;
    } else if (i >= first_) {
      below.push_back(rows_[i]);
    }
  }
  if (const std::string name = blanks_ > 1 ? doubtful_name(header, runs) : ""; !name.empty())
    throw InputError(fmt::format(
        "{}:{}: '{}' may be the name of one column or of two; write two blanks or more between "
        "columns, or commas",
        sheet.source, rows_[first_ - 1].line, name));
  sheet.tell_unread(between, between.size() == 1 ? "no row" : "no rows");
  sheet.tell_unread(below, below.size() == 1 ? "a note below the table" : "notes below the table");
  sheet.drop(0, header, header == 1 ? "a title above the header" : "titles above the header");
  sheet.tell(first_ - header > 1
                 ? fmt::format("the columns are separated by blanks, and lines {} to {} are their "
                               "header",
                               rows_[header].line, rows_[first_ - 1].line)
                 : std::string("the columns are separated by blanks"));
  if (unnamed > 0)
    sheet.tell(fmt::format("columns without a name are called by their number: {}",
                           quoted_list(kept[0].cells, 12)));
  sheet.rows = std::move(kept);
  return std::nullopt;
}

}  // namespace

bool split_at_blanks(Sheet& sheet) {
  std::erase_if(sheet.rows, [](const SheetRow& row) {
    return row.text.find_first_not_of("-=+ \t") == std::string::npos;
  });
  std::string misfit;
  for (const std::size_t blanks : {2U, 1U}) {
    for (const bool with_signs : {false, true}) {
      const SheetRows rows = sheet.rows;
      AlignedText text(rows, blanks, with_signs);
      for (const std::size_t width : text.widths()) {
        const auto odd = text.split(width, sheet);
        if (!odd)
          return true;
        if (misfit.empty() && text.is_likely())
          misfit = fmt::format(
              "{}:{}: the columns seem to be separated by blanks, but {} has not a cell per column "
              "as most lines do; write two blanks or more between columns, or commas",
              sheet.source, rows[*odd].line, quoted_cell(rows[*odd].text));
      }
    }
  }
  if (!misfit.empty())
    throw InputError(misfit);
  return false;
}

}  // namespace perfmodel
