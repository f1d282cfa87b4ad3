#pragma once

#include <string>
#include <string_view>

namespace perfmodel {

/// A text as it may stand between tags and in quoted attributes of HTML and XML: & < > " ' become
/// references, and characters that XML does not have become blanks (a line break stays one), bytes
/// that are not UTF-8 question marks.
std::string escaped_markup(std::string_view text);

/// A place in a picture, to a hundredth of its unit: "12.5". Throws std::logic_error for what is no
/// place.
std::string coordinate(double value);

/// <name attributes>content</name>. Attributes and content are markup already.
std::string element(std::string_view name, std::string_view attributes, std::string_view content);

/// <name attributes/>, which HTML takes for elements of pictures and those that never have content.
std::string empty_element(std::string_view name, std::string_view attributes);

/// name="value" behind a blank, the value escaped.
std::string attribute(std::string_view name, std::string_view value);

}  // namespace perfmodel
