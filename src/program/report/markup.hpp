#pragma once

#include <string>
#include <string_view>

namespace perfmodel {

/// Escapes a text for content and quoted attributes of HTML and XML: & < > " ' become references,
/// characters that XML forbids become blanks (line breaks are kept), and bytes that are not UTF-8
/// become question marks.
std::string escaped_markup(std::string_view text);

/// Formats a coordinate of a drawing to a hundredth of its unit: "12.5". Throws std::logic_error if
/// the value is not a coordinate.
std::string coordinate(double value);

/// <name attributes>content</name>. Attributes and content must be markup.
std::string element(std::string_view name, std::string_view attributes, std::string_view content);

/// Returns <name attributes/>, which HTML accepts for SVG elements and void elements.
std::string empty_element(std::string_view name, std::string_view attributes);

/// Returns name="value" after a blank, with the value escaped.
std::string attribute(std::string_view name, std::string_view value);

}  // namespace perfmodel
