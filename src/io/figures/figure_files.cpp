#include "io/figures/figure_files.hpp"

#include "io/html/style.hpp"

namespace perfmodel::figures {
namespace {

constexpr std::string_view kEnd = "</svg>";
/// The rules of figures stand together in the style sheet of the page.
constexpr std::string_view kFirstRule = "\nsvg text {";
constexpr std::string_view kRuleBehind = "\n.wide {";
static_assert(page::kStyle.find(kFirstRule) < page::kStyle.find(kRuleBehind));

std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

/// Of light paper and without variables, which not every program that reads SVG knows.
std::string figure_style() {
  std::string out = "text {" + std::string(between(page::kStyle, kFirstRule, kRuleBehind)) + "\n";
  std::string_view colours = between(page::kStyle, ":root {", "}");
  for (std::size_t at = colours.find("--"); at < colours.size(); at = colours.find("--")) {
    colours.remove_prefix(at);
    const std::size_t colon = colours.find(':');
    const std::string use = "var(" + std::string(colours.substr(0, colon)) + ")";
    const std::string value(between(colours, ": ", ";"));
    for (std::size_t to = out.find(use); to != std::string::npos; to = out.find(use, to))
      out.replace(to, use.size(), value);
    colours.remove_prefix(colon);
  }
  return out;
}

std::string document_of(std::string_view markup, const std::string& style) {
  const std::size_t open = markup.find('>');
  const std::string view(between(markup, "viewBox=\"0 0 ", "\""));
  const std::size_t blank = view.find(' ');
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + std::string(markup.substr(0, open)) +
         " width=\"" + view.substr(0, blank) + "\" height=\"" + view.substr(blank + 1) +
         "\">\n<style>\n" + style + "</style>" + std::string(markup.substr(open + 1)) + "\n";
}

}  // namespace

std::vector<FigureFile> figures_of_page(std::string_view page) {
  const std::string style = figure_style();
  std::vector<FigureFile> out;
  for (std::size_t at = page.find("<svg "); at != std::string_view::npos;
       at = page.find("<svg ", at + 1)) {
    const std::string_view markup = page.substr(at, page.find(kEnd, at) + kEnd.size() - at);
    // "parity" of aria-labelledby="parity-title parity-desc"
    out.push_back(
        {std::string(between(markup, "aria-labelledby=\"", "-title")), document_of(markup, style)});
  }
  return out;
}

}  // namespace perfmodel::figures
