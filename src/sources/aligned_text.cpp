#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "perfmodel/error.hpp"
#include "sources/sheet.hpp"

namespace perfmodel {
namespace {

/// Where a text stands in its line, in characters.
struct Span {
  std::size_t begin;
  std::size_t end;

  bool overlaps(const Span& other) const { return begin < other.end && other.begin < end; }
  bool is_within(const Span& other) const { return begin >= other.begin && end <= other.end; }
  std::size_t twice_middle() const { return begin + end; }
};

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
    at += is_continued(c) ? 0 : 1;
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

/// A text of which most lines are rows with as many cells, which blanks separate.
class AlignedText {
 public:
  AlignedText(const SheetRows& rows, std::size_t blanks, bool with_signs)
      : rows_(rows), with_signs_(with_signs), blanks_(blanks) {
    for (const SheetRow& row : rows)
      lines_.push_back(phrases_of(with_signs ? row.text : without_signs(row.text), blanks));
    find_rows();
  }

  bool is_table() const { return width_ >= 2 && first_ > 0; }

  /// Splits the rows of the sheet. Returns the row that does not fit in, if there is one.
  std::optional<std::size_t> split(Sheet& sheet) const;

 private:
  void find_rows();
  bool is_row(std::size_t i) const {
    return lines_[i].size() == width_ && numbers_in(lines_[i]) > 0;
  }
  std::optional<std::vector<std::string>> cells_of(const Phrases& line) const;
  std::vector<std::string> named_in(const Phrases& line) const;
  void name_groups(const Phrases& line, const std::vector<std::string>& names,
                   std::vector<std::string>& above) const;
  std::vector<std::string> names(std::size_t& header) const;
  std::vector<std::size_t> columns_below(const Span& span) const;

  const SheetRows& rows_;
  bool with_signs_;
  std::size_t blanks_;
  std::vector<Phrases> lines_;
  std::size_t width_ = 0;  ///< of most lines with numbers
  std::size_t first_ = 0;  ///< row of numbers
  std::size_t last_ = 0;
  std::vector<Span> columns_;  ///< empty unless the columns of all rows stand apart
};

void AlignedText::find_rows() {
  std::map<std::size_t, std::size_t> counts;
  std::size_t of_numbers = 0;
  for (const Phrases& line : lines_)
    if (numbers_in(line) > 0 && line.size() > 1) {
      ++counts[line.size()];
      ++of_numbers;
    }
  std::size_t most = 1;
  for (const auto& [cells, count] : counts)
    if (count >= most && count >= 2 && 2 * count >= of_numbers)
      std::tie(most, width_) = std::pair(count, cells);
  if (width_ == 0)
    return;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (is_row(i))
      found.push_back(i);
  if (std::ranges::all_of(found, [&](std::size_t i) { return is_written_number(rows_[i].text); })) {
    width_ = 0;  // "12.5 ms" is one cell
    return;
  }
  first_ = found.front();
  last_ = found.back();
  for (const Phrase& phrase : lines_[first_])
    columns_.push_back(phrase.span);
  for (const std::size_t i : found)
    for (std::size_t k = 0; k < width_; ++k) {
      columns_[k].begin = std::min(columns_[k].begin, lines_[i][k].span.begin);
      columns_[k].end = std::max(columns_[k].end, lines_[i][k].span.end);
    }
  for (std::size_t k = 0; k + 1 < width_; ++k)
    if (columns_[k].end >= columns_[k + 1].begin)
      return columns_.clear();
}

std::vector<std::size_t> AlignedText::columns_below(const Span& span) const {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < columns_.size(); ++k)
    if (columns_[k].overlaps(span))
      out.push_back(k);
  return out;
}

/// The cells of a line, some of them blank; nullopt if it is no row.
std::optional<std::vector<std::string>> AlignedText::cells_of(const Phrases& line) const {
  std::vector<std::string> cells(width_);
  if (line.size() > width_ || (line.size() < width_ && columns_.empty()))
    return std::nullopt;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const std::vector<std::size_t> below =
        line.size() == width_ ? std::vector{i} : columns_below(line[i].span);
    const bool fits = below.size() == 1 && cells[below[0]].empty() &&
                      (line.size() == width_ || line[i].span.is_within(columns_[below[0]]));
    if (!fits || is_several_numbers(line[i].text))
      return std::nullopt;
    cells[below[0]] = line[i].text;
  }
  return cells;
}

