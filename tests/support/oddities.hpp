#pragma once

#include <string>
#include <vector>

namespace perfmodel::test {

/// What a text for people shows by mistake, each with the line it stands in: numbers above 1e15,
/// "nan", "inf" and "-0", a unit that stands twice ("time [s] [s]"), ", ,", and quotes around
/// nothing.
std::vector<std::string> oddities_in(const std::string& text);

/// The text of a page between its tags, without its style and script.
std::string visible_text(std::string page);

}  // namespace perfmodel::test
