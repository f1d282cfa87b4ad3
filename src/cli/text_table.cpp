#include "cli/text_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "base/text.hpp"
#include "cli/console.hpp"

namespace perfmodel::cli {

LineEcho::LineEcho(std::string_view bytes) : rest_(bytes) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (rest_.starts_with(byte_order_mark))
    rest_.remove_prefix(byte_order_mark.size());
}

std::string_view LineEcho::header() {
  std::string_view line = next();
  while (line.find_first_not_of(" \t") == std::string_view::npos && !rest_.empty())
    line = next();
  return line;
}

std::string_view LineEcho::line(std::uint32_t number) {
  while (next_number_ < number)
    next();
  return next();
}

std::string_view LineEcho::next() {
  ++next_number_;
  const auto end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

std::string csv_field(const std::string& text, char separator) {
  if (text.find(separator) == std::string::npos &&
      text.find_first_of("\"\r\n") == std::string::npos)
    return text;
  std::string field = "\"";
  for (const char c : text) {
    field += c;
    if (c == '"')
      field += '"';
  }
  return field + "\"";
}

namespace {

constexpr double kLeast = 0.1;
constexpr double kMost = 1e4;

struct TimeUnit {
  std::string_view name;
  double seconds;
};

// The largest one first.
constexpr std::array kUnits = {TimeUnit{"s", 1}, TimeUnit{"ms", 1e-3}, TimeUnit{"us", 1e-6},
                               TimeUnit{"ns", 1e-9}};

}  // namespace

ShownTime::ShownTime(const std::string& unit, double typical) : unit_(unit) {
  const auto* const own = std::find_if(kUnits.begin(), kUnits.end(),
                                       [&](const TimeUnit& known) { return known.name == unit; });
  if (own == kUnits.end() || !(typical > 0) || (typical >= kLeast && typical < kMost))
    return;
  const auto* const fitting =
      std::find_if(kUnits.begin(), kUnits.end(), [&](const TimeUnit& candidate) {
        return typical * own->seconds >= kLeast * candidate.seconds;
      });
  const TimeUnit& shown = fitting == kUnits.end() ? kUnits.back() : *fitting;
  unit_ = shown.name;
  factor_ = own->seconds / shown.seconds;
}

std::string ShownTime::heading(const std::string& name, int power) const {
  return with_unit(name, unit_.empty() || power == 1 ? unit_ : unit_ + "^" + std::to_string(power));
}

std::string ShownTime::number(double time, int power) const {
  return short_number(time * std::pow(factor_, power));
}

namespace {

constexpr std::size_t kGap = 2;            // between columns
constexpr std::size_t kShortestText = 12;  // that still says something

/// A text in lines of at most `width`, all indented as the text is; a longer word is clipped.
std::vector<std::string> clipped_lines(const std::string& text, std::size_t width) {
  const std::size_t indentation = std::min(text.find_first_not_of(' '), text.size());
  std::vector<std::string> lines = lines_within(text, width, indentation);
  for (std::string& line : lines)
    line = clipped(line, width);
  return lines;
}

/// Takes from the widest texts what the columns are wider than the room for them.
void shorten_texts(const std::vector<Align>& columns, std::size_t room,
                   std::vector<std::size_t>& widths) {
  const auto taken = [&] {
    return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  };
  while (taken() > room) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (columns[i] == Align::left && widths[i] > kShortestText &&
          (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == widths.size())
      return;
    --widths[widest];
  }
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(printable_word(row[i])));
  return widths;
}

void TextTable::add_lines(const std::vector<std::size_t>& shown,
                          const std::vector<std::size_t>& widths, std::size_t indentation,
                          std::vector<std::string>& lines) const {
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const std::size_t i : shown) {
      cells.push_back(clipped_lines(i < row.size() ? printable_word(row[i]) : "", widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t l = 0; l < height; ++l) {
      std::string line(indentation, ' ');
      for (std::size_t k = 0; k < shown.size(); ++k) {
        const std::string cell = l < cells[k].size() ? cells[k][l] : "";
        const std::string padding(widths[shown[k]] - display_width(cell), ' ');
        line += k == 0 ? "" : std::string(kGap, ' ');
        line += columns_[shown[k]] == Align::left ? cell + padding : padding + cell;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      lines.push_back(std::move(line));
    }
  }
}

std::vector<std::string> TextTable::lines(std::size_t indentation,
                                          std::optional<std::size_t> width) const {
  std::vector<std::size_t> widths = this->widths();
  if (width)
    shorten_texts(columns_, *width - indentation, widths);
  std::vector<std::string> lines;
  std::vector<std::size_t> shown;
  std::size_t taken = indentation;
  const auto show = [&](std::size_t column) {
    taken += widths[column] + (shown.empty() ? 0 : kGap);
    shown.push_back(column);
  };
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (width && shown.size() > keys_ && taken + kGap + widths[i] > *width) {
      add_lines(shown, widths, indentation, lines);
      lines.emplace_back();
      shown.clear();
      taken = indentation;
      for (std::size_t key = 0; key < keys_; ++key)
        show(key);
    }
    show(i);
  }
  add_lines(shown, widths, indentation, lines);
  return lines;
}

std::string TextTable::text(std::size_t indentation, std::optional<std::size_t> width) const {
  std::string text;
  for (const auto& line : lines(indentation, width))
    text += line + "\n";
  return text;
}

namespace {

std::string csv_text(const TextTable& table) {
  std::string text;
  for (const auto& row : table.rows()) {
    for (std::size_t c = 0; c < row.size(); ++c)
      text += (c == 0 ? "" : ",") + csv_field(row[c]);
    text += "\n";
  }
  return text;
}

std::string markdown_cell(const std::string& cell) {
  std::string out;
  for (const char c : printable_word(cell))
    out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

std::string markdown_table(const TextTable& table) {
  std::string text;
  for (std::size_t r = 0; r < table.rows().size(); ++r) {
    const auto& row = table.rows()[r];
    text += "|";
    for (std::size_t c = 0; c < table.columns().size(); ++c)
      text += " " + (c < row.size() ? markdown_cell(row[c]) : "") + " |";
    text += "\n";
    if (r == 0) {
      text += "|";
      for (const Align align : table.columns())
        text += align == Align::left ? " --- |" : " ---: |";
      text += "\n";
    }
  }
  return text;
}

std::string latex_cell(const std::string& cell) {
  std::string out;
  for (const char c : printable_word(cell)) {
    switch (c) {
      case '\\':
        out += "\\textbackslash{}";
        break;
      case '^':
        out += "\\textasciicircum{}";
        break;
      case '~':
        out += "\\textasciitilde{}";
        break;
      case '<':
        out += "\\textless{}";
        break;
      case '>':
        out += "\\textgreater{}";
        break;
      case '|':
        out += "\\textbar{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out;
}

/// Needs no package.
std::string latex_table(const TextTable& table) {
  std::string text = "\\begin{tabular}{";
  for (const Align align : table.columns())
    text += align == Align::left ? 'l' : 'r';
  text += "}\n";
  for (std::size_t r = 0; r < table.rows().size(); ++r) {
    const auto& row = table.rows()[r];
    for (std::size_t c = 0; c < row.size(); ++c)
      text += (c == 0 ? "  " : " & ") + latex_cell(row[c]);
    text += r == 0 ? " \\\\ \\hline\n" : " \\\\\n";
  }
  return text + "\\end{tabular}\n";
}

/// The lines as they are, without blank ones around them.
std::string paragraph(const std::string& lines) {
  const auto first = lines.find_first_not_of('\n');
  if (first == std::string::npos)
    return "";
  return printable(lines.substr(first, lines.find_last_not_of('\n') + 1 - first)) + "\n";
}

std::string latex_comment(const std::string& lines) {
  std::string out = "% ";
  const std::string text = paragraph(lines);
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    out += text[i] == '\n' ? "\n% " : std::string(1, text[i]);
  return text.empty() ? "" : out + "\n";
}

}  // namespace

std::string OutputTables::text(std::optional<std::size_t> width) const {
  std::string out;
  for (const Part& part : parts_) {
    const std::string lines = printable(part.lines);
    if (lines.empty())
      out += part.table.text(part.indentation, width);
    else
      out += width ? paragraphs_within(lines, *width) : lines;
  }
  return out;
}

std::string OutputTables::joined_parts(std::string (*of_lines)(const std::string&),
                                       std::string (*of_table)(const TextTable&)) const {
  std::string out;
  for (const Part& part : parts_) {
    const std::string next = part.lines.empty() ? of_table(part.table) : of_lines(part.lines);
    out += (out.empty() || next.empty() ? "" : "\n") + next;
  }
  return out;
}

std::string OutputTables::in(OutputFormat format, std::optional<std::size_t> width) const {
  switch (format) {
    case OutputFormat::json:
      return json_();
    case OutputFormat::csv:
      return csv_text(data_);
    case OutputFormat::markdown:
      return joined_parts(paragraph, markdown_table);
    case OutputFormat::latex:
      return joined_parts(latex_comment, latex_table);
    case OutputFormat::text:
    case OutputFormat::junit:
    case OutputFormat::github:
      break;
  }
  return text(width);
}

}  // namespace perfmodel::cli