/// The names that a line of the header gives to the columns below; blank where it has none. A
/// phrase over several columns names each of them, or is a word for each.
std::vector<std::string> AlignedText::named_in(const Phrases& line) const {
  std::vector<std::string> names(width_);
  const auto add = [&](std::size_t column, const std::string& text) {
    names[column] += (names[column].empty() ? "" : " ") + text;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line.size() == width_) {
      names[i] = line[i].text;
      continue;
    }
    const std::vector<std::size_t> below = columns_below(line[i].span);
    const std::vector<std::string> words = words_of_line(line[i].text);
    for (std::size_t k = 0; k < below.size(); ++k)
      add(below[k], words.size() == below.size() ? words[k] : line[i].text);
    if (below.empty() && !columns_.empty())
      add(to_size(std::ranges::min_element(
                      columns_, {},
                      [&](const Span& column) { return distance(line[i].span, column); }) -
                  columns_.begin()),
          line[i].text);
  }
  return names;
}

bool has_duplicates(const std::vector<std::string>& names) {
  return std::set(names.begin(), names.end()).size() < names.size();
}

/// The middle of a group's columns is below its name, which may be shorter than they are.
void AlignedText::name_groups(const Phrases& line, const std::vector<std::string>& names,
                              std::vector<std::string>& above) const {
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
std::vector<std::string> AlignedText::names(std::size_t& header) const {
  std::vector<std::string> names(width_);
  header = first_;
  const auto join = [&](std::vector<std::string> above) {
    for (std::size_t k = 0; k < width_; ++k)
      above[k] += (above[k].empty() || names[k].empty() ? "" : " ") + names[k];
    names = std::move(above);
  };
  // With single blanks, a title looks like names.
  const std::size_t most = blanks_ > 1 ? 3 : 1;
  while (header > 0 && first_ - header < most) {
    const Phrases& line = lines_[header - 1];
    const bool is_next = header < first_ && rows_[header - 1].line + 1 == rows_[header].line;
    const bool lacks = std::count(names.begin() + 1, names.end(), "") > 0 || has_duplicates(names);
    const bool may_go_on =
        !columns_.empty() && line.size() > 1 && is_next && (lacks || 2 * line.size() > width_);
    if (2 * numbers_in(line) > line.size() || (header < first_ && !may_go_on))
      break;
    std::vector<std::string> above = named_in(line);
    if (header < first_)
      name_groups(line, names, above);
    join(std::move(above));
    --header;
  }
  return names;
}

std::optional<std::size_t> AlignedText::split(Sheet& sheet) const {
  std::size_t header = 0;
  std::vector<std::string> titles = names(header);
  // Without signs, an uncertainty needs a name of its own; an index has none.
  const auto unnamed = to_size(std::count(titles.begin() + 1, titles.end(), ""));
  const std::size_t named = lines_[first_ - 1].size();
  const bool may_lack = blanks_ > 1 || (rows_[first_ - 1].text.starts_with(' ') && unnamed == 0);
  if (header == first_ || (columns_.empty() && named != width_) || 2 * unnamed > width_ ||
      (!with_signs_ && unnamed > 0) || (named != width_ && !may_lack))
    return first_ - 1;
  for (std::size_t k = 1; k < width_; ++k)
    if (titles[k].empty())
      titles[k] = fmt::format("column {}", k + 1);
  SheetRows dropped;
  SheetRows kept = {rows_[first_ - 1]};
  kept[0].cells = std::move(titles);
  for (std::size_t i = first_; i <= last_; ++i) {
    const auto cells = cells_of(lines_[i]);
    if (cells && numbers_in(lines_[i]) > 0) {
      kept.push_back(rows_[i]);
      kept.back().cells = *cells;
    } else if (numbers_in(lines_[i]) > 0) {
      return i;
    } else {
      dropped.push_back(rows_[i]);
    }
  }
  sheet.tell_unread(dropped, dropped.size() == 1 ? "no row" : "no rows");
  sheet.drop(last_ + 1, rows_.size(), "notes below the table");
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
      const AlignedText text(rows, blanks, with_signs);
      if (!text.is_table())
        continue;
      const auto odd = text.split(sheet);
      if (!odd)
        return true;
      if (misfit.empty())
        misfit = fmt::format(
            "{}:{}: the columns seem to be separated by blanks, but not into as many cells here as "
            "in most lines; write two blanks or more between columns, or commas",
            sheet.source, rows[*odd].line);
    }
  }
  if (!misfit.empty())
    throw InputError(misfit);
  return false;
}

}  // namespace perfmodel
