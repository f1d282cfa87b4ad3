#include "io/figures/figure_files.hpp"

#include "io/figures/markup_reader.hpp"
#include "io/figures/pdf.hpp"
#include "io/figures/style_rules.hpp"
#include "io/html/style.hpp"

namespace perfmodel::figures {
namespace {

constexpr std::string_view kEnd = "</svg>";

/// "parity" of aria-labelledby="parity-title parity-desc"
std::string name_of(const MarkupElement& svg) {
  const std::string label = svg.attribute("aria-labelledby");
  return label.substr(0, label.find("-title"));
}

std::string document_of(std::string_view markup, const MarkupElement& svg,
                        const std::string& sheet) {
  const std::size_t open = markup.find('>');
  const std::string view = svg.attribute("viewBox");
  const std::size_t height = view.rfind(' ');
  const std::size_t width = view.rfind(' ', height - 1);
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + std::string(markup.substr(0, open)) +
         " width=\"" + view.substr(width + 1, height - width - 1) + "\" height=\"" +
         view.substr(height + 1) + "\">\n<style>\n" + sheet + "</style>" +
         std::string(markup.substr(open + 1)) + "\n";
}

}  // namespace

std::vector<FigureFile> figures_of_page(std::string_view page) {
  const StyleRules rules(page::kStyle);
  std::vector<FigureFile> out;
  for (std::size_t at = page.find("<svg "); at != std::string_view::npos;
       at = page.find("<svg ", at + 1)) {
    const std::string_view markup = page.substr(at, page.find(kEnd, at) + kEnd.size() - at);
    const std::vector<MarkupElement> elements = elements_of(markup);
    out.push_back({name_of(elements.front()),
                   document_of(markup, elements.front(), rules.sheet_for(elements)),
                   pdf_of(elements, rules)});
  }
  return out;
}

}  // namespace perfmodel::figures
