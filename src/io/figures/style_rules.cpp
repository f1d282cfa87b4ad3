#include "io/figures/style_rules.hpp"

#include <algorithm>

namespace perfmodel::figures {
namespace {

constexpr std::string_view kTextOfFigures = "svg text";

std::string_view trimmed_part(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \n");
  return begin == std::string_view::npos
             ? ""
             : text.substr(begin, text.find_last_not_of(" \n") + 1 - begin);
}

/// "a, b" at its commas; an empty text has no part.
std::vector<std::string_view> parts_at(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (const std::string_view part = trimmed_part(text.substr(0, end)); !part.empty())
      out.push_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// Where the block that begins at `open` ends.
std::size_t end_of_block(std::string_view sheet, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < sheet.size(); ++at) {
    depth += sheet[at] == '{' ? 1 : sheet[at] == '}' ? -1 : 0;
    if (depth == 0)
      return at;
  }
  return sheet.size();
}

bool is_one_class(std::string_view selector) {
  return selector.starts_with(".") && selector.find_first_of(" :>[.", 1) == std::string_view::npos;
}

}  // namespace

StyleRules::StyleRules(std::string_view sheet) {
  for (std::size_t at = 0, open = sheet.find('{'); open != std::string_view::npos;
       open = sheet.find('{', at)) {
    const std::string_view selectors = trimmed_part(sheet.substr(at, open - at));
    const std::size_t close = end_of_block(sheet, open);
    // Blocks of blocks are for other paper, or for none.
    if (!selectors.starts_with("@"))
      add(selectors, sheet.substr(open + 1, close - open - 1));
    at = std::min(close + 1, sheet.size());
  }
}

void StyleRules::add(std::string_view selectors, std::string_view declarations) {
  Properties properties;
  for (const std::string_view declaration : parts_at(declarations, ';')) {
    const std::size_t colon = declaration.find(':');
    properties[std::string(trimmed_part(declaration.substr(0, colon)))] =
        value_of(trimmed_part(declaration.substr(colon + 1)));
  }
  for (const std::string_view selector : parts_at(selectors, ','))
    if (selector == ":root")
      variables_ = properties;
    else if (is_one_class(selector) || selector == kTextOfFigures)
      rules_.push_back({std::string(selector), properties});
}

std::string StyleRules::value_of(std::string_view text) const {
  std::string out(text);
  for (const auto& [name, value] : variables_) {
    const std::string use = "var(" + name + ")";
    for (std::size_t at = out.find(use); at != std::string::npos; at = out.find(use, at))
      out.replace(at, use.size(), value);
  }
  return out;
}

bool StyleRules::matches(const Rule& rule, const MarkupElement& element) {
  if (rule.selector == kTextOfFigures)
    return element.name == "text";
  const std::string classes = element.attribute("class");
  const auto names = parts_at(classes, ' ');
  return std::find(names.begin(), names.end(), rule.selector.substr(1)) != names.end();
}

Properties StyleRules::of(const MarkupElement& element) const {
  Properties out;
  // As in a page, where a class counts more than the name of an element.
  for (const bool is_class : {false, true})
    for (const Rule& rule : rules_)
      if (rule.selector.starts_with(".") == is_class && matches(rule, element))
        for (const auto& [name, value] : rule.properties)
          out[name] = value;
  return out;
}

std::string StyleRules::sheet_for(const std::vector<MarkupElement>& elements) const {
  std::string out;
  for (const Rule& rule : rules_) {
    if (std::none_of(elements.begin(), elements.end(),
                     [&](const MarkupElement& element) { return matches(rule, element); }))
      continue;
    out += (rule.selector == kTextOfFigures ? "text" : rule.selector) + " {";
    for (const auto& [name, value] : rule.properties)
      out += " " + name + ": " + value + ";";
    out += " }\n";
  }
  return out;
}

}  // namespace perfmodel::figures
