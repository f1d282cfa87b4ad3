#include "io/html/table.hpp"

#include "base/readable.hpp"
#include "base/text.hpp"
#include "base/time_text.hpp"
#include "io/html/markup.hpp"

namespace perfmodel::page {

void Table::add(const std::vector<std::string>& cells) {
  body_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string style =
        (headings_[i].kind == CellKind::number ? attribute("class", "n") : std::string()) +
        // Where rows are stacked; a name says by itself what it is, a number does not.
        (i == 0 && headings_[i].kind != CellKind::number
             ? ""
             : attribute("data-label", headings_[i].text));
    body_ += i == 0 ? "<th scope=\"row\"" + style + ">" + cells[i] + "</th>"
                    : "<td" + style + ">" + cells[i] + "</td>";
  }
  body_ += "</tr>\n";
}

void Table::add_group(const std::string& name) {
  body_ += std::string(body_.empty() ? "" : "</tbody>\n<tbody>\n") +
           "<tr><th scope=\"rowgroup\" class=\"group\" colspan=\"" +
           std::to_string(headings_.size()) + "\">" + escaped_markup(name) + "</th></tr>\n";
}

std::string Table::html() const {
  if (body_.empty())
    return "";
  std::string head;
  for (const Heading& heading : headings_) {
    head += "<th scope=\"col\"" +
            (heading.kind == CellKind::number ? attribute("class", "n") : std::string()) + ">" +
            escaped_markup(heading.text) + "</th>";
  }
  return "<div class=\"wide\"><table>\n<caption>" + escaped_markup(caption_) +
         "</caption>\n<thead><tr>" + head + "</tr></thead>\n<tbody>\n" + body_ +
         "</tbody>\n</table></div>\n";
}

std::string figure_of(double value, const std::string& text) {
  return element("data", attribute("value", to_text(value)), escaped_markup(text));
}

std::string number_cell(double value) {
  return figure_of(value, short_number(value));
}

std::string time_cell(double time, const std::string& unit) {
  return figure_of(time, time_text(time, unit));
}

std::string doubtful_cell(const std::string& markup) {
  return element("span", attribute("class", "doubt"), markup);
}

}  // namespace perfmodel::page
