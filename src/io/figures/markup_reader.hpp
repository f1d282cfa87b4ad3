#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace perfmodel::figures {

/// An element of a page that this program wrote, as far as figures need it.
struct MarkupElement {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  ///< directly behind its tag, up to the next one

  /// Empty where it has none.
  std::string attribute(const std::string& of) const;
  /// 0 where it has none.
  double number(const std::string& of) const;
};

/// Every element, in the order of their opening tags.
std::vector<MarkupElement> elements_of(std::string_view markup);

}  // namespace perfmodel::figures
