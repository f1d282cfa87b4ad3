#include "cli/terminal/output_tables.hpp"

#include "base/printable.hpp"
#include "cli/terminal/csv_echo.hpp"
#include "cli/terminal/lines_within.hpp"

namespace perfmodel::cli {
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
