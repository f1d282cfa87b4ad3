#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/figures/markup_reader.hpp"

namespace perfmodel::figures {

using Properties = std::map<std::string, std::string>;

/// What a style sheet says of figures, on light paper: its rules for classes and for the text of
/// figures, with the values of its variables in their place.
class StyleRules {
 public:
  explicit StyleRules(std::string_view sheet);

  /// Of an element; a later rule counts more.
  Properties of(const MarkupElement& element) const;
  /// The rules that some of the elements need, as a style sheet that needs no variables.
  std::string sheet_for(const std::vector<MarkupElement>& elements) const;

 private:
  struct Rule {
    std::string selector;  ///< ".curve" or "svg text"
    Properties properties;
  };
  std::vector<Rule> rules_;
  Properties variables_;

  void add(std::string_view selectors, std::string_view declarations);
  std::string value_of(std::string_view text) const;
  static bool matches(const Rule& rule, const MarkupElement& element);
};

}  // namespace perfmodel::figures
