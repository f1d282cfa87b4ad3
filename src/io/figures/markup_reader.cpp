#include "io/figures/markup_reader.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace perfmodel::figures {
namespace {

std::string resolved_references(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kReferences = {
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}}};
  std::string out;
  while (!text.empty()) {
    std::size_t length = 1;
    char character = text[0];
    for (const auto& [reference, meaning] : kReferences) {
      if (text.starts_with(reference)) {
        length = reference.size();
        character = meaning;
      }
    }
    out += character;
    text.remove_prefix(length);
  }
  return out;
}

/// Of the inside of a tag: name="value" ...
MarkupElement element_of(std::string_view tag) {
  MarkupElement out;
  const std::size_t end = std::min(tag.find_first_of(" \n/"), tag.size());
  out.name = tag.substr(0, end);
  for (std::size_t at = tag.find("=\"", end); at != std::string_view::npos;
       at = tag.find("=\"", at)) {
    const std::size_t begin = tag.find_last_of(" \n", at) + 1;
    const std::size_t close = tag.find('"', at + 2);
    out.attributes[std::string(tag.substr(begin, at - begin))] =
        resolved_references(tag.substr(at + 2, close - at - 2));
    at = close;
  }
  return out;
}

}  // namespace

std::string MarkupElement::attribute(const std::string& of) const {
  const auto found = attributes.find(of);
  return found == attributes.end() ? "" : found->second;
}

double MarkupElement::number(const std::string& of) const {
  return parse_number(attribute(of)).value_or(0);
}

std::vector<MarkupElement> elements_of(std::string_view markup) {
  std::vector<MarkupElement> out;
  for (std::size_t at = markup.find('<'); at != std::string_view::npos;
       at = markup.find('<', at + 1)) {
    const std::size_t close = markup.find('>', at);
    const std::string_view tag = markup.substr(at + 1, close - at - 1);
    if (tag.starts_with("/"))
      continue;
    out.push_back(element_of(tag));
    const std::size_t next = std::min(markup.find('<', close), markup.size());
    if (!tag.ends_with("/"))
      out.back().text = resolved_references(markup.substr(close + 1, next - close - 1));
  }
  return out;
}

}  // namespace perfmodel::figures
