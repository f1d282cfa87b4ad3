#pragma once

#include <string>
#include <vector>

namespace perfmodel::test {

/// What keeps a page from being well-formed XML, with its place: a tag that is not closed in turn,
/// an attribute without quotes or twice, a bare & or <, an id that is given twice. Empty where
/// nothing does.
std::string markup_problem(const std::string& page);

/// The text of every element of this name and class (of any class where it is empty), without its
/// tags, references resolved; the element has no other of its name inside.
std::vector<std::string> texts_of(const std::string& page, const std::string& name,
                                  const std::string& css_class = "");

}  // namespace perfmodel::test
